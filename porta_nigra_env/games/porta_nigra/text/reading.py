"""A position dict as a state record; an impossible position is refused with the field and the rule it breaks."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.positions.reading import Reader, reader
from porta_nigra_env.games.porta_nigra.text.consistency import LAWS
from porta_nigra_env.games.porta_nigra.text.fields import Reading

#: `core.positions.reading.Reader` of the format porta_nigra/1.
from_dict: Final[Reader] = reader(Reading, LAWS)
