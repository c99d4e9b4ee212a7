"""Read a position dict into a state record.

`Reading` reads every field by itself. `CHECKS` are the checks across fields: everything is counted, and the pending
question fits the table. They guarantee that compiled code can play on: no index out of range, no negative amount, no
empty set of legal actions, no endless loop. They do not check whether play can reach the position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions import position as check
from porta_nigra_env.core.positions import reading
from porta_nigra_env.core.positions.position import Json, refuse
from porta_nigra_env.core.positions.reading import Reader, reader
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import FORUM, KINDS, MAX_SLAVES, PHASES, SEATS
from porta_nigra_env.games.aquileia.state import (
    ARENA_BLUE_ROLL,
    ARENA_ROLL,
    DOLUS_ROLL,
    GAME_PURPOSE,
    LARGEST_AMOUNT,
    LATRO_ROLL,
    STADIUM_BLUE_ROLL,
    STADIUM_ROLL,
    STATE,
)
from porta_nigra_env.games.aquileia.text.writing import CONTESTS, FORMAT, KEPT

POSITION_KEYS: Final = (
    *("round", "starting_player", "spaces", "portus_coins", "advantage", "passed", "blue_dice", "dice"),
    *("equi", "slaves", "stadium", "theatre", "buildings", "players"),
    *("contest", "auction", "exchange", "builds_left"),
)
PLAYER_KEYS: Final = ("vp", "coins", "slaves", "equi", "equi_known")
#: Phases in which the blue dice may have an owner (A27).
BLUE_PHASES: Final = ("arena_cards", "arena_dice", "arena_prize", "stadium_cards")
SLAVE_FACES: Final = tuple(f"slave_{slaves}" for slaves in range(1, MAX_SLAVES + 1))
#: `core.positions.reading.Reading.unset`.
_UNSET: Final = (
    *("crest", "blue_owner", "slave_cards", "equi_row", "equi_cards", "stadium_open", "stadium_cards"),
    *("past_open", "past_drawn", "past_first", "past_second", "past_kept"),
    *("theatre_cards", "theatre_owner", "auction_card", "bidder", "last"),
)


class Reading(reading.Reading):
    """Read a position into a record, see `core.positions.reading.Reading`.

    Attributes:
        standing: the seat on each occupied space, spaces in acting order.
        acting: the first of these spaces, -1 without any.
        advantage, passed, portus_coins: lists of the position, in its order; kinds as numbers.
        strengths, races, auctioneer: strength by seat, number of past races, seat (in an auction).
    """

    format, keys, seats, phases = FORMAT, POSITION_KEYS, SEATS, PHASES
    dtype, purpose, unset = STATE, GAME_PURPOSE, _UNSET

    components: Components

    def read(self) -> None:
        self._read_frame()
        self._read_followers()
        self._read_dice()
        self._read_equi()
        self._read_slaves()
        self._read_stadium()
        self._read_theatre()
        self._read_buildings()
        self._read_players()
        self._read_contest()
        self._read_auction()
        self._read_exchange()
        self._read_builds_left()

    def _read_frame(self) -> None:
        position, state = self.position, self.state
        state["round"] = check.integer(position["round"], "round", 1, self.number("rounds"))
        state["starting_player"] = self.seat(position["starting_player"], "starting_player")

    # -- single values

    def _seat_or_none(self, value: object, field: str) -> int:
        """Return a seat, -1 for null."""
        return -1 if value is None else self.seat(value, field)

    def _seats(self, value: object, field: str) -> list[int]:
        """Return a list of different seats."""
        seats = check.listed(value, field, self.seat, 0, self.players)
        if len(set(seats)) < len(seats):
            check.refuse(field, f"must name each seat at most once, not {seats}")
        return seats

    def _by_seat(self, value: object, field: str) -> Json:
        """Return an object whose keys are seats as text."""
        return check.mapping(value, field, (), [str(seat) for seat in range(self.players)])

    def _kind(self, value: object, field: str) -> int:
        return check.index(value, field, KINDS, "kind of coins")

    def _stadium_face(self, value: object, field: str) -> int:
        return check.index(value, field, self.components.stadium_faces, "stadium card")

    # -- cards

    def _draw(self, value: object, field: str, faces: Sequence[str], cards: npt.NDArray[np.int8], total: int) -> int:
        """Fill the end of `cards` with a draw pile, next card first, and return its size."""
        draw = check.listed(value, field, lambda card, at: check.index(card, at, faces, "card here"), 0, total)
        check.fill_pile(cards, field, (), draw)
        return len(draw)

    def _table(self, value: object, field: str, faces: Sequence[str], copies: Sequence[int]) -> list[int]:
        """Return numbers of cards by type; a missing type has 0."""
        check.refuse_count(value, field)
        cards = check.mapping(value, field, (), faces)
        return [
            check.integer(cards.get(face, 0), f"{field}.{face}", 0, int(most))
            for face, most in zip(faces, copies, strict=False)
        ]

    def _slaves(self, value: object, field: str) -> list[int]:
        faces = self.components.slave_faces
        copies = [int(self.constants["slave_copies"][SLAVE_FACES.index(face)]) for face in faces]
        cards = dict(zip(faces, self._table(value, field, faces, copies), strict=True))
        return [cards.get(face, 0) for face in SLAVE_FACES]

    def _equi(self, value: object, field: str) -> list[int]:
        return self._table(value, field, self.components.equi_faces, self.constants["equi_copies"].tolist())

    # -- the board

    def _read_followers(self) -> None:
        position, state, spaces = self.position, self.state, self.components.spaces
        holders = check.mapping(position["spaces"], "spaces", (), spaces)
        seats = {space: self.seat(seat, f"spaces.{space}") for space, seat in holders.items()}
        self.standing = {place: seats[space] for place, space in enumerate(spaces) if space in seats}
        self.acting = next(iter(self.standing), -1)
        standing = [0] * len(state["standing"])
        for space, seat in self.standing.items():
            standing[seat] |= 1 << space
        state["standing"] = standing
        state["followers_left"][: self.players] = [
            max(0, self.number("followers_per_player") - bits.bit_count()) for bits in standing[: self.players]
        ]
        self.portus_coins = check.listed(position["portus_coins"], "portus_coins", self._kind, 0, len(KINDS))
        state["portus_coins"] = sum(1 << kind for kind in set(self.portus_coins))
        self.advantage = self._seats(position["advantage"], "advantage")
        for place, seat in enumerate(self.advantage):
            state["crest"][seat] = place
        self.passed = self._seats(position["passed"], "passed")
        state["passed"] = sum(1 << seat for seat in self.passed)

    def _faces(self, value: object, field: str, numbers: Sequence[int]) -> list[int]:
        """Return a roll as numbers of results by kind; the number of dice must be one of `numbers`."""
        faces = check.listed(value, field, self._kind, 0, max(numbers))
        if len(faces) not in numbers:
            check.refuse(field, f"expected {' or '.join(map(str, numbers))} faces, not {len(faces)}")
        if faces != sorted(faces):
            check.refuse(field, f"must stand in the order {', '.join(KINDS)}")
        return [faces.count(kind) for kind in range(len(KINDS))]

    def _read_dice(self) -> None:
        rolls, keys = self.state["dice"], ("dolus", "arena", "arena_blue", "stadium", "stadium_blue", "latro")
        dice = check.mapping(self.position["dice"], "dice", keys)
        for roll, key in ((DOLUS_ROLL, "dolus"), (LATRO_ROLL, "latro")):
            rolls[roll] = self._faces(dice[key], f"dice.{key}", (0, self.number(f"{key}_red_dice")))
        for first, key in ((ARENA_ROLL, "arena"), (STADIUM_ROLL, "stadium")):
            for seat, faces in self._by_seat(dice[key], f"dice.{key}").items():
                number = self.number("contest_red_dice")
                rolls[first + int(seat)] = self._faces(faces, f"dice.{key}.{seat}", (number,))
        for roll, key in ((ARENA_BLUE_ROLL, "arena_blue"), (STADIUM_BLUE_ROLL, "stadium_blue")):
            rolls[roll] = self._faces(dice[key], f"dice.{key}", range(self.number("blue_dice") + 1))

    def _read_equi(self) -> None:
        state, sizes = self.state, self.components.sizes
        equi = check.mapping(self.position["equi"], "equi", ("row", "draw", "discard"))
        row = check.listed(equi["row"], "equi.row", self._card_or_gap, sizes.equi_spaces, sizes.equi_spaces)
        state["equi_row"][: len(row)] = row
        faces, total = self.components.equi_faces, self.number("num_equi_cards")
        state["num_equi_draw"] = self._draw(equi["draw"], "equi.draw", faces, state["equi_cards"], total)
        state["equi_discard"][: sizes.equi_faces] = self._equi(equi["discard"], "equi.discard")

    def _card_or_gap(self, value: object, field: str) -> int:
        return -1 if value is None else check.index(value, field, self.components.equi_faces, "equi card")

    def _read_slaves(self) -> None:
        state = self.state
        slaves = check.mapping(self.position["slaves"], "slaves", ("draw", "discard"))
        faces, total = self.components.slave_faces, self.number("num_slave_cards")
        state["num_slave_draw"] = self._draw(slaves["draw"], "slaves.draw", faces, state["slave_cards"], total)
        drawn = state["slave_cards"] >= 0
        # From indices of the file's slave cards to slaves - 1.
        places = np.array([SLAVE_FACES.index(face) for face in faces], dtype=np.int8)
        state["slave_cards"][drawn] = places[state["slave_cards"][drawn]]
        state["slave_discard"] = self._slaves(slaves["discard"], "slaves.discard")

    def _read_stadium(self) -> None:
        state, rounds = self.state, self.number("rounds")
        stadium = check.mapping(self.position["stadium"], "stadium", ("open", "draw", "past"))
        if stadium["open"] is not None:
            state["stadium_open"] = self._stadium_face(stadium["open"], "stadium.open")
        faces = self.components.stadium_faces
        state["num_stadium_draw"] = self._draw(
            stadium["draw"], "stadium.draw", faces, state["stadium_cards"], 2 * rounds
        )
        past = check.listed(stadium["past"], "stadium.past", lambda entry, field: entry, 0, rounds)
        for number, entry in enumerate(past):
            self._read_race(number, entry, f"stadium.past[{number}]")
        self.races = len(past)

    def _read_race(self, number: int, entry: object, field: str) -> None:
        state = self.state
        race = check.mapping(entry, field, ("open", "drawn", "first", "second", "first_kept"))
        for key in ("open", "drawn"):
            if race[key] is None:
                check.refuse(
                    f"{field}.{key}", "must not be null: this is what one seat sees, and a position names every card"
                )
            state[f"past_{key}"][number] = self._stadium_face(race[key], f"{field}.{key}")
        for key in ("first", "second"):
            state[f"past_{key}"][number] = self._seat_or_none(race[key], f"{field}.{key}")
        if race["first_kept"] is not None:
            state["past_kept"][number] = check.index(race["first_kept"], f"{field}.first_kept", KEPT, "card kept")

    def _read_theatre(self) -> None:
        state, cards = self.state, self.components.theatre_cards
        theatre = check.mapping(self.position["theatre"], "theatre", ("draw", "won"))
        state["num_theatre_draw"] = self._draw(
            theatre["draw"], "theatre.draw", cards, state["theatre_cards"], len(cards)
        )
        for card, seat in check.mapping(theatre["won"], "theatre.won", (), cards).items():
            state["theatre_owner"][cards.index(card)] = self.seat(seat, f"theatre.won.{card}")

    def _read_buildings(self) -> None:
        state, sites = self.state, self.components.buildings
        built = [0] * len(state["buildings"])
        for building, owner in check.mapping(self.position["buildings"], "buildings", (), sites).items():
            built[self.seat(owner, f"buildings.{building}")] |= 1 << sites.index(building)
        state["buildings"] = built
        state["houses_left"][: self.players] = [
            max(0, self.number("houses_per_player") - bits.bit_count()) for bits in built[: self.players]
        ]

    def _read_players(self) -> None:
        state, faces = self.state, self.components.sizes.equi_faces
        players = check.listed(self.position["players"], "players", lambda entry, field: entry, *[self.players] * 2)
        for seat, entry in enumerate(players):
            field = f"players[{seat}]"
            player = check.mapping(entry, field, PLAYER_KEYS)
            state["vp"][seat] = check.integer(player["vp"], f"{field}.vp", 0, LARGEST_AMOUNT)
            state["coins"][seat] = check.counts(player["coins"], f"{field}.coins", KINDS, LARGEST_AMOUNT)
            state["slaves"][seat] = self._slaves(player["slaves"], f"{field}.slaves")
            state["equi"][seat][:faces] = self._equi(player["equi"], f"{field}.equi")
            state["equi_known"][seat][:faces] = self._equi(player["equi_known"], f"{field}.equi_known")
        state["num_slaves"] = state["slaves"].sum(axis=1)
        state["num_equi"] = state["equi"].sum(axis=1)

    # -- the pending decision

    def _read_contest(self) -> None:
        state = self.state
        contest = self.in_phase("contest", [phase for phase in PHASES if phase.partition("_")[0] in CONTESTS])
        self.strengths: dict[int, int] = {}
        if contest is not None:
            contest = check.mapping(contest, "contest", ("strength", "last"))
            for seat, strength in self._by_seat(contest["strength"], "contest.strength").items():
                field = f"contest.strength.{seat}"
                self.strengths[int(seat)] = check.integer(strength, field, 0, LARGEST_AMOUNT)
                state["strength"][int(seat)] = strength
            if contest["last"] is not None:
                faces = (*self.components.slave_faces, *self.components.equi_faces)
                last = check.index(contest["last"], "contest.last", faces, "card")
                slaves = len(self.components.slave_faces)
                state["last"] = SLAVE_FACES.index(faces[last]) if last < slaves else MAX_SLAVES + last - slaves
        if self.phase not in BLUE_PHASES and self.position["blue_dice"] is not None:
            check.refuse("blue_dice", f"must be null in phase {self.phase}")
        if self.position["blue_dice"] is not None:
            blue = check.mapping(self.position["blue_dice"], "blue_dice", ("owner", "left"))
            state["blue_owner"] = self.seat(blue["owner"], "blue_dice.owner")
            state["blue_left"] = check.integer(blue["left"], "blue_dice.left", 0, self.number("blue_dice"))

    def _read_auction(self) -> None:
        state, auction = self.state, self.in_phase("auction", ("auction",))
        if auction is None:
            return
        auction = check.mapping(auction, "auction", ("card", "auctioneer", "bid", "bidder", "out"))
        cards = self.components.theatre_cards
        state["auction_card"] = check.index(auction["card"], "auction.card", cards, "theatre card")
        self.auctioneer = self.seat(auction["auctioneer"], "auction.auctioneer")
        state["bid"] = check.counts(auction["bid"], "auction.bid", KINDS, LARGEST_AMOUNT)
        state["bidder"] = self._seat_or_none(auction["bidder"], "auction.bidder")
        state["out"] = sum(1 << seat for seat in self._seats(auction["out"], "auction.out"))

    def _read_exchange(self) -> None:
        state, exchange = self.state, self.in_phase("exchange", ("pecunia",))
        if exchange is None:
            return
        exchange = check.mapping(exchange, "exchange", ("received", "last"))
        state["received"] = check.counts(exchange["received"], "exchange.received", KINDS, LARGEST_AMOUNT)
        if exchange["last"] is not None:
            state["last"] = check.index(exchange["last"], "exchange.last", self.components.exchanges, "exchange")

    def _read_builds_left(self) -> None:
        builds = self.in_phase("builds_left", ("forum",))
        if builds is not None:
            first, last = self.constants["area_start"][FORUM : FORUM + 2].tolist()
            most = int(self.constants["space_most"][first:last].max())
            self.state["builds_left"] = check.integer(builds, "builds_left", 1, most)


#: Phases before the end of area III, when the stadium cards of the round find their owners.
_BEFORE_AUCTION: Final = names.PHASES[: names.PHASES.index("auction")]
#: The area whose space acts in a phase. The phases of contests are in `CONTESTS`.
_AREA: Final = {
    "pecunia": names.PECUNIA, "equi": names.EQUI, "servi": names.SERVI, "auction": names.THEATRUM,
    "forum": names.FORUM, "portus": names.PORTUS,
}  # fmt: skip

# ------------------------------------------------------------------------------------------------ checks across fields


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

#: Reads a position into a state array, see `core.positions.reading.Reader`.
from_dict: Final[Reader] = reader(Reading, CHECKS)
