"""The fields of a position, read one by one into a record."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.positions import position as check
from porta_nigra_env.core.positions import reading
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import (
    BASES,
    BASIC,
    ENDS,
    MAX_COUNT,
    MAX_DEALT,
    MAX_DUE,
    MAX_PROVINCES,
    MAX_SYMBOLS,
    PHASES,
    SEATS,
    STONES,
)
from porta_nigra_env.games.gloria_mundi.state import GAME_PURPOSE, LARGEST_AMOUNT, STATE, TRIBUTE_BITS
from porta_nigra_env.games.gloria_mundi.text.writing import (
    ACTIVATION_PHASES,
    FORMAT,
    PAYMENT_PHASES,
    PURCHASE_PHASES,
    RAID_PHASES,
)

POSITION_KEYS: Final = (
    *("active_player", "turn", "deck", "forum", "fire", "goth", "tribute", "players"),
    *("played", "activation", "purchase", "payment", "raid", "end"),
)
PLAYER_KEYS: Final = ("steps", "stones", "hand", "bare", "buildings")
#: `core.positions.reading.Reading.unset`.
_UNSET: Final = ("played", "card", "place", "base", "end", "paid", "forum", "deck")


class Reading(reading.Reading):
    """A position read into a record, see `core.positions.reading.Reading`.

    Attributes:
        active, turn, goth, end: as in the position; "" for no end.
        cards: every place at which a building card is named, as field and card.
        tribute: stones of each kind on the provinces ahead of the Goth.
        left: the cards left, in the order of the position.
    """

    format, keys, seats, phases = FORMAT, POSITION_KEYS, SEATS, PHASES
    dtype, purpose, unset = STATE, GAME_PURPOSE, _UNSET

    components: Components

    def read(self) -> None:
        self.cards: list[tuple[str, int]] = []
        self._read_frame()
        self._read_deck()
        self._read_goth()
        self._read_players()
        self._read_activation()
        self._read_purchase()
        self._read_raid()

    @property
    def dealt(self) -> list[int]:
        """Base cards of each type that every player is dealt, the start display included."""
        return [int(cards) for cards in self.constants["hands"][self.players]]

    @property
    def in_hand(self) -> list[int]:
        """Of these, the cards of the hand at the start (G2)."""
        return [cards - int(shown) for cards, shown in zip(self.dealt, self.constants["start_display"], strict=True)]

    def covered(self, seat: int, base: int) -> int:
        """The building cards on base cards of a type, as a bit mask."""
        return int(self.state["covered"][seat, base])

    def displayed(self, seat: int, base: int) -> int:
        """Base cards of a type in a display, bare or covered."""
        return int(self.state["bare"][seat, base]) + self.covered(seat, base).bit_count()

    # -- the frame

    def _read_frame(self) -> None:
        position, state = self.position, self.state
        self.active = self.seat(position["active_player"], "active_player")
        state["active_player"] = self.active
        self.turn = check.integer(position["turn"], "turn", 1, 1 + self.players * sum(self.in_hand))
        state["turn"] = self.turn
        end = self.in_phase("end", ("over",))
        if end is not None:
            state["end"] = check.index(end, "end", ENDS, "end of a game")
        self.end = "" if end is None else ENDS[int(state["end"])]
        played = self.in_phase("played", [phase for phase in PHASES if phase not in ("play", "over")])
        if played is not None:
            state["played"] = self._base(played, "played")

    # -- single values

    def _base(self, value: object, field: str) -> int:
        return check.index(value, field, BASES, "base type")

    def _card(self, value: object, field: str) -> int:
        return check.index(value, field, self.components.cards, "building card")

    def _place_card(self, value: object, field: str) -> int:
        """A building card that lies at a field."""
        card = self._card(value, field)
        self.cards.append((field, card))
        return card

    # -- the board

    def _read_deck(self) -> None:
        position, state, most = self.position, self.state, len(self.components.cards)
        deck = check.listed(position["deck"], "deck", self._place_card, 0, most)
        check.fill_pile(state["deck"], "deck", (), deck)
        state["num_deck"] = len(deck)
        extras = [str(extra) for extra in self.components.extras]
        forum = check.mapping(position["forum"], "forum", extras)
        for place, extra in enumerate(extras):
            if forum[extra] is not None:
                state["forum"][place] = self._place_card(forum[extra], f"forum.{extra}")
        for card in check.listed(position["fire"], "fire", self._place_card, 0, most):
            state["fire"] |= 1 << card

    def _read_goth(self) -> None:
        self.goth = check.integer(self.position["goth"], "goth", 0, self.number("provinces") + 1)
        self.state["goth"] = self.goth
        self.tribute = check.listed(self.position["tribute"], "tribute", self._province, 0, MAX_PROVINCES)
        self.state["num_tribute"] = len(self.tribute)

    def _province(self, value: object, field: str) -> list[int]:
        return check.counts(value, field, STONES, MAX_SYMBOLS)

    def _read_players(self) -> None:
        state = self.state
        players = check.listed(self.position["players"], "players", lambda entry, field: entry, *[self.players] * 2)
        for seat, entry in enumerate(players):
            field = f"players[{seat}]"
            player = check.mapping(entry, field, PLAYER_KEYS)
            state["steps"][seat] = check.integer(player["steps"], f"{field}.steps", 0, self.number("escape_steps"))
            state["stones"][seat] = check.counts(player["stones"], f"{field}.stones", STONES, LARGEST_AMOUNT)
            for key in ("hand", "bare"):
                state[key][seat] = check.counts(player[key], f"{field}.{key}", BASES, MAX_DEALT)
            buildings = check.mapping(player["buildings"], f"{field}.buildings", (), self.components.cards)
            for card, base in buildings.items():
                at = f"{field}.buildings.{card}"
                below = self._base(base, at)
                state["covered"][seat, below] |= 1 << self._place_card(card, at)

    # -- the pending decision

    def _read_activation(self) -> None:
        state, activation = self.state, self.in_phase("activation", ACTIVATION_PHASES)
        self.left: list[int] = []
        if activation is None:
            return
        activation = check.mapping(activation, "activation", ("left", "card", "give_left", "take_left"))
        most = len(self.components.cards)
        self.left = check.listed(activation["left"], "activation.left", self._card, 0, most)
        for card in self.left:
            state["left"] |= 1 << card
        if activation["card"] is not None:
            state["card"] = self._card(activation["card"], "activation.card")
        for key in ("give_left", "take_left"):
            state[key] = check.integer(activation[key], f"activation.{key}", 0, MAX_COUNT)

    def _read_purchase(self) -> None:
        state, purchase = self.state, self.in_phase("purchase", PURCHASE_PHASES)
        if purchase is not None:
            purchase = check.mapping(purchase, "purchase", ("place", "base"))
            extras = self.components.extras
            extra = check.integer(purchase["place"], "purchase.place", min(extras), max(extras))
            if extra not in extras:
                check.refuse("purchase.place", f"must be one of {', '.join(map(str, extras))}, not {extra}")
            state["place"] = extras.index(extra)
            if purchase["base"] is not None:
                state["base"] = self._base(purchase["base"], "purchase.base")
        payment = self.in_phase("payment", PAYMENT_PHASES)
        if payment is not None:
            amounts = check.mapping(payment, "payment", BASIC)
            for kind, stone in enumerate(BASIC):
                if amounts[stone] is not None:
                    state["paid"][kind] = check.integer(amounts[stone], f"payment.{stone}", 0, MAX_DUE)

    def _read_raid(self) -> None:
        raid = self.in_phase("raid", RAID_PHASES)
        if raid is not None:
            raid = check.mapping(raid, "raid", ("demanded", "stones"))
            self.state["demanded"] = check.counts(raid["demanded"], "raid.demanded", BASES, LARGEST_AMOUNT)
            self.state["raid_stones"] = check.counts(raid["stones"], "raid.stones", STONES, LARGEST_AMOUNT)

    def pack_tribute(self) -> None:
        """Write the tribute into the record, once it is known to fit the provinces."""
        for space, stones in enumerate(self.tribute, self.goth + 1):
            self.state["tribute"][space] = sum(stones[kind] << TRIBUTE_BITS * kind for kind in range(len(BASIC)))
