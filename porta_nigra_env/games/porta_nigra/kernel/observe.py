"""What a player may know, and the privileged vector, in the layout of `state.observation_spans`."""

from __future__ import annotations

from typing import Any, Final

from porta_nigra_env.games.porta_nigra.components.names import (
    FIXED_SPOTS,
    MAX_FINAL_VALUES,
    MAX_PLAYERS,
    NUM_ACTION_CARDS,
    NUM_BUILDING_CARDS,
    NUM_HONOUR_CARDS,
    NUM_SPOTS,
    NUM_SUPPLY_CARDS,
    PORTA_NIGRA_SPOTS,
    SPLIT_TENS,
    SPLIT_UNITS,
)
from porta_nigra_env.games.porta_nigra.kernel.cards import NUM_ICONS
from porta_nigra_env.games.porta_nigra.kernel.compiler import jit
from porta_nigra_env.games.porta_nigra.kernel.market import NUM_COLOURS
from porta_nigra_env.games.porta_nigra.kernel.turn import NUM_BUILDINGS, split_total
from porta_nigra_env.games.porta_nigra.state import LARGEST_AMOUNT, observation_spans, privileged_spans

_SPANS = observation_spans(0)
_HIDDEN = privileged_spans(0)

# First places of the parts; those of honour cards and of the hidden parts move with the number of kinds.
NUM_PLAYERS_AT: Final[int] = _SPANS["num_players"].start
SEAT_AT: Final[int] = _SPANS["seat"].start
PHASE_AT: Final[int] = _SPANS["phase"].start
CURRENT_PLAYER_AT: Final[int] = _SPANS["current_player"].start
STARTING_PLAYER_AT: Final[int] = _SPANS["starting_player"].start
AGE_AT: Final[int] = _SPANS["age"].start
ROUND_AT: Final[int] = _SPANS["round"].start
ROUNDS_LEFT_AT: Final[int] = _SPANS["rounds_left"].start
RESERVE_AT: Final[int] = _SPANS["reserve"].start
MARKET_AT: Final[int] = _SPANS["market"].start
SUPPLY_DRAW_AT: Final[int] = _SPANS["supply_draw"].start
BUILDING_DISPLAY_AT: Final[int] = _SPANS["building_display"].start
BUILDING_DRAW_AT: Final[int] = _SPANS["building_draw"].start
SPOT_OWNER_AT: Final[int] = _SPANS["spot_owner"].start
SPOT_HEIGHT_AT: Final[int] = _SPANS["spot_height"].start
CARD_IN_PLAY_AT: Final[int] = _SPANS["card_in_play"].start
ICONS_LEFT_AT: Final[int] = _SPANS["icons_left"].start
MARKERS_LEFT_AT: Final[int] = _SPANS["markers_left"].start
HONOUR_BOUGHT_AT: Final[int] = _SPANS["honour_bought"].start
EARLY_END_AT: Final[int] = _SPANS["early_end"].start
FINAL_TURNS_AT: Final[int] = _SPANS["final_turns"].start
SPLIT_TOTAL_AT: Final[int] = _SPANS["split_total"].start
SPLIT_TENS_AT: Final[int] = _SPANS["split_tens"].start
SPLIT_LEFT_AT: Final[int] = _SPANS["split_left"].start
HAND_AT: Final[int] = _SPANS["hand"].start
SESTERCES_AT: Final[int] = _SPANS["sesterces"].start
TORCHES_AT: Final[int] = _SPANS["torches"].start
INFLUENCE_AT: Final[int] = _SPANS["influence"].start
VP_AT: Final[int] = _SPANS["vp"].start
ROMANS_AT: Final[int] = _SPANS["romans"].start
ROMANS_RESERVE_AT: Final[int] = _SPANS["romans_reserve"].start
BRICKS_AT: Final[int] = _SPANS["bricks"].start
QUARTER_AT: Final[int] = _SPANS["quarter"].start
BUILT_AT: Final[int] = _SPANS["built"].start
BUILDINGS_OWNED_AT: Final[int] = _SPANS["buildings_owned"].start
FINALS_OWNED_AT: Final[int] = _SPANS["finals_owned"].start
NUM_HAND_AT: Final[int] = _SPANS["num_hand"].start
NUM_ACTION_DRAW_AT: Final[int] = _SPANS["num_action_draw"].start
PLAYED_AT: Final[int] = _SPANS["played"].start
HONOUR_AT: Final[int] = _SPANS["honour_display"].start
# Hidden parts, counted from the end of the observation.
HANDS_PAST: Final[int] = _HIDDEN["hands"].start - _SPANS.size
ACTION_DRAW_PAST: Final[int] = _HIDDEN["action_draw"].start - _SPANS.size
SUPPLY_ORDER_PAST: Final[int] = _HIDDEN["supply_order"].start - _SPANS.size
BUILDING_ORDER_PAST: Final[int] = _HIDDEN["building_order"].start - _SPANS.size
HONOUR_ORDER_PAST: Final[int] = _HIDDEN["honour_order"].start - _SPANS.size

