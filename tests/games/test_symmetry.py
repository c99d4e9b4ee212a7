"""The numbers of seats do not matter in any game."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games import GAMES, game_entry, state_class
from tests.lockstep.trial import trial_class

#: Keys of a position with a seat, a list of seats in some order, a set of seats in ascending order, values by seat, and
#: seats by name.
SEAT: Final = frozenset({
    "current_player", "active_player", "starting_player", "owner", "player", "first", "second", "auctioneer", "bidder",
})  # fmt: skip
ORDER: Final = frozenset({"youngest_first", "advantage", "final_turns_left", "players_left"})
MEMBERS: Final = frozenset({"passed", "out"})
BY_SEAT: Final = frozenset({"strength", "arena", "stadium"})
SEATS_BY_NAME: Final = frozenset({"spaces", "buildings", "won"})
#: Kinds of games that `Trial.start` knows.
KINDS: Final = 8


def relabelled(value: Any, turn: int, players: int, key: str = "") -> Any:
    """Return a position with every seat moved by `turn`; the clockwise order stays."""

    def moved(seat: int) -> int:
        return (int(seat) + turn) % players

    if type(value) is int and key in SEAT:
        return moved(value)
    if isinstance(value, list) and key in ORDER | MEMBERS:
        seats = [moved(seat) for seat in value]
        return sorted(seats) if key in MEMBERS else seats
    if isinstance(value, list):
        items = [relabelled(item, turn, players) for item in value]
        return [items[(seat - turn) % players] for seat in range(players)] if key == "players" else items
    if not isinstance(value, dict):
        return value
    if key in BY_SEAT and all(name.isdecimal() for name in value):
        return {str(moved(int(seat))): item for seat, item in value.items()}
    if key in SEATS_BY_NAME and all(type(item) is int for item in value.values()):
        return {name: moved(seat) for name, seat in value.items()}
    return {name: relabelled(item, turn, players, name) for name, item in value.items()}


def relabelled_action(action: str, turn: int, players: int) -> str:
    word, _, seat = action.partition(" ")
    return f"appoint {(int(seat) + turn) % players}" if word == "appoint" else action


def chance_of(position: dict[str, Any]) -> Any:
    """Return the results of chance that depend on seats: dice and new hands."""
    return position.get("dice"), [player.get("draw") for player in position["players"]]


@pytest.mark.parametrize(("game", "players"), [(game, players) for game in GAMES for players in game_entry(game).seats])
def test_seats_are_only_names(game: str, players: int) -> None:
    trial, states, compared = trial_class(game)(), state_class(game), 0
    # Odd and even numbers of players share the kinds; interpreted, there is one of them.
    for number in range(players % 2, KINDS if COMPILED else 2, 2):
        state, policy = trial.start(number, players)
        if state.components != state.game.__class__(players).components:
            continue  # another component file of the game
        rng, turn = random.Random(number), 1 + number % (players - 1)
        names = [field.slice for field in state.game.observations if field.name == "seat"]
        while not state.is_over:
            before = state.to_dict()
            twin = states.from_dict(relabelled(before, turn, players))
            actions = [relabelled_action(action, turn, players) for action in state.legal_actions()]
            assert twin.legal_actions() == sorted(actions)
            scores = trial.scores(twin)
            assert trial.scores(state) == [scores[(seat + turn) % players] for seat in range(players)]
            for seat in range(players):
                seen, twin_seen = state.observation(seat), twin.observation((seat + turn) % players)
                for name in names:  # the one field that names a seat
                    seen[name] = twin_seen[name] = 0
                assert seen.tobytes() == twin_seen.tobytes()
            action = trial.policies[policy](state.legal_actions(), rng)
            after = state.apply(action).to_dict()
            if not action.startswith("appoint") and chance_of(after)[0] == chance_of(before)[0]:
                compared += 1
                twin.apply(action)
                assert twin.to_dict() | {"rng": ""} == relabelled(after, turn, players) | {"rng": ""}
    assert compared > 60
