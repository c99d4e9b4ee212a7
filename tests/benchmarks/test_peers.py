"""The comparison with peers: ratios, the table, and missing peers."""

from __future__ import annotations

import itertools
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import peers
from benchmarks.adapters import Source, whole
from benchmarks.peers import PEERS, Peer, PeerLine, figures, main, prepare, table


def line(name: str, cpu_rates: list[float], wall_rates: list[float] | None = None) -> PeerLine:
    """A line that was measured."""
    return PeerLine(name, lambda: 1, rates=wall_rates or cpu_rates, cpu_rates=cpu_rates, packages=("numpy",))


def absent() -> Source:
    """The adapter of a package that is not there."""
    raise ModuleNotFoundError("No module named 'nowhere'")


@pytest.fixture
def only_fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two peers, of which one is not installed, and one line of this project."""
    here = Peer("here", "always installed", (), (("here, random", "mask", lambda: Source(lambda: 3, 1.5)),))
    gone = Peer("gone", "never installed", (), (("gone, random", "mask", absent),))
    monkeypatch.setattr(peers, "PEERS", {"here": here, "gone": gone})
    monkeypatch.setattr(peers, "our_lines", lambda game: [PeerLine("raw_env", lambda: 3)])


def test_ratios_are_ours_over_the_peer_by_cpu_seconds() -> None:
    ours = [line("raw_env", [100.0], [1.0]), line("BatchEnv 1024", [1000.0], [1.0])]
    written = figures(ours, [line("peer", [50.0], [7.0])])
    assert [entry["name"] for entry in written] == ["raw_env", "BatchEnv 1024", "peer"]
    assert written[0]["ours_over_it"] == {"raw_env": 1.0, "BatchEnv 1024": 10.0}
    assert written[2]["ours_over_it"] == {"raw_env": 2.0, "BatchEnv 1024": 20.0}
    assert written[2]["per_cpu_second"] == 50.0
    assert written[2]["per_second"] == 7.0


def test_the_table_has_a_ratio_for_each_line_of_ours() -> None:
    ours = [line("raw_env", [100.0]), line("BatchEnv 1024", [1000.0])]
    head, *rows = table(ours, [replace(line("peer", [50.0]), length=2.5)]).splitlines()
    assert head.endswith("packages")
    assert [row.split()[0] for row in rows] == ["raw_env", "BatchEnv", "peer"]
    assert rows[2].split()[1:7] == ["50", "20.0", "50", "0%", "2.00", "20.00"]
    assert rows[0].split()[2] == "-"
    assert "numpy " in rows[2]
    ends = [head.index(title) + len(title) for title in ("raw_env / it", "BatchEnv 1024 / it")]
    assert [rows[2][:end].split()[-1] for end in ends] == ["2.00", "20.00"]


def test_the_length_of_games_is_measured_in_whole_games() -> None:
    steps = itertools.cycle([3, 5])
    assert whole(lambda: next(steps)).length == 4.0
    assert whole(lambda: 30, games=10).length == 3.0


def test_a_missing_peer_does_not_hide_the_others() -> None:
    here = Peer("here", "", (), (("here", "mask", lambda: Source(lambda: 1, None)),))
    lines, missing = prepare([Peer("gone", "", (), (("gone", "mask", absent),)), here])
    assert [entry.name for entry in lines] == ["here"]
    assert missing == {"gone": "No module named 'nowhere'"}


@pytest.mark.usefixtures("only_fakes")
def test_by_default_a_missing_peer_is_named_and_the_rest_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "peers.json"
    assert main(["--seconds", "0.001", "--runs", "2", "--json", str(file)]) == 0
    said = capsys.readouterr().out
    assert "gone is not installed (No module named 'nowhere'); pip install --group bench-peers" in said
    assert "here, random" in said
    assert "These games differ in work per step" in said
    written = json.loads(file.read_text(encoding="utf-8"))
    assert written["not_installed"] == {"gone": "No module named 'nowhere'"}
    assert [entry["name"] for entry in written["lines"]] == ["raw_env", "here, random"]


@pytest.mark.usefixtures("only_fakes")
def test_a_missing_peer_named_by_an_option_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    for names, message in ((["here", "gone"], "gone is not installed"), (["nobody"], "--peers must be out of here")):
        with pytest.raises(SystemExit, match="2"):
            main(["--peers", *names])
        said = capsys.readouterr()
        assert said.out == ""
        assert message in said.err


def test_help_names_every_peer_and_how_to_install_them(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    # Boxes and line breaks are the terminal's.
    said = re.sub(r"[^\x21-\x7e]+", "", capsys.readouterr().out)
    assert "pipinstall--groupbench-peers" in said
    for peer in PEERS.values():
        assert f"{peer.name},{peer.about}".replace(" ", "") in said


def test_connect_four_is_measured_and_nothing_heavy_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, before = tmp_path / "peers.json", set(sys.modules)
    assert main(["--peers", "connect_four", "--seconds", "0.01", "--runs", "1", "--json", str(file)]) == 0
    assert "pettingzoo connect four, raw_env" in capsys.readouterr().out
    written = json.loads(file.read_text(encoding="utf-8"))
    assert [entry["name"] for entry in written["lines"]] == [
        "raw_env",
        "BatchEnv 1024",
        "packed masks",
        "pettingzoo connect four, env",
        "pettingzoo connect four, raw_env",
    ]
    assert all(entry["per_cpu_second"] > 0 for entry in written["lines"])
    assert set(written["lines"][3]["versions"]) == {"pettingzoo", "pygame-ce"}
    assert written["not_installed"] == {}
    assert not {"jax", "pyspiel", "catanatron", "rlcard"} & (set(sys.modules) - before)
