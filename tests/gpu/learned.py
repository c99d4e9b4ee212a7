"""Learning with games on a simulated card, beside learning with those of the processor: prints what both found."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from porta_nigra_env.core.game import Game
from tests.tenants.dice.game import Dice
from training.losses import Trajectories
from training.ppo import Arguments, Training
from training.runs import CHECKPOINT


class Drawn:
    """The same numbers for both: what a collector draws for its choices."""

    def __init__(self, count: int) -> None:
        self.numbers = iter(np.random.default_rng(5).random((1000, count)))

    def random(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        found: np.ndarray[tuple[int], np.dtype[np.float64]] = next(self.numbers)
        return found


def training(games_on: str, games: list[Game]) -> Training:
    """A small run whose batch is all decisions of an iteration, so that their order means nothing."""
    arguments = Arguments(
        games_on=games_on, envs=4, steps=8, batch=32, epochs=2, width=16, blocks=1, threads=1, device="cpu",
        precision="float32", decisions=10_000, learning_rate=1e-2, pool_agents=(), evaluate=(),
    )  # fmt: skip
    return Training(arguments, games)


def main() -> None:
    """Compare an iteration on the card with one on the processor, then go on from a checkpoint."""
    games: list[Game] = [Dice(2), Dice(3)]
    ours, theirs = training("card", games), training("processor", games)
    ours.network.load_state_dict(theirs.network.state_dict())
    before = [one.clone() for one in ours.network.parameters()]
    drawn = Drawn(4)
    with mock.patch.object(torch, "rand", lambda count, **_: torch.from_numpy(drawn.random(count))):
        played = ours.collector.play(ours.learner.decide, ours.draws)
    print("played", played == theirs.collector.play(theirs.learner.decide, Drawn(4)))
    for name in ("observations", "masks", "actions"):
        print(name, np.array_equal(getattr(ours.collector, name).numpy(), getattr(theirs.collector, name)))
    for name in Trajectories._fields:
        found, wanted = getattr(ours.collector.data, name).numpy(), getattr(theirs.collector.data, name)
        print(name, np.allclose(found, wanted, atol=1e-6))
    told, wanted_told = ours.estimate(), theirs.estimate()
    print("estimated", all(abs(told[name] - wanted_told[name]) < 1e-5 for name in wanted_told))
    for name in ours.estimates._fields:
        print(name, np.allclose(getattr(ours.estimates, name).numpy(), getattr(theirs.estimates, name), atol=1e-5))
    figures = ours.learner.learn(ours.collector.inputs(), ours.rollout(), 0.0, ours.draws)
    wanted_figures = theirs.learner.learn(theirs.collector.inputs(), theirs.rollout(), 0.0, theirs.rng)
    print("figures", all(abs(figures[name] - wanted_figures[name]) < 1e-4 for name in wanted_figures))
    pairs = zip(ours.network.parameters(), theirs.network.parameters(), strict=True)
    print("weights", all(torch.allclose(a, b, atol=1e-4) for a, b in pairs))
    print(
        "moved",
        not any(torch.allclose(a, b, atol=1e-3) for a, b in zip(ours.network.parameters(), before, strict=True)),
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / CHECKPOINT
        ours.save(file)
        again = training("card", games)
        again.load(file)
        results = [one.iterate() for one in (ours, again)]
        same = [key for key in results[0] if "second" not in key]
        print("goes on", all(results[0][key] == results[1][key] for key in same))


if __name__ == "__main__":
    main()
