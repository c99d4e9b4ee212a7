"""The benchmark programs run, write their figures, and refuse invalid arguments."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.agent import Agent
from benchmarks import envs, kernel, profile, search
from benchmarks.__main__ import PROGRAMS, main
from benchmarks.lines import Line, figures, measure, table
from porta_nigra_env.core.game.view import BatchView, View
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, game_entry, make_game

TINY = ["--seconds", "0.01", "--runs", "1"]


class LowestId(Agent):
    """An agent of a tournament."""

    def act(self, view: View) -> int:
        return int(view.legal_ids()[0])


class Demanding:
    """A class whose objects need an argument."""

    def __init__(self, wish: str) -> None:
        self.wish = wish

    def act_batch(self, views: BatchView) -> Any:
        raise NotImplementedError


class FirstLegal:
    """A custom batched agent."""

    def act_batch(self, views: Any) -> Any:
        return views.action_masks.argmax(axis=1)


def first_legal(view: View) -> str:
    """A custom function."""
    return view.legal_actions()[0]


NOT_AN_AGENT = 7


def refused(name: str, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Return the message of a program that exits with 2."""
    with pytest.raises(SystemExit) as stopped:
        main([name, *arguments])
    assert stopped.value.code == 2
    return capsys.readouterr().err


def run(name: str, file: Path, *arguments: str) -> dict[str, Any]:
    """Return the figures of a short run."""
    assert importlib.import_module(f"benchmarks.{name}").main([*arguments, "--json", str(file)]) == 0
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert found["benchmark"] == name
    return found


SEATS = str(game_entry(DEFAULT_GAME).seats[-1] + 1)


@pytest.mark.parametrize("name", ["kernel", "profile", "envs", "learning", "peers", "rollouts", "search"])
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--players", SEATS], "--players: num_players must be"),
        (["--seconds", "0"], "--seconds must be positive"),
        (["--seconds", "nan"], "--seconds must be positive"),
        (["--seconds", "x"], "seconds"),
        (["--json", "/nowhere/at/all.json"], "--json: /nowhere/at is not a folder"),
        (["--game", "noughts"], "--game: there is no game 'noughts'"),
    ],
)
def test_invalid_arguments_are_refused(
    name: str, wrong: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused(name, wrong, capsys)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"browser"}))
def test_help_of_every_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert f"usage: python -m benchmarks {name} " in capsys.readouterr().out


def test_the_programs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")} == set(PROGRAMS)
    for wrong, message in (([], "name a benchmark"), (["sleep"], "there is no benchmark 'sleep'")):
        assert main(wrong) == 2
        assert message in capsys.readouterr().err


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(argv: object) -> int:
        raise ModuleNotFoundError("No module named 'pygame'", name="pygame")

    monkeypatch.setattr(envs, "main", missing)
    assert main(["envs"]) == 2
    assert capsys.readouterr().err == "python -m benchmarks envs: No module named 'pygame'; make .venv/dev\n"


def test_lines_take_turns_and_are_compared_by_their_medians() -> None:
    order: list[str] = []

    def noting(name: str) -> Line:
        def play() -> int:
            order.append(name)
            return 5

        return Line(name, play, peer="a")

    lines = [noting("a"), noting("b")]
    measure(lines, 1e-9, 2)
    assert "".join(order) == "ababab"
    assert all(len(line.rates) == len(line.cpu_rates) == 2 and min(line.rates + line.cpu_rates) > 0 for line in lines)
    lines[0].rates[:], lines[1].rates[:] = [10.0, 40.0, 20.0], [5.0, 9.0, 4.0]
    assert [one["ratio"] for one in figures(lines)] == [1.0, 0.25]
    assert [row.split()[1:5] for row in table(lines).splitlines()[1:]] == [
        ["20", "50,000,000.0", "150%", "1.00"],
        ["5", "200,000,000.0", "100%", "0.25"],
    ]


def test_a_short_run_of_the_kernel_benchmark(tmp_path: Path) -> None:
    written = run("kernel", tmp_path / "kernel.json", *TINY, "--largest", "1024", "--workers", "1", "2")
    functions = {line["name"]: line["per_second"] for line in written["functions"]}
    assert {"observe", "determinize (and clone)", "clone"} <= functions.keys()
    rates = {line["name"]: line["per_second"] for line in written["lines"]}
    assert min(*functions.values(), *rates.values()) > 0
    policies = {f"games of {name}" for name in ("random", *game_class(DEFAULT_GAME).policies())}
    batches = {"BatchEnv 1024", "BatchEnv 64, 2 threads", "BatchEnv 1024, processes: 2"}
    assert policies | batches <= rates.keys()


def test_positions_have_a_player_to_move_and_are_of_all_kinds() -> None:
    states = kernel.positions(make_game(DEFAULT_GAME))
    assert (states["current_player"] >= 0).all()
    assert len({state.tobytes() for state in states}) == len(states)
    assert len(set(states["phase"].tolist())) >= 5
    assert len(np.unique(states["round"])) >= 2


