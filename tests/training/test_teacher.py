"""PPO with a teacher: its divergence, the rows it knows, learners of another width, runs that resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import Network, save_network
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.training.small import Refused, assert_resumes, make_training, words
from tests.training.test_losses import a_batch
from training import ppo
from training.ppo.losses import REPORTED, Gradients, Minibatch
from training.ppo.teacher import Lesson, divergence, divergence_gradient, load_teacher


@pytest.fixture
def teacher(tmp_path: Path) -> Path:
    """A network file of a width that no small run has."""
    file, network = tmp_path / "teacher.safetensors", make_training(width=24, seed=7).network
    with torch.no_grad():
        # New networks are nearly uniform; a teacher prefers some actions.
        network.get_parameter("policy.weight").mul_(300)
    save_network(file, network, [PortaNigra(2), PortaNigra(3)])
    return file


@pytest.mark.parametrize("seed", [0, 1])
def test_the_compiled_gradient_is_that_of_the_divergence(seed: int) -> None:
    logits, values, batch = a_batch(seed)
    rows = np.flatnonzero(np.random.default_rng(seed).random(len(logits)) < 0.5)
    lesson = Lesson(rows, np.random.default_rng(seed + 9).normal(size=(len(rows), logits.shape[1])))
    own = torch.from_numpy(logits.copy()).requires_grad_()
    tensors = Minibatch(*(torch.from_numpy(array) for array in batch))
    term = divergence(own, 1 / 50, tensors, Lesson(*(torch.from_numpy(array) for array in lesson)))
    (0.3 * term).backward()  # type: ignore[no-untyped-call]
    scratch = np.empty(logits.shape[1], dtype=np.int64)
    out = Gradients(np.ones_like(logits), values, np.zeros(len(REPORTED)), scratch)
    found = divergence_gradient(logits, 0.3, 1 / 50, batch, lesson, out)
    assert own.grad is not None
    np.testing.assert_allclose(out.logits - 1, own.grad.numpy(), atol=1e-6)
    assert found == pytest.approx(term.item(), rel=1e-5)
    assert found > 0


def test_the_divergence_by_hand() -> None:
    # The teacher takes two legal actions with 3/4 and 1/4, the learner with 1/2 each.  A third action is illegal.
    _, _, batch = a_batch(0, rows=1, actions=3)
    batch.masks[0], batch.weights[0] = [1, 0, 1], 2.0
    logits = np.array([[1.0, 9.0, 1.0]], dtype=np.float32)
    lesson = Lesson(np.array([0]), np.array([[np.log(3.0), 5.0, 0.0]], dtype=np.float32))
    out = Gradients(np.zeros_like(logits), np.zeros((1, 4)), np.zeros(5), np.empty(3, dtype=np.int64))
    found = divergence_gradient(logits, 1.0, 0.5, batch, lesson, out)
    assert found == pytest.approx(0.75 * np.log(1.5) + 0.25 * np.log(0.5), rel=1e-6)
    np.testing.assert_allclose(out.logits, [[-0.25, 0.0, 0.25]], atol=1e-6)


def test_only_the_given_set_is_taught(teacher: Path) -> None:
    training = make_training(component_sets=2, component_weight=2, teacher=str(teacher), total_timesteps=512)
    metrics = training.iterate()
    assert metrics["teacher_kl"] > 0
    inputs, rollout, learner = training.collector.inputs(), training.rollout(), training.learner
    rows = np.arange(0, 256, 3)
    batch = Minibatch(*(array[rows] for array in rollout))
    lesson = learner._lesson(inputs, rows, batch, None)
    assert lesson is not None
    assert set(inputs.sets[rows[lesson.rows]]) == {0, 1}
    assert batch.known[lesson.rows, 0].all()
    taught = (inputs.sets[rows] < 2) & (batch.known[:, 0] != 0)
    assert lesson.rows.tolist() == np.flatnonzero(taught).tolist()
    # The logits are those of the teacher in the observations of these rows.
    seen = torch.from_numpy(inputs.observations[rows[lesson.rows]].astype(np.float32)) * learner.units
    with torch.no_grad():
        wanted, _ = load_teacher(str(teacher), training.games)(seen)
    np.testing.assert_allclose(lesson.logits, wanted.numpy(), atol=1e-4)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_learner_of_another_width_comes_nearer(teacher: Path, precision: str) -> None:
    options: dict[str, Any] = {"learning_rate": 2e-3, "ent_coef": 0.0, "keep_fraction": 1.0, "precision": precision}
    training = make_training(teacher=str(teacher), total_timesteps=1024, **options)
    training.iterate()
    inputs, rollout = training.collector.inputs(), training.rollout()
    # Without advantages only the teacher moves the policy.
    rollout.advantages[:] = 0.0
    divergences = [training.learner.learn(inputs, rollout, 0.0, training.rng)["teacher_kl"] for _ in range(40)]
    assert divergences[-1] < 0.5 * divergences[0]
    assert "teacher_kl" not in make_training(**options).iterate()


@pytest.mark.parametrize("compiled", [True, False])
def test_nothing_is_learned_from_an_equal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    file = tmp_path / "start.safetensors"
    save_network(file, make_training().network, [PortaNigra(2)])
    training = make_training(start=file, teacher=str(file), learning_rate=1e-9, total_timesteps=512)
    training.learner.compiled = compiled
    if not compiled:
        monkeypatch.setattr(training.learner, "narrow", False)
    metrics = training.iterate()
    assert metrics["teacher_kl"] == pytest.approx(0.0, abs=1e-6)


def test_its_coefficient_decreases() -> None:
    learner = make_training(teacher_coef=2.0, final_teacher_coef=0.25).learner
    assert [learner.schedule(progress)[0].teacher_coef for progress in (0.0, 0.5, 1.0)] == [2.0, 1.25, 0.5]


def test_a_taught_run_resumes(teacher: Path, tmp_path: Path) -> None:
    def make_run() -> ppo.Training:
        games = [PortaNigra(2), PortaNigra(3)]
        return make_training(games, component_sets=2, teacher=str(teacher), total_timesteps=1024)

    assert_resumes(make_run, tmp_path / "checkpoint", 2, 2)


def test_a_published_network_teaches_by_name() -> None:
    network = load_teacher("all_players", [PortaNigra(2), PortaNigra(4)])
    assert type(network) is Network
    assert network.shape == load_teacher("any_components", [PortaNigra(2)]).shape


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--teacher nobody", "--teacher: neither a file nor one of all_players, any_components: nobody"),
        ("--teacher all_players --components varied:3", "trained with"),
        ("--teacher all_players --history 4", "--teacher: leave out --history and --env-device gpu"),
        ("--teacher-coef 2", "--teacher-coef: only with --teacher"),
        ("--final-teacher-coef 0.5", "--final-teacher-coef: only with --teacher"),
        ("--teacher all_players --teacher-coef -1", "--teacher-coef must be at least 0"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(ppo.main, words(options), message)
