"""Start of the golden game of Leduc poker."""

from __future__ import annotations

from tests.golden.games import Start, random_player
from tests.toys.leduc.game import LeducState

#: Start and player of the game, by file name.
STARTS = {"leduc_seed_1": Start(lambda: LeducState.new(seed=1), random_player("leduc_seed_1"))}
