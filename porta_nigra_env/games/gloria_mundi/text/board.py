"""A position as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.boards import INDENT, wrapped
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES
from porta_nigra_env.games.gloria_mundi.components.texts import ability_text, amounts, card_words
from porta_nigra_env.games.gloria_mundi.text.writing import Position, to_dict

LEGEND: Final = "F farm (food), C city (gold), P peace (peace); > is asked, * is active"


class _Board:
    """The lines of one position, which may be the view of a seat."""

    def __init__(self, components: Components, position: Position) -> None:
        self.components, self.position = components, position
        self.escape_steps = components.data["tracks"]["escape_steps"]
        self.cards = {card["name"]: card for card in components.data["building_cards"]}

    def lines(self) -> list[str]:
        players = [line for seat in range(self.position["num_players"]) for line in self._player(seat)]
        return [*self._header(), "", *self._track(), *self._forum(), *self._decision(), "", *players]

    def _header(self) -> list[str]:
        position, current = self.position, self.position["current_player"]
        active, phase = position["active_player"], position["phase"].replace("_", " ")
        asked = f"the game is over: {position['end']}" if current is None else f"player {current} to decide: {phase}"
        played = f" and played {position['played']}" if position["played"] else ""
        return [
            f"GLORIA MUNDI    turn {position['turn']}, player {active} is active{played}; {asked}",
            f"{'':<{INDENT}}{LEGEND}",
        ]

    def _track(self) -> list[str]:
        """Return the Goth, the tribute ahead of it, and the empty provinces."""
        goth, tribute, provinces = self.position["goth"], self.position["tribute"], self.components.provinces
        where = f"on {goth} {provinces[goth - 1]} of {len(provinces)}" if goth <= len(provinces) else "in Rome"
        paid = [f"{space} {provinces[space - 1]}: {amounts(stones)}" for space, stones in enumerate(tribute, goth + 1)]
        first = goth + len(tribute)
        empty = [f"{space} {provinces[space - 1]}" for space in range(first + 1, len(provinces) + 1)]
        lines = wrapped("Goth", [where if goth else "at the start"])
        lines += wrapped("  tribute", paid) if paid else []
        return [*lines, *(wrapped("  empty ahead", empty) if empty else [])]

    def _forum(self) -> list[str]:
        position, lines = self.position, []
        for extra, name in position["forum"].items():
            words = ["-"] if name is None else [name, *card_words(self.cards[name])]
            lines += wrapped(f"forum +{extra}", words)
        deck = position["deck"]
        size = deck["count"] if isinstance(deck, dict) else len(deck)
        return [*lines, *wrapped("deck", [f"{size} cards"]), *wrapped("fire", position["fire"])]

    def _decision(self) -> list[str]:
        position, lines = self.position, []
        if activation := position["activation"]:
            lines += wrapped("cards left", activation["left"])
            if card := activation["card"]:
                left = {key: activation[f"{key}_left"] for key in ("give", "take")}
                counts = [f"{number} to {key}" for key, number in left.items() if number]
                lines += wrapped("carried out", [card, ability_text(self.cards[card]), *counts])
        if purchase := position["purchase"]:
            place, base = purchase["place"], purchase["base"]
            words = [position["forum"][str(place)], f"+{place}", *([f"on {base}"] if base else [])]
            lines += wrapped("purchase", words)
        if position["payment"]:
            fixed = position["payment"].items()
            lines += wrapped("payment", [f"{stone} {'?' if amount is None else amount}" for stone, amount in fixed])
        if raid := position["raid"]:
            words = [f"demanded {_bases(raid['demanded'])}", f"to be shared {amounts(raid['stones'])}"]
            lines += wrapped("raid", words)
        return lines

    def _player(self, seat: int) -> list[str]:
        position, player = self.position, self.position["players"][seat]
        mark = ">" if seat == position["current_player"] else "*" if seat == position["active_player"] else " "
        stones = "  ".join(f"{stone} {number}" for stone, number in player["stones"].items())
        lines = wrapped(f"{mark} player {seat}", [f"{player['steps']} of {self.escape_steps} steps", stones])
        lines += wrapped("    hand", [_bases(player["hand"])])
        for base in BASES:
            cards = [card for card, below in player["buildings"].items() if below == base]
            words = [f"{name}: {ability_text(self.cards[name])}" for name in cards]
            if player["bare"][base] or cards:
                lines += wrapped(f"    {base}", [f"{player['bare'][base]} bare", *words])
        return lines


def _bases(counts: Mapping[str, int]) -> str:
    """Return the base cards with a positive number, by type."""
    return "  ".join(f"{base} {number}" for base, number in counts.items() if number) or "none"


def board(components: Components, states: npt.NDArray[np.void], row: int = 0, view: int | None = None) -> str:
    """Return the position of ``states[row]`` in lines of at most 100 characters; with `view`, as that seat sees it."""
    return "\n".join(_Board(components, to_dict(components, states, row, view)).lines())
