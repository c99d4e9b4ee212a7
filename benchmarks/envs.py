"""Steps per second through every environment API, next to PettingZoo's connect four with the same loop.

Every line replays recorded random games (`benchmarks.probe`), so that only the environment is measured: for PettingZoo
``reset``, then ``last`` and ``step``.  ``--pictures`` measures `render` in random games instead.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.probe import COPIES, LINES, Games, each, replay_aec
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.pettingzoo import GameAEC

#: Games at once in batches.
ROWS = 1024


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    pictures: bool = False
    """Measure steps with an ``rgb_array`` picture each, next to connect four and chess."""


def all_lines(game: Game) -> list[Line]:
    """Return every line of the table; the peer of a line makes the same copies, plays with or without wrappers, or
    has no history."""
    connect_four = import_module("pettingzoo.classic.connect_four_v3")
    games = Games(game.name, game.num_players, ROWS)
    lines = []
    for name, make in LINES.items():
        if name.startswith("State") and name != "State.apply_id":
            continue  # connect four has nothing like it
        peer = "peer env" if name.startswith(("env", "batch_env", "vector_env")) else "peer raw_env"
        peer = "batch_env" if "history" in name else peer
        peer = "peer deepcopy" if name.startswith("deepcopy") else peer
        lines.append(Line(name, make(games), peer))
    raw = connect_four.raw_env()
    raw.reset(seed=1)
    return [
        *lines,
        Line("peer env", replay_aec(connect_four.env())),
        Line("peer raw_env", replay_aec(connect_four.raw_env())),
        Line("peer deepcopy", each(copy.deepcopy, [raw] * COPIES)),
    ]


def rendering(env: Any) -> Callable[[], int]:
    """Return a function that plays ten random steps of an AEC environment, each with a picture."""
    rng = random.Random(1)
    env.reset(seed=1)

    def play() -> int:
        for _ in range(10):
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.reset(seed=rng.randrange(2**31))
                observation = env.last()[0]
            env.step(rng.choice(observation["action_mask"].nonzero()[0].tolist()))
            env.render()
        return 10

    return play


def picture_lines(game: Game) -> list[Line]:
    """Return a line for the pictures of the game and of two games of PettingZoo; the name has their size."""
    envs: dict[str, Any] = {game.name: GameAEC(game, render_mode="rgb_array")}
    for module in ("connect_four_v3", "chess_v6"):
        envs[module] = import_module(f"pettingzoo.classic.{module}").raw_env(render_mode="rgb_array")
    lines = []
    for name, env in envs.items():
        play = rendering(env)
        play()
        height, width, _ = env.render().shape
        lines.append(Line(f"{name}, {width} x {height}", play, unit="pictures"))
    return [replace(line, peer=lines[1].name) for line in lines]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    game = options.made()
    lines = picture_lines(game) if options.pictures else all_lines(game)
    measure(lines, options.seconds, options.runs)
    print(f"{game!r}; peer: PettingZoo connect_four_v3\n\n{table(lines, 'x peer')}")
    options.finish(peer="connect_four_v3", lines=figures(lines))
    return 0
