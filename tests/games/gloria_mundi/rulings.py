"""The rulings of Gloria Mundi: where they are stated, and by which numbers tests cite them."""

from typing import Final

PAGE: Final = "docs/gloria_mundi_rules.md"
PREFIX: Final = "G"
LAST: Final = 44
