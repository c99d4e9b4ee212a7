"""The Gymnasium environment: one seat; `step` plays the others."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import porta_nigra_env  # noqa: F401  # registers the environment
from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.batch.bookkeeping import ILLEGAL_REWARD
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.rewards import REWARDS
from tests.envs.probes import LOWEST, LowestAgent
from tests.envs.recorded import GAMES, OTHER_FILE, PORTA_NIGRA, game_of, recorded
from tests.toys.nim.game import Nim

EXAMPLE = json.loads(
    (Path(__file__).parents[1] / "games" / "porta_nigra" / "oracle" / "position_example.json").read_text(
        encoding="utf-8"
    )
)

every_game = pytest.mark.parametrize("name", GAMES)


class Script:
    """An opponent for all seats that answers with recorded actions, one after the other."""

    def __init__(self, actions: list[int]) -> None:
        self.actions = iter(actions)

    def __call__(self, view: View) -> int:
        return next(self.actions)


def first_legal(view: View) -> str:
    """An opponent that answers with action strings."""
    return view.legal_actions()[0]


def run(env: Any, rng: random.Random, first: tuple[Any, dict[str, Any]]) -> list[Any]:
    """Play an episode with random actions of the learner and return all results of `reset` and `step`."""
    observation, info = first
    returned: list[Any] = [(observation, info)]
    terminated = False
    while not terminated:
        action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        observation, reward, terminated, truncated, info = env.step(action)
        assert truncated is False
        returned.append((observation, reward, terminated, info))
    return returned


def equal(left: Any, right: Any) -> bool:
    """Return True if two results of `run` are equal to the last bit."""
    return pickle.dumps(copy.deepcopy(left)) == pickle.dumps(copy.deepcopy(right))


# ------------------------------------------------------------------------------------------------ Gymnasium's own test


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [1, "random", "rotate"])
def test_gymnasiums_check_passes_without_warnings(players: int, reward: str, seat: int | str) -> None:
    env = gymnasium.make("PortaNigra-v0", num_players=players, reward=reward, seat=seat, components=OTHER_FILE)
    check_env(env.unwrapped)


# ------------------------------------------------------------------------------------------------ the same game as AEC


@every_game
@pytest.mark.parametrize("reward", REWARDS)
def test_a_seat_gets_what_its_agent_gets(name: str, reward: str) -> None:
    game = game_of(name)
    played = recorded(name, 21, reward=reward)
    for seat in range(game.num_players):
        agent = f"player_{seat}"
        own = [turn for turn in played.turns if turn.agent == agent]
        others = [turn.action for turn in played.turns if turn.agent != agent and turn.action is not None]
        env = SeatEnv(game, seat, Script(others), reward)
        observation, info = env.reset(seed=21)
        reward_sum = 0.0
        for turn, following in itertools.pairwise(own):
            assert np.array_equal(observation, turn.observation["observation"])
            assert np.array_equal(info["action_mask"], turn.observation["action_mask"])
            assert np.array_equal(env.action_masks(), turn.observation["action_mask"].astype(bool))
            assert info["seat"] == seat
            assert turn.action is not None
            observation, gained, terminated, truncated, info = env.step(turn.action)
            reward_sum += gained
            assert isinstance(gained, float)
            assert gained == following.reward
            assert (terminated, truncated) == (following.terminated, False)
        assert np.array_equal(observation, own[-1].observation["observation"])
        assert not info["action_mask"].any()
        assert env.states.tobytes() == played.final
        assert reward_sum == pytest.approx(sum(turn.reward for turn in own))
        if reward == "points":
            assert reward_sum == played.totals[seat]


# ------------------------------------------------------------------------------------------------ seats


def test_seats() -> None:
    game = game_of("four")
    fixed, rotating, drawn = SeatEnv(game, 2), SeatEnv(game, "rotate"), SeatEnv(game, "random")
    assert [fixed.reset()[1]["seat"] for _ in range(3)] == [2, 2, 2]
    assert [rotating.reset()[1]["seat"] for _ in range(6)] == [0, 1, 2, 3, 0, 1]
    assert [rotating.reset(seed=seed)[1]["seat"] for seed in (5, 6, 8, None, None)] == [1, 2, 0, 1, 2]
    counts = Counter(drawn.reset(seed=seed if seed == 0 else None)[1]["seat"] for seed in range(400))
    assert sorted(counts) == [0, 1, 2, 3]
    assert min(counts.values()) > 60
    for env in (fixed, rotating, drawn):
        assert env.reset(seed=1, options={"seat": np.int64(3)})[1]["seat"] == 3
    rotating.reset(seed=0)
    rotating.reset(options={"seat": 3})
    assert rotating.reset()[1]["seat"] == 1, "a seat asked for is not counted"


# ------------------------------------------------------------------------------------------------ opponents


def test_random_opponents_are_uniform() -> None:
    env = SeatEnv(Nim(), seat=1)
    position = {"heap": 20, "current_player": 0}
    taken: Counter[int] = Counter()
    for seed in range(1500):
        env.reset(seed=seed, options={"position": position})
        taken[20 - int(env.states["heap"][0])] += 1
    assert sorted(taken) == [1, 2, 3]
    # Chi-square with two degrees of freedom at 1 - 1e-5; the seeds are fixed.
    assert sum((count - 500) ** 2 / 500 for count in taken.values()) < 23


def test_one_opponent_for_all_gets_views_of_its_seats() -> None:
    asked: list[View] = []

    def opponent(view: View) -> str:
        asked.append(view)
        return first_legal(view)

    env = SeatEnv(game_of("three"), 1, opponent)
    run(env, random.Random(1), env.reset(seed=1))
    assert {view.player for view in asked} == {0, 2}
    for view in asked:
        assert len(view.legal_ids()) > 0
        hands = [player["hand"] for player in view.position()["players"]]
        assert all(isinstance(hand, dict) for seat, hand in enumerate(hands) if seat != view.player)
        assert isinstance(hands[view.player], list)


@pytest.mark.parametrize("learner", [0, 1, 2, 3])
def test_a_list_of_opponents_sits_in_turn_order(learner: int) -> None:
    seats: dict[int, set[int]] = {1: set(), 2: set(), 3: set()}

    def opponent(offset: int) -> Any:
        def answer(view: View) -> int:
            seats[offset].add(view.player)
            return int(view.legal_ids()[0])

        return answer

    env = SeatEnv(game_of("four"), learner, [opponent(1), opponent(2), opponent(3)])
    run(env, random.Random(1), env.reset(seed=1))
    assert seats == {offset: {(learner + offset) % 4} for offset in (1, 2, 3)}


def test_missing_seats_of_a_dict_are_random() -> None:
    asked = []

    def opponent(view: View) -> Any:
        asked.append(view.player)
        return view.legal_ids()[-1]

    for opponents in ({2: opponent}, {2: opponent, 0: None}):
        env = SeatEnv(game_of("three"), 1, opponents)
        run(env, random.Random(1), env.reset(seed=1))
        assert set(asked) == {2}
        asked.clear()
    rotating = SeatEnv(game_of("three"), "rotate", {0: opponent, 1: opponent, 2: opponent})
    for seed in range(3):
        asked.clear()
        run(rotating, random.Random(1), rotating.reset(seed=seed))
        assert set(asked) == {0, 1, 2} - {seed}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("end", "'end' is not legal|'end'"),
        (10**6, "not in 0"),
        (None, "integer id"),
        ("dance", "dance"),
        (-1, "not in 0"),
    ],
)
def test_an_opponent_that_answers_wrongly_is_named(answer: Any, message: str) -> None:
    def clumsy(view: View) -> Any:
        return answer

    env = SeatEnv(game_of("three"), 0, clumsy)
    with pytest.raises(RuntimeError, match=rf"opponent on seat [12], clumsy, answered .*({message})"):
        run(env, random.Random(1), env.reset(seed=1))
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    assert not env.action_masks().any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": [None, None]}, "1 are needed besides the learner, not 2"),
        ({"opponents": {"1": first_legal}}, "a key must be a seat"),
        ({"opponents": {2: first_legal}}, "a key must be a seat: player must be a seat in 0..1, not 2"),
        ({"opponents": {0: first_legal}, "seat": 0}, "seat 0 is the learner's"),
        ({"opponents": {0: "nobody"}}, "opponents: there is no player 'nobody'"),
        ({"opponents": "nobody"}, "opponents: there is no player 'nobody'"),
        ({"opponents": "mcts:seconds=1"}, "agents with parameters are made by agents.registry.make"),
        ({"opponents": 7}, "7 is not the name of a player"),
        ({"seat": 2}, "seat must be 'random', 'rotate' or a seat in 0..1, not 2"),
        ({"seat": True}, "not True"),
        ({"seat": "first"}, "not 'first'"),
        ({"reward": "score"}, "reward"),
        ({"illegal_action": "ignore"}, "illegal_action"),
        ({"render_mode": "video"}, "render_mode"),
    ],
)
def test_invalid_arguments_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatEnv(game_of("two"), **options)


# ------------------------------------------------------------------------------------------------ illegal actions

UNREADABLE: list[Any] = [None, "dance", 1.0, True, np.True_, [1], -1, 10**6, 2**80]


@pytest.mark.parametrize("name", PORTA_NIGRA)  # nothing is illegal in Kuhn poker
def test_an_illegal_action_ends_the_episode(name: str) -> None:
    env = SeatEnv(game_of(name), reward="points")
    observation, info = env.reset(seed=8)
    before = env.states.tobytes()
    for action in UNREADABLE:
        with pytest.raises(IllegalActionError):
            env.step(action)
    illegal = np.flatnonzero(info["action_mask"] == 0)
    last, reward, terminated, truncated, info = env.step(illegal[3])
    assert (reward, terminated, truncated) == (ILLEGAL_REWARD, True, False)
    assert info["illegal_action"] == illegal[3]
    assert not info["action_mask"].any()
    assert np.array_equal(last, observation)
    assert env.states.tobytes() == before
    assert not env.action_masks().any()
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    assert env.reset(seed=8)[1]["illegal_action"] == -1


def test_stepping_needs_an_episode() -> None:
    env = SeatEnv(game_of("kuhn"))
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    with pytest.raises(RuntimeError, match="reset"):
        env.view()
    run(env, random.Random(1), env.reset(seed=1))
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)


# ------------------------------------------------------------------------------------------------ positions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"seat": 3}, "option 'seat' must be a seat in 0..2, not 3"),
        ({"seat": "random"}, "option 'seat'"),
        ({"seat": 2}, "opponents: seat 2 is the learner's"),
    ],
)
def test_bad_options_are_refused_without_a_trace(options: Any, message: str) -> None:
    env = porta_nigra_v0.seat_env(num_players=3, seat=0, opponents={2: first_legal})
    env.reset(seed=1)
    before = env.states.tobytes()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert env.states.tobytes() == before


# ------------------------------------------------------------------------------------------------ copies, hidden cards


@pytest.mark.parametrize("opponent", [LOWEST, LowestAgent(), lambda view: int(view.legal_ids()[0])])
def test_opponents_of_every_kind_play_alike(opponent: Any) -> None:
    """A compiled policy, an agent that answers for many games, a function of a view: the same game."""
    ids = []
    for one in (opponent, LOWEST):
        env = SeatEnv(game_of("three"), seat=1, opponents=one)
        _, info = env.reset(seed=4)
        terminated = False
        while not terminated:
            *_, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        ids.append(env.states.tobytes())
    assert ids[0] == ids[1]


def test_its_docstring_describes_the_game() -> None:
    """Programs for language models read it there."""
    made_by_name = gymnasium.make("PortaNigra-v0", num_players=3)
    guide = made_by_name.unwrapped.__doc__ or ""
    for words in ("Porta Nigra for 3 players", "victory points win", "place basilica ... place porta_nigra", "49: end"):
        assert words in guide
    assert "Kuhn for 2 players" in game_of("kuhn").guide()
    copied = pickle.loads(pickle.dumps(made_by_name.unwrapped))
    assert copied.__doc__ == guide


def test_random_opponents_have_a_name() -> None:
    envs = [SeatEnv(game_of("two"), seat=0, opponents=one) for one in (None, "random", ["random"], {1: "random"})]
    assert len({env.reset(seed=9)[0].tobytes() for env in envs}) == 1
