"""Learning curves of several runs: grouped by setting, at equal steps and at equal minutes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from training.curves import group_runs, main
from training.distil import program as distil
from training.ppo import Options
from training.run.folder import CONFIG, EVALUATIONS, learning_curve, to_config


def run(folder: Path, shares: list[float], pace: float = 1.0, **arguments: Any) -> Path:
    """Make the folder of a run with an evaluation per million steps, `pace` minutes apart."""
    folder.mkdir()
    (folder / CONFIG).write_text(json.dumps(to_config("ppo", Options(**arguments))), encoding="utf-8")
    lines = [
        {
            "iteration": place,
            "steps": 1_000_000 * place,
            "seconds": 60 * pace * place,
            "shares": {"builder": [share, 0.0, 1.0]},
        }
        for place, share in enumerate(shares, start=1)
    ]
    (folder / EVALUATIONS).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return folder


def test_seeds_are_one_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [
        run(tmp_path / "a-1", [0.1, 0.3, 0.5], seed=1, threads=1, deals=9),
        run(tmp_path / "a-2", [0.2, 0.5, 0.7], seed=2),
        run(tmp_path / "b-1", [0.2, 0.4], pace=2.0, seed=1, reward="points"),
    ]
    first, second = group_runs(folders)
    assert (first.name, second.name) == ("reward outcome", "reward points")
    assert [len(one.curves) for one in (first, second)] == [2, 1]
    picture = tmp_path / "curves.png"
    assert main([*map(str, folders), "--out", str(picture)]) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()[2:6]]
    # The third run needed four minutes for 2 M steps, the others three minutes for all steps.
    assert rows == [
        ["2.0 M steps", "reward outcome", "2", "40.0% (30.0% to 50.0%)"],
        ["2.0 M steps", "reward points", "1", "40.0% (40.0% to 40.0%)"],
        ["3.0 minutes", "reward outcome", "2", "60.0% (50.0% to 70.0%)"],
        ["3.0 minutes", "reward points", "1", "30.0% (30.0% to 30.0%)"],
    ]


def test_no_win_rate_before_the_first_evaluation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    early, late = run(tmp_path / "a", [0.1, 0.3], seed=1), run(tmp_path / "b", [0.6], seed=1, reward="points")
    line = json.loads((late / EVALUATIONS).read_text(encoding="utf-8")) | {"steps": 5_000_000, "seconds": 300}
    (late / EVALUATIONS).write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert main([str(early), str(late), "--out", str(tmp_path / "curves.png")]) == 0
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in capsys.readouterr().out.splitlines()[2:4]]
    assert rows == [
        ["2.0 M steps", "reward outcome", "1", "30.0% (30.0% to 30.0%)"],
        ["2.0 M steps", "reward points", "1", ""],
    ]


def test_a_later_option_has_its_default(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", [0.1], seed=1), run(tmp_path / "b", [0.2], seed=2)]
    config = json.loads((folders[0] / CONFIG).read_text(encoding="utf-8"))
    del config["arguments"]["target_kl"]
    (folders[0] / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    (setting,) = group_runs(folders)
    assert setting.name == "all runs"


def test_earlier_runs_learned_from_all_steps(tmp_path: Path) -> None:
    folders = [run(tmp_path / "a", [0.1], seed=1), run(tmp_path / "b", [0.2], seed=2, keep_fraction=1.0)]
    config = json.loads((folders[0] / CONFIG).read_text(encoding="utf-8"))
    assert config["arguments"].pop("keep_fraction") == 0.5
    (folders[0] / CONFIG).write_text(json.dumps(config), encoding="utf-8")
    (setting,) = group_runs(folders)
    assert setting.name == "all runs"


def test_algorithms_are_different_settings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [run(tmp_path / "a", [0.1, 0.3]), run(tmp_path / "b", [0.5, 0.6])]
    config = json.dumps(to_config("distil", distil.Options(seed=1)))
    (folders[1] / CONFIG).write_text(config, encoding="utf-8")
    first, second = group_runs(folders)
    assert first.name.startswith("algorithm ppo")
    assert second.name.startswith("algorithm distil")
    (folders[1] / CONFIG).write_text(config.replace("distil", "dance"), encoding="utf-8")
    assert main([*map(str, folders), "--out", str(tmp_path / "curves.png")]) == 2
    assert "a run of dance, not of ppo, expert, distil" in capsys.readouterr().err


def test_long_names_leave_space_for_the_curves() -> None:
    sizes = []
    for name in ("builder", "network:checkpoint=/somewhere/else/network.safetensors", "network" * 30):
        shares = {f"{name}, {players} players": [0.5, 0.4, 0.6] for players in (2, 3, 4)}
        image = learning_curve([{"seconds": 60.0 * place, "shares": shares} for place in (1, 2)], [])
        sizes.append(int.from_bytes(image[16:20], "big"))
    assert max(sizes) < 1.1 * sizes[0]


def test_runs_that_cannot_be_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, again, young = run(tmp_path / "a", [0.1]), run(tmp_path / "again", [0.1]), run(tmp_path / "young", [], seed=2)
    for folders, message in (
        ([], "name at least one folder"),
        ([tmp_path], "there is no run"),
        ([a, again], "another run with its options has the seed 1, too"),
        ([a, young], "it has no evaluation"),
    ):
        assert main([*map(str, folders), "--out", str(tmp_path / "curves.png")]) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "curves.png").exists()
