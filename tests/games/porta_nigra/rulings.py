"""The rulings of Porta Nigra: where they are stated, and by which numbers tests cite them."""

from typing import Final

PAGE: Final = "docs/rules.md"
PREFIX: Final = "R"
LAST: Final = 36
