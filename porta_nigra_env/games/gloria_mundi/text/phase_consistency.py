"""Laws of the pending decision: whoever is asked would be asked, and what her phase keeps fits (see `laws`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from porta_nigra_env.core.positions.position import members, refuse
from porta_nigra_env.games.gloria_mundi.actions import NUM_WORDS
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, BUY, PAY_TRIBUTE, STONES
from porta_nigra_env.games.gloria_mundi.components.schema import GAIN_CHOICE, PAY_CARD, PAY_CHOICE
from porta_nigra_env.games.gloria_mundi.rules.kernel import KERNEL, find_options
from porta_nigra_env.games.gloria_mundi.text.fields import Reading
from porta_nigra_env.games.gloria_mundi.text.writing import ACTIVATION_PHASES, PAYMENT_PHASES, PURCHASE_PHASES

#: Phases in which the active player is asked.
_OF_THE_ACTIVE: Final = ("play", "buy", "place", "pay", "goth", "pay_tribute")


def the_active_player_decides_in_her_turn(reading: Reading) -> None:
    """Only activations, losses and sharing ask others than the active player."""
    if reading.phase in _OF_THE_ACTIVE and reading.current != reading.active:
        refuse("current_player", f"must be the active player, {reading.active}, in phase {reading.phase}")


# ------------------------------------------------------------------------------------------------ activations


def _own_turn(reading: Reading) -> int:
    """The cards of the asked player that get a turn of their own in `activate`, as a bit mask (G11)."""
    played, constants = int(reading.state["played"]), reading.constants
    found = reading.covered(reading.current, played) & ~(int(constants["red"]) | int(constants["exclusive"]))
    for base in range(len(BASES)):
        if not int(constants["symbol_set"][reading.goth]) >> base & 1:
            found &= ~int(constants["on_goth"][base])
    return found


def cards_left_get_a_turn(reading: Reading) -> None:
    """Cards left are coloured, of the played type, not exclusive, and see their symbol under the Goth (G11)."""
    if reading.phase not in ACTIVATION_PHASES:
        return
    names, own = reading.components.cards, _own_turn(reading)
    for place, card in enumerate(reading.left):
        if card in reading.left[:place]:
            refuse(f"activation.left[{place}]", f"{names[card]} stands there twice")
        if not own >> card & 1:
            wrong = f"player {reading.current} has no card {names[card]} that gets a turn of its own now (G11)"
            refuse(f"activation.left[{place}]", wrong)
    missing = [names[card] for card in members(own) if card not in reading.left]
    if reading.phase == "exclusive" and missing:
        refuse("activation.left", f"{missing[0]} is missing: nothing has been carried out in phase exclusive (G11)")


def _stones_of(reading: Reading, kinds: int) -> int:
    """Stones of these kinds in the stock of the asked player."""
    stones = reading.state["stones"][reading.current]
    return sum(int(stones[kind]) for kind in members(kinds))


def _others(reading: Reading, card: int) -> int:
    """Other building cards in the display of the asked player."""
    return sum(reading.covered(reading.current, base).bit_count() for base in range(len(BASES))) - 1


def _can_be_given(reading: Reading, card: int) -> bool:
    """Whether the whole left side of a card can be given (G12)."""
    constants, stock = reading.constants, reading.state["stones"][reading.current]
    if constants["pay_form"][card] == PAY_CHOICE:
        return _stones_of(reading, int(constants["pay_kinds"][card])) >= int(constants["pay_count"][card])
    if constants["pay_form"][card] == PAY_CARD:
        return _others(reading, card) > 0
    return all(int(stock[kind]) >= int(constants["pay"][card, kind]) for kind in range(len(STONES)))


def the_card_leads_to_the_phase(reading: Reading) -> None:
    """Within a card there is one, which is no longer left and has the part that is asked about (G13 to G17)."""
    card, phase, constants = int(reading.state["card"]), reading.phase, reading.constants
    if phase not in ACTIVATION_PHASES:
        return
    within = phase not in ("exclusive", "activate")
    if within != (card >= 0):
        refuse("activation.card", f"must {'not ' * within}be null in phase {phase}")
    if not within:
        return
    name = reading.components.cards[card]
    if card in reading.left:
        refuse("activation.card", f"{name} is among the cards left; what is carried out is not (G11)")
    if not _own_turn(reading) >> card & 1:
        wrong = f"player {reading.current} has no card {name} that gets a turn of its own now (G11)"
        refuse("activation.card", wrong)
    parts = {
        "repeat": (constants["repeat"][card] != 0, "has no printed X (G14)"),
        "give": (constants["pay_form"][card] == PAY_CHOICE, "has no choice on its left side (G16)"),
        "discard": (constants["pay_form"][card] == PAY_CARD, "gives up no building card (G17)"),
        "take": (constants["gain_form"][card] == GAIN_CHOICE, "has no choice on its right side (G16)"),
    }
    leads, wrong = parts[phase]
    if not leads:
        refuse("activation.card", f"{name} {wrong}")
    if phase == "repeat" and not _can_be_given(reading, card):
        refuse("activation.card", f"the left side of {name} cannot be given again (G14)")


def stones_of_a_choice_are_counted(reading: Reading) -> None:
    """In a choice 1 stone at least is left to give or to take, and not more than the card says (G16)."""
    if reading.phase not in ACTIVATION_PHASES:
        return
    for phase, key, printed in (("give", "give_left", "pay_count"), ("take", "take_left", "gain_count")):
        left, field = int(reading.state[key]), f"activation.{key}"
        if reading.phase != phase and left:
            refuse(field, f"must be 0 in phase {reading.phase}")
        if reading.phase == phase:
            most = int(reading.constants[printed][reading.state["card"]])
            if not 1 <= left <= most:
                refuse(field, f"must be in 1..{most}, not {left} (G16)")
    if reading.phase == "give":
        stock = _stones_of(reading, int(reading.constants["pay_kinds"][reading.state["card"]]))
        if int(reading.state["give_left"]) > stock:
            refuse("activation.give_left", f"player {reading.current} has only {stock} stones of these kinds (G12)")


# ------------------------------------------------------------------------------------------------ payments


def _options_in(reading: Reading, phase: int) -> int:
    """What could be chosen if this were another phase, as the record's field tells it."""
    states = reading.states.copy()
    states["phase"], states["paid"] = phase, -1
    find_options(reading.components.constants, states, 0)
    return int(states["options"][0])


