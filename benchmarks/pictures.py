"""Pictures per second next to PettingZoo's connect four and chess, which draw with pygame.

Random games of `raw_env` with ``render_mode="rgb_array"``: only `render` is measured, after every step, and all
environments take turns in the same run.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import numpy as np

from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.pettingzoo import GameAEC

#: PettingZoo's environments in the table.
PEERS: Final = {"PettingZoo connect four": "connect_four_v3", "PettingZoo chess": "chess_v6"}


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""


def renderer(env: Any, seed: int = 1) -> Callable[[float], tuple[int, float]]:
    """Return a function that plays until `render` has taken the given seconds; it returns the count and the seconds."""
    rng = random.Random(seed)
    env.reset(seed=seed)

    def play(seconds: float) -> tuple[int, float]:
        count, spent = 0, 0.0
        while spent < seconds:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset(seed=rng.randrange(2**31))
                continue
            env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))
            start = time.perf_counter()
            env.render()
            spent += time.perf_counter() - start
            count += 1
        return count, spent

    return play


def measure(game: Game, seconds: float, repeats: int) -> dict[str, dict[str, Any]]:
    """Return the median rate and the picture shape of the game and of PettingZoo's, by name; one second is a warm-up.

    Raises:
        ImportError: pygame or chess is not installed.
    """
    envs: dict[str, Any] = {f"{game.name}, {game.num_players} players": GameAEC(game, render_mode="rgb_array")}
    for name, module in PEERS.items():
        envs[name] = import_module(f"pettingzoo.classic.{module}").raw_env(render_mode="rgb_array")
    plays = {name: renderer(env) for name, env in envs.items()}
    rates: dict[str, list[float]] = {name: [] for name in envs}
    for play in plays.values():
        play(min(1.0, seconds))
    for _ in range(repeats):
        for name, play in plays.items():
            count, spent = play(seconds)
            rates[name].append(count / spent)
    return {
        name: {"rate": statistics.median(rates[name]), "rates": rates[name], "shape": list(env.render().shape)}
        for name, env in envs.items()
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments, 1 without the packages of the peers."""
    options = read(Arguments, "pictures", "Measure pictures per second next to PettingZoo's games.", argv)
    try:
        figures = measure(options.made(), options.seconds, options.runs)
    except ImportError as error:
        print(f"{error}: PettingZoo's games need pygame and chess; make .venv/dev", file=sys.stderr)
        return 1
    own = next(iter(figures.values()))["rate"]
    print(f"{'pictures a second':<36}{'median':>10}{'lowest':>10}{'this / it':>11}   size")
    for name, line in figures.items():
        height, width, _ = line["shape"]
        print(
            f"{name:<36}{line['rate']:>10.0f}{min(line['rates']):>10.0f}{own / line['rate']:>11.2f}"
            f"   {width} x {height}"
        )
    print(machine_lines())
    if options.json:
        write_json(options.json, {"benchmark": "pictures", **options.settings(), "lines": figures})
    return 0
