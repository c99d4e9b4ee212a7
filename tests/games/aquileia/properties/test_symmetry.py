"""Laws of play: the names of seats do not matter, and deals are the seed's."""

from __future__ import annotations

import random
from typing import Any

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.policies import eager_policy
from tests.games.aquileia.rules.tables import Table

GAMES = 6 if COMPILED else 1


def relabelled(position: dict[str, Any], turn: int) -> dict[str, Any]:
    """Return the position with every seat moved by `turn`; clockwise order stays."""
    players = position["num_players"]

    def seat(old: int | None) -> int | None:
        return None if old is None else (old + turn) % players

    def by_seat(table: dict[str, Any]) -> dict[str, Any]:
        return {str(seat(int(old))): value for old, value in table.items()}

    twin = dict(position)
    for key in ("current_player", "starting_player"):
        twin[key] = seat(position[key])
    for key in ("spaces", "buildings"):
        twin[key] = {name: seat(old) for name, old in position[key].items()}
    twin["advantage"] = [seat(old) for old in position["advantage"]]
    twin["passed"] = sorted((old + turn) % players for old in position["passed"])
    twin["players"] = [position["players"][(new - turn) % players] for new in range(players)]
    twin["dice"] = {**position["dice"], **{area: by_seat(position["dice"][area]) for area in ("arena", "stadium")}}
    past = [{**one, "first": seat(one["first"]), "second": seat(one["second"])} for one in position["stadium"]["past"]]
    twin["stadium"] = {**position["stadium"], "past": past}
    won = {card: seat(old) for card, old in position["theatre"]["won"].items()}
    twin["theatre"] = {**position["theatre"], "won": won}
    if position["blue_dice"] is not None:
        twin["blue_dice"] = {**position["blue_dice"], "owner": seat(position["blue_dice"]["owner"])}
    if position["contest"] is not None:
        twin["contest"] = {**position["contest"], "strength": by_seat(position["contest"]["strength"])}
    if position["auction"] is not None:
        sale = position["auction"]
        out = sorted((old + turn) % players for old in sale["out"])
        twin["auction"] = {**sale, "auctioneer": seat(sale["auctioneer"]), "bidder": seat(sale["bidder"]), "out": out}
    return twin


def rolled(position: dict[str, Any]) -> Any:
    """Return the dice of contestants: a seat's dice are its own, so relabelling changes them (A57)."""
    return position["dice"]["arena"], position["dice"]["stadium"]


@pytest.mark.parametrize("players", [3, 4, 5])
def test_seats_are_only_names(players: int) -> None:
    compared = 0
    for number in range(GAMES):
        state, rng = State.new(num_players=players, seed=number), random.Random(number)
        turn = 1 + number % (players - 1)
        while not state.is_over:
            before = state.to_dict()
            twin = State.from_dict({**relabelled(before, turn), "rng": before["rng"]})
            assert twin.legal_actions() == state.legal_actions()
            for seat in range(players):
                assert state.observation(seat).tobytes() == twin.observation((seat + turn) % players).tobytes()
            scores = twin.scores()
            assert state.scores() == [scores[(seat + turn) % players] for seat in range(players)]
            action = eager_policy(state.legal_actions(), rng)
            after = state.apply(action).to_dict()
            if rolled(after) == rolled(before):
                compared += 1
                found = twin.apply(action).to_dict()
                wanted = relabelled(after, turn)
                assert {**found, "rng": None} == {**wanted, "rng": None}
    assert compared > 40 * GAMES


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
