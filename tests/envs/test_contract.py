"""Properties of every environment API: refused resets, illegal ends, hidden information, masks and infos."""

from __future__ import annotations

import copy
import json
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import NormalizeObservation, RecordEpisodeStatistics

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.game.game import Game, IllegalActionError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.render import render_boards
from porta_nigra_env.envs.sb3 import MaskedVecEnv
from porta_nigra_env.envs.vector import SeatVectorEnv
from porta_nigra_env.games import GAMES, make_game
from tests.envs.drivers import APIS, Driver, Seen, drive
from tests.envs.recorded import game_of

every_api = pytest.mark.parametrize("api", APIS)
every_game = pytest.mark.parametrize("name", GAMES)
LEARNERS = [api for api in APIS if api != "aec"]
EXAMPLE = json.loads(
    (Path(__file__).parents[1] / "games" / "porta_nigra" / "oracle" / "position_example.json").read_text("utf-8")
)


def last_legal(mask: Any) -> int:
    """Return the last legal action; 0 without one."""
    return int(np.flatnonzero(mask)[-1]) if mask.any() else 0


def over() -> dict[str, Any]:
    """Return a finished game for three."""
    return porta_nigra_v0.State.new(num_players=3, seed=1).rollout(seed=1).to_dict()


def after(game: Game, *actions: str) -> dict[str, Any]:
    """Return the position of a game after some actions."""
    raw = GameAEC(game)
    raw.reset(seed=1)
    for action in actions:
        raw.step(action)
    return raw.game.position(raw.states)


# ------------------------------------------------------------------------------------------------ reset


@every_api
@pytest.mark.parametrize(
    ("seed", "options", "error", "message"),
    [
        (-1, None, ValueError, r"seed must be in 0\.\.2\*\*63-1"),
        (2**63, None, ValueError, r"seed must be in 0\.\.2\*\*63-1"),
        (1.0, None, TypeError, "seed must be an integer"),
        (8, {"positoin": EXAMPLE}, ValueError, "unknown option 'positoin'; reset knows"),
        (8, [("position", EXAMPLE)], ValueError, "options must be a dict"),
        (8, {"position": porta_nigra_v0.State.new(num_players=2, seed=1)}, ValueError, "num_players"),
        (8, {"position": {**EXAMPLE, "reserve": 1}}, ValueError, "brick"),
        (8, {"position": "{"}, ValueError, "not JSON"),
        (8, {"position": 7}, TypeError, "position must be"),
        (8, {"position": over()}, ValueError, "the game is over there"),
    ],
    ids=["negative", "large", "float", "slip", "list", "players", "bricks", "json", "number", "over"],
)
def test_a_refused_reset_changes_nothing(api: str, seed: int, options: Any, error: Any, message: str) -> None:
    if isinstance(options, list) and api == "sb3":
        options = [options]  # one for each game
    driver, twin = (drive(api, game_of("three")) for _ in range(2))
    left, right = driver.reset(seed=3), twin.reset(seed=3)
    for _ in range(2):
        with pytest.raises(error, match=message):
            driver.reset(seed=seed, options=options)
        action = last_legal(right["mask"])
        left, right = driver.step(action), twin.step(action)
        np.testing.assert_equal(left, right)
    if api == "sb3":  # its seeds stay for the next reset
        driver.env._reset_seeds()
    np.testing.assert_equal(driver.reset(), twin.reset())


def test_a_refused_position_of_one_game_keeps_all_games() -> None:
    env, twin = (MaskedVecEnv(game_of("three"), 3) for _ in range(2))
    for vec in (env, twin):
        vec.seed(3)
        vec.reset()
    env.set_options([{}, {"position": {**EXAMPLE, "reserve": 1}}, {}])
    with pytest.raises(ValueError, match="brick"):
        env.reset()
    actions = twin.action_masks().argmax(axis=1)
    np.testing.assert_equal(env.step(actions), twin.step(actions))
    env.set_options({})
    np.testing.assert_equal(env.reset(), twin.reset())


@pytest.mark.parametrize("api", [*LEARNERS, "same_step"])
def test_a_game_that_ends_before_the_learners_turn_is_refused(api: str) -> None:
    game = game_of("kuhn")
    driver, twin = drive(api, game), drive(api, game)
    message = r"ended before the learner on seat 0 was asked; begin earlier"
    with pytest.raises(ValueError, match=message):
        driver.reset(options={"position": after(game, "bet")})
    for env in (driver, twin):
        assert not env.reset(seed=2)["ended"]
    with pytest.raises(ValueError, match=message):
        driver.reset(options={"position": after(game, "bet")})
    np.testing.assert_equal(driver.step(1), twin.step(1))
    assert not driver.reset(seed=1, options={"position": after(game, "pass", "bet")})["ended"]


