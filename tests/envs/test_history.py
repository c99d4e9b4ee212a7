"""Histories and events: the same in every environment, and nothing but what a seat has seen."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test

from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.events import Facts
from porta_nigra_env.core.narration.history import History, decoded, retell, vocabulary
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_entry, make_game
from tests.toys.dice.game import Dice
from tests.toys.kuhn.game import Kuhn

every_game = pytest.mark.parametrize("name", GAMES)
#: Events of a history.
LENGTH = 12


def largest(name: str) -> Any:
    """The game with the most players."""
    return make_game(name, max(game_entry(name).seats))


def chosen(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


@every_game
def test_a_batch_records_what_each_seat_has_seen(name: str) -> None:
    game, rng = largest(name), np.random.default_rng(1)
    facts, batch = Facts(game), BatchEnv(game, 2, history=LENGTH)
    batch.reset(7)
    seen: list[list[list[Any]]] = [[[] for _ in range(game.num_players)] for _ in range(2)]
    for _ in range(400):
        before, actions = batch.states.copy(), [chosen(mask, rng) for mask in batch.action_masks]
        after = [State(game, before[row : row + 1].copy()).apply_id(actions[row]) for row in range(2)]
        batch.step(actions)
        for row in range(2):
            for seat in range(game.num_players):
                seen[row][seat] += facts.events(before[row : row + 1], after[row].states, seat)
            if batch.terminated[row]:
                assert not batch.histories[row].any()
                seen[row] = [[] for _ in range(game.num_players)]
                continue
            seat = int(batch.current_player[row])
            assert decoded(facts, batch.histories[row], seat) == seen[row][seat][-LENGTH:]


@pytest.mark.parametrize(("name", "players"), [(name, players) for name in GAMES for players in game_entry(name).seats])
@pytest.mark.parametrize("games", [50, pytest.param(10_000, marks=[pytest.mark.long, pytest.mark.timeout(7200)])])
def test_two_worlds_have_the_same_histories(name: str, players: int, games: int) -> None:
    """A seat that cannot tell two worlds apart, before and after an action, gets the same bytes of it in both."""
    game, rng, rows, length = make_game(name, players), np.random.default_rng(1), min(games, 500), 128
    real, twin = (BatchEnv(game, rows, seat="every", history=length) for _ in range(2))
    played = BatchEnv(game, rows, seat="every", autoreset_mode="same_step")
    played.reset(seed=1)
    step, constants, finished, compared, different = 0, game.constants, 0, 0, 0
    while finished < games:
        actions = played.random_actions(rng)
        if step % 4 == 0:
            seats, worlds = rng.integers(players, size=rows), played.states.copy()
            for row in range(rows):
                game.kernel.determinize(constants, worlds, row, int(seats[row]), int(rng.integers(2**31)))
            different += int((worlds.view(np.uint8) != played.states.view(np.uint8)).any())
            real.load(played.states, seed=1)
            twin.load(worlds, seed=1)
            both = np.flatnonzero(twin.action_masks[np.arange(rows), actions] > 0)
            real.step(actions)
            twin.step(np.where(np.isin(np.arange(rows), both), actions, twin.action_masks.argmax(axis=1)))
            here, there = (batch._rows.history.events for batch in (real, twin))
            seen = [batch.states.copy() for batch in (real, twin)]
            for row in both.tolist():
                seat = int(seats[row])
                for states in seen:
                    game.kernel.redact(constants, states, row, seat)
                if seen[0][row] == seen[1][row]:
                    assert (here[row, seat] == there[row, seat]).all()
                    compared += 1
        finished += int((played.step(actions).terminated).sum())
        step += 1
    assert compared > games
    assert different
    print(f"{name}, {players} players: {finished} games, {compared} steps compared")


def remembered(game: Any, steps: int, seed: int) -> tuple[State, Any, int]:
    """A position after random actions, the histories of all seats, int16 (players, LENGTH, 4), and the last action."""
    rng, batch, history, action = np.random.default_rng(seed), BatchEnv(game, 1), History(game, LENGTH), -1
    batch.reset(seed)
    history.begin(batch.states)
    for _ in range(steps):
        action = chosen(batch.action_masks[0], rng)
        batch.step([action])
        history.update(batch.states)
    tokens = np.stack([history.tokens(seat) for seat in range(game.num_players)])
    return State(game, batch.states.copy()), tokens, action


@every_game
def test_a_loaded_game_continues_its_histories(name: str) -> None:
    game = make_game(name)
    state, tokens, _ = remembered(game, 30, 3)
    later, longer, action = remembered(game, 31, 3)
    batch = BatchEnv(game, 2, history=LENGTH)
    batch.load(state, told=np.stack([tokens, np.zeros_like(tokens)]), seed=1)
    assert (batch.histories[0] == tokens[state.current_player]).all()
    assert not batch.histories[1].any()
    batch.step([action] * 2)
    assert (batch.histories[0] == longer[later.current_player]).all()


def test_histories_that_do_not_fit_are_refused_before_anything_changes() -> None:
    game = make_game(DEFAULT_GAME)
    state, tokens, _ = remembered(game, 30, 3)
    batch = BatchEnv(game, 2, history=LENGTH)
    batch.reset(1)
    before = batch.states.copy()
    wrong = np.stack([tokens, tokens])
    wrong[0, 0, -1, 0] = 30_000
    with pytest.raises(ValueError, match="an entry must be in 0"):
        batch.load(state, told=wrong)
    with pytest.raises(ValueError, match=r"histories must be int16 \(2, 2, 12, 4\)"):
        batch.load(state, told=tokens)
    assert (batch.states == before).all()


@every_game
def test_a_seat_knows_what_others_have_seen_of_public_events(name: str) -> None:
    game = largest(name)
    facts = Facts(game)
    public = {fact.kind for fact in facts.narration.facts if fact.seen_by == "all"}
    for seed in range(3):
        _, tokens, _ = remembered(game, 60, seed)
        for observer in range(game.num_players):
            told = retell(game, tokens[observer], observer)
            assert (told[observer] == tokens[observer]).all()
            for seat in range(game.num_players):
                if seat != observer:
                    known = decoded(facts, told[seat], seat)
                    assert known
                    assert known == [
                        event for event in decoded(facts, tokens[observer], observer) if event.kind in public
                    ]


@every_game
@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_all_environments_have_the_same_histories(name: str, mode: str) -> None:
    game, rng = make_game(name), np.random.default_rng(3)
    options: Any = {"seat": "rotate", "history": LENGTH, "mask_in": "observation"}
    vector = SeatVectorEnv(game, 2, autoreset_mode=mode, threads=2, **options)
    single = [SeatEnv(game, events=True, **options) for _ in range(2)]
    observations, _ = vector.reset(seed=5)
    rows = [env.reset(seed=5 + row)[0] for row, env in enumerate(single)]
    ends = 0
    for _ in range(150):
        for row in range(2):
            for part in ("observation", "action_mask", "history"):
                assert (observations[part][row] == rows[row][part]).all(), part
        actions = [chosen(each["action_mask"], rng) if each["action_mask"].any() else 0 for each in rows]
        resting = [not each["action_mask"].any() for each in rows]
        observations, _, ended, _, infos = vector.step(actions)
        for row, env in enumerate(single):
            if resting[row]:
                rows[row] = env.reset()[0]
                continue
            rows[row], _, over, _, _ = env.step(actions[row])
            assert over == ended[row]
            if over:
                ends += 1
                if mode == "same_step":
                    assert (infos["final_obs"][row]["history"] == rows[row]["history"]).all()
                    rows[row] = env.reset()[0]
    assert ends


def test_events_of_infos_are_those_since_the_last_action() -> None:
    game, rng = make_game(DEFAULT_GAME, 3), np.random.default_rng(0)
    env, facts = GameAEC(game, events=True), Facts(game)
    env.reset(seed=4)
    since: list[list[Any]] = [[] for _ in range(3)]
    while env.agents and not any(env.terminations.values()):
        for seat, agent in enumerate(env.possible_agents):
            assert env.infos[agent]["events"] == [facts.record(event) for event in since[seat]]
        twin, before, seat = env.clone(), env.states.copy(), env.possible_agents.index(env.agent_selection)
        action = chosen(env.observe(env.agent_selection)["action_mask"], rng)
        env.step(action)
        since[seat] = []
        for observer in range(3):
            since[observer] += facts.events(before, env.states, observer)
        twin.step(action)
        assert [info["events"] for info in twin.infos.values()] == [info["events"] for info in env.infos.values()]
    assert {"scores", "events"} <= env.infos["player_0"].keys()


# Batches of uint8 have other loops: most of their time goes into compiling.
@pytest.mark.parametrize(
    "options",
    [
        {}, {"double_buffer": True}, {"threads": 2}, {"observations": "float16"},
        pytest.param({"observations": "uint8"}, marks=pytest.mark.long),
    ],
)  # fmt: skip
def test_a_copy_and_a_snapshot_go_on_with_the_same_histories(options: dict[str, Any]) -> None:
    game = make_game(DEFAULT_GAME)
    batch = BatchEnv(game, 4, seat="random", history=LENGTH, **options)
    batch.reset(2)
    for _ in range(20):
        batch.step(batch.random_actions())
    restored = BatchEnv(game, 4, seat="random", history=LENGTH, **options)
    restored.restore(batch.snapshot())
    twins = [restored, copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for _ in range(200):
        actions = batch.random_actions()
        batch.step(actions)
        for twin in twins:
            twin.step(actions)
            assert (twin.histories == batch.histories).all()
            assert (twin.final_histories == batch.final_histories).all()
    assert batch.final_histories.any()
    with pytest.raises(ValueError, match="history"):
        BatchEnv(game, 4, seat="random", history=LENGTH + 1, **options).restore(batch.snapshot())


def test_a_double_buffer_keeps_the_histories_of_the_last_step() -> None:
    batch = BatchEnv(make_game(DEFAULT_GAME), 3, history=LENGTH, double_buffer=True)
    batch.reset(1)
    for _ in range(30):
        before, kept = batch.histories, batch.histories.copy()
        batch.step(batch.random_actions())
        assert (before == kept).all()
        assert batch.histories is not before


@pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning",
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
def test_histories_pass_the_checks_of_gymnasium_and_pettingzoo() -> None:
    game = make_game(DEFAULT_GAME)
    check_env(SeatEnv(game, 0, history=LENGTH, events=True, mask_in="observation"), skip_render_check=True)
    env = wrap(GameAEC(game, history=LENGTH, events=True))
    api_test(env, num_cycles=50)
    space = env.observation_space("player_0")
    assert isinstance(space, gymnasium.spaces.Dict)
    assert space["history"].shape == (LENGTH, 4)
    alone = SeatEnv(game, 0, history=LENGTH)
    assert set(alone.reset(seed=1)[0]) == {"observation", "history"}


def test_stable_baselines_gets_histories() -> None:
    env = MaskedVecEnv(make_game(DEFAULT_GAME), 2, history=LENGTH)
    env.seed(3)
    assert set(env.reset()) == {"observation", "history"}
    for _ in range(100):
        masks = env.action_masks()
        env.step_async(np.array([int(mask.argmax()) for mask in masks]))
        observations, _, dones, infos = env.step_wait()
        assert observations["history"].shape == (2, LENGTH, 4)
        for row in np.flatnonzero(dones):
            assert infos[row]["terminal_observation"]["history"].any()


def test_a_clipped_value_and_hidden_cards_of_a_small_game() -> None:
    game = Kuhn()
    state, facts = State(game, game.new_states(0)), Facts(game)
    start = state.states.copy()
    state.apply_id(1)
    for seat in range(2):
        assert all(event.kind != "card" for event in facts.events(start, state.states, seat))
    middle = state.states.copy()
    state.apply_id(1)
    shown = [event for event in facts.events(middle, state.states, 0) if event.kind == "card"]
    assert [(event.index, event.before) for event in shown] == [((1,), -1)]
    assert vocabulary(game) == [
        "card seat+0", "card seat+1", "chosen first", "chosen second", "chosen third", "mover",
    ]  # fmt: skip


@pytest.mark.parametrize("history", [-1, 1.5, "3", True])
def test_a_wrong_length_is_refused(history: Any) -> None:
    game = make_game(DEFAULT_GAME)
    for make in (GameAEC, SeatEnv, lambda game, **options: BatchEnv(game, 2, **options)):
        with pytest.raises(ValueError, match="history must be a number of events"):
            make(game, history=history)


def test_a_game_without_narration_has_no_history() -> None:
    with pytest.raises(ValueError, match="dice has no narration"):
        BatchEnv(Dice(), 2, history=LENGTH)
    with pytest.raises(ValueError, match="dice has no narration"):
        GameAEC(Dice(), events=True)
    with pytest.raises(ValueError, match="dice has no narration"):
        SeatEnv(Dice(), 0, events=True)


def test_pickled_environments_go_on_with_the_same_events() -> None:
    game = make_game(DEFAULT_GAME)
    seat, aec = SeatEnv(game, 0, history=LENGTH, events=True), GameAEC(game, history=LENGTH, events=True)
    _, info = seat.reset(seed=4)
    twin = pickle.loads(pickle.dumps(seat))
    action = int(info["action_mask"].argmax())
    (here, *_, told), (there, *_, again) = seat.step(action), twin.step(action)
    assert (here["history"] == there["history"]).all()
    assert told["events"] == again["events"] != []
    aec.reset(seed=4)
    other = pickle.loads(pickle.dumps(aec))
    for env in (aec, other):
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert aec.infos == other.infos
