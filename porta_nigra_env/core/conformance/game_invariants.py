"""Invariants of a game object and of a whole episode."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from porta_nigra_env.core.conformance.moments import (
    EPISODE_INVARIANTS,
    GAME_INVARIANTS,
    Episode,
    Finding,
    differing_fields,
    play_out,
    rounds_of,
)
from porta_nigra_env.core.game.game import Game


@GAME_INVARIANTS.add
def state_is_a_flat_record(game: Game) -> Finding:
    """A state has the signed fields num_players, current_player and key, and holds no references."""
    fields: Mapping[str, Any] = game.dtype.fields or {}
    for name in ("num_players", "current_player", "key"):
        if name not in fields or fields[name][0].base.kind != "i":
            return f"no signed field {name!r}"
    return "a field holds references" if game.dtype.hasobject else None


@GAME_INVARIANTS.add
def seats_ascend(game: Game) -> Finding:
    """The allowed numbers of players ascend from 2 or more, and `num_players` is one of them."""
    seats = game.seats
    if not seats or seats[0] < 2 or list(seats) != sorted(set(seats)):
        return f"seats are {seats}"
    return None if game.num_players in seats else f"{game.num_players} players, seats are {seats}"


@GAME_INVARIANTS.add
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


@GAME_INVARIANTS.add
def words_hold_all_actions(game: Game) -> Finding:
    """The legality bit set has a bit for every action id."""
    bits = 64 * game.num_words
    return None if bits >= game.actions.size else f"{bits} bits for {game.actions.size} ids"


@GAME_INVARIANTS.add
def bounds_are_positive_and_finite(game: Game) -> Finding:
    """Every entry of an observation and of the privileged vector has a finite upper bound above 0."""
    for layout in (game.observations, game.privileged):
        high = layout.high()
        wrong = np.flatnonzero(~(np.isfinite(high) & (high > 0)))
        if len(wrong):
            return f"{layout.find(int(wrong[0]))[0].name} has the bound {high[wrong[0]]}"
    return None


@GAME_INVARIANTS.add
def game_copies_are_equal(game: Game) -> Finding:
    """A copied or pickled game equals the original and has the same constants."""
    for way, twin in (("copy", copy.deepcopy(game)), ("pickle", pickle.loads(pickle.dumps(game)))):
        if twin != game or hash(twin) != hash(game):
            return f"{way}: not equal"
        if twin.constants.tobytes() != game.constants.tobytes() or twin.num_players != game.num_players:
            return f"{way}: other constants or seats"
    return None


@GAME_INVARIANTS.add
def secret_choices_are_fields(game: Game) -> Finding:
    """Every entry of `secret_choices` is the name of an action field."""
    unknown = set(game.secret_choices) - {field.name for field in game.actions}
    return f"no field is called {', '.join(sorted(unknown))}" if unknown else None


@EPISODE_INVARIANTS.add
def game_ends(episode: Episode) -> Finding:
    """Every game comes to an end."""
    return f"not over after {episode.limit} steps" if len(episode.actions) == episode.limit else None


@EPISODE_INVARIANTS.add
def same_seed_same_game(episode: Episode) -> Finding:
    """The same seed and the same actions give the same states, byte for byte."""
    game = episode.game
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.constants, states, 0, episode.seed, game.num_players)
    for ply, record in enumerate(episode.records):
        if states.tobytes() != record:
            return f"other bytes after {ply} steps"
        if ply < len(episode.actions):
            game.kernel.step(game.constants, states, 0, episode.actions[ply])
    return None


@EPISODE_INVARIANTS.add
def reset_overwrites_everything(episode: Episode) -> Finding:
    """A new game does not depend on the previous contents of the record."""
    game = episode.game
    for before in (episode.records[-1], b"\xff" * game.dtype.itemsize, b"\x5a" * game.dtype.itemsize):
        states = np.frombuffer(bytearray(before), dtype=game.dtype)
        game.kernel.reset(game.constants, states, 0, episode.seed, game.num_players)
        if states.tobytes() != episode.records[0]:
            new = np.frombuffer(episode.records[0], dtype=game.dtype)
            return f"depends on the old {differing_fields(game, states, new)}"
    return None


@EPISODE_INVARIANTS.add
def seeds_give_different_games(episode: Episode) -> Finding:
    """Different seeds give different states, over the whole range of seeds."""
    game = episode.game
    states = np.zeros(1, dtype=game.dtype)
    for other in (episode.seed + 1, episode.seed + 2**32, episode.seed + 2**62):
        game.kernel.reset(game.constants, states, 0, other, game.num_players)
        if states.tobytes() == episode.records[0]:
            return f"seed {other} gives the same state"
    return None


@EPISODE_INVARIANTS.add
def playout_is_deterministic_and_limited(episode: Episode) -> Finding:
    """A playout ends, counts its steps, stops at its limit, and is a function of its policy RNG."""
    game = episode.game
    if episode.is_stuck:
        return None  # a playout would take an action that does not exist
    ends = []
    for _ in range(2):
        states = np.frombuffer(bytearray(episode.records[0]), dtype=game.dtype)
        steps = play_out(game, states, episode.limit, (episode.seed & 0xFFFFFFFF, 5, 0))
        if int(states["current_player"][0]) >= 0:
            return f"not over after {steps} steps"
        ends.append((steps, states.tobytes()))
    if ends[0] != ends[1]:
        return "the same policy RNG gave two games"
    states = np.frombuffer(bytearray(episode.records[0]), dtype=game.dtype)
    for number in range(ends[0][0]):
        if play_out(game, states, 1, (episode.seed & 0xFFFFFFFF, 5, number)) != 1:
            return "a limit of one step is ignored"
    return None if states.tobytes() == ends[0][1] else "step by step it is another game"


@EPISODE_INVARIANTS.add
def rounds_never_fall(episode: Episode) -> Finding:
    """Rounds are counted from 0 or 1 and never decrease."""
    before = 0
    for ply, record in enumerate(episode.records):
        now = rounds_of(episode.game, np.frombuffer(bytearray(record), dtype=episode.game.dtype))
        if now < before or (ply == 0 and now > 1):
            return f"round {now} after {ply} steps, round {before} before"
        before = now
    return None
