"""Expert iteration: it solves a game with a known solution, and resumes exactly."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import Network, load_network, save_network
from agents.networks.neural import NetworkAgent
from agents.search.guided import GuidedResult, GuidedSearch
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.agents.test_network import Tiny, TinyShape
from tests.toys.nim.game import Nim
from tests.training.small import Refused, words
from training.expert.options import Options
from training.expert.program import Expert, losses, main
from training.expert.replay import ReplayBuffer
from training.expert.selfplay import Deals, SearchedGames, SearchPlayer, mean_of
from training.expert.teachers import MirrorTeacher
from training.run.folder import CHECKPOINT, METRICS, NETWORK, read_lines

SMALL: dict[str, Any] = {
    "num_envs": 6, "num_simulations": 8, "fast_simulations": 3, "parallel_simulations": 2, "full_search_prob": 0.5,
    "buffer_size": 3000, "batch_size": 64, "width": 16, "replay_ratio": 1.0, "evaluate": (), "threads": 1,
    "precision": "float32", "device": "cpu",
}  # fmt: skip
OPTIONS = words("--num-envs 6 --num-simulations 8 --fast-simulations 3 --batch-size 64 --width 16 --threads 1")
OPTIONS += words("--evaluate random --evaluations 1 --deals 2 --precision float32 --buffer-size 3000")


@pytest.mark.long
def test_nim_is_solved_from_nothing(tmp_path: Path) -> None:
    chosen = SMALL | {
        "num_envs": 64,
        "num_simulations": 48,
        "fast_simulations": 12,
        "batch_size": 256,
        "width": 64,
        "learning_rate": 3e-3,
        "replay_ratio": 8.0,
    }
    expert = Expert(Options(**chosen, total_timesteps=20_000), [Nim()], tmp_path)
    while expert.progress < 1.0:
        expert.iterate()
    game = Nim()
    agent = NetworkAgent("learned", game, expert.network.eval())
    for heap in range(5, 20):
        if heap % 4 == 0:
            continue
        view = View(game, game.load_position({"heap": heap, "current_player": 0}), 0, 0)
        assert game.action_texts[agent.act(view)] == f"take {heap % 4}", heap
    # Values: won with 5, 6, 7 left, lost with 4 or 8.
    values = {}
    for heap in (4, 5, 6, 7, 8):
        view = View(game, game.load_position({"heap": heap, "current_player": 0}), 0, 0)
        values[heap] = float(agent.value(view)[0])
    assert max(values[4], values[8]) < min(values[5], values[6], values[7])


def test_a_resumed_run_equals_one_without_a_break(tmp_path: Path) -> None:
    arguments = Options(**SMALL, total_timesteps=100_000)
    games = [PortaNigra(2), PortaNigra(3)]
    whole, first = (Expert(arguments, games, tmp_path / name) for name in ("whole", "first"))
    for _ in range(4):
        whole.iterate()
    for _ in range(2):
        first.iterate()
    (tmp_path / "second").mkdir()
    first.save(tmp_path / "second" / CHECKPOINT)
    # The first run continues and is cut off, with rows in its buffer that no checkpoint counts.
    first.iterate()
    first.buffer.flush()
    shutil.copytree(tmp_path / "first" / "replay", tmp_path / "second" / "replay")
    second = Expert(arguments, games, tmp_path / "second")
    second.load(tmp_path / "second" / CHECKPOINT)
    for _ in range(2):
        second.iterate()
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, second.network.state_dict()[name]), name
    assert (second.iteration, second.steps) == (whole.iteration, whole.steps)


def test_a_custom_network_is_trained(tmp_path: Path) -> None:
    game = PortaNigra(2)
    tiny = Tiny(TinyShape(game.observations.size, game.actions.size, max(game.seats), 8))
    save_network(tmp_path / "tiny", tiny, [game])
    folder, files = tmp_path / "run", ["--start", str(tmp_path / "tiny"), "--out", str(tmp_path / "run")]
    assert main([*OPTIONS, "--total-timesteps", "500", *files]) == 0
    (tmp_path / "tiny").unlink()
    assert main(["--resume", str(folder), "--total-timesteps", "1500"]) == 0
    found = load_network(folder / NETWORK, game)
    assert isinstance(found, Tiny)
    assert found.fingerprint() != tiny.fingerprint()


def test_a_run_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*OPTIONS, "--total-timesteps", "1500", "--out", str(folder)]) == 0
    lines = read_lines(folder / METRICS)
    assert lines
    assert all(np.isfinite(value) for line in lines for value in line.values())
    assert (folder / "curve.png").exists()
    assert (folder / NETWORK).exists()
    count = len(lines)
    assert main(["--resume", str(folder), "--total-timesteps", "4000", "--threads", "1"]) == 0
    more = len(read_lines(folder / METRICS))
    assert more > count
    # Without its replay buffer it is refused before anything changes.
    part = folder / "replay" / "policies.bin"
    kept = part.read_bytes()
    for damaged in (kept[:-1], None):
        part.unlink() if damaged is None else part.write_bytes(damaged)
        assert main(["--resume", str(folder), "--total-timesteps", "9000", "--threads", "1"]) == 2
        assert re.search("policies.bin: missing or cut off", capsys.readouterr().err)
    assert len(read_lines(folder / METRICS)) == more
    # An initial network.
    assert (
        main([*OPTIONS, "--total-timesteps", "500", "--out", str(tmp_path / "b"), "--start", str(folder / NETWORK)])
        == 0
    )
    assert "against" not in capsys.readouterr().err


def test_the_replay_buffer_forgets_the_oldest(tmp_path: Path) -> None:
    game = Nim()
    buffer = ReplayBuffer(tmp_path, 10, game)

    def rows(first: int, count: int) -> dict[str, Any]:
        numbers = np.arange(first, first + count)
        zeros = {"masks": np.ones((count, 3)), "policies": np.zeros((count, 3))}
        zeros |= {"with_policy": np.ones((count, 1)), "players": np.full((count, 1), 2)}
        results = np.repeat(numbers[:, None], max(game.seats), axis=1)
        return zeros | {"observations": np.zeros((count, game.observations.size)), "results": results}

    buffer.add(rows(0, 8))
    assert set(buffer.sample(500, np.random.default_rng(1))["results"][:, 0].tolist()) == set(range(8))
    buffer.add(rows(8, 6))
    assert set(buffer.sample(500, np.random.default_rng(1))["results"][:, 0].tolist()) == set(range(4, 14))


def test_the_loss_by_hand() -> None:
    batch = {
        "masks": torch.tensor([[1, 0, 1], [1, 1, 0]]),
        "policies": torch.tensor([[0.25, 0.0, 0.75], [1.0, 0.0, 0.0]]),
        "results": torch.tensor([[1.0, -1.0, 0.0, 0.0], [0.5, 0.5, -1.0, 0.0]]),
        "with_policy": torch.tensor([[1], [0]]),
        "players": torch.tensor([[2], [3]]),
    }
    values = torch.zeros(2, 4)
    policy_loss, value_loss = losses(torch.tensor([[0.0, 9.0, 0.0], [3.0, 0.0, 0.0]]), values, batch)
    # Only the first row's policy is learned from: two legal actions of probability 1/2.
    assert float(policy_loss) == pytest.approx(np.log(2))
    assert float(value_loss) == pytest.approx((1 + 1 + 0.25 + 0.25 + 1) / 5)


def searched_games(**more: Any) -> tuple[SearchPlayer, SearchedGames]:
    """Return games of Nim by an untrained network."""
    torch.manual_seed(1)
    options = Options(
        num_simulations=16, fast_simulations=16, full_search_prob=1.0, device="cpu", precision="float32", threads=1
    )  # fmt: skip
    player = SearchPlayer([Nim()], Network(Shape.of(Nim(), 8)), replace(options, **more))
    return player, player.play(Deals(2, 1, 6, np.random.default_rng(1)))


#: A mirror-descent search.
MIRROR: dict[str, Any] = {
    "search": "mirror", "determinizations": 24, "candidates": 3, "rollout_steps": 20, "step_size": 20.0,
    "noise_std_errors": 0.0, "max_certainty": 1.0,
}  # fmt: skip


def test_values_learn_from_results_and_from_search() -> None:
    results, means, mixed = (searched_games(value_mix=mix)[1].rows["results"][:, :2] for mix in (0.0, 1.0, 0.25))
    assert set(np.unique(results).tolist()) == {-1.0, 1.0}
    assert 0.0 < np.abs(means).mean() < 1.0
    np.testing.assert_allclose(mixed, 0.75 * results + 0.25 * means, atol=1e-6)


def test_values_do_not_learn_from_the_network_s_own_values() -> None:
    """Without a search, values learn the result of the game."""
    everywhere, nowhere = (
        searched_games(**MIRROR, full_search_prob=full, value_mix=1.0)[1].rows for full in (1.0, 1e-9)
    )
    assert set(np.unique(nowhere["results"][:, :2]).tolist()) == {-1.0, 1.0}
    assert not nowhere["with_policy"].any()
    assert 0.0 < np.abs(everywhere["results"][:, :2]).mean() < 1.0
    sure = MIRROR | {"max_certainty": 1e-9}
    results = searched_games(**sure, full_search_prob=1.0, value_mix=1.0)[1].rows["results"][:, :2]
    assert set(np.unique(results).tolist()) == {-1.0, 1.0}


def test_mirror_descent_search_teaches() -> None:
    """It finds the winning moves of Nim; other steps are played by the network."""
    player, games = searched_games(**MIRROR, full_search_prob=0.5)
    kept = games.rows
    taught = kept["with_policy"][:, 0]
    assert 0 < taught.sum() < len(taught)
    assert not kept["policies"][~taught].any()
    np.testing.assert_allclose(kept["policies"][taught].sum(axis=1), 1.0, atol=2e-3)
    env = BatchEnv(Nim(), 1, autoreset_mode="DISABLED")
    for heap in (2, 3):
        env.load(np.array([Nim().load_position({"heap": heap, "current_player": 0})[0]]), seed=1)
        said = player.teachers[2].teach(env.views(np.array([0])), True, np.array([5]), 0.0)
        assert said.actions.tolist() == [heap - 1]
        assert said.improved[0].argmax() == heap - 1
        assert said.means[0, 0] > 0.9
        assert said.means[0].sum() == pytest.approx(0.0)


def test_a_certain_action_is_not_searched() -> None:

    def likes_one(observations: Any, masks: Any) -> tuple[Any, Any]:
        logits = np.zeros(masks.shape, dtype=np.float32)
        logits[:, 0] = 3.0
        return logits, np.zeros((len(masks), 2), dtype=np.float32)

    env = BatchEnv(Nim(), 1, autoreset_mode="DISABLED")
    env.load(np.array([Nim().load_position({"heap": 2, "current_player": 0})[0]]), seed=1)
    views, shares = env.views(np.array([0])), np.exp([3.0, 0.0]) / np.exp([3.0, 0.0]).sum()
    for sure, best in ((0.99, 1), (0.9, 0)):
        teacher = MirrorTeacher(Nim(), likes_one, Options(**MIRROR | {"max_certainty": sure}))
        said = teacher.teach(views, True, np.array([5]), 0.0)
        assert said.actions.tolist() == [best]
        assert said.agreed.tolist() == [best == 0]
        if best == 0:
            np.testing.assert_allclose(said.improved[0, :2], shares, rtol=1e-6)
            assert said.means[0].tolist() == [0.0, 0.0]
        assert said.searched.tolist() == [best == 1]


def test_agreement_counts_searched_steps_only() -> None:
    sure = MIRROR | {"max_certainty": 0.0}
    assert searched_games(**sure, full_search_prob=1.0)[1].figures["agreed"] == 0.0
    every = searched_games(**MIRROR, full_search_prob=1.0)[1]
    assert 0.0 < every.figures["agreed"] < 1.0
    assert mean_of([np.array([True, False]), np.array([]), np.array([True])]) == pytest.approx(2 / 3)


def test_actions_are_sampled_only_with_noise() -> None:
    player, _ = searched_games(**MIRROR)
    env = BatchEnv(Nim(), 400, autoreset_mode="DISABLED")
    env.reset(seed=1)
    views, seeds = env.views(np.arange(400)), np.arange(400)
    drawn, best = (player.teachers[2].teach(views, False, seeds, noise).actions for noise in (1.0, 0.0))
    logits, _ = player.evaluate_positions(views.observations, views.action_masks)
    assert best.tolist() == logits.argmax(axis=1).tolist()
    shares = np.exp(logits[0]) / np.exp(logits[0]).sum()
    np.testing.assert_allclose(np.bincount(drawn, minlength=3) / 400, shares, atol=0.1)


def test_later_steps_are_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    run = GuidedSearch.run

    def told(
        search: GuidedSearch, roots: Any, players: Any, seeds: Any, noise: float = 0.0, **more: Any
    ) -> GuidedResult:
        asked.append(noise)
        return run(search, roots, players, seeds, noise, **more)

    monkeypatch.setattr(GuidedSearch, "run", told)
    searched_games(noise_steps=3)
    assert asked[:3] == [1.0] * 3
    assert set(asked[3:]) == {0.0}
    asked.clear()
    searched_games()
    assert set(asked) == {1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--prior-temperature 0", "--prior-temperature must be positive"),
        ("--value-mix 1.5", "--value-mix must be in [0, 1]"),
        ("--noise-steps -1", "--noise-steps must be at least 0, not -1"),
        ("--search best", "--search must be gumbel or mirror"),
        ("--determinizations 8", "--determinizations: only with --search mirror, not with gumbel"),
        ("--search mirror --num-simulations 4", "--num-simulations: only with --search gumbel, not with mirror"),
        ("--search mirror --candidates 1", "--candidates must be at least 2"),
        ("--step-size -1", "--step-size must be at least 0, not -1"),
        ("--players 6", "--players must be out of 2, 3, 4"),
        ("--num-simulations 0", "--num-simulations must be at least 1"),
        ("--full-search-prob 0", "--full-search-prob must be in (0, 1]"),
        ("--start nowhere", "there is no such file"),
    ],
)
def test_wrong_options(options: str, message: str, refused: Refused) -> None:
    refused(main, [*OPTIONS, *options.split()], message)
