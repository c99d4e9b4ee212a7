"""Checks across the fields of a position: everything is counted, and the pending question fits the table.

They guarantee that compiled code can play on: no index out of range, no negative amount, no empty set of legal actions,
no endless loop. They do not check whether play can reach the position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import refuse
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.text.reading import SLAVE_FACES, Reading
from porta_nigra_env.games.aquileia.text.writing import CONTESTS

#: Phases before the end of area III, when the stadium cards of the round find their owners.
_BEFORE_AUCTION: Final = names.PHASES[: names.PHASES.index("auction")]
#: The area whose space acts in a phase. The phases of contests are in `CONTESTS`.
_AREA: Final = {
    "pecunia": names.PECUNIA, "equi": names.EQUI, "servi": names.SERVI, "auction": names.THEATRUM,
    "forum": names.FORUM, "portus": names.PORTUS,
}  # fmt: skip

# ------------------------------------------------------------------------------------------------ cards, pieces


def _counts(size: int, *cards: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Return the number of cards of each type in some arrays, in which -1 is no card."""
    held = np.concatenate([np.atleast_1d(array) for array in cards])
    return np.bincount(held[held >= 0], minlength=size).astype(np.int64)


def decks_are_complete(reading: Reading) -> None:
    """Every card of the four decks is in one place (A2)."""
    state, constants, components = reading.state, reading.constants, reading.components
    slaves = _counts(names.MAX_SLAVES, state["slave_cards"]) + state["slave_discard"] + state["slaves"].sum(axis=0)
    equi = _counts(len(state["equi_discard"]), state["equi_row"], state["equi_cards"])
    stadium = ("stadium_open", "stadium_cards", "past_open", "past_drawn")
    theatre = _counts(len(constants["theatre_copies"]), state["theatre_cards"], state["auction_card"])
    decks: tuple[tuple[str, Sequence[str], npt.NDArray[np.int64], str, str], ...] = (
        ("slaves", SLAVE_FACES, slaves, "slave_copies", "draw, discard and the players' slaves"),
        ("equi", components.equi_faces, equi + state["equi_discard"] + state["equi"].sum(axis=0), "equi_copies",
         "row, draw, discard and the players' equi"),
        ("stadium", components.stadium_faces, _counts(len(constants["stadium_copies"]), *(state[x] for x in stadium)),
         "stadium_copies", "open, draw and past"),
        ("theatre", components.theatre_cards, theatre + (state["theatre_owner"] >= 0), "theatre_copies",
         "draw, won and the card on sale"),
    )  # fmt: skip
    for field, faces, counted, copies, where in decks:
        for face, number, wanted in zip(faces, counted.tolist(), constants[copies].tolist(), strict=False):
            if number != wanted:
                refuse(field, f"{where} must hold {wanted} {face}, not {number} (A2)")


def known_cards_are_held(reading: Reading) -> None:
    """A player holds the cards that all players know of the hand (A6)."""
    state = reading.state
    for seat in range(reading.players):
        for face, name in enumerate(reading.components.equi_faces):
            known, held = int(state["equi_known"][seat, face]), int(state["equi"][seat, face])
            if known > held:
                refuse(f"players[{seat}].equi_known.{name}", f"must be at most {held}, the number held (A6)")


def pieces_are_available(reading: Reading) -> None:
    """No player has more followers and houses than the component file allows."""
    for field, bits, piece in (("spaces", "standing", "followers"), ("buildings", "buildings", "houses")):
        most = reading.number(f"{piece}_per_player")
        for seat in range(reading.players):
            placed = int(reading.state[bits][seat]).bit_count()
            if placed > most:
                refuse(field, f"player {seat} has {most} {piece}, not {placed}")


def _holders(reading: Reading, areas: Sequence[int]) -> dict[int, int]:
    """Return the seat on each occupied space of some areas."""
    area = reading.constants["space_area"]
    return {space: seat for space, seat in reading.standing.items() if area[space] in areas}


def coins_lie_under_followers(reading: Reading) -> None:
    """Each coin of the Portus lies under a follower (A15)."""
    held = [int(reading.constants["space_coin"][space]) for space in _holders(reading, (names.PORTUS,))]
    for place, kind in enumerate(reading.portus_coins):
        if kind not in held:
            refuse(
                f"portus_coins[{place}]", f"must lie under a follower, and portus_{names.KINDS[kind]} has none (A15)"
            )


# ------------------------------------------------------------------------------------------------ rounds


def cards_last_to_the_end(reading: Reading) -> None:
    """Two stadium cards leave in each round, and a theatre card at most (A36, A37)."""
    state, phase, number = reading.state, reading.phase, int(reading.state["round"])
    past = number - (phase in _BEFORE_AUCTION)
    if reading.races != past:
        refuse("stadium.past", f"must have {past} entries in phase {phase} of round {number}, not {reading.races}")
    if (state["stadium_open"] >= 0) != (phase in _BEFORE_AUCTION):
        needed = "must not be null" if phase in _BEFORE_AUCTION else "must be null"
        refuse("stadium.open", f"{needed} in phase {phase} (A50)")
    sold = int((state["theatre_owner"] >= 0).sum()) + int(state["auction_card"] >= 0)
    if sold > past:
        refuse("theatre.won", f"must have at most {past} cards in phase {phase} of round {number}, not {sold} (A37)")


