"""How the golden game of Kuhn poker begins."""

from __future__ import annotations

from tests.golden.games import Start, random_player
from tests.toys.kuhn.game import KuhnState

#: File name -> how its game is begun and played.
STARTS = {"kuhn_seed_1": Start(lambda: KuhnState.new(seed=1), random_player("kuhn_seed_1"))}
