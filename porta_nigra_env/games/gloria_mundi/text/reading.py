"""Read a position dict into a state record.

A position must be safe to play: values in range, no piece too many or missing, and a phase that fits the rest.  Whether
play can reach it is not checked.  Errors name the field, the value and the fix.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from porta_nigra_env.core.positions import position as check
from porta_nigra_env.core.positions import reading
from porta_nigra_env.core.positions.position import members, refuse
from porta_nigra_env.core.positions.reading import Reader, reader
from porta_nigra_env.games.gloria_mundi.actions import NUM_WORDS
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, ENDS, PHASES, SEATS, STONES
from porta_nigra_env.games.gloria_mundi.components.schema import GAIN_CHOICE, PAY_CARD, PAY_CHOICE
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL, find_options
from porta_nigra_env.games.gloria_mundi.state import GAME_PURPOSE, LARGEST_AMOUNT, STATE, TRIBUTE_BITS
from porta_nigra_env.games.gloria_mundi.text import writing

POSITION_KEYS: Final = (
    *("active_player", "turn", "deck", "forum", "fire", "goth", "tribute", "players"),
    *("played", "activation", "purchase", "payment", "raid", "end"),
)
PLAYER_KEYS: Final = ("steps", "stones", "hand", "bare", "buildings")
#: Fields of the record that are -1 where the position has nothing.
_UNSET: Final = ("played", "card", "place", "base", "end", "paid", "forum", "deck")
#: Phases in which the active player is asked.
_ACTIVE_ONLY: Final = ("play", "buy", "place", "pay", "goth", "pay_tribute")


class Reading(reading.Reading):
    """A position read into a record, see `core.positions.reading.Reading`.

    Attributes:
        active, goth: as in the position.
        cards: every place that names a building card, as field and card.
        tribute: stones of each kind on the provinces ahead of the Goth.
        left: the cards left, in the order of the position.
    """

    format, keys, seats, phases = writing.FORMAT, POSITION_KEYS, SEATS, PHASES
    dtype, purpose, unset = STATE, GAME_PURPOSE, _UNSET

    components: Components

    def read(self) -> None:
        self.cards: list[tuple[str, int]] = []
        self.left: list[int] = []
        self._read_frame()
        self._read_cards()
        self._read_goth()
        for seat, entry in enumerate(check.listed(self.position["players"], "players", _entry, *[self.players] * 2)):
            self._read_player(seat, entry)
        self._read_activation()
        self._read_purchase()
        self._read_raid()

    @property
    def asked(self) -> str:
        """The player asked, for messages."""
        return f"player {self.current}"

    def name(self, card: int) -> str:
        """Return the name of a building card."""
        return self.components.cards[card]

    def covered(self, seat: int, base: int) -> int:
        """Return the set of the building cards on base cards of a type."""
        return int(self.state["covered"][seat, base])

    def options_in(self, phase: int, left: int = 0) -> int:
        """Return the options that another phase would have, with no amount fixed and these cards left."""
        states = self.states.copy()
        states["phase"], states["paid"], states["left"] = phase, -1, left
        find_options(self.components.constants, states, 0)
        return int(states["options"][0])

    # -- single values

    def _base(self, value: object, field: str) -> int:
        return check.index(value, field, BASES, "base type")

    def _card(self, value: object, field: str) -> int:
        return check.index(value, field, self.components.cards, "building card")

    def _placed_card(self, value: object, field: str) -> int:
        """Return a building card and record its place."""
        card = self._card(value, field)
        self.cards.append((field, card))
        return card

    # -- the board

    def _read_frame(self) -> None:
        position, state = self.position, self.state
        self.active = self.seat(position["active_player"], "active_player")
        state["active_player"] = self.active
        in_hand = int((self.constants["hands"][self.players] - self.constants["start_display"]).sum())
        state["turn"] = check.integer(position["turn"], "turn", 1, 1 + self.players * in_hand)
        end = self.in_phase("end", ("over",))
        if end is not None:
            state["end"] = check.index(end, "end", ENDS, "end of a game")
        played = self.in_phase("played", [phase for phase in PHASES if phase not in ("play", "over")])
        if played is not None:
            state["played"] = self._base(played, "played")

    def _read_cards(self) -> None:
        position, state, most = self.position, self.state, len(self.components.cards)
        deck = check.listed(position["deck"], "deck", self._placed_card, 0, most)
        check.fill_pile(state["deck"], "deck", (), deck)
        state["num_deck"] = len(deck)
        extras = [str(extra) for extra in self.components.extras]
        forum = check.mapping(position["forum"], "forum", extras)
        for place, extra in enumerate(extras):
            if forum[extra] is not None:
                state["forum"][place] = self._placed_card(forum[extra], f"forum.{extra}")
        for card in check.listed(position["fire"], "fire", self._placed_card, 0, most):
            state["fire"] |= 1 << card

    def _read_goth(self) -> None:
        self.goth = check.integer(self.position["goth"], "goth", 0, self.number("provinces") + 1)
        self.state["goth"] = self.goth
        self.tribute = check.listed(self.position["tribute"], "tribute", _province, 0, names.MAX_PROVINCES)
        self.state["num_tribute"] = len(self.tribute)

    def _read_player(self, seat: int, entry: object) -> None:
        state, field = self.state, f"players[{seat}]"
        player = check.mapping(entry, field, PLAYER_KEYS)
        state["steps"][seat] = check.integer(player["steps"], f"{field}.steps", 0, self.number("escape_steps"))
        state["stones"][seat] = check.counts(player["stones"], f"{field}.stones", STONES, LARGEST_AMOUNT)
        for key in ("hand", "bare"):
            state[key][seat] = check.counts(player[key], f"{field}.{key}", BASES, names.MAX_DEALT)
        buildings = check.mapping(player["buildings"], f"{field}.buildings", (), self.components.cards)
        for card, base in buildings.items():
            at = f"{field}.buildings.{card}"
            below = self._base(base, at)
            state["covered"][seat, below] |= 1 << self._placed_card(card, at)

    # -- the pending decision

    def _read_activation(self) -> None:
        state, activation = self.state, self.in_phase("activation", writing.ACTIVATION_PHASES)
        if activation is None:
            return
        activation = check.mapping(activation, "activation", ("left", "card", "give_left", "take_left"))
        self.left = check.listed(activation["left"], "activation.left", self._card, 0, len(self.components.cards))
        state["left"] = sum(1 << card for card in set(self.left))
        if activation["card"] is not None:
            state["card"] = self._card(activation["card"], "activation.card")
        for key in ("give_left", "take_left"):
            state[key] = check.integer(activation[key], f"activation.{key}", 0, names.MAX_COUNT)

    def _read_purchase(self) -> None:
        state, purchase = self.state, self.in_phase("purchase", writing.PURCHASE_PHASES)
        if purchase is not None:
            purchase, extras = check.mapping(purchase, "purchase", ("place", "base")), self.components.extras
            extra = check.integer(purchase["place"], "purchase.place", min(extras), max(extras))
            if extra not in extras:
                refuse("purchase.place", f"must be one of {', '.join(map(str, extras))}, not {extra}")
            state["place"] = extras.index(extra)
            if purchase["base"] is not None:
                state["base"] = self._base(purchase["base"], "purchase.base")
        payment = self.in_phase("payment", writing.PAYMENT_PHASES)
        if payment is not None:
            amounts = check.mapping(payment, "payment", BASIC)
            for kind, stone in enumerate(BASIC):
                if amounts[stone] is not None:
                    state["paid"][kind] = check.integer(amounts[stone], f"payment.{stone}", 0, names.MAX_DUE)

    def _read_raid(self) -> None:
        raid = self.in_phase("raid", writing.RAID_PHASES)
        if raid is not None:
            raid = check.mapping(raid, "raid", ("demanded", "stones"))
            self.state["demanded"] = check.counts(raid["demanded"], "raid.demanded", BASES, LARGEST_AMOUNT)
            self.state["raid_stones"] = check.counts(raid["stones"], "raid.stones", STONES, LARGEST_AMOUNT)


def _entry(value: object, field: str) -> object:
    return value


def _province(value: object, field: str) -> list[int]:
    return check.counts(value, field, STONES, names.MAX_SYMBOLS)


# ------------------------------------------------------------------------------------------------ conservation


def check_building_cards(reading: Reading) -> None:
    """Require every building card exactly once, on base types it may lie on (G23)."""
    first: dict[int, str] = {}
    for field, card in reading.cards:
        if card in first:
            refuse(field, f"{reading.name(card)} lies in {first[card]} already; give each building card once")
        first[card] = field
    missing = [name for card, name in enumerate(reading.components.cards) if card not in first]
    if missing:
        refuse("deck", f"{missing[0]} is missing; add it to deck, forum, fire or the buildings of a player")
    for seat in range(reading.players):
        for base, base_name in enumerate(BASES):
            for card in members(reading.covered(seat, base)):
                if not int(reading.constants["lies_on"][card]) >> base & 1:
                    refuse(f"players[{seat}].buildings.{reading.name(card)}", f"must not lie on {base_name} (G23)")


def check_base_cards(reading: Reading) -> None:
    """Require at most the dealt base cards (G2), and a base card played in every turn."""
    state, dealt = reading.state, reading.constants["hands"][reading.players]
    for seat in range(reading.players):
        for base, base_name in enumerate(BASES):
            hand = int(state["hand"][seat, base])
            shown = int(state["bare"][seat, base]) + reading.covered(seat, base).bit_count()
            if hand + shown > dealt[base]:
                field, right = f"players[{seat}].hand.{base_name}", f"give at most {dealt[base]} in all (G2)"
                refuse(field, f"{hand} in hand and {shown} in the display are more than dealt; {right}")
    played = reading.players * (dealt - reading.constants["start_display"]).sum() - state["hand"].sum()
    most = played + (reading.phase in ("play", "over"))
    if state["turn"] > most:
        refuse("turn", f"must be at most {most} with {played} base cards played, not {state['turn']}")


def check_goth(reading: Reading) -> None:
    """Require the Goth before Rome except at the end, and tribute and demands that fit the symbols (G30-G37)."""
    constants, state, rome = reading.constants, reading.state, reading.number("provinces") + 1
    if reading.goth == rome and reading.phase not in (*writing.RAID_PHASES, "over"):
        refuse("goth", f"must be less than {rome}, Rome, in phase {reading.phase} (G38)")
    if len(reading.tribute) > max(0, rome - 1 - reading.goth):
        refuse("tribute", f"{len(reading.tribute)} provinces, but {max(0, rome - 1 - reading.goth)} are ahead (G30)")
    for entry, stones in enumerate(reading.tribute):
        space, field = reading.goth + 1 + entry, f"tribute[{entry}]"
        symbols = constants["symbols"][space].tolist()
        for kind, stone in enumerate(BASIC):
            if stones[kind] > symbols[kind]:
                refuse(f"{field}.{stone}", f"must be at most {symbols[kind]}, the symbols of province {space} (G30)")
        if sum(stones) != sum(symbols):
            refuse(field, f"must have {sum(symbols)} stones, one for each symbol of province {space} (G30)")
        state["tribute"][space] = sum(stones[kind] << TRIBUTE_BITS * kind for kind in range(len(BASIC)))
    passed = constants["symbols_to"][reading.goth]
    for base, base_name in enumerate(BASES):
        most = 0 if reading.phase == "reclaim" else int(passed[base])
        if state["demanded"][base] > most:
            refuse(f"raid.demanded.{base_name}", f"must be at most {most} in phase {reading.phase} (G32, G33)")
    if state["raid_stones"].sum() > passed.sum():
        refuse("raid.stones", f"must be at most {passed.sum()} in all, the symbols up to the Goth (G37)")


# ------------------------------------------------------------------------------------------------ the phase


def check_players(reading: Reading) -> None:
    """Require Romans before Africa (G21), and the active player to decide outside activations and raids."""
    arrived = np.flatnonzero(reading.state["steps"][: reading.players] == reading.constants["escape_steps"])
    if reading.phase != "over" and len(arrived):
        refuse(f"players[{arrived[0]}].steps", "is Africa, so the phase must be over (G21)")
    if reading.phase in _ACTIVE_ONLY and reading.current != reading.active:
        refuse("current_player", f"must be the active player, {reading.active}, in phase {reading.phase}")


def _activated_cards(reading: Reading) -> int:
    """Return the cards of the player asked that get an activation (G11)."""
    constants = reading.constants
    cards = reading.covered(reading.current, int(reading.state["played"]))
    cards &= ~(int(constants["red"]) | int(constants["exclusive"]))
    for base in range(len(BASES)):
        if not int(constants["symbol_set"][reading.goth]) >> base & 1:
            cards &= ~int(constants["on_goth"][base])
    return cards


def check_activation(reading: Reading) -> None:
    """Require cards that get an activation, and a card whose ability leads to the phase (G11-G17)."""
    phase, card, constants = reading.phase, int(reading.state["card"]), reading.constants
    if phase not in writing.ACTIVATION_PHASES:
        return
    activated = _activated_cards(reading)
    if phase == "exclusive" and set(reading.left) != set(members(activated)):
        listed = ", ".join(map(reading.name, members(activated))) or "no card"
        refuse("activation.left", f"must be {listed}, all that get an activation, in phase exclusive (G11)")
    entries = [(f"activation.left[{place}]", left) for place, left in enumerate(reading.left)]
    for field, entry in [*entries, ("activation.card", card)] if card >= 0 else entries:
        if not activated >> entry & 1:
            refuse(field, f"{reading.name(entry)} gets no activation by {reading.asked} now; remove it (G11)")
    if len(set(reading.left)) < len(reading.left):
        refuse("activation.left", "must not name a card twice")
    if (card >= 0) != (phase not in ("exclusive", "activate")):
        refuse("activation.card", f"must {'not ' * (card < 0)}be null in phase {phase}")
    again = card >= 0 and constants["repeat"][card] and reading.options_in(names.ACTIVATE, 1 << card)
    leads, wrong = {
        "repeat": (again, "cannot be repeated (G14)"),
        "give": (constants["pay_form"][card] == PAY_CHOICE, "has no choice on its left side (G16)"),
        "discard": (constants["pay_form"][card] == PAY_CARD, "gives up no building card (G17)"),
        "take": (constants["gain_form"][card] == GAIN_CHOICE, "has no choice on its right side (G16)"),
    }.get(phase, (True, ""))
    if not leads:
        refuse("activation.card", f"{reading.name(card)} {wrong}; give another card or phase")
    for asking, printed in (("give", "pay_count"), ("take", "gain_count")):
        low, high = (1, int(constants[printed][card])) if phase == asking else (0, 0)
        if asking == phase == "give":
            kinds = members(int(constants["pay_kinds"][card]))
            high = min(high, sum(int(reading.state["stones"][reading.current, kind]) for kind in kinds))
        amount = int(reading.state[f"{asking}_left"])
        if not low <= amount <= high:
            refuse(f"activation.{asking}_left", f"must be in {low}..{high} in phase {phase}, not {amount} (G16)")


def check_payment(reading: Reading) -> None:
    """Require a card that can be laid down and paid (G22, G23), and amounts fixed in their order (G26)."""
    place, base = int(reading.state["place"]), int(reading.state["base"])
    if reading.phase in writing.PURCHASE_PHASES:
        extra, card = reading.components.extras[place], int(reading.state["forum"][place])
        if card < 0:
            refuse("purchase.place", f"forum.{extra} is empty; give a place with a card (G22)")
        if not reading.options_in(names.BUY) >> place & 1:
            refuse("purchase.place", f"{reading.asked} cannot lay down or pay {reading.name(card)} (G22)")
        if (reading.phase == "pay") != (base >= 0):
            refuse("purchase.base", f"must {'not ' * (base < 0)}be null in phase {reading.phase}")
        if base >= 0 and not reading.options_in(names.PLACE) >> base & 1:
            refuse("purchase.base", f"{reading.asked} has no bare {BASES[base]} for {reading.name(card)} (G23)")
    if reading.phase in writing.PAYMENT_PHASES:
        missing = [kind for kind in range(len(BASIC)) if reading.state["paid"][kind] < 0]
        if missing != list(range(len(BASIC)))[-len(missing) :]:
            refuse("payment", "amounts must be null from the one to be chosen on (G26)")


def check_choices(reading: Reading) -> None:
    """Require two legal actions at least (G5)."""
    if reading.phase == "over":
        return
    find_options(reading.components.constants, reading.states, 0)
    words = np.zeros(NUM_WORDS, dtype=np.uint64)
    KERNEL.legal(reading.components.constants, reading.states, 0, words)
    legal = sum(int(word).bit_count() for word in words)
    if reading.phase == "goth":  # the rules ask only players who can pay (G29)
        ahead = reading.goth + len(reading.tribute) < reading.number("provinces")
        legal = 1 + (ahead and reading.options_in(names.PAY_TRIBUTE) != 0)
    if legal < 2:
        wrong = f"{reading.asked} has {legal} legal actions in phase {reading.phase}"
        refuse("phase", f"{wrong}; a decision needs at least 2 (G5)")


#: `core.positions.reading.Reader` of the format gloria_mundi/1.
from_dict: Final[Reader] = reader(
    Reading,
    (check_building_cards, check_base_cards, check_goth, check_players, check_activation, check_payment, check_choices),
)
