"""Distillation: results of lookahead, their effect on the policy, unchanged values, exact resumption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import Network, load_network, save_network
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.toys.dice.game import Dice
from tests.toys.nim.game import Nim
from tests.training.small import SMALL, Refused, assert_resumes, words
from training import ppo
from training.distil.lookahead import Lookahead, Trial
from training.distil.program import Distillation, Lessons, Options, join, main, policy_change
from training.ppo.collector import Inputs
from training.run.folder import CHECKPOINT, METRICS, NETWORK, read_lines

TINY: dict[str, Any] = SMALL | {"num_envs": 32, "num_steps": 8, "lookahead_interval": 2}
OPTIONS = words(
    "--num-envs 32 --num-steps 8 --lookahead-interval 2 --minibatch-size 64 --threads 1 --precision float32"
)
OPTIONS += words("--evaluate random --evaluations 1 --deals 2")


def made(game: Game, **more: Any) -> Distillation:
    """Return a distillation of an untrained network."""
    found = Distillation(Options(**TINY | {"total_timesteps": 100_000, "max_certainty": 1.0} | more), [game])
    found.teacher.network.load_state_dict(found.network.state_dict())
    return found


def inputs_of(env: BatchEnv) -> Inputs:
    players = np.full(env.num_envs, env.game.num_players, dtype=np.int8)
    nothing = np.zeros((env.num_envs, 0), dtype=np.float16)
    return Inputs(env.observations, env.action_masks, env.current_player, players, nothing)


def heaps(*sizes: int) -> BatchEnv:
    """Return heaps of nim with the first player to move."""
    game = Nim()
    env = BatchEnv(game, len(sizes), observations="uint8")
    env.load([{"heap": one, "current_player": 0} for one in sizes], seed=1)
    return env


def tried(lookahead: Lookahead, env: BatchEnv) -> Trial:
    inputs = inputs_of(env)
    return lookahead.try_actions(env.states, inputs, lookahead.evaluate(inputs).log_probs, np.random.default_rng(1))


def test_a_winning_action_is_ahead() -> None:
    """With up to three left, taking all wins; with two left, taking one loses."""
    lookahead = made(Nim(), rollout_steps=20).lookahead
    found = tried(lookahead, heaps(1, 2, 3))
    for row, heap in enumerate((1, 2, 3)):
        assert found.ahead[row][found.actions[row] == heap - 1] == found.ahead[row].max()
    assert found.legal.sum(axis=1).tolist() == [1, 2, 3]
    # A single action is ahead of nothing; of two actions the better one is ahead by the loss of the other.
    assert found.ahead[0, 0] == 0.0
    assert np.ptp(found.ahead[1, :2]) == 2.0
    assert (found.ahead[~found.legal] == 0.0).all()


def test_the_teacher_s_values_replace_unfinished_games() -> None:
    """After one action the opponent moves; its value for the seat to its left is the mover's."""
    training = made(Nim(), rollout_steps=0)
    with torch.no_grad():
        training.teacher.network.value.weight.zero_()
        training.teacher.network.value.bias.copy_(
            torch.tensor([0.5, -0.25, 9.0, 9.0])[: len(training.teacher.network.value.bias)]
        )
        training.teacher.network.policy.weight.zero_()
        training.teacher.network.policy.bias.zero_()
    found = tried(training.lookahead, heaps(2, 7))
    # Taking both wins 1, taking one yields -0.25; the mean under equal probabilities is 0.375.
    taken = dict(zip(found.actions[0].tolist(), found.ahead[0].tolist(), strict=True))
    assert taken[1] == pytest.approx(1.0 - 0.375)
    assert taken[0] == pytest.approx(-0.25 - 0.375)
    # Without a winning action all are equal.
    assert np.abs(found.ahead[1]).max() < 1e-6