@every_api
def test_returned_arrays_belong_to_the_caller(api: str) -> None:
    driver, spoiled = (drive(api, game_of("three")) for _ in range(2))
    seen, other, kept = driver.reset(seed=4), spoiled.reset(seed=4), list[Any]()
    while not seen["ended"] and len(kept) < 60:
        np.testing.assert_equal(seen, other)
        kept.append((seen, copy.deepcopy(seen)))
        action = last_legal(seen["mask"])
        for array in (other["observation"], other["mask"]):
            array.fill(9)
        seen, other = driver.step(action), spoiled.step(action)
    for returned, copied in kept:
        np.testing.assert_equal(returned, copied)


@every_api
@pytest.mark.parametrize(("name", "reward"), [("two", "points"), ("other-three", "outcome"), ("kuhn", "points")])
def test_copies_play_on_identically(api: str, name: str, reward: str) -> None:
    driver, alone = (drive(api, game_of(name), reward=reward) for _ in range(2))
    seen, expected = driver.reset(seed=6), alone.reset(seed=6)
    for number in range(40):
        np.testing.assert_equal(seen, expected)
        if seen["ended"]:
            break
        if number % 10 == 0:
            twins = [copy.deepcopy(driver), pickle.loads(pickle.dumps(driver)), copy.deepcopy(copy.deepcopy(driver))]
            rests = [list(rest(twin, seen)) for twin in twins]
            np.testing.assert_equal(rests[1:], rests[:1] * 2)
        action = last_legal(seen["mask"])
        seen, expected = driver.step(action), alone.step(action)


def rest(driver: Driver, seen: Seen) -> Iterator[Seen]:
    """Play to the end and begin the next game."""
    while not seen["ended"]:
        yield (seen := driver.step(last_legal(seen["mask"])))
    yield driver.reset()


@every_api
def test_games_without_a_seed_follow_from_the_last_one(api: str) -> None:
    left, right, fresh = (drive(api, game_of("three")) for _ in range(3))
    for seed in (99, None):
        right.reset(seed=seed)
    games = [(left.reset(seed=2), right.reset(seed=2))] + [(left.reset(), right.reset()) for _ in range(4)]
    for game, same in games:
        np.testing.assert_equal(game, same)
    observations = [seen["observation"].tobytes() for seen, _ in games] + [fresh.reset()["observation"].tobytes()]
    assert len(set(observations)) == 6, "without any seed, the operating system's"


UNREADABLE: list[Any] = [None, "dance", 1.0, True, np.True_, np.float32(1), [1], np.array([1, 2]), -1, 10**6, 2**80]


@pytest.mark.parametrize("api", ["aec", "seat"])
@pytest.mark.parametrize(("name", "reward"), [("two", "points"), ("three", "margin"), ("kuhn", "outcome")])
def test_illegal_actions_leave_no_trace(api: str, name: str, reward: str) -> None:
    """Action strings are actions."""
    options = {"reward": reward} | ({} if api == "aec" else {"illegal_action": "raise"})
    driver, untouched = (drive(api, game_of(name), **options) for _ in range(2))
    seen, expected = driver.reset(seed=8), untouched.reset(seed=8)
    while not seen["ended"]:
        np.testing.assert_equal(seen, expected)
        for action in [*UNREADABLE, *np.flatnonzero(seen["mask"] == 0).tolist()[::20]]:
            with pytest.raises(IllegalActionError, match="may choose"):
                driver.env.step(action)
        number = last_legal(seen["mask"])
        seen, expected = driver.step(game_of(name).action_texts[number]), untouched.step(number)
    np.testing.assert_equal(seen, expected)


@every_api
def test_an_option_of_none_is_no_option(api: str) -> None:
    driver = drive(api, game_of("two"))
    np.testing.assert_equal(driver.reset(seed=4, options={"position": None}), driver.reset(seed=4))


@every_api
def test_a_game_begins_at_a_position(api: str) -> None:
    state = porta_nigra_v0.State.from_dict(EXAMPLE, seed=5)
    driver = drive(api, game_of("three"), **({} if api == "aec" else {"seat": state.player}))
    for given in (EXAMPLE, json.dumps(EXAMPLE), state):
        seen = driver.reset(seed=5, options={"position": given})
        assert np.array_equal(seen["observation"], state.observation(state.player))
        assert np.array_equal(seen["mask"], state.action_mask())
        assert seen["board"] == state.board(state.player)


def test_positions_count_as_games_of_the_rotation() -> None:
    env, position = MaskedVecEnv(game_of("two"), 2, seat="rotate"), after(game_of("two"))
    env.seed(4)
    seats = []
    for options in ({}, [{}, {"position": position}], {"position": position}, {}):
        env.set_options(options)
        env.reset()
        seats.append([info["seat"] for info in env.reset_infos])
    assert seats == [[0, 1], [1, 0], [0, 1], [1, 0]]


