"""Compilation with numba: one decorator, the cache of machine code, copies of records."""

from porta_nigra_env.core.compile.start import load_quickly

load_quickly()
