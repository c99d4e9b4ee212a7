"""A published network in numpy and in torch: ``python -m benchmarks inference [--game NAME] [--players N]``.

The program measures actions per second of the package's numpy player and of torch with the same weights, for single
views and batches of 64.  It also measures the steps per second of a learner in 64 games against the network.
``OMP_NUM_THREADS=1`` in the environment gives both libraries one thread, which is fairer on a busy machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.envs import Way, measure
from benchmarks.options import Repeated, Seated, Timed, read, refuse
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.players.network import published_player

#: Batch sizes.
SIZES = (1, 64)
#: Steps before the views.
AGE = 60


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""


def views_of(game: Game, size: int) -> BatchView:
    """Return views of a batch of games."""
    env = BatchEnv(game, size)
    env.reset(seed=1)
    for _ in range(AGE):
        env.step(env.random_actions())
    return env.views()


def acting(player: Any, views: BatchView) -> Callable[[], int]:
    """Return a function that acts on the same views."""

    def play() -> int:
        player.act_batch(views)
        return len(views)

    return play


def learning(game: Game, player: Any, size: int) -> Callable[[], int]:
    """Return a function that steps a learner, with first legal actions, against the network."""
    env = BatchEnv(game, size, seat="rotate", opponents=player)
    env.reset(seed=1)

    def play() -> int:
        env.step(env.action_masks.argmax(axis=1))
        return size

    return play


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; invalid arguments exit with 2, a missing torch with 1."""
    about = "Measure a published network in numpy and in torch."
    options = read(Arguments, "inference", about, argv)
    try:
        import torch

        from agents.networks.network import load_network
        from agents.networks.neural import NetworkAgent
    except ImportError as error:
        print(f"{error}: torch is needed to compare with; make .venv/dev", file=sys.stderr)
        return 1
    game = options.made()
    file = game.networks().get(game.num_players)
    if file is None:
        refuse("inference", f"--game: no network is published for {game.name} with {game.num_players} players")
    players = {"numpy": published_player(game), "torch": NetworkAgent("torch", game, load_network(file, game))}
    lines = []
    for size in SIZES:
        views = views_of(game, size)
        lines += [
            Way(
                f"decisions, {name}, batch {size}",
                "decisions",
                acting(player, views),
                f"decisions, torch, batch {size}",
            )
            for name, player in players.items()
        ]
    size = SIZES[-1]
    lines += [
        Way(
            f"steps against it, {name}, {size} games",
            "steps",
            learning(game, player, size),
            f"steps against it, torch, {size} games",
        )
        for name, player in players.items()
    ]
    measure(lines, options.seconds, options.runs)
    rates = {line.name: line.rate for line in lines}
    print(f"{game!r}, the published network {file.stem}")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print(f"{'':<38}{'a second':>12}{'us each':>10}{'spread':>9}{'x torch':>9}")
    for line in lines:
        spread = (max(line.rates) - min(line.rates)) / line.rate
        ratio = line.rate / rates[line.peer]
        print(f"{line.name:<38}{line.rate:>12,.0f}{1e6 / line.rate:>10.2f}{spread:>9.0%}{ratio:>9.2f}")
    print(f"\n{machine_lines()}\ntorch {torch.__version__}, {torch.get_num_threads()} threads")
    if options.json:
        figures = [{"name": line.name, "per_second": line.rate, "rates": line.rates} for line in lines]
        write_json(options.json, {"benchmark": "inference", **options.settings(), "lines": figures})
    return 0
