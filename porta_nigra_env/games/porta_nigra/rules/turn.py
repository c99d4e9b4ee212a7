"""The order of play: turns, rounds, interim scoring, and the end (R6, R7, R10, R15, R27-R30)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.porta_nigra.components.names import (
    APPOINT_PHASE,
    BUILDINGS,
    CHOOSE_CARD,
    OVER,
    PLACE_BUILDER,
    SPLIT_TENS,
)
from porta_nigra_env.games.porta_nigra.rules.cards import deal_deck, put_away_card
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.market import market_bricks, refill_displays, refill_market

NUM_BUILDINGS = len(BUILDINGS)


@jit
def begin_turn(t: Any, s: Any, player: int) -> None:
    """The refill phase, then the first decision of the turn (R7, R10)."""
    s["current_player"] = player
    refill_market(t, s)
    refill_displays(t, s)
    s["phase"] = PLACE_BUILDER if s["quarter"][player] < 0 else CHOOSE_CARD


@jit
def finish_game(s: Any) -> None:
    """No decision is left."""
    s["phase"] = OVER
    s["current_player"] = -1


@jit
def check_early_end(t: Any, s: Any) -> None:
    """The early end, tested after each complete action of a turn (R29)."""
    if s["early_player"] >= 0:
        return
    player = int(s["current_player"])
    last_element = s["romans"][player] == 0 and s["romans_reserve"][player] == 0
    if not last_element and (s["reserve"] > 0 or market_bricks(s) > 0):
        return
    s["early_player"] = player
    s["vp"][player] += t["early_end_bonus_vp"]
    players = int(s["num_players"])
    for i in range(players - 1):
        s["final_turns"][i] = (player + 1 + i) % players
    s["num_final_turns"] = players - 1


@jit
def next_player(s: Any, player: int) -> int:
    """Who has the next turn in this round; -1 when the round is over (R27, R29, R30)."""
    if s["early_player"] >= 0:
        for i in range(int(s["num_final_turns"])):
            seat = int(s["final_turns"][i])
            if s["num_hand"][seat] > 0:
                return seat
        return -1
    players = int(s["num_players"])
    for i in range(1, players + 1):
        seat = (player + i) % players
        if s["num_hand"][seat] > 0:
            return seat
    return -1


@jit
def use_final_turn(s: Any, player: int) -> None:
    """Take the player out of the list of final turns, if she is on it (R29)."""
    kept = 0
    for i in range(int(s["num_final_turns"])):
        seat = int(s["final_turns"][i])
        s["final_turns"][i] = -1
        if seat != player:
            s["final_turns"][kept] = seat
            kept += 1
    s["num_final_turns"] = kept


@jit
def end_turn(t: Any, s: Any) -> None:
    """Put the card away, then the next turn, the interim scoring or the end of the game (R15, R27, R30)."""
    player = int(s["current_player"])
    put_away_card(s, player)
    use_final_turn(s, player)
    if s["early_player"] >= 0 and s["num_final_turns"] == 0:
        finish_game(s)
        return
    following = next_player(s, player)
    if following >= 0:
        begin_turn(t, s, following)
    elif int(s["round"]) >= int(t["rounds"][int(s["num_players"])]):
        finish_game(s)
    else:
        s["phase"] = SPLIT_TENS
        s["current_player"] = s["starting_player"]


@jit
def split_total(t: Any, s: Any, player: int) -> int:
    """Points the player splits in the interim scoring: bricks built x multiplier (R27)."""
    bricks = 0
    for building in range(NUM_BUILDINGS):
        bricks += int(s["built"][player, building])
    return bricks * int(t["interim_multiplier"][int(s["num_players"])])


@jit
def split(t: Any, s: Any, sesterces: int) -> None:
    """The current player takes that many sesterces and the rest as VP; then the next in turn order, or `appoint`."""
    player = int(s["current_player"])
    s["sesterces"][player] += sesterces
    s["vp"][player] += split_total(t, s, player) - sesterces
    s["split_tens"] = -1
    players = int(s["num_players"])
    following = (player + 1) % players
    if following != s["starting_player"]:
        s["phase"] = SPLIT_TENS
        s["current_player"] = following
        return
    s["phase"] = APPOINT_PHASE
    fewest = -1
    for i in range(players):  # the youngest first: only fewer VP displace her (R28)
        seat = int(s["youngest_first"][i])
        if fewest < 0 or s["vp"][seat] < s["vp"][fewest]:
            fewest = seat
    s["current_player"] = fewest


@jit
def appoint(t: Any, s: Any, starter: int) -> None:
    """A new round: new hands for all, final turns clockwise from the new starting player (R28, R30)."""
    players = int(s["num_players"])
    s["starting_player"] = starter
    s["round"] += 1
    for player in range(players):
        deal_deck(t, s, player)
    first = starter
    if s["early_player"] >= 0:
        left = int(s["num_final_turns"])
        pending = 0
        for i in range(left):
            pending |= 1 << int(s["final_turns"][i])
        place = 0
        for i in range(players):
            seat = (starter + i) % players
            if (pending >> seat) & 1:
                s["final_turns"][place] = seat
                place += 1
        first = int(s["final_turns"][0])
    begin_turn(t, s, first)
