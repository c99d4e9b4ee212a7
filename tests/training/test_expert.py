"""Expert iteration: it solves a game with a known answer from nothing, and goes on exactly after a break."""

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
from agents.search.mirror import Effort
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.agents.test_network import Tiny, TinyShape
from tests.toys.nim.game import Nim
from training.expert.program import Arguments, Expert, losses, main
from training.expert.replay import ReplayBuffer
from training.expert.selfplay import Deals, SearchedGames, SearchPlayer, SearchSettings, mean_of
from training.expert.teachers import Gumbel, Mirror
from training.run.folder import CHECKPOINT, METRICS, NETWORK, read_lines

SMALL: dict[str, Any] = {
    "envs": 6, "simulations": 8, "quick": 3, "parallel": 2, "full": 0.5, "buffer": 3000, "batch": 64, "width": 16,
    "replay_ratio": 1.0, "evaluate": (), "threads": 1, "precision": "float32", "device": "cpu",
}  # fmt: skip
OPTIONS = ["--envs", "6", "--simulations", "8", "--quick", "3", "--batch", "64", "--width", "16", "--threads", "1"]
OPTIONS += ["--evaluate", "random", "--evaluations", "1", "--deals", "2", "--precision", "float32", "--buffer", "3000"]


def test_nim_is_solved_from_nothing(tmp_path: Path) -> None:
    chosen = SMALL | {
        "envs": 64,
        "simulations": 48,
        "quick": 12,
        "batch": 256,
        "width": 64,
        "learning_rate": 3e-3,
        "replay_ratio": 8.0,
    }
    expert = Expert(Arguments(**chosen, decisions=20_000), [Nim()], tmp_path)
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


def test_going_on_equals_a_run_without_a_break(tmp_path: Path) -> None:
    arguments = Arguments(**SMALL, decisions=100_000)
    games = [PortaNigra(2), PortaNigra(3)]
    whole, first = (Expert(arguments, games, tmp_path / name) for name in ("whole", "first"))
    for _ in range(4):
        whole.iterate()
    for _ in range(2):
        first.iterate()
    (tmp_path / "second").mkdir()
    first.save(tmp_path / "second" / CHECKPOINT)
    # The first one goes on and is cut off, with rows in its buffer that no checkpoint knows of.
    first.iterate()
    first.buffer.flush()
    shutil.copytree(tmp_path / "first" / "replay", tmp_path / "second" / "replay")
    second = Expert(arguments, games, tmp_path / "second")
    second.load(tmp_path / "second" / CHECKPOINT)
    for _ in range(2):
        second.iterate()
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, second.network.state_dict()[name]), name
    assert (second.iteration, second.decisions) == (whole.iteration, whole.decisions)


def test_a_network_of_ones_own_goes_on(tmp_path: Path) -> None:
    game = PortaNigra(2)
    tiny = Tiny(TinyShape(game.observations.size, game.actions.size, max(game.seats), 8))
    save_network(tmp_path / "tiny", tiny, [game])
    folder, files = tmp_path / "run", ["--start", str(tmp_path / "tiny"), "--out", str(tmp_path / "run")]
    assert main([*OPTIONS, "--decisions", "500", *files]) == 0
    (tmp_path / "tiny").unlink()
    assert main(["--resume", str(folder), "--decisions", "1500"]) == 0
    found = load_network(folder / NETWORK, game)
    assert isinstance(found, Tiny)
    assert found.fingerprint() != tiny.fingerprint()


def test_a_run_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert main([*OPTIONS, "--decisions", "1500", "--out", str(folder)]) == 0
    lines = read_lines(folder / METRICS)
    assert lines
    assert all(np.isfinite(value) for line in lines for value in line.values())
    assert (folder / "curve.png").exists()
    assert (folder / NETWORK).exists()
    count = len(lines)
    assert main(["--resume", str(folder), "--decisions", "4000", "--threads", "1"]) == 0
    more = len(read_lines(folder / METRICS))
    assert more > count
    # Without the decisions it learns from it does not go on, and says so before anything is changed.
    part = folder / "replay" / "policies.bin"
    kept = part.read_bytes()
    for damaged in (kept[:-1], None):
        part.unlink() if damaged is None else part.write_bytes(damaged)
        assert main(["--resume", str(folder), "--decisions", "9000", "--threads", "1"]) == 2
        assert re.search("policies.bin: missing or cut off", capsys.readouterr().err)
    assert len(read_lines(folder / METRICS)) == more
    # A network to begin with.
    assert main([*OPTIONS, "--decisions", "500", "--out", str(tmp_path / "b"), "--start", str(folder / NETWORK)]) == 0
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
    """Some games of Nim by a network that knows nothing."""
    torch.manual_seed(1)
    settings = SearchSettings(
        teacher=Gumbel(simulations=16, quick=16, parallel=4, exploration=1.25, prior_temperature=1.0),
        full=1.0, noisy=0, value_mix=0.0, device="cpu", bfloat16=False,
    )  # fmt: skip
    player = SearchPlayer([Nim()], Network(Shape.of(Nim(), 8)), replace(settings, **more))
    return player, player.play(Deals(2, 1, 6, np.random.default_rng(1)))


def test_values_learn_from_results_and_from_what_the_search_found() -> None:
    results, means, mixed = (searched_games(value_mix=mix)[1].kept["results"][:, :2] for mix in (0.0, 1.0, 0.25))
    assert set(np.unique(results).tolist()) == {-1.0, 1.0}
    assert 0.0 < np.abs(means).mean() < 1.0
    np.testing.assert_allclose(mixed, 0.75 * results + 0.25 * means, atol=1e-6)