def test_values_are_those_of_the_mover_s_seat() -> None:
    """With three players the index of the mover's value depends on the next mover."""
    game, expected = Dice(3), [0.5, -0.25, 0.125]
    training = made(game, rollout_steps=0)
    with torch.no_grad():
        training.teacher.network.value.weight.zero_()
        training.teacher.network.value.bias[:3] = torch.tensor(expected)
    env = BatchEnv(game, 64, observations="uint8", autoreset_mode="DISABLED")
    env.reset(seed=3)
    generator, seen = np.random.default_rng(2), set()
    for _ in range(30):
        states, movers = env.states.copy(), env.current_player.astype(np.int64)
        actions = env.random_actions(generator)
        step = env.step(actions)
        rows = np.flatnonzero((movers >= 0) & (step.current_player >= 0))
        if not len(rows):
            break
        nothing = np.zeros((0, len(rows)))
        found = training.lookahead._roll_out(3, states[rows], actions[rows], movers[rows], nothing)
        # The mover's seat offset from the next mover.
        further = [
            next(k for k in range(3) if (then + k) % 3 == mover)
            for then, mover in zip(step.current_player[rows].tolist(), movers[rows].tolist(), strict=True)
        ]
        assert found == pytest.approx([expected[k] for k in further])
        seen |= set(further)
    # The next mover is the mover again, or sits to its left.
    assert seen == {0, 2}


def test_rollouts_follow_the_network_s_policy() -> None:
    """Results of three-player dice, hidden cups included, equal those of games played step by step."""
    game = Dice(3)
    training = made(game, rollout_steps=60, candidates=4)
    env = BatchEnv(game, 16, observations="uint8")
    step = env.reset(seed=3)
    for _ in range(5):
        step = env.step(env.random_actions(np.random.default_rng(2)))
    lookahead, inputs, before = training.lookahead, inputs_of(env), env.states.copy()
    evaluation = lookahead.evaluate(inputs)
    found = lookahead.try_actions(env.states, inputs, evaluation.log_probs, np.random.default_rng(7))
    assert env.states.tobytes() == before.tobytes()
    uniforms = np.random.default_rng(7).random((60, 16))
    for row in range(16):
        results = []
        shares = np.exp(evaluation.log_probs[row][found.actions[row]])[found.legal[row]]
        for action in found.actions[row][found.legal[row]].tolist():
            single = BatchEnv(game, 1, autoreset_mode="DISABLED", observations="uint8")
            single.load(before[row : row + 1], seed=0)
            mover, result, chosen, ply = int(step.current_player[row]), 0.0, action, 0
            while True:
                played = single.step(np.array([chosen]))
                result += float(played.rewards[0, mover])
                if played.current_player[0] < 0:
                    break
                weights = np.exp(lookahead.evaluate(inputs_of(single)).log_probs[0].astype(np.float64))
                edges = np.cumsum(weights) / weights.sum()
                chosen, ply = int(np.searchsorted(edges, uniforms[ply, row], side="right")), ply + 1
            results.append(result)
        expected = np.array(results) - (shares * results).sum() / shares.sum()
        assert found.ahead[row][found.legal[row]] == pytest.approx(expected, abs=1e-5), row


def test_policy_change_by_hand() -> None:
    masks = np.array([[1, 1, 0]], dtype=np.int8)
    inputs = Inputs(np.zeros((1, 2)), masks, np.zeros(1), np.full(1, 2), np.zeros((1, 0)))
    even = np.log(np.array([[0.5, 0.5, 1e-30]], dtype=np.float32))
    lessons = Lessons(inputs, even, np.zeros((1, 2)), np.array([[1, 0]]), np.array([[0.2, -0.2]], dtype=np.float32))
    gained, divergence = policy_change(torch.log(torch.tensor([[0.25, 0.75, 5.0]])), lessons, np.array([0]))
    assert float(gained) == pytest.approx(0.75 * 0.2 - 0.25 * 0.2)
    assert float(divergence) == pytest.approx(0.25 * np.log(0.5) + 0.75 * np.log(1.5))


def test_uncertain_steps_are_tried_and_as_many_others_held() -> None:
    """A teacher that is certain everywhere tries nothing."""
    training = made(PortaNigra(2), max_certainty=1e-6)
    env = BatchEnv(PortaNigra(2), 64, observations="uint8")
    env.reset(seed=1)
    assert len(training.lessons(env.states, inputs_of(env)).actions) == 0
    assert training.learn([])["lessons"] == 0.0
    doubting = made(PortaNigra(2), max_certainty=0.6)
    with torch.no_grad():
        doubting.teacher.network.policy.weight.mul_(2000.0)
    lessons = doubting.lessons(env.states, inputs_of(env))
    surest = np.exp(lessons.log_probs.max(axis=1))
    doubtful = surest < 0.6
    choices = int((env.action_masks.sum(axis=1) > 1).sum())
    assert 0 < doubtful.sum() < choices
    assert (~doubtful).sum() == min(doubtful.sum(), choices - doubtful.sum())
    assert (lessons.ahead[~doubtful] == 0.0).all()
    assert ((lessons.inputs.masks != 0).sum(axis=1) > 1).all()
    assert len(join([lessons, lessons]).actions) == 2 * len(lessons.actions)


