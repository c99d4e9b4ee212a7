"""The benchmark programs run, write their figures, and refuse invalid arguments."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agents.agent import Agent
from benchmarks import inference, kernel, profile, sb3, scaling
from benchmarks.__main__ import PROGRAMS, main
from benchmarks.icicle import Node, icicle, write_icicle
from benchmarks.kernel import RecordKernel
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


@pytest.mark.parametrize("name", ["kernel", "sb3", "inference", "profile", "envs", "learning", "peers", "rollouts"])
def test_other_numbers_of_players_are_refused(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        importlib.import_module(f"benchmarks.{name}").main(["--players", str(game_entry(DEFAULT_GAME).seats[-1] + 1)])
    assert stopped.value.code == 2
    assert "--players: num_players must be" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["kernel", "scaling", "sb3", "profile", "envs", "learning", "peers", "rollouts"])
@pytest.mark.parametrize(
    "wrong", [["--seconds", "0"], ["--json", "/nowhere/at/all.json"], ["--seconds", "x"], ["--game", "noughts"]]
)
def test_invalid_arguments_are_refused(name: str, wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        importlib.import_module(f"benchmarks.{name}").main(wrong)
    assert stopped.value.code == 2
    assert wrong[0].strip("-") in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"browser", "search", "search_gain"}))
def test_help_of_every_program(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert f"python -m benchmarks {name}" in capsys.readouterr().out


def test_the_programs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")} == set(PROGRAMS)
    for wrong, message in (([], "name a benchmark"), (["sleep"], "there is no benchmark 'sleep'")):
        assert main(wrong) == 2
        assert message in capsys.readouterr().err


def test_a_short_run_of_the_kernel_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kernel.json"
    sizes = ["--repeats", "1", "--largest", "64", "--threads", "1"]
    assert kernel.main([*TINY, *sizes, "--beside", "gloria_mundi", "--json", str(file)]) == 0
    shown = capsys.readouterr().out
    written = json.loads(file.read_text(encoding="utf-8"))
    for name in ("observe", "determinize (and clone)", "clone"):
        assert name in shown
        assert written["verbs_ns"][name][0] > 0
    assert written["speed_of_c"] is None or written["speed_of_c"] > 0
    assert written["moves_per_decision"] is None
    assert {"BatchEnv 1024", "BatchEnv 64"} <= {line["name"] for line in written["lines"]}
    for name in ("random games, 1 thread", "BatchEnv 1024"):
        ours, theirs = (next(one for one in written[kind] if one["name"] == name) for kind in ("lines", "others"))
        ratio = ours["per_second"] / theirs["per_second"]
        assert f"{name}: {ratio:.2f} times those of gloria_mundi" in shown


def test_another_game_is_measured_in_the_same_run(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong, message in ((DEFAULT_GAME, "is the game itself"), ("noughts", "there is no game")):
        with pytest.raises(SystemExit) as stopped:
            kernel.main(["--beside", wrong])
        assert stopped.value.code == 2
        assert message in capsys.readouterr().err
    # A game for three and more is measured at its fewest.
    for players, seats in ((None, 3), (4, 4)):
        other = kernel.Arguments(beside="aquileia", players=players).other()
        assert other is not None
        assert (other.name, other.num_players) == ("aquileia", seats)


def test_positions_have_a_player_to_move_and_differ() -> None:
    states = RecordKernel(make_game(DEFAULT_GAME)).states
    assert (states["current_player"] >= 0).all()
    assert len({state.tobytes() for state in states}) == len(states)


def test_a_game_without_custom_benchmarks() -> None:
    class Nameless:
        name = "nowhere"

    assert kernel.part_of(Nameless(), "twin") is None  # type: ignore[arg-type]
    assert kernel.part_of(make_game(DEFAULT_GAME), "no_such_part") is None


@pytest.mark.long
def test_a_short_run_of_scaling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(scaling, "SIZES", (4, 8))
    monkeypatch.setattr(scaling, "SIZE", 64)
    monkeypatch.setattr(kernel, "STEPS", 5)
    file = tmp_path / "scaling.json"
    assert scaling.main([*TINY, "--workers", "1", "--json", str(file)]) == 0
    written = json.loads(file.read_text(encoding="utf-8"))
    assert {(line["players"], line["games"]) for line in written["by_size"]} == {
        (players, games) for players in game_entry(DEFAULT_GAME).seats for games in (4, 8)
    }
    assert written["processes"]["1"][0] > 0
    largest = written["memory"][-1]
    assert largest["games"] == 16384
    assert largest["imported"] < largest["batch"]
    assert f"One state is {make_game(DEFAULT_GAME).dtype.itemsize} bytes" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_short_run_of_inference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With a number of players that has a published network."""
    game, players = next((name, count) for name in GAMES for count in game_class(name).networks())
    file = tmp_path / "inference.json"
    options = [*TINY, "--game", game, "--players", str(players), "--json", str(file)]
    assert inference.main(options) == 0
    figures = json.loads(file.read_text(encoding="utf-8"))
    assert len(figures["lines"]) == 6
    assert all(line["per_second"] > 0 for line in figures["lines"])
    assert "decisions, numpy, batch 64" in capsys.readouterr().out