# What one of a quantity counts for: multiplying costs a tenth of dividing, and gives the same float32 for all amounts.
ROUND_UNIT: Final[float] = 1.0 / _SPANS["round"].part.scale
RESERVE_UNIT: Final[float] = 1.0 / _SPANS["reserve"].part.scale
MARKET_UNIT: Final[float] = 1.0 / _SPANS["market"].part.scale
SPOT_HEIGHT_UNIT: Final[float] = 1.0 / _SPANS["spot_height"].part.scale
ICONS_UNIT: Final[float] = 1.0 / _SPANS["icons_left"].part.scale
MARKERS_UNIT: Final[float] = 1.0 / _SPANS["markers_left"].part.scale
SPLIT_TOTAL_UNIT: Final[float] = 1.0 / _SPANS["split_total"].part.scale
SPLIT_TENS_UNIT: Final[float] = 1.0 / _SPANS["split_tens"].part.scale
SESTERCES_UNIT: Final[float] = 1.0 / _SPANS["sesterces"].part.scale
TORCHES_UNIT: Final[float] = 1.0 / _SPANS["torches"].part.scale
INFLUENCE_UNIT: Final[float] = 1.0 / _SPANS["influence"].part.scale
VP_UNIT: Final[float] = 1.0 / _SPANS["vp"].part.scale
ROMANS_UNIT: Final[float] = 1.0 / _SPANS["romans"].part.scale
BRICKS_UNIT: Final[float] = 1.0 / _SPANS["bricks"].part.scale
BUILT_UNIT: Final[float] = 1.0 / _SPANS["built"].part.scale
BUILDINGS_OWNED_UNIT: Final[float] = 1.0 / _SPANS["buildings_owned"].part.scale
FINALS_OWNED_UNIT: Final[float] = 1.0 / _SPANS["finals_owned"].part.scale
CARDS_UNIT: Final[float] = 1.0 / _SPANS["num_hand"].part.scale
HONOUR_UNIT: Final[float] = 1.0 / _SPANS["honour_display"].part.scale


@jit
def amount(value: int) -> int:
    """An amount within the documented bound."""
    return min(int(value), LARGEST_AMOUNT)


@jit
def seen_at(seat: int, player: int, players: int) -> int:
    """How far a seat lies from the observer in turn order, 0 to players - 1 (a division would cost more)."""
    place = int(seat) - player
    return place + players if place < 0 else place


