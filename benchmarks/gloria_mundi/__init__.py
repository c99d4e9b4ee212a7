"""Benchmarks of Gloria Mundi alone: elementary moves per step."""
