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
from porta_nigra_env.games.porta_nigra.game import State
from tests.envs.probes import LOWEST, LowestAgent
from tests.envs.recorded import GAMES, OTHER_FILE, PORTA_NIGRA, game_of, made, play, recorded
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


def test_gymnasium_accepts_another_game() -> None:
    check_env(SeatEnv(game_of("kuhn")), skip_render_check=True)


def test_made_environments_play_whole_games() -> None:
    env = gymnasium.make("PortaNigra-v0")
    result = run(env, random.Random(1), env.reset(seed=1))
    assert result[-1][1] in (1.0, -1.0, 0.0)
    assert not env.get_wrapper_attr("action_masks")().any()


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


@pytest.mark.parametrize(
    ("players", "components"), [(2, "standard"), (3, "standard"), (4, "standard"), (3, OTHER_FILE)]
)
def test_one_seed_and_the_same_actions_are_one_game_everywhere(players: int, components: Any) -> None:
    state = State.new(num_players=players, seed=17, components=components)
    rng, seats, actions = random.Random(17), [], []
    while not state.is_over:
        seats.append(state.current_player)
        actions.append(rng.choice(state.legal_ids()))
        state.apply_id(actions[-1])
    others = [action for action, seat in zip(actions, seats, strict=True) if seat != 1]
    env = porta_nigra_v0.seat_env(players, components, seat=1, opponents=Script(others))
    env.reset(seed=17)
    for action, seat in zip(actions, seats, strict=True):
        if seat == 1:
            _, reward, *_ = env.step(action)
    assert env.states.tobytes() == state.states.tobytes()
    assert reward == state.returns()[1]


@every_game
def test_returned_arrays_belong_to_the_caller(name: str) -> None:
    env, spoiled = SeatEnv(game_of(name)), SeatEnv(game_of(name))
    observation, info = env.reset(seed=4)
    spoiled_observation, spoiled_info = spoiled.reset(seed=4)
    rng, terminated, kept = random.Random(1), False, []
    while not terminated:
        kept.append((observation, observation.copy(), info["action_mask"], info["action_mask"].copy()))
        action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        for array in (spoiled_observation, spoiled_info["action_mask"]):
            array.fill(9)
        spoiled.action_masks().fill(True)
        observation, _, terminated, _, info = env.step(action)
        spoiled_observation, _, _, _, spoiled_info = spoiled.step(action)
        assert np.array_equal(observation, spoiled_observation)
        assert np.array_equal(info["action_mask"], spoiled_info["action_mask"])
    for seen, seen_copy, mask, mask_copy in kept:
        assert np.array_equal(seen, seen_copy)
        assert np.array_equal(mask, mask_copy)


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


@every_game
@pytest.mark.parametrize("seat", ["random", "rotate"])
def test_episodes_follow_from_the_seed(name: str, seat: str) -> None:
    game = game_of(name)
    left, right = SeatEnv(game, seat), SeatEnv(game, seat)
    right.reset(seed=4)
    first = [run(left, random.Random(3), left.reset(seed=2))]
    second = [run(right, random.Random(3), right.reset(seed=2))]
    for _ in range(4):
        first.append(run(left, random.Random(3), left.reset()))
        second.append(run(right, random.Random(3), right.reset()))
    assert all(map(equal, first, second))
    assert not equal(first[1], first[2]) or name == "kuhn"


def test_unseeded_environments_differ() -> None:
    left, right = SeatEnv(game_of("two")), SeatEnv(game_of("two"))
    left.reset()
    right.reset()
    assert left.states.tobytes() != right.states.tobytes()


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


def test_no_episode_runs_after_a_reset_that_failed() -> None:
    tired = False

    def opponent(view: View) -> Any:
        return None if tired else first_legal(view)

    env = SeatEnv(game_of("kuhn"), 1, opponent)
    env.reset(seed=1)
    tired = True
    with pytest.raises(RuntimeError, match="opponent on seat 0"):
        env.reset(seed=1)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    tired = False
    env.reset(seed=1)
    assert env.action_masks().any()


def test_vector_environments_take_it() -> None:
    vector = gymnasium.make_vec("PortaNigra-v0", 3, vectorization_mode="sync", num_players=3)
    observations, infos = vector.reset(seed=1)
    rng = random.Random(1)
    ended = 0
    for _ in range(300):
        actions = [rng.choice(np.flatnonzero(mask).tolist() or [0]) for mask in infos["action_mask"]]
        observations, rewards, terminated, _, infos = vector.step(np.array(actions))
        assert set(rewards[~terminated]) <= {0.0}
        ended += int(terminated.sum())
    assert ended > 3
    assert vector.observation_space.contains(observations)
    vector.close()


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


def _before(env: SeatEnv) -> bytes:
    return pickle.dumps((env.states.tobytes(), env.action_masks(), env.np_random.bit_generator.state))


@every_game
def test_strict_environments_refuse_without_a_trace(name: str) -> None:
    env, untouched = SeatEnv(game_of(name), illegal_action="raise"), SeatEnv(game_of(name))
    observation, info = env.reset(seed=8)
    untouched.reset(seed=8)
    rng, terminated = random.Random(8), False
    while not terminated:
        before = _before(env)
        for action in [*UNREADABLE, *np.flatnonzero(info["action_mask"] == 0).tolist()[::20]]:
            with pytest.raises(IllegalActionError, match="may choose"):
                env.step(action)
        assert _before(env) == before
        action = rng.choice(np.flatnonzero(info["action_mask"]).tolist())
        observation, reward, terminated, _, info = env.step(action)
        wanted = untouched.step(action)
        assert equal((observation, reward, terminated, False, info), wanted)


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
    assert "illegal_action" not in env.reset(seed=8)[1]


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


