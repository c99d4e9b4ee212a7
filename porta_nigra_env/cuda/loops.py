"""The batch loops as kernels for a CUDA GPU: one thread per game.

The kernels are templates over the loops of `core.batch.batch` and `core.batch.encoding`, the same functions as on the
CPU. Where rows of results are long, a thread instead writes a few neighbouring bytes of one row, so that the threads of
a warp write to adjacent memory. This applies to masks, computed from the sets of legal actions, and to float16
observations, computed from float32.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core.batch import batch, encoding
from porta_nigra_env.core.batch.bookkeeping import ABANDONED, Games, Rows, Rules, Scratch
from porta_nigra_env.core.batch.policy import Policy, distinct
from porta_nigra_env.core.compile.jit import is_strange
from porta_nigra_env.core.compile.template import Replacements, Template
from porta_nigra_env.core.game import contract
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.cuda.compile import SIMULATED, SOURCES, cache_folder, cuda, kernel

#: Threads per row of results: a warp.
LANES: Final = 3 if SIMULATED else 32

_TO_HALVES: Final = np.float32(1 << 24)
_ROUNDED: Final = np.float32(1 << 23)


class CudaLoops(NamedTuple):
    """The kernels of a game with a chain of policies; the templates below document them."""

    begin: Any
    step: Any
    inspect: Any
    observe: Any
    privileged: Any
    redact: Any
    determinize: Any
    play: Any


#: Templates without policies, templates over a chain of policies, and kernels shared by all games.
of_game, of_policies, of_all = Template(), Template(), Template()


@of_policies
def begin(constants: Any, rows: Rows, rules: Rules, chosen: Any, fresh: bool) -> None:
    """`core.batch.batch.begin_rows`; chosen: bool (n,)."""
    row = cuda.grid(1)
    if row < rows.states.shape[0]:
        batch.begin_rows(constants, rows, rules, row, row + 1, row, chosen, fresh)


@of_policies
def step(constants: Any, rows: Rows, rules: Rules, actions: Any, chosen: Any, fresh: bool) -> None:
    """`core.batch.batch.step_rows`; actions: integers (n,), chosen: bool (n,), or (0,) if `fresh`."""
    row = cuda.grid(1)
    if row < rows.states.shape[0]:
        batch.step_rows(constants, rows, rules, row, row + 1, row, actions, chosen, fresh)


@of_game
def inspect(constants: Any, rows: Rows) -> None:
    """`core.batch.batch.inspect_rows`."""
    row = cuda.grid(1)
    if row < rows.states.shape[0]:
        batch.inspect_rows(constants, rows, row, row + 1)


@of_game
def observe(constants: Any, states: Any, bookkeeping: Any, out: Any) -> None:
    """Write the observation of each row's player to move; when the game is over, the learner's, or zeros without one.

    states: (n,); bookkeeping: (n,) of BOOKKEEPING; out: float32 or uint8 (n, observation_size), as in `contract.show`.
    """
    row = cuda.grid(1)
    if row >= states.shape[0]:
        return
    player = int(states[row]["current_player"])
    if player < 0 or bookkeeping[row]["illegal"] == ABANDONED:
        player = int(bookkeeping[row]["learner"])
    if player >= 0:
        contract.show(constants, states, row, player, out[row])
    else:
        for i in range(out.shape[1]):
            out[row, i] = 0


@of_game
def privileged(constants: Any, states: Any, out: Any) -> None:
    """Write the privileged vector of each row; out: float32 (n, privileged_size)."""
    row = cuda.grid(1)
    if row < states.shape[0]:
        contract.privileged(constants, states, row, out[row])


@of_game
def redact(constants: Any, states: Any, rows: Any, players: Any, out: Any) -> None:
    """Write to ``out[i]`` the state of row ``rows[i]``, redacted for ``players[i]``; all (k,)."""
    i = cuda.grid(1)
    if i < rows.shape[0]:
        batch.redact_rows(constants, states, rows[i : i + 1], players[i : i + 1], out[i : i + 1])


@of_game
def determinize(constants: Any, states: Any, players: Any, seeds: Any) -> None:
    """Redraw in each of the states (k,) the information hidden from its player.

    players: int8 (k,); seeds: int64 (k,).
    """
    i = cuda.grid(1)
    if i < states.shape[0]:
        contract.determinize(constants, states, i, int(players[i]), int(seeds[i]))


@of_policies
def play(constants: Any, games: Games, scratch: Scratch, players: int, faults: Any) -> None:
    """`core.batch.batch.play_games`, one thread per game.

    scratch: states (n,), visible states (2 n, 1), words (n, num_words) and policy RNGs (n, 3).
    faults: int32 (1,), 1 + the index of a game in which a policy returned an illegal action.
    """
    i = cuda.grid(1)
    if i < games.seeds.shape[0]:
        visible = scratch.visible[2 * i : 2 * i + 2]
        own = Scratch(scratch.states[i : i + 1], visible, scratch.words[i], scratch.policy_rng[i])
        if batch.play_games(constants, games, own, players, i, i + 1) >= 0:
            faults[0] = i + 1


# -- shared by all games


@of_all
def show_masks(words: Any, out: Any) -> None:
    """Unpack sets of legal actions, uint64 (n, k), to zeros and ones, int8 (n, num_actions), LANES threads a row."""
    row, lane = cuda.grid(1) // LANES, cuda.grid(1) % LANES
    if row < words.shape[0]:
        for action in range(lane, out.shape[1], LANES):
            out[row, action] = (words[row, action >> 6] >> np.uint64(action & 63)) & np.uint64(1)


@of_all
def show_halves(wide: Any, patterns: Any, out: Any) -> None:
    """`core.batch.encoding.to_halves`, LANES threads a row, without numpy's `rint`, which is not available on a GPU."""
    row, lane = cuda.grid(1) // LANES, cuda.grid(1) % LANES
    if row < wide.shape[0]:
        for i in range(lane, out.shape[1], LANES):
            pattern = int(patterns[row, i])
            normal = (pattern - (112 << 23) + 0xFFF + ((pattern >> 13) & 1)) >> 13
            # Floats of this size have no fractional digits: adding it rounds to nearest, ties to even.
            small = int((wide[row, i] * _TO_HALVES + _ROUNDED) - _ROUNDED)
            out[row, i] = min(normal, 0x7C00) if pattern >= 113 << 23 else small


