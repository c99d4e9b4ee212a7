"""Tests of the package, in kinds; see docs/architecture.md."""
