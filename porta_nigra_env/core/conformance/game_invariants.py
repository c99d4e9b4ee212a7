"""Invariants of a game object."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.conformance.readings import Finding
from porta_nigra_env.core.game.game import Game


def state_is_a_flat_record(game: Game) -> Finding:
    """A state has the signed fields num_players, current_player and key, and holds no references."""
    fields: Mapping[str, Any] = game.dtype.fields or {}
    for name in ("num_players", "current_player", "key"):
        if name not in fields or fields[name][0].base.kind != "i":
            return f"no signed field {name!r}"
    return "a field holds references" if game.dtype.hasobject else None


def action_strings_match_ids(game: Game) -> Finding:
    """Action strings and action ids match one to one, and any other string is refused."""
    texts = game.action_texts
    if len(texts) != game.actions.size:
        return f"{len(texts)} action strings for {game.actions.size} ids"
    for i, text in enumerate(texts):
        if game.action_id(text) != i:
            return f"{text!r} is the action string of id {i}, but read as {game.action_id(text)}"
    for text in ("", " ", f"{texts[0]} ", texts[-1].upper() + "?", "no such action"):
        try:
            game.action_id(text)
        except ValueError:
            continue
        return f"{text!r} is read as an action"
    return None


def words_hold_all_actions(game: Game) -> Finding:
    """The legality bit set has a bit for every action id."""
    bits = 64 * game.num_words
    return None if bits >= game.actions.size else f"{bits} bits for {game.actions.size} ids"


def bounds_are_positive_and_finite(game: Game) -> Finding:
    """Every entry of an observation and of the privileged vector has a finite upper bound above 0."""
    for layout in (game.observations, game.privileged):
        high = layout.high()
        wrong = np.flatnonzero(~(np.isfinite(high) & (high > 0)))
        if len(wrong):
            return f"{layout.find(int(wrong[0]))[0].name} has the bound {high[wrong[0]]}"
    return None


def game_copies_are_equal(game: Game) -> Finding:
    """A copied or pickled game equals the original and has the same constants."""
    for way, twin in (("copy", copy.deepcopy(game)), ("pickle", pickle.loads(pickle.dumps(game)))):
        if twin != game or hash(twin) != hash(game):
            return f"{way}: not equal"
        if twin.constants.tobytes() != game.constants.tobytes() or twin.num_players != game.num_players:
            return f"{way}: other constants or seats"
    return None


def seats_ascend(game: Game) -> Finding:
    """The allowed numbers of players ascend from 2 or more, and `num_players` is one of them."""
    seats = game.seats
    if not seats or seats[0] < 2 or list(seats) != sorted(set(seats)):
        return f"seats are {seats}"
    return None if game.num_players in seats else f"{game.num_players} players, seats are {seats}"


def secret_choices_are_fields(game: Game) -> Finding:
    """Every entry of `secret_choices` is the name of an action field."""
    unknown = set(game.secret_choices) - {field.name for field in game.actions}
    return f"no field is called {', '.join(sorted(unknown))}" if unknown else None


GAME_INVARIANTS: Final[tuple[Callable[[Game], Finding], ...]] = (
    state_is_a_flat_record,
    seats_ascend,
    action_strings_match_ids,
    words_hold_all_actions,
    bounds_are_positive_and_finite,
    game_copies_are_equal,
    secret_choices_are_fields,
)
