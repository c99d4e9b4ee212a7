"""Refused positions: phase, changes to its example, the refused field, and a part of the message."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.aquileia.components.load import load
from tests.games.positions import DROP, Refusal


def coins(bronze: int = 0, silver: int = 0, gold: int = 0) -> dict[str, int]:
    """A table of coins."""
    return {"bronze": bronze, "silver": silver, "gold": gold}


FRAME: Final[dict[str, Refusal]] = {
    "a missing key": ("arena_dice", {"equi": DROP}, "equi", "missing"),
    "an unknown key": ("arena_dice", {"equis": 1}, "equis", "did you mean 'equi'?"),
    "an unknown key of a player": ("arena_dice", {"players.0.horses": 1}, "players[0].horses", "unknown"),
    "a missing key of a player": ("arena_dice", {"players.3.vp": DROP}, "players[3].vp", "missing"),
    "a missing kind of coins": ("arena_dice", {"players.0.coins.gold": DROP}, "players[0].coins.gold", "missing"),
    "another format": ("arena_dice", {"format": "aquileia/2"}, "format", "'aquileia/1'"),
    "other components": ("arena_dice", {"components": "mine"}, "components", "no component set called 'mine'"),
    "another digest": ("arena_dice", {"components_digest": "00"}, "components_digest", "no component set"),
    "two players": ("arena_dice", {"num_players": 2}, "num_players", "3..5"),
    "six players": ("arena_dice", {"num_players": 6}, "num_players", "3..5"),
    "more players than parts": ("arena_dice", {"num_players": 5}, "players", "expected 5 entries, not 4"),
    "an unknown phase": ("arena_dice", {"phase": "arena_dices"}, "phase", "did you mean 'arena_dice'?"),
    "a seat that does not exist": ("arena_dice", {"current_player": 4}, "current_player", "0..3"),
    "nobody asked": ("arena_dice", {"current_player": None}, "current_player", "0..3"),
    "somebody asked when over": ("over", {"current_player": 0}, "current_player", "null"),
    "round 0": ("arena_dice", {"round": 0}, "round", "1..6"),
    "round 7": ("arena_dice", {"round": 7}, "round", "1..6"),
    "a starting player who does not exist": ("arena_dice", {"starting_player": 4}, "starting_player", "0..3"),
    "a fraction": ("arena_dice", {"players.0.vp": 12.0}, "players[0].vp", "expected an integer"),
    "a boolean": ("arena_dice", {"players.0.vp": True}, "players[0].vp", "expected an integer"),
    "a text for a number": ("arena_dice", {"players.0.vp": "12"}, "players[0].vp", "expected an integer"),
    "fewer than no points": ("arena_dice", {"players.0.vp": -1}, "players[0].vp", "0..9999"),
    "too many points": ("arena_dice", {"players.0.vp": 10000}, "players[0].vp", "0..9999"),
    "fewer than no coins": ("arena_dice", {"players.1.coins.gold": -1}, "players[1].coins.gold", "0..9999"),
    "too many coins": ("arena_dice", {"players.1.coins.gold": 10000}, "players[1].coins.gold", "0..9999"),
    "an unknown kind of coins": ("arena_dice", {"players.1.coins.iron": 1}, "players[1].coins.iron", "unknown"),
    "too great a strength": ("arena_dice", {"contest.strength.0": 10000}, "contest.strength.0", "0..9999"),
    "a list for an object": ("arena_dice", {"spaces": []}, "spaces", "expected an object"),
    "an object for a list": ("arena_dice", {"advantage": {}}, "advantage", "expected a list"),
    "an unknown space": ("arena_dice", {"spaces.arena_4": 0}, "spaces.arena_4", "unknown"),
    "a space of nobody": ("arena_dice", {"spaces.arena_1": None}, "spaces.arena_1", "0..3"),
    "an unknown slave card": ("arena_dice", {"slaves.discard.slave_3": 1}, "slaves.discard.slave_3", "unknown"),
    "an unknown equi card": ("arena_dice", {"equi.row.0": "weapon_4"}, "equi.row[0]", "did you mean"),
    "an unknown stadium card": ("arena_dice", {"stadium.open": "green"}, "stadium.open", "no stadium card"),
    "an unknown theatre card": ("arena_dice", {"theatre.draw.0": "blue_white"}, "theatre.draw[0]", "no card here"),
    "an unknown building": ("arena_dice", {"buildings.temple": 0}, "buildings.temple", "unknown"),
    "a random state of text": ("arena_dice", {"rng": "rng"}, "rng", "to_dict"),
    "a random state cut short": ("arena_dice", {"rng": "p1:1.2"}, "rng", "to_dict"),
}  # fmt: skip

VIEWS: Final[dict[str, Refusal]] = {
    "a pile of slave cards as a count": ("arena_dice", {"slaves.draw": {"count": 10}}, "slaves.draw", "one seat"),
    "a pile of equi cards as a count": ("arena_dice", {"equi.draw": {"count": 1}}, "equi.draw", "one seat sees"),
    "a pile of stadium cards as a count": ("arena_dice", {"stadium.draw": {"count": 3}}, "stadium.draw", "one seat"),
    "a pile of theatre cards as a count": ("arena_dice", {"theatre.draw": {"count": 3}}, "theatre.draw", "one seat"),
    "a hand of slave cards as a count": (
        "arena_dice", {"players.1.slaves": {"count": 0}},
        "players[1].slaves", "one seat sees"),
    "a hand of equi cards as a count": (
        "arena_dice", {"players.1.equi": {"count": 1}},
        "players[1].equi", "one seat sees"),
    "a stadium card not seen": ("arena_dice", {"stadium.past.0.drawn": None}, "stadium.past[0].drawn", "one seat sees"),
}  # fmt: skip

DECKS: Final[dict[str, Refusal]] = {
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
}  # fmt: skip

PIECES: Final[dict[str, Refusal]] = {
    "six followers": (
        "arena_dice", {"spaces.theatrum": 1, "spaces.arena_2": 1, "spaces.forum_5": 1, "spaces.portus_silver": 1},
        "spaces", "5 followers"),
    "a coin under nobody": ("arena_dice", {"portus_coins": ["bronze", "gold"]}, "portus_coins[1]", "portus_gold"),
    "a coin of no kind": ("arena_dice", {"portus_coins": ["iron"]}, "portus_coins[0]", "no kind of coins"),
    "a crest twice": ("arena_dice", {"advantage": [0, 2, 0]}, "advantage", "at most once"),
    "a pass twice": ("place", {"passed": [1, 1]}, "passed", "at most once"),
    "a pass after the placement": ("arena_dice", {"passed": [1]}, "passed", "must be [] in phase arena_dice"),
}  # fmt: skip

STADIUM: Final[dict[str, Refusal]] = {
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
}  # fmt: skip

PHASE_PARTS: Final[dict[str, Refusal]] = {
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
    "blue dice of nobody": ("arena_dice", {"blue_dice.owner": 4}, "blue_dice.owner", "0..3"),
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
    "a face of no kind": ("arena_dice", {"dice.dolus": ["iron", "silver"]}, "dice.dolus[0]", "no kind of coins"),
    "no roll of Latro": ("arena_dice", {"dice.latro": DROP}, "dice.latro", "missing"),
}  # fmt: skip

ACTING: Final[dict[str, Refusal]] = {
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
}  # fmt: skip

NOT_ASKED: Final[dict[str, Refusal]] = {
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
}  # fmt: skip

DETAILS: Final[dict[str, Refusal]] = {
    "a strength missing": ("arena_dice", {"contest.strength.1": DROP}, "contest.strength", "must name players [0, 1]"),
    "a strength too many": ("arena_dice", {"contest.strength.2": 5}, "contest.strength", "not [0, 1, 2]"),
    "a strength of nobody": ("arena_dice", {"contest.strength.9": 5}, "contest.strength.'9'", "unknown key"),
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

LISTS: Final = (FRAME, VIEWS, DECKS, PIECES, STADIUM, PHASE_PARTS, ACTING, NOT_ASKED, DETAILS)
