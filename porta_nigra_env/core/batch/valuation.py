"""Compiled players that evaluate every legal action and choose the highest value.

All scripted players of a game share one function and differ in its weights. A game package lists the weights of its
players (`Valuation`) and writes ``action_value(t, s, player, action, prepared, w)``. It may also write ``prepare(t, s,
player, w)``, computed once for all actions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import Constants, ConstantsArray, Parameters, PolicyRng, State, States, Words

Floats = npt.NDArray[np.float64]

jit = compiler(*CORE_SOURCES)


@jit
def nothing(constants: Constants, state: State, player: int, w: Any) -> int:
    """Return 0: the `prepare` of a game that prepares nothing."""
    return 0


def prepare_position(constants: Constants, state: State, player: int, weights: Parameters) -> Any:
    """Return the preparation of a game's `action_value`: a placeholder that `Valuation` replaces."""
    raise NotImplementedError


def value_action(
    constants: Constants, state: State, player: int, action: int, prepared: Any, weights: Parameters
) -> float:
    """Return the value of a legal action: a placeholder that `Valuation` replaces."""
    raise NotImplementedError


template = Template()


@template
def choose_best(
    constants: ConstantsArray, states: States, row: int, player: int, words: Words,
    parameters: Parameters, policy_rng: PolicyRng,
) -> int:  # fmt: skip
    """Return the legal action of the highest value; the policy RNG breaks ties."""
    t, s = constants[0], states[row]
    prepared = prepare_position(t, s, player, parameters)
    best = -1
    highest = 0.0
    equals = 0
    for i in range(words.shape[0]):
        word = words[i]
        while word != np.uint64(0):
            action = 64 * i + bits.lowest(word)
            word &= word - np.uint64(1)
            value = value_action(t, s, player, action, prepared, parameters)
            if best < 0 or value > highest:
                best = action
                highest = value
                equals = 1
            elif value == highest:
                equals += 1
                if policy_below(policy_rng, equals) == 0:
                    best = action
    return best


class Valuation:
    """The scripted players of a game.

    Args:
        game: its name.
        weights: the weights in the order in which `action_value` reads them; each is a name, a value for each of the
            basic players (columns), and a description.
        action_value: compiled ``(t, s, player, action, prepared, w) -> float``; `s` is redacted for `player`.
        sources: the source files of `action_value`, besides those of the game.
        jit: their compiler.
        prepare: compiled ``(t, s, player, w)``; its result is passed to `action_value` with every action.

    Attributes:
        names: of the weights.
    """

    def __init__(
        self,
        game: str,
        weights: Sequence[tuple[Any, ...]],
        action_value: Callable[..., Any],
        sources: tuple[Path, ...],
        jit: Callable[[Any], Any],
        prepare: Callable[..., Any] = nothing,
    ) -> None:
        self._game = game
        self.names = tuple(str(name) for name, *_ in weights)
        self._columns: Floats = np.array([row[1:-1] for row in weights], dtype=np.float64)
        replacements = {value_action: action_value, prepare_position: prepare}
        self._choose = template.specialize(game, replacements, jit)[choose_best]
        self._sources = (*sources, Path(__file__))

    def weights(self, column: int, **changed: float) -> Floats:
        """Return the weights of a column with some values changed; float64 (len(names),).

        Raises:
            KeyError: no weight of that name.
        """
        values: Floats = self._columns[:, column].copy()
        for name, value in changed.items():
            if name not in self.names:
                raise KeyError(f"there is no weight {name!r}; there are {', '.join(self.names)}")
            values[self.names.index(name)] = value
        return values

    def policy(self, name: str, weights: npt.ArrayLike, doc: str = "") -> Policy:
        """Return a compiled policy with these weights, float64 (len(names),)."""
        return Policy(name, self._choose, np.asarray(weights), sources=self._sources, doc=doc, game=self._game)
