"""Write a state record as a position dict."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import rng_text
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


def _spots(state: np.void) -> dict[str, dict[str, list[dict[str, int] | None]]]:
    owners, heights = state["spot_owner"].tolist(), state["spot_height"].tolist()
    spots: dict[str, dict[str, list[dict[str, int] | None]]] = {}
    first = 0
    for building, row, size in ROWS:
        spots.setdefault(building, {})[row] = [
            {"owner": owners[spot], "height": heights[spot]} if owners[spot] >= 0 else None
            for spot in range(first, first + size)
        ]
        first += size
    return spots


def _player(components: Components, state: np.void, seat: int, view: int | None) -> Position:
    names = components.card_names
    cards = state["action_cards"][seat].tolist()
    left = int(state["num_action_draw"][seat])
    bits = int(state["hand"][seat])
    hand: Any = [names[card] for card in range(NUM_ACTION_CARDS) if (bits >> card) & 1]
    if view is not None and view != seat:
        hand = {"count": int(state["num_hand"][seat])}
    draw: Any = {"count": left}
    if view is None:
        draw = [names[card] for card in cards[NUM_ACTION_CARDS - left :]]
    quarter = int(state["quarter"][seat])
    finals = zip(components.final_values, state["finals_owned"][seat].tolist(), strict=False)
    return {
        "sesterces": int(state["sesterces"][seat]),
        "torches": int(state["torches"][seat]),
        "influence": int(state["influence"][seat]),
        "romans": int(state["romans"][seat]),
        "romans_reserve": int(state["romans_reserve"][seat]),
        "vp": int(state["vp"][seat]),
        "bricks": dict(zip(COLOURS, state["bricks"][seat].tolist(), strict=True)),
        "quarter": None if quarter < 0 else BUILDINGS[quarter],
        "hand": hand,
        "draw": draw,
        "discard": [names[card] for card in cards[: int(state["num_action_discard"][seat])]],
        "building_cards": dict(zip(BUILDINGS, state["buildings_owned"][seat].tolist(), strict=True)),
        "final_cards": [value for value, count in finals for _ in range(count)],
    }


def _turn(components: Components, state: np.void) -> Position | None:
    card = int(state["card_in_play"])
    if card < 0:
        return None
    return {
        "card": components.card_names[card],
        "icons_left": [
            icon for icon, count in zip(ICONS, state["icons_left"].tolist(), strict=True) for _ in range(count)
        ],
        "markers_left": int(state["markers_left"]),
        "honour_bought": bool(state["honour_bought"]),
    }


def _split(components: Components, state: np.void) -> Position | None:
    if int(state["phase"]) not in (SPLIT_TENS, SPLIT_UNITS):
        return None
    players, seat = int(state["num_players"]), int(state["current_player"])
    multiplier = int(components.constants["interim_multiplier"][0][players])
    order = [(int(state["starting_player"]) + i) % players for i in range(players)]
    tens = int(state["split_tens"])
    return {
        "total": int(state["built"][seat].sum(dtype=np.int64)) * multiplier,
        "tens": None if tens < 0 else tens,
        "players_left": order[order.index(seat) + 1 :],
    }


def to_dict(components: Components, states: States, row: int = 0, view: int | None = None) -> Position:
    """Return the position of ``states[row]`` as a dict of the format porta_nigra/1.

    With `view`, piles and hands hidden from that seat are ``{"count": k}``; the random state is ``{"count": 0}``.  Only
    counts are read of hidden piles, so a redacted state gives the same dict.
    """
    state = states[row]
    players = int(state["num_players"])
    supply = state["supply_cards"].tolist()
    buildings = [building_card(card) if card >= 0 else [] for card in state["building_cards"].tolist()]
    honours = [components.honour_names[kind] if kind >= 0 else "" for kind in state["honour_cards"].tolist()]
    supply_used = len(supply) - int(state["num_supply_draw"])
    building_draw = len(buildings) - int(state["num_building_draw"])
    honour_draw = len(honours) - int(state["num_honour_draw"])
    current, early = int(state["current_player"]), int(state["early_player"])
    position: Position = {
        "format": FORMAT,
        "components": components.name,
        "num_players": players,
        "phase": PHASES[int(state["phase"])],
        "current_player": None if current < 0 else current,
        "round": int(state["round"]),
        "starting_player": int(state["starting_player"]),
        "youngest_first": state["youngest_first"][:players].tolist(),
        "reserve": int(state["reserve"]),
        "market": dict(zip(COLOURS, state["market"].tolist(), strict=True)),
        "supply_cards": {"draw": _hidden(supply[supply_used:], view), "discard": supply[:supply_used]},
        "building_cards": {
            "display": buildings[: int(state["num_building_display"])],
            "draw": _hidden(buildings[building_draw:], view),
        },
        "honour_cards": {
            "display": honours[: int(state["num_honour_display"])],
            "draw": _hidden(honours[honour_draw:], view),
        },
        "spots": _spots(state),
        "players": [_player(components, state, seat, view) for seat in range(players)],
        "turn": _turn(components, state),
        "early_end": None
        if early < 0
        else {"player": early, "final_turns_left": state["final_turns"][: int(state["num_final_turns"])].tolist()},
        "split": _split(components, state),
        "rng": rng_text(state["key"], state["counters"]) if view is None else {"count": 0},
    }
    if not components.packaged:
        position["components_digest"] = components.digest
    return position
