"""Play against every named player; the tests of the wheel run it without torch and without the checkout."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import porta_nigra_env
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.games import GAMES, make_game
from porta_nigra_env.players.names import names


def main() -> None:
    """Print the path of the package, the importable modules of the checkout, and the opponents."""
    played = []
    for game_name in GAMES:
        game = make_game(game_name)
        for name in names(game):
            single = SeatEnv(game, 0, opponents=name)
            single.reset(seed=1)
            batch = BatchEnv(game, 2, seat=0, opponents=name)
            batch.reset(seed=1)
            for _ in range(10):
                single.step(int(single.action_masks().argmax()))
                batch.step(batch.action_masks.argmax(axis=1))
            played.append(f"{game_name} {name}")
    importable = [
        name for name in ("torch", "agents", "training", "benchmarks", "tests") if importlib.util.find_spec(name)
    ]
    package = Path(porta_nigra_env.__file__).parent
    json.dump({"package": str(package), "found": importable, "played": played}, sys.stdout)


if __name__ == "__main__":
    main()
