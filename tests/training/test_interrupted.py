"""Training programs report errors, end cleanly when interrupted, and say how to resume."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agents.arena.executors import WorkerError
from agents.networks.network import Network, save_network
from agents.registry import AgentError
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.network import Shape
from tests.training.small import words
from training import demo, league, ppo, publish, sb3_maskable_ppo, sweep, tune
from training.distil import program as distil
from training.expert import program as expert
from training.run.folder import CONFIG, RunError, to_config
from training.run.options import resume_options
from training.run.trainer import DivergedError, run_program

SMALL = words("--ppo.num-envs 8 --ppo.num-steps 16 --ppo.minibatch-size 64 --ppo.width 8 --ppo.threads 1")
SMALL += words("--ppo.total-timesteps 256 --ppo.precision float32")


def interrupted(*_: Any, **__: Any) -> Any:
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("program", "options", "work", "way_on"),
    [
        (demo, [], (ppo.Training, "iterate"), "repeat the command to resume"),
        (league, ["generations", *SMALL], (ppo.Training, "iterate"), "repeat the command to resume"),
        (publish, ["reproduce", "two_players"], (ppo.Training, "iterate"), "repeat the command to resume"),
        (league, ["exploit", "greedy", *SMALL], (ppo.Training, "iterate"), "repeat the command to resume"),
        (tune, ["--population", "4"], (tune.Tuning, "_generation"), "repeat the command to resume"),
        (sb3_maskable_ppo, ["--num-envs", "8", "--batch-size", "64"], (sb3_maskable_ppo, "train"), "--resume {}"),
    ],
    ids=["demo", "league", "reproduce", "best_response", "tune", "sb3_maskable_ppo"],
)
def test_an_interrupted_program_says_how_to_resume(
    program: Any,
    options: list[str],
    work: tuple[Any, str],
    way_on: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(*work, interrupted)
    folder = str(tmp_path / "run")
    assert program.main([*options, "--out", folder]) == 130
    told = capsys.readouterr().err
    assert told.rstrip().splitlines()[-1].startswith("stopped; ")
    assert told.rstrip().endswith(way_on.format(folder))


def test_dead_workers_are_reported(capsys: pytest.CaptureFixture[str]) -> None:
    def died(_: str) -> int:
        raise WorkerError("no worker is left")

    assert run_program(lambda: "again", died, lambda asked: f"call {asked}") == 1
    assert capsys.readouterr().err == "error: no worker is left; call again\n"
    assert run_program(lambda: 3, lambda asked: 4 + asked) == 7


@pytest.mark.parametrize(
    "told", [RunError("folder"), CheckpointError("damaged"), AgentError("nobody"), DivergedError("nan")]
)
def test_unusable_files_are_reported_during_work(told: Exception, capsys: pytest.CaptureFixture[str]) -> None:
    def works(_: None) -> int:
        raise told

    assert run_program(lambda: None, works) == (1 if isinstance(told, DivergedError) else 2)
    assert capsys.readouterr().err == f"error: {told}\n"


def test_a_bug_is_not_reported_as_a_wrong_option(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(*_: Any) -> Any:
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr(ppo.Training, "iterate", wrong)
    for options in (["generations", *SMALL], ["exploit", "greedy", *SMALL]):
        with pytest.raises(ValueError, match="operands"):
            league.main([*options, "--out", str(tmp_path / options[0])])
    assert league.main(["generations", "--deals", "0"]) == 2
    assert "--deals must be at least 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "collectors", "address"),
    [
        ({}, "ray:2", "auto"),
        ({"collectors": "1"}, "1", None),
        ({"collectors": "3"}, "3", None),
        ({"collectors": "ray:4", "address": "other:1"}, "ray:4", "other:1"),
    ],
)
def test_a_run_is_resumed_at_the_given_location(
    given: dict[str, Any], collectors: str, address: str | None, tmp_path: Path
) -> None:
    started = ppo.Options(collectors="ray:2", address="auto", seed=4)
    (tmp_path / CONFIG).write_text(json.dumps(to_config("ppo", started)))
    found = resume_options(ppo.Options(resume=tmp_path, **given), "ppo")
    assert (found.collectors, found.address, found.seed) == (collectors, address, 4)


@pytest.mark.parametrize(
    ("program", "options"),
    [
        (ppo, []),
        (expert, []),
        (distil, ["--start", str(PortaNigra(2).networks()[2])]),
        (demo, []),
        (league, ["generations", *SMALL]),
        (sweep, ["--options", "ent_coef", *SMALL]),
        (league, ["exploit", "greedy", *SMALL]),
        (tune, ["--population", "4"]),
        (sb3_maskable_ppo, ["--num-envs", "8", "--batch-size", "64"]),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_file_is_not_a_folder(
    program: Any, options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "letter"
    file.write_text("dear", encoding="utf-8")
    for folder in (file, file / "within"):
        assert program.main([*options, "--out", str(folder)]) == 2
        told = f"error: {re.escape(str(folder))}: (Not a directory|File exists); name another folder with --out"
        assert re.search(told, capsys.readouterr().err)
    assert file.read_text(encoding="utf-8") == "dear"


def test_a_folder_must_be_valid_in_agent_strings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main(["--out", str(tmp_path / "a,b")]) == 2
    assert "a,b cannot be part of an agent string: agent" in capsys.readouterr().err
    assert not (tmp_path / "a,b").exists()


def test_a_given_shape_must_be_that_of_the_initial_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = PortaNigra(2)
    save_network(tmp_path / "one.safetensors", Network(Shape.of(game, width=8, blocks=1)), [game])
    begun = ["--start", str(tmp_path / "one.safetensors"), "--out", str(tmp_path / "run")]
    for told, name in ((["--width", "256"], "width"), (["--layer-norm"], "layer-norm"), (["--width=256"], "width")):
        assert ppo.main([*begun, *told]) == 2
        assert f"--{name}: the network of --start has" in capsys.readouterr().err
