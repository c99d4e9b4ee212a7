"""Compare learning with games on a simulated GPU to learning with games on the CPU; print the results."""

from __future__ import annotations

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
from training.run.folder import CHECKPOINT
from training.run.trajectories import Trajectories


class Drawn:
    """The shared random numbers of both collectors."""

    def __init__(self, count: int) -> None:
        self.numbers = iter(np.random.default_rng(5).random((1000, count)))

    def random(self, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        numbers: np.ndarray[tuple[int], np.dtype[np.float64]] = next(self.numbers)
        return numbers


def training(env_device: str, games: list[Game], size: int = 32, compiled: bool = False) -> Training:
    """Return a small run; by default a minibatch has all steps of an iteration, so that their order has no effect."""
    options = Options(
        env_device=env_device, num_envs=4, num_steps=8, minibatch_size=size, update_epochs=2, width=16, blocks=1,
        threads=1, device="cpu", precision="float32", total_timesteps=400, learning_rate=1e-2, ent_coef=0.5,
        pool_agents=(), evaluate=(), keep_fraction=1.0, compile=compiled,
    )  # fmt: skip
    return training_class(options)(options, games)


def kept_steps(run: Training, rng: Any) -> tuple[Any, list[float]]:
    """Return the steps kept for large advantages, if half of the steps are kept, and the weights of all kept steps."""
    rollout = run.rollout()
    rows = np.asarray(run.learner.filter_steps(rollout, 0.5, rng))
    weights = np.asarray(rollout.weights)[rows]
    return rows[weights == weights.min()], sorted(weights.tolist())


def recorded(games: list[Game]) -> bool:
    """Return True if a run with recorded and replayed work equals one without."""
    plain, replaying = training("gpu", games, size=16), training("gpu", games, size=16)
    results = [plain.iterate() for _ in range(4)]
    with mock.patch.object(rollouts, "Recorded", Taped):
        replayed = [replaying.iterate() for _ in range(4)]
    figures = [
        [(name, result[name]) for result in run for name in result if "second" not in name]
        for run in (results, replayed)
    ]
    pairs = zip(plain.network.parameters(), replaying.network.parameters(), strict=True)
    work = [replaying.collector._rollout, *vars(replaying.learner)["_steps"].values()]
    taped = len(work) == 2 and all(recording._graph is not None for recording in work)
    return taped and figures[0] == figures[1] and all(torch.equal(a, b) for a, b in pairs)


def compiled(games: list[Game]) -> bool:
    """Return True if a compiled network and loss learn the same."""
    plain, fused = training("gpu", games, size=16), training("gpu", games, size=16, compiled=True)
    for _ in range(2):
        plain.iterate()
        fused.iterate()
    pairs = zip(plain.network.parameters(), fused.network.parameters(), strict=True)
    return all(torch.allclose(a, b, atol=1e-5) for a, b in pairs)


def refused() -> bool:
    """Return True if work that waits for the GPU is detected."""
    look = Taped(lambda: print(end="" if float(torch.ones(1)) else "no one"), "cpu")
    try:
        look()
        look()
    except AssertionError as error:
        return "waits for the GPU" in str(error)
    return False


def compare(compile_network: bool) -> None:
    """Compare an iteration on the GPU with one on the CPU, then resume from a checkpoint; or a compiled network."""
    games: list[Game] = [Dice(2), Dice(3)]
    if compile_network:
        print("compiled", compiled(games))
        return
    ours, theirs = training("gpu", games), training("cpu", games)
    ours.network.load_state_dict(theirs.network.state_dict())
    for run in (ours, theirs):
        run.collector.begin()
    before = [parameter.clone() for parameter in ours.network.parameters()]
    drawn = Drawn(4)
    with mock.patch.object(torch, "rand", lambda count, **_: torch.from_numpy(drawn.random(count))):
        played = ours.collector.play(ours.learner.decide, ours.draws)
    print("played", played == theirs.collector.play(theirs.learner.decide, Drawn(4)))
    for name in ("observations", "masks", "actions"):
        print(name, np.array_equal(getattr(ours.collector, name).numpy(), getattr(theirs.collector, name)))
    for name in Trajectories._fields:
        actual, wanted = getattr(ours.collector.data, name).numpy(), getattr(theirs.collector.data, name)
        print(name, np.allclose(actual, wanted, atol=1e-6))
    estimates, wanted_estimates = ours.estimate(), theirs.estimate()
    print("estimated", all(abs(estimates[name] - wanted_estimates[name]) < 1e-5 for name in wanted_estimates))
    for name in ours.estimates._fields:
        print(name, np.allclose(getattr(ours.estimates, name).numpy(), getattr(theirs.estimates, name), atol=1e-5))
    (half, weights), (wanted_half, wanted_weights) = kept_steps(ours, ours.draws), kept_steps(theirs, theirs.rng)
    print("kept", np.array_equal(half, wanted_half) and len(half) == 13)
    print("drawn", weights == wanted_weights and weights.count(min(weights)) == 13 and len(weights) == 16)
    # Values that change during a run are read again by replayed work.
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
        resumed = training("gpu", games)
        resumed.load(file)
        results = [run.iterate() for run in (ours, resumed)]
        same = [key for key in results[0] if "second" not in key]
        print("resumed", all(results[0][key] == results[1][key] for key in same))
