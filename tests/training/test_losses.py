"""Advantages and losses, by hand or computed in a second way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from agents.sampling import sample
from training.ppo.losses import REPORTED, Coefficients, Gradients, Minibatch, gradient, loss
from training.run.trajectories import Estimates, Trajectories, returns


def worked_out(
    movers: Any, rewards: Any, ended: Any, values: Any, gamma: float = 1.0, gae_lambda: float = 1.0, players: int = 0
) -> tuple[Any, Any, Any]:
    """Return `returns` of one row, with as many players as columns of rewards by default."""
    movers = np.array(movers, dtype=np.int8)[:, None]
    rewards = np.array(rewards, dtype=np.float32)[:, None]
    ended = np.array(ended, dtype=np.bool_)[:, None]
    values = np.array(values, dtype=np.float32)[:, None]
    counts = np.array([players or rewards.shape[2]], dtype=np.int8)
    found = Estimates(
        np.zeros(movers.shape, dtype=np.float32), np.zeros_like(values), np.zeros(values.shape, dtype=np.int8)
    )
    returns(Trajectories(counts, movers, rewards, ended, values), gamma, gae_lambda, found)
    return found.advantages[:, 0], found.targets[:, 0], found.known[:, 0]


def test_advantages_run_along_a_seats_own_decisions() -> None:
    # Seats 0, 1, 0, 1; seat 0 wins with the last step.  Seat 1 also gains 0.5 in seat 0's turn.
    advantages, targets, known = worked_out(
        movers=[0, 1, 0, 1],
        rewards=[[0, 0], [0, 0], [0, 0.5], [1, -1]],
        ended=[False, False, False, True],
        values=[[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [0.4, 0.0]],
        gamma=0.9,
        gae_lambda=0.5,
    )
    # By hand, backwards.  Step 3, seat 1: -1 - 0.4.  Step 2, seat 0: 1 - 0.3, gained in seat 1's turn.
    # Step 1, seat 1: 0.5 + 0.9 * (0.4 + 0.5 * -1.4) - 0.2.  Step 0, seat 0: 0 + 0.9 * (0.3 + 0.5 * 0.7) - 0.1.
    assert advantages.tolist() == pytest.approx([0.485, 0.03, 0.7, -1.4])
    assert targets[:, 0].tolist() == pytest.approx([0.585, 0.23, 1.0, -1.0])
    assert known.all()
    # At step 2 the other seat's target is that of its next step, plus its gain until then: 0.5 + 0.9 * -1.
    assert targets[2, 1] == pytest.approx(0.5 + 0.9 * -1.0)


def test_the_last_step_of_each_seat_is_not_learned_from() -> None:
    advantages, targets, known = worked_out(
        movers=[0, 1, 0],
        rewards=[[0, 0], [0, 0], [0, 0]],
        ended=[False, False, False],
        values=[[0.1, 0.0], [0.2, 0.0], [0.5, 0.0]],
    )
    assert known.tolist() == [[1, 1], [0, 1], [0, 0]]
    assert advantages.tolist() == pytest.approx([0.4, 0.0, 0.0])
    assert targets[0].tolist() == pytest.approx([0.5, 0.2])


def test_nothing_flows_between_games() -> None:
    advantages, _, known = worked_out(
        movers=[0, 1, 1, 0],
        rewards=[[0, 0], [-1, 1], [0, 0], [5, -5]],
        ended=[False, True, False, True],
        values=[[0, 0], [0, 0], [0, 0], [0, 0]],
    )
    assert advantages.tolist() == [-1, 1, -5, 5]
    assert known.all()


def test_seats_of_three_are_in_order_of_play() -> None:
    _, targets, known = worked_out(
        movers=[2, 0, 1], rewards=[[0, 0, 0], [0, 0, 0], [10, 20, 30]], ended=[False, False, True], values=[[0] * 4] * 3
    )
    # From seat 2 on: 2, 0, 1; there is no fourth seat.
    assert targets[0, :3].tolist() == [30, 10, 20]
    assert targets[1, :3].tolist() == [10, 20, 30]
    assert known[:, 3].tolist() == [0, 0, 0]


def test_a_game_of_two_next_to_games_of_four() -> None:
    """Rewards have columns for the largest game; seats wrap at the row's number of players."""
    rng = np.random.default_rng(3)
    movers, values = [0, 1, 0, 1, 1], rng.normal(size=(5, 4))
    rewards, ended = rng.normal(size=(5, 2)), [False, False, True, False, False]
    alone = worked_out(movers, rewards, ended, values, 0.9, 0.8)
    wide = worked_out(movers, np.pad(rewards, ((0, 0), (0, 2))), ended, values, 0.9, 0.8, players=2)
    for one, other in zip(alone, wide, strict=True):
        assert np.array_equal(one, other)
    assert not alone[2][:, 2:].any()


@pytest.mark.parametrize("players", [5, 6])
def test_five_and_six_seats(players: int) -> None:
    """All other seats lose a point to the first; targets start at the mover."""
    order = [*range(players), 2]
    rewards = np.zeros((players + 1, players))
    rewards[-1] = [players - 1, *[-1] * (players - 1)]
    ended = [*[False] * players, True]
    advantages, targets, known = worked_out(order, rewards, ended, np.zeros((players + 1, 6)))
    for step, mover in enumerate(order):
        results = [rewards[-1, (mover + place) % players] for place in range(players)]
        assert targets[step, :players].tolist() == results
        assert advantages[step] == results[0]
    assert known[:, :players].all()
    assert not known[:, players:].any()


