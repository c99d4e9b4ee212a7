"""Colours are treated alike, and large amounts are observed as their bound."""

from __future__ import annotations

import random

from porta_nigra_env.games.porta_nigra.game import State


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
