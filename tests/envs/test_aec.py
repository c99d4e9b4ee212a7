"""The PettingZoo environment: conformance, rewards, refusals, copies, positions, hidden information."""

from __future__ import annotations

import copy
import functools
import inspect
import json
import pickle
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.results import margin_returns, outcome_returns
from porta_nigra_env.envs.rewards import REWARDS
from porta_nigra_env.games.porta_nigra.game import State
from tests.envs.recorded import GAMES, OTHER_FILE, PORTA_NIGRA, Turn, legal_ids, made, places_of, play, same, totals_of
from tests.games.porta_nigra.oracle.edits import edited

EXAMPLE = json.loads(
    (Path(__file__).parents[1] / "games" / "porta_nigra" / "oracle" / "position_example.json").read_text(
        encoding="utf-8"
    )
)
ROOT = Path(__file__).parents[2]

every_game = pytest.mark.parametrize("name", GAMES)
every_scheme = pytest.mark.parametrize("reward", REWARDS)
#: PettingZoo has a registry since 1.27.
HAS_REGISTRY = hasattr(pettingzoo, "register")
bare_and_wrapped = pytest.mark.parametrize("wrapped", [False, True], ids=["bare", "wrapped"])


# ------------------------------------------------------------------------------------------ PettingZoo's own tests


@every_game
@every_scheme
@bare_and_wrapped
# PettingZoo warns about masks of other projects, and about empty masks of agents that are done.
@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
def test_api(name: str, reward: str, wrapped: bool) -> None:
    api_test(made(name, wrapped, reward=reward), num_cycles=200)


@every_game
@every_scheme
def test_seeds(name: str, reward: str) -> None:
    seed_test(lambda: made(name, True, reward=reward), num_cycles=200)


@every_game
def test_spaces_hold_what_is_returned(name: str) -> None:
    env = made(name)
    env.reset(seed=3)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space("player_0"), "one object, for all and at each call"
    assert env.action_space("player_0") is env.action_space("player_1")
    assert env.state_space is env.state_space
    assert env.action_space("player_0").n == len(env.game.action_texts)
    for turn in play(env, random.Random(1)):
        for agent in env.agents:
            observation = env.observe(agent)
            assert env.observation_space(agent).contains(observation)
            assert observation["observation"].dtype == np.float32
            assert observation["action_mask"].dtype == np.int8
            assert bool(observation["action_mask"].any()) == (agent == turn.agent and not turn.terminated)
        assert env.state_space.contains(env.state())


def test_metadata_and_registry() -> None:
    env: Any = porta_nigra_v0.env(num_players=4, reward="points")
    if HAS_REGISTRY:
        env = pettingzoo.make("aec", "porta_nigra_v0", num_players=4, reward="points")
    assert str(env) == env.metadata["name"] == "porta_nigra_v0"
    assert env.metadata["is_parallelizable"] is False
    assert env.metadata["render_modes"] == ["ansi", "human", "rgb_array"]
    assert env.possible_agents == ["player_0", "player_1", "player_2", "player_3"]
    env.reset(seed=1)
    assert env.agents == env.possible_agents


