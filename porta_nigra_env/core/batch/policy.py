"""Compiled policies: they choose inside the batch loops, without a return to Python.

A policy has access to its player's information state only. The loop passes the set of legal actions and, on request, a
redacted copy of the state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import ConstantsArray, Parameters, PolicyRng, States, Words, choose

jit = compiler(*CORE_SOURCES)


@dataclass(frozen=True, eq=False)
class Policy:
    """A compiled policy.

    Attributes:
        name: its name in reports.
        choose: compiled ``choose(constants, states, row, player, words, parameters, policy_rng) -> action``.
            `states[row]` is the state redacted for `player`, read-only; `words` the legal actions as a bit set of
            uint64; `parameters` float64. `policy_rng` is int64 (3,) of `core.arrays.rng.policy_below`, its only source
            of randomness. It must return a member of `words`; it may not allocate or raise.
        parameters: float64 (k,), such as weights; two policies may share `choose` and differ here.
        reads_state: true if `choose` needs the redacted state, which costs a copy; otherwise `states[row]` is
            undefined.
        sources: the source files of `choose`, besides those of the game (`core.compile.jit.compiler`). Code from other
            files is recompiled in each process.
        doc: one sentence, for lists of players.
        game: the name of the game whose states `choose` reads; empty for any game.
    """

    name: str
    choose: Callable[..., Any]
    parameters: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    reads_state: bool = True
    sources: tuple[Path, ...] = ()
    doc: str = ""
    game: str = ""

    def __post_init__(self) -> None:
        parameters = np.array(self.parameters, dtype=np.float64)
        if parameters.ndim != 1:
            raise ValueError(f"policy {self.name!r}: parameters must have one dimension, not {parameters.ndim}")
        parameters.flags.writeable = False
        object.__setattr__(self, "parameters", parameters)

    def check_plays(self, game: str) -> None:
        """Raise ValueError, with both names, if the policy is made for another game."""
        if self.game not in ("", game):
            raise ValueError(f"policy {self.name!r} is made for {self.game}, not for {game}")

    def __copy__(self) -> Policy:
        return self

    def __deepcopy__(self, memo: object) -> Policy:
        # It is immutable, and a copy of its compiled function would be recompiled.
        return self


def stacked(policies: Sequence[Policy]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the arrays of policies for a loop: parameters float64 (n, most), zero-padded; reads_state bool (n,)."""
    parameters = np.zeros((len(policies), max(len(policy.parameters) for policy in policies)))
    for row, policy in enumerate(policies):
        parameters[row, : len(policy.parameters)] = policy.parameters
    return parameters, np.array([policy.reads_state for policy in policies])


@jit
def uniform(
    constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return any legal action, all with the same probability."""
    return bits.select(words, policy_below(policy_rng, bits.count(words)))


#: Uniformly random over the legal actions, for any game.
RANDOM: Final = Policy("random", uniform, reads_state=False)


template = Template()


def choose_otherwise(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of a later policy of a chain: a placeholder that `chain` replaces."""
    raise NotImplementedError


@template
def choose_first(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of the first policy of a chain, or of a later one."""
    if policy == 0:
        return choose(constants, states, row, player, words, parameters, policy_rng)
    return choose_otherwise(policy - 1, constants, states, row, player, words, parameters, policy_rng)


last_template = Template()


@last_template
def choose_last(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of the last policy of a chain."""
    return choose(constants, states, row, player, words, parameters, policy_rng)


def chain(game: str, policies: Sequence[Policy], jit: Callable[[Any], Any]) -> Any:
    """Return one compiled function that calls a policy by number: `core.game.contract.choose_by`.

    A function pointer would cost more than a few comparisons, and could not be cached.
    """
    chosen = last_template.specialize(game, {choose: policies[-1].choose}, jit)[choose_last]
    for policy in reversed(policies[:-1]):
        chosen = template.specialize(game, {choose: policy.choose, choose_otherwise: chosen}, jit)[choose_first]
    return chosen
