"""Work on a Ray cluster; imported only by those who ask for it.

Tasks are Ray's own: it chooses the machine, sends each one what is shared once, does a task anew whose process or
machine is lost, and takes up machines that join.  Nothing is kept in a process but its place, which it can make anew.
"""

from __future__ import annotations

import logging
import os
import socket
import uuid
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from agents.arena.executors import Executor, WorkerError

P = TypeVar("P")
R = TypeVar("R")

#: How often Ray does a task anew whose process died; a task that kills its process has to end somewhere.
RETRIES: Final = 10
#: Bytes of the object store of a cluster that is started here; what does not fit goes to disk.
OBJECT_STORE: Final = 200 * 2**20
ROOT: Final = Path(__file__).parents[2]

#: Whose place it is (`OnRay`), and the place, of a worker process.
_place: tuple[str, Any] | None = None


def _work(key: str, folder: str, make: Callable[[], Any], work: Callable[..., R], task: object, *shared: object) -> R:
    global _place
    if _place is None or _place[0] != key:
        # Files that arguments name are looked for where the program was called.
        if os.path.isdir(folder):
            os.chdir(folder)
        _place = key, make()
    return work(_place[1], task, *shared)


class OnRay(Executor[P]):
    """The processes of a Ray cluster, each with a place.

    Args:
        make: makes a place; a function of a module, which every machine has to have.
        count: tasks at a time; 0 for two for each core that the cluster has, now or later.
        address: of the cluster; "" starts one on this machine, with `count` cores or all, until `close`.

    Raises:
        WorkerError: the cluster cannot be reached.
    """

    def __init__(self, make: Callable[[], P], count: int, address: str) -> None:
        self._make, self._count, self._key = make, count, uuid.uuid4().hex
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        own: dict[str, Any] = {"num_cpus": count or None, "object_store_memory": OBJECT_STORE}
        try:
            _check_somebody_answers(address)
            ray.init(
                address=address or "local", log_to_driver=False, logging_level=logging.ERROR,
                include_dashboard=None if address else False, runtime_env={"env_vars": {"PYTHONPATH": path}},
                **({} if address else own),
            )  # fmt: skip
        # Ray raises errors of many kinds here, plain exceptions among them.
        except Exception as error:
            ray.shutdown()
            what = f"--address {address}: no Ray cluster can be used there" if address else "Ray does not start here"
            raise WorkerError(f"{what}: {error}") from error
        # A place may be large: one core for each process, as Ray counts them.
        self._retries = RETRIES
        self._remote = ray.remote(num_cpus=1, max_retries=self._retries)(_work)

    @property
    def width(self) -> int:
        """As many as asked for, or two for each core there is."""
        return self._count or max(2, 2 * int(ray.cluster_resources().get("CPU", 0)))

    def share(self, one: object) -> object:
        """A reference to it in Ray's object store."""
        return ray.put(one)

    def submit(self, work: Callable[..., Any], task: object, *shared: object) -> Any:
        """Hand it to Ray."""
        return self._remote.remote(self._key, os.getcwd(), self._make, work, task, *shared)

    def ready(self, running: Collection[Any]) -> Collection[Any]:
        """As of `Executor.ready`."""
        # Not futures of these: the interpreter does not survive it when those are left over at the end.
        done, _ = ray.wait(list(running), num_returns=1)
        found: list[Any] = done
        return found

    def result(self, one: Any) -> Any:
        """As of `Executor.result`."""
        try:
            return ray.get(one)
        except RayTaskError as error:
            raise error.cause or error from None
        except RayError as error:
            raise WorkerError(f"a process that played has died {self._retries + 1} times: {error}") from error

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        ray.shutdown()


def _check_somebody_answers(address: str) -> None:
    """OSError unless somebody does at HOST:PORT: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()