@of_all
def sample(words: Any, current: Any, policy_rng: Any, actions: Any) -> None:
    """`core.batch.encoding.sample`."""
    row = cuda.grid(1)
    if row < words.shape[0]:
        encoding.sample(words, current, policy_rng, actions, row, row + 1)


@of_all
def check(words: Any, current: Any, actions: Any, bookkeeping: Any, found: Any) -> None:
    """Find the first row with an illegal action and the first row in which a policy returned one.

    found: int64 (2,), initially n; actions: (n,), or (0,) to check the policies only.
    """
    row = cuda.grid(1)
    if row >= words.shape[0]:
        return
    if actions.shape[0] > 0 and encoding.first_illegal(words, current, actions, row, row + 1) >= 0:
        cuda.atomic.min(found, 0, row)
    if bookkeeping[row]["fault"] > 0:
        cuda.atomic.min(found, 1, row)


@lru_cache
def shared_kernels() -> dict[str, Any]:
    """Return the kernels shared by all games, by name."""
    folder = cache_folder()
    compiled = of_all.specialize("all", {}, lambda function: kernel(function, folder))
    return {function.__name__: compiled[function] for function in of_all.functions}


def shared(name: str) -> Any:
    """Return one of the kernels shared by all games."""
    return shared_kernels()[name]


def _folders(game: Game, policies: Sequence[Policy]) -> tuple[Path | None, Path | None]:
    """Return the cache folders of a game's kernels without and with policies.

    Functions that no digest of sources identifies, such as a policy in a notebook cell, have no folder.
    """

    if SIMULATED:
        return None, None

    def folder(functions: Iterable[Any], paths: Sequence[Path]) -> Path | None:
        named = frozenset(path.resolve() for path in (*SOURCES, *paths))
        return None if any(is_strange(function, named) for function in functions) else cache_folder(*paths)

    further = dict.fromkeys(path for policy in policies for path in policy.sources)
    chosen = [policy.choose for policy in policies]
    return folder(game.kernel, game.sources), folder((*game.kernel, *chosen), (*game.sources, *further))


_COMPILED: dict[tuple[Any, ...], CudaLoops] = {}


def compile_kernels(game: Game, policies: Sequence[Policy], raw: bool = False) -> CudaLoops:
    """Return the kernels of a game and a chain of at least one policy; each is compiled when it is first launched.

    raw: true to show raw quantities, uint8.
    """
    policies = distinct(policies)
    key = (game.kernel, raw, tuple(policy.choose for policy in policies))
    if key not in _COMPILED:
        # These loops show nothing: the observations of `Rows` are empty, `observe` below writes those of the batch.
        loops = batch.compile_batch(game, policies)
        replacements: Replacements = {
            **game.kernel.replacements,
            contract.show: batch.shown(game, raw),
            batch.begin_rows: loops.begin,
            batch.step_rows: loops.step,
            batch.inspect_rows: loops.inspect,
            batch.redact_rows: loops.redact_rows,
            batch.play_games: loops.play,
        }
        own, with_policies = _folders(game, policies)
        compiled = {
            **of_game.specialize(game.name, replacements, lambda function: kernel(function, own)),
            **of_policies.specialize(game.name, replacements, lambda function: kernel(function, with_policies)),
        }
        functions = (begin, step, inspect, observe, privileged, redact, determinize, play)
        _COMPILED[key] = CudaLoops(*(compiled[function] for function in functions))
    return _COMPILED[key]