def test_values_learn_from_no_word_of_the_networks_own() -> None:
    """Where a mirror search was left out, what values learn is the game's result."""
    everywhere, nowhere = (searched_games(teacher=MIRROR, full=full, value_mix=1.0)[1].kept for full in (1.0, 1e-9))
    assert set(np.unique(nowhere["results"][:, :2]).tolist()) == {-1.0, 1.0}
    assert not nowhere["with_policy"].any()
    assert 0.0 < np.abs(everywhere["results"][:, :2]).mean() < 1.0
    sure = replace(MIRROR, sure=1e-9)
    results = searched_games(teacher=sure, full=1.0, value_mix=1.0)[1].kept["results"][:, :2]
    assert set(np.unique(results).tolist()) == {-1.0, 1.0}


MIRROR = Mirror(Effort(worlds=24, candidates=3, plies=20, rows=72), step=20.0)


def test_a_network_that_plays_on_in_many_worlds_teaches() -> None:
    """What Nim's heaps ask for, in games that the network itself plays where nobody teaches."""
    player, games = searched_games(teacher=MIRROR, full=0.5)
    kept = games.kept
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


def test_where_the_network_is_sure_it_is_not_searched_for_better() -> None:
    """It learns there what it thinks already: from a sure network that takes one, that one is taken."""

    def likes_one(observations: Any, masks: Any) -> tuple[Any, Any]:
        logits = np.zeros(masks.shape, dtype=np.float32)
        logits[:, 0] = 3.0
        return logits, np.zeros((len(masks), 2), dtype=np.float32)

    env = BatchEnv(Nim(), 1, autoreset_mode="DISABLED")
    env.load(np.array([Nim().load_position({"heap": 2, "current_player": 0})[0]]), seed=1)
    views, shares = env.views(np.array([0])), np.exp([3.0, 0.0]) / np.exp([3.0, 0.0]).sum()
    for sure, best in ((0.99, 1), (0.9, 0)):
        teacher = Mirror(MIRROR.effort, 20.0, sure).teacher(Nim(), likes_one, 1)
        said = teacher.teach(views, True, np.array([5]), 0.0)
        assert said.actions.tolist() == [best]
        assert said.agreed.tolist() == [best == 0]
        if best == 0:
            np.testing.assert_allclose(said.improved[0, :2], shares, rtol=1e-6)
            assert said.means[0].tolist() == [0.0, 0.0]
        assert said.searched.tolist() == [best == 1]


def test_agreement_is_told_of_what_was_searched() -> None:
    """Where the network is sure nothing was searched, and there is nothing to agree about."""
    sure = Mirror(Effort(worlds=24, candidates=3, plies=20, rows=72), 20.0, sure=0.0)
    assert searched_games(teacher=sure, full=1.0)[1].figures["agreed"] == 0.0
    every = searched_games(teacher=MIRROR, full=1.0)[1]
    assert 0.0 < every.figures["agreed"] < 1.0
    assert mean_of([np.array([True, False]), np.array([]), np.array([True])]) == pytest.approx(2 / 3)


def test_what_a_teacher_says_is_drawn_only_where_it_is_asked_to() -> None:
    player, _ = searched_games(teacher=MIRROR)
    env = BatchEnv(Nim(), 400, autoreset_mode="DISABLED")
    env.reset(seed=1)
    views, seeds = env.views(np.arange(400)), np.arange(400)
    drawn, best = (player.teachers[2].teach(views, False, seeds, noise).actions for noise in (1.0, 0.0))
    logits, _ = player.evaluate_positions(views.observations, views.action_masks)
    assert best.tolist() == logits.argmax(axis=1).tolist()
    shares = np.exp(logits[0]) / np.exp(logits[0]).sum()
    np.testing.assert_allclose(np.bincount(drawn, minlength=3) / 400, shares, atol=0.1)


def test_later_decisions_are_without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []
    run = GuidedSearch.run

    def told(search: GuidedSearch, roots: Any, players: Any, seeds: Any, noise: float = 0.0, **more: Any) -> GuidedResult:
        asked.append(noise)
        return run(search, roots, players, seeds, noise, **more)

    monkeypatch.setattr(GuidedSearch, "run", told)
    searched_games(noisy=3)
    assert asked[:3] == [1.0] * 3
    assert set(asked[3:]) == {0.0}
    asked.clear()
    searched_games()
    assert set(asked) == {1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--prior-temperature", "0"], "--prior-temperature must be positive"),
        (["--value-mix", "1.5"], "--value-mix must be in 0..1"),
        (["--noisy", "-1"], "--noisy must be at least 0, not -1"),
        (["--search", "best"], "--search must be gumbel or mirror"),
        (["--worlds", "8"], "--worlds: of --search mirror, not of gumbel"),
        (["--search", "mirror", "--simulations", "4"], "--simulations: of --search gumbel, not of mirror"),
        (["--search", "mirror", "--candidates", "1"], "--candidates must be at least 2"),
        (["--step", "-1"], "--step must be at least 0, not -1"),
        (["--players", "6"], "--players must be out of 2, 3, 4"),
        (["--simulations", "0"], "--simulations must be at least 1"),
        (["--full", "0"], "--full must be in (0, 1]"),
        (["--start", "nowhere"], "there is no such file"),
        (["--evaluate", "cheating-mcts"], "sees the true state"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*OPTIONS, "--out", str(tmp_path / "run"), *options]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