@pytest.mark.parametrize("api", [*APIS, "same_step"])
def test_nothing_is_shown_before_reset(api: str) -> None:
    env = drive(api, game_of("two")).env
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        env.env_method("render") if api == "sb3" else env.render()


@pytest.mark.parametrize("make", [GameAEC, SeatEnv, SeatVectorEnv])
def test_rendering_without_a_mode_is_warned_about(make: Any) -> None:
    env = make(game_of("kuhn"))
    env.reset(seed=1)
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None


def simulating(view: View) -> int:
    """Fail in a simulation, as an agent with a mistake does."""
    raise IllegalActionError("an action of the simulation")


@pytest.mark.parametrize("api", LEARNERS)
def test_an_error_of_an_opponent_is_not_the_learners(api: str) -> None:
    driver = drive(api, game_of("kuhn"), opponents=simulating, illegal_action="raise")
    driver.reset(seed=1)
    with pytest.raises(RuntimeError, match=r"simulating.*an action of the simulation"):
        driver.step(0)


# ------------------------------------------------------------------------------------------------ two worlds


def worlds(name: str) -> Iterator[tuple[Game, State, State]]:
    """Yield pairs of states before a step of seat 0 that differ in the information hidden from it."""
    game = make_game(name)
    state, rng, pairs = State(game, game.new_states(7)), np.random.default_rng(7), 0
    while not state.is_over and pairs < 6:
        if state.player == 0 and rng.random() < 0.15:
            pairs += 1
            yield game, state, state.determinize(0, pairs)
        state.apply_id(rng.choice(state.legal_ids()))


@every_game
@every_api
def test_the_learner_sees_no_hidden_information(name: str, api: str) -> None:
    """Observation, mask and board are the same in both worlds, after an illegal end too, and those of `SeatEnv`."""
    for game, state, other in worlds(name):
        drivers = [drive(api, game), drive(api, game), drive("seat", game)]
        expected = state.observation(0), state.action_mask(), state.board(0)
        for driver, world in zip(drivers, (state, other, state), strict=True):
            seen = driver.reset(seed=1, options={"position": world})
            np.testing.assert_equal((seen["observation"], seen["mask"], seen["board"]), expected)
        assert state != other
        if api == "aec":
            continue
        illegal = int(state.action_mask().argmin())
        for driver in drivers:
            seen = driver.step(illegal)
            assert (seen["ended"], seen["reward"], seen["places"][0]) == (True, -1, game.num_players)
            assert np.array_equal(seen["observation"], expected[0])
            assert not seen["mask"].any()
            assert seen["board"] == (None if api == "sb3" and driver is not drivers[2] else expected[2])


@every_game
@pytest.mark.parametrize("mode", ["next_step", "disabled"])
def test_a_batch_keeps_the_state_of_an_illegal_end(name: str, mode: str) -> None:
    game = make_game(name)
    env = BatchEnv(game, 2, illegal_action="terminate", autoreset_mode=mode)
    env.reset(seed=3)
    states, movers = env.states.copy(), env.current_player.copy()
    boards = [env.board(row, int(movers[row])) for row in range(2)]
    env.step([-1, -1])
    for _ in range(2):
        assert env.states.tobytes() == states.tobytes()
        assert (env.current_player.tolist(), env.illegal.tolist()) == ([-1, -1], [True, True])
        assert not env.action_masks.any()
        assert not env.observations.any()
        assert [env.board(row, int(movers[row])) for row in range(2)] == boards
        with pytest.raises(ValueError, match="the game in row 0 is over"):
            env.view(0)
        env.restore(env.snapshot())
    env.reset(seed=3)
    assert env.states.tobytes() == states.tobytes()
    assert env.current_player.tolist() == movers.tolist()
    assert not env.illegal.any()


@every_game
def test_threads_paint_the_same_pictures(name: str) -> None:
    """Both worlds of a seat have one picture, and no other seat's, while other threads paint."""
    jobs = [(game, world, 0) for game, *pair in worlds(name) for world in (w.clone() for w in pair)]
    jobs += [(game, world, seat) for game, world, _ in jobs for seat in range(1, game.num_players)]

    def paint(job: tuple[Game, State, int]) -> bytes:
        game, world, seat = job
        picture: bytes = render_boards("rgb_array", game, world.states, [seat])[0].tobytes()
        return picture

    wanted = [paint(job) for job in jobs]
    assert len(set(wanted)) >= len(wanted) // 2
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            painted = list(pool.map(paint, jobs * 3))
    finally:
        sys.setswitchinterval(interval)
    assert painted == wanted * 3


# ------------------------------------------------------------------------------------------------ masks and infos

FORMATS: list[dict[str, Any]] = [
    {"mask_in": where, "mask_dtype": dtype} for where in ("info", "observation") for dtype in ("int8", "bool")
]
every_format = pytest.mark.parametrize("formats", FORMATS, ids=lambda formats: "-".join(formats.values()))


