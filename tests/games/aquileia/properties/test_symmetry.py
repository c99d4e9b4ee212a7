"""The seed alone decides the deal, and large amounts are observed as their bound."""

from __future__ import annotations

from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.rules.positions import Table


def test_games_of_one_seed_have_the_same_cards() -> None:
    """Duplicate deals: the seed fixes the decks, and no deck's order depends on draws from another."""
    starts = [State.new(num_players=players, seed=9).to_dict() for players in (3, 4, 5)]
    for deck in ("slaves", "equi", "stadium", "theatre"):
        assert len({repr(start[deck]) for start in starts}) == 1, deck


def test_amounts_beyond_the_bound_are_observed_as_the_bound() -> None:
    table = Table().stand(dolus=0, forum_1=1).purse(0, 9_999, 9_999, 9_999)
    table.player(0)["vp"] = 9_999
    rich = table.state().apply("pass")
    assert max(rich.to_dict()["players"][0]["coins"].values()) > 9_999
    for player in range(3):
        assert (rich.observation(player) <= rich.game.observations.high()).all()
