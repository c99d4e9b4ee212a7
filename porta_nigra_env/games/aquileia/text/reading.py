"""A position dict as a state record; an impossible position is refused with the field and the rule it breaks."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.positions.reading import Reader, reader
from porta_nigra_env.games.aquileia.text.consistency import LAWS
from porta_nigra_env.games.aquileia.text.fields import Reading
from porta_nigra_env.games.aquileia.text.phase_consistency import DECISION_LAWS

#: `core.positions.reading.Reader` of the format aquileia/1.
from_dict: Final[Reader] = reader(Reading, (*LAWS, *DECISION_LAWS))
