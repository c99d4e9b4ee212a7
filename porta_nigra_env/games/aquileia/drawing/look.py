"""The look of the table: colours, styles, symbols and words. Shapes and letters double every colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from porta_nigra_env.core.drawing import tabletop
from porta_nigra_env.core.drawing.draw_list import Style
from porta_nigra_env.core.drawing.tabletop import plain
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.load import Components

#: Bronze is brown and round, silver grey and square, gold yellow and six-cornered.
_COINS: Final = (("#a5612d", "#bf7a43"), ("#c3c8cd", "#c9ced3"), ("#eebf2e", "#f2ca4a"))
_COIN_INKS: Final = ("bright", "dark", "dark")
#: Colours of villas by name; other names take the remaining colours.
_VILLAS: Final = {
    "white": "#fbfaf6", "blue": "#2a6cc0", "yellow": "#f0c52b", "purple": "#7b3fa3", "green": "#3a8f4b",
    "red": "#c33a2c", "black": "#2f2d2b", "ivory": "#efe5c8", "orange": "#d9772b", "pink": "#e08bb0",
    "brown": "#7a5230", "grey": "#9a9a96",
}  # fmt: skip

STYLES: Final = {
    **tabletop.STYLES,
    **{f"coin_{kind}": Style(f"coin_{kind}", "edge", 1.5, 4) for kind in names.KINDS},
    **{f"ink_{kind}": Style(ink, bold=True) for kind, ink in zip(names.KINDS, _COIN_INKS, strict=True)},
    **{f"colour_{place}": Style(f"colour_{place}", "edge", 1.5, 4) for place in range(names.MAX_COLOURS)},
    **{f"colour_ink_{place}": Style(f"colour_ink_{place}", bold=True) for place in range(names.MAX_COLOURS)},
    "space": Style("panel", "line", 1.5, 6),
    "slot": Style(None, "line", 2, 22, dash=True),
    "acting": Style("panel", "ink", 3.5, 6),
    "blue_die": Style("die", "edge", 1.5, 5),
    "red_die": Style("red_die", "edge", 1.5, 5),
    "laurel": Style("laurel"),
    "star": Style("star"),
    "badge": Style("ink"),
    "badge_ink": Style("paper", bold=True),
}

SYMBOLS: Final = {
    **tabletop.SYMBOLS,
    "coin_bronze": "M12 .5a11.5 11.5 0 1 0 .01 0z",
    "coin_silver": "M4 1.5h16a2.5 2.5 0 0 1 2.5 2.5v16a2.5 2.5 0 0 1-2.5 2.5H4"
    "A2.5 2.5 0 0 1 1.5 20V4A2.5 2.5 0 0 1 4 1.5z",
    "coin_gold": "M12 0l11 6v12l-11 6-11-6V6z",
    "slave": "M12 0a5.5 5.5 0 1 1-.01 0zM4 24v-6c0-4 3-6 8-6s8 2 8 6v6z",
    "follower": "M12 0a5 5 0 1 1-.01 0zM8.5 10h7l4 14h-15z",
    "house": "M12 1L24 11h-3v12H3V11H0z",
    "villa": "M12 1L24 8v3H0V8zM2 12h4v8H2zM10 12h4v8h-4zM18 12h4v8h-4zM0 21h24v3H0z",
    "money_house": "M12 0c6 0 10 1.5 10 3.5S18 7 12 7 2 5.5 2 3.5 6 0 12 0zM2 7c2 1.7 6 2.5 10 2.5S20 8.7 22 7"
    "v4.5c0 2-4 3.5-10 3.5S2 13.5 2 11.5zM2 15c2 1.7 6 2.5 10 2.5s8-.8 10-2.5v5c0 2-4 4-10 4S2 22 2 20z",
    "horse": "M6 24c0-6 2-8 3-11-2 1-3 3-5 3-2 0-3-2-3-3C3 9 6 4 12 3l1-3 3 3c5 2 7 8 7 21z",
    "weapon": "M24 0l-2 8L11 18l3 3-2 2-4-4-5 5-3-3 5-5-4-4 2-2 3 3L16 2z",
    "laurel": "M3 0c-4 9-1 18 7 21l-1 3h6l-1-3c8-3 11-12 7-21-1 4-1 6-3 8 1-4 0-6 1-9-3 3-3 7-3 11-1 3-2 5-4 6-2-1-3-3"
    "-4-6 0-4 0-8-3-11 1 3 0 5 1 9-2-2-2-4-3-8z",
    "swap": "M0 6h15V1l9 7.5-9 7.5v-5H0zM24 13v5H9v5l-9-7 9-7v4z",
    "die": "M4 0h16a4 4 0 0 1 4 4v16a4 4 0 0 1-4 4H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4zM7 4a3 3 0 1 0 .01 0zM12 9a3 3 0 1 0"
    " .01 0zM17 14a3 3 0 1 0 .01 0z",
    "eye": "M12 4c6 0 10 5 12 8-2 3-6 8-12 8S2 15 0 12c2-3 6-8 12-8zM12 7a5 5 0 1 0 .01 0z",
}

_TITLES: Final = ("Dolus", "Pecunia", "Equi", "Servi", "Potentia", "II Arena", "III Stadium, gold", "silver",
                  "IV Theatrum", "V Forum", "Latro", "VI Portus")  # fmt: skip

#: Words of the table; the names of the component file follow them (`texts_of`).
WORDS: Final = {
    "number": "{}",
    "times": "×{}",  # noqa: RUF001
    "plus": "+{}",
    "at_most": "max {}",
    "points": "{} VP",
    "gains": "+{} VP",
    "round": "round {}",
    "of": "of {}",
    "player": "player {}",
    "you": "you: player {}",
    "unknown": "?",
    "none": "–",  # noqa: RUF001
    "race": "race {}",
    "stadium_card": "stadium card",
    "pile": "pile {}",
    "discard": "discard",
    "slave_cards": "slave cards",
    "equi_cards": "horses and weapons",
    "track": "advantage track",
    "mercatus": "I Mercatus",
    "no_cards": "no cards in hand",
    "passed": "passed",
    "out": "out:",
    "no_bid": "nobody has bid yet",
    "bid_of": "bid of",
    "auctioneer": "auctioneer",
    "received": "received so far",
    "strength": "strength",
    "last": "last card",
    "builds": "may still build {}",
    "scored": "value counts now",
    "each": "each",
    "pass": "pass",
    "done": "done",
    "buy": "buy {}",
    "raise": "bid +1",
    "take_points": "take {} VP",
    "take_slave": "take a slave card",
    "keep_open": "keep the open card",
    "keep_drawn": "keep the drawn card",
    "activate": "pay again and activate",
    "choose_dice": "dice to roll:",
    "place_hint": "a follower on a free space, or the crest on the advantage track",
    "portus_hint": "the coin was stolen",
    "plus_laurels": "+ laurels {}",
    "plus_villas": "+ villas {}",
    **{f"letter_{kind}": letter for kind, letter in zip(names.KINDS, "BSG", strict=True)},
    **{f"name_{kind}": kind for kind in names.KINDS},
    **{f"area_{area}": title for area, title in zip(names.AREAS, _TITLES, strict=True)},
    "asks_place": "places a follower or passes",
    "asks_pecunia": "exchanges coins",
    "asks_equi": "may buy horses and weapons",
    "asks_servi": "may buy slave cards",
    "asks_arena_cards": "plays cards in the fight",
    "asks_arena_dice": "rolls blue dice in the fight",
    "asks_arena_prize": "takes the prize of the fight",
    "asks_stadium_cards": "plays horses in the race",
    "asks_stadium_prize": "keeps a stadium card",
    "asks_auction": "bids for a theatre card",
    "asks_forum": "builds in the Forum",
    "asks_portus": "was robbed in the Portus",
    "asks_over": "the game is over",
}
assert [name for name in WORDS if name.startswith("asks_")] == [f"asks_{phase}" for phase in names.PHASES]

#: Indices of the first text of each list of names.
SPACE_NAME: Final = len(WORDS)
SITE_NAME: Final = SPACE_NAME + names.MAX_SPACES
CARD_NAME: Final = SITE_NAME + names.MAX_BUILDINGS


def texts_of(components: Components) -> tuple[str, ...]:
    """Return all texts: words, then padded lists of the names of spaces, sites and stadium cards."""
    sites = [plain(building["name"].removeprefix(f"{building['kind']}_"))
             for building in components.data["forum"]["buildings"]]  # fmt: skip
    spaces = [plain(space) for space in components.spaces]
    cards = [plain(face.removeprefix("laurel_")) for face in components.stadium_faces]
    return (
        *WORDS.values(), *_padded(spaces, names.MAX_SPACES), *_padded(sites, names.MAX_BUILDINGS),
        *_padded(cards, names.MAX_STADIUM_CARDS),
    )  # fmt: skip


def palette_of(components: Components) -> dict[str, tuple[str, str]]:
    """Return the colours by name; villas and cards follow the names in the file."""
    free = [shade for name, shade in _VILLAS.items() if name not in components.colours]
    shades = [_VILLAS.get(colour) or free.pop(0) for colour in components.colours]
    shades += free[: names.MAX_COLOURS - len(shades)]
    inks = [tabletop.PALETTE["dark" if _is_bright(shade) else "bright"] for shade in shades]
    return {
        **tabletop.PALETTE,
        **{f"coin_{kind}": colours for kind, colours in zip(names.KINDS, _COINS, strict=True)},
        **{f"colour_{place}": (shade, shade) for place, shade in enumerate(shades)},
        **{f"colour_ink_{place}": ink for place, ink in enumerate(inks)},
        "die": ("#2456a4", "#3a6fc4"),
        "red_die": ("#b3261e", "#c8463c"),
        "laurel": ("#3d7a2f", "#86c470"),
        "star": ("#8a6a00", "#e3bd4a"),
    }


def _is_bright(shade: str) -> bool:
    red, green, blue = (int(shade[place : place + 2], 16) for place in (1, 3, 5))
    return 299 * red + 587 * green + 114 * blue > 140_000


def _padded(words: Sequence[str], length: int) -> list[str]:
    return [*words, *[""] * (length - len(words))]
