"""Write a state record as a position dict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import Record, plain_record, rng_text
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    ICONS,
    NUM_ACTION_CARDS,
    PHASES,
    ROWS,
    SPLIT_TENS,
    SPLIT_UNITS,
)

FORMAT: Final = "porta_nigra/1"
States = npt.NDArray[np.void]
Position = dict[str, Any]


def building_card(card: int) -> list[str]:
    """Return a building card as [building, colour]."""
    return [BUILDINGS[card // len(COLOURS)], COLOURS[card % len(COLOURS)]]


def _hidden(cards: list[Any], view: int | None) -> Any:
    return cards if view is None else {"count": len(cards)}


def _displayed(state: Record, kind: str, face: Callable[[int], Any], view: int | None) -> Position:
    """Return the display and the draw pile of the "building" or "honour" cards."""
    cards, left = state[f"{kind}_cards"], state[f"num_{kind}_draw"]
    display = [face(card) for card in cards[: state[f"num_{kind}_display"]]]
    return {"display": display, "draw": _hidden([face(card) for card in cards[len(cards) - left :]], view)}


def _spots(state: Record) -> dict[str, dict[str, list[dict[str, int] | None]]]:
    owners, heights = state["spot_owner"], state["spot_height"]
    spots: dict[str, dict[str, list[dict[str, int] | None]]] = {}
    first = 0
    for building, row, size in ROWS:
        spots.setdefault(building, {})[row] = [
            {"owner": owners[spot], "height": heights[spot]} if owners[spot] >= 0 else None
            for spot in range(first, first + size)
        ]
        first += size
    return spots


def _player(components: Components, state: Record, seat: int, view: int | None) -> Position:
    names = components.card_names
    cards = state["action_cards"][seat]
    left = state["num_action_draw"][seat]
    bits = state["hand"][seat]
    hand: Any = [names[card] for card in range(NUM_ACTION_CARDS) if (bits >> card) & 1]
    if view is not None and view != seat:
        hand = {"count": state["num_hand"][seat]}
    draw: Any = {"count": left}
    if view is None:
        draw = [names[card] for card in cards[NUM_ACTION_CARDS - left :]]
    quarter = state["quarter"][seat]
    finals = zip(components.final_values, state["finals_owned"][seat], strict=False)
    return {
        "sesterces": state["sesterces"][seat],
        "torches": state["torches"][seat],
        "influence": state["influence"][seat],
        "romans": state["romans"][seat],
        "romans_reserve": state["romans_reserve"][seat],
        "vp": state["vp"][seat],
        "bricks": dict(zip(COLOURS, state["bricks"][seat], strict=True)),
        "quarter": None if quarter < 0 else BUILDINGS[quarter],
        "hand": hand,
        "draw": draw,
        "discard": [names[card] for card in cards[: state["num_action_discard"][seat]]],
        "building_cards": dict(zip(BUILDINGS, state["buildings_owned"][seat], strict=True)),
        "final_cards": [value for value, count in finals for _ in range(count)],
    }


def _turn(components: Components, state: Record) -> Position | None:
    card = state["card_in_play"]
    if card < 0:
        return None
    return {
        "card": components.card_names[card],
        "icons_left": [icon for icon, count in zip(ICONS, state["icons_left"], strict=True) for _ in range(count)],
        "markers_left": state["markers_left"],
        "honour_bought": bool(state["honour_bought"]),
    }


def _split(components: Components, state: Record) -> Position | None:
    if state["phase"] not in (SPLIT_TENS, SPLIT_UNITS):
        return None
    players, seat = state["num_players"], state["current_player"]
    multiplier = int(components.constants["interim_multiplier"][0][players])
    order = [(state["starting_player"] + i) % players for i in range(players)]
    tens = state["split_tens"]
    return {
        "total": sum(state["built"][seat]) * multiplier,
        "tens": None if tens < 0 else tens,
        "players_left": order[order.index(seat) + 1 :],
    }


def to_dict(components: Components, states: States, row: int = 0, view: int | None = None) -> Position:
    """Return the position of ``states[row]`` as a dict of the format porta_nigra/1.

    With `view`, piles and hands hidden from that seat are ``{"count": k}``; the random state is ``{"count": 0}``.  Only
    counts are read of hidden piles, so a redacted state gives the same dict.
    """
    state = plain_record(states[row])
    players = state["num_players"]
    supply = state["supply_cards"]
    supply_used = len(supply) - state["num_supply_draw"]
    current, early = state["current_player"], state["early_player"]
    position: Position = {
        "format": FORMAT,
        "components": components.name,
        "num_players": players,
        "phase": PHASES[state["phase"]],
        "current_player": None if current < 0 else current,
        "round": state["round"],
        "starting_player": state["starting_player"],
        "youngest_first": state["youngest_first"][:players],
        "reserve": state["reserve"],
        "market": dict(zip(COLOURS, state["market"], strict=True)),
        "supply_cards": {"draw": _hidden(supply[supply_used:], view), "discard": supply[:supply_used]},
        "building_cards": _displayed(state, "building", building_card, view),
        "honour_cards": _displayed(state, "honour", components.honour_names.__getitem__, view),
        "spots": _spots(state),
        "players": [_player(components, state, seat, view) for seat in range(players)],
        "turn": _turn(components, state),
        "early_end": None
        if early < 0
        else {"player": early, "final_turns_left": state["final_turns"][: state["num_final_turns"]]},
        "split": _split(components, state),
        "rng": rng_text(state["key"], state["counters"]) if view is None else {"count": 0},
    }
    if not components.packaged:
        position["components_digest"] = components.digest
    return position
