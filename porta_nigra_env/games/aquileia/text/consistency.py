"""What ties the fields of a position together: laws, tried once every field is right by itself.

A law is a function whose docstring states it; it raises through `refuse`, with the field and the rule that is broken.
Those of the pending decision stand in `decision_laws`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import refuse
from porta_nigra_env.games.aquileia.components.names import (
    KINDS,
    MAX_SLAVES,
    PHASES,
    PORTUS,
    SIDES,
    STADIUM_GOLD,
    STADIUM_SILVER,
)
from porta_nigra_env.games.aquileia.text.fields import Reading

#: Phases before and after the end of area III, when the stadium cards of the round find their owners.
_BEFORE_RACE: Final = PHASES[: PHASES.index("auction")]

# ------------------------------------------------------------------------------------------------ cards


def _adds_up(field: str, faces: Sequence[str], found: Sequence[int], copies: Sequence[int], where: str) -> None:
    for face, number, wanted in zip(faces, found, copies, strict=False):
        if number != wanted:
            refuse(field, f"{where} must hold {wanted} {face}, not {number} (A2)")


def _counted(cards: npt.NDArray[np.int8], faces: int) -> npt.NDArray[np.int64]:
    """How often each face stands in an array of cards."""
    return np.bincount(cards[cards >= 0], minlength=faces).astype(np.int64)


def slave_cards_add_up(reading: Reading) -> None:
    """Draw pile, discard and hands hold all slave cards."""
    state = reading.state
    found = _counted(state["slave_cards"], MAX_SLAVES) + state["slave_discard"] + state["slaves"].sum(axis=0)
    faces = [f"slave_{slaves}" for slaves in range(1, MAX_SLAVES + 1)]
    copies = reading.constants["slave_copies"].tolist()
    _adds_up("slaves", faces, found.tolist(), copies, "draw, discard and the players' slaves")


def equi_cards_add_up(reading: Reading) -> None:
    """Row, draw pile, discard and hands hold all equi cards."""
    state, faces = reading.state, len(reading.state["equi_discard"])
    found = _counted(state["equi_row"], faces) + _counted(state["equi_cards"], faces)
    found += state["equi_discard"] + state["equi"].sum(axis=0)
    copies = reading.constants["equi_copies"].tolist()
    where = "row, draw, discard and the players' equi"
    _adds_up("equi", reading.components.equi_faces, found.tolist(), copies, where)


def stadium_cards_add_up(reading: Reading) -> None:
    """The open card, the draw pile and the rounds before hold all stadium cards."""
    state, faces = reading.state, len(reading.constants["stadium_copies"])
    lying = [np.atleast_1d(state[name]) for name in ("stadium_open", "stadium_cards", "past_open", "past_drawn")]
    found = _counted(np.concatenate(lying), faces)
    copies = reading.constants["stadium_copies"].tolist()
    _adds_up("stadium", reading.components.stadium_faces, found.tolist(), copies, "open, draw and past")


def theatre_cards_add_up(reading: Reading) -> None:
    """Each theatre card is in the draw pile, won or on sale."""
    state, cards = reading.state, reading.components.theatre_cards
    found = _counted(state["theatre_cards"], len(cards)) + (state["theatre_owner"][: len(cards)] >= 0)
    if state["auction_card"] >= 0:
        found[state["auction_card"]] += 1
    _adds_up("theatre", cards, found.tolist(), [1] * len(cards), "draw, won and the card on sale")


def known_cards_are_held(reading: Reading) -> None:
    """What everybody knows of a hand is a part of it (A6)."""
    state = reading.state
    for seat in range(reading.players):
        for face, name in enumerate(reading.components.equi_faces):
            known, held = int(state["equi_known"][seat, face]), int(state["equi"][seat, face])
            if known > held:
                refuse(f"players[{seat}].equi_known.{name}", f"must be at most {held}, the number held (A6)")


def the_row_is_filled_after_a_round(reading: Reading) -> None:
    """A gap of the row is filled in the clean-up, unless pile and discard are empty (A50, A51)."""
    state = reading.state
    if reading.phase not in ("place", "pecunia") or not (state["num_equi_draw"] or state["equi_discard"].any()):
        return
    for place in range(reading.components.sizes.equi_spaces):
        if state["equi_row"][place] < 0:
            refuse(f"equi.row[{place}]", f"must hold a card in phase {reading.phase}: draw or discard has one (A50)")


def theatre_cards_come_one_a_round(reading: Reading) -> None:
    """At most one theatre card is auctioned in a round."""
    state = reading.state
    sold = int((state["theatre_owner"] >= 0).sum()) + int(state["auction_card"] >= 0)
    rounds = int(state["round"]) - (reading.phase in _BEFORE_RACE)
    if sold > rounds:
        refuse("theatre.won", f"at most {rounds} cards are won or on sale by now, not {sold}")


# ------------------------------------------------------------------------------------------------ the stadium


def races_are_as_many_as_rounds(reading: Reading) -> None:
    """A round's entry is appended when area III is over."""
    wanted = int(reading.state["round"]) - (reading.phase in _BEFORE_RACE)
    if reading.races != wanted:
        number, phase = int(reading.state["round"]), reading.phase
        refuse("stadium.past", f"must have {wanted} entries in phase {phase} of round {number}, not {reading.races}")


