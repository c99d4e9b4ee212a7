"""Manage compiled code: ``python -m porta_nigra_env.cache warm``, ``build``, ``show`` and ``prune``."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import numba.core.event
import numpy as np
import tyro
from tqdm import tqdm  # type: ignore[import-untyped]

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.compile.cache_folders import IN_USE, KEPT, SPARED, CacheFolder, cache_root, folders, prune
from porta_nigra_env.core.compile.prebuilt import ARCHIVES, supported_levels, write_archives
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_options import BatchEnvOptions
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES, make_game
from porta_nigra_env.players.names import names

PROGRAM: Final = "python -m porta_nigra_env.cache"


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
    """Compile the environments of one game, against each named player."""
    raw = GameAEC(game)
    raw.reset(seed=1)
    raw.step(raw.legal_actions()[0])
    for name in names(game):
        seat = SeatEnv(game, reward="points", opponents=name)
        _, info = seat.reset(seed=1)
        seat.step(int(info["action_mask"].argmax()))


def warm_batches(game: Game) -> None:
    """Compile `BatchEnv` with and without a learner, and its number formats."""
    kinds: list[BatchEnvOptions] = [{}, {"observations": "float16", "masks": "packed"}, {"observations": "uint8"}]
    kinds += [BatchEnvOptions(seat="rotate", opponents=name) for name in names(game)]
    for options in kinds:
        with BatchEnv(game, 2, **options) as games:
            games.reset(seed=1)
            games.step(games.random_actions())
            games.views()
            games.privileged()
    for policy in (RANDOM, *game.policies().values()):
        play_games(game, [policy] * game.num_players, np.arange(2))


# numba has no type information here.
_events: Any = numba.core.event

#: The steps of `warm`, in order.
STEPS: Final[dict[str, Callable[[Game], None]]] = {
    "one game": warm_state,
    "environments": warm_environments,
    "many games": warm_batches,
}


def warm(game: tuple[str, ...] = tuple(GAMES)) -> None:
    """Compile the code that the environments of a game use, so that your programs do not wait for it.

    The cache holds one compilation for each version of the sources, valid for all numbers of players and component
    files.  Custom policies are compiled on first use.  A terminal gets a progress bar, a log a line for each step.

    Args:
        game: Games to compile; by default all.
    """
    start = time.perf_counter()
    is_terminal = sys.stderr.isatty()
    with tqdm(total=len(STEPS) * len(game), unit="step", disable=not is_terminal) as bar:
        counted = Compilations(bar)
        _events.register("numba:compile", counted)
        try:
            for name, (step, work) in product(game, STEPS.items()):
                bar.set_description(f"{name}: {step}")
                work(make_game(name))
                bar.update()
                if not is_terminal:
                    print(f"{name}: {step}, {counted.count} functions compiled", file=sys.stderr, flush=True)
        finally:
            _events.unregister("numba:compile", counted)
    summary = f"{counted.count} functions compiled" if counted.count else "nothing to compile"
    places = " and ".join(sorted(map(str, IN_USE))) or cache_root()
    print(f"{summary} in {time.perf_counter() - start:.0f} s; the code is in {places}")


def build(level: tuple[str, ...] = ()) -> None:
    """Build the code of `warm` in advance into the package's folder, for all CPUs of an instruction-set level.

    Programs then load it instead of compiling, see `core.compile.prebuilt`; after an edit of the sources they compile
    again.  A second run of `warm` checks that nothing is left to compile.

    Args:
        level: Levels to build for, x86-64-v2 to v4; by default all that this CPU has.
    """
    if missing := set(level) - set(supported_levels()):
        raise ValueError(f"--level: this CPU does not run {', '.join(sorted(missing))}; it has {supported_levels()}")
    for name in level or supported_levels():
        with tempfile.TemporaryDirectory() as folder:
            caches = {game: Path(folder, game) for game in GAMES}
            for game, cache in caches.items():
                compiling = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", "PORTA_NIGRA_CACHE_DIR": str(cache)}
                _run_warm(compiling, game)  # no archive is used where numba is told the CPU
            written = write_archives(caches, name, ARCHIVES)
        with tempfile.TemporaryDirectory() as folder:
            checked = _run_warm({"PORTA_NIGRA_PREBUILT": name, "PORTA_NIGRA_CACHE_DIR": folder}, *GAMES)
        if not checked.startswith("nothing to compile"):
            raise RuntimeError(f"{name}: the archives lack code that `warm` needs: {checked}")
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.2f} MB" for path in written)
        print(f"{ARCHIVES}: {sizes}", flush=True)


def _run_warm(environment: dict[str, str], *games: str) -> str:
    """Run `warm` in a new process without settings of numba; return its summary."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    command = [sys.executable, "-m", "porta_nigra_env.cache", "warm", "--game", *games]
    done = subprocess.run(command, env=inherited | environment, stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout.strip()


def show() -> None:
    """List the folders of the cache with their size and last use."""
    print(f"{cache_root()}:\n{table(folders(cache_root()))}")


def remove(keep: int = KEPT, hours: float = SPARED / 3600) -> None:
    """Remove old folders of the cache.

    Every compilation does this as well.  A running process recompiles code that it had not loaded.

    Args:
        keep: Number of most recently used folders to keep.
        hours: Also keep folders used within this number of hours.
    """
    if keep < 0 or hours < 0:
        raise ValueError("--keep and --hours must not be negative")
    print(f"removed:\n{table(prune(cache_root(), keep, hours * 3600))}")


def table(cached: Sequence[CacheFolder]) -> str:
    """Return a line for each folder, last used first, and a total."""
    now = time.time()
    lines = [
        f"{folder.path.name}  {folder.size / 1e6:8.1f} MB  {(now - folder.used) / 3600:8.1f} h ago" for folder in cached
    ]
    return "\n".join([*lines, f"{len(cached)} folders, {sum(folder.size for folder in cached) / 1e6:.1f} MB"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments."""
    description = f"Manage the compile cache in {cache_root()}; set PORTA_NIGRA_CACHE_DIR to use another folder."
    commands: dict[str, Callable[..., None]] = {"warm": warm, "build": build, "show": show, "prune": remove}
    try:
        tyro.extras.subcommand_cli_from_dict(commands, args=argv, prog=PROGRAM, description=description)
    except (ValueError, RuntimeError, subprocess.CalledProcessError) as error:
        print(f"{PROGRAM}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
