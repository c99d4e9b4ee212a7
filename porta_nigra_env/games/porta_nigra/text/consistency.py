"""What ties the fields of a position together: laws, tried once every field is right by itself.

A law is a function whose docstring states it; it raises through `refuse`, with the field and the rule that is broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

import numpy as np

from porta_nigra_env.core.positions.position import refuse
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    FIXED_SPOTS,
    NUM_ACTION_CARDS,
    NUM_SPOTS,
    PORTA_NIGRA,
)
from porta_nigra_env.games.porta_nigra.text.fields import SPLIT_PHASES, TURN_PHASES, Reading

#: Phases before a card has been played.
_OPENING: Final = ("place_builder", "choose_card")

# ------------------------------------------------------------------------------------------------ nothing is lost


def bricks_add_up(reading: Reading) -> None:
    """Reserve, market, personal supplies and elements hold all bricks there are."""
    total = reading.number("bricks_total")
    names = ("reserve", "market", "bricks", "spot_height")
    bricks = sum(int(reading.state[name].sum(dtype=np.int64)) for name in names)
    if bricks != total:
        refuse("reserve", f"all bricks together must be {total}, not {bricks}")


def romans_add_up(reading: Reading) -> None:
    """Every player's Romans are in her play area, her reserve or her elements."""
    state, wanted = reading.state, reading.number("romans_per_player")
    for seat in range(reading.players):
        elements = int((state["spot_owner"] == seat).sum())
        romans = int(state["romans"][seat]) + int(state["romans_reserve"][seat]) + elements
        if romans != wanted:
            refuse(
                f"players[{seat}].romans", f"play area, reserve and elements must make {wanted} Romans, not {romans}"
            )


def _is_playing(reading: Reading, seat: int) -> bool:
    return seat == reading.current and bool(reading.state["card_in_play"] >= 0)


def every_action_card_is_in_one_place(reading: Reading) -> None:
    """Each card of a player's deck is in her hand, her draw or discard pile, or in play; no other card is."""
    names = reading.components.card_names
    deck = {card for card in range(NUM_ACTION_CARDS) if reading.constants["card_players"][card] >= reading.players}
    for seat in range(reading.players):
        field, player = f"players[{seat}]", reading.position["players"][seat]
        cards = [reading.action_card(name, field) for key in ("hand", "draw", "discard") for name in player[key]]
        if _is_playing(reading, seat):
            cards.append(int(reading.state["card_in_play"]))
        twice = [card for card, count in Counter(cards).items() if count > 1]
        if twice:
            refuse(f"{field}.hand", f"{names[twice[0]]!r} is in two places; each player owns it once")
        strange = sorted(set(cards) - deck)
        if strange:
            refuse(f"{field}.hand", f"{names[strange[0]]!r} is not used with {reading.players} players")
        missing = sorted(deck - set(cards))
        if missing:
            refuse(f"{field}.hand", f"{names[missing[0]]!r} is in none of hand, draw, discard and turn")


def hands_have_their_size(reading: Reading) -> None:
    """Cards are drawn only after a turn: the card in play came out of the hand, and no hand waits for a card (R15)."""
    state, limit = reading.state, reading.number("hand_size")
    for seat in range(reading.players):
        playing, field = _is_playing(reading, seat), f"players[{seat}].hand"
        if playing and state["num_hand"][seat] >= limit:
            refuse(field, f"at most {limit - 1} cards beside the card in play, not {limit}")
        empty = state["num_hand"][seat] == 0 < state["num_action_draw"][seat]
        if reading.phase in TURN_PHASES and empty and not playing:
            refuse(field, "is empty although cards are left in the draw pile (R15)")


# ------------------------------------------------------------------------------------------------ cards owned


def building_cards_are_gone_for_an_element(reading: Reading) -> None:
    """A building card that lies in no pile was given for an element of its building and colour (R5, R22)."""
    state, constants = reading.state, reading.constants
    built = {
        int(constants["spot_building"][spot]) * len(COLOURS) + int(constants["spot_colour"][spot])
        for spot in range(NUM_SPOTS)
        if state["spot_owner"][spot] >= 0 and constants["row_gives_card"][constants["spot_row"][spot]]
    }
    for card in sorted(reading.buildings_missing):
        if card not in built:
            refuse(
                "building_cards",
                f"{reading.card_name(card)} is gone, but no element that gives it has been built (R5)",
            )


def _bought(reading: Reading, field: str, value: int) -> int:
    """Honour cards that lie in no pile and have this value in their table."""
    kinds = range(reading.components.num_honours)
    return sum(reading.honours_missing[kind] for kind in kinds if reading.constants[field][kind] == value)