def test_import_registers_and_compiles_nothing() -> None:
    program = (
        "import sys, porta_nigra_env, gymnasium, pettingzoo; gymnasium.spec('PortaNigra-v0'); "
        + ("pettingzoo.spec('aec', 'porta_nigra_v0'); " if HAS_REGISTRY else "")
        + "print('numba' in sys.modules, porta_nigra_env.__version__, "
        "'State' in dir(porta_nigra_env), porta_nigra_env.porta_nigra_v0.__name__, porta_nigra_env.load().name)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert run.stdout.split() == ["False", "0.2.0", "True", "porta_nigra_env.porta_nigra_v0", "standard"]


# ------------------------------------------------------------------------------------------------ episodes


@every_game
def test_a_game_ends_for_all_at_once_and_leaves_in_order(name: str) -> None:
    env = made(name)
    env.reset(seed=5)
    left = []
    for turn in play(env, random.Random(5)):
        if turn.terminated:
            left.append(turn.agent)
            assert set(env.terminations.values()) == {True}
        else:
            assert not left
            assert env.agents == env.possible_agents
            assert set(env.terminations.values()) == {False}
    assert left == env.possible_agents
    assert env.agents == []


@every_game
@bare_and_wrapped
@every_scheme
def test_a_new_game_remembers_nothing_of_the_last(name: str, wrapped: bool, reward: str) -> None:
    used, fresh = made(name, wrapped, reward=reward), made(name, wrapped, reward=reward)
    used.reset(seed=5)
    for turn in play(used, random.Random(5)):
        if turn.terminated and turn.agent != "player_0":  # abandoned while the agents leave
            break
    used.reset(seed=6)
    fresh.reset(seed=6)
    left, right = ({**vars(env.unwrapped), "_match": None, "_rewards": None} for env in (used, fresh))
    spaces = {"_action_space", "_observation_space"}
    assert {key: left[key] for key in left.keys() - spaces} == {key: right[key] for key in right.keys() - spaces}
    assert all(map(same, play(used, random.Random(6)), play(fresh, random.Random(6))))


@pytest.mark.parametrize(
    ("players", "components"), [(2, "standard"), (3, "standard"), (4, "standard"), (3, OTHER_FILE)]
)
def test_one_seed_and_the_same_actions_are_one_game_everywhere(players: int, components: Any) -> None:
    env = porta_nigra_v0.env(num_players=players, components=components)
    env.reset(seed=2**63 - 1)
    state = State.new(num_players=players, seed=2**63 - 1, components=components)
    assert env.unwrapped.states.tobytes() == state.states.tobytes()
    rng = random.Random(8)
    while not state.is_over:
        assert env.agent_selection == f"player_{state.current_player}"
        assert env.legal_actions() == state.legal_actions()
        observation = env.last()[0]
        assert legal_ids(observation) == state.legal_ids().tolist()
        for seat, agent in enumerate(env.agents):
            assert np.array_equal(env.observe(agent)["observation"], state.observation(seat))
        assert np.array_equal(env.state(), state.privileged())
        action = rng.choice(state.legal_ids())
        state.apply_id(action)
        env.step(action)
        assert env.unwrapped.states.tobytes() == state.states.tobytes()
    assert [env.rewards[agent] for agent in env.possible_agents] == state.returns()


# ------------------------------------------------------------------------------------------------ rewards


@every_game
@bare_and_wrapped
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_rewards_add_up(name: str, wrapped: bool, seed: int) -> None:
    for reward in REWARDS:
        env = made(name, wrapped, reward=reward)
        env.reset(seed=seed)
        received: dict[str, float] = defaultdict(float)
        before_the_end = []
        for turn in play(env, random.Random(seed)):
            received[turn.agent] += turn.reward
            if not turn.terminated:
                before_the_end.append(turn.reward)
        totals = totals_of(env.unwrapped)
        expected: Any = {
            "outcome": outcome_returns(places_of(totals)),
            "margin": [
                total - np.mean([other for seat, other in enumerate(totals) if seat != me])
                for me, total in enumerate(totals)
            ],
            "points": totals,
        }[reward]
        assert [received[agent] for agent in env.possible_agents] == pytest.approx(list(expected))
        if reward != "points":
            assert sum(received.values()) == pytest.approx(0)
            assert set(before_the_end) == {0.0}
        elif name != "kuhn":
            assert any(before_the_end), "points are given when they are gained"


@pytest.mark.parametrize("name", PORTA_NIGRA)
def test_points_arrive_at_the_next_own_step(name: str) -> None:
    env = made(name, reward="points")
    env.reset(seed=4)
    marker = dict.fromkeys(env.possible_agents, 0)
    for turn in play(env, random.Random(4)):
        seat = env.possible_agents.index(turn.agent)
        if turn.terminated:
            assert turn.reward == totals_of(env)[seat] - marker[turn.agent]
        else:
            now = int(env.states["vp"][0][seat])
            assert turn.reward == now - marker[turn.agent]
            assert isinstance(turn.reward, float)
            marker[turn.agent] = now


def early_end(rng: random.Random) -> dict[str, Any]:
    """Return a position whose game a player can end early."""
    state = State.new(num_players=3, seed=1)
    while state.to_dict()["phase"] != "choose_card" or (state.states["quarter"][0][:3] < 0).any():
        state.apply_id(rng.choice(state.legal_ids()))
    return dict(edited(state.to_dict(), state.components.data, [("drain", 1, 0)]))


@every_scheme
@pytest.mark.parametrize("early", [True, False])
def test_rewards_of_a_game_from_a_position(reward: str, early: bool) -> None:
    """Points scored before the position are not rewarded."""
    rng = random.Random(1)
    scored = {**EXAMPLE, "players": [{**player, "vp": 50} for player in EXAMPLE["players"]]}
    position = early_end(rng) if early else scored
    before = np.array([player["vp"] for player in position["players"]])
    env = porta_nigra_v0.raw_env(num_players=3, reward=reward)
    env.reset(seed=1, options={"position": position})
    received: dict[str, float] = defaultdict(float)
    for turn in play(env, rng):
        received[turn.agent] += turn.reward
    assert not early or env.states["early_player"][0] >= 0
    totals = totals_of(env)
    returns = {"outcome": outcome_returns(places_of(totals)), "margin": margin_returns(totals)}
    expected = returns.get(reward, totals - before)
    assert [received[agent] for agent in env.possible_agents] == pytest.approx(list(expected))


# ------------------------------------------------------------------------------------------------ refusals


def test_a_refusal_names_the_agent_and_its_legal_actions() -> None:
    env = porta_nigra_v0.raw_env()
    env.reset(seed=1)
    agent = env.agent_selection.replace("_", " ")
    with pytest.raises(IllegalActionError, match=f"'end'.* is not legal now; {agent} may choose .*place basilica"):
        env.step(env.game.action_id("end"))


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.uint16, np.int64, np.array])
def test_integers_of_every_kind_are_actions(kind: Callable[[int], Any]) -> None:
    env, other = made("two"), made("two")
    env.reset(seed=1)
    other.reset(seed=1)
    action = legal_ids(env.last()[0])[1]
    env.step(action)
    other.step(kind(action))
    assert env.states.tobytes() == other.states.tobytes()


