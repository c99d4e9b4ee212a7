"""The single file: its advantages equal the compiled ones, and it learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from porta_nigra_env.envs.batch import BatchEnv
from tests.toys.dice.game import Dice
from tests.toys.kuhn.game import Kuhn
from tests.training.small import words
from training.ppo_single import ActorCritic, Options, compute_advantages, main, play, train
from training.run.trajectories import Estimates, Trajectories, returns

SMALL = words("--num-envs 16 --num-steps 16 --minibatch-size 64 --width 16 --games 20 --opponent random")


@pytest.mark.parametrize("game", [Kuhn(), Dice(3)], ids=str)
def test_advantages_are_those_of_the_compiled_learner(game: Kuhn | Dice) -> None:
    torch.manual_seed(1)
    env = BatchEnv(game, 50, reward="margin")
    env.reset(seed=1)
    rollout = play(env, ActorCritic(game.observations.size, game.actions.size, 8), 20)
    found, known = compute_advantages(rollout, 0.9, 0.8)
    values = rollout.values.numpy()[..., None].repeat(game.num_players, axis=2)
    shape = values.shape
    wanted = Estimates(
        np.zeros(shape[:2], dtype=np.float32), np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.int8)
    )
    players = np.full(50, game.num_players, dtype=np.int8)
    returns(Trajectories(players, rollout.movers, rollout.rewards, rollout.ended, values), 0.9, 0.8, wanted)
    np.testing.assert_array_equal(known, wanted.known[..., 0] != 0)
    assert 0.5 < known.mean() < 1.0
    np.testing.assert_allclose(found[known], wanted.advantages[known], atol=1e-5)


def test_it_learns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Against random play in Kuhn poker 0.5 is even, and the best response wins two thirds."""
    options = ["--game", "kuhn", *SMALL, *words("--num-envs 64 --games 2000 --learning-rate 0.003")]
    assert main([*options, "--total-timesteps", "60000", "--out", str(tmp_path / "weights.pt")]) == 0
    share = float(capsys.readouterr().out.split()[1].rstrip("%"))
    assert share > 57.0
    weights = torch.load(tmp_path / "weights.pt", weights_only=True)
    assert weights["policy.weight"].shape == (Kuhn().actions.size, 16)


def test_any_number_of_players(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*words("--game dice --players 4"), *SMALL, "--total-timesteps", "512"]) == 0
    assert "4 players" in capsys.readouterr().out


def test_a_few_steps_leave_finite_weights() -> None:
    network, _ = train(Options(total_timesteps=20, num_envs=1, num_steps=2, minibatch_size=4, width=8, games=2))
    assert all(bool(torch.isfinite(one).all()) for one in network.parameters())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--players 9", "9"),
        ("--game chess", "there is no game 'chess'"),
        ("--opponent nobody", "nobody"),
        ("--out nowhere/weights.pt", "--out: there is no folder nowhere"),
        ("--reward money", "reward must be one of"),
        ("--minibatch-size 0", "--minibatch-size must be at least 1, not 0"),
        ("--num-steps 1", "--num-steps must be at least 2, not 1"),
        ("--clip-coef -1", "--clip-coef must be positive, not -1"),
    ],
)
def test_wrong_options(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SMALL, *options.split()]) == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
