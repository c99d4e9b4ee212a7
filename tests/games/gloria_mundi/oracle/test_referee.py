"""The referee alone: what it refuses, what it demands of a setup, whole games, and odd positions."""

from __future__ import annotations

import copy
import random
from collections import Counter
from typing import Any

import pytest

from tests.games.gloria_mundi.notation.phases import example, in_phase
from tests.games.gloria_mundi.notation.refusals import LISTS
from tests.games.gloria_mundi.oracle.alone import deal, played
from tests.games.gloria_mundi.oracle.drawn import drawn
from tests.games.gloria_mundi.oracle.events import EVENTS
from tests.games.gloria_mundi.oracle.laws import PHASES, complaints
from tests.games.gloria_mundi.oracle.odd import EDITS, edits_tried
from tests.games.gloria_mundi.oracle.plans import POLICIES, random_edits, random_policy
from tests.games.gloria_mundi.oracle.referee import BASES, STONES, Referee, RefereeError
from tests.games.gloria_mundi.rules.positions import COMPONENTS, REFEREES
from tests.games.positions import change

REFEREE = REFEREES["standard"]
SEATS = range(COMPONENTS["constants"]["players"][0], COMPONENTS["constants"]["players"][1] + 1)
REFUSALS = {f"{group}: {name}": refusal for group, refusals in LISTS.items() for name, refusal in refusals.items()}
#: What is refused by keys of which no referee knows anything.
UNKNOWN = ("components_digest", "rng")


# ------------------------------------------------------------------------------------------------ single questions


def test_the_contracts_example() -> None:
    assert complaints(REFEREE, example()) == []
    assert REFEREE.legal_actions(example()) == ["done", "use foedus"]


def test_apply_leaves_its_input_alone_and_drops_the_random_state() -> None:
    position = example() | {"rng": "opaque", "components_digest": "abc"}
    before = copy.deepcopy(position)
    after = REFEREE.apply(position, "use foedus")
    assert position == before
    assert not {"rng", "components_digest"} & set(after)
    assert (after["phase"], after["players"][1]["stones"]["peace"]) == ("lose", 6)


@pytest.mark.parametrize("phase", [phase for phase in PHASES if phase != "over"])
def test_an_illegal_action_is_refused_in_every_phase(phase: str) -> None:
    with pytest.raises(ValueError, match=f"illegal action 'pass' in phase '{phase}'"):
        REFEREE.apply(in_phase(phase), "pass")


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_is_complained_of(name: str) -> None:
    """The contract's list of refusals, as the engine's own tests have it."""
    phase, changes, field, _ = REFUSALS[name]
    assert complaints(REFEREE, in_phase(phase)) == []
    if field not in UNKNOWN:
        assert complaints(REFEREE, change(in_phase(phase), changes))


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


# ------------------------------------------------------------------------------------------------ whole games


@pytest.mark.parametrize("players", SEATS)
@pytest.mark.parametrize(
    "referee", [REFEREE, *(Referee(drawn(number)) for number in range(3))], ids=["standard", *"012"]
)
def test_games_keep_the_laws(players: int, referee: Referee) -> None:
    """Every position on the way is lawful; base cards are played or lost and never come back."""
    rng = random.Random(players)
    for policy in POLICIES.values():
        start = deal(referee, players, rng)
        referee.check_start(start)
        last = start
        for before, _, after in played(referee, start, policy, rng):
            assert complaints(referee, after) == []
            assert set(referee.notes) <= set(EVENTS)
            for old, new in zip(before["players"], after["players"], strict=True):
                assert all(new["hand"][base] <= old["hand"][base] for base in BASES)
                assert new["steps"] >= old["steps"]
            last = after
        assert last["end"] in ("rome", "hand", "africa", "deck")
        keys = [(player["steps"], sum(player["stones"][stone] for stone in STONES)) for player in last["players"]]
        assert referee.winners(last) == [seat for seat, key in enumerate(keys) if key == max(keys)]


def test_edits_keep_positions_lawful_and_each_does_something() -> None:
    rng, changed = random.Random(5), Counter[str]()
    for players in SEATS:
        for referee in (REFEREE, Referee(drawn(players))):
            for _, _, after in played(referee, deal(referee, players, rng), random_policy, rng):
                for name, old, new in edits_tried(after, referee, random_edits(rng, 4)):
                    changed[name] += old != new
                    assert complaints(referee, new) == []
    assert set(EDITS) == {name for name, count in changed.items() if count}
