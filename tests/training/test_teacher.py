"""PPO with a teacher: its divergence, the rows it knows, learners of another width, runs that resume."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import Network, load_network, save_network
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.training.small import SMALL, Refused, assert_resumes, make_training, words
from tests.training.test_losses import a_batch
from training import ppo
from training.ppo.learner import Learner
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
    options: dict[str, Any] = {"learning_rate": 1e-9, "keep_fraction": 0.5, "total_timesteps": 512}
    training = make_training(component_sets=2, component_weight=2, teacher=str(teacher), **options)
    training.iterate()
    inputs, rollout, learner = training.collector.inputs(), training.rollout(), training.learner
    rows = np.arange(256)
    lesson = learner._lesson(inputs, rows, rollout, None)
    assert lesson is not None
    taught = np.flatnonzero((inputs.sets < 2) & (rollout.known[:, 0] != 0))
    assert 0 < len(taught) < 140
    assert lesson.rows.tolist() == taught.tolist()
    seen = torch.from_numpy(inputs.observations.astype(np.float32)) * learner.units
    with torch.no_grad():
        logits, _ = load_teacher(str(teacher), training.games)(seen)
        own = learner.forward(learner.model, inputs, rows).logits
    np.testing.assert_allclose(lesson.logits, logits[taught].numpy(), atol=1e-4)
    # The metric is the weighted mean over the kept ones of these steps.
    kept = np.intersect1d(taught, learner.filter_steps(rollout, 0.5, np.random.default_rng(3)))
    tensors = Minibatch(*map(torch.from_numpy, rollout))
    total = divergence(own, 1.0, tensors, Lesson(torch.from_numpy(kept), logits[kept]))
    metrics = learner.learn(inputs, rollout, 0.0, np.random.default_rng(3))
    assert metrics["teacher_kl"] == pytest.approx(total.item() / rollout.weights[kept].sum(), rel=0.05)


@pytest.fixture
def general(tmp_path: Path) -> Path:
    """A file of a network of small runs that plays with any component set."""
    training = make_training(component_sets=2, seed=8)
    with torch.no_grad():
        for name in ("policy.weight", "asked.weight"):
            training.network.get_parameter(name).mul_(300)
    save_network(tmp_path / "general.safetensors", training.network, training.games)
    return tmp_path / "general.safetensors"


@pytest.mark.parametrize("both", [True, False])
def test_the_start_teaches_in_games_with_drawn_sets(general: Path, teacher: Path, both: bool) -> None:
    options: dict[str, Any] = {"component_sets": 2, "component_weight": 2, "start_teaches": True, "learning_rate": 0.1}
    training = make_training(start=general, teacher=str(teacher) if both else None, total_timesteps=1024, **options)
    assert training.iterate()["teacher_kl"] > 0
    inputs, rollout, learner = training.collector.inputs(), training.rollout(), training.learner
    lesson = learner._lesson(inputs, np.arange(256), rollout, None)
    assert lesson is not None
    known = rollout.known[:, 0] != 0
    drawn = np.flatnonzero((inputs.sets >= 2) & known)
    standard = np.flatnonzero((inputs.sets < 2) & known) if both else np.zeros(0, dtype=np.int64)
    rows, logits = lesson.rows, lesson.logits
    assert rows.tolist() == [*standard, *drawn]
    # The network has learned since, its start has not.
    start = load_network(general)
    for number in (2, 3):
        known_set = start.for_game(PortaNigra(2, f"varied:{number - 1}"))
        one = drawn[inputs.sets[drawn] == number]
        assert len(one)
        seen = torch.from_numpy(inputs.observations[one].astype(np.float32)) * learner.units
        with torch.no_grad():
            wanted = known_set(seen)[0].numpy()
            own = learner.forward(learner.model, inputs, one).logits.numpy()
        legal = rollout.masks[one] != 0
        np.testing.assert_allclose(logits[np.isin(rows, one)][legal], wanted[legal], atol=1e-3)
        assert np.abs(own[legal] - wanted[legal]).max() > 0.1


def test_a_strong_start_is_kept(general: Path) -> None:
    def divergence_after(coef: float) -> float:
        options: dict[str, Any] = {"start_teaches": True, "teacher_coef": coef, "final_teacher_coef": 1.0}
        training = make_training(start=general, component_sets=2, learning_rate=3e-3, total_timesteps=1024, **options)
        found: list[float] = [training.iterate()["teacher_kl"] for _ in range(4)]
        return found[-1]

    assert divergence_after(100.0) < 0.5 * divergence_after(0.0)


@pytest.mark.parametrize(("precision", "compiled"), [("float32", True), ("float32", False), ("bfloat16", True)])
def test_a_learner_of_another_width_comes_nearer(teacher: Path, precision: str, compiled: bool) -> None:
    options: dict[str, Any] = {"learning_rate": 2e-3, "ent_coef": 0.0, "keep_fraction": 1.0, "precision": precision}
    training = make_training(teacher=str(teacher), total_timesteps=1024, **options)
    learner = training.learner
    learner.compiled, learner.narrow = compiled, learner.narrow and compiled
    training.iterate()
    inputs, rollout = training.collector.inputs(), training.rollout()
    # Without advantages only the teacher moves the policy.
    rollout.advantages[:] = 0.0
    divergences = [learner.learn(inputs, rollout, 0.0, training.rng)["teacher_kl"] for _ in range(40)]
    assert divergences[-1] < 0.5 * divergences[0]
    assert "teacher_kl" not in make_training(**options).iterate()


@pytest.mark.parametrize("start_teaches", [False, True])
def test_threads_chunks_and_the_loss_in_torch_give_equal_gradients(
    teacher: Path, general: Path, start_teaches: bool
) -> None:
    found = []
    options: dict[str, Any] = {"component_sets": 2, "start": general, "start_teaches": start_teaches}
    training = make_training(teacher=str(teacher), threads=2, total_timesteps=512, **options)
    with torch.no_grad():
        # A learner that differs from its start.
        training.network.get_parameter("policy.weight").mul_(-1)
    training.iterate()
    learner, (given, _) = training.learner, training.learner.schedule(0.0)
    variants = ((1024, True, 1.0), (7, True, 1.0), (1024, False, 1.0), (7, False, 1.0), (1024, True, 0.0))
    for chunk, compiled, coef in variants:
        learner.model.zero_grad(set_to_none=True)
        for replica in learner.replicas:
            replica.zero_grad(set_to_none=True)
        learner.chunk, learner.compiled, learner.narrow = chunk, compiled, compiled
        coefficients = given._replace(teacher_coef=coef)
        learner._backward(training.collector.inputs(), training.rollout(), np.arange(100), coefficients)
        gradients = [torch.zeros_like(one) for one in learner.model.parameters()]
        for replica in learner.replicas:
            for total, one in zip(gradients, replica.parameters(), strict=True):
                total += 0.0 if one.grad is None else one.grad
        found.append(torch.cat([one.reshape(-1) for one in gradients]))
    assert (found[0] - found.pop()).abs().max() > 1e-2
    for other in found[1:]:
        torch.testing.assert_close(other, found[0], atol=1e-4, rtol=1e-3)


@pytest.mark.parametrize("compiled", [True, False])
def test_an_equal_teaches_nothing(teacher: Path, compiled: bool) -> None:
    training = make_training(width=24, start=teacher, teacher=str(teacher), learning_rate=1e-9, total_timesteps=512)
    training.learner.compiled, training.learner.narrow = compiled, compiled
    assert training.iterate()["teacher_kl"] == pytest.approx(0.0, abs=1e-5)


def test_its_coefficient_decreases() -> None:
    learner = make_training(teacher_coef=2.0, final_teacher_coef=0.25).learner
    assert [learner.schedule(progress)[0].teacher_coef for progress in (0.0, 0.5, 1.0)] == [2.0, 1.25, 0.5]


def test_a_run_resumes_without_the_file_of_its_teacher(teacher: Path, tmp_path: Path) -> None:
    def make_run() -> ppo.Training:
        games = [PortaNigra(2), PortaNigra(3)]
        return make_training(games, component_sets=2, teacher=str(teacher), total_timesteps=1024)

    assert_resumes(make_run, tmp_path / "checkpoint", 2, 2)
    options = ppo.Options(**SMALL | {"out": tmp_path / "run", "teacher": str(teacher), "total_timesteps": 256})
    training, run = ppo.prepare(options)
    training.run(run)
    wanted = training.learner.teacher
    teacher.unlink()
    resumed, _ = ppo.prepare(ppo.Options(resume=tmp_path / "run", total_timesteps=512))
    assert wanted is not None
    assert resumed.learner.teacher is not None
    assert resumed.learner.teacher.fingerprint() == wanted.fingerprint()
    assert "teacher_kl" in resumed.iterate()


def test_a_run_resumes_without_the_files_of_teacher_and_start(general: Path, teacher: Path, tmp_path: Path) -> None:
    given = {"start": general, "start_teaches": True, "component_sets": 2, "teacher": str(teacher)}
    options, games = ppo.Options(**SMALL | given | {"total_timesteps": 1024}), [PortaNigra(2)]
    whole, first = (ppo.Training(options, games) for _ in range(2))
    second = ppo.Training(options.without_files(), games)
    for _ in range(2):
        wanted = whole.iterate()["teacher_kl"]
    first.iterate()
    first.save(tmp_path / "checkpoint")
    second.load(tmp_path / "checkpoint")
    assert second.iterate()["teacher_kl"] == wanted
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, second.network.state_dict()[name]), name


def test_nothing_is_looked_up_without_a_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    # The learner of the GPU has its rows there, and no teacher.
    def never(*_: Any) -> Any:
        raise AssertionError

    monkeypatch.setattr(Learner, "_taught", never)
    assert "teacher_kl" not in make_training(total_timesteps=512).iterate()


def test_a_published_network_teaches_by_name() -> None:
    games = [PortaNigra(2), PortaNigra(4)]
    wanted = load_network(PortaNigra.networks()[2]).fingerprint()
    assert load_teacher(PortaNigra.networks()[2].stem, games).fingerprint() == wanted
    general = load_network(PortaNigra.general_networks()[2])
    for one in ([PortaNigra(2)], [PortaNigra(3, "varied:1")]):
        teacher = load_teacher(PortaNigra.general_networks()[2].stem, one)
        assert type(teacher) is Network
        assert teacher.fingerprint() == general.for_game(one[0]).fingerprint()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--teacher missing", "--teacher: file not found: missing; published networks: all_players, any_components"),
        ("--teacher all_players --components varied:3", "trained with"),
        ("--teacher two_players --players 2 3", "two_players.safetensors"),
        ("--teacher all_players --history 4", "--teacher: leave out --history and --env-device gpu"),
        ("--teacher-coef 2", "--teacher-coef: only with --teacher or --start-teaches"),
        ("--final-teacher-coef 0.5", "--final-teacher-coef: only with --teacher or --start-teaches"),
        ("--start-teaches", "--start-teaches: only in games with drawn sets; set --component-sets"),
        ("--start-teaches --component-sets 2", "--start-teaches: only with --start"),
        (f"--start-teaches --component-sets 2 --start {PortaNigra.networks()[2]}", "knows one component set"),
        ("--teacher all_players --teacher-coef -1", "--teacher-coef must be at least 0"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(ppo.main, words(options), message)


def test_a_network_with_histories_cannot_teach(tmp_path: Path) -> None:
    save_network(tmp_path / "network", make_training(history=4).network, [PortaNigra(2)])
    with pytest.raises(ValueError, match="is a HistoryNetwork; only a plain network can teach"):
        make_training(teacher=str(tmp_path / "network"))
