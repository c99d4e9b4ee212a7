"""`make check` refuses faults in the modules of the page and of the widgets."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from deno import find_deno_bin

from tests.architecture.sources import ROOT

MODULES = Path("agents/web/page/static")
WIDGETS = Path("agents/web/notebook/front")


#: A fault at the end of a module, and a part of the message about it.
FAULTS = [
    (MODULES / "kernel.js", 'new Heap(1).take("8");', "Argument of type 'string' is not assignable"),
    (MODULES / "session.js", "new Session().another();", "'another' does not exist on type 'Session'"),
    (MODULES / "sw.js", "worker.clients.another();", "'another' does not exist on type 'Clients'"),
    (WIDGETS / "watching.js", "new Watching(null, null);", "Argument of type 'null' is not assignable"),
    (MODULES / "games.js", "const unread = 1;", "unread"),
    (MODULES / "sw.js", "debugger;", "debugger"),
]


def test_faults_fail(tmp_path: Path) -> None:
    recipe = subprocess.run(["make", "-n", "check"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    commands = [line.split()[1:] for line in recipe.splitlines() if line.startswith(".venv/bin/deno ")]
    for folder in (MODULES, WIDGETS):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for config in ("deno.json", "deno.worker.json"):
        shutil.copy(ROOT / config, tmp_path)
    for path, fault, _ in FAULTS:
        with (tmp_path / path).open("a", encoding="utf-8") as file:
            file.write(f"\n{fault}\n")
    environment = {**os.environ, "DENO_DIR": str(tmp_path / "cache"), "NO_COLOR": "1"}
    messages = ""
    for command in commands:
        run = subprocess.run([find_deno_bin(), *command], cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert run.returncode == 1, command
        messages += run.stderr
    for path, _, message in FAULTS:
        assert message in messages
        assert path.name in messages
