"""The rulings of Aquileia: where they are stated, and by which numbers tests cite them."""

from typing import Final

PAGE: Final = "docs/aquileia_rules.md"
PREFIX: Final = "A"
LAST: Final = 57
