"""Compiled, interpreted and bounds-checked runs of every game give the same bytes."""

from __future__ import annotations

import json

import pytest

from porta_nigra_env.games import GAMES, game_entry
from tests.golden.digests import digest_of, file_of


# Run in each of the three modes by ``make test``.
@pytest.mark.parametrize(("game", "players"), [(game, players) for game in GAMES for players in game_entry(game).seats])
def test_whole_games_give_the_stored_digests(game: str, players: int) -> None:
    digests = json.loads(file_of(game).read_text(encoding="utf-8"))
    assert digest_of(game, players) == digests[str(players)]


@pytest.mark.parametrize("game", GAMES)
def test_every_number_of_players_has_a_digest(game: str) -> None:
    assert list(json.loads(file_of(game).read_text(encoding="utf-8"))) == [
        str(players) for players in game_entry(game).seats
    ]
