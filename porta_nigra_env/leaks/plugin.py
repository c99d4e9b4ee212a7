"""The checks as fixtures of pytest: ``pytest -p porta_nigra_env.leaks.plugin``, or in the root ``conftest.py``
``pytest_plugins = ["porta_nigra_env.leaks.plugin"]``.

It is no entry point, which every run of pytest in the environment would import.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from porta_nigra_env import leaks


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that reproduce a failure."""
    group = parser.getgroup("leaks", "hidden information of PettingZoo environments")
    group.addoption("--leak-seed", type=int, default=None, help="seed of the first game of the leak checks")
    group.addoption("--leak-games", type=int, default=None, help="number of games of the leak checks")


@pytest.fixture
def assert_no_leak(request: pytest.FixtureRequest) -> Callable[..., leaks.Report]:
    """Return `leaks.assert_no_leak`; seed and games of the command line replace those of the call."""
    given = {name: request.config.getoption(f"--leak-{name}") for name in ("seed", "games")}
    chosen = {name: value for name, value in given.items() if value is not None}
    return lambda *arguments, **options: leaks.assert_no_leak(*arguments, **(options | chosen))


@pytest.fixture
def assert_seed_matters() -> Callable[..., None]:
    """Return `leaks.assert_seed_matters`."""
    return leaks.assert_seed_matters