def test_the_number_of_threads_does_not_change_few_lessons() -> None:
    learned = []
    for threads in (1, 4):
        training = made(PortaNigra(2), seed=5, threads=threads)
        env = BatchEnv(PortaNigra(2), 64, observations="uint8")
        env.reset(seed=1)
        lessons = training.lessons(env.states, inputs_of(env))
        few = Lessons(lessons.inputs.take(slice(3)), *(one[:3] for one in lessons[1:]))
        assert training.learn([few])["gradient"] > 0.0
        learned.append(training.learner.model.network.policy.bias.detach().clone())
    assert torch.allclose(learned[0], learned[1], atol=1e-5)


def test_nim_s_last_moves_are_learned_and_values_stay() -> None:
    training = made(Nim(), rollout_steps=20, num_envs=256, num_steps=16, learning_rate=5e-3, step_size=20.0, width=32)
    env = heaps(2, 3)
    inputs = inputs_of(env)
    before = training.lookahead.evaluate(inputs)
    for _ in range(12):
        figures = training.iterate()
    assert figures["lessons"] > 0
    assert figures["divergence"] > 0.01
    learned = Lookahead([Nim()], training.learner, 0, 2).evaluate(inputs)
    for row, heap in enumerate((2, 3)):
        assert np.exp(before.log_probs[row, heap - 1]) < 0.6
        assert np.exp(learned.log_probs[row, heap - 1]) > 0.9
    assert np.abs(learned.values[:, :2] - before.values[:, :2]).max() < 0.1
    # The teacher is unchanged.
    assert training.lookahead.evaluate(inputs).log_probs.tobytes() == before.log_probs.tobytes()


def test_a_resumed_run_equals_one_without_a_break(tmp_path: Path) -> None:
    games = [PortaNigra(2), PortaNigra(3)]
    save_network(tmp_path / "start", Network(Shape.of(games[0], 16, 1, True)), games)
    options = Options(**TINY, total_timesteps=100_000, start=tmp_path / "start")
    assert_resumes(lambda: Distillation(options, games), tmp_path / CHECKPOINT, 2, 2)


def test_a_run_by_command(tmp_path: Path) -> None:
    game = PortaNigra(2)
    save_network(tmp_path / "start", Network(Shape.of(game, 16, 1)), [game])
    folder, begun = tmp_path / "run", ["--start", str(tmp_path / "start")]
    assert main([*OPTIONS, *begun, "--total-timesteps", "500", "--out", str(folder)]) == 0
    (tmp_path / "start").unlink()
    assert main(["--resume", str(folder), "--total-timesteps", "1200"]) == 0
    lines = read_lines(folder / METRICS)
    assert all(np.isfinite(value) for line in lines for value in line.values())
    assert lines[-1]["lessons"] > 0
    assert load_network(folder / NETWORK, game).reward == "outcome"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "--start: name the network to teach"),
        ("--start network --device cuda", "--device must be cpu"),
        ("--start network --max-certainty 0", "--max-certainty must be in"),
        ("--start network --candidates 1", "--candidates must be at least 2"),
        ("--start network --lookahead-interval 0", "--lookahead-interval must be at least 1"),
        ("--start network --vf-coef -1", "--vf-coef must be at least 0"),
        ("--start network --step-size inf", "--step-size must be at least 0"),
        ("--start network --lookahead-interval 9 --num-steps 8", "--lookahead-interval must be at most --num-steps, 8"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, options.split(), message)


class Other(Network):
    """Custom class with the shape of `Network`."""


def test_a_network_of_another_class_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = PortaNigra(2)
    save_network(tmp_path / "start", Other(Shape.of(game, 16, 1)), [game])
    for program in (main, ppo.main):
        assert program(["--start", str(tmp_path / "start"), "--out", str(tmp_path / "run")]) == 2
        assert "its network is a Other, and this run's is a Network" in capsys.readouterr().err


def test_values_of_points_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = PortaNigra(2)
    network = Network(Shape.of(game, 16, 1))
    network.reward = "points"
    save_network(tmp_path / "start", network, [game])
    assert main(["--start", str(tmp_path / "start"), "--out", str(tmp_path / "run")]) == 2
    assert "points" in capsys.readouterr().err
