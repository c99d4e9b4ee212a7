"""The code of docs/environments.md with every game; `make test-clients` makes the environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.clients import LIBRARIES, ROOT, installed, lines_of
from porta_nigra_env.games import GAMES, game_class
from porta_nigra_env.registration import gymnasium_id

#: Counts the steps of the code in the file.
PROGRAM = """
import pathlib
from benchmarks.clients import counting

with counting() as count:
    exec(compile(pathlib.Path("page.py").read_text(), "page.py", "exec"), {"__name__": "__main__"})
assert count.done >= 100, count
"""


def code_for(library: str, game: str) -> str:
    """Return the code of a library for another game than Porta Nigra."""
    kind = game_class(game)
    fewest, module = min(kind.seats), f"{game}_v{kind.version}"
    code = lines_of(library).replace("PortaNigra-v0", gymnasium_id(game)).replace("porta_nigra_v0", module)
    code = code.replace('make_game("porta_nigra", 2)', f'make_game("{game}", {fewest})')
    return code.replace("num_players=2", f"num_players={fewest}")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("library", [name for name in LIBRARIES if installed(name)])
def test_the_code_works_with_every_game(library: str, game: str, tmp_path: Path) -> None:
    code = code_for(library, game)
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_code_names_the_game_in_few_forms(library: str) -> None:
    """Otherwise the code for another game would still play this one."""
    compile(code_for(library, "aquileia"), library, "exec")
    names = re.compile(r"porta_nigra(?!_env)|PortaNigra")
    assert names.search(lines_of(library))
    assert not names.search(code_for(library, "aquileia"))
