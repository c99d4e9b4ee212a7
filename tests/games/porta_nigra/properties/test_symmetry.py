"""Laws of play: the names of seats do not matter, nor which colour is which."""

from __future__ import annotations

import random
from typing import Any

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.porta_nigra.game import State
from tests.games.porta_nigra.oracle.lockstep import POLICIES, Trial

GAMES = 8 if COMPILED else 2  # the kinds of games that `start` knows


def relabelled(position: dict[str, Any], turn: int) -> dict[str, Any]:
    """The position with every seat moved on by `turn`; clockwise order stays."""
    players = position["num_players"]

    def seat(old: int | None) -> int | None:
        return None if old is None else (old + turn) % players

    twin = dict(position)
    for key in ("current_player", "starting_player"):
        twin[key] = seat(position[key])
    twin["youngest_first"] = [seat(old) for old in position["youngest_first"]]
    twin["players"] = [position["players"][(new - turn) % players] for new in range(players)]
    twin["spots"] = {
        building: {
            row: [None if spot is None else {**spot, "owner": seat(spot["owner"])} for spot in spots]
            for row, spots in rows.items()
        }
        for building, rows in position["spots"].items()
    }
    if position["early_end"] is not None:
        left = [seat(old) for old in position["early_end"]["final_turns_left"]]
        twin["early_end"] = {"player": seat(position["early_end"]["player"]), "final_turns_left": left}
    if position["split"] is not None:
        twin["split"] = {**position["split"], "players_left": [seat(old) for old in position["split"]["players_left"]]}
    return twin


def relabelled_action(action: str, turn: int, players: int) -> str:
    verb, _, seat = action.partition(" ")
    return f"appoint {(int(seat) + turn) % players}" if verb == "appoint" else action


def public(position: dict[str, Any]) -> dict[str, Any]:
    """Remove the decks: they belong to seats, and so do their random streams."""
    return {key: value for key, value in position.items() if key != "rng"}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_are_only_names(players: int) -> None:
    trial = Trial()
    for number in range(GAMES):
        state, policy = trial.start(number, players)
        rng = random.Random(number)
        turn = 1 + number % (players - 1)
        while not state.is_over:
            twin = State.from_dict({**relabelled(state.to_dict(), turn), "rng": state.to_dict()["rng"]})
            expected = sorted(relabelled_action(action, turn, players) for action in state.legal_actions())
            assert twin.legal_actions() == expected
            for seat in range(players):
                mine = state.observation(seat)
                theirs = twin.observation((seat + turn) % players)
                names = state.game.observations["seat"].slice
                mine[names] = theirs[names] = 0  # the one part that names a seat
                assert mine.tobytes() == theirs.tobytes()
            assert [state.scores()[seat] for seat in range(players)] == [
                twin.scores()[(seat + turn) % players] for seat in range(players)
            ]
            action = POLICIES[policy](state.legal_actions(), rng)
            state.apply(action)
            if not action.startswith("appoint"):
                twin.apply(action)
                assert public(twin.to_dict()) == public(relabelled(state.to_dict(), turn))


def test_colours_of_the_data_take_the_same_paths() -> None:
    # Black and red change places on all spots while prices stay the same: three black bricks then build the same
    # elements as three red ones did.
    state = State.new(num_players=2, seed=4)
    while state.to_dict()["phase"] != "main" or "build" not in state.to_dict()["turn"]["icons_left"]:
        state.apply(random.Random(len(str(state))).choice(state.legal_actions()))
    position = state.to_dict()
    seat = position["current_player"]
    position["players"][seat]["sesterces"] = 50
    spots = state.components.data["spots"]
    for colour in ("black", "blue", "red", "yellow", "white"):
        changed = {**position, "players": [dict(player) for player in position["players"]]}
        taken = sum(changed["players"][seat]["bricks"].values())
        changed["reserve"] = position["reserve"] + taken - 4
        changed["players"][seat]["bricks"] = {name: 4 * (name == colour) for name in position["market"]}
        builds = {
            text for text in State.from_dict(changed).legal_actions() if text.startswith("build") and "x" not in text
        }
        expected = {
            f"build {building} {row}{number}"
            for building, rows in spots.items()
            if building != "porta_nigra"
            for row, row_spots in rows.items()
            for number, (needed, bricks, _) in enumerate(row_spots, 1)
            if bricks <= 4 and (needed == colour or colour == "white")
            if position["spots"][building][row][number - 1] is None
        }
        assert builds == expected


def test_amounts_beyond_the_bound_are_observed_as_the_bound() -> None:
    state = State.new(num_players=2, seed=1).apply("place basilica")
    state.apply(state.legal_actions()[0])
    position = state.to_dict()
    seat = position["current_player"]
    position["players"][seat]["sesterces"] = 9_999
    rich = State.from_dict(position).apply("coin")
    assert rich.to_dict()["players"][seat]["sesterces"] == 10_000
    high = rich.game.observations.high()
    for player in range(2):
        assert (rich.observation(player) <= high).all()