def test_an_episode_begins_at_a_position() -> None:
    for given in (EXAMPLE, json.dumps(EXAMPLE), State.from_dict(EXAMPLE, seed=5)):
        env = porta_nigra_v0.seat_env(num_players=3, seat=1)
        observation, info = env.reset(seed=5, options={"position": given})
        state = State.from_dict(EXAMPLE, seed=5)
        assert env.states.tobytes() == state.states.tobytes()
        assert np.array_equal(observation, state.observation(1))
        assert np.array_equal(info["action_mask"], state.action_mask())
        assert env.reset(seed=5, options={"position": given, "seat": 2})[1]["seat"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sead": 1}, "unknown option 'sead'; reset knows 'position', 'seat'"),
        ({"seat": 3}, "option 'seat' must be a seat in 0..2, not 3"),
        ({"seat": "random"}, "option 'seat'"),
        ({"seat": 2}, "opponents: seat 2 is the learner's"),
        ({"position": State.new(num_players=2, seed=1)}, "num_players"),
        (7, "options must be a dict"),
    ],
)
def test_bad_options_are_refused_without_a_trace(options: Any, message: str) -> None:
    env = porta_nigra_v0.seat_env(num_players=3, seat=0, opponents={2: first_legal})
    env.reset(seed=1)
    before = env.states.tobytes()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    assert env.states.tobytes() == before


@every_game
def test_an_episode_without_a_turn_of_the_learner_is_refused(name: str) -> None:
    game = game_of(name)
    aec = made(name)
    aec.reset(seed=1)
    decisions = [
        (turn.agent, turn.action, turn.observation, game.position(aec.states))
        for turn in play(aec, random.Random(1))
        if turn.action is not None
    ]
    agent, action, seen, position = decisions[-1]
    seat = int(agent[-1])
    env = SeatEnv(game, (seat + 1) % game.num_players, lambda view: action)
    with pytest.raises(ValueError, match=r"the game ended before the learner on seat \d was asked"):
        env.reset(options={"position": position})
    with pytest.raises(RuntimeError, match="reset"):
        env.step(0)
    first = env.reset(options={"position": position, "seat": seat})
    assert np.array_equal(first[0], seen["observation"])
    assert env.step(action)[2] is True


# ------------------------------------------------------------------------------------------------ copies, hidden cards


@every_game
@pytest.mark.parametrize("reward", ["outcome", "points"])
def test_copies_play_on_identically(name: str, reward: str) -> None:
    env = SeatEnv(game_of(name), "random", first_legal, reward)
    first = env.reset(seed=6)
    rng, number, terminated = random.Random(6), 0, False
    observation, info = first
    while not terminated:
        if number % 20 == 0:
            copies = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(copy.deepcopy(env))]
            before = env.states.tobytes()
            results = []
            for copied in copies:
                rest = run(copied, random.Random(number), (observation, info))
                results.append([*rest, *run(copied, random.Random(2), copied.reset())])
            assert equal(results[0], results[1])
            assert equal(results[0], results[2])
            assert env.states.tobytes() == before
        observation, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        number += 1


@every_game
def test_the_learner_sees_no_hidden_information(name: str) -> None:
    game = game_of(name)
    env = SeatEnv(game, "random", render_mode="ansi")
    twin = SeatEnv(game, render_mode="ansi")
    observation, info = env.reset(seed=14)
    rng, terminated, number, redrawn = random.Random(14), False, 0, 0
    while not terminated:
        assert set(info) == {"action_mask", "seat"}
        if number % 4 == 0:
            states = env.states.copy()
            game.kernel.determinize(game.constants, states, 0, info["seat"], number)
            redrawn += states.tobytes() != env.states.tobytes()
            seen = twin.reset(options={"position": game.position(states), "seat": info["seat"]})
            assert equal(seen, (observation, info))
            assert env.render() == twin.render() == env.view().board()
        observation, _, terminated, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
        number += 1
    assert redrawn > 0
    assert env.view().player == info["seat"]


def test_rendering_without_a_mode_is_warned_about() -> None:
    env = SeatEnv(game_of("two"))
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None


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


def test_action_strings_are_actions() -> None:
    envs = [SeatEnv(game_of("two"), seat=0) for _ in range(2)]
    masks = [env.reset(seed=4)[1]["action_mask"] for env in envs]
    for _ in range(20):
        number = int(masks[0].argmax())
        actions: list[int | str] = [number, game_of("two").action_texts[number]]
        steps = [env.step(one) for env, one in zip(envs, actions, strict=True)]
        assert equal(*steps)
        masks = [step[-1]["action_mask"] for step in steps]
    strict = SeatEnv(game_of("two"), seat=0, illegal_action="raise")
    strict.reset(seed=4)
    with pytest.raises(IllegalActionError, match=r"'end'.* is not legal now; player 0 may choose"):
        strict.step("end")
    with pytest.raises(IllegalActionError, match=r"did you mean 'end'.*may choose"):
        strict.step("endd")


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
