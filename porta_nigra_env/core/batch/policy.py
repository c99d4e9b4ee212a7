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
from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import ConstantsArray, Parameters, PolicyRng, States, Words, choose, choose_by

jit = compiler(*CORE_SOURCES)


@dataclass(frozen=True, eq=False)
class Policy:
    """A compiled policy.

    Attributes:
        name: its name in reports.
        choose: compiled ``choose(constants, states, row, player, words, parameters, policy_rng) -> action``.
            `states[row]` is the only state of its array: the one redacted for `player`, read-only; `words` the legal
            actions as a bit set of uint64; `parameters` float64. `policy_rng` is int64 (3,) of
            `core.arrays.rng.policy_below`, its only source of randomness. It must return a member of `words`; it may
            not allocate or raise.
        parameters: float64 (k,), such as weights; two policies may share `choose` and differ here.
        reads_state: true if `choose` needs the redacted state, which costs a copy; otherwise `states[row]` is all
            zeros.
        sources: the source files of `choose`, besides those of the game (`core.compile.jit.compiler`). Code from other
            files is recompiled in each process.
        doc: one sentence, for lists of players.
        game: the name of the game whose states `choose` reads; empty for any game.

    Raises:
        ValueError: `choose` is not compiled or takes other arguments, or `parameters` has not one dimension.
    """

    name: str
    choose: Callable[..., Any]
    parameters: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    reads_state: bool = True
    sources: tuple[Path, ...] = ()
    doc: str = ""
    game: str = ""

    def __post_init__(self) -> None:
        function = getattr(self.choose, "py_func", None if COMPILED else self.choose)
        if function is None:
            raise ValueError(f"policy {self.name!r}: choose must be compiled, e.g. with `core.batch.policy.jit`")
        if function.__code__.co_argcount != choose.__code__.co_argcount:
            wanted = ", ".join(choose.__code__.co_varnames)
            raise ValueError(
                f"policy {self.name!r}: choose must take ({wanted}), not {function.__qualname__}'s arguments"
            )
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


def distinct(policies: Sequence[Policy]) -> list[Policy]:
    """Return one policy for each function `choose`, in an order that depends on the functions only."""
    one_each = {policy.choose: policy for policy in policies}
    return sorted(one_each.values(), key=lambda policy: (policy.choose.__module__, policy.choose.__qualname__))


def stacked(policies: Sequence[Policy]) -> tuple[npt.NDArray[np.int64], Parameters, npt.NDArray[np.bool_]]:
    """Return the arrays of policies for a loop.

    Returns:
        functions: int64 (n,), the index of each policy's function in `distinct`.
        parameters: float64 (n, most), zero-padded.
        reads: bool (n,), true if a policy needs a redacted state.
    """
    functions = [policy.choose for policy in distinct(policies)]
    parameters = np.zeros((len(policies), max(len(policy.parameters) for policy in policies)))
    for row, policy in enumerate(policies):
        parameters[row, : len(policy.parameters)] = policy.parameters
    numbers = np.array([functions.index(policy.choose) for policy in policies], dtype=np.int64)
    return numbers, parameters, np.array([policy.reads_state for policy in policies])


@jit
def uniform(
    constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return any legal action, all with the same probability."""
    return bits.select(words, policy_below(policy_rng, bits.count(words)))


#: Uniformly random over the legal actions, for any game.
RANDOM: Final = Policy("random", uniform, reads_state=False)


of_one, of_two = Template(), Template()


@of_one
def choose_alone(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of the only policy of a chain."""
    return choose(constants, states, row, player, words, parameters, policy_rng)


def choose_odd(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of a policy in the chain of the odd numbers: a placeholder that `chain` replaces."""
    raise NotImplementedError


@of_two
def choose_half(
    policy: int, constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the action of a policy in one of two chains, of the even and of the odd numbers."""
    if policy & 1:
        return choose_odd(policy >> 1, constants, states, row, player, words, parameters, policy_rng)
    return choose_by(policy >> 1, constants, states, row, player, words, parameters, policy_rng)


def chain(game: str, policies: Sequence[Policy], jit: Callable[[Any], Any]) -> Any:
    """Return one compiled function that calls a policy by number: `core.game.contract.choose_by`.

    It halves the policies until one is left, so that many do not exhaust the compiler's stack. A function pointer would
    cost more than a few comparisons, and could not be cached.
    """
    if len(policies) == 1:
        return of_one.specialize(game, {choose: policies[0].choose}, jit)[choose_alone]
    even, odd = (chain(game, policies[first::2], jit) for first in (0, 1))
    return of_two.specialize(game, {choose_by: even, choose_odd: odd}, jit)[choose_half]
