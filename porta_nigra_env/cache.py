"""Machine code on disk: ``python -m porta_nigra_env.cache warm``, ``show`` and ``prune``."""

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
from porta_nigra_env.core.compile.cache import cache_root
from porta_nigra_env.core.compile.cache_folders import KEPT, SPARED, CacheFolder, folders, prune
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES, make_game

PROGRAM: Final = "python -m porta_nigra_env.cache"


@dataclass(frozen=True, kw_only=True)
class Warm:
    """Compile what the environments of a game need, so that no program of yours has to wait for it.

    The code is kept on disk: it is compiled once for a version of the sources, for all numbers of players and component
    files, and later starts only load it.  Policies of your own are compiled when you first use them.
    """

    game: tuple[str, ...] = tuple(GAMES)
    """What to compile; by default every game."""


@dataclass(frozen=True)
class Show:
    """List the folders of machine code: when each was used last, and its size."""


@dataclass(frozen=True, kw_only=True)
class Prune:
    """Remove machine code that has not been used for long.

    This also happens by itself whenever something is compiled.  Processes that are running lose nothing but time: what
    they have not loaded yet they compile anew.
    """

    keep: int = KEPT
    """Folders that stay in any case, those used last."""
    hours: float = SPARED / 3600
    """Folders used within so many hours stay as well."""


class Compilations(numba.core.event.Listener):
    """Counts the functions that are compiled, and shows their number behind a progress bar."""

    def __init__(self, bar: Any) -> None:
        self.bar, self.count = bar, 0

    def on_start(self, event: Any) -> None:
        self.count += 1
        self.bar.set_postfix(functions=self.count)

    def on_end(self, event: Any) -> None:
        self.bar.refresh()


def one_game(game: Game) -> None:
    """A game in texts: everything that `State` and `View` call."""
    state = State(game, game.new_states(1))
    view = state.view()
    view.sample(1)
    state.determinize(0, 1)
    state.privileged()
    state.rollout(1).returns()


def environments(game: Game) -> None:
    """The faces of one game, against random players."""
    raw = GameAEC(game)
    raw.reset(seed=1)
    raw.step(raw.legal_actions()[0])
    seat = SeatEnv(game, reward="points")
    _, info = seat.reset(seed=1)
    seat.step(int(info["action_mask"].argmax()))


def many_games(game: Game) -> None:
    """`BatchEnv` with and without a learner, and its number formats."""
    kinds: list[dict[str, Any]] = [{}, {"seat": "rotate"}, {"observations": "float16", "masks": "packed"}]
    for options in (*kinds, {"observations": "uint8"}):
        with BatchEnv(game, 2, **options) as games:
            games.reset(seed=1)
            games.step(games.random_actions())
            games.views()
            games.privileged()
    play_games(game, [RANDOM] * game.num_players, np.arange(2))


# numba has no type information here.
_events: Any = numba.core.event

#: What is compiled, in the order in which it is done.
STEPS: Final[dict[str, Callable[[Game], None]]] = {
    "one game": one_game,
    "environments": environments,
    "many games": many_games,
}


def warm(arguments: Warm) -> None:
    """Compile, with a bar of steps on stderr and a line of results on stdout."""
    begun = time.perf_counter()
    with tqdm(total=len(STEPS) * len(arguments.game), unit="step", file=sys.stderr) as bar:
        counted = Compilations(bar)
        _events.register("numba:compile", counted)
        try:
            for name in arguments.game:
                game = make_game(name)
                for step, work in STEPS.items():
                    bar.set_description(f"{name}: {step}")
                    work(game)
                    bar.update()
        finally:
            _events.unregister("numba:compile", counted)
    told = f"{counted.count} functions compiled" if counted.count else "nothing to compile"
    print(f"{told} in {time.perf_counter() - begun:.0f} s; the code lies in {cache_root()}")


def table(found: Sequence[CacheFolder]) -> str:
    """A line for each folder, those used last first, and one for all."""
    now = time.time()
    lines = [f"{one.path.name}  {one.size / 1e6:8.1f} MB  {(now - one.used) / 3600:8.1f} h ago" for one in found]
    return "\n".join([*lines, f"{len(found)} folders, {sum(one.size for one in found) / 1e6:.1f} MB"])


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    arguments = tyro.cli(
        Annotated[Warm, tyro.conf.subcommand("warm")]
        | Annotated[Show, tyro.conf.subcommand("show")]
        | Annotated[Prune, tyro.conf.subcommand("prune")],
        args=argv,
        prog=PROGRAM,
        description=f"Machine code on disk, here in {cache_root()}; PORTA_NIGRA_CACHE_DIR names another folder.",
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