def test_a_short_run_of_the_environments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(envs, "ROWS", 8)
    names = {line["name"] for line in run("envs", tmp_path / "envs.json", *TINY)["lines"]}
    assert {"State.apply_id", "raw_env, last and step", "batch_env", "peer raw_env", "peer deepcopy"} <= names
    own, *peers = run("envs", tmp_path / "pictures.json", *TINY, "--pictures")["lines"]
    assert own["name"].startswith(f"{DEFAULT_GAME}, 960 x ")
    assert [one["name"].partition(",")[0] for one in peers] == ["connect_four_v3", "chess_v6"]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_short_run_of_inference(tmp_path: Path) -> None:
    """With a number of players that has a published network."""
    game, players = next((name, count) for name in GAMES for count in game_class(name).networks())
    found = run("inference", tmp_path / "inference.json", *TINY, "--game", game, "--players", str(players))
    assert [line["name"] for line in found["lines"]][2:4] == [
        f"actions, batch 64, {kind}" for kind in ("torch", "numpy")
    ]


def test_searches_are_measured(tmp_path: Path) -> None:
    found = run("search", tmp_path / "search.json", *TINY, "--views", "2", "--simulations", "20")
    assert [line["name"] for line in found["lines"]] == [name for name, _ in search.KINDS]
    assert all(line["per_second"] > 20 for line in found["lines"])


@pytest.mark.parametrize(
    ("agent", "parts"),
    [
        ("random", ["agent", "views", "environment: step", "observation"]),
        ("tests.benchmarks.test_programs:FirstLegal", ["agent", "environment: step"]),
        ("tests.benchmarks.test_programs:LowestId", ["agent", "environment: step"]),
        ("tests.benchmarks.test_programs:first_legal", ["agent", "environment: step"]),
        ("random:policy", ["policy random, loop", "rules", "legal actions"]),
        ("ismcts:simulations=2", ["agent", "environment: step"]),
        ("builder", ["agent", "environment: step"]),
    ],
)
def test_a_profile_of_an_agent(agent: str, parts: list[str], tmp_path: Path) -> None:
    tree, options = tmp_path / "tree.html", ["--seconds", "0.2", "--batch", "16"]
    costs = run("profile", tmp_path / "profile.json", "--agent", agent, *options, "--html", str(tree))["ns_a_step"]
    assert all(costs[part] > 0 for part in parts)
    assert agent == "random:policy" or "profile_loop" in tree.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("nonsense", "there is no agent 'nonsense'"),
        ("ismcts:simulations=x", "simulations must be"),
        ("no.such.module:Agent", "cannot be imported"),
        ("tests.benchmarks.test_programs:Nobody", "has no Nobody"),
        ("tests.benchmarks.test_programs:Demanding", "cannot be made"),
        ("tests.benchmarks.test_programs:NOT_AN_AGENT", "is no compiled policy, agent"),
    ],
)
def test_invalid_agents_are_refused(agent: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refused("profile", ["--agent", agent], capsys)


def test_parts_of_a_profile_add_up() -> None:
    found = profile.Profile(10, 100e-9, {"agent": 30e-9, profile.STEP: 50e-9}, {"rules": 1.0, "observation": 2.0})
    lines = dict(found.lines())
    assert (lines["agent"], lines[profile.STEP]) == pytest.approx((3, 5))
    assert lines["    resets, rewards, checks, Python"] == pytest.approx(2)
    assert lines["the loop itself"] == pytest.approx(2)


def test_a_short_run_of_the_learners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"DUMMY": 4, "DUMMY_STEPS": 16, "ENVS": 16, "STEPS": 16, "BATCH": 64, "EPOCHS": 1, "SIZES": (8,)}
    learning = importlib.import_module("benchmarks.learning")
    for name, value in small.items():
        monkeypatch.setattr(learning, name, value)
    found = run("learning", tmp_path / "learning.json", *TINY, "--threads", "1")
    names = [line["name"] for line in found["lines"]]
    assert names == [
        "MaskablePPO, DummyVecEnv 4", "training.ppo", "training.ppo, float32", "training.ppo, float32, layers of torch",
        "training.ppo, defaults",
    ]  # fmt: skip
    assert min(found["parts"].values()) > 0
    names = [line["name"] for line in run("learning", tmp_path / "collect.json", *TINY, "--collect")["lines"]]
    assert names == [
        "steps, DummyVecEnv 4", "steps, native 8", "collection, DummyVecEnv 4", "collection, native 8",
        "network alone, batch 8",
    ]  # fmt: skip


def test_a_short_run_of_the_review_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    small = ("--games", "2", "--planted", "1", "--quick", "--loss", "0.3", "--seed", "4")
    written = run("review", tmp_path / "review.json", *small)
    assert len(written["seconds"]) == 2
    assert written["ranks"] == [1]
    assert len(written["losses"]) == 1
    assert written["losses"][0] > 0.3 * 2
    # Against its own choice, the network loses nothing.
    assert written["figures"]["skill of a choice"]["value"] == 0.0
    assert written["fair"] == [True]
    assert "1 blunders: listed first, %" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--games", "1"], "--games must be at least 2, not 1"),
        (["--samples", "3"], "--samples must be at least 4, not 3"),
        (["--loss", "1"], "--loss must be between 0 and 1, not 1"),
        (["--seed", "-1"], "seed must be in 0..2**63-1, not -1"),
    ],
)
def test_invalid_options_of_the_review_benchmark(
    wrong: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in refused("review", wrong, capsys)
