"""The setup and the views (G1 to G4, G43, G44), mostly of the engine alone."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from porta_nigra_env.games import state_class
from porta_nigra_env.games.gloria_mundi.components.load import SETS
from tests.games.gloria_mundi.oracle.referees import deal
from tests.games.gloria_mundi.rules.positions import COMPONENTS, REFEREES, Table, other_set

SEATS = range(COMPONENTS["constants"]["players"][0], COMPONENTS["constants"]["players"][1] + 1)
REFEREE = REFEREES["standard"]
THREE_CARDS = other_set("three_cards", {("constants", "forum_start_cards"): 3})


def states() -> Any:
    """Return the `State` of the game."""
    return state_class("gloria_mundi")


@pytest.mark.parametrize("players", SEATS)
def test_setups_shuffle_the_deck_and_the_starting_player_G1(players: int) -> None:
    """G1, G44: the starting player is uniformly random; so is the deck."""
    starts, revealed = Counter[int](), Counter[str]()
    for seed in range(240):
        position = states().new(num_players=players, seed=seed).to_dict()
        REFEREE.check_start(position)
        starts[position["active_player"]] += 1
        revealed[position["forum"]["5"]] += 1
    assert min(starts[seat] for seat in range(players)) > 120 / players
    assert len(revealed) > 45


@pytest.mark.parametrize("players", [1, 7])
def test_other_numbers_of_players_are_refused(players: int) -> None:
    """G1: two to six seats."""
    with pytest.raises(ValueError, match="num_players"):
        states().new(num_players=players, seed=1)


@pytest.mark.parametrize(
    ("players", "hand"), [(2, (11, 8, 8)), (3, (7, 5, 5)), (4, (6, 4, 4)), (5, (5, 3, 3)), (6, (4, 2, 2))]
)
def test_the_opening_base_cards_come_out_of_those_dealt_T1(players: int, hand: tuple[int, int, int]) -> None:
    """T1, G2: 3 players hold 7 farms, 5 cities, 5 peace; all show one of each and have 1 food, gold, peace."""
    for position in (states().new(num_players=players, seed=1).to_dict(), deal(REFEREE, players, random.Random(1))):
        for player in position["players"]:
            assert tuple(player["hand"].values()) == hand
            assert player["bare"] == {"farm": 1, "city": 1, "peace": 1}
            assert player["stones"] == {"food": 1, "gold": 1, "peace": 1, "glory": 0}
            assert (player["steps"], player["buildings"]) == (0, {})
        assert (position["goth"], position["tribute"], position["fire"], position["turn"]) == (0, [], [], 1)


@pytest.mark.parametrize(("components", "lying"), [("standard", 1), (THREE_CARDS, 4)])
def test_the_forum_starts_empty_or_with_cards_of_the_file_G3(components: str, lying: int) -> None:
    """G3: phase 1 of the first turn comes on top."""
    for position in (
        states().new(num_players=2, seed=3, components=SETS.find(components)).to_dict(),
        deal(REFEREES[components], 2, random.Random(1)),
    ):
        assert sum(card is not None for card in position["forum"].values()) == lying
        assert (len(position["deck"]), position["forum"]["0"]) == (57 - lying, None)
        REFEREES[components].check_start(position)


def test_stocks_and_hands_are_public_G43() -> None:
    """G43, G44: of the deck a view has the number of cards, and nothing else is missing."""
    position = Table(3, goth=24).stock(1, 3, 0, 2, 1).display(2, farm=1, vallum="farm").play()
    state = states().from_dict(position)
    for seat in range(3):
        view = state.to_dict(view=seat)
        assert view.pop("rng") is None
        assert view.pop("deck") == {"count": len(position["deck"])}
        assert view == {key: value for key, value in position.items() if key not in ("deck", "rng")}


def test_a_determinization_shuffles_the_deck_and_nothing_else_G44() -> None:
    """G44: it holds the unseen cards; one determinization serves all seats."""
    state = states().from_dict(Table(goth=24).play())
    before = state.to_dict()
    tops: Counter[str] = Counter()
    for seed in range(400):
        redrawn = state.determinize(0, seed).to_dict()
        assert sorted(redrawn["deck"]) == sorted(before["deck"])
        assert {k: v for k, v in redrawn.items() if k not in ("deck", "rng")} == {
            k: v for k, v in before.items() if k not in ("deck", "rng")
        }
        tops[redrawn["deck"][0]] += 1
    assert len(tops) > 0.9 * len(before["deck"])


def test_the_deck_is_all_that_chance_decides_G44() -> None:
    """G44: after the setup the same actions give the same position for every seed."""
    position = states().new(num_players=4, seed=5).to_dict() | {"rng": None}
    left, right = (states().from_dict(position, seed=seed) for seed in (1, 2))
    while not left.is_over:
        action = left.legal_actions()[len(left.legal_actions()) // 2]
        left.apply(action)
        right.apply(action)
        assert left.to_dict() | {"rng": None} == right.to_dict() | {"rng": None}


def test_a_deal_of_the_referee_is_a_setup_of_the_engine_G44() -> None:
    """G1, G44: the first decision after the setup is a position that the engine takes."""
    rng = random.Random(1)
    for players in SEATS:
        position = deal(REFEREE, players, rng)
        assert states().from_dict(position).legal_actions() == ["play city", "play farm", "play peace"]
