"""Kernel functions made of functions of records.

A game's rules are functions of two records, its constants and one state.  Kernel functions take the constants array
(1,), a batch of states (n,) and a row: handing over a bare record from Python costs microseconds, an array and a row
number a fraction of one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import Constants, ConstantsArray, State, States, Totals, Vector, Words
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.game.results import no_points, no_rounds, rank_by_totals

template = Template()

_REPLACED = "a placeholder: compile_kernel replaces it by a game's function"


class Records(NamedTuple):
    """A game's compiled functions of records; the placeholders of this module document them.

    Attributes:
        points: the state's field, by seats, with the public points before the end; None without such.
        rounds: the state's field with the number of the round, from 1; None for a game without rounds.
    """

    reset: Callable[..., Any]
    step: Callable[..., Any]
    legal: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    redact: Callable[..., Any]
    redraw: Callable[..., Any]
    privileged: Callable[..., Any]
    sheet: Callable[..., Any]
    points: str | None = "vp"
    rounds: str | None = "round"


def reset_record(t: Constants, s: State, seed: int, num_players: int) -> None:
    """`core.game.contract.reset` of records, as the functions below."""
    raise NotImplementedError(_REPLACED)


def step_record(t: Constants, s: State, action: int) -> None:
    raise NotImplementedError(_REPLACED)


def legal_record(t: Constants, s: State, words: Words) -> None:
    raise NotImplementedError(_REPLACED)


def observe_record(t: Constants, s: State, player: int, out: Vector) -> None:
    raise NotImplementedError(_REPLACED)


def determinize_record(t: Constants, s: State, player: int, seed: int) -> None:
    raise NotImplementedError(_REPLACED)


def redact_record(s: State, player: int) -> None:
    raise NotImplementedError(_REPLACED)


def redraw_record(s: State, seed: int) -> None:
    raise NotImplementedError(_REPLACED)


def privileged_record(t: Constants, s: State, out: Vector) -> None:
    raise NotImplementedError(_REPLACED)


def sheet_record(t: Constants, s: State, sheet: npt.NDArray[np.int32]) -> None:
    """Write the points as if the game ended now, int32 (players, columns).

    The game chooses the columns; with one column, it holds their sums.
    """
    raise NotImplementedError(_REPLACED)


def points_record(s: State, seat: int) -> int:
    """Return the public points of a seat."""
    raise NotImplementedError(_REPLACED)


def rounds_record(s: State) -> int:
    """Return the number of rounds begun."""
    raise NotImplementedError(_REPLACED)


@template
def reset(constants: ConstantsArray, states: States, row: int, seed: int, num_players: int) -> None:
    reset_record(constants[0], states[row], seed, num_players)


@template
def step(constants: ConstantsArray, states: States, row: int, action: int) -> None:
    step_record(constants[0], states[row], action)


@template
def legal(constants: ConstantsArray, states: States, row: int, words: Words) -> None:
    legal_record(constants[0], states[row], words)


@template
def observe(constants: ConstantsArray, states: States, row: int, player: int, out: Vector) -> None:
    observe_record(constants[0], states[row], player, out)


@template
def determinize(constants: ConstantsArray, states: States, row: int, player: int, seed: int) -> None:
    determinize_record(constants[0], states[row], player, seed)


@template
def score(constants: ConstantsArray, states: States, row: int, totals: Totals) -> None:
    sheet_record(constants[0], states[row], totals.reshape((totals.shape[0], 1)))


@template
def redact(constants: ConstantsArray, states: States, row: int, player: int) -> None:
    redact_record(states[row], player)


@template
def redraw(constants: ConstantsArray, states: States, row: int, seed: int) -> None:
    redraw_record(states[row], seed)


@template
def privileged(constants: ConstantsArray, states: States, row: int, out: Vector) -> None:
    privileged_record(constants[0], states[row], out)


@template
def points(constants: ConstantsArray, states: States, row: int, out: Totals) -> None:
    for seat in range(out.shape[0]):
        out[seat] = points_record(states[row], seat)


@template
def rounds(constants: ConstantsArray, states: States, row: int) -> int:
    return rounds_record(states[row])


@template
def score_sheet(constants: ConstantsArray, states: States, row: int, sheet: npt.NDArray[np.int32]) -> None:
    sheet_record(constants[0], states[row], sheet)


class RecordKernel(NamedTuple):
    """A game's kernel, and ``score_sheet(constants, states, row, sheet)``."""

    kernel: Kernel
    score_sheet: Callable[..., Any]


def compile_kernel(
    game: str, records: Records, jit: Callable[[Any], Any], rank: Callable[..., Any] = rank_by_totals
) -> RecordKernel:
    """Return the kernel functions over `records`; `jit` is the game's compiler."""
    points_field, rounds_field = records.points or "", records.rounds or ""

    def read_points(s: State, seat: int) -> int:
        return int(s[points_field][seat])

    def read_rounds(s: State) -> int:
        return int(s[rounds_field])

    functions = {name: function for name, function in records._asdict().items() if callable(function)}
    replacements = {globals()[f"{name}_record"]: function for name, function in functions.items()}
    replacements |= {points_record: jit(read_points), rounds_record: jit(read_rounds)}
    compiled = template.specialize(game, replacements, jit)
    kernel = {function.__name__: compiled[function] for function in template.functions if function is not score_sheet}
    if records.points is None:
        kernel["points"] = no_points
    if records.rounds is None:
        kernel["rounds"] = no_rounds
    return RecordKernel(Kernel(**kernel, rank=rank), compiled[score_sheet])
