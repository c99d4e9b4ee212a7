"""The seed alone decides the deal."""

from __future__ import annotations

from porta_nigra_env.games.gloria_mundi.game import State


def test_games_of_one_seed_have_the_same_deck() -> None:
    """Duplicate deals: the deck belongs to the seed alone."""
    decks = [State.new(num_players=players, seed=9).to_dict()["deck"] for players in State.game_class.seats]
    assert all(deck == decks[0] for deck in decks)
