"""Checks of arguments that need nothing but the list of games."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

from porta_nigra_env.games import game_entry


def check_players(game: str, players: Collection[int]) -> tuple[int, ...]:
    """Numbers of players of a game, by default the fewest; ValueError names the argument that is wrong."""
    try:
        seats = game_entry(game).seats
    except ValueError as error:
        raise ValueError(f"--game: {error}") from None
    if not set(players) <= set(seats):
        known = ", ".join(map(str, seats))
        raise ValueError(f"--players must be out of {known}, not {', '.join(map(str, players))}")
    return tuple(players) or seats[:1]


def check_positive(arguments: Any, names: Collection[str]) -> None:
    """ValueError that names the first argument that is not a number above zero."""
    for name in names:
        if not 0 < getattr(arguments, name) < math.inf:
            raise ValueError(f"--{name.replace('_', '-')} must be positive, not {getattr(arguments, name)}")


def check_default(arguments: Any, default: Any, names: Collection[str], why: str) -> None:
    """ValueError that names the first argument that is not the default, where it would have no effect."""
    for name in names:
        if getattr(arguments, name) != getattr(default, name):
            raise ValueError(f"--{name.replace('_', '-')}: {why}")


def check_least(arguments: Any, least: Mapping[str, float]) -> None:
    """ValueError that names the first argument below its lower bound, or without an end."""
    for name, low in least.items():
        if not low <= getattr(arguments, name) < math.inf:
            raise ValueError(f"--{name.replace('_', '-')} must be at least {low}, not {getattr(arguments, name)}")