def test_an_agent_whose_game_is_over_can_only_leave() -> None:
    env = made("two")
    env.reset(seed=1)
    turns = play(env, random.Random(1))
    while not next(turns).terminated:
        pass
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(0)
    assert env.agents == env.possible_agents
    env.step(None)
    env.step(None)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(None)


def test_nothing_works_before_reset() -> None:
    env = made("two", render_mode="ansi")
    calls: list[Callable[[], Any]] = [
        functools.partial(env.step, 0),
        functools.partial(env.observe, "player_0"),
        functools.partial(env.view, "player_0"),
        env.state,
        env.legal_actions,
        env.render,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match=r"reset\(\) first"):
            call()


@pytest.mark.parametrize("name", PORTA_NIGRA)  # nothing is illegal in Kuhn poker
def test_an_illegal_action_through_the_wrappers_ends_the_game(name: str) -> None:
    env = made(name, True)
    env.reset(seed=2)
    turns = play(env, random.Random(2))
    turn = next(turns)
    illegal = int(np.flatnonzero(turn.observation["action_mask"] == 0)[0])
    env.step(illegal)
    received = {}
    while env.agents:
        observation, received[env.agent_selection], terminated, truncated, _ = env.last()
        assert terminated
        assert truncated
        assert not observation["action_mask"].any()
        env.step(None)
    assert received == {agent: -1.0 if agent == turn.agent else 0 for agent in env.possible_agents}
    env.reset(seed=2)
    assert same(next(play(env, random.Random(2))), turn)


@every_game
def test_an_action_out_of_bounds_is_stopped_by_the_wrappers(name: str) -> None:
    env = made(name, True)
    env.reset(seed=2)
    before = env.unwrapped.states.tobytes()
    with pytest.raises(AssertionError, match="not in action space"):
        env.step(env.action_space("player_0").n)
    assert env.unwrapped.states.tobytes() == before


@pytest.mark.parametrize(
    "options", [{"reward": "score"}, {"render_mode": "video"}, {"render_view": "player_2"}, {"num_players": 5}]
)
def test_invalid_arguments_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        porta_nigra_v0.env(**options)


# ------------------------------------------------------------------------------------------------ copies


def _copies(env: Any) -> list[Any]:
    copied = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), copy.deepcopy(copy.deepcopy(env))]
    return [*copied, env.clone()] if env.unwrapped is env else copied


def _rest(env: Any, seed: int) -> list[Turn]:
    """The turns to the end, and those of the next game by samples of the environment's own action space."""
    turns = list(play(env, random.Random(seed)))
    env.action_space("player_0").seed(seed)
    env.reset()
    return turns + list(play(env, None))


