"""Benchmarks that know Porta Nigra."""
