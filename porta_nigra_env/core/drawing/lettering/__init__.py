"""The font of pictures and the widths of its characters.

The font, Table Sans, is a subset of DejaVu Sans Condensed: printable ASCII and a few signs, in two weights (see
LICENSE).  The package includes it because headless machines often have no fonts, and to make pictures reproducible.
Browsers without it use the next font of `FAMILY`; text that is too wide is condensed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

#: The characters of the font; others are drawn as an empty box.
CHARACTERS: Final = "".join(map(chr, range(32, 127))) + "×–·…−"  # noqa: RUF001
FAMILY: Final = "'Table Sans', 'DejaVu Sans Condensed', 'Liberation Sans', Arial, Helvetica, sans-serif"
FILES: Final = tuple(str(Path(__file__).with_name(name)) for name in ("table_sans.ttf", "table_sans_bold.ttf"))
#: Distance of the baseline below the top of a line, in thousandths of the font size; it centers digits.
BASELINE: Final = 860

# Widths of `CHARACTERS` in thousandths of the font size.
_REGULAR: Final = (
    286, 360, 414, 754, 572, 855, 702, 247, 351, 351, 450, 754, 286, 325, 286, 303, 572, 572, 572, 572,
    572, 572, 572, 572, 572, 572, 303, 303, 754, 754, 754, 478, 900, 615, 617, 628, 693, 568, 518, 697,
    677, 265, 265, 590, 501, 776, 673, 708, 542, 708, 625, 571, 549, 659, 615, 890, 616, 549, 616, 351,
    303, 351, 754, 450, 450, 551, 571, 495, 571, 554, 316, 571, 570, 250, 250, 521, 250, 876, 570, 550,
    571, 571, 370, 469, 353, 570, 532, 736, 532, 532, 472, 572, 303, 572, 754, 754, 450, 286, 900, 754,
)  # fmt: skip
_BOLD: Final = (
    313, 410, 469, 754, 626, 901, 785, 275, 411, 411, 470, 754, 342, 374, 342, 329, 626, 626, 626, 626,
    626, 626, 626, 626, 626, 626, 360, 360, 754, 754, 754, 522, 900, 696, 686, 660, 747, 615, 615, 738,
    753, 334, 334, 697, 573, 896, 753, 765, 659, 765, 693, 648, 614, 730, 696, 993, 694, 651, 652, 411,
    329, 411, 754, 450, 450, 607, 644, 533, 644, 610, 391, 644, 641, 308, 308, 598, 308, 938, 641, 618,
    644, 644, 444, 536, 430, 641, 586, 831, 580, 586, 523, 641, 329, 641, 754, 754, 450, 342, 900, 754,
)  # fmt: skip

#: Widths by character; the key "" holds the width of any other character.
ADVANCES: Final = {"": 600, **dict(zip(CHARACTERS, _REGULAR, strict=True))}
BOLD_ADVANCES: Final = {"": 660, **dict(zip(CHARACTERS, _BOLD, strict=True))}


def width(text: str, size: int, bold: bool = False) -> int:
    """Return the width of a line of text, in the unit of the font size, rounded up."""
    advances = BOLD_ADVANCES if bold else ADVANCES
    return -(-sum(advances.get(character, advances[""]) for character in text) * size // 1000)
