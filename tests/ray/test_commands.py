"""Run the commands of docs/speed.md as printed: start two machines on this one, and a run on both."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ray.machines import PATIENCE, ROOT
from training.run.folder import NETWORK


@pytest.fixture
def cluster_folder() -> Iterator[Path]:
    """Yield a folder for a cluster's files, and kill the processes that have it in their command lines.

    ``ray stop`` would end those of every cluster of this machine.
    """
    # Names of sockets must be short.
    folder = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
    yield folder
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdecimal() and str(folder).encode() in (entry / "cmdline").read_bytes():
                os.kill(int(entry.name), signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            continue
    shutil.rmtree(folder, ignore_errors=True)


def test_two_machines_are_started_and_used(cluster_folder: Path, tmp_path: Path) -> None:
    lines = re.findall(r"^\.venv-ray/bin/.*$", (ROOT / "docs" / "speed.md").read_text(), re.MULTILINE)
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    first, second, training = (
        shlex.split(line.replace("6379", str(port)).replace("FIRST", "127.0.0.1")) for line in lines
    )
    little = ["--num-cpus", "1", "--object-store-memory", "100000000"]
    small = [
        "--num-envs",
        "8",
        "--num-steps",
        "16",
        "--minibatch-size",
        "64",
        "--total-timesteps",
        "256",
        "--width",
        "16",
        "--threads",
        "1",
    ]
    small += ["--evaluations", "1", "--deals", "2", "--evaluate", "random", "--out", str(tmp_path / "run")]
    own = {"RAY_TMPDIR": str(cluster_folder), "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    environment = os.environ | own | {"RAY_prestart_worker_first_driver": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    for command in ([*first, "--include-dashboard", "false", *little], [*second, *little], [*training, *small]):
        process = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert process.returncode == 0, process.stdout + process.stderr
    assert (tmp_path / "run" / NETWORK).exists()
