"""Manage the compile cache: ``python -m porta_nigra_env.cache warm``, ``show`` and ``prune``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import numba.core.event
import numpy as np
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.compile.cache_folders import KEPT, SPARED, CacheFolder, cache_root, folders, prune
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_options import BatchEnvOptions
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES, make_game

PROGRAM: Final = "python -m porta_nigra_env.cache"


@dataclass(frozen=True, kw_only=True)
class Warm:
    """Compile the code that the environments of a game use, so that your programs do not wait for it.

    The cache holds one compilation for each version of the sources, valid for all numbers of players and component
    files.  Custom policies are compiled on first use.
    """

    game: tuple[str, ...] = tuple(GAMES)
    """Games to compile; by default all."""


@dataclass(frozen=True)
class Show:
    """List the folders of the cache with their size and last use."""


@dataclass(frozen=True, kw_only=True)
class Prune:
    """Remove old folders of the cache.

    Every compilation does this as well.  A running process recompiles code that it had not loaded.
    """

    keep: int = KEPT
    """Number of most recently used folders to keep."""
    hours: float = SPARED / 3600
    """Also keep folders used within this number of hours."""


class Compilations(numba.core.event.Listener):
    """A counter of compiled functions, shown on a progress bar."""

    def __init__(self, bar: Any) -> None:
        self.bar, self.count = bar, 0

    def on_start(self, event: Any) -> None:
        self.count += 1

    def on_end(self, event: Any) -> None:
        self.bar.set_postfix(functions=self.count)


def warm_state(game: Game) -> None:
    """Compile the functions that `State` and `View` call."""
    state = State(game, game.new_states(1))
    view = state.view()
    view.sample(1)
    state.determinize(0, 1)
    state.privileged()
    state.rollout(1).returns()


def warm_environments(game: Game) -> None:
    """Compile the environments of one game, against random players."""
    raw = GameAEC(game)
    raw.reset(seed=1)
    raw.step(raw.legal_actions()[0])
    seat = SeatEnv(game, reward="points")
    _, info = seat.reset(seed=1)
    seat.step(int(info["action_mask"].argmax()))


def warm_batches(game: Game) -> None:
    """Compile `BatchEnv` with and without a learner, and its number formats."""
    kinds: list[BatchEnvOptions] = [
        {},
        {"seat": "rotate"},
        {"observations": "float16", "masks": "packed"},
        {"observations": "uint8"},
    ]
    for options in kinds:
        with BatchEnv(game, 2, **options) as games:
            games.reset(seed=1)
            games.step(games.random_actions())
            games.views()
            games.privileged()
    play_games(game, [RANDOM] * game.num_players, np.arange(2))


# numba has no type information here.
_events: Any = numba.core.event

#: The steps of `warm`, in order.
STEPS: Final[dict[str, Callable[[Game], None]]] = {
    "one game": warm_state,
    "environments": warm_environments,
    "many games": warm_batches,
}


def warm(arguments: Warm) -> None:
    """Compile the games; a terminal gets a progress bar on stderr, a log a line for each step."""
    start = time.perf_counter()
    is_terminal = sys.stderr.isatty()
    with tqdm(total=len(STEPS) * len(arguments.game), unit="step", disable=not is_terminal) as bar:
        counted = Compilations(bar)
        _events.register("numba:compile", counted)
        try:
            for name in arguments.game:
                game = make_game(name)
                for step, work in STEPS.items():
                    bar.set_description(f"{name}: {step}")
                    work(game)
                    bar.update()
                    if not is_terminal:
                        print(f"{name}: {step}, {counted.count} functions compiled", file=sys.stderr, flush=True)
        finally:
            _events.unregister("numba:compile", counted)
    summary = f"{counted.count} functions compiled" if counted.count else "nothing to compile"
    print(f"{summary} in {time.perf_counter() - start:.0f} s; the code is in {cache_root()}")


def table(cached: Sequence[CacheFolder]) -> str:
    """Return a line for each folder, last used first, and a total."""
    now = time.time()
    lines = [
        f"{folder.path.name}  {folder.size / 1e6:8.1f} MB  {(now - folder.used) / 3600:8.1f} h ago" for folder in cached
    ]
    return "\n".join([*lines, f"{len(cached)} folders, {sum(folder.size for folder in cached) / 1e6:.1f} MB"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments."""
    arguments = tyro.cli(
        Annotated[Warm, tyro.conf.subcommand("warm")]
        | Annotated[Show, tyro.conf.subcommand("show")]
        | Annotated[Prune, tyro.conf.subcommand("prune")],
        args=argv,
        prog=PROGRAM,
        description=f"Manage the compile cache in {cache_root()}; set PORTA_NIGRA_CACHE_DIR to use another folder.",
    )
    try:
        if isinstance(arguments, Warm):
            warm(arguments)
        elif isinstance(arguments, Prune):
            if arguments.keep < 0 or arguments.hours < 0:
                raise ValueError("--keep and --hours must not be negative")
            print(f"removed:\n{table(prune(cache_root(), arguments.keep, arguments.hours * 3600))}")
        else:
            print(f"{cache_root()}:\n{table(folders(cache_root()))}")
    except ValueError as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
