"""Type checkers find misspelled and wrong options of the factories."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CALLS = """\
from porta_nigra_env import porta_nigra_v0 as game

game.raw_env(num_players=2, reward="points", mask_in="info", render_mode=None)
game.env(2, illegal_reward=-2.0, render_view="all")
game.seat_env(seat=1, opponents=["greedy"], illegal_action="raise")
game.batch_env(8, num_players=2, seat="rotate", masks="packed", threads=2, double_buffer=True)
game.vector_env(num_envs=8, autoreset_mode="next_step", copy=False)
game.sb3_vec_env(8, reward="margin", render_mode="ansi")
game.raw_env(num_playrs=2)  # wrong
game.env(reward=3)  # wrong
game.seat_env(seats=1)  # wrong
game.batch_env(8, thread=2)  # wrong
game.batch_env(8, seat=1.5)  # wrong
game.batch_env(8, copy=False)  # wrong
game.vector_env(8, buffers=None)  # wrong
game.sb3_vec_env(8, autoreset_mode="disabled")  # wrong
"""


def test_wrong_options_are_type_errors(tmp_path: Path) -> None:
    program = tmp_path / "calls.py"
    program.write_text(CALLS, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    wrong = {number for number, line in enumerate(CALLS.splitlines(), 1) if line.endswith("# wrong")}
    found = {int(number) for number in re.findall(r"calls\.py:(\d+): error", done.stdout)}
    assert found == wrong, done.stdout
