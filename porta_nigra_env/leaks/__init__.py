"""Checks of any PettingZoo AEC environment: hidden information stays hidden, and seeds decide everything random.

They need PettingZoo and numpy only, and know nothing of the other modules of this package.

`assert_no_leak` plays random games and draws everything again that an agent does not know; the agent must not notice.
`assert_seed_matters` compares games of equal and of different seeds, under different states of global random numbers.
`duplicate` copies an environment with its running game, for functions that draw again.
`porta_nigra_env.leaks.plugin` offers both as fixtures of pytest.
"""

from __future__ import annotations

from porta_nigra_env.leaks.check import Report, assert_no_leak
from porta_nigra_env.leaks.seeds import assert_seed_matters
from porta_nigra_env.leaks.shown import duplicate

__all__ = ["Report", "assert_no_leak", "assert_seed_matters", "duplicate"]
