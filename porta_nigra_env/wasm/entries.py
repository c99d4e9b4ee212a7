"""The functions that a module exports: a game's verbs and policies over addresses of the module's memory.

Everything is a 32-bit integer, since a 64-bit one at the border to JavaScript costs five times the whole call; a seed
comes as its low and high half.  The functions are templates: the names that stand below as stand-ins are a game's own
(`entries_of`).  An address is where an array begins; whoever calls lays memory out, by the sizes in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from porta_nigra_env.core.arrays import bits, rng
from porta_nigra_env.core.batch.policy import RANDOM, Policy, chain
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.drawing.draw_list import COLUMNS
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm.arrays import FLOAT32, FLOAT64, INT8, INT32, INT64, UINT64, array_at
from porta_nigra_env.wasm.forward import FORWARD
from porta_nigra_env.wasm.trace import TRACE, bound_trace


# Stand-ins, replaced by `entries_of`; calling one of them is a mistake in this module.
def stand_in(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a game's function")


reset = step = legal = observe = determinize = score = redact = privileged = rank = points = rounds = ask = paint = (
    stand_in
)
TABLES = STATE = np.dtype([("num_players", np.int8)])
NUM_WORDS = CANVAS_ROWS = CANVAS_COLUMNS = 1


def joined(low: Any, high: Any) -> int:
    """The seed of its halves."""
    return (int(high) << 32) | (int(low) & 0xFFFFFFFF)


def _reset(constants: int, state: int, low: int, high: int, players: int) -> None:
    reset(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, joined(low, high), players)


def _step(constants: int, state: int, action: int) -> None:
    step(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, action)


def _legal(constants: int, state: int, words: int) -> None:
    legal(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, array_at(words, UINT64, (NUM_WORDS,)))


def _legal_ids(constants: int, state: int, words: int, ids: int) -> int:
    """The ids of the legal actions, ascending, int32, and their number; `words` is scratch."""
    found = array_at(words, UINT64, (NUM_WORDS,))
    legal(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, found)
    count = 0
    out = array_at(ids, INT32, (64 * NUM_WORDS,))
    while True:
        action = bits.take_lowest(found)
        if action < 0:
            return count
        out[count] = action
        count += 1


def _observe(constants: int, state: int, player: int, out: int, size: int) -> None:
    found = array_at(out, FLOAT32, (size,))
    observe(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, player, found)


def _privileged(constants: int, state: int, out: int, size: int) -> None:
    privileged(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, array_at(out, FLOAT32, (size,)))


def _determinize(constants: int, state: int, player: int, low: int, high: int) -> None:
    determinize(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, player, joined(low, high))


def _redact(constants: int, state: int, player: int) -> None:
    redact(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0, player)


def _score(constants: int, state: int, totals: int) -> None:
    states = array_at(state, STATE, (1,))
    score(array_at(constants, TABLES, (1,)), states, 0, array_at(totals, INT32, (int(states[0]["num_players"]),)))


def _rank(constants: int, state: int, totals: int, places: int) -> None:
    """Totals as of `score`, and the places that follow from them."""
    states = array_at(state, STATE, (1,))
    players = int(states[0]["num_players"])
    found = array_at(totals, INT32, (players,))
    score(array_at(constants, TABLES, (1,)), states, 0, found)
    rank(array_at(constants, TABLES, (1,)), states, 0, found, array_at(places, INT8, (players,)))


def _points(constants: int, state: int, out: int) -> None:
    states = array_at(state, STATE, (1,))
    points(array_at(constants, TABLES, (1,)), states, 0, array_at(out, INT32, (int(states[0]["num_players"]),)))


def _rounds(constants: int, state: int) -> int:
    return int(rounds(array_at(constants, TABLES, (1,)), array_at(state, STATE, (1,)), 0))


def _current_player(state: int) -> int:
    return int(array_at(state, STATE, (1,))[0]["current_player"])


def _seed_chance(policy_rng: int, low: int, high: int) -> None:
    """What policies draw from, int64 (3,), from a seed."""
    rng.seed_policy_rng(array_at(policy_rng, INT64, (3,)), joined(low, high))


def _later_seed(low: int, high: int, number: int, out: int) -> None:
    """The seed of the game `number` after the one of a seed, int32 (2,): its low and high half."""
    seed = rng.later_seed(joined(low, high), number)
    halves = array_at(out, INT32, (2,))
    halves[0] = seed & 0xFFFFFFFF
    halves[1] = seed >> 32


def _choose(
    policy: int, constants: int, state: int, parameters: int, count: int, policy_rng: int, words: int, scratch: int
) -> int:
    """The action that a policy chooses for the player to move; -1 when the game is over.

    It reads a copy without what the player cannot know: in `scratch`, as large as a state.  `words` is scratch too.
    parameters: float64 (count,), of the policy.
    """
    states, seen = array_at(state, STATE, (1,)), array_at(scratch, STATE, (1,))
    player = int(states[0]["current_player"])
    if player < 0:
        return -1
    copy_row(seen, 0, states, 0)
    given, found = array_at(constants, TABLES, (1,)), array_at(words, UINT64, (NUM_WORDS,))
    redact(given, seen, 0, player)
    legal(given, seen, 0, found)
    return int(
        ask(
            policy, given, seen, 0, player, found, array_at(parameters, FLOAT64, (count,)),
            array_at(policy_rng, INT64, (3,)),
        )
    )  # fmt: skip


def _draw(constants: int, state: int, viewer: int, canvas: int) -> None:
    """The drawing of a state, which is redacted for the viewer, or of everything for -1 (`core.drawing.draw_list`).

    canvas: int32 (rows + 1, columns), as many rows as the drawing may have.
    """
    rows = array_at(canvas, INT32, (CANVAS_ROWS, CANVAS_COLUMNS))
    rows[0, 0] = 0
    paint(array_at(constants, TABLES, (1,))[0], array_at(state, STATE, (1,))[0], viewer, rows)


#: Exports by their names.
_TEMPLATES = (
    _reset, _step, _legal, _legal_ids, _observe, _privileged, _determinize, _redact, _score, _rank, _points, _rounds,
    _current_player, _seed_chance, _later_seed, _choose,
)  # fmt: skip


def filled(template: Any, stand_ins: dict[str, Any]) -> Any:
    """A copy of a template that reads these instead of its module's names."""
    made = FunctionType(template.__code__, {**template.__globals__, **stand_ins}, template.__name__)
    made.__annotations__, made.__module__ = template.__annotations__, template.__module__
    return made


def policies_of(kind: type[Game]) -> dict[str, Policy]:
    """What `choose` knows by number, in this order: the random policy and those of the room."""
    return {RANDOM.name: RANDOM, **kind.policies()}


def entries_of(kind: type[Game]) -> dict[str, Callable[..., Any]]:
    """The functions that the module of a game exports, by name."""
    policies = list(policies_of(kind).values())
    stand_ins = {
        **kind.kernel._asdict(),
        "ask": chain(f"{kind.name}_wasm", policies, lambda function: function),
        "TABLES": kind().constants.dtype,
        "STATE": kind.dtype,
        "STATE_BYTES": kind.dtype.itemsize,
        "NUM_WORDS": kind.num_words,
        "trace": bound_trace(kind.kernel, filled),
    }
    templates: list[Callable[..., Any]] = [*_TEMPLATES, *TRACE]
    if (drawing := kind().drawing()) is not None:
        stand_ins |= {"paint": drawing.draw, "CANVAS_ROWS": drawing.max_rows + 1, "CANVAS_COLUMNS": len(COLUMNS)}
        templates.append(_draw)
    return {template.__name__[1:]: filled(template, stand_ins) for template in templates} | FORWARD
