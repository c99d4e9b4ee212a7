"""A published network in numpy and in torch.

The program measures actions per second of the package's numpy player and of torch with the same weights, for single
views and batches of 64.  It also measures the steps per second of a learner in 64 games against the network.
``OMP_NUM_THREADS=1`` in the environment gives both libraries one thread, which is fairer on a busy machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, read
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.players.published import published_player

#: Batch sizes.
SIZES = (1, 64)
#: Steps before the views.
AGE = 60


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""


def acting(game: Game, player: Any, size: int) -> Callable[[], int]:
    """Return a function that acts on the same views of a batch of games."""
    env = BatchEnv(game, size)
    env.reset(seed=1)
    for _ in range(AGE):
        env.step(env.random_actions())
    views = env.views()

    def play() -> int:
        player.act_batch(views)
        return size

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
    """Run the command line."""
    options = read(Arguments, argv)
    from agents.networks.network import load_network
    from agents.networks.neural import NetworkAgent

    game = options.made()
    file = game.published()
    if file is None:
        options.refuse(f"--game: no network is published for {game.name} with {game.num_players} players")
    players = {
        "torch": NetworkAgent("torch", game, load_network(file, game).for_game(game)),
        "numpy": published_player(game),
    }
    kinds = [(f"actions, batch {size}", acting, size) for size in SIZES]
    kinds.append((f"steps against it, {SIZES[-1]} games", learning, SIZES[-1]))
    lines = [
        Line(f"{name}, {kind}", work(game, player, size), f"{name}, torch")
        for name, work, size in kinds
        for kind, player in players.items()
    ]
    measure(lines, options.seconds, options.runs)
    print(f"{game!r}, the published network {file.stem}\n\n{table(lines, 'x torch')}")
    options.finish(lines=figures(lines))
    return 0
