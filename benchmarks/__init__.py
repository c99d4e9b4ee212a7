"""Benchmarks of the environments, searches and learners; ``python -m benchmarks --help`` lists them."""
