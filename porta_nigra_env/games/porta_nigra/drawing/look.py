"""Colours, styles, symbols and words of the drawing; shapes and letters repeat every colour."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.drawing import tabletop
from porta_nigra_env.core.drawing.draw_list import Style
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS, MAX_PLAYERS

#: Letters of the colours, as on text boards: blue is U because black is B.
LETTERS: Final = "BURYW"
_BRICKS: Final = (("#2e2c2a", "#0c0b0a"), ("#1c6ab4", "#2a7fd0"), ("#bd3324", "#cf4434"), ("#edbd1d", "#edbd1d"),
                  ("#ffffff", "#f4efe4"))  # fmt: skip
_LETTER_INKS: Final = ("bright", "bright", "bright", "dark", "dark")

PALETTE: Final = {
    **tabletop.PALETTE,
    "sunken": ("#ece6d6", "#34312a"),
    "line": ("#bdb39c", "#565045"),
    "faint": ("#675f50", "#b3ab9b"),
    "on_back": ("#cfc5ad", "#b1a688"),
    "grey": ("#c9c2b2", "#8d8676"),
    "coin": ("#f2d27a", "#e6c260"),
    "torch": ("#c65a11", "#ff9c50"),
    **{f"brick_{name}": colours for name, colours in zip(COLOURS, _BRICKS, strict=True)},
}

STYLES: Final = {
    "paper": Style("paper"),
    "legal": Style(None, "legal", 4, 7),
    "panel": Style("panel", "line", 2, 8),
    "asked": Style("panel", "ink", 4, 8),
    "area": Style("sunken", None, radius=6),
    "empty": Style(None, "line", 2, 5, dash=True),
    "card": Style("panel", "edge", 2, 5),
    "played": Style("sunken", "line", 1, 4),
    "back": Style("back", "edge", 2, 5),
    "button": Style("ink", None, radius=7),
    "button_ink": Style("paper", bold=True),
    "button_faint": Style("line"),
    "ink": Style("ink"),
    "bold": Style("ink", bold=True),
    "faint": Style("faint"),
    "gone": Style("ink", opacity=0.25),
    "torch": Style("torch"),
    "coin": Style("coin", "edge", 1),
    "coin_ink": Style("dark", bold=True),
    "on_back": Style("on_back"),
    "token_ink": Style("on_owner", bold=True),
    **{f"owner_{seat}": Style(f"owner_{seat}") for seat in range(MAX_PLAYERS)},
    **{f"built_{seat}": Style(f"tint_{seat}", f"owner_{seat}", 3, 5) for seat in range(MAX_PLAYERS)},
    **{f"brick_{name}": Style(f"brick_{name}", "edge", 1.5, 3) for name in COLOURS},
    "brick_any": Style("grey", "edge", 1.5, 3),
    **{f"letter_{name}": Style(ink, bold=True) for name, ink in zip(COLOURS, _LETTER_INKS, strict=True)},
    "letter_any": Style("dark", bold=True),
}

SYMBOLS: Final = {
    **tabletop.SYMBOLS,
    "basilica": "M12 1L23 8v3H1V8zM3 12h4v8H3zM10 12h4v8h-4zM17 12h4v8h-4zM1 21h22v3H1z",
    "amphitheatre": "M12 3c7 0 12 3.5 12 9s-5 9-12 9S0 17.5 0 12 5 3 12 3zM12 8c-4 0-7.5 1.5-7.5 4s3.5 4 7.5 4 "
    "7.5-1.5 7.5-4-3.5-4-7.5-4z",
    "city_wall": "M1 4h4v4h3V4h3v4h2V4h3v4h3V4h4v18h-8v-6H9v6H1z",
    "porta_nigra": "M1 2h7v5h8V2h7v21h-6v-6a2 2 0 0 0-4 0v6h-2v-6a2 2 0 0 0-4 0v6H1z",
    "torch": "M12 0c4 4 6 6 6 9a6 6 0 0 1-12 0c0-2 1-4 3-5 0 2 0 3 1 4 2-2 2-5 2-8zM8 17h8l-2.5 7h-3z",
    "influence": "M11 0h2v3h9v14l-5-3-5 4-5-4-5 3V3h9z",
    "roman": "M12 0a5.5 5.5 0 1 1-.01 0zM8 12h8l3 8h2v4H3v-4h2z",
    "crown": "M1 7l6 5 5-10 5 10 6-5-2 14H3z",
    "bricks": "M0 13h11v9H0zM13 13h11v9H13zM6.5 2h11v9h-11z",
    "strike": "M0 21L21 0l3 3L3 24z",
    # Arrows clockwise from the upper left quarter.
    "onward": tabletop.SYMBOLS["right"],
    "down": "M9 2v10H3l9 11 9-11h-6V2z",
    "left": "M22 9H12V3L1 12l11 9v-6h10z",
    "up": "M9 22V12H3L12 1l9 11h-6v10z",
}

#: Words of the table; names of cards follow them (`texts_of`).
WORDS: Final = {
    "number": "{}",
    "times": "×{}",  # noqa: RUF001
    "points": "{} VP",
    "each": "{} each",
    "price": "price {}",
    "any_height": "{}+",
    "first": "1. {}",
    "second": "2. {}",
    "other": "/{}",
    "more": "+{}",
    "less": "−{}",  # noqa: RUF001
    "every": "every {}:",
    "round": "round {}",
    "of": "of {}",
    "player": "player {}",
    "you": "you: player {}",
    "youth": "{}. by youth",
    "reserve": "reserve",
    "supply": "supply {}",
    "used": "used {}",
    "deck": "deck {}",
    "final_turns": "final turns",
    "ended_by": "ended by",
    "to_split": "splits {}",
    "taken": "{}0 +",
    "end_turn": "end turn",
    "coin": "S",
    **{f"letter_{name}": letter for name, letter in zip(COLOURS, LETTERS, strict=True)},
    "letter_any": "?",
    **{f"name_{building}": building.replace("_", " ") for building in BUILDINGS},
    "asks_place_builder": "places the builder",
    "asks_choose_card": "chooses a card",
    "asks_main": "buys and builds",
    "asks_crown": "crowns an element",
    "asks_split_tens": "takes tens of sesterces",
    "asks_split_units": "takes single sesterces",
    "asks_appoint": "appoints who begins",
    "asks_over": "the game is over",
}
