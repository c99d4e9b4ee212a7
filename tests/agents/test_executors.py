"""Executors: equal results here and in processes, and errors of work and processes."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from functools import partial

import pytest

from agents.arena.executors import Executor, Here, Jobs, Processes, WorkerError

#: The real function; tests replace it.
find_spec = importlib.util.find_spec


class Counter:
    """A worker that counts its tasks."""

    def __init__(self, start: int) -> None:
        self.asked = start

    def add(self, task: int, *shared: int) -> tuple[int, int]:
        """Return the sum, and the number of earlier tasks."""
        if task < 0:
            raise ValueError(f"task {task}")
        if task == 99:
            os._exit(3)
        self.asked += 1
        return task + sum(shared), self.asked - 1


def unmade() -> Counter:
    """Fail to make a worker."""
    raise ValueError("no such place")


def outcome(executor: Executor[Counter], tasks: Sequence[int], *shared: int) -> dict[int, int]:
    return {number: total for number, (total, _) in executor.spread(Counter.add, tasks, *shared)}


def test_results_have_the_indices_of_their_tasks_and_workers_persist() -> None:
    with Here(Counter(0)) as here:
        assert outcome(here, [5, 6, 7], 10, 100) == {0: 115, 1: 116, 2: 117}
        assert here.worker.asked == 3
    with Jobs(2).executor(partial(Counter, 40)) as processes:
        assert isinstance(processes, Processes)
        assert outcome(processes, range(20), 10) == {number: number + 10 for number in range(20)}
        # Two workers for forty tasks, with another shared object each time.
        asked = [before for _, (_, before) in processes.spread(Counter.add, range(20), 0)]
        assert max(asked) >= 40 + 10
        with pytest.raises(ValueError, match="task -1"):
            outcome(processes, [1, -1, 2])
        with pytest.raises(WorkerError, match="a process that played has died"):
            outcome(processes, [1, 99])
        # Nor is anything begun in a pool that is broken.
        with pytest.raises(WorkerError, match="a process that played has died"):
            outcome(processes, [1])


def test_what_was_done_before_an_error_is_told() -> None:
    done: list[int] = []
    with Here(Counter(0)) as here, pytest.raises(ValueError, match="task -1"):
        done.extend(number for number, _ in here.spread(Counter.add, [1, 2, -1, 3]))
    assert done == [0, 1]


def test_a_worker_that_cannot_be_made_raises_its_error() -> None:
    with Jobs(2).executor(unmade) as processes, pytest.raises(ValueError, match="no such place"):
        outcome(processes, [1])


@pytest.mark.parametrize(
    ("text", "address", "found"),
    [
        ("1", "", Jobs()),
        ("4", "", Jobs(4)),
        ("ray", "", Jobs(0, ray=True)),
        ("ray:4", "auto", Jobs(4, ray=True, address="auto")),
        ("0", "", "--jobs must be at least 1, not 0"),
        ("ray:0", "", "--jobs must be at least 1, not 0"),
        ("ray:", "", "--jobs must be N, ray or ray:N, not 'ray:'"),
        (":4", "", "--jobs must be N, ray or ray:N, not ':4'"),
        ("dask:4", "", "--jobs must be N, ray or ray:N, not 'dask:4'"),
        ("4", "auto", "--address is that of a Ray cluster; it needs --jobs ray, not --jobs 4"),
    ],
)
def test_where_work_is_asked_for(text: str, address: str, found: Jobs | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object() if name == "ray" else find_spec(name))
    if isinstance(found, Jobs):
        assert Jobs.of(text, address) == found
    else:
        with pytest.raises(ValueError, match=found):
            Jobs.of(text, address)


def test_without_ray_its_installation_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ray" else find_spec(name))
    assert Jobs.of("2") == Jobs(2)
    with pytest.raises(ValueError, match=r"--collectors ray:2: Ray is not installed: .*porta-nigra-env\[ray\]"):
        Jobs.of("ray:2", option="--collectors")
