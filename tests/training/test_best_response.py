"""Exploiters: one that is known to be best is found, and a run goes on where it was broken off."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.networks.network import Network, load_network, save_network
from porta_nigra_env.games import GAMES, GameEntry
from porta_nigra_env.players.network import Shape
from tests.toys.kuhn.game import Kuhn
from tests.toys.kuhn.strategy import POINTS, worth
from training import league, ppo, publish
from training.league.exploit import FIGURES, PICTURE
from training.publish.cards import read_card
from training.run.folder import METRICS, NETWORK, read_lines

SMALL = [
    "--ppo.game",
    "kuhn",
    "--ppo.width",
    "16",
    "--ppo.deals",
    "500",
    "--ppo.evaluations",
    "2",
    "--ppo.threads",
    "1",
]
SMALL += ["--ppo.num-envs", "64", "--ppo.num-steps", "16", "--ppo.minibatch-size", "256", "--ppo.precision", "float32"]


def main(options: Sequence[str]) -> int:
    return league.main(["exploit", *options])


@pytest.fixture(autouse=True)
def _tenants_have_moved_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "kuhn", GameEntry("tests.toys.kuhn.game", "Kuhn", (2,)))
    monkeypatch.setitem(GAMES, "dice", GameEntry("tests.toys.dice.game", "Dice", (2, 3, 4, 5, 6)))


def best_share_against(bets: float) -> float:
    """The share of games of Kuhn poker that a best answer wins, on both seats, against one that bets so often."""
    other = {(history, card): bets for histories in POINTS.values() for history in histories for card in range(3)}
    best = []
    for seat, histories in POINTS.items():
        own = [(history, card) for history in histories for card in range(3)]
        answers = itertools.product((0.0, 1.0), repeat=len(own))
        leads = [worth(other | dict(zip(own, answer, strict=True)), stakes=False) for answer in answers]
        best.append(max(leads) if seat == 0 else -min(leads))
    return 0.5 + 0.25 * sum(best)


def test_the_best_answer_to_random_play_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [*SMALL, "--out", str(tmp_path), "--ppo.total-timesteps", "100000", "--ppo.learning-rate", "0.005"]
    assert main(["random", *options]) == 0
    found = json.loads((tmp_path / FIGURES).read_text(encoding="utf-8"))
    steps, share, low, high = found["curves"]["2"][-1]
    assert (found["game"], found["victim"], steps) == ("kuhn", "random", 100_352)
    assert low <= best_share_against(0.5) <= high
    assert share > 0.6
    assert (tmp_path / PICTURE).read_bytes().startswith(b"\x89PNG")
    assert f"2 players: wins {share:.1%}" in capsys.readouterr().out


def test_every_number_of_players_and_a_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [
        *SMALL,
        "--ppo.game",
        "dice",
        "--ppo.players",
        "2",
        "3",
        "--ppo.total-timesteps",
        "2048",
        "--ppo.deals",
        "4",
    ]
    searches = ["--num-simulations", "4", "--search-deals", "2", "--out", str(tmp_path)]
    assert main(["random", *options, *searches]) == 0
    found = json.loads((tmp_path / FIGURES).read_text(encoding="utf-8"))
    assert list(found["curves"]) == list(found["searches"]) == ["2", "3"]
    for players in (2, 3):
        (line, *_) = read_lines(tmp_path / f"players-{players}" / METRICS)
        # Every decision is the exploiter's; the victim plays the others.
        assert f"won_against/random, {players} players" in line
        share, low, high = found["searches"][str(players)]
        assert 0.0 <= low <= share <= high <= 1.0
    assert "with search" in capsys.readouterr().out
    # What is there is not trained again.
    before = [(tmp_path / f"players-{players}" / NETWORK).stat().st_mtime_ns for players in (2, 3)]
    assert main(["random", *options, *searches]) == 0
    assert before == [(tmp_path / f"players-{players}" / NETWORK).stat().st_mtime_ns for players in (2, 3)]
    # Of fewer numbers of players: what was found for the others stays.
    assert main(["random", *options, "--ppo.players", "2", "--out", str(tmp_path)]) == 0
    assert list(json.loads((tmp_path / FIGURES).read_text(encoding="utf-8"))["curves"]) == ["2", "3"]


def test_a_run_that_was_broken_off_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = [*SMALL, "--ppo.total-timesteps", "8192", "--ppo.deals", "4"]
    assert main(["random", *options, "--out", str(tmp_path / "whole")]) == 0
    iterate, times = ppo.Training.iterate, iter(range(3))

    def broken(training: ppo.Training) -> dict[str, Any]:
        if next(times, None) is None:
            raise KeyboardInterrupt
        return iterate(training)

    with monkeypatch.context() as patch:
        patch.setattr(ppo.Training, "iterate", broken)
        assert main(["random", *options, "--out", str(tmp_path / "broken")]) == 130
    assert main(["random", *options, "--out", str(tmp_path / "broken")]) == 0
    networks = [(tmp_path / name / "players-2" / NETWORK).read_bytes() for name in ("whole", "broken")]
    assert networks[0] == networks[1]


def test_one_that_begins_with_a_network_has_its_shape_and_goes_on(tmp_path: Path) -> None:
    game = Kuhn()
    save_network(tmp_path / "start.safetensors", Network(Shape.of(game, width=8, blocks=2)), [game])
    small = [*SMALL, "--ppo.width", str(ppo.Options().width), "--ppo.deals", "2", "--ppo.total-timesteps", "2048"]
    options = ["random", *small, "--ppo.start", str(tmp_path / "start.safetensors"), "--out", str(tmp_path / "out")]
    assert main(options) == main(options) == 0
    shapes = {load_network(one).shape for one in (tmp_path / "out").rglob(NETWORK)}
    assert shapes == {Shape.of(game, width=8, blocks=2, normed=False)}


def test_what_is_found_stands_in_the_networks_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = [one.replace("--ppo.", "--") for one in SMALL]
    assert ppo.main([*plain, "--total-timesteps", "2048", "--deals", "4", "--out", str(tmp_path / "run")]) == 0
    assert publish.main(["network", str(tmp_path / "run"), "cards", "--deals", "20", "--out", str(tmp_path)]) == 0
    network = tmp_path / "cards.safetensors"
    monkeypatch.setattr(Kuhn, "networks", classmethod(lambda cls: {2: network}))
    options = [*SMALL, "--ppo.total-timesteps", "2048", "--ppo.deals", "20", "--out", str(tmp_path / "found")]
    assert main([f"network:checkpoint={network},temperature=1", *options, "--publish"]) == 2
    assert "--publish: 'network:checkpoint=" in capsys.readouterr().err
    assert not (tmp_path / "found").exists()
    assert main(["network", *options, "--publish"]) == 0
    (exploiter,) = read_card(tmp_path / "cards.json").exploiters.values()
    assert exploiter.options == ("network", *options)
    curve = json.loads((tmp_path / "found" / FIGURES).read_text(encoding="utf-8"))["curves"]["2"]
    assert [list(point) for point in exploiter.curve] == curve
    text = (tmp_path / "cards.md").read_text(encoding="utf-8")
    assert f"python -m training.league exploit network {' '.join(options)}" in text
    assert f"| 2 | 0.0 M | {curve[-1][1]:.1%} |" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nobody"], "there is no agent 'nobody'"),
        (["cheating-mcts", "--ppo.game", "porta_nigra"], "sees the true state"),
        (["random", "--search-deals", "7"], "--search-deals: only with --num-simulations"),
        (["random", "--ppo.pool-fraction", "0.5"], "--ppo.pool-fraction: the victim sets it"),
        (["random", "--ppo.evaluate", "random"], "--ppo.evaluate: the victim sets it"),
        (["random", "--ppo.players", "9"], "--players must be out of 2"),
        (["random", "--num-simulations", "-1"], "--num-simulations must be at least 0"),
        (["random", "--num-simulations", "100000000"], "simulations must be"),
        (
            ["random", "--num-simulations", "4", "--ppo.reward", "margin"],
            "a search needs --ppo.reward outcome, not 'margin'",
        ),
        (["random", "--ppo.minibatch-size", "100000"], "--minibatch-size must be at most"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([options[0], *SMALL, *options[1:], "--out", str(tmp_path / "run")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_the_folder_of_another_exploiter_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = [*SMALL, "--ppo.total-timesteps", "2048", "--ppo.deals", "4", "--out", str(tmp_path)]
    assert main(["random", *options]) == 0
    assert main(["random", *options, "--ppo.seed", "5"]) == 2
    assert "seed is 1 there, not 5; name another folder with --out" in capsys.readouterr().err


def test_another_victim_of_the_same_name_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A network that is published anew has the name of the one before it, and is not what was exploited."""
    plain = [one.replace("--ppo.", "--") for one in SMALL]
    victims = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        assert (
            ppo.main([*plain, "--total-timesteps", "2048", "--deals", "4", "--seed", seed, "--out", str(folder)]) == 0
        )
        victims.append(folder / NETWORK)
    options = [*SMALL, "--ppo.total-timesteps", "2048", "--ppo.deals", "4", "--out", str(tmp_path / "found")]
    monkeypatch.setattr(Kuhn, "networks", classmethod(lambda cls: {2: victims[0]}))
    assert main(["network", *options]) == 0
    figures = (tmp_path / "found" / FIGURES).read_bytes()
    monkeypatch.setattr(Kuhn, "networks", classmethod(lambda cls: {2: victims[1]}))
    assert main(["network", *options]) == 2
    assert "has learned against another 'network'; name another --out" in capsys.readouterr().err
    assert (tmp_path / "found" / FIGURES).read_bytes() == figures
    monkeypatch.setattr(Kuhn, "networks", classmethod(lambda cls: {2: victims[0]}))
    assert main(["network", *options]) == 0
