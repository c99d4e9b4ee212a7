"""Seeds of runs: what they may be, and those of what a run draws later."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.arrays.rng import later_seed

#: Seeds of training are at most this: those of deals and of later games come from them by addition.
LARGEST_SEED: Final = 2**62 - 1


def check_run_seed(seed: int) -> None:
    """ValueError for a seed that is none of training."""
    if not 0 <= seed <= LARGEST_SEED:
        raise ValueError(f"--seed must be in 0..{LARGEST_SEED}, not {seed}")


def later_run_seed(seed: int, number: int) -> int:
    """A seed of training for what comes `number` after the first thing that `seed` draws; unrelated for each number."""
    return int(later_seed(seed, number)) >> 1
