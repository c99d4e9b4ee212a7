"""Final infos: totals, ranks, and the consequences of an illegal action."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

from porta_nigra_env.core.game.results import withdraw
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games import GAMES, make_game
from tests.envs.recorded import game_of


@pytest.mark.parametrize(
    ("places", "player", "expected"),
    [
        ([1, 2, 3], 0, [3, 1, 2]),
        ([1, 2, 3], 2, [1, 2, 3]),
        ([1, 1, 3], 0, [3, 1, 2]),
        ([1, 1, 1, 1], 2, [1, 1, 4, 1]),
        ([3, 1, 1, 4], 1, [2, 4, 1, 3]),
        ([2, 1], 1, [1, 2]),
    ],
)
def test_a_withdrawn_player_is_last(places: list[int], player: int, expected: list[int]) -> None:
    found = np.array(places, dtype=np.int8)
    withdraw(found, player)
    assert found.tolist() == expected


@pytest.mark.parametrize("name", GAMES)
def test_the_player_of_an_illegal_action_is_last(name: str) -> None:
    game = make_game(name)
    env = BatchEnv(game, 40, illegal_action="terminate", autoreset_mode="disabled")
    env.reset(seed=3)
    for _ in range(60):
        env.step(env.random_actions())
    asked, places = env.current_player.copy(), [game.places(env.states, row) for row in range(40)]
    env.step(np.full(40, -1))
    assert env.illegal[asked >= 0].all()
    for row in np.flatnonzero(asked >= 0):
        withdraw(places[row], int(asked[row]))
        assert env.final_places[row].tolist() == places[row].tolist()
        assert env.final_places[row, asked[row]] == game.num_players
        assert env.final_places[row].min() == 1


def ended_illegally(env: SeatEnv) -> tuple[float, dict[str, Any]]:
    _, info = env.reset(seed=4)
    _, reward, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    assert terminated
    return float(reward), info


def test_the_reward_of_an_illegal_action_is_chosen() -> None:
    """It is the same in every API; by default that of a lost game."""
    game = game_of("three")
    options: dict[str, Any] = {"reward": "margin", "illegal_reward": -250, "illegal_action": "terminate"}
    reward, info = ended_illegally(SeatEnv(game, **options))
    assert reward == -250
    assert info["places"][info["seat"]] == 3
    assert ended_illegally(SeatEnv(game))[0] == -1

    vector = SeatVectorEnv(game, 2, **options)
    vector.reset(seed=4)
    _, rewards, terminated, _, infos = vector.step([-1, -1])
    assert (rewards.tolist(), terminated.tolist()) == ([-250, -250], [True, True])
    assert infos["places"][0].tolist() == info["places"].tolist()
    for learners in (BatchEnv(game, 2, seat=1, **options), MaskedVecEnv(game, 2, seat=1, **options).games):
        learners.reset(seed=4)
        assert learners.step([-1, -1]).rewards.tolist() == [[0, -250, 0]] * 2

    env = wrap(GameAEC(game, reward="margin"), illegal_reward=-250)
    env.reset(seed=4)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(agent)["action_mask"] == 0)[0]))
    assert env.rewards == {one: -250.0 if one == agent else 0.0 for one in env.possible_agents}


@pytest.mark.parametrize("make", [SeatEnv, lambda game, **options: BatchEnv(game, 1, **options)])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"illegal_action": "ignore"}, "illegal_action must be 'raise' or 'terminate', not 'ignore'"),
        ({"illegal_action": "raise", "illegal_reward": -1}, "illegal_reward is for illegal_action='terminate'"),
        ({"illegal_action": "terminate", "illegal_reward": "low"}, "illegal_reward must be a finite number, not 'low'"),
        ({"illegal_action": "terminate", "illegal_reward": True}, "illegal_reward must be a finite number, not True"),
        ({"illegal_action": "terminate", "illegal_reward": float("nan")}, "illegal_reward must be a finite number"),
    ],
)
def test_other_illegal_rewards_are_refused(make: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(game_of("kuhn"), **options)


def test_a_snapshot_is_of_one_illegal_reward() -> None:
    options: dict[str, Any] = {"illegal_action": "terminate"}
    env = BatchEnv(game_of("kuhn"), 1, **options)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"snapshot: illegal_reward is -1\.0, here it is -2\.0"):
        BatchEnv(game_of("kuhn"), 1, illegal_reward=-2, **options).restore(env.snapshot())


# --------------------------------------------------------------------------------------------- infos


def finished(env: GameAEC | OrderEnforcingWrapper[Any, Any, Any]) -> GameAEC:
    """The game of `env`, at its end, all agents still there."""
    env.reset(seed=2)
    rng = np.random.default_rng(2)
    raw: GameAEC = env.unwrapped
    while not any(raw.terminations.values()):
        assert raw.infos == {agent: {} for agent in raw.agents}
        env.step(int(rng.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"]))))
    return raw


@pytest.mark.parametrize("wrapped", [False, True])
def test_infos_hold_scores_and_places_at_the_end(wrapped: bool) -> None:
    raw = finished(wrap(GameAEC(game_of("three"))) if wrapped else GameAEC(game_of("three")))
    for agent in raw.agents:
        assert raw.infos[agent]["scores"].tolist() == raw.game.totals(raw.states).tolist()
        assert raw.infos[agent]["places"].tolist() == raw.game.places(raw.states).tolist()


def test_masks_in_infos_do_not_replace_the_result() -> None:
    env = wrap(GameAEC(game_of("two"), mask_in="info"))
    env.reset(seed=1)
    agent = env.agent_selection
    env.step(int(np.flatnonzero(env.infos[agent]["action_mask"] == 0)[0]))
    for info in env.infos.values():
        assert not info["action_mask"].any()
        assert info["places"][env.possible_agents.index(agent)] == 2


# -------------------------------------------------------------------------------- calls at the wrong time


@pytest.mark.parametrize(
    "look",
    [
        lambda env: env.board(0),
        lambda env: env.view(0),
        lambda env: env.views(),
        lambda env: env.legal_actions(0),
        lambda env: env.privileged(),
        lambda env: env.random_actions(),
        lambda env: env.refresh(),
    ],
)
def test_nothing_is_visible_before_the_first_reset(look: Any) -> None:
    with pytest.raises(RuntimeError, match="no games are running; call reset"):
        look(BatchEnv(game_of("kuhn"), 2))


def test_a_finished_row_needs_a_player_for_a_view() -> None:
    env = BatchEnv(game_of("kuhn"), 1, autoreset_mode="disabled")
    env.reset(seed=1)
    while env.current_player[0] >= 0:
        env.step(env.random_actions())
    with pytest.raises(ValueError, match="the game in row 0 is over and there is no player to move; pass `player`"):
        env.view(0)


def test_a_seed_is_not_a_generator() -> None:
    """Actions with the same seed in every call would not be random."""
    env = BatchEnv(game_of("kuhn"), 1)
    env.reset(seed=1)
    with pytest.raises(TypeError, match=r"rng must be numpy\.random\.default_rng\(seed\), the same one for all calls"):
        env.random_actions(1)  # type: ignore[arg-type]


def test_agents_act_only_after_the_first_reset() -> None:
    raw = GameAEC(game_of("kuhn"))
    with pytest.raises(RuntimeError, match="no game has begun; call reset"):
        raw.agent_iter()
    raw.reset(seed=1)
    for look in (raw.observe, raw.view):
        with pytest.raises(ValueError, match="agent must be one of player_0, player_1, not 'player_2'"):
            look("player_2")
