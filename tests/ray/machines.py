"""Local Ray clusters, and programs that run on them."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ray.cluster_utils import Cluster

ROOT = Path(__file__).parents[2]
#: A "machine": one core, and little memory.
SMALL: dict[str, Any] = {"num_cpus": 1, "object_store_memory": 100 * 2**20, "include_dashboard": False}
PATIENCE = 500.0
#: Last numbers of the addresses of machines that join.
ADDRESSES = itertools.count(2)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """Yield a cluster of one machine with one core; `add_machine` adds others."""
    # Prestarted workers would keep other processes from starting on a busy machine.
    os.environ["RAY_prestart_worker_first_driver"] = "0"  # noqa: SIM112
    os.environ["PYTHONPATH"] = str(ROOT)
    local = Cluster(initialize_head=True, head_node_args=SMALL)
    try:
        yield local
    finally:
        local.shutdown()


def add_machine(to: Cluster) -> Any:
    """Add a machine of one core and wait until it has joined.

    It needs a different address: a program takes a machine with its own address for the one it runs on.
    """
    return to.add_node(
        num_cpus=SMALL["num_cpus"],
        object_store_memory=SMALL["object_store_memory"],
        node_ip_address=f"127.0.0.{next(ADDRESSES)}",
    )


def workers_of(machine: Any) -> list[int]:
    """Return the worker processes of a machine: children of its raylet, found by name."""
    raylet = machine.all_processes["raylet"][0].process.pid
    workers = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                title = (entry / "cmdline").read_bytes()
            except (FileNotFoundError, ProcessLookupError):
                continue
            # A raylet has other children too.
            if parent == raylet and title.startswith((b"ray::_work", b"ray::IDLE")):
                workers.append(int(entry.name))
    return workers


def start(program: str, *options: object, folder: Path) -> subprocess.Popen[str]:
    """Start a program of the checkout in `folder`."""
    command = [sys.executable, "-m", program, *map(str, options)]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "RAY_prestart_worker_first_driver": "0"}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(program: subprocess.Popen[str], expected: int = 0) -> str:
    """Wait for the expected exit code and return the output."""
    output, _ = program.communicate(timeout=PATIENCE)
    assert program.returncode == expected, output
    return output


def wait_until(condition: Callable[[], bool], program: subprocess.Popen[str]) -> None:
    """Wait for a condition while a program runs."""
    limit = time.monotonic() + PATIENCE
    while not condition():
        assert program.poll() is None, f"the program ended too soon: {program.communicate()[0]}"
        assert time.monotonic() < limit, "the condition was not met in time"
        time.sleep(0.05)


def lines_in(file: Path) -> int:
    """Return the number of lines of a file, 0 if it is missing."""
    return file.read_bytes().count(b"\n") if file.exists() else 0
