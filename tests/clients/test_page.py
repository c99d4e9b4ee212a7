"""The code of docs/environments.md for the libraries of `.venv-clients`, which `make test-clients` makes."""

from __future__ import annotations

import pytest

from benchmarks.clients import LIBRARIES, measured


@pytest.mark.parametrize("name", [name for name, (_, place) in LIBRARIES.items() if place == ".venv-clients"])
def test_the_lines_work(name: str) -> None:
    assert measured(name)["per_second"] > 0
