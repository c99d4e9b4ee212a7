"""Start of the golden game of Kuhn poker."""

from __future__ import annotations

from tests.golden.games import Start, random_player
from tests.toys.kuhn.game import KuhnState

#: Start and player of the game, by file name.
STARTS = {"kuhn_seed_1": Start(lambda: KuhnState.new(seed=1), random_player("kuhn_seed_1"))}
