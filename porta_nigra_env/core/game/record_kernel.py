"""A game's verbs out of functions of records.

A kernel is written in functions of two records, its tables and one state.  Everything else calls verbs, which take
``(constants, states, row, ...)``, the table array (1,) and a batch of states (n,): a bare record costs microseconds to
hand over from Python, an array and a row number a fraction of one.  The functions below are templates, as those of
`core.batch.loops`: the names ending in ``_record`` stand for a room's functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from porta_nigra_env.core.compile.jit import bind
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.game.results import no_points, no_rounds, rank_by_totals


class Records(NamedTuple):
    """A room's compiled functions of records; `t` is the tables' record, `s` the state's.

    reset(t, s, seed, num_players), step(t, s, action), legal(t, s, words), observe(t, s, player, out),
    determinize(t, s, player, seed), redact(s, player), privileged(t, s, out): as the verbs of `core.game.kernel.Kernel`.
    sheet(t, s, sheet): points as if the game ended now, int32 (players, columns), columns that the room chooses; with
        one column, their sums.
    points: field of the state, by seats, with the points that everybody knows before the end; None without such.
    rounds: field of the state with the number of the round, from 1; None for a game without rounds.
    """

    reset: Callable[..., Any]
    step: Callable[..., Any]
    legal: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    redact: Callable[..., Any]
    privileged: Callable[..., Any]
    sheet: Callable[..., Any]
    points: str | None = "vp"
    rounds: str | None = "round"


# Stand-ins, replaced by `bind_verbs`; calling one of them is a mistake in this module.
def step_record(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a room's function")


reset_record = legal_record = observe_record = determinize_record = redact_record = step_record
privileged_record = sheet_record = step_record
points_field = rounds_field = ""


def _reset(constants: Any, states: Any, row: int, seed: int, num_players: int) -> None:
    reset_record(constants[0], states[row], seed, num_players)


def _step(constants: Any, states: Any, row: int, action: int) -> None:
    step_record(constants[0], states[row], action)


def _legal(constants: Any, states: Any, row: int, words: Any) -> None:
    legal_record(constants[0], states[row], words)


def _observe(constants: Any, states: Any, row: int, player: int, out: Any) -> None:
    observe_record(constants[0], states[row], player, out)


def _determinize(constants: Any, states: Any, row: int, player: int, seed: int) -> None:
    determinize_record(constants[0], states[row], player, seed)


def _score(constants: Any, states: Any, row: int, totals: Any) -> None:
    sheet_record(constants[0], states[row], totals.reshape((totals.shape[0], 1)))


def _redact(constants: Any, states: Any, row: int, player: int) -> None:
    redact_record(states[row], player)


def _privileged(constants: Any, states: Any, row: int, out: Any) -> None:
    privileged_record(constants[0], states[row], out)


def _points(constants: Any, states: Any, row: int, out: Any) -> None:
    for seat in range(out.shape[0]):
        out[seat] = states[row][points_field][seat]


def _rounds(constants: Any, states: Any, row: int) -> int:
    return int(states[row][rounds_field])


def _score_sheet(constants: Any, states: Any, row: int, sheet: Any) -> None:
    sheet_record(constants[0], states[row], sheet)


class RecordKernel(NamedTuple):
    """What `bind_verbs` makes: the kernel, and ``score_sheet(constants, states, row, sheet)``."""

    kernel: Kernel
    score_sheet: Callable[..., Any]


def bind_verbs(
    game: str, records: Records, jit: Callable[[Any], Any], rank: Callable[..., Any] = rank_by_totals
) -> RecordKernel:
    """The verbs over `records`; `jit` is the game's compiler, `rank` the game's verb of that name."""
    stand_ins = {f"{name}_record": function for name, function in records._asdict().items() if callable(function)}
    stand_ins |= {"points_field": records.points, "rounds_field": records.rounds}

    def bound(template: Callable[..., Any]) -> Any:
        return bind(template, game, stand_ins, jit)

    kernel = Kernel(
        reset=bound(_reset),
        step=bound(_step),
        legal=bound(_legal),
        observe=bound(_observe),
        determinize=bound(_determinize),
        score=bound(_score),
        redact=bound(_redact),
        privileged=bound(_privileged),
        rank=rank,
        points=no_points if records.points is None else bound(_points),
        rounds=no_rounds if records.rounds is None else bound(_rounds),
    )
    return RecordKernel(kernel, bound(_score_sheet))
