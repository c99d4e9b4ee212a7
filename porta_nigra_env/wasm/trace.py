"""Random games that digest the results of every kernel function after every step.

The loop runs in the module and, compiled for this machine, next to it. Equal digests mean equal bytes, and 100,000
steps take a few calls.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import later_seed, policy_below, seed_policy_rng
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import (
    determinize,
    legal,
    observe,
    points,
    privileged,
    rank,
    redact,
    reset,
    rounds,
    score,
    step,
)
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.wasm import arrays
from porta_nigra_env.wasm.arrays import (
    FLOAT32,
    INT8,
    INT32,
    INT64,
    UINT64,
    array_at,
    constants_at,
    num_words,
    state_bytes,
    states_at,
)

jit = compiler(*CORE_SOURCES, Path(__file__), Path(arrays.__file__))

_FACTOR: Final = 0x2545F4914F6CDD1D


class Traced(NamedTuple):
    """The buffers of a trace.

    states, others: (1,) of the game's dtype, the game and a copy; bits, other_bits: int64, the same memory,
    zero-padded.
    words: uint64 (num_words,).
    floats: float32 (n,), as large as an observation and a privileged vector; patterns: int64, the same memory.
    sizes: int64 (2,), of an observation and of a privileged vector.
    totals: int32 (players,); places: int8 (players,), the ranks.
    policy_rng: int64 (3,).
    progress: int64 (3,): the seed of the first game, the number of games begun, the digest.
    """

    states: Any
    bits: Any
    others: Any
    other_bits: Any
    words: Any
    floats: Any
    patterns: Any
    sizes: Any
    totals: Any
    places: Any
    policy_rng: Any
    progress: Any


#: The loop, and the exports over it.
template, exports = Template(), Template()


@jit
def digested(digest: int, values: Any, count: int) -> int:
    """Return a digest of another one and of the first `count` integers; it depends on each of them."""
    for i in range(count):
        digest = digest * _FACTOR + int(values[i])
    return digest ^ (digest >> 31)


@template
def digested_seat(constants: Any, to: Traced, digest: int, player: int, number: int) -> int:
    """Digest the observation, the redacted state and a determinization of one seat."""
    observe(constants, to.states, 0, player, to.floats[: to.sizes[0]])
    digest = digested(digest, to.patterns, (int(to.sizes[0]) + 1) // 2)
    copy_row(to.others, 0, to.states, 0)
    redact(constants, to.others, 0, player)
    digest = digested(digest, to.other_bits, to.other_bits.shape[0])
    determinize(constants, to.others, 0, player, later_seed(int(to.progress[0]), number + 1))
    return digested(digest, to.other_bits, to.other_bits.shape[0])


@template
def digested_table(constants: Any, to: Traced, digest: int, players: int) -> int:
    """Digest the results that do not depend on a seat: state, legal actions, privileged vector, scores."""
    digest = digested(digest, to.bits, to.bits.shape[0])
    legal(constants, to.states, 0, to.words)
    for i in range(to.words.shape[0]):
        digest = digest * _FACTOR + int(np.int64(to.words[i]))
    privileged(constants, to.states, 0, to.floats[: to.sizes[1]])
    digest = digested(digest, to.patterns, (int(to.sizes[1]) + 1) // 2)
    score(constants, to.states, 0, to.totals)
    digest = digested(digest, to.totals, players)
    rank(constants, to.states, 0, to.totals, to.places)
    digest = digested(digest, to.places, players)
    points(constants, to.states, 0, to.totals)
    return digested(digest, to.totals, players) ^ int(rounds(constants, to.states, 0))


@template
def play_trace(constants: Any, to: Traced, decisions: int) -> None:
    """Play `decisions` random steps, game after game, from the end of the last call."""
    players = to.totals.shape[0]
    progress = to.progress
    for number in range(decisions):
        if progress[1] == 0 or to.states[0]["current_player"] < 0:
            seed = later_seed(int(progress[0]), int(progress[1]))
            reset(constants, to.states, 0, seed, players)
            seed_policy_rng(to.policy_rng, seed)
            progress[1] += 1
        digest = digested_table(constants, to, int(progress[2]), players)
        for player in range(players):
            digest = digested_seat(constants, to, digest, player, number)
        progress[2] = digest
        if to.states[0]["current_player"] >= 0:
            action = bits.select(to.words, policy_below(to.policy_rng, bits.count(to.words)))
            step(constants, to.states, 0, action)


def aligned(size: int) -> int:
    """Return a number of bytes rounded up to whole words."""
    return (size + 15) & ~15


@exports
def trace_bytes(players: int, observation: int, everything: int) -> int:
    """Return the bytes of memory for `trace`; they must be zero at first."""
    return 2 * aligned(state_bytes()) + 8 * num_words() + aligned(4 * max(observation, everything)) + 5 * players + 64


@exports
def trace(
    constants: int, memory: int, players: int, observation: int, everything: int, decisions: int, progress: int
) -> None:
    """Digest random games, to compare machines: `Traced.progress`, int64 (3,), resumes from call to call.

    observation, everything: sizes of an observation and of a privileged vector.
    """
    state = aligned(state_bytes())
    size = aligned(4 * max(observation, everything))
    floats = memory + 2 * state
    words = floats + size
    sizes = words + 8 * num_words()
    policy_rng = sizes + 16
    totals = policy_rng + 24
    to = Traced(
        states_at(memory, 1),
        array_at(memory, INT64, ((state_bytes() + 7) // 8,)),
        states_at(memory + state, 1),
        array_at(memory + state, INT64, ((state_bytes() + 7) // 8,)),
        array_at(words, UINT64, (num_words(),)),
        array_at(floats, FLOAT32, (size // 4,)),
        array_at(floats, INT64, (size // 8,)),
        array_at(sizes, INT64, (2,)),
        array_at(totals, INT32, (players,)),
        array_at(totals + 4 * players, INT8, (players,)),
        array_at(policy_rng, INT64, (3,)),
        array_at(progress, INT64, (3,)),
    )
    to.sizes[0] = observation
    to.sizes[1] = everything
    play_trace(constants_at(constants), to, decisions)


def compiled_trace(game: Game) -> Any:
    """Return `play_trace` for this machine."""
    jit = compiler(*CORE_SOURCES, *game.sources, Path(__file__), Path(arrays.__file__))
    return template.specialize(game.name, game.kernel.replacements, jit)[play_trace]


def new_traced(game: Game, seed: int) -> Traced:
    """Return the arrays of a trace from a seed, for the compiled loop."""
    words = (game.dtype.itemsize + 7) // 8
    bits, other_bits = np.zeros(words, dtype=np.int64), np.zeros(words, dtype=np.int64)
    patterns = np.zeros(aligned(4 * max(game.observations.size, game.privileged.size)) // 8, dtype=np.int64)
    size = game.dtype.itemsize
    return Traced(
        states=bits.view(np.uint8)[:size].view(game.dtype),
        bits=bits,
        others=other_bits.view(np.uint8)[:size].view(game.dtype),
        other_bits=other_bits,
        words=np.zeros(game.num_words, dtype=np.uint64),
        floats=patterns.view(np.float32),
        patterns=patterns,
        sizes=np.array([game.observations.size, game.privileged.size]),
        totals=np.zeros(game.num_players, dtype=np.int32),
        places=np.zeros(game.num_players, dtype=np.int8),
        policy_rng=np.zeros(3, dtype=np.int64),
        progress=np.array([seed, 0, 0]),
    )
