"""Compilation with numba: one decorator, the cache of machine code, copies of records."""
