"""Hidden is the order of the deck and nothing else: views, observations and determinizations show it (G43, G44)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State
from tests.games.determinizations import determinized, played
from tests.games.gloria_mundi.policies import eager_policy

States = npt.NDArray[np.void]
SEATS = (2, 4, 6)


def positions(players: int, every: int) -> Iterator[tuple[GloriaMundi, States]]:
    """Yield positions of an eager game, one in `every` steps, and its end."""
    rng = random.Random(players)
    return played(State.new(players, seed=players), lambda legal: eager_policy(legal, rng), every)


@pytest.mark.parametrize("players", SEATS)
def test_one_determinization_serves_all_seats_G43(players: int) -> None:
    """G43, G44: stocks and hands are public, so redaction and redrawing do not depend on the observer."""
    for game, states in positions(players, 53):
        redacted, redrawn = set(), set()
        for player in range(players):
            twin = states.copy()
            game.kernel.redact(game.constants, twin, 0, player)
            redacted.add(twin.tobytes())
            redrawn.add(determinized(game, states, player, 5).tobytes())
        assert len(redacted) == len(redrawn) == 1


def test_every_card_of_the_deck_comes_first_equally_often_G44() -> None:
    state = State.new(num_players=2, seed=3)
    samples = 5_700 if COMPILED else 570
    deck = Counter(state.determinize(0, seed).to_dict()["deck"][0] for seed in range(samples))
    # The card in the forum never; every other one a 56th of the time, within five standard deviations.
    expected = samples / 56
    assert set(deck) == set(state.to_dict()["deck"])
    assert all(abs(count - expected) < 5 * expected**0.5 for count in deck.values())


@pytest.mark.parametrize("players", SEATS)
def test_an_observation_tells_views_apart(players: int) -> None:
    """The observation contains the view: equal observations have equal views from the observer's seat."""
    by_observation: dict[bytes, object] = {}
    for game, states in positions(players, 3 if COMPILED else 29):
        for player in range(players):
            view = View(game, states, 0, player)
            position = view.position()
            # The fire holds the remaining cards; only the sum of the tribute counts, since it is shared together.
            position["tribute"] = [
                sum(province[kind] for province in position["tribute"]) for kind in ("food", "gold", "peace")
            ]
            seats = position.pop("players")
            for key in ("current_player", "active_player"):
                seat = position[key]
                position[key] = None if seat is None else (seat - player) % players
            kept = (position, [seats[(player + place) % players] for place in range(players)])
            assert by_observation.setdefault(view.observation.tobytes(), kept) == kept


def test_games_of_one_seed_have_the_same_deck() -> None:
    """Duplicate deals: the deck belongs to the seed alone."""
    decks = [State.new(num_players=players, seed=9).to_dict()["deck"] for players in State.game_class.seats]
    assert all(deck == decks[0] for deck in decks)
