"""Laws of the pending decision: whoever is asked would be asked, and what her phase keeps fits (see `laws`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from porta_nigra_env.core.positions.position import refuse
from porta_nigra_env.games.aquileia.components.names import (
    AREAS,
    EQUI,
    FORUM,
    GOLD_HORSE,
    KINDS,
    MAX_SLAVES,
    PECUNIA,
    PORTUS,
    SERVI,
    STADIUM_SILVER,
    THEATRUM,
    WEAPON,
)
from porta_nigra_env.games.aquileia.text.consistency import has_pieces_left
from porta_nigra_env.games.aquileia.text.fields import BLUE_PHASES, Reading
from porta_nigra_env.games.aquileia.text.writing import CONTESTS

#: Areas whose space acts in a phase; every other phase is one of a contest, or has no acting space of its own.
_AREA: Final = {
    "pecunia": PECUNIA, "equi": EQUI, "servi": SERVI, "auction": THEATRUM, "forum": FORUM, "portus": PORTUS,
}  # fmt: skip

# ------------------------------------------------------------------------------------------------ the acting space


def _asked(reading: Reading, wrong: str) -> None:
    refuse("current_player", f"player {reading.current} would not be asked in phase {reading.phase}: {wrong}")


def the_acting_space_is_that_of_the_phase(reading: Reading) -> None:
    """The first occupied space acts, and in most phases its holder is asked."""
    phase, spaces = reading.phase, reading.components.spaces
    if phase == "place":
        return
    if phase == "over":
        if reading.standing:
            refuse("spaces", "must be {} when the game is over")
        return
    areas = CONTESTS.get(phase.partition("_")[0]) or (_AREA[phase],)
    if reading.acting < 0:
        refuse("spaces", f"must not be {{}} in phase {phase}")
    if reading.constants["space_area"][reading.acting] not in areas:
        wanted = " or ".join(AREAS[area] for area in areas)
        refuse("spaces", f"{spaces[reading.acting]} acts first, but phase {phase} is one of {wanted}")
    holder = reading.standing[reading.acting]
    if phase != "auction" and phase not in _CONTEST_PHASES and holder != reading.current:
        _asked(reading, f"player {holder} stands on {spaces[reading.acting]}")


def the_game_ends_with_the_last_round(reading: Reading) -> None:
    """Nothing ends before (A53)."""
    rounds = reading.number("rounds")
    if reading.phase == "over" and reading.state["round"] != rounds:
        refuse("round", f"must be {rounds} when the game is over (A53)")


# ------------------------------------------------------------------------------------------------ placement and shops


def who_places_can_place(reading: Reading) -> None:
    """Who is asked in the placement has not passed and has something left (A17)."""
    if reading.phase != "place":
        return
    if reading.current in reading.passed:
        _asked(reading, "she has passed (A11)")
    if not has_pieces_left(reading, reading.current):
        _asked(reading, "she has nothing left to place (A17)")


def coins_received_are_in_stock(reading: Reading) -> None:
    """What was received at Pecunia is part of the stock, and the last exchange has brought some of it (A24)."""
    if reading.phase != "pecunia":
        return
    state, received, last = reading.state, reading.state["received"], int(reading.state["last"])
    for kind, name in enumerate(KINDS):
        if received[kind] > state["coins"][reading.current, kind]:
            refuse(f"exchange.received.{name}", "must not be more than her stock (A24)")
    if last < 0 and received.any():
        refuse("exchange.last", "must not be null once something is received (A24)")
    if last >= 0 and not received[reading.constants["exchange_get"][last]]:
        name = KINDS[reading.constants["exchange_get"][last]]
        refuse(f"exchange.received.{name}", f"must not be 0 after {reading.components.exchanges[last]!r} (A24)")


def who_exchanges_can_exchange(reading: Reading) -> None:
    """An exchange from the last one on can be paid with coins that were not received now (A24)."""
    if reading.phase != "pecunia":
        return
    state, constants = reading.state, reading.constants
    left = state["coins"][reading.current] - state["received"]
    rest = range(max(0, int(state["last"])), reading.number("num_exchanges"))
    if not any(left[constants["exchange_give"][swap]] >= constants["exchange_give_coins"][swap] for swap in rest):
        _asked(reading, "no exchange that may follow can be paid (A24)")


def who_buys_can_buy(reading: Reading) -> None:
    """There is a card at the space, and a price in the stock (A25, A26)."""
    state, constants, coins = reading.state, reading.constants, reading.state["coins"][reading.current]
    if reading.phase == "equi":
        place = reading.acting - int(constants["area_start"][EQUI])
        if state["equi_row"][place] < 0:
            _asked(reading, f"equi.row[{place}] is a gap (A25)")
        if (coins < constants["equi_price"]).any():
            _asked(reading, "she cannot pay the price (A25)")
    if reading.phase == "servi":
        kind = int(constants["space_coin"][reading.acting])
        if coins[kind] < 1:
            _asked(reading, f"she has no {KINDS[kind]} (A26)")
        if not state["num_slave_draw"] and not state["slave_discard"].any():
            _asked(reading, "no slave card is left in draw and discard (A26)")


# ------------------------------------------------------------------------------------------------ fights and races

_CONTEST_PHASES: Final = ("arena_cards", "arena_dice", "arena_prize", "stadium_cards", "stadium_prize")


def _contest_strengths(reading: Reading) -> dict[int, int]:
    """The strength of their spaces for all who take part in the contest of the phase."""
    strengths: dict[int, int] = {}
    areas = CONTESTS[reading.phase.partition("_")[0]]
    for space, seat in reading.standing.items():
        if reading.constants["space_area"][space] in areas:
            strengths[seat] = strengths.get(seat, 0) + int(reading.constants["space_strength"][space])
    return strengths


def strengths_are_those_of_who_takes_part(reading: Reading) -> None:
    """Whoever stands in the area takes part, with the strength of her spaces at least."""
    if reading.phase not in _CONTEST_PHASES:
        return
    least = _contest_strengths(reading)
    if set(least) != set(reading.strengths):
        named = sorted(reading.strengths)
        refuse("contest.strength", f"must name players {sorted(least)}, who stand there, not {named}")
    for seat, strength in reading.strengths.items():
        if strength < least[seat]:
            refuse(f"contest.strength.{seat}", f"must be {least[seat]} at least, the strength of her spaces")


def _side(reading: Reading) -> int:
    """The side on which the asked seat races."""
    return int(
        any(
            seat == reading.current and reading.constants["space_area"][space] == STADIUM_SILVER
            for space, seat in reading.standing.items()
        )
    )


def who_plays_cards_takes_part_and_has_some(reading: Reading) -> None:
    """Cards are asked of a fighter with slave or equi cards, of a racer with equi cards (A29, A33)."""
    if not reading.phase.endswith("_cards"):
        return
    state, current = reading.state, reading.current
    if current not in reading.strengths:
        _asked(reading, "she does not take part")
    decks = ("num_slaves", "num_equi") if reading.phase == "arena_cards" else ("num_equi",)
    if not any(state[deck][current] for deck in decks):
        _asked(reading, "she has no card that counts for the question (A29, A33)")


def the_last_card_counts(reading: Reading) -> None:
    """The card just played counts in this contest: slaves and weapons, or horses of the own side (A29, A33)."""
    if reading.phase not in _CONTEST_PHASES or reading.state["last"] < 0:
        return
    last, card = int(reading.state["last"]), reading.position["contest"]["last"]
    if not reading.phase.endswith("_cards"):
        refuse("contest.last", f"must be null in phase {reading.phase}")
    group = WEAPON if last < MAX_SLAVES else int(reading.constants["equi_group"][last - MAX_SLAVES])
    if reading.phase == "arena_cards" and group != WEAPON:
        refuse("contest.last", f"{card} does not count in a fight (A29)")
    if reading.phase == "stadium_cards" and (last < MAX_SLAVES or group != GOLD_HORSE + _side(reading)):
        refuse("contest.last", f"{card} does not count on this side of a race (A33)")


def blue_dice_are_left(reading: Reading) -> None:
    """All blue dice are there until somebody who fights has rolled some (A27, A30)."""
    state, total, phase = reading.state, reading.number("blue_dice"), reading.phase
    owner = int(state["blue_owner"])
    if phase not in BLUE_PHASES or owner < 0:
        return
    unrolled = phase in ("arena_cards", "arena_dice") or (phase == "arena_prize" and owner not in reading.strengths)
    if unrolled and state["blue_left"] != total:
        refuse("blue_dice.left", f"must be {total} in phase {phase}: none has been rolled (A30)")


def who_rolls_blue_dice_owns_them(reading: Reading) -> None:
    """The owner of the blue dice says how many she rolls, if she fights (A30)."""
    if reading.phase != "arena_dice":
        return
    if reading.state["blue_owner"] != reading.current:
        _asked(reading, "she does not own the blue dice (A30)")
    if reading.current not in reading.strengths:
        _asked(reading, "she does not fight (A30)")


def who_chooses_is_first(reading: Reading) -> None:
    """The first chooses: by strength, then by crest, then by turn order (A31)."""
    if not reading.phase.endswith("_prize"):
        return
    start, track = int(reading.state["starting_player"]), reading.advantage

    def rank(seat: int) -> tuple[int, int, int]:
        place = track.index(seat) if seat in track else len(track)
        return -reading.strengths[seat], place, (seat - start) % reading.players

    first = min(reading.strengths, key=rank)
    if reading.current != first:
        _asked(reading, f"player {first} is first (A31)")


# ------------------------------------------------------------------------------------------------ the auction


def bids_are_those_of_the_bidder(reading: Reading) -> None:
    """The auctioneer stands on theatrum; a bid has a bidder, who is in and has its coins (A37 to A40)."""
    if reading.phase != "auction":
        return
    state, bidder = reading.state, int(reading.state["bidder"])
    if reading.auctioneer != reading.standing[reading.acting]:
        refuse("auction.auctioneer", f"must be player {reading.standing[reading.acting]}, who stands on theatrum")
    if reading.out != sorted(reading.out):
        refuse("auction.out", f"must stand in ascending order, not {reading.out}")
    if (bidder >= 0) != state["bid"].any():
        refuse("auction.bidder", "must be null before an opening, when the bid is 0 of each kind, and only then (A37)")
    if bidder in reading.out:
        refuse("auction.bidder", f"player {bidder} is out (A38)")
    if bidder >= 0 and (state["coins"][bidder] < state["bid"]).any():
        refuse("auction.bid", f"player {bidder} does not have these coins (A38)")


def who_bids_is_next(reading: Reading) -> None:
    """Before an opening everybody is asked once from the auctioneer on, then all who are in, clockwise (A37, A38)."""
    if reading.phase != "auction":
        return
    state, current, bidder = reading.state, reading.current, int(reading.state["bidder"])
    if current in reading.out:
        _asked(reading, "she is out (A38)")
    if current == bidder:
        _asked(reading, "hers is the standing bid (A38)")
    before = bidder if bidder >= 0 else reading.auctioneer - 1
    steps = (current - before) % reading.players or reading.players
    passed_over = [(before + step) % reading.players for step in range(1, steps)]
    if bidder < 0 and reading.out != sorted(passed_over):
        refuse("auction.out", f"must be {sorted(passed_over)} before an opening: who was asked before her (A37)")
    for seat in passed_over:
        if seat not in reading.out:
            _asked(reading, f"player {seat} is next (A38)")
    left = state["coins"][current] - state["bid"]
    if (left < 0).any() or not left.any():
        _asked(reading, "she has too few coins for any bid (A38)")


# ------------------------------------------------------------------------------------------------ forum and portus


def buildings_are_left_to_put_up(reading: Reading) -> None:
    """The space builds as many as are left (A43)."""
    if reading.phase == "forum":
        most = int(reading.constants["space_most"][reading.acting])
        if reading.state["builds_left"] > most:
            space = reading.components.spaces[reading.acting]
            refuse("builds_left", f"must be in 1..{most}: {space} builds no more (A43)")


def who_activates_was_robbed(reading: Reading) -> None:
    """Asked is whose coin was stolen, who has another and something to activate (A48)."""
    if reading.phase != "portus":
        return
    kind = int(reading.constants["space_coin"][reading.acting])
    if kind in reading.portus_coins:
        _asked(reading, f"her {KINDS[kind]} still lies there (A48)")
    if reading.state["coins"][reading.current, kind] < 1:
        _asked(reading, f"she has no {KINDS[kind]} in stock (A48)")
    if not int(reading.state["buildings"][reading.current]) & int(reading.constants["active"]):
        _asked(reading, "she has no workshop and no money house (A48)")


DECISION_LAWS: Final[tuple[Callable[[Reading], None], ...]] = (
    the_acting_space_is_that_of_the_phase,
    the_game_ends_with_the_last_round,
    who_places_can_place,
    coins_received_are_in_stock,
    who_exchanges_can_exchange,
    who_buys_can_buy,
    strengths_are_those_of_who_takes_part,
    who_plays_cards_takes_part_and_has_some,
    the_last_card_counts,
    blue_dice_are_left,
    who_rolls_blue_dice_owns_them,
    who_chooses_is_first,
    bids_are_those_of_the_bidder,
    who_bids_is_next,
    buildings_are_left_to_put_up,
    who_activates_was_robbed,
)