def races_have_distinct_winners(reading: Reading) -> None:
    """A first exists if a card was kept, and a second after another first (A35, A36)."""
    for number in range(reading.races):
        first, second, kept = (int(reading.state[f"past_{key}"][number]) for key in ("first", "second", "kept"))
        field = f"stadium.past[{number}]"
        if (first < 0) != (kept < 0):
            refuse(f"{field}.first_kept", "must be null without a first, and only then (A36)")
        if second >= 0 and first in (-1, second):
            refuse(f"{field}.second", "must be null or another seat than the first (A35, A36)")


# ------------------------------------------------------------------------------------------------ the question


def _not_asked(reading: Reading, wrong: str) -> None:
    refuse("current_player", f"player {reading.current} cannot be asked in phase {reading.phase}: {wrong}")


def phase_fits_the_acting_space(reading: Reading) -> None:
    """The first occupied space acts; its holder is asked, but for auctions and contests (A18)."""
    phase, spaces = reading.phase, reading.components.spaces
    if phase != "place" and reading.passed:
        refuse("passed", f"must be [] in phase {phase}")
    if phase == "over" and reading.standing:
        refuse("spaces", "must be {} when the game is over")
    if phase in ("place", "over"):
        return
    areas = CONTESTS.get(phase.partition("_")[0]) or (_AREA[phase],)
    if reading.acting < 0:
        refuse("spaces", f"must not be {{}} in phase {phase}")
    if reading.constants["space_area"][reading.acting] not in areas:
        wanted = " or ".join(names.AREAS[area] for area in areas)
        refuse("spaces", f"{spaces[reading.acting]} acts first, but phase {phase} needs {wanted}")
    holder = reading.standing[reading.acting]
    if phase in ("pecunia", "equi", "servi", "forum", "portus") and holder != reading.current:
        _not_asked(reading, f"player {holder} stands on {spaces[reading.acting]}")


def price_can_be_paid(reading: Reading) -> None:
    """The asked player can pay, and buys a card that exists (A25, A26, A48)."""
    state, constants, coins = reading.state, reading.constants, reading.state["coins"][reading.current]
    if reading.phase == "equi":
        place = reading.acting - int(constants["area_start"][names.EQUI])
        if state["equi_row"][place] < 0:
            _not_asked(reading, f"equi.row[{place}] is a gap (A25)")
        if (coins < constants["equi_price"]).any():
            _not_asked(reading, "the stock does not cover the price (A25)")
    if reading.phase in ("servi", "portus") and coins[constants["space_coin"][reading.acting]] < 1:
        kind = names.KINDS[constants["space_coin"][reading.acting]]
        _not_asked(reading, f"the stock has no {kind} ({'A26' if reading.phase == 'servi' else 'A48'})")
    if reading.phase == "portus" and constants["space_coin"][reading.acting] in reading.portus_coins:
        _not_asked(reading, "the coin still lies there (A48)")
    if reading.phase == "servi" and not state["num_slave_draw"] and not state["slave_discard"].any():
        _not_asked(reading, "draw and discard have no slave card (A26)")


def contestants_have_strengths(reading: Reading) -> None:
    """All followers in the area have a strength; one of their players is asked, the first one for a prize (A31)."""
    phase, strengths = reading.phase, reading.strengths
    if phase.partition("_")[0] not in CONTESTS:
        return
    contestants = sorted(set(_holders(reading, CONTESTS[phase.partition("_")[0]]).values()))
    if contestants != sorted(strengths):
        refuse("contest.strength", f"must name players {contestants}, who stand there, not {sorted(strengths)}")
    if reading.current not in strengths:
        _not_asked(reading, "the player does not take part")
    if not phase.endswith("_cards") and reading.state["last"] >= 0:
        refuse("contest.last", f"must be null in phase {phase}")
    if phase == "arena_dice" and reading.state["blue_owner"] != reading.current:
        _not_asked(reading, "blue_dice has another owner (A30)")
    first = min(strengths, key=lambda seat: _rank_key(reading, seat))
    if phase.endswith("_prize") and reading.current != first:
        _not_asked(reading, f"player {first} is first (A31)")


def _rank_key(reading: Reading, seat: int) -> tuple[int, int, int]:
    """Return the sort key of a contestant: strength, crest, turn order (A31)."""
    track, start = reading.advantage, int(reading.state["starting_player"])
    place = track.index(seat) if seat in track else len(track)
    return -reading.strengths[seat], place, (seat - start) % reading.players


def bid_is_covered(reading: Reading) -> None:
    """The auctioneer stands on theatrum, and the bidder has the coins of the bid (A37-A40)."""
    if reading.phase != "auction":
        return
    state, bidder = reading.state, int(reading.state["bidder"])
    if reading.auctioneer != reading.standing[reading.acting]:
        refuse("auction.auctioneer", f"must be player {reading.standing[reading.acting]}, who stands on theatrum")
    if (bidder >= 0) != state["bid"].any():
        refuse("auction.bidder", "must be null while the bid has no coins, and only then (A37)")
    if bidder >= 0 and (state["coins"][bidder] < state["bid"]).any():
        refuse("auction.bid", f"player {bidder} does not have these coins (A38)")


CHECKS: Final[tuple[Callable[[Reading], None], ...]] = (
    decks_are_complete,
    known_cards_are_held,
    cards_last_to_the_end,
    races_have_distinct_winners,
    pieces_are_available,
    coins_lie_under_followers,
    phase_fits_the_acting_space,
    price_can_be_paid,
    contestants_have_strengths,
    bid_is_covered,
)
