"""What tests of several folders use."""

pytest_plugins = ["tests.page.fixtures"]
