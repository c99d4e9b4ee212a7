"""The positions of Aquileia in tests: one of each phase, refused changes and accepted ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from porta_nigra_env.games.aquileia.components.load import load
from porta_nigra_env.games.aquileia.game import State
from tests.games.positions import DROP, Changes, Position, PositionCases, Refusal, wrong

# ------------------------------------------------------------------------------------------------ phases
# The example: four players in round 5; player 0 owns the blue dice and fights player 1.


def _place(position: Position) -> None:
    position["equi"].update(row=["weapon_2", "gold_horse_2", "silver_horse_1"], draw=[])
    position.update(contest=None, blue_dice=None)


def _shop(phase: str, space: str) -> Callable[[Position], None]:
    """Put a rich player 2 on a space of Mercatus."""

    def change(position: Position) -> None:
        _place(position)
        position["spaces"][space] = position["current_player"] = 2
        if phase == "pecunia":
            position["exchange"] = {"received": {"bronze": 0, "silver": 0, "gold": 0}, "last": None}

    return change


def _arena_prize(position: Position) -> None:
    position["blue_dice"]["left"] = 1
    position["dice"]["arena_blue"] = ["bronze", "silver", "gold"]


def _race(position: Position) -> None:
    """The fight is over; players 1, 2 and 3 race."""
    for space in ("arena_1", "arena_3"):
        del position["spaces"][space]
    position["dice"]["stadium"] = {seat: ["bronze", "silver", "gold"] for seat in "123"}
    position.update(current_player=1, contest={"strength": {"1": 3, "2": 2, "3": 4}, "last": None})


def _stadium_prize(position: Position) -> None:
    _race(position)
    position.update(current_player=3, blue_dice=None)


def _auction(position: Position) -> None:
    """The race is over; player 3 auctions a card and is asked first."""
    _stadium_prize(position)
    for space in ("gold_1", "gold_2", "silver_1", "silver_3"):
        del position["spaces"][space]
    past = {"open": "purple", "drawn": "white", "first": 3, "second": 1, "first_kept": "drawn"}
    position["stadium"]["past"].append(past)
    position["stadium"].update(open=None, draw=["laurel_3", "yellow"])
    position["theatre"]["draw"].remove("blue_purple")
    none = {"bronze": 0, "silver": 0, "gold": 0}
    auction = {"card": "blue_purple", "auctioneer": 3, "bid": none, "bidder": None, "out": []}
    position.update(contest=None, auction=auction)


def _forum(position: Position) -> None:
    """The auction is over; player 2 builds."""
    _auction(position)
    del position["spaces"]["theatrum"]
    position["theatre"]["won"]["blue_purple"] = 3
    position.update(current_player=2, auction=None, builds_left=1)


def _portus(position: Position) -> None:
    """Only a coin space is left, and its coin is stolen."""
    _forum(position)
    position.update(spaces={"portus_bronze": 3}, portus_coins=[], current_player=3, builds_left=None)


def _over(position: Position) -> None:
    _portus(position)
    position.update(phase="over", round=6, spaces={}, current_player=None)
    last = {"open": "laurel_3", "drawn": "yellow", "first": None, "second": None, "first_kept": None}
    position["stadium"]["past"].append(last)
    position["stadium"]["draw"] = []


STEPS: Final[dict[str, Callable[[Position], None]]] = {
    "place": _place,
    "pecunia": _shop("pecunia", "pecunia"),
    "equi": _shop("equi", "equi_middle"),
    "servi": _shop("servi", "servi_middle"),
    "arena_cards": lambda position: None,
    "arena_dice": lambda position: None,
    "arena_prize": _arena_prize,
    "stadium_cards": _race,
    "stadium_prize": _stadium_prize,
    "auction": _auction,
    "forum": _forum,
    "portus": _portus,
    "over": _over,
}

# ------------------------------------------------------------------------------------------------ refused changes


def coins(bronze: int = 0, silver: int = 0, gold: int = 0) -> dict[str, int]:
    """A table of coins."""
    return {"bronze": bronze, "silver": silver, "gold": gold}


REFUSED: Final[list[Refusal]] = [
    wrong("arena_dice", "phase", "arena_dices", "did you mean 'arena_dice'?"),
    wrong("arena_dice", "round", 7, "1..6"),
    wrong("arena_dice", "players.0.vp", 10000, "0..9999"),
    wrong("arena_dice", "players.1.coins.gold", 10000, "0..9999"),
    ("arena_dice", {"contest.strength.0": 10000}, "contest.strength.0", "0..9999"),
    wrong("arena_dice", "spaces.arena_1", None, "0..3"),
    wrong("arena_dice", "equi.row.0", "weapon_4", "did you mean"),
    wrong("arena_dice", "stadium.open", "green", "no stadium card"),
    wrong("arena_dice", "theatre.draw.0", "blue_white", "no card here"),
    # views
    wrong("arena_dice", "players.1.slaves", {"count": 0}, "one seat sees"),
    wrong("arena_dice", "players.1.equi", {"count": 1}, "one seat sees"),
    wrong("arena_dice", "stadium.past.0.drawn", None, "one seat sees"),
    # decks
    ("arena_dice", {"players.0.slaves.slave_2": 1}, "slaves", "11 slave_2, not 12"),
    ("arena_dice", {"slaves.discard.slave_1": 4}, "slaves", "11 slave_1, not 10"),
    wrong("arena_dice", "slaves.discard.slave_1", 12, "0..11"),
    ("arena_dice", {"equi.discard.weapon_1": 3}, "equi", "3 weapon_1, not 4"),
    ("arena_dice", {"equi.row.0": None}, "equi", "3 weapon_2, not 2"),
    ("arena_dice", {"stadium.open": "laurel_3"}, "stadium", "purple"),
    ("arena_dice", {"stadium.draw": ["white", "laurel_3"]}, "stadium", "2 yellow, not 1"),
    ("arena_dice", {"theatre.won.blue_purple": 0}, "theatre", "1 blue_purple, not 2"),
    ("arena_dice", {"theatre.draw": []}, "theatre", "not 0"),
    ("auction", {"auction.card": "white_blue"}, "theatre", "white_blue"),
    wrong("arena_dice", "players.0.equi_known.gold_horse_1", 3, "A6"),
    ("arena_dice", {f"buildings.{site}": 1 for site in load().buildings[:10]}, "buildings", "9 houses"),
    wrong("arena_dice", "equi.row", ["weapon_2", None], "expected 3 entries, not 2"),
    # pieces
    ("arena_dice", {"spaces.theatrum": 1, "spaces.arena_2": 1, "spaces.forum_5": 1, "spaces.portus_silver": 1},
     "spaces", "5 followers"),
    ("arena_dice", {"portus_coins": ["bronze", "gold"]}, "portus_coins[1]", "portus_gold"),
    wrong("arena_dice", "advantage", [0, 2, 0], "at most once"),
    wrong("place", "passed", [1, 1], "at most once"),
    wrong("arena_dice", "passed", [1], "must be [] in phase arena_dice"),
    # stadium cards
    ("arena_dice", {"stadium.past.3": DROP}, "stadium", "2 blue, not 1"),
    ("auction", {"phase": "stadium_prize"}, "contest", "must not be null"),
    ("arena_dice", {"round": 4}, "stadium.past", "3 entries in phase arena_dice of round 4"),
    ("auction", {"round": 6}, "stadium.past", "6 entries in phase auction of round 6"),
    ("arena_dice", {"stadium.open": None, "stadium.draw": ["white", "laurel_3", "yellow", "purple"]},
     "stadium.open", "must not be null"),
    ("auction", {"stadium.open": "laurel_3", "stadium.draw": ["yellow"]}, "stadium.open", "must be null"),
    ("over", {"stadium.open": "laurel_3", "stadium.past.5.open": "yellow"}, "stadium", "2 yellow, not 3"),
    wrong("arena_dice", "stadium.past.0.first_kept", None, "A36"),
    wrong("over", "stadium.past.5.first_kept", "open", "A36"),
    wrong("over", "stadium.past.5.second", 1, "A36"),
    wrong("arena_dice", "stadium.past.0.second", 0, "A35"),
    wrong("arena_dice", "stadium.past.0.first_kept", "both", "no card kept"),
    ("arena_dice", {"theatre.draw": ["blue_purple"], "theatre.won.blue_yellow": 0, "theatre.won.white_purple": 0},
     "theatre.won", "at most 4 cards"),
    ("auction", {"theatre.draw": [], "theatre.won.blue_yellow": 0, "theatre.won.white_purple": 0},
     "theatre.won", "at most 5 cards"),
    # parts of a phase
    wrong("arena_dice", "contest", None, "must not be null in phase arena_dice"),
    wrong("place", "contest", {"strength": {}, "last": None}, "must be null"),
    wrong("auction", "auction", None, "must not be null"),
    ("forum", {"auction": {"card": "blue_purple", "auctioneer": 3, "bid": coins(), "bidder": None, "out": []}},
     "auction", "must be null in phase forum"),
    wrong("pecunia", "exchange", None, "must not be null"),
    wrong("equi", "exchange", {"received": coins(), "last": None}, "must be null"),
    wrong("forum", "builds_left", None, "must not be null"),
    wrong("portus", "builds_left", 1, "must be null"),
    wrong("servi", "blue_dice", {"owner": 0, "left": 4}, "must be null"),
    wrong("stadium_prize", "blue_dice", {"owner": 0, "left": 0}, "must be null"),
    wrong("arena_dice", "blue_dice.left", 5, "0..4"),
    wrong("arena_dice", "dice.dolus", ["silver"], "expected 0 or 2 faces, not 1"),
    wrong("arena_dice", "dice.latro", ["silver", "silver", "silver"], "0 to 2"),
    ("arena_dice", {"dice.arena.0": ["gold", "gold"]}, "dice.arena.0", "3 faces, not 2"),
    ("arena_dice", {"dice.stadium": {"1": []}}, "dice.stadium.1", "3 faces, not 0"),
    ("arena_dice", {"dice.arena.4": ["gold", "gold", "gold"]}, "dice.arena.'4'", "unknown key"),
    wrong("arena_dice", "dice.arena_blue", ["gold", "gold", "gold", "gold", "gold"], "0 to 4"),
    wrong("arena_dice", "dice.stadium_blue", ["gold"] * 5, "0 to 4"),
    wrong("arena_dice", "dice.dolus", ["gold", "silver"], "order"),
    # the acting space
    ("arena_dice", {"spaces.dolus": 0}, "spaces", "dolus acts first"),
    ("stadium_cards", {"spaces.arena_1": 0}, "spaces", "arena_1 acts first"),
    ("arena_dice", {"spaces.arena_1": DROP, "spaces.arena_3": DROP}, "spaces", "gold_1"),
    ("forum", {"spaces.theatrum": 0}, "spaces", "theatrum acts first"),
    wrong("portus", "spaces", {}, "must not be {}"),
    ("servi", {"spaces.servi_middle": DROP, "spaces.potentia": 2}, "spaces", "potentia"),
    ("over", {"spaces.latro": 0}, "spaces", "must be {} when the game is over"),
    *((phase, {"current_player": 1}, "current_player", "stands on")
     for phase in ("pecunia", "equi", "servi", "forum", "portus")),
    # players who cannot be asked
    ("equi", {"equi.row.1": None, "equi.draw": ["gold_horse_2"]}, "current_player", "equi.row[1] is a gap"),
    ("equi", {"players.2.coins": coins(silver=9)}, "current_player", "A25"),
    ("servi", {"players.2.coins": coins(bronze=9)}, "current_player", "no silver"),
    ("servi", {"slaves.draw": [], "slaves.discard": {}, "players.2.slaves": {"slave_1": 10, "slave_2": 11}},
     "current_player", "A26"),
    wrong("arena_cards", "current_player", 2, "does not take part"),
    wrong("stadium_cards", "current_player", 0, "does not take part"),
    wrong("arena_dice", "current_player", 1, "A30"),
    ("arena_dice", {"blue_dice": None}, "current_player", "A30"),
    ("arena_dice", {"current_player": 3, "blue_dice.owner": 3}, "current_player", "does not take part"),
    wrong("arena_prize", "current_player", 1, "player 0 is first"),
    ("arena_prize", {"contest.strength.1": 5, "advantage": [1, 0]}, "current_player", "player 1 is first"),
    ("arena_prize", {"contest.strength.1": 5, "advantage": [2, 1]}, "current_player", "player 1 is first"),
    ("stadium_prize", {"contest.strength": {"1": 4, "2": 4, "3": 3}, "advantage": [], "current_player": 2},
     "current_player", "player 1 is first"),
    wrong("stadium_prize", "current_player", 1, "player 3 is first"),
    ("portus", {"portus_coins": ["bronze"]}, "current_player", "still lies there"),
    ("portus", {"players.3.coins.bronze": 0}, "current_player", "no bronze"),
    # contests, auctions, exchanges
    ("arena_dice", {"contest.strength.1": DROP}, "contest.strength", "must name players [0, 1]"),
    ("arena_dice", {"contest.strength.2": 5}, "contest.strength", "not [0, 1, 2]"),
    wrong("arena_dice", "contest.last", "slave_1", "must be null"),
    wrong("arena_prize", "contest.last", "slave_1", "must be null"),
    wrong("arena_cards", "contest.last", "weapon_9", "no card is called"),
    wrong("auction", "auction.auctioneer", 0, "must be player 3"),
    ("auction", {"auction.bid.gold": 1}, "auction.bidder", "A37"),
    wrong("auction", "auction.bidder", 2, "A37"),
    ("auction", {"auction.bid": coins(gold=4), "auction.bidder": 2}, "auction.bid", "A38"),
    wrong("auction", "auction.out", [1, 1], "at most once"),
    wrong("auction", "auction.card", "blue", "no theatre card"),
    wrong("pecunia", "exchange.last", "gold gold", "no exchange"),
    wrong("forum", "builds_left", 0, "must be in 1..2"),
]  # fmt: skip

# ------------------------------------------------------------------------------------------------ accepted changes

GOOD: list[tuple[str, Changes]] = [
    ("place", {"advantage": []}),
    ("place", {"passed": [1, 2]}),
    ("place", {"dice.arena": {}}),
    ("pecunia", {"exchange": {"received": coins(gold=3), "last": "bronze gold"}}),
    ("equi", {"equi.row": [None, "gold_horse_2", None], "equi.draw": ["weapon_2", "silver_horse_1"]}),
    ("arena_cards", {"contest.last": "weapon_3"}),
    ("arena_cards", {"blue_dice": None}),
    ("arena_prize", {"blue_dice": {"owner": 1, "left": 0}}),
    ("arena_prize", {"blue_dice": {"owner": 3, "left": 4}}),
    ("arena_prize", {"contest.strength.1": 5, "advantage": [], "starting_player": 0}),
    ("stadium_cards", {"blue_dice": {"owner": 0, "left": 0}}),
    ("stadium_cards", {"contest.last": "silver_horse_2"}),
    ("auction", {"auction.out": [3], "current_player": 0}),
    ("auction", {"auction.bid": coins(gold=3), "auction.bidder": 2, "auction.out": [0, 1]}),
    ("portus", {"spaces": {"portus_bronze": 3, "portus_gold": 1}}),
    ("over", {"advantage": []}),
    ("arena_dice", {"components_digest": load().digest}),
    ("arena_dice", {"equi.discard.gold_horse_2": DROP, "players.0.equi_known.weapon_3": DROP}),
    # Play does not reach these positions, and they can be played on all the same.
    ("place", {"equi.row.2": None, "equi.draw": ["silver_horse_1"]}),
    ("arena_dice", {"spaces.silver_2": 3, "spaces.theatrum": 0}),
    ("arena_dice", {"spaces.portus_gold": 3, "spaces.theatrum": DROP}),
    ("arena_dice", {"portus_coins": []}),
    ("arena_dice", {"spaces.portus_gold": 0, "portus_coins": ["gold", "bronze", "gold"]}),
    ("place", {"passed": [2, 1, 3]}),
    ("place", {"passed": [0, 1]}),
    ("place", {"current_player": 3}),
    ("arena_cards", {"blue_dice.left": 3, "contest.last": "gold_horse_1"}),
    ("arena_dice", {"blue_dice.left": 0, "contest.strength.0": 0}),
    ("arena_prize", {"blue_dice": {"owner": 3, "left": 3}}),
    ("over", {"round": 5, "stadium.past.5": DROP, "stadium.draw": ["laurel_3", "yellow"]}),
    ("pecunia", {"players.2.coins": coins()}),
    ("pecunia", {"players.2.coins": coins(bronze=1), "exchange": {"received": coins(gold=4), "last": None}}),
    (
        "arena_cards",
        {"players.0.slaves": {}, "players.0.equi": {}, "players.0.equi_known": {}, "slaves.discard.slave_1": 6,
         "equi.discard.gold_horse_1": 3},
    ),
    ("stadium_cards", {"contest.last": "slave_1"}),
    ("stadium_cards", {"current_player": 3, "contest.last": "silver_horse_1"}),
    ("auction", {"players.3.coins": coins()}),
    ("auction", {"auction.out": [3, 0]}),
    ("auction", {"auction.bid": coins(gold=1), "auction.bidder": 3}),
    ("auction", {"auction.bid": coins(gold=1), "auction.bidder": 2, "auction.out": [2]}),
    ("auction", {"auction.bid": coins(gold=1), "auction.bidder": 0}),
    ("portus", {"buildings": {"villa_white_4": 3, "workshop_smith": 0}}),
    ("forum", {"builds_left": 2}),
]  # fmt: skip

CASES: Final = PositionCases(
    state_class=State,
    steps=STEPS,
    legal=["dice 0", "dice 1", "dice 2", "dice 3", "dice 4"],
    common=("place", "servi", "stadium_prize", "auction", "forum", "over"),
    refused=REFUSED,
    good=GOOD,
    words=("bronze", "gold", "white", "slave_1", "arena_1"),
)
example, in_phase = CASES.example, CASES.in_phase
