"""Opponents by name: the same players in every environment, found through the game."""

from __future__ import annotations

import re
from typing import Any

import pytest

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games import GAMES, game_class, make_game
from porta_nigra_env.players.names import named, names
from porta_nigra_env.players.network import published_player
from tests.toys.kuhn.game import Kuhn

every_game = pytest.mark.parametrize("game_name", GAMES)
ENVIRONMENTS: dict[str, Any] = {
    "seat": lambda game, one: SeatEnv(game, 0, opponents=one),
    "vector": lambda game, one: SeatVectorEnv(game, 2, seat=0, opponents=one),
    "vec": lambda game, one: MaskedVecEnv(game, 2, seat=0, opponents=one),
    "batch": lambda game, one: BatchEnv(game, 2, seat=0, opponents=one),
}
every_environment = pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())


@every_game
def test_a_game_name_names_its_players_as_they_call_themselves(game_name: str) -> None:
    games = game_class(game_name)
    for name, policy in games.policies().items():
        assert policy.name == name
        assert policy.doc.endswith(".")
    for players, file in games.networks().items():
        assert players in games.seats
        assert file.is_file()
    for players in games.seats:
        game = make_game(game_name, players)
        assert all(named(game, name) is named(game, name) for name in names(game))


def test_a_game_without_players_has_random() -> None:
    game = Kuhn()
    assert names(game) == ("random",)
    assert named(game, "random") is RANDOM


@every_environment
@every_game
def test_every_environment_takes_the_names(game_name: str, environment: Any) -> None:
    """By one for all, by place and by seat; an answer of theirs that were not legal would end this."""
    game = make_game(game_name)
    others = game.num_players - 1
    for name in names(game):
        for given in (name, [name] * others, {1: name}):
            env = environment(game, given)
            env.reset()
            for _ in range(3):
                env.step(_first_legal(env))


def _first_legal(env: Any) -> Any:
    if isinstance(env, BatchEnv):
        return env.action_masks.argmax(axis=1)
    masks = env.action_masks()
    return masks.argmax() if masks.ndim == 1 else masks.argmax(axis=1)


@every_environment
def test_an_unknown_name_is_refused_with_the_known_ones(environment: Any) -> None:
    for game_name in GAMES:
        game = make_game(game_name)
        for given in ("nobody", {1: "nobody"}):
            with pytest.raises(
                ValueError, match=re.escape(f"no player 'nobody' of {game_name}; there are random")
            ) as error:
                environment(game, given)
            assert str(error.value).endswith(", ".join(names(game)))
    with pytest.raises(ValueError, match=r"there are random$"):
        environment(Kuhn(), "network")


@every_game
def test_games_against_a_name_are_those_against_its_player(game_name: str) -> None:
    game = make_game(game_name)
    played = {}
    own: dict[str, Any] = {name: named(game, name) for name in names(game)}
    for key, given in [*((name, name) for name in own), *((f"{name} itself", one) for name, one in own.items())]:
        env = BatchEnv(game, 4, seat="rotate", opponents=given, reward="outcome")
        env.reset(seed=3)
        for _ in range(60):
            env.step(env.action_masks.argmax(axis=1))
        played[key] = env.states.tobytes()
    assert all(played[name] == played[f"{name} itself"] for name in own)
    # Two planners may choose alike in so few games.
    assert len(set(played.values())) >= len(own) - 1


@pytest.mark.parametrize(
    ("game_name", "players"),
    [(game_name, players) for game_name in GAMES for players in game_class(game_name).networks()],
)
def test_a_network_is_one_opponent_however_often_it_is_named(game_name: str, players: int) -> None:
    """More line-ups than there are numbers for opponents, and one question for all rows that wait for it."""
    game = make_game(game_name, players)
    env = BatchEnv(game, 4, seat=0, opponents="network")
    for row in range(200):
        env.set_opponents(["".join(["net", "work"])] * (players - 1), [row % 4])
    env.reset(seed=1)
    player = published_player(game)
    asked: list[int] = []

    def counted(views: BatchView) -> Any:
        asked.append(len(views))
        return type(player).act_batch(player, views)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "act_batch", counted)
        for _ in range(50):
            env.step(env.action_masks.argmax(axis=1))
    assert max(asked) > 1