def building_cards_taken_are_owned_or_discarded(reading: Reading) -> None:
    """Building cards and substitutes that were taken are owned by somebody, or were paid for an honour card (R25)."""
    discards = _bought(reading, "honour_discard_buildings", 1)
    for building, name in enumerate(BUILDINGS):
        taken = sum(card // len(COLOURS) == building for card in reading.buildings_missing)
        taken += _bought(reading, "honour_substitute", building)
        owned = int(reading.state["buildings_owned"][:, building].sum(dtype=np.int64))
        if owned + discards != taken:
            refuse(
                f"players[0].building_cards.{name}",
                f"{taken} cards and substitutes of this building have been taken and {discards} discarded (R25), "
                f"but the players own {owned}",
            )


def final_cards_bought_are_owned_or_discarded(reading: Reading) -> None:
    """Final scoring cards that were bought are owned by somebody, or were given up for a higher one (R25)."""
    for index, value in enumerate(reading.components.final_values):
        gained = _bought(reading, "honour_final", index)
        given = _bought(reading, "honour_discard_final", index)
        owned = int(reading.state["finals_owned"][:, index].sum(dtype=np.int64))
        if owned != gained - given:
            refuse(
                "players[0].final_cards",
                f"{gained} final scoring cards worth {value} have been bought and {given} discarded (R25), "
                f"but the players own {owned}",
            )


# ------------------------------------------------------------------------------------------------ the phase


def whose_turn_it_is_can_decide(reading: Reading) -> None:
    """Her master builder is placed except in phase place_builder (R10), and before a card she has one to play."""
    if reading.phase not in TURN_PHASES:
        return
    field, placed = f"players[{reading.current}]", reading.state["quarter"][reading.current] >= 0
    if reading.phase == "place_builder" and placed:
        refuse(f"{field}.quarter", "must be null in phase place_builder (R10)")
    if reading.phase != "place_builder" and not placed:
        refuse(f"{field}.quarter", f"must not be null in phase {reading.phase} (R10)")
    if reading.phase in _OPENING and reading.state["num_hand"][reading.current] == 0:
        refuse(f"{field}.hand", f"must not be empty in phase {reading.phase}")


def who_has_played_has_a_master_builder(reading: Reading) -> None:
    """The master builder is placed in the first turn, before a card is put away or an element built (R10)."""
    state = reading.state
    for seat in range(reading.players):
        used = state["num_action_discard"][seat] > 0 or (state["spot_owner"] == seat).any()
        if used and state["quarter"][seat] < 0:
            refuse(f"players[{seat}].quarter", "must not be null after the player's first turn (R10)")


def a_crown_can_be_placed(reading: Reading) -> None:
    """In phase crown the card has been bought, and there are a brick and an element for it (R26)."""
    if reading.phase != "crown":
        return
    state = reading.state
    own = state["spot_owner"][FIXED_SPOTS:] == reading.current
    low = state["spot_height"][FIXED_SPOTS:] < reading.number("porta_nigra_max_height")
    if not state["honour_bought"]:
        refuse("turn.honour_bought", "must be true in phase crown: the card has been bought (R26)")
    if state["reserve"] == 0:
        refuse("reserve", "must not be empty in phase crown (R26)")
    if not (own & low).any():
        refuse(f"spots.{BUILDINGS[PORTA_NIGRA]}.A", f"player {reading.current} has no element to crown (R26)")
    if not _bought(reading, "honour_crown", 1):
        refuse("honour_cards", "no crown has been bought, but one is to be placed (R26)")


def _ends_by_rounds(reading: Reading) -> bool:
    """Whether the game is over without the final turns of an early end having been played."""
    state = reading.state
    return reading.phase == "over" and bool(state["early_player"] < 0 or state["num_final_turns"] > 0)


def rounds_end_as_they_should(reading: Reading) -> None:
    """An interim scoring follows every round but the last, which ends the game unless final turns did (R27, R29)."""
    if reading.phase in (*SPLIT_PHASES, "appoint") and reading.last_round:
        refuse("round", f"there is no interim scoring after the last round (phase {reading.phase}, R27)")
    if _ends_by_rounds(reading) and not reading.last_round:
        refuse("round", "the game is over only after the last round or after the final turns (R27, R29)")


def all_cards_are_played_when_a_round_is_over(reading: Reading) -> None:
    """Nobody has cards left; with an early end, nobody of those who still have a final turn (R27, R30)."""
    if reading.phase not in (*SPLIT_PHASES, "appoint") and not _ends_by_rounds(reading):
        return
    state = reading.state
    for seat in range(reading.players):
        if state["early_player"] >= 0 and seat not in state["final_turns"]:
            continue
        if state["num_hand"][seat] or state["num_action_draw"][seat]:
            refuse(
                f"players[{seat}].hand", f"must be empty with draw in phase {reading.phase}: the round is over (R27)"
            )


def who_has_the_fewest_points_appoints(reading: Reading) -> None:
    """The next starting player is appointed by who has the fewest VP, of several the youngest (R28)."""
    if reading.phase != "appoint":
        return
    points = reading.state["vp"]
    fewest = min(int(points[seat]) for seat in range(reading.players))
    youngest = next(seat for seat in reading.state["youngest_first"].tolist() if points[seat] == fewest)
    if reading.current != youngest:
        refuse("current_player", f"player {youngest} appoints: fewest VP, youngest of a tie (R28)")


def the_refill_is_done_before_a_turn(reading: Reading) -> None:
    """The refill has been done before the first decision of a turn, and nothing is taken before the card (R7)."""
    if reading.phase not in _OPENING:
        return
    state = reading.state
    market, low = int(state["market"].sum(dtype=np.int64)), reading.number("market_refill_below")
    if market < low and state["reserve"] > 0:
        refuse("market", f"fewer than {low} bricks at the start of a turn: the refill is not done (R7)")
    for name in ("building", "honour"):
        shown = int(state[f"num_{name}_display"])
        if shown < reading.number(f"{name}_display") and state[f"num_{name}_draw"] > 0:
            refuse(f"{name}_cards.display", f"only {shown} cards at the start of a turn: the refill is not done (R7)")


# ------------------------------------------------------------------------------------------------ the early end


def an_early_end_that_is_due_has_begun(reading: Reading) -> None:
    """Who places her last element, or leaves no brick in reserve and market, triggers the early end (R29)."""
    state = reading.state
    if state["early_player"] >= 0:
        return
    for seat in range(reading.players):
        if state["romans"][seat] == 0 == state["romans_reserve"][seat]:
            refuse("early_end", f"player {seat} has placed her last element: the early end is due (R29)")
    if state["reserve"] == 0 and not state["market"].any():
        refuse("early_end", "reserve and market are empty: the early end is due (R29)")


def final_turns_go_around_once(reading: Reading) -> None:
    """Every other player has one final turn, clockwise (R29, R30)."""
    early, left = int(reading.state["early_player"]), _final_turns(reading)
    if early < 0:
        return
    field = "early_end.final_turns_left"
    if early in left:
        refuse(field, f"player {early} triggered the early end and has no final turn (R29)")
    if len(set(left)) < len(left):
        refuse(field, f"a player has one final turn (R29), not {left}")
    turns = [(seat - left[0]) % reading.players for seat in left]
    if turns != sorted(turns):
        refuse(field, f"must be in clockwise order (R29, R30), not {left}")


def final_turns_are_played_in_order(reading: Reading) -> None:
    """After an early end whoever is on turn has the next final turn, or finishes the turn that triggered it (R29)."""
    state, current = reading.state, reading.current
    early, left = int(state["early_player"]), _final_turns(reading)
    if early < 0:
        return
    field = "early_end.final_turns_left"
    waiting = [seat for seat in left if state["num_hand"][seat] > 0 or seat == current]
    if reading.phase in TURN_PHASES and current != early and waiting[:1] != [current]:
        refuse(field, f"player {current} is on turn, so she must be first in it (R29)")
    if reading.phase in _OPENING and current == early:
        refuse("current_player", f"player {early} triggered the early end and has no further turn (R29)")
    if reading.phase != "over" and not left:
        refuse(field, "must not be empty before the game is over (R29)")


def _final_turns(reading: Reading) -> list[int]:
    left: list[int] = reading.state["final_turns"][: int(reading.state["num_final_turns"])].tolist()
    return left


LAWS: Final[tuple[Callable[[Reading], None], ...]] = (
    bricks_add_up,
    romans_add_up,
    every_action_card_is_in_one_place,
    hands_have_their_size,
    building_cards_are_gone_for_an_element,
    building_cards_taken_are_owned_or_discarded,
    final_cards_bought_are_owned_or_discarded,
    whose_turn_it_is_can_decide,
    who_has_played_has_a_master_builder,
    a_crown_can_be_placed,
    rounds_end_as_they_should,
    all_cards_are_played_when_a_round_is_over,
    who_has_the_fewest_points_appoints,
    the_refill_is_done_before_a_turn,
    an_early_end_that_is_due_has_begun,
    final_turns_go_around_once,
    final_turns_are_played_in_order,
)
