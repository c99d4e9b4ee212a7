"""Sequential tests: likelihood ratios, error rates, decisions that depend on deals alone, and resumed runs."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize  # type: ignore[import-untyped]

from agents import tournament
from agents.arena import sequential
from agents.arena.matches import Setup
from agents.arena.playing import Arena
from agents.arena.results import ForeignFolderError, read
from agents.arena.sequential import Sprt, deal_results, decide, elo_of, expected_share, forecast, run_test, summary
from tests.agents.tournaments import porta_nigra

SURE = Sprt(0, 100)
SETUP = Setup(porta_nigra, ("builder", "greedy"), 3, "builder")


def test_shares_and_points_are_inverse() -> None:
    for players in range(2, 7):
        assert expected_share(0, players) == pytest.approx(1 / players)
        assert elo_of(expected_share(37, players), players) == pytest.approx(37)
    assert elo_of(0, 3) == -math.inf
    assert elo_of(1, 3) == math.inf


def test_the_ratio_is_that_of_constrained_maximum_likelihood() -> None:
    """An optimizer that knows only the constraints finds the same distributions."""
    results = np.repeat([0.0, 0.5, 1.0], [30, 45, 55])
    counts = np.array([30, 45, 55]) + np.array([1, 0, 1]) * sequential.UNSEEN
    test = Sprt(10, 60)
    values = []
    for share in test.shares(2):
        found = minimize(
            lambda p: -(counts * np.log(p)).sum(), [1 / 3] * 3, bounds=[(1e-9, 1)] * 3, tol=1e-12,
            constraints=[
                {"type": "eq", "fun": lambda p: p.sum() - 1},
                {"type": "eq", "fun": lambda p, share=share: p[1] / 2 + p[2] - share},
            ],
        )  # fmt: skip
        values.append(-found.fun)
    assert test.ratios(results, 2)[-1] == pytest.approx(values[1] - values[0], abs=1e-4)


def test_the_ratio_of_wins_and_losses_is_that_of_bernoulli_trials() -> None:
    results = np.random.default_rng(1).integers(0, 2, size=400).astype(float)
    low, high = SURE.shares(2)
    expected = np.where(results == 1, math.log(high / low), math.log((1 - high) / (1 - low))).cumsum()
    np.testing.assert_allclose(SURE.ratios(results, 2), expected, atol=0.01)


@pytest.mark.parametrize("players", [2, 4, 6])
@pytest.mark.parametrize(("true", "wrong"), [("elo0", "elo1"), ("elo1", "elo0")])
def test_errors_keep_their_bounds(players: int, true: str, wrong: str) -> None:
    """At most 5 % of 150 tests with a true hypothesis fail, up to chance; their lengths follow Wald's formula."""
    test, rng = Sprt(0, 40), np.random.default_rng(players)
    share = test.shares(players)[true == "elo1"]
    decisions = [decide(test, rng.binomial(players, share, 1200) / players, players) for _ in range(150)]
    assert sum(one.accepted == wrong for one in decisions) <= 18
    assert sum(one.accepted == true for one in decisions) >= 132
    at0, middle, at1 = test.expected_deals(players, share * (1 - share) / players)
    assert np.mean([one.deals for one in decisions]) == pytest.approx(at1 if true == "elo1" else at0, rel=0.3)
    assert middle > max(at0, at1)


def test_equal_results_in_every_deal_are_decided() -> None:
    assert decide(SURE, np.full(200, 0.5), 2).accepted == "elo0"
    assert decide(SURE, np.ones(200), 2).accepted == "elo1"
    assert decide(SURE, np.zeros(0), 2).deals == 0


def test_games_after_the_decision_do_not_count() -> None:
    results = np.random.default_rng(5).binomial(2, 0.7, 500) / 2
    decision = decide(SURE, results, 2)
    assert decision == decide(SURE, results[: decision.deals], 2)
    assert decide(SURE, results[: decision.deals - 1], 2).accepted == ""


def test_a_test_stops_and_is_resumed(tmp_path: Path) -> None:
    """The decision does not depend on interruptions, on processes, or on the order of the results."""
    weak = Sprt(0, 30)
    whole = run_test(Arena(SETUP), 3, weak, tmp_path / "whole", limit=6000)
    assert whole.accepted == "elo1"
    results = read(tmp_path / "whole")
    assert results is not None
    assert whole.games <= len(results.games) < 6000
    assert decide(weak, deal_results(results.games[::-1], "builder", 3), 3) == whole
    assert not run_test(Arena(SETUP), 3, weak, tmp_path / "parts", limit=whole.games - 3).accepted
    assert run_test(Arena(SETUP), 3, weak, tmp_path / "parts", limit=6000, jobs=2) == whole
    stored = (tmp_path / "parts" / "results.jsonl").read_bytes()
    assert run_test(Arena(SETUP), 3, weak, tmp_path / "parts", limit=6000) == whole
    assert (tmp_path / "parts" / "results.jsonl").read_bytes() == stored


def test_hypotheses_are_fixed_before_the_games(tmp_path: Path) -> None:
    run_test(Arena(SETUP), 2, SURE, tmp_path, limit=4)
    for test, players in ((Sprt(0, 50), 2), (SURE, 3)):
        with pytest.raises(ForeignFolderError, match=r"holds the test .*'elo1': 100"):
            run_test(Arena(SETUP), players, test, tmp_path)
    (tmp_path / sequential.TEST).unlink()
    with pytest.raises(ForeignFolderError, match="holds a tournament, not a sequential test"):
        run_test(Arena(SETUP), 2, SURE, tmp_path)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    command = ["builder", "greedy", "--out", str(out), "--sprt", "elo1=100", "beta=0.1"]
    assert tournament.main(command) == 0
    shown = capsys.readouterr().out
    assert "Expected games with independent games: " in shown
    assert "Limit: 100,000 games." in shown
    assert "\nH1 accepted after " in shown
    assert json.loads((out / sequential.TEST).read_text()) == {
        "players": 2, "tested": "builder", "elo0": 0, "elo1": 100, "alpha": 0.05, "beta": 0.1,
    }  # fmt: skip
    (out / sequential.TEST).write_text("{")
    assert tournament.main(command) == 1
    assert "sprt.json: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--sprt", "elo=5"], "expected each of elo0, elo1, alpha, beta once, as in elo1=5, not 'elo=5'"),
        (["--sprt", "elo1=5", "elo1=6"], "not 'elo1=6'"),
        (["--sprt", "elo1=x"], "elo1 must be a number, not 'x'"),
        (["--sprt", "elo1=-1"], "elo0 must be less than elo1"),
        (["--sprt", "elo1=nan"], "elo0 must be less than elo1"),
        (["--sprt", "alpha=0.5"], "alpha must be between 0 and 0.5"),
        (["--sprt", "--players", "2", "3"], "--sprt tests one agent against another one at one number of players"),
        (["--sprt", "--alone", "builder"], "--sprt takes no --alone"),
    ],
)
def test_wrong_arguments(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        tournament.main(["builder", "greedy", "--out", "nowhere", *options])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_texts_name_the_state() -> None:
    undecided = decide(SURE, np.tile([0.0, 1.0, 1.0], 12), 2)
    assert undecided.accepted == ""
    assert "the variance of 36 deals" in forecast(SURE, 2, undecided)
    assert summary(SURE, undecided, 2).startswith("undecided after 72 games (36 deals)")
    assert summary(SURE, decide(SURE, np.zeros(0), 2), 2) == "undecided: no deal is complete"