def test_a_short_run_of_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sb3, "SIZES", (8,))
    monkeypatch.setattr(sb3, "DUMMY", 4)
    file = tmp_path / "sb3.json"
    assert sb3.main([*TINY, "--json", str(file)]) == 0
    names = [line["name"] for line in json.loads(file.read_text(encoding="utf-8"))["lines"]]
    assert names == [
        "steps, DummyVecEnv 4", "steps, native 8", "collection, DummyVecEnv 4", "collection, native 8",
        "network alone, batch 8",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("agent", "parts"),
    [
        ("random", ["agent", "views", "environment: step", "observation"]),
        ("tests.benchmarks.test_programs:FirstLegal", ["agent", "environment: step"]),
        ("tests.benchmarks.test_programs:LowestId", ["agent", "environment: step"]),
        ("tests.benchmarks.test_programs:first_legal", ["agent", "environment: step"]),
        ("random:policy", ["policy random, loop", "rules", "legal actions"]),
        ("ismcts:simulations=2", ["agent", "environment: step"]),
    ],
)
def test_a_profile_of_an_agent(
    agent: str, parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    diagram, file = tmp_path / "profile.svg", tmp_path / "profile.json"
    options = ["--seconds", "0.2", "--batch", "16", "--svg", str(diagram), "--json", str(file)]
    assert profile.main(["--agent", agent, *options]) == 0
    shown = capsys.readouterr().out
    costs = json.loads(file.read_text(encoding="utf-8"))["ns_a_decision"]
    for part in parts:
        assert part in shown
        assert costs[part] > 0
    root = ElementTree.fromstring(diagram.read_text(encoding="utf-8"))
    assert len(root.findall(".//{http://www.w3.org/2000/svg}rect")) > 3


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("nonsense", "there is no agent 'nonsense'"),
        ("no.such.module:Agent", "cannot be imported"),
        ("tests.benchmarks.test_programs:Nobody", "has no 'Nobody'"),
        ("tests.benchmarks.test_programs:Demanding", "cannot be made"),
        ("tests.benchmarks.test_programs:NOT_AN_AGENT", "neither a compiled policy nor an agent"),
    ],
)
def test_invalid_agents_are_refused(agent: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        profile.main(["--agent", agent])
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_parts_of_a_profile_add_up() -> None:
    found = profile.Profile(10, 100e-9, {"agent": 30e-9, profile.STEP: 50e-9}, {"rules": 1.0, "observation": 2.0})
    lines = dict(found.lines())
    assert lines["agent"] == pytest.approx(3)
    assert lines[profile.STEP] == pytest.approx(5)
    assert lines["    resets, rewards, checks, Python"] == pytest.approx(2)
    assert lines["the loop itself"] == pytest.approx(2)


def test_an_icicle_has_boxes_as_wide_as_their_time(tmp_path: Path) -> None:
    root = Node("all <&>", 4.0, [Node("half", 2.0, [], "kernel"), Node("quarter", 1.0), Node("speck", 1e-6)])
    text = icicle(root, "a title")
    shapes = ElementTree.fromstring(text).findall("{http://www.w3.org/2000/svg}g/{http://www.w3.org/2000/svg}rect")
    widths = [float(shape.attrib["width"]) for shape in shapes]
    assert widths == pytest.approx([1184, 592, 296], abs=0.1)
    assert [float(shape.attrib["x"]) for shape in shapes] == pytest.approx([8, 8, 600], abs=0.1)
    assert "all &lt;&amp;&gt;: 4000.0 ms, 100.0%" in text
    file = tmp_path / "icicle.svg"
    file.write_text("old")
    write_icicle(root, "a title", file)
    assert file.read_text(encoding="utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["icicle.svg"]
