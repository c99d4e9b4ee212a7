"""Colours, styles, symbols and words of the table; shapes and letters repeat the meaning of colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from porta_nigra_env.core.drawing import tabletop
from porta_nigra_env.core.drawing.draw_list import Style
from porta_nigra_env.games.gloria_mundi.actions import DECISIONS
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, ENDS, LETTERS, NUM_CARDS, STONES, TYPES
from porta_nigra_env.games.gloria_mundi.components.texts import left_side, right_side

#: Food is green and round, gold yellow and hexagonal, peace white and square, glory purple and a rhombus.
_STONES: Final = (("#3d8f4c", "#4fae60"), ("#eebf2e", "#f2ca4a"), ("#ffffff", "#f4f1e8"), ("#7b3fa3", "#a566d6"))
_STONE_INKS: Final = ("bright", "dark", "dark", "bright")
#: Base types have the colours of the stones they produce; builders and walls are red.
_TYPES: Final = (*_STONES[:3], ("#b3261e", "#c8463c"), ("#b3261e", "#c8463c"))
_TYPE_INKS: Final = (*_STONE_INKS[:3], "bright", "bright")

PALETTE: Final = {
    **tabletop.PALETTE,
    **{f"stone_{stone}": colours for stone, colours in zip(STONES, _STONES, strict=True)},
    **{f"type_{called}": colours for called, colours in zip(TYPES, _TYPES, strict=True)},
    "goth": ("#8a1c14", "#ff8f80"),
    "steps": ("#8a6a00", "#e3bd4a"),
}

STYLES: Final = {
    **tabletop.STYLES,
    **{f"stone_{stone}": Style(f"stone_{stone}", "edge", 1.5, 4) for stone in STONES},
    **{f"stone_ink_{stone}": Style(ink, bold=True) for stone, ink in zip(STONES, _STONE_INKS, strict=True)},
    **{f"type_{called}": Style(f"type_{called}", "edge", 1.5, 5) for called in TYPES},
    **{f"type_ink_{called}": Style(ink, bold=True) for called, ink in zip(TYPES, _TYPE_INKS, strict=True)},
    "tile": Style("panel", "line", 1.5, 6),
    "behind": Style("sunken", None, radius=6),
    "here": Style("panel", "goth", 4, 6),
    "left": Style("panel", "ink", 4, 5),
    "carried": Style("panel", "goth", 4, 5),
    "goth": Style("goth"),
    "steps": Style("steps"),
    "lane": Style("line", None, radius=3),
}

SYMBOLS: Final = {
    **tabletop.SYMBOLS,
    "food": "M12 .5a11.5 11.5 0 1 0 .01 0z",
    "gold": "M12 0l11 6v12l-11 6-11-6V6z",
    "peace": "M4 1.5h16a2.5 2.5 0 0 1 2.5 2.5v16a2.5 2.5 0 0 1-2.5 2.5H4A2.5 2.5 0 0 1 1.5 20V4A2.5 2.5 0 0 1 4 1.5z",
    "glory": "M12 0l12 12-12 12L0 12z",
    "wall": "M1 4h4v4h3V4h3v4h2V4h3v4h3V4h4v18h-8v-6H9v6H1z",
    "steps": "M0 2h6l7 10-7 10H0l7-10zM11 2h6l7 10-7 10h-6l7-10z",
    "goth": "M1 1c0 6 2 9 5 9 1-4 3-6 6-6s5 2 6 6c3 0 5-3 5-9 2 7 1 13-4 14l1 9h-6v-6h-4v6H4l1-9C0 14-1 8 1 1z",
    "fire": "M12 0c4 5 8 9 8 15a8 8 0 0 1-16 0c0-4 2-6 4-8 0 3 1 4 2 5 2-4 2-8 2-12z",
}

#: Words of the table; the names of the component file follow them (`texts_of`).
WORDS: Final = {
    "number": "{}",
    "times": "×{}",  # noqa: RUF001
    "forum_extra": "+{} of any",
    "turn": "turn {}",
    "player": "player {}",
    "you": "you: player {}",
    "bare": "{} bare",
    "hand": "hand",
    "deck": "deck",
    "fire": "fire",
    "start": "start",
    "rome": "Rome",
    "africa": "Africa: {} steps",
    "escape": "the way from Rome to Africa",
    "goth_track": "the Goth's way to Rome",
    "forum": "forum: stones beyond the price, price and laurel steps",
    "played": "played:",
    "left": "cards with the dark line may still work",
    "done": "done",
    "again": "again",
    "tribute": "pay the tribute",
    "goth": "let the Goth move",
    "give_left": "{} to give",
    "take_left": "{} to take",
    "due": "due:",
    "extra": "and {} of any kind",
    "fixed": "paid:",
    "how_many": "how many?",
    "demanded": "still demanded:",
    "shared": "tribute to be shared:",
    "next": "next empty province:",
    "hint_play": "a base card out of the hand",
    "hint_buy": "one card of the forum, or nothing",
    "hint_place": "on which bare base card?",
    "hint_discard": "another building card of the own display",
    "stones": "{} stones",
    "steps": "{} steps",
    **{f"name_{stone}": stone for stone in STONES},
    **{f"base_{base}": base for base in BASES},
    **{f"letter_{base}": letter for base, letter in zip(BASES, LETTERS, strict=True)},
    **{
        f"end_{end}": words
        for end, words in zip(
            ENDS, ("the Goth is in Rome", "no base card left to play", "a Roman is in Africa", "the deck is used up"),
            strict=True,
        )
    },
    **{f"asks_{phase}": words for phase, words in DECISIONS.items()},
}  # fmt: skip

#: Indices of the first text of each list: names of the cards, and the two lines of their abilities.
CARD_NAME: Final = len(WORDS)
FIRST_LINE: Final = CARD_NAME + NUM_CARDS
SECOND_LINE: Final = FIRST_LINE + NUM_CARDS

#: Longest text that is not divided.
_SHORT: Final = 18


def texts_of(components: Components) -> tuple[str, ...]:
    """Return all texts: words, names of the cards, first and second lines of their abilities."""
    cards = components.data["building_cards"]
    lines = [ability_lines(card) for card in cards]
    names = [tabletop.plain(card["name"]) for card in cards]
    return (*WORDS.values(), *names, *(first for first, _ in lines), *(second for _, second in lines))


def ability_lines(card: Mapping[str, Any]) -> tuple[str, str]:
    """Return the ability of a card in two short lines.

    >>> ability_lines({"ability": {"kind": "give", "pay": {"food": 2}, "gain": {"steps": 1}, "repeat": True}})
    ('give 2 food', 'get 1 step, repeat')
    >>> ability_lines({"ability": {"kind": "replace", "use": ["peace"], "for": ["food", "gold"]}})
    ('pays peace', 'for food/gold, once')
    """
    ability = card["ability"]
    kind, repeated = ability["kind"], bool(ability.get("repeat"))
    if kind == "wall":
        return "is lost in the", f"place of a {card['protects']}"
    if kind == "replace":
        return f"pays {_kinds(ability['use'])}", f"for {_kinds(ability['for'])}" + ", once" * (not repeated)
    if kind == "give":
        left, right = left_side(ability, _kinds, "another card"), right_side(ability, _kinds)
        return f"give {left}", f"get {right}" + ", repeat" * repeated
    if kind == "have":
        return right_side(ability, _kinds), f"for each {ability.get('per') or 'own ' + ability['per_stone']}"
    if kind == "fulfil" and "goth" in ability:
        return right_side(ability, _kinds), f"if the Goth is on {ability['goth']}"
    if kind == "fulfil":
        return f"{right_side(ability, _kinds)} for each", f"other {ability['each_other']}; only this"
    return _divided(f"get {right_side(ability, _kinds)}")


def _divided(words: str) -> tuple[str, str]:
    """Divide a long text in two near the middle, after a comma if there is one."""
    if len(words) <= _SHORT:
        return words, ""
    mark = ", " if ", " in words else " "
    cut = min((at for at in range(len(words)) if words.startswith(mark, at)), key=lambda at: abs(2 * at - len(words)))
    return words[: cut + len(mark)].rstrip(), words[cut + len(mark) :]


def _kinds(kinds: Sequence[str]) -> str:
    """Return the name of a set of stones to choose from."""
    return "any" if set(kinds) == set(STONES) else "any basic" if set(kinds) == set(BASIC) else "/".join(kinds)
