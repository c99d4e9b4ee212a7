"""Options: every earlier name is read, ranges are checked, runs of earlier versions are resumed."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from agents.networks.network import read_tensors, write_tensors
from tests.training.small import SMALL, words
from training import ppo, sb3_maskable_ppo
from training.distil import program as distil
from training.expert.options import Options as ExpertOptions
from training.run.folder import CHECKPOINT, CONFIG, EVALUATIONS, METRICS, parse_options, read_lines, to_config

CLASSES = [ppo.Options, ExpertOptions, distil.Options, sb3_maskable_ppo.Options]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__module__)
def test_earlier_names_are_read(cls: Any) -> None:
    names = {field.name for field in fields(cls)}
    assert set(cls.OLD_NAMES.values()) <= names
    assert not set(cls.OLD_NAMES) & names
    values = to_config("kind", cls())["arguments"]
    earlier = {new: old for old, new in cls.OLD_NAMES.items()}
    old = {earlier.get(name, name): value for name, value in values.items()}
    if "games_on" in old:
        old["games_on"] = "processor"
    assert parse_options(old, cls, "run") == cls()


def test_a_run_of_an_earlier_version_is_resumed(tmp_path: Path) -> None:
    small = words(
        "--num-envs 16 --num-steps 16 --minibatch-size 64 --width 16 --threads 1 --precision float32 --evaluate"
    )
    for name in ("old", "new"):
        assert ppo.main([*small, "--device", "cpu", "--total-timesteps", "256", "--out", str(tmp_path / name)]) == 0
    folder = tmp_path / "old"
    config = json.loads((folder / CONFIG).read_text())
    earlier = {new: old for old, new in ppo.Options.OLD_NAMES.items()}
    config["arguments"] = {earlier.get(name, name): value for name, value in config["arguments"].items()}
    (folder / CONFIG).write_text(json.dumps(config))
    for file in (METRICS, EVALUATIONS):
        (folder / file).write_text((folder / file).read_text().replace('"steps', '"decisions'))
    tensors, described = read_tensors(folder / CHECKPOINT)
    described["decisions"] = described.pop("steps")
    write_tensors(folder / CHECKPOINT, tensors, described)
    for name in ("old", "new"):
        assert ppo.main(["--resume", str(tmp_path / name), "--total-timesteps", "512"]) == 0
    old, new = (read_lines(tmp_path / name / METRICS) for name in ("old", "new"))
    assert [line["steps"] for line in old] == [256, 512]
    assert [line["policy_loss"] for line in old] == [line["policy_loss"] for line in new]
    assert json.loads((folder / CONFIG).read_text())["arguments"].keys() >= SMALL.keys()
