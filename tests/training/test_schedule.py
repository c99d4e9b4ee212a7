"""How fast a run of PPO learns as it goes on: rates that fall, passes that are left out, values that learn first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from porta_nigra_env.games.porta_nigra.game import PortaNigra
from training.ppo import Options, Training, check, main

DECISIONS = 16 * 16


def training(**more: Any) -> Training:
    arguments: dict[str, Any] = {
        "num_envs": 16, "num_steps": 16, "minibatch_size": 64, "width": 16, "threads": 2, "evaluate": (), "precision": "float32",
        "device": "cpu", "total_timesteps": 4 * DECISIONS,
    }  # fmt: skip
    return Training(Options(**arguments | more), [PortaNigra(2)])


@pytest.mark.parametrize("critic", ["shared", "privileged"])
def test_values_learn_first(critic: str) -> None:
    run = training(value_warmup=1, critic=critic, num_steps=256)

    def weights() -> dict[str, torch.Tensor]:
        return {name: one.clone() for name, one in run.learner.model.named_parameters()}

    before = weights()
    figures = run.iterate()
    moved = {name for name, one in weights().items() if not torch.equal(one, before[name])}
    assert {name.partition(".")[0] for name in moved - {"network.value.weight", "network.value.bias"}} == (
        {"critic"} if critic == "privileged" else set()
    )
    assert {"network.value.weight", "network.value.bias"} <= moved
    assert figures["kl"] == pytest.approx(0.0, abs=1e-6)
    assert figures["value_loss"] > 0.0
    before = weights()
    run.iterate()
    assert all(not torch.equal(one, before[name]) for name, one in weights().items())


def test_passes_end_where_the_policy_has_moved_enough() -> None:
    fast: dict[str, Any] = {"learning_rate": 1e-2, "update_epochs": 5, "num_steps": 64, "reward": "points"}
    all_passes = training(**fast).iterate()
    assert all_passes["passes"] == 5
    assert all_passes["kl"] > 1e-3
    assert training(**fast, target_kl=1e-7).iterate()["passes"] < 5
    assert training(**fast, target_kl=1e3).iterate()["kl"] == all_passes["kl"]


@pytest.mark.parametrize(("final", "last"), [(0.05, 0.05), (0.5, 0.5), (1.0, 1.0)])
def test_rates_fall_evenly_to_the_shares_asked_for(final: float, last: float) -> None:
    learner = training(learning_rate=1e-3, final_learning_rate=final, ent_coef=0.02, final_ent_coef=final).learner
    for progress in (0.0, 0.5, 1.0):
        left = 1.0 - (1.0 - last) * progress
        coefficients, rate = learner.schedule(progress)
        assert rate == pytest.approx(1e-3 * left)
        assert coefficients.ent_coef == pytest.approx(0.02 * left)
        assert learner.optimizer.param_groups[0]["lr"] == rate


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target-kl", "-0.1"], "--target-kl must be at least 0, not -0.1"),
        (["--value-warmup", "-1"], "--value-warmup must be at least 0, not -1"),
        (["--ent-coef", "-0.01"], "--ent-coef must be at least 0, not -0.01"),
        (["--learning-rate", "0"], "--learning-rate must be positive, not 0.0"),
        (["--max-grad-norm", "-0.5"], "--max-grad-norm must be positive, not -0.5"),
        (["--final-learning-rate", "0"], r"--final-learning-rate must be in (0, 1], not 0.0"),
        (["--final-ent-coef", "2"], r"--final-ent-coef must be in (0, 1], not 2.0"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--out", str(tmp_path / "run"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_most_that_is_learned_from_went_other_than_expected_and_the_rest_stands_for_all_others() -> None:
    # What such a network expects is far enough from what comes for the bias that is told below.
    run, count = training(keep_fraction=0.25, num_steps=64, layer_norm=False), 16 * 64
    run.collector.play(run.learner.decide, run.rng)
    run.estimate()
    rollout = run.rollout()
    choices, sizes = (rollout.masks != 0).sum(axis=1), np.abs(rollout.advantages)
    rows = run.learner.filter_steps(rollout, 0.25, run.rng)
    assert len(rows) == len(set(rows.tolist())) == count // 4
    light = rollout.weights[rows] == np.float32(0.25)
    telling, drawn = rows[light], rows[~light]
    assert len(drawn) == 51 == round(0.2 * count / 4)
    assert choices[telling].min() > 1
    others = np.setdiff1d(np.arange(count), telling)
    assert sizes[telling].min() >= sizes[others][choices[others] > 1].max()
    # Each that is drawn stands for as many of the others as there are for each; all decisions count once, then.
    assert np.allclose(rollout.weights[drawn], 0.25 * len(others) / len(drawn))
    assert rollout.weights[rows].mean() == pytest.approx(1.0)
    # Not the same ones each time, and what is summed over them with weight is on average the sum over all.
    results, sums, seen = rollout.targets[:, 0].astype(np.float64), [], set()
    for _ in range(400):
        rows = run.learner.filter_steps(rollout, 0.25, run.rng)
        sums.append((results * rollout.weights)[rows].mean())
        seen |= set(rows.tolist())
    assert len(seen) == count
    assert np.mean(sums) == pytest.approx(results.mean(), abs=5 * np.std(sums) / 20)
    assert abs(results[telling].mean() - results.mean()) > 10 * np.std(sums) / 20
    # All of them in their order, each of which counts once, where all are learned from.
    assert (run.learner.filter_steps(rollout, 1.0, run.rng) == np.arange(count)).all()
    assert (rollout.weights == 1.0).all()


def test_values_that_learn_first_learn_from_all_decisions(monkeypatch: pytest.MonkeyPatch) -> None:
    run, shares = training(keep_fraction=0.5, value_warmup=1), list[float]()
    filter_steps = run.learner.filter_steps

    def noted(rollout: Any, share: float, rng: Any) -> Any:
        shares.append(share)
        return filter_steps(rollout, share, rng)

    monkeypatch.setattr(run.learner, "filter_steps", noted)
    run.iterate()
    run.iterate()
    assert shares == [1.0, 0.5]


@pytest.mark.parametrize("kept", [0.0, 1.5])
def test_a_share_that_is_none_is_told(kept: float) -> None:
    with pytest.raises(ValueError, match=r"--keep-fraction must be in \(0, 1\]"):
        check(Options(keep_fraction=kept))


def test_a_batch_has_to_fit_into_what_is_kept() -> None:
    with pytest.raises(
        ValueError, match=r"--minibatch-size must be at most num_envs \* num_steps \* keep_fraction = 512, not 600"
    ):
        check(Options(num_envs=16, num_steps=64, keep_fraction=0.5, minibatch_size=600))