@jit
def observe_table(t: Any, s: Any, player: int, out: Any) -> None:
    """Everything that belongs to no single player."""
    players = int(s["num_players"])
    out[NUM_PLAYERS_AT + players - 2] = 1.0
    out[SEAT_AT + player] = 1.0
    out[PHASE_AT + int(s["phase"])] = 1.0
    if s["current_player"] >= 0:
        out[CURRENT_PLAYER_AT + seen_at(s["current_player"], player, players)] = 1.0
    out[STARTING_PLAYER_AT + seen_at(s["starting_player"], player, players)] = 1.0
    for place in range(players):
        seat = seen_at(s["youngest_first"][place], player, players)
        out[AGE_AT + seat] = (MAX_PLAYERS - place) / MAX_PLAYERS
    out[ROUND_AT] = int(s["round"]) * ROUND_UNIT
    out[ROUNDS_LEFT_AT] = (int(t["rounds"][players]) - int(s["round"])) * ROUND_UNIT
    out[RESERVE_AT] = int(s["reserve"]) * RESERVE_UNIT
    for colour in range(NUM_COLOURS):
        out[MARKET_AT + colour] = int(s["market"][colour]) * MARKET_UNIT
    for place in range(NUM_SUPPLY_CARDS - int(s["num_supply_draw"]), NUM_SUPPLY_CARDS):
        out[SUPPLY_DRAW_AT + int(s["supply_cards"][place])] = 1.0
    for place in range(int(s["num_building_display"])):
        out[BUILDING_DISPLAY_AT + int(s["building_cards"][place])] = 1.0
    for place in range(NUM_BUILDING_CARDS - int(s["num_building_draw"]), NUM_BUILDING_CARDS):
        out[BUILDING_DRAW_AT + int(s["building_cards"][place])] = 1.0
    for spot in range(NUM_SPOTS):
        # Without a branch that no processor could predict: an empty spot (owner -1) gets a zero somewhere.
        owner = int(s["spot_owner"][spot])
        out[SPOT_OWNER_AT + MAX_PLAYERS * spot + seen_at(owner, player, players)] = 1.0 if owner >= 0 else 0.0
    for place in range(PORTA_NIGRA_SPOTS):
        out[SPOT_HEIGHT_AT + place] = int(s["spot_height"][FIXED_SPOTS + place]) * SPOT_HEIGHT_UNIT
    kinds = int(t["num_honours"])
    for place in range(int(s["num_honour_display"])):
        out[HONOUR_AT + int(s["honour_cards"][place])] += HONOUR_UNIT
    for place in range(NUM_HONOUR_CARDS - int(s["num_honour_draw"]), NUM_HONOUR_CARDS):
        out[HONOUR_AT + kinds + int(s["honour_cards"][place])] += HONOUR_UNIT


@jit
def observe_decision(t: Any, s: Any, player: int, out: Any) -> None:
    """The turn, the early end and the interim scoring as they stand."""
    players = int(s["num_players"])
    if s["card_in_play"] >= 0:
        out[CARD_IN_PLAY_AT + int(s["card_in_play"])] = 1.0
        for icon in range(NUM_ICONS):
            out[ICONS_LEFT_AT + icon] = int(s["icons_left"][icon]) * ICONS_UNIT
        out[MARKERS_LEFT_AT] = int(s["markers_left"]) * MARKERS_UNIT
        out[HONOUR_BOUGHT_AT] = int(s["honour_bought"])
    if s["early_player"] >= 0:
        out[EARLY_END_AT + seen_at(s["early_player"], player, players)] = 1.0
        for place in range(int(s["num_final_turns"])):
            seat = seen_at(s["final_turns"][place], player, players)
            out[FINAL_TURNS_AT + seat] = (MAX_PLAYERS - place) / MAX_PLAYERS
    if s["phase"] == SPLIT_TENS or s["phase"] == SPLIT_UNITS:
        current = int(s["current_player"])
        out[SPLIT_TOTAL_AT] = split_total(t, s, current) * SPLIT_TOTAL_UNIT
        out[SPLIT_TENS_AT] = (int(s["split_tens"]) + 1) * SPLIT_TENS_UNIT
        seat = (current + 1) % players
        while seat != s["starting_player"]:
            out[SPLIT_LEFT_AT + (seat - player) % players] = 1.0
            seat = (seat + 1) % players