def shapes(infos: dict[str, Any]) -> dict[str, Any]:
    """Return the dtype and shape of every info."""
    return {key: (np.asarray(value).dtype, np.shape(value)) for key, value in infos.items()}


@every_format
@pytest.mark.parametrize("name", ["two", "kuhn"])
def test_formats_of_masks(name: str, formats: dict[str, Any]) -> None:
    """Every format holds the same values, in the space, and infos have constant keys, shapes and dtypes."""
    plain, env = SeatEnv(game_of(name)), SeatEnv(game_of(name), **formats)
    check_env(SeatEnv(game_of(name), **formats), skip_render_check=True)
    (expected, expected_info), (seen, info) = plain.reset(seed=5), env.reset(seed=5)
    keys, ended = shapes(info), False
    while not ended:
        assert seen in env.observation_space
        assert shapes(info) == keys
        assert info["illegal_action"] == -1
        assert not info["places"].any()
        inside = formats["mask_in"] == "observation"
        assert ("action_mask" in info) != inside
        mask = (seen if inside else info)["action_mask"]
        assert mask.dtype == formats["mask_dtype"]
        np.testing.assert_array_equal(mask, expected_info["action_mask"])
        np.testing.assert_array_equal(seen["observation"] if inside else seen, expected)
        action = last_legal(mask)
        expected, _, _, _, expected_info = plain.step(action)
        seen, _, ended, _, info = env.step(action)
    assert shapes(info) == keys
    assert 1 in info["places"]
    assert np.array_equal(pickle.loads(pickle.dumps(env)).action_masks(), env.action_masks())


@pytest.mark.parametrize("options", [{"mask_in": "both"}, {"mask_dtype": "uint8"}])
@pytest.mark.parametrize("make", [SeatEnv, SeatVectorEnv, GameAEC])
def test_other_formats_are_refused(make: Any, options: dict[str, Any]) -> None:
    name = next(iter(options))
    with pytest.raises(TypeError if make is GameAEC and name == "mask_dtype" else ValueError, match=name):
        make(game_of("kuhn"), **options)


@every_format
@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_infos_of_many_games_have_constant_keys(mode: str, formats: dict[str, Any]) -> None:
    env = gymnasium.make_vec("PortaNigra-v0", num_envs=3, autoreset_mode=mode, **formats)
    seen, infos = env.reset(seed=1)
    keys, ends = shapes(infos), 0
    for step in range(120):
        assert seen in env.observation_space
        masks = (infos if formats["mask_in"] == "info" else seen)["action_mask"]
        assert masks.dtype == formats["mask_dtype"]
        actions = [0 if step == 5 else last_legal(mask) for mask in masks]
        seen, _, ended, _, infos = env.step(np.array(actions))
        final = infos.get("final_info", infos)
        assert ("final_info" in infos) == (mode == "same_step" and ended.any())
        assert shapes({key: infos[key] for key in keys}) == keys
        assert final["_scores"].tolist() == ended.tolist()
        assert final["illegal_action"].tolist() == [step == 5] * 3
        assert final["places"].any(axis=1).tolist() == ended.tolist()
        ends += ended.sum()
    assert ends > 3
    env.close()


def test_gymnasiums_vector_wrappers_take_it() -> None:
    """The default mode is that of Gymnasium's vector environments."""
    env: Any = gymnasium.make_vec("PortaNigra-v0", num_envs=2, num_players=3, seat=2, reward="points")
    assert isinstance(env.unwrapped, SeatVectorEnv)
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.NEXT_STEP
    env = NormalizeObservation(RecordEpisodeStatistics(env))
    _, infos = env.reset(seed=1)
    played = np.zeros(2, dtype=int)
    while "episode" not in infos:
        *_, infos = env.step(np.array([last_legal(mask) for mask in infos["action_mask"]]))
        played += 1
        assert (infos["seat"] == 2).all()
    row = int(infos["_episode"].argmax())
    assert infos["episode"]["l"][row] == played[row] < infos["length"][row]
    assert infos["episode"]["r"][row] == infos["scores"][row, 2]


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)])
def test_arrays_of_one_action_are_actions(shape: tuple[int, ...]) -> None:
    env, other = SeatEnv(game_of("two"), seat=0), SeatEnv(game_of("two"), seat=0)
    env.reset(seed=1)
    action = last_legal(other.reset(seed=1)[1]["action_mask"])
    np.testing.assert_equal(env.step(np.full(shape, action)), other.step(action))  # type: ignore[arg-type]
    for wrong in (np.array([1.0]), np.array([True]), np.array([1, 2])):
        with pytest.raises(IllegalActionError, match="integer id"):
            env.step(wrong)  # type: ignore[arg-type]
