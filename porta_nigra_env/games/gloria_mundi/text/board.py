"""The position as text for people."""

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
    """The lines of one position; `position` may be what a single seat sees."""

    def __init__(self, components: Components, position: Position) -> None:
        self.components, self.position = components, position
        self.data = components.data
        self.card = {card["name"]: card for card in self.data["building_cards"]}

    def lines(self) -> list[str]:
        """All of them."""
        seats = range(self.position["num_players"])
        return [
            *self._header(), "", *self._track(), *self._forum(), *self._decision(), "",
            *(line for seat in seats for line in self._player(seat)),
        ]  # fmt: skip

    def _header(self) -> list[str]:
        position, current = self.position, self.position["current_player"]
        active, phase = position["active_player"], position["phase"].replace("_", " ")
        asked = f"the game is over: {position['end']}" if current is None else f"player {current} to decide: {phase}"
        played = f" and played {position['played']}" if position["played"] else ""
        return [
            f"GLORIA MUNDI    turn {position['turn']}, player {active} is active{played}; {asked}",
            f"{'':<{INDENT}}{LEGEND}",
        ]

    # -- the board

    def _track(self) -> list[str]:
        """The Goth, the tribute ahead of him, and the provinces that are empty."""
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
            words = ["-"] if name is None else [name, *card_words(self.card[name])]
            lines += wrapped(f"forum +{extra}", words)
        deck = position["deck"]
        size = deck["count"] if isinstance(deck, dict) else len(deck)
        return [*lines, *wrapped("deck", [f"{size} cards"]), *wrapped("fire", position["fire"])]

    # -- what is going on

    def _decision(self) -> list[str]:
        position, lines = self.position, []
        if position["activation"]:
            activation = position["activation"]
            lines += wrapped("cards left", activation["left"])
            card, left = activation["card"], {what: activation[f"{what}_left"] for what in ("give", "take")}
            if card:
                told = [f"{number} to {what}" for what, number in left.items() if number]
                lines += wrapped("carried out", [card, ability_text(self.card[card]), *told])
        if position["purchase"]:
            place, base = position["purchase"]["place"], position["purchase"]["base"]
            lines += wrapped(
                "purchase", [position["forum"][str(place)], f"+{place}", *([f"on {base}"] if base else [])]
            )
        if position["payment"]:
            fixed = position["payment"].items()
            lines += wrapped("payment", [f"{stone} {'?' if amount is None else amount}" for stone, amount in fixed])
        if position["raid"]:
            demanded, shared = _bases(position["raid"]["demanded"]), amounts(position["raid"]["stones"])
            lines += wrapped("raid", [f"demanded {demanded}", f"to be shared {shared}"])
        return lines

    # -- players

    def _player(self, seat: int) -> list[str]:
        position, player = self.position, self.position["players"][seat]
        mark = ">" if seat == position["current_player"] else "*" if seat == position["active_player"] else " "
        steps = f"{player['steps']} of {self.data['tracks']['escape_steps']} steps"
        stones = "  ".join(f"{stone} {number}" for stone, number in player["stones"].items())
        lines = wrapped(f"{mark} player {seat}", [steps, stones])
        lines += wrapped("    hand", [_bases(player["hand"])])
        for base in BASES:
            cards = [card for card, below in player["buildings"].items() if below == base]
            words = [f"{name}: {ability_text(self.card[name])}" for name in cards]
            if player["bare"][base] or cards:
                lines += wrapped(f"    {base}", [f"{player['bare'][base]} bare", *words])
        return lines


def _bases(found: Mapping[str, int]) -> str:
    """Base cards by type, those that are there."""
    return "  ".join(f"{base} {number}" for base, number in found.items() if number) or "none"


def board(components: Components, states: npt.NDArray[np.void], row: int = 0, view: int | None = None) -> str:
    """The position of ``states[row]`` as lines of at most 100 characters; with `view`, what this seat sees of it."""
    return "\n".join(_Board(components, to_dict(components, states, row, view)).lines())
