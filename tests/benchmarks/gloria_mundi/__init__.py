"""Benchmarks that know Gloria Mundi."""
