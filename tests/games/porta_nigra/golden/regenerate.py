"""Write the golden playthroughs anew: ``python -m tests.games.porta_nigra.golden.regenerate``."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from pathlib import Path

from porta_nigra_env.core import state
from porta_nigra_env.core.playthrough import record
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.lockstep import POLICIES
from tests.tenants.kuhn.game import KuhnState

FOLDER = Path(__file__).parent
OTHER = str(FOLDER.parent / "components" / "other.toml")


def _start(players: int, seed: int, components: str = "standard") -> Callable[[], state.State]:
    return lambda: State.new(players, seed, components)


#: File name -> how its game is begun.
STARTS: dict[str, Callable[[], state.State]] = {
    "kuhn_seed_1": lambda: KuhnState.new(seed=1),
    **{
        f"{policy}_{players}_players_seed_{seed}": _start(players, seed)
        for policy, seed in (("random", 1), ("eager", 2))
        for players in (2, 3, 4)
    },
    "eager_3_players_other_components_seed_3": _start(3, 3, OTHER),
}


def policy_of(name: str) -> Callable[[state.State], str]:
    """Random or eager by the file's name, with rng of its own."""
    rng = random.Random(name)
    choose = POLICIES["eager" if name.startswith("eager") else "random"]
    return lambda position: choose(position.legal_actions(), rng)


def main() -> int:
    """Rewrite all files; each appears whole or not at all."""
    for name, begin in STARTS.items():
        text = record(begin(), policy_of(name), name.replace("_", " "))
        file = FOLDER / f"{name}.txt"
        partial = file.with_suffix(".partial")
        partial.write_text(text, encoding="utf-8")
        os.replace(partial, file)
        print(f"{file.name}: {len(text.splitlines())} lines")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
