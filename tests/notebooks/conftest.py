"""Every test of widgets records their messages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.notebooks.hosting import recorded


@pytest.fixture(autouse=True)
def lines() -> Iterator[None]:
    """Record the messages of all widgets."""
    with recorded():
        yield
