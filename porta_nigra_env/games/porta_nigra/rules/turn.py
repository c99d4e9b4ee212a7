"""The order of play: turns, rounds, interim scoring, and the end (R6, R7, R10, R15, R27-R30)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
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
def begin_turn(constants: Constants, state: State, player: int) -> None:
    """The refill phase, then the first decision of the turn (R7, R10)."""
    state["current_player"] = player
    refill_market(constants, state)
    refill_displays(constants, state)
    state["phase"] = PLACE_BUILDER if state["quarter"][player] < 0 else CHOOSE_CARD


@jit
def finish_game(state: State) -> None:
    """No decision is left."""
    state["phase"] = OVER
    state["current_player"] = -1


@jit
def check_early_end(constants: Constants, state: State) -> None:
    """The early end, tested after each complete action of a turn (R29)."""
    if state["early_player"] >= 0:
        return
    player = int(state["current_player"])
    last_element = state["romans"][player] == 0 and state["romans_reserve"][player] == 0
    if not last_element and (state["reserve"] > 0 or market_bricks(state) > 0):
        return
    state["early_player"] = player
    state["vp"][player] += constants["early_end_bonus_vp"]
    players = int(state["num_players"])
    for i in range(players - 1):
        state["final_turns"][i] = (player + 1 + i) % players
    state["num_final_turns"] = players - 1


@jit
def next_player(state: State, player: int) -> int:
    """Who has the next turn in this round; -1 when the round is over (R27, R29, R30)."""
    if state["early_player"] >= 0:
        for i in range(int(state["num_final_turns"])):
            seat = int(state["final_turns"][i])
            if state["num_hand"][seat] > 0:
                return seat
        return -1
    players = int(state["num_players"])
    for i in range(1, players + 1):
        seat = (player + i) % players
        if state["num_hand"][seat] > 0:
            return seat
    return -1


@jit
def use_final_turn(state: State, player: int) -> None:
    """Take the player out of the list of final turns, if she is on it (R29)."""
    kept = 0
    for i in range(int(state["num_final_turns"])):
        seat = int(state["final_turns"][i])
        state["final_turns"][i] = -1
        if seat != player:
            state["final_turns"][kept] = seat
            kept += 1
    state["num_final_turns"] = kept


@jit
def end_turn(constants: Constants, state: State) -> None:
    """Put the card away, then the next turn, the interim scoring or the end of the game (R15, R27, R30)."""
    player = int(state["current_player"])
    put_away_card(state, player)
    use_final_turn(state, player)
    if state["early_player"] >= 0 and state["num_final_turns"] == 0:
        finish_game(state)
        return
    following = next_player(state, player)
    if following >= 0:
        begin_turn(constants, state, following)
    elif int(state["round"]) >= int(constants["rounds"][int(state["num_players"])]):
        finish_game(state)
    else:
        state["phase"] = SPLIT_TENS
        state["current_player"] = state["starting_player"]


@jit
def split_total(constants: Constants, state: State, player: int) -> int:
    """Points the player splits in the interim scoring: bricks built x multiplier (R27)."""
    bricks = 0
    for building in range(NUM_BUILDINGS):
        bricks += int(state["built"][player, building])
    return bricks * int(constants["interim_multiplier"][int(state["num_players"])])


@jit
def split(constants: Constants, state: State, sesterces: int) -> None:
    """The current player takes that many sesterces and the rest as VP; then the next in turn order, or `appoint`."""
    player = int(state["current_player"])
    state["sesterces"][player] += sesterces
    state["vp"][player] += split_total(constants, state, player) - sesterces
    state["split_tens"] = -1
    players = int(state["num_players"])
    following = (player + 1) % players
    if following != state["starting_player"]:
        state["phase"] = SPLIT_TENS
        state["current_player"] = following
        return
    state["phase"] = APPOINT_PHASE
    fewest = -1
    for i in range(players):  # the youngest first: only fewer VP displace her (R28)
        seat = int(state["youngest_first"][i])
        if fewest < 0 or state["vp"][seat] < state["vp"][fewest]:
            fewest = seat
    state["current_player"] = fewest


@jit
def appoint(constants: Constants, state: State, starter: int) -> None:
    """A new round: new hands for all, final turns clockwise from the new starting player (R28, R30)."""
    players = int(state["num_players"])
    state["starting_player"] = starter
    state["round"] += 1
    for player in range(players):
        deal_deck(constants, state, player)
    first = starter
    if state["early_player"] >= 0:
        left = int(state["num_final_turns"])
        pending = 0
        for i in range(left):
            pending |= 1 << int(state["final_turns"][i])
        place = 0
        for i in range(players):
            seat = (starter + i) % players
            if (pending >> seat) & 1:
                state["final_turns"][place] = seat
                place += 1
        first = int(state["final_turns"][0])
    begin_turn(constants, state, first)
