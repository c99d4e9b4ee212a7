"""The order of play: turns, rounds, interim scoring, and the end (R6, R7, R10, R15, R27-R30)."""

from __future__ import annotations

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.games.porta_nigra.actions import ID
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
    """Carry out the refill phase and ask the player for the first action of the turn (R7, R10)."""
    state["current_player"] = player
    refill_market(constants, state)
    refill_displays(constants, state)
    state["phase"] = PLACE_BUILDER if state["quarter"][player] < 0 else CHOOSE_CARD


@jit
def legal_places(words: Words) -> None:
    """Add the quarters for the master builder: any of them (R10)."""
    bits.put(words, ID.place, (1 << NUM_BUILDINGS) - 1, NUM_BUILDINGS)


@jit
def place_builder(state: State, player: int, building: int) -> None:
    """Place the master builder (R10)."""
    state["quarter"][player] = building
    state["phase"] = CHOOSE_CARD


@jit
def finish_game(state: State) -> None:
    """End the game."""
    state["phase"] = OVER
    state["current_player"] = -1


@jit
def check_early_end(constants: Constants, state: State) -> None:
    """Trigger the early end if it is due; called after each complete action of a turn (R29)."""
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
    """Return the seat with the next turn in this round; -1 when the round is over (R27, R29, R30)."""
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
    """Remove the player from the list of final turns, if it is there (R29)."""
    remaining = 0
    for i in range(int(state["num_final_turns"])):
        seat = int(state["final_turns"][i])
        state["final_turns"][i] = -1
        if seat != player:
            state["final_turns"][remaining] = seat
            remaining += 1
    state["num_final_turns"] = remaining


@jit
def end_turn(constants: Constants, state: State) -> None:
    """Put the card away and go to the next turn, the interim scoring or the end of the game (R15, R27, R30)."""
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
    """Return the points the player splits in the interim scoring: bricks built x multiplier (R27)."""
    bricks = 0
    for building in range(NUM_BUILDINGS):
        bricks += int(state["built"][player, building])
    return bricks * int(constants["interim_multiplier"][int(state["num_players"])])


@jit
def legal_tens(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add the tens of sesterces within the total (R27)."""
    choices = split_total(constants, state, player) // 10 + 1
    bits.put(words, int(constants["tens_start"]), (1 << choices) - 1, choices)


@jit
def legal_units(constants: Constants, state: State, player: int, words: Words) -> None:
    """Add the single sesterces that keep the amount within the total (R27)."""
    choices = min(10, split_total(constants, state, player) - 10 * int(state["split_tens"]) + 1)
    bits.put(words, ID.units, (1 << choices) - 1, choices)


@jit
def split(constants: Constants, state: State, sesterces: int) -> None:
    """Pay the current player `sesterces` and the rest as VP; go to the next seat in turn order, or to `appoint`."""
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
    for i in range(players):  # the youngest first, so that an older player needs fewer VP (R28)
        seat = int(state["youngest_first"][i])
        if fewest < 0 or state["vp"][seat] < state["vp"][fewest]:
            fewest = seat
    state["current_player"] = fewest


@jit
def legal_appointees(state: State, words: Words) -> None:
    """Add all seats (R28)."""
    bits.put(words, ID.appoint, (1 << int(state["num_players"])) - 1, int(state["num_players"]))


@jit
def appoint(constants: Constants, state: State, starter: int) -> None:
    """Begin a new round: new hands, final turns clockwise from the new starting player (R28, R30)."""
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
        index = 0
        for i in range(players):
            seat = (starter + i) % players
            if (pending >> seat) & 1:
                state["final_turns"][index] = seat
                index += 1
        first = int(state["final_turns"][0])
    begin_turn(constants, state, first)
