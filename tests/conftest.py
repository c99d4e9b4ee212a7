"""Fixtures of several test folders."""

pytest_plugins = ["tests.page.fixtures"]
