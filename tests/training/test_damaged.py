"""Damaged files and full disks: one sentence that names file and fix, exit code 2, nothing lost."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from agents.networks.network import read_tensors, write_tensors
from tests.toys.nim.game import Nim
from tests.training.small import words
from training import league, ppo, sb3_maskable_ppo, sweep, tune
from training.expert import program as expert
from training.expert.replay import ReplayBuffer
from training.run.folder import CHECKPOINT, CONFIG, EVALUATIONS, METRICS

PPO = "--game nim --num-envs 8 --num-steps 16 --minibatch-size 64 --width 8 --threads 1 --precision float32"
RUN = words(f"{PPO} --total-timesteps 256 --evaluate random --evaluations 1 --deals 2")
POOL = words("--pool-fraction 0.5 --pool-interval 1 --pool-size 2 --pool-agents random")
WITHIN = words(f"{PPO} --total-timesteps 256 --deals 2 --evaluations 1".replace("--", "--ppo."))
EXPERT = words("--game nim --num-envs 4 --num-simulations 4 --fast-simulations 2 --width 8 --threads 1 --deals 2")
EXPERT += words("--precision float32 --total-timesteps 64 --evaluate random --evaluations 1 --buffer-size 500")
SB3 = words("--game nim --num-envs 8 --n-steps 8 --batch-size 32 --width 8 --deals 2 --total-timesteps 64")

Main = Callable[[Sequence[str]], int]


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[[Main, Sequence[str], Path, str], None]:
    """Return a function that asserts exit code 2, a sentence about a file, and that no file changes."""

    def check(main: Main, options: Sequence[str], file: Path, message: str) -> None:
        before = {one: one.read_bytes() for one in file.parent.rglob("*") if one.is_file()}
        assert main(options) == 2
        (told,) = re.findall(r"^.*error: .*$", capsys.readouterr().err, re.MULTILINE)
        assert f"{file}: " in told
        assert message in told
        assert {one: one.read_bytes() for one in file.parent.rglob("*") if one.is_file()} == before

    return check


def change(file: Path, **wrong: dict[str, Any]) -> None:
    """Change `tensors` or `described` entries of a checkpoint, with a valid checksum."""
    tensors, described = read_tensors(file)
    write_tensors(file, tensors | wrong.get("tensors", {}), described | wrong.get("described", {}))


@pytest.mark.parametrize("content", [b"", b"\xff", b"[]", b"[" * 5000, b'{"algorithm": "ppo", "arguments": []}'])
def test_a_configuration(content: bytes, tmp_path: Path, fails: Any) -> None:
    (tmp_path / CONFIG).write_bytes(content)
    fails(ppo.main, ["--resume", str(tmp_path)], tmp_path / CONFIG, "restore it, or name another folder with --out")


def test_lines_and_checkpoints_of_a_run(tmp_path: Path, fails: Any) -> None:
    folder = tmp_path / "run"
    assert ppo.main([*RUN, *POOL, "--out", str(folder)]) == 0
    resumed = ["--resume", str(folder), "--total-timesteps", "512"]
    earlier = {name: (folder / name).read_bytes() for name in (CONFIG, METRICS, EVALUATIONS, CHECKPOINT)}
    config = json.loads(earlier[CONFIG])
    (folder / CONFIG).write_text(json.dumps(config | {"earlier": 5}))
    fails(ppo.main, resumed, folder / CONFIG, "damaged: Expected `array`, got `int`")
    (folder / CONFIG).write_bytes(earlier[CONFIG])

    entries: list[tuple[str, dict[str, Any]]] = [
        (METRICS, {"seconds": "x"}),
        (METRICS, {"entropy": []}),
        (METRICS, {"steps": 10**40}),
        (METRICS, {"iteration": True}),
        (EVALUATIONS, {"shares": 5}),
        (EVALUATIONS, {"shares": {"random": [1]}}),
    ]
    broken = [(name, json.dumps(json.loads(earlier[name].splitlines()[0]) | wrong)) for name, wrong in entries]
    texts = ('{"iteration": 1, "st', "[1]", '{"steps": 256}', "\x00\x00", "[" * 5000)
    for name, text in [*broken, *((name, text) for text in texts for name in (METRICS, EVALUATIONS))]:
        first = earlier[name].decode().splitlines()[0]
        (folder / name).write_text(f"{first}\n{text}\n{first}\n")
        fails(ppo.main, resumed, folder / name, "line 2 is damaged: ")
        (folder / name).write_bytes(earlier[name])

    nan = torch.full((8,), float("nan"))
    described: list[tuple[dict[str, Any], str]] = [
        ({"iteration": None}, "got `null`"),
        ({"steps": 1e308}, "Expected `int`"),
        ({"seconds": float("nan")}, "Expected `float` >= 0"),
        ({"evaluated": -1}, "Expected `int` >= 0"),
        ({"scheduled": 2.0}, "Expected `float` <= 1"),
        ({"pool_agents": 3}, "no attribute 'get'"),
        ({"rng": {}}, "PCG64"),
        ({"rng": None}, "not of this run: "),
    ]
    tensors: list[tuple[dict[str, Any], str]] = [
        ({"network.enter.bias": nan}, "network.enter.bias has NaN or infinite numbers"),
        ({"optimizer.0.exp_avg": torch.zeros(0)}, "optimizer.0 has the arrays"),
        ({"optimizer.0.step": torch.zeros(2)}, "optimizer.0 has the arrays"),
        ({"matches.1": torch.full((2, 4), 99)}, "its opponents are not out of 3"),
        ({"pool.won.2": torch.full((3,), float("nan"), dtype=torch.float64)}, "its win rates are"),
    ]
    for number, (wrong, message) in enumerate([*described, *tensors]):
        change(folder / CHECKPOINT, **{"tensors" if number >= len(described) else "described": wrong})
        fails(ppo.main, resumed, folder / CHECKPOINT, message)
        (folder / CHECKPOINT).write_bytes(earlier[CHECKPOINT])
    assert ppo.main(resumed) == 0


def test_a_count_of_searched_steps(tmp_path: Path, fails: Any) -> None:
    assert expert.main([*EXPERT, "--out", str(tmp_path)]) == 0
    change(tmp_path / CHECKPOINT, described={"written": -1})
    fails(expert.main, ["--resume", str(tmp_path)], tmp_path / CHECKPOINT, "Expected `int` >= 0")


@pytest.mark.parametrize(
    ("program", "options", "more", "contents"),
    [
        (league, ["generations", *WITHIN, "--deals", "2", "--past-champions", "0", "--generations"], "12", {
            "league.json": [b"[", b'{"settings": {}, "generations": [{"generation": 1}], "champion": null}'],
        }),
        (league, ["exploit", "random", *WITHIN, "--search-deals"], "", {
            "victims.json": [b'{"2": 5}'],
            "best_response.json": [b'{"game": "nim", "victim": "random", "curves": {"2": [[1]]}, "searches": {}}'],
        }),
        (sweep, [*WITHIN, "--ppo.evaluate", "random", "--options", "ent_coef", "--trials"], "12", {
            "sweep.json": [b"{}", b"[" * 5000], "study.log": [b"garbage\n{}\n", b'{"op_code": 99}\n'],
        }),
        (tune, words("--population 4 --deals 2 --held-out 4 --players 2 --generations"), "12", {
            "state.json": [b"[" * 5000, b'{"settings": {}, "generation": -1, "means": [], "cma": {}}'],
        }),
    ],
    ids=["league", "exploit", "sweep", "tune"],
)  # fmt: skip
def test_records_of_programs(
    program: Any, options: list[str], more: str, contents: dict[str, list[bytes]], tmp_path: Path, fails: Any
) -> None:
    first, second = ([*options, number] for number in more) if more else (options[:-1], options[:-1])
    assert program.main([*first, "--out", str(tmp_path)]) == 0
    for name, damaged in contents.items():
        before = (tmp_path / name).read_bytes()
        for content in damaged:
            (tmp_path / name).write_bytes(content)
            fails(program.main, [*second, "--out", str(tmp_path)], tmp_path / name, "name another folder with --out")
        (tmp_path / name).write_bytes(before)


@pytest.mark.parametrize(
    "wrong", [{"_g": -1}, {"_sigma": float("nan")}, {"_popsize": 10**300}, {"_mu_eff": "x"}, {"_mean": [1.0]}]
)
def test_numbers_of_a_tuning(wrong: dict[str, Any], tmp_path: Path, fails: Any) -> None:
    options = [*words("--population 4 --deals 2 --held-out 4 --players 2 --out"), str(tmp_path), "--generations"]
    assert tune.main([*options, "1"]) == 0
    state = json.loads((tmp_path / "state.json").read_text())
    state["cma"] |= wrong
    (tmp_path / "state.json").write_text(json.dumps(state))
    fails(tune.main, [*options, "2"], tmp_path / "state.json", "damaged: ")


@pytest.mark.parametrize(
    ("main", "options", "file"),
    [
        (league.main, ["generations", *WITHIN], "league.json"),
        (league.main, ["exploit", "random", *WITHIN], "victims.json"),
        (sweep.main, [*WITHIN, "--ppo.evaluate", "random", "--options", "ent_coef"], "sweep.json"),
        (tune.main, words("--population 4 --deals 2 --players 2 --generations 1"), "state.json"),
        (sb3_maskable_ppo.main, SB3, "model.zip"),
    ],
)
def test_a_full_disk(
    main: Main, options: list[str], file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    opened = os.open

    def full(path: Any, *more: Any) -> int:
        if file in str(path):
            raise OSError(28, "No space left on device")
        return opened(path, *more)

    with monkeypatch.context() as patch:
        patch.setattr("porta_nigra_env.core.files.os.open", full)
        assert main([*options, "--out", str(tmp_path / "run")]) == 2
    told = f"error: {tmp_path / 'run' / file}: No space left on device; the folder is complete up to its last"
    assert told in capsys.readouterr().err
    assert not list(tmp_path.rglob("*.partial"))


def test_a_replay_buffer_has_its_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that runs out of disk in mapped memory would be killed."""
    ReplayBuffer(tmp_path, 10_000, Nim())
    assert all(file.stat().st_blocks * 512 >= file.stat().st_size > 0 for file in tmp_path.iterdir())

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*bin'"):
        ReplayBuffer(tmp_path / "other", 10_000, Nim())


def test_a_longer_schedule_is_announced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sb3_maskable_ppo.main([*SB3, "--opponents", "random", "--out", str(tmp_path)]) == 0
    assert sb3_maskable_ppo.main(["--resume", str(tmp_path), "--total-timesteps", "256"]) == 0
    assert "the learning rate follows the longer schedule: it resumes at 0.000375" in capsys.readouterr().out
