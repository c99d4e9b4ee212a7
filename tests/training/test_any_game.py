"""Training programs on games they do not know: seats, ranks, opponents without compiled policies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.networks.network import load_network
from agents.networks.neural import NetworkAgent
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.results import rank_by_totals
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import make_game
from tests.toys.kuhn.game import Kuhn, jit
from tests.training.small import make_training, words
from training import demo, ppo, publish, sb3_maskable_ppo
from training.expert import program as expert
from training.ppo.collector import winner_scores
from training.run.evaluation import default_opponents, make_opponent, play_deals, strength
from training.run.folder import EVALUATIONS, METRICS, NETWORK, read_lines

SMALL = words("--game kuhn --width 8 --deals 4 --evaluations 1 --threads 1")
PPO = [*SMALL, *words("--num-envs 8 --num-steps 16 --minibatch-size 64 --total-timesteps 256 --precision float32")]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    lines = read_lines(folder / METRICS)
    assert lines
    assert all(np.isfinite(value) for line in lines for value in line.values())
    return lines


def test_a_game_without_agents_is_measured_against_random(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert default_opponents("kuhn") == ("random",)
    assert ppo.main([*PPO, "--pool-fraction", "0.5", "--critic", "privileged", "--out", str(folder)]) == 0
    assert "won_against/random, 2 players" in lines_of(folder)[-1]
    (evaluation,) = read_lines(folder / EVALUATIONS)
    assert list(evaluation["shares"]) == ["random, 2 players"]
    # The run keeps the defaults of the game.
    arguments = json.loads((folder / "config.json").read_text())["arguments"]
    assert [arguments[name] for name in ("game", "players", "evaluate")] == ["kuhn", [2], ["random"]]
    assert load_network(folder / NETWORK, Kuhn()).shape.seats == 2
    assert ppo.main(["--resume", str(folder), "--total-timesteps", "512"]) == 0


def test_an_opponent_may_have_no_compiled_policy(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert ppo.main([*PPO, "--out", str(first)]) == 0
    name = f"network:checkpoint={first / NETWORK}"
    assert isinstance(make_opponent("random", Kuhn()), Policy)
    assert isinstance(make_opponent(name, Kuhn()), NetworkAgent)
    named = ["--pool-fraction", "0.5", "--pool-agents", name, "--evaluate", name]
    assert ppo.main([*PPO, *named, "--out", str(second)]) == 0
    assert f"won_against/{name}, 2 players" in lines_of(second)[-1]
    assert list(read_lines(second / EVALUATIONS)[0]["shares"]) == [f"{name}, 2 players"]
    assert ppo.main(["--resume", str(second), "--total-timesteps", "512"]) == 0


def test_expert_iteration(tmp_path: Path) -> None:
    options = words("--num-envs 6 --num-simulations 4 --fast-simulations 2 --batch-size 16 --total-timesteps 40")
    assert expert.main([*SMALL, *options, "--buffer-size", "500", "--out", str(tmp_path / "run")]) == 0
    lines_of(tmp_path / "run")


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
def test_maskable_ppo(tmp_path: Path) -> None:
    options = words("--num-envs 8 --n-steps 16 --batch-size 64 --total-timesteps 128")
    assert sb3_maskable_ppo.main([*SMALL, *options, "--out", str(tmp_path / "run")]) == 0
    lines_of(tmp_path / "run")


def test_publish_and_reproduce(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ppo.main([*PPO, "--out", str(tmp_path / "run")]) == 0
    options = ["network", str(tmp_path / "run"), *words("first --deals 3 --slack 1")]
    assert publish.main(options) == 2
    assert "the package of kuhn has no players; name a folder with --out" in capsys.readouterr().err
    assert publish.main([*options, "--out", str(tmp_path / "models")]) == 0
    page = (tmp_path / "models" / "first.md").read_text()
    assert "python -m training.ppo --game kuhn --total-timesteps 256" in page
    assert "against `random`" in page
    card = str(tmp_path / "models" / "first.json")
    assert publish.main(["reproduce", "--card", card, "--out", str(tmp_path / "again"), "--threads", "1"]) == 0
    assert "2 players: wins" in capsys.readouterr().out
    assert (tmp_path / "again" / NETWORK).exists()


def test_a_short_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [*words("--game kuhn --minutes 0.01 --games 4 --out"), str(tmp_path / "demo")]
    assert demo.main(options) == 0
    assert "learns kuhn for 2 players" in capsys.readouterr().out
    assert demo.main([*options, "--players", "3"]) == 2
    assert "--players must be out of 2, not 3" in capsys.readouterr().err


# -- more seats than four


def test_targets_of_two_five_and_six_players() -> None:
    """Results of a game add up to nothing, and missing seats are not learned."""
    games = [make_game("dice", players) for players in (2, 5, 6)]
    training = make_training(games, num_envs=30, num_steps=128, width=8, gae_lambda=1.0, critic="privileged")
    collector, targets, known = training.collector, training.estimates.targets, training.estimates.known
    figures = training.iterate()
    assert all(np.isfinite(value) for value in figures.values())
    assert targets.shape == (128, 30, 6)
    assert training.network.shape.seats == 6
    counts = np.broadcast_to(collector.data.players, collector.data.movers.shape)
    for place in range(6):
        assert not known[..., place][counts <= place].any()
        assert known[..., place][counts > place].mean() > 0.2
    over = np.flip(np.maximum.accumulate(np.flip(collector.data.ended, axis=0), axis=0), axis=0)
    for game in games:
        ended = over & (counts == game.num_players)
        assert ended.any()
        assert targets[ended][:, : game.num_players].sum(axis=1) == pytest.approx(0.0, abs=1e-3)
        assert np.abs(targets[ended][:, 0]).max() > 0


def test_expert_iteration_for_six(tmp_path: Path) -> None:
    options = [*SMALL[2:], *words("--game dice --players 6 5 --num-envs 4 --num-simulations 4")]
    options += words("--fast-simulations 2 --batch-size 16 --total-timesteps 600 --buffer-size 500")
    assert expert.main([*options, "--out", str(tmp_path / "run")]) == 0
    lines_of(tmp_path / "run")
    assert (tmp_path / "run" / "replay" / "results.bin").stat().st_size == 500 * 6 * 4


# -- wins come from places


@jit
def lowest_first(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    """Rank the lowest total first."""
    rank_by_totals(constants, states, row, totals, places)
    for seat in range(places.shape[0]):
        places[seat] = places.shape[0] + 1 - places[seat]


class Misere(Kuhn):
    """Kuhn poker in which the lowest total wins, without ties."""

    name = "misere"
    kernel = Kuhn.kernel._replace(rank=lowest_first)


def test_a_win_is_a_first_rank_not_the_highest_total() -> None:
    def always_bet(env: BatchEnv, rows: Any) -> Any:
        return np.ones(len(rows), dtype=np.int64)

    seeds = range(200)
    usual, reversed_ = (strength(always_bet, RANDOM, game, seeds) for game in (Kuhn(), Misere()))
    assert usual.share.value != pytest.approx(0.5, abs=0.01)
    assert reversed_.share.value == pytest.approx(1 - usual.share.value)
    # Margins depend on totals only.
    assert reversed_.margin == usual.margin
    played = play_deals(always_bet, [RANDOM], Misere(), seeds)
    assert (played.places.argmin(axis=1) == played.totals.argmin(axis=1)).all()


def test_the_winner_s_score_is_that_of_the_first_rank() -> None:
    for game, sign in ((Kuhn(), 1), (Misere(), -1)):
        env = BatchEnv(game, 50, autoreset_mode="DISABLED")
        step = env.reset(seed=1)
        while (step.current_player >= 0).any():
            step = env.step(env.random_actions())
        assert (sign * winner_scores(env, np.arange(50)) > 0).all()


def test_make_game_finds_registered_games() -> None:
    assert make_game("kuhn") == Kuhn()
