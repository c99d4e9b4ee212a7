"""Opponents by name: every environment has the same named players of a game."""

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
from porta_nigra_env.players.published import published_player
from tests.parameters import first_by_default
from tests.toys.kuhn.game import Kuhn

every_game = pytest.mark.parametrize("game_name", GAMES)
#: The others in long runs: a batch with their players takes most of a minute to compile.
one_game = pytest.mark.parametrize("game_name", first_by_default(GAMES))
ENVIRONMENTS: dict[str, Any] = {
    "seat": lambda game, opponents: SeatEnv(game, 0, opponents=opponents),
    "vector": lambda game, opponents: SeatVectorEnv(game, 2, seat=0, opponents=opponents),
    "vec": lambda game, opponents: MaskedVecEnv(game, 2, seat=0, opponents=opponents),
    "batch": lambda game, opponents: BatchEnv(game, 2, seat=0, opponents=opponents),
}
every_environment = pytest.mark.parametrize("environment", ENVIRONMENTS.values(), ids=ENVIRONMENTS.keys())


@every_game
def test_names_of_players_match_their_policies(game_name: str) -> None:
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


def test_a_game_without_players_has_a_random_player() -> None:
    game = Kuhn()
    assert names(game) == ("random",)
    assert named(game, "random") is RANDOM


@every_environment
@one_game
def test_every_environment_takes_the_names(game_name: str, environment: Any) -> None:
    """Opponents are given as one name, a list or by seat; an illegal action of theirs would raise."""
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


@one_game
def test_games_against_a_name_equal_games_against_its_player(game_name: str) -> None:
    game = make_game(game_name)
    played = {}
    own: dict[str, Any] = {name: named(game, name) for name in names(game)}
    for key, given in [*((name, name) for name in own), *((f"{name} itself", player) for name, player in own.items())]:
        env = BatchEnv(game, 4, seat="rotate", opponents=given, reward="outcome")
        env.reset(seed=3)
        for _ in range(60):
            env.step(env.action_masks.argmax(axis=1))
        played[key] = env.states.tobytes()
    assert all(played[name] == played[f"{name} itself"] for name in own)
    # Two planners may choose the same actions in these few games.
    assert len(set(played.values())) >= len(own) - 1


@pytest.mark.parametrize(
    ("game_name", "players"),
    [(game_name, players) for game_name in GAMES for players in game_class(game_name).networks()],
)
def test_a_network_named_several_times_is_one_opponent(game_name: str, players: int) -> None:
    """There are more line-ups than opponent numbers, and one call evaluates all rows that wait for the network."""
    game = make_game(game_name, players)
    env = BatchEnv(game, 4, seat=0, opponents="network")
    for row in range(200):
        env.set_opponents(["".join(["net", "work"])] * (players - 1), [row % 4])
    env.reset(seed=1)
    player = published_player(game)
    batch_sizes: list[int] = []

    def act_batch(views: BatchView) -> Any:
        batch_sizes.append(len(views))
        return type(player).act_batch(player, views)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(player, "act_batch", act_batch)
        for _ in range(50):
            env.step(env.action_masks.argmax(axis=1))
    assert max(batch_sizes) > 1
