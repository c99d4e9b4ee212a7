"""The referee refuses illegal actions and impossible setups, and leaves its input unchanged."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from tests.games.gloria_mundi.notation.phases import example
from tests.games.gloria_mundi.oracle.referee import RefereeError
from tests.games.gloria_mundi.oracle.referees import deal
from tests.games.gloria_mundi.rules.positions import REFEREES
from tests.games.positions import change

REFEREE = REFEREES["standard"]


def test_apply_leaves_its_input_alone_and_drops_the_random_state() -> None:
    position = example() | {"rng": "opaque", "components_digest": "abc"}
    before = copy.deepcopy(position)
    after = REFEREE.apply(position, "use foedus")
    assert position == before
    assert not {"rng", "components_digest"} & set(after)
    assert (after["phase"], after["players"][1]["stones"]["peace"]) == ("lose", 6)


def test_a_setup_is_checked() -> None:
    """G1, G2, G3."""
    start = deal(REFEREE, 4, random.Random(1))
    REFEREE.check_start(start | {"rng": "opaque"})
    changes: list[dict[str, Any]] = [
        {"turn": 2},
        {"goth": 1},
        {"players.1.stones.gold": 2},
        {"players.0.hand.farm": 7},
        {"deck.0": start["deck"][1]},
        {"forum.5": None, "forum.4": start["forum"]["5"]},
        {"current_player": (start["current_player"] + 1) % 4},
        {"surprise": 0},
    ]
    for wrong in changes:
        with pytest.raises(RefereeError):
            REFEREE.check_start(change(copy.deepcopy(start), wrong))