@jit
def observe_player(s: Any, seat: int, place: int, out: Any) -> None:
    """What everybody knows of the player on `seat`, entered at `place` (0 is the observer)."""
    out[SESTERCES_AT + place] = amount(s["sesterces"][seat]) * SESTERCES_UNIT
    out[TORCHES_AT + place] = amount(s["torches"][seat]) * TORCHES_UNIT
    out[INFLUENCE_AT + place] = amount(s["influence"][seat]) * INFLUENCE_UNIT
    out[VP_AT + place] = amount(s["vp"][seat]) * VP_UNIT
    out[ROMANS_AT + place] = int(s["romans"][seat]) * ROMANS_UNIT
    out[ROMANS_RESERVE_AT + place] = int(s["romans_reserve"][seat]) * ROMANS_UNIT
    for colour in range(NUM_COLOURS):
        out[BRICKS_AT + NUM_COLOURS * place + colour] = int(s["bricks"][seat, colour]) * BRICKS_UNIT
    if s["quarter"][seat] >= 0:
        out[QUARTER_AT + NUM_BUILDINGS * place + int(s["quarter"][seat])] = 1.0
    for building in range(NUM_BUILDINGS):
        i = NUM_BUILDINGS * place + building
        out[BUILT_AT + i] = int(s["built"][seat, building]) * BUILT_UNIT
        out[BUILDINGS_OWNED_AT + i] = int(s["buildings_owned"][seat, building]) * BUILDINGS_OWNED_UNIT
    for final in range(MAX_FINAL_VALUES):
        i = MAX_FINAL_VALUES * place + final
        out[FINALS_OWNED_AT + i] = int(s["finals_owned"][seat, final]) * FINALS_OWNED_UNIT
    out[NUM_HAND_AT + place] = int(s["num_hand"][seat]) * CARDS_UNIT
    out[NUM_ACTION_DRAW_AT + place] = int(s["num_action_draw"][seat]) * CARDS_UNIT
    for i in range(int(s["num_action_discard"][seat])):
        out[PLAYED_AT + NUM_ACTION_CARDS * place + int(s["action_cards"][seat, i])] = 1.0


@jit
def observe_record(t: Any, s: Any, player: int, out: Any) -> None:
    """All that `player` may know; players stand self first, then by turn order.  out: float32 (observation_size,)."""
    for i in range(out.shape[0]):
        out[i] = 0.0
    observe_table(t, s, player, out)
    observe_decision(t, s, player, out)
    hand = int(s["hand"][player])
    for card in range(NUM_ACTION_CARDS):
        out[HAND_AT + card] = (hand >> card) & 1
    players = int(s["num_players"])
    for place in range(players):
        observe_player(s, (player + place) % players, place, out)


@jit
def privileged_record(t: Any, s: Any, out: Any) -> None:
    """The observation of seat 0, then all hands and the order of all draw piles.  out: float32 (state_size,)."""
    observe_record(t, s, 0, out)
    first = HONOUR_AT + 2 * int(t["num_honours"])
    for seat in range(int(s["num_players"])):
        for card in range(NUM_ACTION_CARDS):
            out[first + HANDS_PAST + NUM_ACTION_CARDS * seat + card] = (int(s["hand"][seat]) >> card) & 1
        left = int(s["num_action_draw"][seat])
        for i in range(left):
            card = int(s["action_cards"][seat, NUM_ACTION_CARDS - left + i])
            out[first + ACTION_DRAW_PAST + NUM_ACTION_CARDS * seat + card] = (i + 1) / NUM_ACTION_CARDS
    left = int(s["num_supply_draw"])
    for i in range(left):
        card = int(s["supply_cards"][NUM_SUPPLY_CARDS - left + i])
        out[first + SUPPLY_ORDER_PAST + card] = (i + 1) / NUM_SUPPLY_CARDS
    left = int(s["num_building_draw"])
    for i in range(left):
        card = int(s["building_cards"][NUM_BUILDING_CARDS - left + i])
        out[first + BUILDING_ORDER_PAST + card] = (i + 1) / NUM_BUILDING_CARDS
    left = int(s["num_honour_draw"])
    for i in range(left):
        kind = int(s["honour_cards"][NUM_HONOUR_CARDS - left + i])
        out[first + HONOUR_ORDER_PAST + i] = (kind + 1) / NUM_HONOUR_CARDS
