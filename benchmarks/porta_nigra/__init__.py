"""Benchmarks of Porta Nigra alone: a C twin of its hottest kernel function, and its scripted agents."""
