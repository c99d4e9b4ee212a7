"""The parts of the policy gradient, each against an example worked out by hand or a second way to compute it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from training.losses import REPORTED, Clip, gradient, loss, returns, sample


def worked_out(
    movers: Any, rewards: Any, ended: Any, values: Any, discount: float = 1.0, trace: float = 1.0, players: int = 0
) -> tuple[Any, Any, Any]:
    """`returns` of one game's row; as many players as columns of rewards, or less."""
    movers = np.array(movers, dtype=np.int8)[:, None]
    rewards = np.array(rewards, dtype=np.float32)[:, None]
    ended = np.array(ended, dtype=np.bool_)[:, None]
    values = np.array(values, dtype=np.float32)[:, None]
    advantages, targets = np.zeros(movers.shape, dtype=np.float32), np.zeros_like(values)
    known = np.zeros(values.shape, dtype=np.int8)
    counts = np.array([players or rewards.shape[2]], dtype=np.int8)
    returns(counts, movers, rewards, ended, values, discount, trace, advantages, targets, known)
    return advantages[:, 0], targets[:, 0], known[:, 0]


def test_advantages_run_along_a_seats_own_decisions() -> None:
    # Seats 0, 1, 0, 1; the game ends with the last decision: seat 0 wins.  Seat 1 also gains 0.5 in seat 0's turn.
    advantages, targets, known = worked_out(
        movers=[0, 1, 0, 1],
        rewards=[[0, 0], [0, 0], [0, 0.5], [1, -1]],
        ended=[False, False, False, True],
        values=[[0.1, 0.0], [0.2, 0.0], [0.3, 0.0], [0.4, 0.0]],
        discount=0.9,
        trace=0.5,
    )
    # By hand, backwards.  Step 3, seat 1: -1 - 0.4.  Step 2, seat 0: 1 - 0.3, gained in seat 1's turn.
    # Step 1, seat 1: 0.5 + 0.9 * (0.4 + 0.5 * -1.4) - 0.2.  Step 0, seat 0: 0 + 0.9 * (0.3 + 0.5 * 0.7) - 0.1.
    assert advantages.tolist() == pytest.approx([0.485, 0.03, 0.7, -1.4])
    assert targets[:, 0].tolist() == pytest.approx([0.585, 0.23, 1.0, -1.0])
    assert known.all()
    # The other seat's value at step 2 is that of its own next decision, with what it gains on the way: 0.5 + 0.9 * -1.
    assert targets[2, 1] == pytest.approx(0.5 + 0.9 * -1.0)


def test_the_last_decision_of_each_seat_is_not_learned_from_where_the_data_end() -> None:
    advantages, targets, known = worked_out(
        movers=[0, 1, 0],
        rewards=[[0, 0], [0, 0], [0, 0]],
        ended=[False, False, False],
        values=[[0.1, 0.0], [0.2, 0.0], [0.5, 0.0]],
    )
    assert known.tolist() == [[1, 1], [0, 1], [0, 0]]
    assert advantages.tolist() == pytest.approx([0.4, 0.0, 0.0])
    assert targets[0].tolist() == pytest.approx([0.5, 0.2])


def test_nothing_flows_from_one_game_into_the_one_before() -> None:
    advantages, _, known = worked_out(
        movers=[0, 1, 1, 0],
        rewards=[[0, 0], [-1, 1], [0, 0], [5, -5]],
        ended=[False, True, False, True],
        values=[[0, 0], [0, 0], [0, 0], [0, 0]],
    )
    assert advantages.tolist() == [-1, 1, -5, 5]
    assert known.all()


def test_seats_of_three_stand_in_the_order_of_play() -> None:
    _, targets, known = worked_out(
        movers=[2, 0, 1],
        rewards=[[0, 0, 0], [0, 0, 0], [10, 20, 30]],
        ended=[False, False, True],
        values=[[0] * 4] * 3,
    )
    # From seat 2 on: 2, 0, 1; the fourth place is nobody's.
    assert targets[0, :3].tolist() == [30, 10, 20]
    assert targets[1, :3].tolist() == [10, 20, 30]
    assert known[:, 3].tolist() == [0, 0, 0]


def test_a_game_of_two_beside_games_of_four() -> None:
    """Rewards of a row have columns for the largest game; seats are counted around the row's own table."""
    rng = np.random.default_rng(3)
    movers, values = [0, 1, 0, 1, 1], rng.normal(size=(5, 4))
    rewards, ended = rng.normal(size=(5, 2)), [False, False, True, False, False]
    alone = worked_out(movers, rewards, ended, values, 0.9, 0.8)
    wide = worked_out(movers, np.pad(rewards, ((0, 0), (0, 2))), ended, values, 0.9, 0.8, players=2)
    for one, other in zip(alone, wide, strict=True):
        assert np.array_equal(one, other)
    assert not alone[2][:, 2:].any()