@bare_and_wrapped
def test_a_copied_action_space_samples_alike(wrapped: bool) -> None:
    env = made("two", wrapped)
    env.reset(seed=1)
    env.action_space("player_0").seed(5)
    env.action_space("player_0").sample()
    env.observation_space("player_0").sample()
    for copied in _copies(env):
        drawn = [copied.action_space("player_0").sample() for _ in range(5)]
        again = copy.deepcopy(env.action_space("player_0"))
        assert drawn == [again.sample() for _ in range(5)]
        assert copied.observation_space("player_0") is not env.observation_space("player_0")


def test_an_environment_that_was_never_reset_can_be_copied() -> None:
    for copied in _copies(made("two")):
        with pytest.raises(RuntimeError, match=r"reset\(\) first"):
            copied.state()
        copied.reset(seed=1)
        assert copied.agents == copied.possible_agents


# ------------------------------------------------------------------------------------------------ seeds and positions


def test_the_seed_decides_about_a_position_without_a_random_state() -> None:
    env = porta_nigra_v0.raw_env(num_players=3)
    assert EXAMPLE["rng"] is None
    seen = set()
    for seed in (1, 2):
        for _ in range(2):
            env.reset(seed=seed, options={"position": EXAMPLE})
            seen.add(env.states.tobytes())
    assert len(seen) == 2


# ------------------------------------------------------------------------------------------------ hidden information


def test_a_view_is_the_agents_own() -> None:
    env = made("three")
    env.reset(seed=1)
    for seat, agent in enumerate(env.agents):
        view = env.view(agent)
        assert view.player == seat
        assert np.array_equal(view.observation, env.observe(agent)["observation"])
        assert np.array_equal(view.action_mask, env.observe(agent)["action_mask"])


@every_game
@pytest.mark.parametrize(("view", "seat"), [("all", None), ("player_1", 1), ("current", "mover")])
def test_the_board_shows_the_cards_of_one_agent(name: str, view: str, seat: int | str | None) -> None:
    env = made(name, render_mode="ansi", render_view=view)
    env.reset(seed=2)
    for turn in play(env, random.Random(2)):
        mover = None if turn.terminated else env.possible_agents.index(turn.agent)
        assert env.render() == env.game.board(env.states, 0, mover if seat == "mover" else seat)


# ------------------------------------------------------------------------------------------------ action strings


def test_unknown_and_illegal_action_strings() -> None:
    bare, wrapped = made("two"), made("two", True)
    for env in (bare, wrapped):
        env.reset(seed=4)
        with pytest.raises(IllegalActionError, match="did you mean 'end'"):
            env.step("endd")
    with pytest.raises(IllegalActionError, match="is not legal now; player"):
        bare.step("end")
    loser = wrapped.agent_selection
    wrapped.step("end")
    assert wrapped.rewards[loser] == -1


def test_the_module_of_an_environment_describes_the_game() -> None:
    """Programs for language models read it there."""
    module = inspect.getmodule(porta_nigra_v0.env(num_players=3).unwrapped)
    assert module is porta_nigra_v0
    guide = module.__doc__ or ""
    for words in ("for 2 players", "victory points win", "49: end"):
        assert words in guide


# ------------------------------------------------------------------------------------------------ masks in infos


@every_game
@bare_and_wrapped
def test_masks_in_infos(name: str, wrapped: bool) -> None:
    """The same game, the observation a bare array, the mask where PettingZoo's wrappers look for it."""
    plain, env = made(name, wrapped), made(name, wrapped, mask_in="info")
    assert isinstance(env.observation_space("player_0"), gymnasium.spaces.Box)
    for one in (plain, env):
        one.reset(seed=5)
    rng = random.Random(5)
    while plain.agents:
        expected, reward, terminated, _, _ = plain.last()
        seen, *others, info = env.last()
        assert env.agent_selection == plain.agent_selection
        assert seen in env.observation_space(env.agent_selection)
        assert np.array_equal(seen, expected["observation"])
        assert others == [reward, terminated, False]
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        for agent in env.agents:
            assert env.infos[agent]["action_mask"].any() == (agent == env.agent_selection and not terminated)
        action = None if terminated else rng.choice(legal_ids(expected))
        plain.step(action)
        env.step(action)


def test_pettingzoo_finds_masks_in_infos() -> None:
    env = made("two", True, mask_in="info")
    api_test(env, num_cycles=200)
    env.reset(seed=2)
    loser = env.agent_selection
    env.step(int(np.flatnonzero(env.last()[-1]["action_mask"] == 0)[0]))
    assert env.rewards[loser] == -1
    assert not env.infos[loser]["action_mask"].any()
