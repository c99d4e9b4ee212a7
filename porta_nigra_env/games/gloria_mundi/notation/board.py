"""The position as text for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.boards import wrapped
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES
from porta_nigra_env.games.gloria_mundi.notation.abilities import ability_words, amounts, card_words
from porta_nigra_env.games.gloria_mundi.notation.writing import Position, to_dict

LEGEND: Final = "F farm (food), C city (gold), P peace (peace): symbols of provinces"


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
        position = self.position
        phase, current, active = (
            position["phase"].replace("_", " "),
            position["current_player"],
            position["active_player"],
        )
        asked = f"the game is over: {position['end']}" if current is None else f"player {current} to decide: {phase}"
        played = f" and played {position['played']}" if position["played"] else ""
        return [f"GLORIA MUNDI    turn {position['turn']}, player {active} is active{played}; {asked}"]

    # -- the board

    def _track(self) -> list[str]:
        """The Goth, the tribute ahead of him, and the provinces that are empty."""
        goth, tribute, provinces = self.position["goth"], self.position["tribute"], self.components.provinces
        where = (
            "at the start" if goth == 0 else "in Rome" if goth > len(provinces) else f"on {goth} {provinces[goth - 1]}"
        )
        paid = [f"{space} {provinces[space - 1]}: {amounts(stones)};" for space, stones in enumerate(tribute, goth + 1)]
        first = goth + len(tribute)
        empty = [f"{space} {provinces[space - 1]}" for space in range(first + 1, len(provinces) + 1)]
        lines = wrapped("Goth", [f"{where} of {len(provinces)};", LEGEND])
        lines += wrapped("  tribute", paid) if paid else []
        return [*lines, *(wrapped("  empty ahead", empty) if empty else [])]

    def _forum(self) -> list[str]:
        position, lines = self.position, []
        for extra, name in position["forum"].items():
            words = ["-"] if name is None else [f"{name}:", *card_words(self.card[name])]
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
            if activation["card"]:
                left = [
                    f"{activation[f'{what}_left']} to {what}" for what in ("give", "take") if activation[f"{what}_left"]
                ]
                lines += wrapped(
                    "carried out", [activation["card"], *ability_words(self.card[activation["card"]]), *left]
                )
        if position["purchase"]:
            place, base = position["purchase"]["place"], position["purchase"]["base"]
            lines += wrapped(
                "purchase", [f"{position['forum'][str(place)]} +{place}", *([f"on {base}"] if base else [])]
            )
        if position["payment"]:
            fixed = {stone: amount for stone, amount in position["payment"].items() if amount is not None}
            asked = next(stone for stone, amount in position["payment"].items() if amount is None)
            lines += wrapped("payment", [*(f"{stone} {amount}" for stone, amount in fixed.items()), f"{asked} ?"])
        if position["raid"]:
            raid = position["raid"]
            lines += wrapped(
                "raid", [f"demanded {_bases(raid['demanded'])};", f"to be shared {amounts(raid['stones'])}"]
            )
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
            words = [
                word
                for name in cards
                for word in (f"{name}:", *ability_words(self.card[name])[:-1], f"{ability_words(self.card[name])[-1]};")
            ]
            if player["bare"][base] or cards:
                lines += wrapped(f"    {base}", [f"{player['bare'][base]} bare;", *words])
        return lines


def _bases(found: Mapping[str, int]) -> str:
    """Base cards by type, those that are there."""
    return "  ".join(f"{base} {number}" for base, number in found.items() if number) or "none"


def board(components: Components, states: npt.NDArray[np.void], row: int = 0, view: int | None = None) -> str:
    """The position of ``states[row]`` as lines of at most 100 characters; with `view`, what this seat sees of it."""
    return "\n".join(_Board(components, to_dict(components, states, row, view)).lines())
