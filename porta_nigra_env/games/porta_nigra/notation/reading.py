"""A position dict as a state record; an impossible position is refused with the field and the rule it breaks."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.reading import Reader, reader
from porta_nigra_env.games.porta_nigra.notation.fields import Reading
from porta_nigra_env.games.porta_nigra.notation.laws import LAWS

#: `core.reading.Reader` of the format porta_nigra/1.
from_dict: Final[Reader] = reader(Reading, LAWS)