def a_purchase_can_be_made(reading: Reading) -> None:
    """The card on the place can be laid and paid; its base is named once it is chosen (G22, G23)."""
    if reading.phase not in PURCHASE_PHASES:
        return
    place, base = int(reading.state["place"]), int(reading.state["base"])
    extra, card = reading.components.extras[place], int(reading.state["forum"][place])
    if card < 0:
        refuse("purchase.place", f"forum.{extra} is empty (G22)")
    name, bare = reading.components.cards[card], reading.state["bare"][reading.current]
    lies_on = members(int(reading.constants["lies_on"][card]))
    if not any(bare[type_] for type_ in lies_on):
        refuse("purchase.place", f"player {reading.current} has no bare base card for {name} (G23)")
    if not _options_in(reading, BUY) >> place & 1:
        refuse("purchase.place", f"player {reading.current} cannot pay {name} and {extra} stones more (G24)")
    if (reading.phase == "pay") != (base >= 0):
        refuse("purchase.base", f"must {'not ' * (reading.phase == 'pay')}be null in phase {reading.phase}")
    if base >= 0 and base not in lies_on:
        refuse("purchase.base", f"{name} must not lie on {BASES[base]} (G23)")
    if base >= 0 and not bare[base]:
        refuse("purchase.base", f"player {reading.current} has no bare {BASES[base]} (G23)")


def amounts_are_fixed_in_order(reading: Reading) -> None:
    """The amounts of a payment are chosen one after the other, and one is still to be chosen (G26)."""
    if reading.phase not in PAYMENT_PHASES:
        return
    if reading.phase == "pay_tribute" and reading.goth + len(reading.tribute) >= reading.number("provinces"):
        refuse("payment", "the next empty space is Rome: no tribute can be paid (G29)")
    asked = [kind for kind in range(len(BASIC)) if reading.state["paid"][kind] < 0]
    if not asked:
        refuse("payment", "an amount must be null, the one to be chosen (G26)")
    for kind in range(asked[0], len(BASIC)):
        if reading.state["paid"][kind] >= 0:
            refuse(f"payment.{BASIC[kind]}", f"must be null before {BASIC[asked[0]]} is chosen (G26)")


# ------------------------------------------------------------------------------------------------ any decision


def _legal_actions(reading: Reading) -> int:
    """How many actions the rules allow; the kernel takes for granted that `goth` is asked of who can pay (G29)."""
    find_options(reading.components.constants, reading.states, 0)
    if reading.phase == "goth":
        next_empty = reading.goth + len(reading.tribute) + 1
        payable = next_empty <= reading.number("provinces") and _options_in(reading, PAY_TRIBUTE) != 0
        return 1 + payable
    words = np.zeros(NUM_WORDS, dtype=np.uint64)
    KERNEL.legal(reading.components.constants, reading.states, 0, words)
    return sum(int(word).bit_count() for word in words)


def there_is_something_to_choose(reading: Reading) -> None:
    """Whoever is asked has two legal actions at least (G5)."""
    reading.pack_tribute()
    if reading.phase == "over":
        return
    found = _legal_actions(reading)
    if found < 2:
        wrong = f"player {reading.current} would have {found} legal actions in phase {reading.phase}"
        refuse("phase", f"{wrong}; who is asked has two at least (G5)")


DECISION_LAWS: Final[tuple[Callable[[Reading], None], ...]] = (
    the_active_player_decides_in_her_turn,
    cards_left_get_a_turn,
    the_card_leads_to_the_phase,
    stones_of_a_choice_are_counted,
    a_purchase_can_be_made,
    amounts_are_fixed_in_order,
    there_is_something_to_choose,
)