def a_stadium_card_lies_open_until_the_race_is_over(reading: Reading) -> None:
    """The next one is opened in the clean-up (A50)."""
    if reading.phase in _BEFORE_RACE and reading.state["stadium_open"] < 0:
        refuse("stadium.open", f"must not be null in phase {reading.phase} (A50)")
    if reading.phase not in _BEFORE_RACE and reading.state["stadium_open"] >= 0:
        refuse("stadium.open", f"must be null in phase {reading.phase}: area III is over (A50)")


def races_have_their_places(reading: Reading) -> None:
    """Without a racer nobody keeps a card, and a second comes after a first (A36)."""
    for number in range(reading.races):
        first, second, kept = (int(reading.state[f"past_{what}"][number]) for what in ("first", "second", "kept"))
        field = f"stadium.past[{number}]"
        if (first < 0) != (kept < 0):
            refuse(f"{field}.first_kept", "must be null without a first, and only then (A36)")
        if first < 0 <= second:
            refuse(f"{field}.second", "must be null without a first (A36)")
        if first == second >= 0:
            refuse(f"{field}.second", "must be another seat than the first (A35)")


# ------------------------------------------------------------------------------------------------ pieces


def nobody_has_more_pieces_than_there_are(reading: Reading) -> None:
    """Followers and houses are as many as the file says."""
    followers, houses = reading.number("followers_per_player"), reading.number("houses_per_player")
    for seat in range(reading.players):
        standing = int(reading.state["standing"][seat]).bit_count()
        if standing > followers:
            refuse("spaces", f"player {seat} has {followers} followers, not {standing}")
        built = int(reading.state["buildings"][seat]).bit_count()
        if built > houses:
            refuse("buildings", f"player {seat} has {houses} houses, not {built} (A41)")


def _held(reading: Reading, area: int) -> dict[str, int]:
    """The seats on the spaces of an area, by the spaces' names."""
    areas = reading.constants["space_area"]
    return {reading.components.spaces[space]: seat for space, seat in reading.standing.items() if areas[space] == area}


def nobody_stands_where_she_must_not(reading: Reading) -> None:
    """A seat stands on one side of the Stadium at most, and on one coin space of the Portus (A14)."""
    silver = _held(reading, STADIUM_SILVER)
    for seat in _held(reading, STADIUM_GOLD).values():
        for space, holder in silver.items():
            if holder == seat:
                refuse(f"spaces.{space}", f"player {seat} stands on the side {SIDES[0]} already (A14)")
    before: dict[int, str] = {}
    for space, seat in _held(reading, PORTUS).items():
        if seat in before:
            refuse(f"spaces.{space}", f"player {seat} stands on {before[seat]} already (A14)")
        before[seat] = space


def coins_lie_under_followers(reading: Reading) -> None:
    """Each coin of the Portus lies under a follower, and until the Portus acts under each of them (A15)."""
    coins = [KINDS[kind] for kind in reading.portus_coins]
    held = [space.removeprefix("portus_") for space in _held(reading, PORTUS)]
    for place, kind in enumerate(coins):
        if kind not in held:
            refuse(f"portus_coins[{place}]", f"nobody stands on portus_{kind} (A15)")
    if coins != [kind for kind in held if kind in coins]:
        refuse("portus_coins", "must stand in the order of the spaces, each kind once")
    if reading.phase != "portus" and coins != held:
        refuse("portus_coins", f"must be {held} in phase {reading.phase}: one under each follower there (A15)")


def has_pieces_left(reading: Reading, seat: int) -> bool:
    """Whether a seat has a follower or the crest to place."""
    return bool(reading.state["followers_left"][seat] > 0) or seat not in reading.advantage


def passes_are_those_of_a_placement(reading: Reading) -> None:
    """Who has passed in a placement has something left, and the placement's end forgets passes (A11)."""
    if reading.phase != "place" and reading.passed:
        refuse("passed", f"must be [] in phase {reading.phase}")
    if reading.passed != sorted(reading.passed):
        refuse("passed", f"must stand in ascending order, not {reading.passed}")
    for seat in reading.passed:
        if not has_pieces_left(reading, seat):
            refuse("passed", f"player {seat} has nothing left to place, so she was not asked (A17)")


LAWS: Final[tuple[Callable[[Reading], None], ...]] = (
    slave_cards_add_up,
    equi_cards_add_up,
    stadium_cards_add_up,
    theatre_cards_add_up,
    known_cards_are_held,
    the_row_is_filled_after_a_round,
    theatre_cards_come_one_a_round,
    races_are_as_many_as_rounds,
    a_stadium_card_lies_open_until_the_race_is_over,
    races_have_their_places,
    nobody_has_more_pieces_than_there_are,
    nobody_stands_where_she_must_not,
    coins_lie_under_followers,
    passes_are_those_of_a_placement,
)
