"""Shared elements of all drawings: background, seats, buttons.

A game package appends its own colours, styles and symbols (``{**tabletop.STYLES, ...}``), so that the shared ones have
the same indices in all games.  A seat has a shape and a number besides its colour, so no information depends on colour.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from porta_nigra_env.core.drawing.draw_list import MIDDLE, NO_NUMBER, NOTHING, Style, put, rect, symbol, text

#: Number of seats with colours and shapes.
MOST_SEATS: Final = 6

_OWNERS: Final = (("#00766a", "#3fc0b0"), ("#bf4f00", "#ff9147"), ("#6a3fa0", "#b48ff0"), ("#b01f5c", "#f0719c"),
                  ("#1b5fae", "#78b0f5"), ("#6d5f00", "#d3c355"))  # fmt: skip
_TINTS: Final = (("#d3ebe7", "#143f3a"), ("#f9e1cf", "#4d2c13"), ("#e6dcf4", "#372552"), ("#f8dbe6", "#4f1d31"),
                 ("#d7e5f6", "#183552"), ("#efe9c4", "#413a10"))  # fmt: skip

PALETTE: Final = {
    "paper": ("#f3efe4", "#181715"),
    "panel": ("#fffdf8", "#26241f"),
    "sunken": ("#e9e2d0", "#32302a"),
    "line": ("#b3a88f", "#5c564a"),
    "ink": ("#24201a", "#f0ebdf"),
    "faint": ("#5f5849", "#b9b1a1"),
    "edge": ("#24201a", "#cfc7b6"),
    "back": ("#7d715c", "#6d634f"),
    "on_back": ("#efe7d3", "#e2d8c2"),
    "on_owner": ("#ffffff", "#14110d"),
    "legal": ("#0d9a3f", "#4fe587"),
    "bright": ("#ffffff", "#ffffff"),
    "dark": ("#1d1a16", "#1d1a16"),
    **{f"owner_{seat}": colours for seat, colours in enumerate(_OWNERS)},
    **{f"tint_{seat}": colours for seat, colours in enumerate(_TINTS)},
}

STYLES: Final = {
    "paper": Style("paper"),
    "legal": Style(None, "legal", 4, 7),
    "panel": Style("panel", "line", 2, 8),
    "asked": Style("panel", "ink", 4, 8),
    "area": Style("sunken", None, radius=8),
    "empty": Style(None, "line", 2, 5, dash=True),
    "card": Style("panel", "edge", 2, 5),
    "back": Style("back", "edge", 2, 5),
    "button": Style("ink", None, radius=7),
    "button_ink": Style("paper", bold=True),
    "ink": Style("ink"),
    "bold": Style("ink", bold=True),
    "faint": Style("faint"),
    "gone": Style("ink", opacity=0.25),
    "on_back": Style("on_back", bold=True),
    "token_ink": Style("on_owner", bold=True),
    **{f"owner_{seat}": Style(f"owner_{seat}") for seat in range(MOST_SEATS)},
    **{f"built_{seat}": Style(f"tint_{seat}", f"owner_{seat}", 3, 5) for seat in range(MOST_SEATS)},
}

SYMBOLS: Final = {
    "seat_0": "M12 1a11 11 0 1 0 .01 0z",
    "seat_1": "M2 2h20v20H2z",
    "seat_2": "M12 0L24 23H0z",
    "seat_3": "M12 0L24 12L12 24L0 12z",
    "seat_4": "M12 0L24 9.5L19.5 23.5h-15L0 9.5z",
    "seat_5": "M6 0h12v6h6v12h-6v6H6v-6H0V6h6z",
    "points": "M12 0l3.6 7.8 8.4 1-6.2 5.8 1.6 8.4L12 18.8 4.6 23l1.6-8.4L0 8.8l8.4-1z",
    "cards": "M2 6h13v18H2zM7 0h15v18h-4V4H7z",
    "flag": "M3 0h3v24H3zM8 1h14l-4 6 4 6H8z",
    "hammer": "M2 2h13l6 5v4h-4l-2-2h-1v15H9V9H2z",
    "right": "M2 9h10V3l11 9-11 9v-6H2z",
}


def plain(name: str) -> str:
    """Return a name of a component file as words."""
    return name.replace("_", " ")


def indices(table: Sequence[str] | dict[str, Any], *names: str) -> list[int]:
    """Return the indices of these names in a table of styles, symbols or texts."""
    index = {name: number for number, name in enumerate(table)}
    return [index[name] for name in names]


PANEL, ASKED, AREA, EMPTY, CARD, BACK = indices(STYLES, "panel", "asked", "area", "empty", "card", "back")
BUTTON, BUTTON_INK, INK, BOLD, FAINT = indices(STYLES, "button", "button_ink", "ink", "bold", "faint")
GONE, ON_BACK, TOKEN_INK = indices(STYLES, "gone", "on_back", "token_ink")
#: Index of the first seat; the other seats follow.
OWNER, BUILT = indices(STYLES, "owner_0", "built_0")
SEAT, STAR, CARDS, FLAG, HAMMER, ARROW = indices(SYMBOLS, "seat_0", "points", "cards", "flag", "hammer", "right")


def token(canvas: Any, x: int, y: int, size: int, seat: int) -> None:
    """Add the token of a player with its number; in a triangle the number is lower, where the shape is wide."""
    symbol(canvas, (x, y, size, size), OWNER + seat, SEAT + seat)
    lower = 5 if seat == 2 or seat == 4 else 3
    put(canvas, MIDDLE, (x, y + size * lower // 16, size, size * 5 // 8), TOKEN_INK, NOTHING, seat, NOTHING)


def button(canvas: Any, box: Any, which: int, number: int, place: int) -> None:
    """Add a button with a text; box: (x, y, w, h)."""
    rect(canvas, box, BUTTON, place)
    x, y, w, h = box
    text(canvas, (x + 6, y + h * 3 // 16, w - 12, h * 5 // 8), BUTTON_INK, which, number)


def word(canvas: Any, box: Any, style: int, which: int) -> None:
    """Add a centered text without a number."""
    text(canvas, box, style, which, NO_NUMBER)
