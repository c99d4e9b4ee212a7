"""Differences between two positions."""

from __future__ import annotations

import copy

from tests.lockstep.differences import differences

POSITION = {"round": 5, "players": [{"gold": 3}, {"gold": 0}], "exchange": None, "rng": "a"}


def test_differences_name_paths_and_types() -> None:
    right = copy.deepcopy(POSITION)
    right["players"][1]["gold"] = 4  # type: ignore[index]
    right["round"] = 5.0
    right["more"] = 1
    del right["exchange"]
    assert differences(POSITION, right) == [
        "round: 5 != 5.0",
        "players[1].gold: 0 != 4",
        "exchange: missing in the second",
        "more: missing in the first",
    ]


def test_lists_of_other_lengths_and_unruled_keys() -> None:
    assert differences(POSITION, POSITION | {"rng": "b", "components_digest": "c"}) == []
    assert differences({"deck": [1, 2]}, {"deck": [1]}) == ["deck: [1, 2] != [1]"]
    assert differences({"player": {"rng": 1}}, {"player": {"rng": 2}}) == ["player.rng: 1 != 2"]


def test_lists_without_an_order() -> None:
    left, right = {"player": {"hand": [1, 2, 2], "deck": [1, 2]}}, {"player": {"hand": [2, 1, 2], "deck": [2, 1]}}
    assert differences(left, right, {"hand"}) == ["player.deck[0]: 1 != 2", "player.deck[1]: 2 != 1"]
    assert differences({"hand": [1, 2, 2]}, {"hand": [1, 1, 2]}, {"hand"}) == ["hand: [1, 2, 2] != [1, 1, 2]"]
