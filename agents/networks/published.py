"""Networks that come with the agents; the packages of players that know a game enter theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: Files by the name of their game and the number of players.
NETWORKS: Final[dict[tuple[str, int], Path]] = {}