def test_with_lambda_and_discount_one_targets_are_the_results() -> None:
    rng = np.random.default_rng(5)
    movers = rng.integers(0, 3, 40)
    rewards = rng.normal(size=(40, 3))
    ended = np.zeros(40, dtype=bool)
    ended[[17, 39]] = True
    advantages, targets, _ = worked_out(movers, rewards, ended, rng.normal(size=(40, 4)))
    for step, mover in enumerate(movers):
        end = 17 if step <= 17 else 39
        assert targets[step, 0] == pytest.approx(rewards[step : end + 1, mover].sum(), abs=1e-4)
    assert np.isfinite(advantages).all()


def a_batch(seed: int, seats: int = 4, rows: int = 64, actions: int = 12) -> tuple[Any, Any, Minibatch]:
    """Return logits, values and a minibatch."""
    rng = np.random.default_rng(seed)
    masks = (rng.random((rows, actions)) < 0.4).astype(np.int8)
    chosen = rng.integers(0, actions, rows)
    masks[np.arange(rows), chosen] = 1
    masks[0] = 1
    known = (rng.random((rows, seats)) < 0.8).astype(np.int8)
    batch = Minibatch(
        masks=masks,
        actions=chosen,
        log_probs=np.log(rng.uniform(0.05, 0.9, rows)).astype(np.float32),
        advantages=rng.normal(size=rows).astype(np.float32),
        targets=rng.normal(size=(rows, seats)).astype(np.float32),
        known=known,
        weights=rng.uniform(0.4, 3.0, rows).astype(np.float32),
    )
    logits, values = (rng.normal(size=(rows, size)).astype(np.float32) for size in (actions, seats))
    return logits, values, batch


@pytest.mark.parametrize(("seed", "seats"), [(0, 4), (1, 2), (2, 6)])
def test_the_compiled_gradient_is_that_of_the_loss(seed: int, seats: int) -> None:
    coefficients = Coefficients(0.2, 0.03, 0.5, 0.25)
    logits, values, batch = a_batch(seed, seats)
    inputs = [torch.from_numpy(one).requires_grad_() for one in (logits.copy(), values.copy())]
    tensors = Minibatch(*(torch.from_numpy(one) for one in batch))
    total, reported = loss(inputs[0], inputs[1], 1 / 50, coefficients, tensors)
    total.backward()  # type: ignore[no-untyped-call]
    places = np.empty(logits.shape[1], dtype=np.int64)
    found = Gradients(np.ones_like(logits), np.ones_like(values), np.zeros(len(REPORTED)), places)
    gradient(logits, values, 1 / 50, coefficients, batch, found)
    for one, array in zip(inputs, (found.logits, found.values), strict=True):
        assert one.grad is not None
        np.testing.assert_allclose(array, one.grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(found.reported, reported.numpy(), rtol=1e-4, atol=1e-6)
    assert not found.logits[batch.masks == 0].any()


def test_the_loss_by_hand() -> None:
    # Two legal actions of probability 1/2, old probability 0.4: the ratio 1.25 is clipped to 1.2.
    total, reported = loss(
        logits=torch.tensor([[0.0, 5.0, 0.0]]),
        values=torch.tensor([[0.5]]),
        weight=1.0,
        coefficients=Coefficients(0.2, 0.1, 0.5, 0.0),
        batch=Minibatch(
            masks=torch.tensor([[1, 0, 1]]),
            actions=torch.tensor([2]),
            log_probs=torch.tensor([np.log(0.4)]),
            advantages=torch.tensor([2.0]),
            targets=torch.tensor([[1.5]]),
            known=torch.tensor([[1]]),
            weights=torch.tensor([3.0]),
        ),
    )
    policy_loss, value_loss, entropy, kl, clipped = reported.tolist()
    # The importance weight 3 scales every term.
    assert policy_loss == pytest.approx(3 * -2.4)
    assert value_loss == pytest.approx(3 * 0.25)
    assert entropy == pytest.approx(3 * np.log(2))
    assert kl == pytest.approx(3 * (0.25 - np.log(1.25)))
    assert clipped == 3
    assert float(total) == pytest.approx(3 * (-2.4 + 0.25 - 0.1 * np.log(2)))


def test_samples_are_legal_and_follow_the_probabilities() -> None:
    logits = np.array([[1.0, 50.0, 0.0, -1.0]], dtype=np.float32).repeat(20_000, axis=0)
    masks = np.array([[1, 0, 1, 1]], dtype=np.int8).repeat(20_000, axis=0)
    actions, log_probs = np.zeros(20_000, dtype=np.int64), np.zeros(20_000, dtype=np.float32)
    sample(logits, masks, np.random.default_rng(1).random(20_000), actions, log_probs)
    weights = np.exp([1.0, 0.0, -1.0])
    expected = weights / weights.sum()
    counts = np.bincount(actions, minlength=4)
    assert counts[1] == 0
    # Four standard errors of 20,000 samples.
    assert counts[[0, 2, 3]] / 20_000 == pytest.approx(expected, abs=0.014)
    assert log_probs == pytest.approx(np.log(expected)[[0, 0, 1, 2]][actions], abs=1e-5)


def test_an_action_without_probability_is_never_drawn() -> None:
    logits = np.array([[0.0, -1e6, -np.inf]], dtype=np.float32).repeat(3, axis=0)
    masks = np.ones((3, 3), dtype=np.int8)
    actions, log_probs = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.float32)
    sample(logits, masks, np.array([0.0, 0.5, np.nextafter(1.0, 0.0)]), actions, log_probs)
    assert actions.tolist() == [0, 0, 0]
    assert log_probs.tolist() == [0.0, 0.0, 0.0]
