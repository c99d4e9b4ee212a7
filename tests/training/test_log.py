"""The log of measured runs: its loader names a wrong field, and its tables hold every run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.runs import read_log, runs_tables
from tests.architecture.sources import ROOT

VALID = """\
[machines]
small = "one core"

[[topics]]
id = "short"
title = "Short runs"
game = "porta_nigra"
players = [2]
machine = "small"
command = "python -m training.ppo --minutes 3"
measures = ["games won", "margin"]

[[topics.runs]]
id = "short-1"
setting = "the defaults"
seeds = [1, 2]
million_steps = [8.7]
date = 2026-11-21
results = ["7 % (5 to 10)", ""]
note = "stopped early"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "log.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_valid_file_becomes_a_table(tmp_path: Path) -> None:
    log = read_log(write(tmp_path, VALID))
    assert log.topics[0].runs[0].million_steps == (8.7,)
    table = runs_tables(log)
    assert "|run|setting|seeds|M steps|games won|" in table
    assert "|short-1|the defaults|1, 2|8.7|7 % (5-10)|" in table


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('setting = "the defaults"\n', "", r"missing required field `setting` - at `\$.topics\[0\].runs\[0\]`"),
        ("seeds =", "seed =", "unknown field `seed`"),
        ("[8.7]", '["8.7"]', r"Expected `float`, got `str` - at `\$.topics\[0\].runs\[0\].million_steps\[0\]`"),
        ("short-1", "long-1", "run long-1: `id` must be short-NUMBER"),
        (', ""]', "]", "run short-1: `results` must have 2 values"),
        ('"7 % (5 to 10)"', '""', "run short-1: `results` must have a figure"),
        ("7 % (5 to 10)", "17 % (5 to 10)", r"run short-1: `results` must lie in their intervals, got 17 \(5 to 10\)"),
        ('machine = "small"', 'machine = "large"', "topic short: `machine` must be a key of .machines., got 'large'"),
        ("stopped early", " word" * 13, "run short-1: `note` must have at most 12 words, got 13"),
        ("[machines]", "[machines", "log.toml: Expected"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in VALID
    with pytest.raises(ValueError, match=message):
        read_log(write(tmp_path, VALID.replace(old, new)))


def test_a_second_run_with_the_same_id_is_rejected(tmp_path: Path) -> None:
    run = VALID[VALID.index("[[topics.runs]]") :]
    with pytest.raises(ValueError, match="run short-1: `id` must be unique, got it 2 times"):
        read_log(write(tmp_path, f"{VALID}\n{run}"))


def test_conclusions_refer_to_runs_of_the_log() -> None:
    log = read_log(ROOT / "training" / "log.toml")
    names = {topic.id for topic in log.topics}
    text = (ROOT / "training" / "LOG.md").read_text(encoding="utf-8").partition("<!-- generated")[0]
    named = {match[0] for match in re.finditer(r"\b([a-z]+)-\d+\b", text) if match[1] in names}
    assert named
    assert named <= {run.id for topic in log.topics for run in topic.runs}
