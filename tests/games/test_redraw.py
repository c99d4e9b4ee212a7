"""Redrawn chance: hands and seen cards stay, every next card is equally likely, and steps deal the new order."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

import numpy as np
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES, game_entry, make_game, state_class
from porta_nigra_env.games.aquileia.components.names import STADIUM_PRIZE

SAMPLES: Final = 1200


class Pile(NamedTuple):
    """A draw pile: the field of its cards, next card first at ``size - number``, and the field of their number."""

    cards: str
    number: str


PILES: Final = {
    "porta_nigra": [
        Pile("supply_cards", "num_supply_draw"), Pile("building_cards", "num_building_draw"),
        Pile("honour_cards", "num_honour_draw"),
    ],
    "aquileia": [
        Pile("slave_cards", "num_slave_draw"), Pile("equi_cards", "num_equi_draw"),
        Pile("stadium_cards", "num_stadium_draw"), Pile("theatre_cards", "num_theatre_draw"),
    ],
    "gloria_mundi": [Pile("deck", "num_deck")],
}  # fmt: skip


def played(name: str, players: int, seed: int, steps: int) -> State:
    """Return a position after some random steps."""
    state, rng = state_class(name).new(players, seed), np.random.default_rng(seed)
    for _ in range(steps):
        if not state.is_over:
            state.apply_id(int(rng.choice(state.legal_ids())))
    return state


def fits(cards: list[int], counts: Counter[int]) -> bool:
    """Return whether drawn cards fit a uniform draw from the cards of a pile, at 1 in 10,000."""
    pile = Counter(cards)
    seen, expected = [counts[card] for card in pile], [SAMPLES * number / len(cards) for number in pile.values()]
    return bool(counts.keys() <= pile.keys() and (len(pile) == 1 or chisquare(seen, expected).pvalue > 1e-4))


@pytest.mark.parametrize("name", GAMES)
def test_every_card_of_a_pile_is_equally_likely_to_be_next(name: str) -> None:
    state = played(name, 3, 5, 25)
    record = state.states[0]
    twins = [state.redraw(seed).states[0] for seed in range(SAMPLES)]
    for cards, number in PILES[name]:
        size, drawable = len(record[cards]), int(record[number])
        assert drawable > 1, cards
        for place in (size - drawable, size - 1):
            assert fits(
                record[cards][size - drawable :].tolist(), Counter(int(twin[cards][place]) for twin in twins)
            ), cards


def test_draw_piles_of_porta_nigra_players_are_shuffled_and_no_hand_changes() -> None:
    state = played("porta_nigra", 3, 2, 20)
    record = state.states[0]
    twins = [state.redraw(seed).states[0] for seed in range(SAMPLES)]
    for seat in range(3):
        drawable = int(record["num_action_draw"][seat])
        pile = record["action_cards"][seat][-drawable:].tolist()
        assert fits(pile, Counter(int(twin["action_cards"][seat][-drawable]) for twin in twins))
    assert all((twin["hand"] == record["hand"]).all() for twin in twins)


def test_a_stadium_card_of_aquileia_that_its_first_has_seen_stays() -> None:
    """A35: it lies on its pile until the first has chosen; the cards below it are shuffled."""
    found = 0
    for seed in range(200):
        state, rng = state_class("aquileia").new(3, seed), np.random.default_rng(seed)
        while not state.is_over and state.states[0]["phase"] != STADIUM_PRIZE:
            state.apply_id(int(rng.choice(state.legal_ids())))
        drawable = int(state.states[0]["num_stadium_draw"])
        if state.is_over or drawable < 3:
            continue
        piles = [state.redraw(one).states[0]["stadium_cards"][-drawable:].tolist() for one in range(50)]
        assert {pile[0] for pile in piles} == {int(state.states[0]["stadium_cards"][-drawable])}
        assert len({tuple(pile) for pile in piles}) > 1
        found += 1
    assert found >= 3


@pytest.mark.parametrize(("name", "players"), [(name, players) for name in GAMES for players in game_entry(name).seats])
def test_a_redrawn_game_ends_otherwise(name: str, players: int) -> None:
    """The same policy plays another game, for chance alone; the state itself is not changed."""
    state = played(name, players, 3, 6)
    before = state.to_bytes()
    ends: set[Any] = {state.redraw(seed).rollout(seed=1).to_bytes() for seed in range(8)}
    assert len(ends) > 1
    assert state.to_bytes() == before
    assert state.redraw(4) == state.redraw(4) != state.redraw(5)
    with pytest.raises(ValueError, match="seed"):
        state.redraw(-1)
    assert make_game(name, players).kernel.redraw is state.game.kernel.redraw
