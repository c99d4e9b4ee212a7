"""The positions of Aquileia in tests: one of each phase, refused changes and accepted ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from porta_nigra_env.games.aquileia.components.load import load
from porta_nigra_env.games.aquileia.game import State
from tests.games.positions import DROP, Changes, Position, PositionCases, Refusal

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


REFUSED: Final[dict[str, Refusal]] = {
    "an unknown phase": ("arena_dice", {"phase": "arena_dices"}, "phase", "did you mean 'arena_dice'?"),
    "round 7": ("arena_dice", {"round": 7}, "round", "1..6"),
    "too many points": ("arena_dice", {"players.0.vp": 10000}, "players[0].vp", "0..9999"),
    "too many coins": ("arena_dice", {"players.1.coins.gold": 10000}, "players[1].coins.gold", "0..9999"),
    "too great a strength": ("arena_dice", {"contest.strength.0": 10000}, "contest.strength.0", "0..9999"),
    "a space of nobody": ("arena_dice", {"spaces.arena_1": None}, "spaces.arena_1", "0..3"),
    "an unknown equi card": ("arena_dice", {"equi.row.0": "weapon_4"}, "equi.row[0]", "did you mean"),
    "an unknown stadium card": ("arena_dice", {"stadium.open": "green"}, "stadium.open", "no stadium card"),
    "an unknown theatre card": ("arena_dice", {"theatre.draw.0": "blue_white"}, "theatre.draw[0]", "no card here"),
    # views
    "a hand of slave cards as a count": (
        "arena_dice", {"players.1.slaves": {"count": 0}},
        "players[1].slaves", "one seat sees"),
    "a hand of equi cards as a count": (
        "arena_dice", {"players.1.equi": {"count": 1}},
        "players[1].equi", "one seat sees"),
    "a stadium card not seen": ("arena_dice", {"stadium.past.0.drawn": None}, "stadium.past[0].drawn", "one seat sees"),
    # decks
    "a slave card too many": ("arena_dice", {"players.0.slaves.slave_2": 1}, "slaves", "11 slave_2, not 12"),
    "a slave card too few": ("arena_dice", {"slaves.discard.slave_1": 4}, "slaves", "11 slave_1, not 10"),
    "more slave cards than there are": (
        "arena_dice", {"slaves.discard.slave_1": 12},
        "slaves.discard.slave_1", "0..11"),
    "an equi card too many": ("arena_dice", {"equi.discard.weapon_1": 3}, "equi", "3 weapon_1, not 4"),
    "an equi card lost from the row": ("arena_dice", {"equi.row.0": None}, "equi", "3 weapon_2, not 2"),
    "a stadium card too many": ("arena_dice", {"stadium.open": "laurel_3"}, "stadium", "purple"),
    "a stadium card too few": ("arena_dice", {"stadium.draw": ["white", "laurel_3"]}, "stadium", "2 yellow, not 1"),
    "a theatre card in two places": ("arena_dice", {"theatre.won.blue_purple": 0}, "theatre", "1 blue_purple, not 2"),
    "a theatre card lost": ("arena_dice", {"theatre.draw": []}, "theatre", "not 0"),
    "a card on sale that is won": ("auction", {"auction.card": "white_blue"}, "theatre", "white_blue"),
    "more known than held": (
        "arena_dice", {"players.0.equi_known.gold_horse_1": 3},
        "players[0].equi_known.gold_horse_1", "A6"),
    "ten houses": ("arena_dice", {f"buildings.{site}": 1 for site in load().buildings[:10]}, "buildings", "9 houses"),
    "a shorter row": ("arena_dice", {"equi.row": ["weapon_2", None]}, "equi.row", "expected 3 entries, not 2"),
    # pieces
    "six followers": (
        "arena_dice", {"spaces.theatrum": 1, "spaces.arena_2": 1, "spaces.forum_5": 1, "spaces.portus_silver": 1},
        "spaces", "5 followers"),
    "a coin under nobody": ("arena_dice", {"portus_coins": ["bronze", "gold"]}, "portus_coins[1]", "portus_gold"),
    "a crest twice": ("arena_dice", {"advantage": [0, 2, 0]}, "advantage", "at most once"),
    "a pass twice": ("place", {"passed": [1, 1]}, "passed", "at most once"),
    "a pass after the placement": ("arena_dice", {"passed": [1]}, "passed", "must be [] in phase arena_dice"),
    # stadium cards
    "a race lost": ("arena_dice", {"stadium.past.3": DROP}, "stadium", "2 blue, not 1"),
    "a race too early": ("auction", {"phase": "stadium_prize"}, "contest", "must not be null"),
    "rounds after the race": ("arena_dice", {"round": 4}, "stadium.past", "3 entries in phase arena_dice of round 4"),
    "rounds when it is over": ("auction", {"round": 6}, "stadium.past", "6 entries in phase auction of round 6"),
    "no open card": (
        "arena_dice", {"stadium.open": None, "stadium.draw": ["white", "laurel_3", "yellow", "purple"]},
        "stadium.open", "must not be null"),
    "an open card after the race": (
        "auction", {"stadium.open": "laurel_3", "stadium.draw": ["yellow"]},
        "stadium.open", "must be null"),
    "an open card when over": (
        "over", {"stadium.open": "laurel_3", "stadium.past.5.open": "yellow"},
        "stadium", "2 yellow, not 3"),
    "a first without a card": ("arena_dice", {"stadium.past.0.first_kept": None}, "stadium.past[0].first_kept", "A36"),
    "a card without a first": ("over", {"stadium.past.5.first_kept": "open"}, "stadium.past[5].first_kept", "A36"),
    "a second without a first": ("over", {"stadium.past.5.second": 1}, "stadium.past[5].second", "A36"),
    "first and second alike": ("arena_dice", {"stadium.past.0.second": 0}, "stadium.past[0].second", "A35"),
    "a card kept that is none": (
        "arena_dice", {"stadium.past.0.first_kept": "both"},
        "stadium.past[0].first_kept", "no card kept"),
    "more theatre cards than rounds before": (
        "arena_dice", {"theatre.draw": ["blue_purple"], "theatre.won.blue_yellow": 0, "theatre.won.white_purple": 0},
        "theatre.won", "at most 4 cards"),
    "more theatre cards than rounds": (
        "auction", {"theatre.draw": [], "theatre.won.blue_yellow": 0, "theatre.won.white_purple": 0},
        "theatre.won", "at most 5 cards"),
    # parts of a phase
    "no contest": ("arena_dice", {"contest": None}, "contest", "must not be null in phase arena_dice"),
    "a contest in a placement": ("place", {"contest": {"strength": {}, "last": None}}, "contest", "must be null"),
    "no auction": ("auction", {"auction": None}, "auction", "must not be null"),
    "an auction in the Forum": (
        "forum", {"auction": {"card": "blue_purple", "auctioneer": 3, "bid": coins(), "bidder": None, "out": []}},
        "auction", "must be null in phase forum"),
    "no exchange": ("pecunia", {"exchange": None}, "exchange", "must not be null"),
    "an exchange at Equi": ("equi", {"exchange": {"received": coins(), "last": None}}, "exchange", "must be null"),
    "no number of buildings": ("forum", {"builds_left": None}, "builds_left", "must not be null"),
    "a number of buildings in the Portus": ("portus", {"builds_left": 1}, "builds_left", "must be null"),
    "blue dice at Servi": ("servi", {"blue_dice": {"owner": 0, "left": 4}}, "blue_dice", "must be null"),
    "blue dice after the race": ("stadium_prize", {"blue_dice": {"owner": 0, "left": 0}}, "blue_dice", "must be null"),
    "five blue dice": ("arena_dice", {"blue_dice.left": 5}, "blue_dice.left", "0..4"),
    "one die of Dolus": ("arena_dice", {"dice.dolus": ["silver"]}, "dice.dolus", "expected 0 or 2 faces, not 1"),
    "three dice of Latro": ("arena_dice", {"dice.latro": ["silver", "silver", "silver"]}, "dice.latro", "0 to 2"),
    "two dice of a fighter": ("arena_dice", {"dice.arena.0": ["gold", "gold"]}, "dice.arena.0", "3 faces, not 2"),
    "no dice of a racer": ("arena_dice", {"dice.stadium": {"1": []}}, "dice.stadium.1", "3 faces, not 0"),
    "dice of who does not exist": (
        "arena_dice", {"dice.arena.4": ["gold", "gold", "gold"]},
        "dice.arena.'4'", "unknown key"),
    "five blue faces": (
        "arena_dice", {"dice.arena_blue": ["gold", "gold", "gold", "gold", "gold"]},
        "dice.arena_blue", "0 to 4"),
    "five blue faces of a race": (
        "arena_dice", {"dice.stadium_blue": ["gold"] * 5}, "dice.stadium_blue", "0 to 4"),
    "faces in another order": ("arena_dice", {"dice.dolus": ["gold", "silver"]}, "dice.dolus", "order"),
    # the acting space
    "Dolus in a fight": ("arena_dice", {"spaces.dolus": 0}, "spaces", "dolus acts first"),
    "a fight in a race": ("stadium_cards", {"spaces.arena_1": 0}, "spaces", "arena_1 acts first"),
    "a race in a fight": ("arena_dice", {"spaces.arena_1": DROP, "spaces.arena_3": DROP}, "spaces", "gold_1"),
    "Theatrum in the Forum": ("forum", {"spaces.theatrum": 0}, "spaces", "theatrum acts first"),
    "nobody in the Portus": ("portus", {"spaces": {}}, "spaces", "must not be {}"),
    "Potentia at Servi": ("servi", {"spaces.servi_middle": DROP, "spaces.potentia": 2}, "spaces", "potentia"),
    "a follower when over": ("over", {"spaces.latro": 0}, "spaces", "must be {} when the game is over"),
    **{
        f"another seat than the holder in {phase}": (phase, {"current_player": 1}, "current_player", "stands on")
        for phase in ("pecunia", "equi", "servi", "forum", "portus")
    },
    # players who cannot be asked
    "who finds no card": (
        "equi", {"equi.row.1": None, "equi.draw": ["gold_horse_2"]},
        "current_player", "equi.row[1] is a gap"),
    "who cannot pay an equi card": ("equi", {"players.2.coins": coins(silver=9)}, "current_player", "A25"),
    "who cannot pay a slave": ("servi", {"players.2.coins": coins(bronze=9)}, "current_player", "no silver"),
    "who finds no slave": (
        "servi", {"slaves.draw": [], "slaves.discard": {}, "players.2.slaves": {"slave_1": 10, "slave_2": 11}},
        "current_player", "A26"),
    "who does not fight": ("arena_cards", {"current_player": 2}, "current_player", "does not take part"),
    "who does not race": ("stadium_cards", {"current_player": 0}, "current_player", "does not take part"),
    "who does not own the blue dice": ("arena_dice", {"current_player": 1}, "current_player", "A30"),
    "who owns no blue dice": ("arena_dice", {"blue_dice": None}, "current_player", "A30"),
    "who owns the blue dice and does not fight": (
        "arena_dice", {"current_player": 3, "blue_dice.owner": 3},
        "current_player", "does not take part"),
    "the second of a fight": ("arena_prize", {"current_player": 1}, "current_player", "player 0 is first"),
    "the second by the crest": (
        "arena_prize", {"contest.strength.1": 5, "advantage": [1, 0]},
        "current_player", "player 1 is first"),
    "the second by a crest alone": (
        "arena_prize", {"contest.strength.1": 5, "advantage": [2, 1]},
        "current_player", "player 1 is first"),
    "the second by turn order": (
        "stadium_prize", {"contest.strength": {"1": 4, "2": 4, "3": 3}, "advantage": [], "current_player": 2},
        "current_player", "player 1 is first"),
    "the second of a race": ("stadium_prize", {"current_player": 1}, "current_player", "player 3 is first"),
    "whose coin still lies there": ("portus", {"portus_coins": ["bronze"]}, "current_player", "still lies there"),
    "who has no other coin": ("portus", {"players.3.coins.bronze": 0}, "current_player", "no bronze"),
    # contests, auctions, exchanges
    "a strength missing": ("arena_dice", {"contest.strength.1": DROP}, "contest.strength", "must name players [0, 1]"),
    "a strength too many": ("arena_dice", {"contest.strength.2": 5}, "contest.strength", "not [0, 1, 2]"),
    "a card played at the dice": ("arena_dice", {"contest.last": "slave_1"}, "contest.last", "must be null"),
    "a card played at the prize": ("arena_prize", {"contest.last": "slave_1"}, "contest.last", "must be null"),
    "an unknown card played": ("arena_cards", {"contest.last": "weapon_9"}, "contest.last", "no card is called"),
    "an auctioneer elsewhere": ("auction", {"auction.auctioneer": 0}, "auction.auctioneer", "must be player 3"),
    "a bid of nobody": ("auction", {"auction.bid.gold": 1}, "auction.bidder", "A37"),
    "a bidder of nothing": ("auction", {"auction.bidder": 2}, "auction.bidder", "A37"),
    "a bid that the bidder does not have": (
        "auction", {"auction.bid": coins(gold=4), "auction.bidder": 2},
        "auction.bid", "A38"),
    "who is out twice": ("auction", {"auction.out": [1, 1]}, "auction.out", "at most once"),
    "a card on sale that is none": ("auction", {"auction.card": "blue"}, "auction.card", "no theatre card"),
    "an exchange that is none": ("pecunia", {"exchange.last": "gold gold"}, "exchange.last", "no exchange"),
    "no building left": ("forum", {"builds_left": 0}, "builds_left", "must be in 1..2"),
}  # fmt: skip

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
