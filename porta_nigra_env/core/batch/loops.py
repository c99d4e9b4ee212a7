"""Loops over the verbs of any game, compiled once for each game.

The functions below are templates: the names `reset`, `step`, `legal`, `observe` and `score` stand for a game's verbs
and are replaced when `bind_loops` makes a compiled copy (see `core.compile.jit.bind`).  Shapes: `states` (n,) of the game's
dtype, `words` uint64 (num_words,), `mask` int8 (num_actions,), `observation` float32 (observation_size,) or (0,) for
none, `totals` int32 (players,).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import policy_below
from porta_nigra_env.core.compile.jit import bind
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.game.kernel import Kernel

#: What `advance` is given to look at a position as it stands.
NO_ACTION: Final = -(1 << 62)


class Loops(NamedTuple):
    """The compiled loops of a game; the functions of this module without their stand-ins."""

    inspect: Callable[..., Any]
    advance: Callable[..., Any]
    playout: Callable[..., Any]
    perft: Callable[..., Any]


# Stand-ins, replaced by `bind_loops`; calling one of them is a mistake in this module.
def step(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a game's verb")


legal = observe = score = inspect = step


def _inspect(constants: Any, states: Any, row: int, words: Any, mask: Any, observation: Any, totals: Any) -> int:
    """Fill mask, observation of the player to move (if wanted) and totals of the position; returns who moves."""
    player = int(states[row]["current_player"])
    legal(constants, states, row, words)
    bits.unpack(words, mask)
    if observation.shape[0] > 0 and player >= 0:
        observe(constants, states, row, player, observation)
    if totals.shape[0] > 0:
        score(constants, states, row, totals)
    return player


def _advance(
    constants: Any, states: Any, row: int, action: int, words: Any, mask: Any, observation: Any, totals: Any
) -> int:
    """`step`, then `inspect`: everything an environment needs of one decision in one call.

    An action that is not in the mask of the present position changes nothing and gives -2.  With NO_ACTION nothing is
    carried out: one compiled function serves both, where two would take a second longer to compile.
    """
    if action == NO_ACTION:
        return inspect(constants, states, row, words, mask, observation, totals)  # type: ignore[no-any-return]
    if action < 0 or action >= mask.shape[0]:
        return -2
    legal(constants, states, row, words)
    if not bits.contains(words, action):
        return -2
    step(constants, states, row, action)
    return inspect(constants, states, row, words, mask, observation, totals)  # type: ignore[no-any-return]


def _playout(constants: Any, states: Any, row: int, words: Any, policy_rng: Any, limit: int) -> int:
    """Play uniformly random legal actions until the end or `limit` decisions; returns their number.

    chance: int64 (3,) of `core.arrays.rng.policy_below`; the game's own randomness is in its state.
    """
    decisions = 0
    while int(states[row]["current_player"]) >= 0 and decisions < limit:
        legal(constants, states, row, words)
        choices = bits.count(words)
        if choices == 0:  # a game that asks without offering anything is broken; stepping would write anywhere
            break
        step(constants, states, row, bits.select(words, policy_below(policy_rng, choices)))
        decisions += 1
    return decisions


def _perft(constants: Any, states: Any, words: Any, depth: int) -> int:
    """Number of action sequences of length `depth` (shorter where a game ends) from the position in row 0.

    states: (depth + 1,), rows 1.. are scratch; words: uint64 (depth + 1, num_words), scratch.  Chance inside an
    action is decided by the state's own randomness, so the count belongs to the position with its random state.
    """
    if depth == 0 or int(states[0]["current_player"]) < 0:
        return 1
    leaves = 0
    level = 0
    legal(constants, states, 0, words[0])
    while level >= 0:
        action = bits.take_lowest(words[level])
        if action < 0:
            level -= 1
            continue
        copy_row(states, level + 1, states, level)
        step(constants, states, level + 1, action)
        if level + 1 == depth or int(states[level + 1]["current_player"]) < 0:
            leaves += 1
        else:
            level += 1
            legal(constants, states, level, words[level])
    return leaves


def bind_loops(game: str, kernel: Kernel, jit: Callable[[Any], Any]) -> Loops:
    """The loops of this module compiled over the verbs of `kernel`; `jit` is the game's compiler."""
    verbs: dict[str, Any] = {
        "step": kernel.step,
        "legal": kernel.legal,
        "observe": kernel.observe,
        "score": kernel.score,
    }
    bound_inspect = bind(_inspect, game, verbs, jit)
    return Loops(
        inspect=bound_inspect,
        advance=bind(_advance, game, {**verbs, "inspect": bound_inspect}, jit),
        playout=bind(_playout, game, verbs, jit),
        perft=bind(_perft, game, verbs, jit),
    )