def test_with_trace_and_discount_one_targets_are_the_results() -> None:
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


def a_batch(seed: int, rows: int = 64, actions: int = 12) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    masks = (rng.random((rows, actions)) < 0.4).astype(np.int8)
    chosen = rng.integers(0, actions, rows)
    masks[np.arange(rows), chosen] = 1
    known = (rng.random((rows, 4)) < 0.8).astype(np.int8)
    return {
        "logits": rng.normal(size=(rows, actions)).astype(np.float32),
        "values": rng.normal(size=(rows, 4)).astype(np.float32),
        "masks": masks,
        "actions": chosen,
        "logs": np.log(rng.uniform(0.05, 0.9, rows)).astype(np.float32),
        "advantages": rng.normal(size=rows).astype(np.float32),
        "targets": rng.normal(size=(rows, 4)).astype(np.float32),
        "known": known,
    }


@pytest.mark.parametrize("seed", range(3))
def test_the_compiled_gradient_is_that_of_the_loss(seed: int) -> None:
    batch, clip = a_batch(seed), Clip(0.2, 0.03, 0.5, 0.25)
    tensors = {name: torch.from_numpy(array) for name, array in batch.items()}
    tensors["logits"].requires_grad_()
    tensors["values"].requires_grad_()
    total, reported = loss(**tensors, share=1 / 50, clip=clip)
    total.backward()  # type: ignore[no-untyped-call]
    slopes, value_slopes, found = np.zeros((64, 12), np.float32), np.zeros((64, 4), np.float32), np.zeros(len(REPORTED))
    logits, values, *rest = batch.values()
    gradient(logits, values, 1 / 50, clip, slopes, value_slopes, found, *rest)
    assert tensors["logits"].grad is not None
    assert tensors["values"].grad is not None
    np.testing.assert_allclose(slopes, tensors["logits"].grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(value_slopes, tensors["values"].grad.numpy(), atol=1e-6)
    np.testing.assert_allclose(found, reported.numpy(), rtol=1e-4, atol=1e-6)
    assert not slopes[batch["masks"] == 0].any()


def test_the_loss_by_hand() -> None:
    # Two legal actions of probability 1/2, old probability 0.4: the ratio 1.25 is beyond 1.2, the gain counts as 1.2.
    total, reported = loss(
        logits=torch.tensor([[0.0, 5.0, 0.0]]),
        values=torch.tensor([[0.5]]),
        masks=torch.tensor([[1, 0, 1]]),
        actions=torch.tensor([2]),
        logs=torch.tensor([np.log(0.4)]),
        advantages=torch.tensor([2.0]),
        targets=torch.tensor([[1.5]]),
        known=torch.tensor([[1]]),
        share=1.0,
        clip=Clip(0.2, 0.1, 0.5, 0.0),
    )
    policy_loss, value_loss, entropy, kl, clipped = reported.tolist()
    assert policy_loss == pytest.approx(-2.4)
    assert value_loss == pytest.approx(0.25)
    assert entropy == pytest.approx(np.log(2))
    assert kl == pytest.approx(0.25 - np.log(1.25))
    assert clipped == 1
    assert float(total) == pytest.approx(-2.4 + 0.25 - 0.1 * np.log(2))


def test_samples_are_legal_and_follow_the_probabilities() -> None:
    logits = np.array([[1.0, 50.0, 0.0, -1.0]], dtype=np.float32).repeat(20_000, axis=0)
    masks = np.array([[1, 0, 1, 1]], dtype=np.int8).repeat(20_000, axis=0)
    actions, logs = np.zeros(20_000, dtype=np.int64), np.zeros(20_000, dtype=np.float32)
    sample(logits, masks, np.random.default_rng(1).random(20_000), actions, logs)
    weights = np.exp([1.0, 0.0, -1.0])
    expected = weights / weights.sum()
    counts = np.bincount(actions, minlength=4)
    assert counts[1] == 0
    # Four standard errors of a share of 20,000.
    assert counts[[0, 2, 3]] / 20_000 == pytest.approx(expected, abs=0.014)
    assert logs == pytest.approx(np.log(expected)[[0, 0, 1, 2]][actions], abs=1e-5)


def test_an_action_without_probability_is_never_drawn() -> None:
    logits = np.array([[0.0, -1e6, -np.inf]], dtype=np.float32).repeat(3, axis=0)
    masks = np.ones((3, 3), dtype=np.int8)
    actions, logs = np.zeros(3, dtype=np.int64), np.zeros(3, dtype=np.float32)
    sample(logits, masks, np.array([0.0, 0.5, np.nextafter(1.0, 0.0)]), actions, logs)
    assert actions.tolist() == [0, 0, 0]
    assert logs.tolist() == [0.0, 0.0, 0.0]
