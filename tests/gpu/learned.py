"""Learning with games on a simulated GPU, beside learning with those of the processor: prints what both found."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch

from porta_nigra_env.core.game.game import Game
from tests.gpu.taped import Taped
from tests.toys.dice.game import Dice
from training.gpu import rollouts
from training.ppo import Options, Training
from training.ppo.program import training_class
from training.ppo.trajectories import Trajectories
from training.run.folder import CHECKPOINT


class Drawn:
    """The same numbers for both: what a collector draws for its choices."""

    def __init__(self, count: int) -> None:
        self.numbers = iter(np.random.default_rng(5).random((1000, count)))

    def random(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        found: np.ndarray[tuple[int], np.dtype[np.float64]] = next(self.numbers)
        return found


def training(env_device: str, games: list[Game], size: int = 32, compiled: bool = False) -> Training:
    """Return a small run; by default a minibatch has all steps of an iteration, so that their order has no effect."""
    options = Options(
        env_device=env_device, num_envs=4, num_steps=8, minibatch_size=size, update_epochs=2, width=16, blocks=1,
        threads=1, device="cpu", precision="float32", total_timesteps=400, learning_rate=1e-2, ent_coef=0.5,
        pool_agents=(), evaluate=(), keep_fraction=1.0, compile=compiled,
    )  # fmt: skip
    return training_class(options)(options, games)


def kept(run: Training, rng: Any) -> tuple[Any, list[float]]:
    """Of half of the decisions that are learned from, those that tell most, and the weights of all."""
    rollout = run.rollout()
    rows = np.asarray(run.learner.filter_steps(rollout, 0.5, rng))
    weights = np.asarray(rollout.weights)[rows]
    return rows[weights == weights.min()], sorted(weights.tolist())


def recorded(games: list[Game]) -> bool:
    """Whether a run whose work is recorded and replayed becomes what it is without."""
    plain, replaying = training("gpu", games, size=16), training("gpu", games, size=16)
    told = [plain.iterate() for _ in range(4)]
    with mock.patch.object(rollouts, "Recorded", Taped):
        retold = [replaying.iterate() for _ in range(4)]
    figures = [[(name, one[name]) for one in those for name in one if "second" not in name] for those in (told, retold)]
    pairs = zip(plain.network.parameters(), replaying.network.parameters(), strict=True)
    work = [replaying.collector._rollout, *vars(replaying.learner)["_steps"].values()]
    taped = len(work) == 2 and all(one._graph is not None for one in work)
    return taped and figures[0] == figures[1] and all(torch.equal(a, b) for a, b in pairs)


def compiled(games: list[Game]) -> bool:
    """Whether network and loss that torch has compiled learn the same."""
    plain, fused = training("gpu", games, size=16), training("gpu", games, size=16, compiled=True)
    for _ in range(2):
        plain.iterate()
        fused.iterate()
    pairs = zip(plain.network.parameters(), fused.network.parameters(), strict=True)
    return all(torch.allclose(a, b, atol=1e-5) for a, b in pairs)


def refused() -> bool:
    """Whether work that waits for the GPU is found."""
    look = Taped(lambda: print(end="" if float(torch.ones(1)) else "no one"), "cpu")
    try:
        look()
        look()
    except AssertionError as error:
        return "waits for the GPU" in str(error)
    return False


def main() -> None:
    """Compare an iteration on the GPU with one on the processor, then go on from a checkpoint."""
    games: list[Game] = [Dice(2), Dice(3)]
    if "compiled" in sys.argv:
        print("compiled", compiled(games))
        return
    ours, theirs = training("gpu", games), training("cpu", games)
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
    (half, weights), (wanted_half, wanted_weights) = kept(ours, ours.draws), kept(theirs, theirs.rng)
    print("kept", np.array_equal(half, wanted_half) and len(half) == 13)
    print("drawn", weights == wanted_weights and weights.count(min(weights)) == 13 and len(weights) == 16)
    # What changes in the course of a run is looked up anew by work that is done again.
    for progress in (0.0, 0.5):
        figures = ours.learner.learn(ours.collector.inputs(), ours.rollout(), progress, ours.draws)
        wanted_figures = theirs.learner.learn(theirs.collector.inputs(), theirs.rollout(), progress, theirs.rng)
        print(f"figures {progress}", all(abs(figures[name] - wanted_figures[name]) < 1e-4 for name in wanted_figures))
        pairs = zip(ours.network.parameters(), theirs.network.parameters(), strict=True)
        print(f"weights {progress}", all(torch.allclose(a, b, atol=1e-4) for a, b in pairs))
    print(
        "moved",
        not any(torch.allclose(a, b, atol=1e-3) for a, b in zip(ours.network.parameters(), before, strict=True)),
    )
    print("replayed", recorded(games))
    print("refused", refused())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / CHECKPOINT
        ours.save(file)
        again = training("gpu", games)
        again.load(file)
        results = [one.iterate() for one in (ours, again)]
        same = [key for key in results[0] if "second" not in key]
        print("goes on", all(results[0][key] == results[1][key] for key in same))


if __name__ == "__main__":
    main()
