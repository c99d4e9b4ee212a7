"""Cases played with both batches, on the CPU and on a GPU, and digests of their outputs."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES, game_entry, make_game
from tests.envs.probes import LOWEST, WATCHFUL
from tests.toys.dice.game import Dice
from tests.toys.kuhn.game import Kuhn

#: Constructor of a batch: `BatchEnv` or `GpuBatchEnv`.
Make = Callable[..., Any]
#: Outputs compared after every step.
SHOWN: Final = ("states", "observations", "action_masks", "rewards", "terminated", "current_player", "final_scores",
                "final_places", "final_observations")  # fmt: skip


def on_host(array: Any) -> Any:
    """Return an array of the CPU or of a GPU as a numpy array."""
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


def digest_of(make: Make, game: Game, num_envs: int, steps: int | None, seed: int, **options: Any) -> str:
    """Return the SHA-256 of all outputs of random games after every step.

    Without `steps`, play until every row has finished a game. The first digits of the digest after each step follow, to
    locate the first difference.
    """
    env = make(game, num_envs, **options)
    env.reset(seed=seed)
    digest, ended = hashlib.sha256(), np.zeros(num_envs, dtype=np.bool_)
    trace = []
    for _ in range(10_000 if steps is None else steps):
        for name in SHOWN:
            digest.update(np.ascontiguousarray(on_host(getattr(env, name))).tobytes())
        trace.append(digest.hexdigest()[:2])
        ended |= on_host(env.terminated)
        if steps is None and ended.all():
            break
        env.step(env.random_actions())
    digest.update(on_host(env.privileged()).tobytes())
    views = env.views()
    for array in (views.players, views.observations, views.action_masks, views.states):
        digest.update(array.tobytes())
    return f"{digest.hexdigest()} {len(trace)} {''.join(trace)}"


def whole_games(make: Make, name: str, players: int) -> str:
    """Play whole games, with a different batch size for each number of players."""
    return digest_of(make, make_game(name, players), 1 + players % 2, None, 5 + players)


def formats(make: Make) -> str:
    """Compare number formats of observations and masks."""
    digests = [digest_of(make, Dice(4), 3, 40, 1, observations=kind) for kind in ("uint8", "float16", "none")]
    return "\n".join([*digests, *(digest_of(make, Dice(2), 2, 40, 1, masks=kind) for kind in ("packed", "none"))])


def halves() -> tuple[Any, Any]:
    """Return float16 values of every kind and their midpoints, float32 (1, k), and an output array for them."""
    patterns = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    between = (patterns[1:] + patterns[:-1]) / 2
    numbers = np.concatenate([patterns, between, np.nextafter(between, 0), np.nextafter(between, 9e4), [1e5]])
    numbers = numbers[:: max(1, len(numbers) // 3000)].astype(np.float32)[None]
    return numbers, np.zeros(numbers.shape, dtype=np.uint16)


def learners(make: Make) -> str:
    """Compare a learner's seat among compiled policies, autoreset modes and rewards."""
    opponents = [LOWEST, WATCHFUL, RANDOM]
    return "\n".join([
        digest_of(make, Dice(4), 3, 40, 1, seat="rotate", opponents=opponents, reward="points"),
        digest_of(make, Dice(4), 3, 40, 2, seat="random", autoreset_mode="next_step", reward="margin"),
        digest_of(make, Dice(4), 2, 40, 2, seat=1, opponents={0: LOWEST}, autoreset_mode="disabled"),
    ])  # fmt: skip


def illegal(make: Make) -> str:
    """Compare illegal actions, which end their games while others continue."""
    env = make(Dice(3), 4, illegal_action="terminate", autoreset_mode="next_step")
    env.reset(seed=3)
    digest = hashlib.sha256()
    for number in range(30):
        actions = on_host(env.random_actions()).copy()
        actions[number % 4] = number - 4
        env.step(actions)
        digest.update(b"".join(on_host(getattr(env, name)).tobytes() for name in SHOWN))
    return digest.hexdigest()


def resumed(make: Make) -> str:
    """Compare new games in some rows, games from positions, other opponents, loaded states and snapshots."""
    env = make(Dice(3), 3, seat="rotate", opponents=LOWEST)
    position = Dice(3).position(Dice(3).new_states(9))
    digest = hashlib.sha256()
    env.load(position, seed=4)
    env.step(env.random_actions())
    env.load([position], rows=[1])
    env.reset(rows=[0, 2])
    env.set_opponents(RANDOM, rows=[2])
    env.reset(seed=[7, 8, 9], rows=[1])
    for _ in range(10):
        env.step(env.random_actions())
    with np.load(io.BytesIO(env.snapshot())) as saved:
        # Compare by field: padding bytes of the bookkeeping are undefined.
        digest.update(repr([saved[name].tolist() for name in saved.files]).encode())
    other = make(Dice(3), 3, seat="rotate", opponents=LOWEST)
    other.set_opponents(RANDOM)
    other.restore(env.snapshot())
    other.step(other.random_actions())
    digest.update(b"".join(on_host(getattr(other, name)).tobytes() for name in SHOWN))
    return digest.hexdigest()


def determinized(make: Make) -> str:
    """Compare determinizations of every row."""
    env = make(Dice(4), 3)
    env.reset(seed=2)
    digest = hashlib.sha256()
    for _ in range(12):
        env.step(env.random_actions())
        seeds = np.arange(10, 13)
        if isinstance(env, BatchEnv):
            views = env.views()
            redrawn = [views.sample(i, int(seed)) for i, seed in enumerate(seeds)]
            digest.update(views.states.tobytes() + b"".join(state.tobytes() for state in redrawn))
        else:
            states, players = env.redacted()
            digest.update(on_host(states).tobytes())
            env.determinize(states, players, seeds)
            digest.update(on_host(states).tobytes())
    return digest.hexdigest()


def playouts(play: Callable[..., Any]) -> str:
    """Compare whole games of compiled policies, from their setups and from a state."""
    game, digest = Dice(3), hashlib.sha256()
    ends = np.zeros(6, dtype=game.dtype)
    for starts in (None, game.new_states(5)):
        played = play(game, [RANDOM, WATCHFUL, LOWEST], range(6), ends=ends, starts=starts)
        digest.update(b"".join(array.tobytes() for array in (*played, ends)))
    short = play(Kuhn(), [RANDOM, RANDOM], [3], limit=1)
    digest.update(b"".join(array.tobytes() for array in short))
    return digest.hexdigest()


def case(name: str, make: Make, play: Callable[..., Any]) -> str:
    """Play a case by name: one of the functions above, or ``GAME/PLAYERS`` for whole games."""
    if "/" in name:
        game, players = name.split("/")
        return whole_games(make, game, int(players))
    if name == "playouts":
        return playouts(play)
    cases = {
        "formats": formats,
        "learners": learners,
        "illegal": illegal,
        "resumed": resumed,
        "determinized": determinized,
    }
    return cases[name](make)


OPTIONS: Final = ("formats", "learners", "illegal", "resumed", "determinized", "playouts")
WHOLE: Final = tuple(f"{name}/{players}" for name in GAMES for players in game_entry(name).seats)


def on_cpu(name: str) -> str:
    """Play a case on the CPU."""
    return case(name, BatchEnv, play_games)
