"""Nim with one heap: the smallest game of perfect information through the same machinery."""
