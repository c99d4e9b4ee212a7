"""Schedules of a run: decreasing rates, early stopping, warmup, advantage filtering."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import torch

from porta_nigra_env.envs.batch import BatchEnv
from tests.training.small import make_training
from training.ppo import Options, Training, check
from training.ppo.learner import Outputs
from training.ppo.losses import Coefficients, Minibatch


def training(**more: Any) -> Training:
    return make_training(total_timesteps=1024, **{"threads": 2} | more)


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


def test_passes_stop_above_the_target_kl() -> None:
    fast: dict[str, Any] = {"learning_rate": 1e-2, "update_epochs": 5, "num_steps": 64, "reward": "points"}
    all_passes = training(**fast).iterate()
    assert all_passes["passes"] == 5
    assert all_passes["kl"] > 1e-3
    assert training(**fast, target_kl=1e-7).iterate()["passes"] < 5
    assert training(**fast, target_kl=1e3).iterate()["kl"] == all_passes["kl"]


@pytest.mark.parametrize(("final", "last"), [(0.05, 0.05), (0.5, 0.5), (1.0, 1.0)])
def test_rates_decrease_linearly(final: float, last: float) -> None:
    learner = training(learning_rate=1e-3, final_learning_rate=final, ent_coef=0.02, final_ent_coef=final).learner
    for progress in (0.0, 0.5, 1.0):
        left = 1.0 - (1.0 - last) * progress
        coefficients, rate = learner.schedule(progress)
        assert rate == pytest.approx(1e-3 * left)
        assert coefficients.ent_coef == pytest.approx(0.02 * left)
        assert learner.optimizer.param_groups[0]["lr"] == rate


def test_advantage_filtering_keeps_large_advantages_and_samples_the_rest() -> None:
    # Without layer normalization the predictions are bad enough for the bias below.
    run, count = training(keep_fraction=0.25, num_steps=64, layer_norm=False), 16 * 64
    run.collector.begin()
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
    # A sampled step stands for several others, so the weights have mean one.
    assert np.allclose(rollout.weights[drawn], 0.25 * len(others) / len(drawn))
    assert rollout.weights[rows].mean() == pytest.approx(1.0)
    # Samples differ, and weighted sums are unbiased, of results and of their squares.
    results, sums, seen = rollout.targets[:, :1].astype(np.float64) ** [1, 2], [], set()
    for _ in range(400):
        rows = run.learner.filter_steps(rollout, 0.25, run.rng)
        sums.append((results * rollout.weights[:, None])[rows].mean(axis=0))
        seen |= set(rows.tolist())
    assert len(seen) == count
    errors = np.std(sums, axis=0) / 20
    assert (np.abs(np.mean(sums, axis=0) - results.mean(axis=0)) <= 5 * errors).all()
    # Steps with large advantages have large results, so without weights the squares are biased.
    assert abs(results[telling].mean(axis=0) - results.mean(axis=0))[1] > 10 * errors[1]
    # A fraction of one keeps all steps in order.
    assert (run.learner.filter_steps(rollout, 1.0, run.rng) == np.arange(count)).all()
    assert (rollout.weights == 1.0).all()


def bandit() -> Minibatch:
    """Return pulls of two arms in their expected proportions, with the advantages of exact values.

    The policy pulls the sure arm 0, which pays 0.1, with probability 0.2.  Arm 1 pays 1.6 once in 20 pulls, 0.08 on
    average.
    """
    count, sure, wins = 50_000, 10_000, 2_000
    actions = np.ones(count, dtype=np.int64)
    actions[:sure] = 0
    rewards = np.where(actions == 0, 0.1, 0.0)
    rewards[sure : sure + wins] = 1.6
    advantages = (rewards - rewards.mean()).astype(np.float32)
    log_probs = np.log(np.array([0.2, 0.8]))[actions].astype(np.float32)
    ones = np.ones((count, 2), dtype=np.int8)
    return Minibatch(
        ones, actions, log_probs, advantages, np.zeros((count, 2), np.float32), ones, np.ones(count, np.float32)
    )


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("fraction", [0.25, 0.5])
def test_advantage_filtering_does_not_prefer_the_worse_gamble(fraction: float, compiled: bool) -> None:
    """The wins of a gamble have the largest advantages; without importance weights its losses count too little."""
    learner, rollout, rng = training().learner, bandit(), np.random.default_rng(1)

    def pull(rows: Any) -> float:
        """Return the mean update of the sure arm's logit from the steps `rows`."""
        batch = Minibatch(*(array[rows] for array in rollout))
        logits = np.log(np.array([[0.2, 0.8]], dtype=np.float32)).repeat(len(rows), axis=0)
        tensor, coefficients = torch.from_numpy(logits).requires_grad_(), Coefficients(0.2, 0.0)
        values = torch.zeros(len(rows), 2, requires_grad=True)
        differentiate = learner._differentiate if compiled else learner._differentiate_in_torch
        differentiate(Outputs(tensor, values, values), batch, 1.0 / len(rows), coefficients)
        assert tensor.grad is not None
        return -float(tensor.grad[:, 0].double().sum())

    # The policy gradient of a bandit: the product of both probabilities and the difference of the means.
    expected = 0.2 * 0.8 * (0.1 - 0.08)
    assert pull(np.arange(len(rollout.actions))) == pytest.approx(expected, rel=1e-3)
    pulls = [pull(learner.filter_steps(rollout, fraction, rng)) for _ in range(8)]
    assert np.mean(pulls) == pytest.approx(expected, rel=0.1)
    rows = learner.filter_steps(rollout, fraction, rng)
    rollout.weights[...] = 1.0
    assert pull(rows) < -expected


def test_warmup_learns_from_all_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    run, shares = training(keep_fraction=0.5, value_warmup=1), list[float]()
    filter_steps = run.learner.filter_steps

    def noted(rollout: Any, share: float, rng: Any) -> Any:
        shares.append(share)
        return filter_steps(rollout, share, rng)

    monkeypatch.setattr(run.learner, "filter_steps", noted)
    run.iterate()
    run.iterate()
    assert shares == [1.0, 0.5]


def test_a_minibatch_fits_into_the_kept_steps() -> None:
    with pytest.raises(
        ValueError, match=r"--minibatch-size must be at most num_envs \* num_steps \* keep_fraction = 512, not 600"
    ):
        check(Options(num_envs=16, num_steps=64, keep_fraction=0.5, minibatch_size=600))


def test_a_run_begins_with_games_spread_over_their_steps() -> None:
    def begun(**options: Any) -> BatchEnv:
        run = training(num_envs=32, **options)
        (env,) = run.collector.envs
        assert not env.lengths.any()
        run.iterate()
        return cast("BatchEnv", env)

    env = begun()
    length = int(env.last_lengths.mean())
    assert length > 100
    # Twice the even distance, because some games have ended and begun again.
    gaps = np.diff([0, *sorted(env.lengths), length])
    assert gaps.max() <= 2 * length / 32 + 10
    assert (env.states == begun().states).all()
    assert (env.states != begun(seed=9).states).any()
