"""The executor of a Ray cluster; needs Ray.

Tasks are Ray tasks: Ray chooses the machine, sends it the shared objects once, retries a task whose process or machine
is lost, and uses machines that join later.  A process holds nothing but its worker, which it can make again.
"""

from __future__ import annotations

import logging
import os
import socket
import uuid
from collections.abc import Callable, Collection
from typing import Any, Final, TypeVar

import ray
from ray.exceptions import RayError, RayTaskError

from agents.arena.executor import Executor, WorkerError
from porta_nigra_env.extras import ROOT

W = TypeVar("W")
R = TypeVar("R")

#: Ray's retries of a task whose process died; a task that kills its process must end at some point.
RETRIES: Final = 10
#: Bytes of the object store of a cluster that is started here; the rest goes to disk.
OBJECT_STORE: Final = 200 * 2**20

#: The key of the executor (`OnRay`) and the worker of this process.
_worker: tuple[str, Any] | None = None


def _work(key: str, folder: str, make: Callable[[], Any], work: Callable[..., R], task: object, *shared: object) -> R:
    global _worker
    if _worker is None or _worker[0] != key:
        # Relative paths in arguments start at the folder of the program.
        if os.path.isdir(folder):
            os.chdir(folder)
        _worker = key, make()
    return work(_worker[1], task, *shared)


class OnRay(Executor[W]):
    """The processes of a Ray cluster, each with a worker.

    Args:
        make: makes a worker; a module-level function, which every machine must have.
        count: tasks at a time; 0 for two for each core of the cluster, now or later.
        address: of the cluster; "" starts one on this machine, with `count` cores or all, until `close`.

    Raises:
        WorkerError: the cluster cannot be reached.
    """

    def __init__(self, make: Callable[[], W], count: int, address: str) -> None:
        self._make, self._count, self._key = make, count, uuid.uuid4().hex
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        local: dict[str, Any] = {"num_cpus": count or None, "object_store_memory": OBJECT_STORE}
        try:
            _check_reachable(address)
            ray.init(
                address=address or "local", log_to_driver=False, logging_level=logging.ERROR,
                include_dashboard=None if address else False, runtime_env={"env_vars": {"PYTHONPATH": path}},
                **({} if address else local),
            )  # fmt: skip
        # Ray raises errors of many kinds here, plain exceptions among them.
        except Exception as error:
            ray.shutdown()
            cause = f"--address {address}: no Ray cluster can be used there" if address else "Ray does not start here"
            raise WorkerError(f"{cause}: {error}") from error
        # A worker may be large: one core for each process, as Ray counts them.
        self._retries = RETRIES
        self._remote = ray.remote(num_cpus=1, max_retries=self._retries)(_work)

    @property
    def width(self) -> int:
        """The given number of tasks, or two for each core."""
        return self._count or max(2, 2 * int(ray.cluster_resources().get("CPU", 0)))

    def share(self, value: object) -> object:
        """Return a reference in Ray's object store."""
        return ray.put(value)

    def submit(self, work: Callable[..., Any], task: object, *shared: object) -> Any:
        """Submit a task to Ray."""
        return self._remote.remote(self._key, os.getcwd(), self._make, work, task, *shared)

    def ready(self, running: Collection[Any]) -> Collection[Any]:
        # Not Ray's futures: the interpreter crashes when some of them remain at the end.
        done: list[Any]
        done, _ = ray.wait(list(running), num_returns=1)
        return done

    def result(self, future: Any) -> Any:
        try:
            return ray.get(future)
        except RayTaskError as error:
            raise error.cause or error from None
        except RayError as error:
            raise WorkerError(f"a process that played has died {self._retries + 1} times: {error}") from error

    def close(self) -> None:
        """Leave the cluster, and end it if it was started here."""
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Raise OSError unless HOST:PORT accepts connections: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if port.isdecimal() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=10).close()
