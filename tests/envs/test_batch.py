"""`BatchEnv`: equal to single games, independent of size, order and threads, and strict about its input."""

from __future__ import annotations

import contextlib
import copy
import io
import os
import pickle
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import numpy.typing as npt
import pytest
import torch
from gymnasium.vector import AutoresetMode

from porta_nigra_env import porta_nigra_v0
from porta_nigra_env.core.arrays.rng import later_seed
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.gymnasium import SeatEnv
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.envs.rewards import REWARDS
from porta_nigra_env.games import GAMES as REAL_GAMES
from porta_nigra_env.games import make_game
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from tests.envs.probes import BLIND, BROKEN, HIGHEST, LOWEST, PEEKING, WATCHFUL, Answers, LowestAgent
from tests.envs.recorded import GAMES, game_of
from tests.toys.dice.game import Dice

#: A policy that reads the states of another game.
ELSEWHERE = replace(LOWEST, game="dice")

every_game = pytest.mark.parametrize("name", GAMES)


def arrays(env: BatchEnv) -> list[npt.NDArray[Any]]:
    """Return copies of all outputs of a batch."""
    shown = [
        env.observations, env.action_masks, env.rewards, env.terminated, env.current_player, env.final_scores,
        env.learners, env.lengths, env.last_lengths, env.last_learners, env.illegal,
    ]  # fmt: skip
    return [array.copy() for array in shown]


def same(left: list[npt.NDArray[Any]], right: list[npt.NDArray[Any]]) -> bool:
    """Return True if two results of `arrays` are equal to the last bit."""
    return all(one.tobytes() == other.tobytes() for one, other in zip(left, right, strict=True))


def trajectory(env: BatchEnv, steps: int, seed: int = 0) -> list[list[npt.NDArray[Any]]]:
    """Return all outputs of `steps` steps with actions that depend on the row alone."""
    shown = [arrays(env)]
    turns = np.random.default_rng(seed).integers(1 << 30, size=steps)
    for turn in turns.tolist():
        masks = env.views().action_masks if env.action_masks.dtype != np.int8 else env.action_masks
        count = np.maximum(masks.sum(axis=1), 1)
        actions = np.argsort(-masks, axis=1, kind="stable")[np.arange(len(masks)), turn % count]
        env.step(actions)
        shown.append(arrays(env))
    return shown


# ------------------------------------------------------------------------------------------------- batch and single


@every_game
@pytest.mark.parametrize("reward", REWARDS)
def test_a_row_is_a_single_environment(name: str, reward: str) -> None:
    """Observations, masks, rewards, ends and the games that follow are those of `raw_env` with seed + row."""
    game = game_of(name)
    env = BatchEnv(game, 3, reward=reward)
    singles = [GameAEC(game, reward=reward) for _ in range(3)]
    env.reset(seed=11)
    for row, single in enumerate(singles):
        single.reset(seed=11 + row)
    chance = np.random.default_rng(1)
    games = [0, 0, 0]
    while min(games) < 2:
        for row, single in enumerate(singles):
            seen = single.observe(single.agent_selection)
            assert np.array_equal(env.observations[row], seen["observation"])
            assert np.array_equal(env.action_masks[row], seen["action_mask"])
            assert single.possible_agents[env.current_player[row]] == single.agent_selection
        actions = env.random_actions(chance)
        env.step(actions)
        for row, single in enumerate(singles):
            single.step(int(actions[row]))
            gains = [single.rewards[agent] for agent in single.possible_agents]
            assert env.rewards[row].tolist() == np.array(gains, dtype=np.float32).tolist()
            ended = all(single.terminations.values())
            assert env.terminated[row] == ended
            if ended:
                totals = np.zeros(game.num_players, dtype=np.int32)
                game.kernel.score(game.constants, single.states, 0, totals)
                assert np.array_equal(env.final_scores[row], totals)
                single.reset()
                games[row] += 1


@every_game
@pytest.mark.parametrize("options", [{}, {"seat": "rotate"}, {"seat": "random", "opponents": LOWEST}, {"seat": 1}])
def test_rows_do_not_depend_on_size_threads_or_buffers(name: str, options: dict[str, Any]) -> None:
    game = game_of(name)
    seeds = [7, 3, 2**62, 5]

    def shown(order: list[int], **more: Any) -> list[list[npt.NDArray[Any]]]:
        env = BatchEnv(game, len(order), **options, **more)
        env.reset([seeds[row] for row in order])
        rows = [order.index(row) for row in range(4)]
        return [[array[rows] for array in moment] for moment in trajectory(env, 60)]

    expected = shown([0, 1, 2, 3])
    others = [
        shown([3, 1, 0, 2]),
        shown([0, 1, 2, 3, 3, 2, 1, 0, 0], threads=3),
        shown([2, 3, 1, 0, 1], threads=2, double_buffer=True),
    ]
    for other in others:
        assert all(same(one, two) for one, two in zip(expected, other, strict=True))


# ----------------------------------------------------------------------------------------------------------- autoreset


def test_the_three_kinds_of_autoreset() -> None:
    game = game_of("two")
    envs = {mode: BatchEnv(game, 1, autoreset_mode=mode) for mode in AutoresetMode}
    for env in envs.values():
        env.reset(seed=5)
    chance = np.random.default_rng(3)
    while True:
        actions = envs[AutoresetMode.DISABLED].random_actions(chance)
        for env in envs.values():
            env.step(actions)
        if envs[AutoresetMode.DISABLED].terminated[0]:
            break
    result = envs[AutoresetMode.DISABLED]
    for env in envs.values():
        assert env.terminated.tolist() == [True]
        assert np.array_equal(env.rewards, result.rewards)
        assert np.array_equal(env.final_scores, result.final_scores)
        assert abs(env.rewards).sum() == 2

    at_once, later, never = (envs[AutoresetMode(name)] for name in ("SameStep", "NextStep", "Disabled"))
    for env in (later, never):
        assert env.current_player.tolist() == [-1]
        assert not env.action_masks.any()
        assert not env.observations.any()
    later.step([123456])  # not an action
    assert later.terminated.tolist() == [False]
    assert not later.rewards.any()
    assert np.array_equal(later.observations, at_once.observations)
    assert np.array_equal(later.states, at_once.states)
    never.step([-5])
    assert never.current_player.tolist() == [-1]
    assert never.terminated.tolist() == [False]
    never.reset(rows=[0])
    assert np.array_equal(never.states, at_once.states)


def test_random_actions_repeat_after_the_same_seed() -> None:
    """They depend on the row's seed, not on other rows."""
    env, alone = BatchEnv(game_of("two"), 3), BatchEnv(game_of("two"), 1)
    found = []
    for seed in (5, 5, 6):
        env.reset(seed=seed)
        found.append([env.step(env.random_actions()).observations.copy() for _ in range(40)])
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])
    alone.reset(seed=7)
    steps = [alone.step(alone.random_actions()).observations[0].copy() for _ in range(40)]
    assert np.array_equal(steps, np.array(found[0])[:, 2])
    assert len({tuple(env.random_actions()) for _ in range(50)}) > 1, "they do not repeat"


def test_only_chosen_rows_are_reset() -> None:
    env = BatchEnv(game_of("four"), 4)
    env.reset(seed=1)
    for _ in range(20):
        env.step(env.random_actions())
    before = arrays(env)
    states = env.states.copy()
    env.reset(seed=1, rows=[True, False, False, True])
    fresh = BatchEnv(game_of("four"), 4)
    fresh.reset(seed=1)
    assert np.array_equal(env.states[[0, 3]], fresh.states[[0, 3]])
    assert np.array_equal(env.states[[1, 2]], states[[1, 2]])
    assert same([array[[1, 2]] for array in before], [array[[1, 2]] for array in arrays(env)])
    env.reset(rows=np.array([2]))
    assert np.array_equal(env.states[1], states[1])
    assert env.lengths.tolist() == [0, 20, 0, 0]


# ------------------------------------------------------------------------------------------------------------ buffers


def test_the_caller_owns_the_buffers() -> None:
    """Buffers that belong to torch tensors are written to without a copy."""
    game = game_of("two")
    shapes = {
        "observations": torch.empty(3, game.observations.size),
        "action_masks": torch.empty(3, game.actions.size, dtype=torch.int8),
        "rewards": torch.empty(3, 2),
        "terminated": torch.empty(3, dtype=torch.bool),
        "current_player": torch.empty(3, dtype=torch.int8),
        "final_scores": torch.empty(3, 2, dtype=torch.int32),
    }
    env = BatchEnv(game, 3, buffers={name: tensor.numpy() for name, tensor in shapes.items()})
    own = BatchEnv(game, 3)
    env.reset(seed=5)
    own.reset(seed=5)
    for moment, other in zip(trajectory(env, 150), trajectory(own, 150), strict=True):
        assert same(moment, other)
    assert env.step(env.random_actions()) is env.step(env.random_actions()), "the same buffers"
    own.restore(env.snapshot())
    for name, tensor in shapes.items():
        assert np.array_equal(tensor.numpy(), getattr(own, name))
        assert torch.from_numpy(getattr(env, name)).data_ptr() == tensor.data_ptr()


def test_two_buffers_keep_the_last_step() -> None:
    env = BatchEnv(game_of("two"), 4, double_buffer=True)
    env.reset(seed=1)
    chance = np.random.default_rng(2)
    for _ in range(300):
        seen, masks = env.observations, env.action_masks
        kept, kept_masks = seen.copy(), masks.copy()
        env.step(env.random_actions(chance))
        assert np.array_equal(seen, kept)
        assert np.array_equal(masks, kept_masks)
        assert env.observations is not seen


@every_game
def test_other_kinds_of_observations_and_masks(name: str) -> None:
    game = game_of(name)
    kinds = {kind: BatchEnv(game, 5, observations=kind) for kind in ("float32", "float16", "uint8", "none")}
    packed = BatchEnv(game, 5, masks="packed", observations="none")
    twice = BatchEnv(game, 5, masks="packed", observations="uint8", double_buffer=True)
    bare = BatchEnv(game, 5, masks="none")
    envs = [*kinds.values(), packed, twice, bare]
    for env in envs:
        env.reset(seed=9)
    scales = game.observations.scales()
    chance = np.random.default_rng(8)
    for _ in range(80):
        full = kinds["float32"]
        assert np.array_equal(kinds["float16"].observations, full.observations.astype(np.float16))
        raw = np.minimum(np.rint(full.observations.astype(np.float64) * scales), 255)
        assert np.array_equal(kinds["uint8"].observations, raw)
        # Nothing is lost below 256: the raw quantities are whole.
        assert np.allclose(raw / scales, full.observations, atol=1e-6) or full.observations.max() * 50 > 255
        assert kinds["none"].observations.shape == (5, 0)
        bits = np.unpackbits(packed.action_masks.view(np.uint8), axis=1, bitorder="little")
        assert np.array_equal(bits[:, : game.actions.size], full.action_masks)
        assert not bits[:, game.actions.size :].any()
        assert np.array_equal(twice.action_masks, packed.action_masks)
        assert np.array_equal(twice.observations, kinds["uint8"].observations)
        assert bare.action_masks.shape == (5, 0)
        for env in envs:
            assert np.array_equal(env.views().observations, np.minimum(full.observations, 255 / scales))
        assert np.array_equal(packed.views().action_masks, full.action_masks)
        actions = full.random_actions(chance)
        for env in envs:
            env.step(actions)


def test_raw_quantities_need_a_kernel_with_units() -> None:
    class Divided(Dice):
        kernel = Dice.kernel._replace(observe=game_of("kuhn").kernel.observe)

    with pytest.raises(ValueError, match="'uint8' is not available for dice: its function `observe` must multiply"):
        BatchEnv(Divided(3), 2, observations="uint8")


def test_small_and_large_numbers_as_halves() -> None:
    """The conversion agrees with numpy's on subnormal, ordinary, tied and overflowing numbers."""
    from porta_nigra_env.core.batch.encoding import to_halves

    numbers = np.concatenate(
        [
            np.random.default_rng(1).uniform(0, 2, 4_000),
            10.0 ** np.random.default_rng(2).uniform(-9, 6, 4_000),
            np.arange(2_100) / 2**24,
            1 + np.arange(2_100) / 2**11,
            [0, 65503.9, 65504, 65519.9, 65520, 1e30],
        ]
    ).astype(np.float32)[None]
    out = np.zeros(numbers.shape, dtype=np.uint16)
    to_halves(numbers, numbers.view(np.int32), out, 0, 1)
    with np.errstate(over="ignore"):
        assert np.array_equal(out, numbers.astype(np.float16).view(np.uint16))


# ----------------------------------------------------------------------------------------------------- illegal actions


@every_game
def test_an_illegal_action_changes_nothing(name: str) -> None:
    env = BatchEnv(game_of(name), 3)
    env.reset(seed=2)
    before, states = arrays(env), env.states.tobytes()
    legal = env.random_actions()
    for wrong in (-1, env.game.actions.size, 10**6, -(2**63), int(np.argmin(env.action_masks[1]))):
        if 0 <= wrong < env.game.actions.size and env.action_masks[1, wrong]:
            continue
        actions = legal.copy()
        actions[1] = wrong
        with pytest.raises(IllegalActionError, match=r"row 1: action .* is not legal now; player "):
            env.step(actions)
        assert same(before, arrays(env))
        assert env.states.tobytes() == states


@pytest.mark.parametrize(
    "actions", [np.zeros(2), [0.0, 1.0, 2.0], np.zeros(3, dtype=bool), "end", None, [[0, 0, 0]], 3]
)
def test_actions_of_another_kind_are_refused(actions: object) -> None:
    env = BatchEnv(game_of("two"), 3)
    env.reset(seed=2)
    with pytest.raises(IllegalActionError, match="actions must "):
        env.step(actions)


def test_actions_of_any_integer_type() -> None:
    envs = [BatchEnv(game_of("two"), 3) for _ in range(4)]
    for env in envs:
        env.reset(seed=2)
    actions = envs[0].random_actions()
    for env, kind in zip(envs, (np.int64, np.uint8, np.uint64, np.int32), strict=True):
        env.step(actions.astype(kind))
    assert all(env.states.tobytes() == envs[0].states.tobytes() for env in envs)
    with pytest.raises(IllegalActionError, match="row 0"):
        envs[0].step(np.full(3, 2**63, dtype=np.uint64))
    envs[0].step(torch.from_numpy(envs[0].random_actions()))


@pytest.mark.parametrize("mode", ["same_step", "next_step", "disabled"])
@pytest.mark.parametrize("seat", ["every", "rotate"])
def test_an_illegal_action_may_end_its_game(mode: str, seat: str) -> None:
    options: dict[str, Any] = {"seat": seat, "opponents": None if seat == "every" else LOWEST}
    env = BatchEnv(game_of("three"), 4, illegal_action="terminate", autoreset_mode=mode, **options)
    twin = BatchEnv(game_of("three"), 4, autoreset_mode=mode, **options)
    env.reset(seed=3)
    twin.reset(seed=3)
    actions = env.random_actions()
    twin.step(actions)
    seen, player, learners, state = (
        env.observations[2].copy(),
        env.current_player[2],
        env.learners,
        env.states[2].copy(),
    )
    actions[2] = 10_000
    env.step(actions)
    others = [0, 1, 3]
    assert env.states[others].tobytes() == twin.states[others].tobytes()
    assert env.terminated.tolist() == [False, False, True, False]
    assert env.illegal.tolist() == env.terminated.tolist()
    assert env.rewards[2].tolist() == [-1.0 if other == player else 0.0 for other in range(3)]
    assert env.last_learners[2] == learners[2]
    if seat != "every":
        assert np.array_equal(env.final_observations[2], seen)
    if mode != "same_step":
        assert (env.current_player[2], env.legal_actions(2), env.states[2]) == (-1, [], state)
        assert np.array_equal(env.observations[2], np.zeros_like(seen) if seat == "every" else seen)
        with pytest.raises(ValueError, match="the game in row 2 is over"):
            env.view(2)
        copied = BatchEnv(game_of("three"), 4, illegal_action="terminate", autoreset_mode=mode, **options)
        copied.restore(env.snapshot())
        assert same(arrays(env), arrays(copied))
        env.reset(rows=[2]) if mode == "disabled" else env.step(env.random_actions())
    assert env.current_player[2] >= 0
    assert env.learners[2] == (-1 if seat == "every" else (learners[2] + 1) % 3)


@pytest.mark.parametrize("name", [*REAL_GAMES, "kuhn"])
@pytest.mark.parametrize("mode", ["same_step", "next_step", "disabled"])
def test_an_illegal_end_shows_nothing_hidden(name: str, mode: str) -> None:
    """Seats see the same in states that they cannot tell apart, on threads, before and after an illegal end."""
    game = game_of(name) if name == "kuhn" else make_game(name)
    env = BatchEnv(game, 60, autoreset_mode="disabled")
    env.reset(seed=1)
    for _ in range(1 if name == "kuhn" else 30):
        env.step(env.random_actions())
    for seat in range(game.num_players):
        rows = np.flatnonzero(env.current_player == seat)
        if not rows.size:
            continue
        states = env.states[rows]
        twins = states.copy()
        for row in range(len(rows)):
            game.kernel.determinize(game.constants, twins, row, seat, row)
        shown: list[tuple[Any, ...]] = []
        for starts in (states, twins):
            batch = BatchEnv(
                game, len(rows), threads=min(3, len(rows)), seat=seat, illegal_action="terminate", autoreset_mode=mode
            )
            batch.load(starts, seed=5)
            before = batch.observations.tobytes(), batch.views().states.tobytes()
            batch.step(np.full(len(rows), -1))
            shown.append((*before, batch.final_observations.tobytes()))
            if mode != "same_step":
                boards = [batch.board(row, seat) for row in range(len(rows))]
                views = [batch.view(row, seat).state.tobytes() for row in range(len(rows))]
                shown.append((batch.observations.tobytes(), boards, views))
        half = len(shown) // 2
        assert shown[:half] == shown[half:]


# -------------------------------------------------------------------------------------------------------- positions


def test_positions_go_into_chosen_rows() -> None:
    env = BatchEnv(game_of("two"), 4)
    env.reset(seed=6)
    states = []
    for seed in (20, 21):
        state = State.new(2, seed)
        for _ in range(15):
            state.apply(state.legal_actions()[-1])
        states.append(state)
    before = env.states.copy()
    env.load([states[0], states[1].to_json()], rows=[1, 3])
    assert env.states[[0, 2]].tobytes() == before[[0, 2]].tobytes()
    for row, state in zip((1, 3), states, strict=True):
        assert State(state.game, env.states[row : row + 1].copy()) == state
        assert np.array_equal(env.observations[row], state.observation(state.current_player or 0))
        assert env.legal_actions(row) == state.legal_actions()
        assert env.lengths[row] == 0
    env.load(states[0].to_dict())
    assert {env.states[row].tobytes() for row in range(4)} == {states[0].states[0].tobytes()}
    env.load(before, rows=None)
    assert env.states.tobytes() == before.tobytes()


def test_points_on_the_marker_of_a_loaded_position_are_no_gain() -> None:
    env = BatchEnv(game_of("two"), 2, reward="points")
    env.reset(seed=1)
    chance = np.random.default_rng(5)
    for _ in range(100):
        env.step(env.random_actions(chance))
    other = BatchEnv(game_of("two"), 1, reward="points")
    position = State(PortaNigra(2), env.states[:1].copy())
    vp = sum(player["vp"] for player in position.to_dict()["players"])
    assert vp > 0
    other.load(position)
    gained = np.zeros(2)
    while True:
        other.step(other.random_actions(chance))
        gained += other.rewards[0]
        if other.terminated[0]:
            break
    assert gained.sum() == other.final_scores[0].sum() - vp


def test_a_position_without_a_future_gets_it_from_the_seed() -> None:
    position = {**State.new(2, 5).to_dict(), "rng": None}
    envs = [BatchEnv(game_of("two"), 2) for _ in range(3)]
    for env, seed in zip(envs, (1, 1, 2), strict=True):
        env.load(position, seed=seed)
    assert envs[0].states.tobytes() == envs[1].states.tobytes() != envs[2].states.tobytes()
    assert envs[0].states[1].tobytes() == envs[2].states[0].tobytes()
    # The first load seeds the games of the other rows, too.
    seeds: tuple[Any, ...] = (7, [7, 8, 9, 10])
    for given in seeds:
        env = BatchEnv(game_of("two"), 4)
        env.load(position, rows=[1], seed=given)
        assert env.states[[0, 2, 3]].tobytes() == _reset(BatchEnv(game_of("two"), 4), 7).states[[0, 2, 3]].tobytes()
    # However many games were played before.
    played = BatchEnv(game_of("two"), 2)
    played.reset(seed=9)
    while not played.lengths.all():
        played.step(played.random_actions())
    played.load(position, seed=2)
    assert played.states.tobytes() == envs[2].states.tobytes()
    # Without a seed it follows from the last one and the games since, as in `raw_env`.
    single = GameAEC(game_of("two"))
    single.reset(seed=2)
    single.reset(options={"position": position})
    envs[2].reset(seed=[2, 1])
    envs[2].load(position)
    assert envs[2].states[0].tobytes() == single.states[0].tobytes()


def test_impossible_positions_are_refused_before_anything_changes() -> None:
    env = BatchEnv(game_of("two"), 3)
    env.reset(seed=6)
    before, states = arrays(env), env.states.tobytes()
    good = State.new(2, 1).to_dict()
    bad = copy.deepcopy(good)
    bad["market"]["red"] = 99
    over = State.new(2, 1)
    while not over.is_over:
        over.apply(over.legal_actions()[0])
    for positions, message in (
        ([good, bad, good], r"positions\[1\]: .*"),
        ([good, good], "2 for 3 rows"),
        (over, "over"),
        (State.new(3, 1), "3 players"),
        (np.zeros(3), "state dtype"),
        (np.zeros(2, dtype=env.game.dtype), "state dtype and shape"),
        (env.views().states, "positions: a redacted state"),
        ("{", "JSON"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            env.load(positions)
        assert same(before, arrays(env))
        assert env.states.tobytes() == states


# -------------------------------------------------------------------------------------------------------- snapshots


@every_game
@pytest.mark.parametrize(
    "options", [{}, {"seat": "random", "opponents": RANDOM, "reward": "points"}, {"autoreset_mode": "next_step"}]
)
def test_a_snapshot_resumes_exactly(name: str, options: dict[str, Any]) -> None:
    env = BatchEnv(game_of(name), 3, **options)
    env.reset(seed=8)
    trajectory(env, 120, 1)
    data = env.snapshot()
    expected = trajectory(env, 150, 2)
    twin = BatchEnv(game_of(name), 3, **options)
    twin.restore(data)
    assert all(same(one, other) for one, other in zip(expected, trajectory(twin, 150, 2), strict=True))
    env.restore(data)
    assert all(same(one, other) for one, other in zip(expected, trajectory(env, 150, 2), strict=True))


def damaged(data: bytes, seed: int) -> bytes:
    """Return a snapshot with some bytes changed, or without its end."""
    rng = np.random.default_rng(seed)
    changed = bytearray(data)
    for place in rng.integers(len(data), size=3):
        changed[place] ^= 1 << rng.integers(8)
    return bytes(changed if seed % 4 else changed[: len(data) // 2])


def forged(data: bytes, name: str, number: float, field: str = "") -> bytes:
    """Return a snapshot with a number written into all rows of an array, or of a field of it."""
    with np.load(io.BytesIO(data)) as file:
        arrays = {name: file[name].copy() for name in file}
    (arrays[name][field] if field else arrays[name])[...] = number
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()


@pytest.mark.parametrize("number", [100, pytest.param(1000, marks=pytest.mark.long)])
def test_wrong_snapshots_are_refused(number: int) -> None:
    options: dict[str, Any] = {"seat": 0, "opponents": {1: LOWEST}}
    env = BatchEnv(game_of("two"), 2, **options)
    with pytest.raises(RuntimeError, match=r"reset\(\)"):
        env.snapshot()
    env.reset(seed=8)
    data = env.snapshot()
    env.step(env.random_actions())
    before = arrays(env)
    for wrong in (b"", b"snapshot", data[:-100], *(damaged(data, seed) for seed in range(number))):
        with contextlib.suppress(ValueError):  # some changes are of bytes that do not matter
            env.restore(wrong)
            env.step(env.random_actions())
            env.restore(data)
            env.step(env.random_actions())
    env.restore(data)
    with pytest.raises(ValueError, match="not the bytes of a snapshot"):
        env.restore(data[:-100])
    env.reset(seed=8)
    env.step(env.random_actions())
    assert same(before, arrays(env))


@pytest.mark.parametrize(
    ("name", "field", "number"),
    [
        *(("bookkeeping", "players", number) for number in (-128, -2, 2, 127)),
        *(("bookkeeping", "learner", number) for number in (-128, -1, 2, 127)),
        ("bookkeeping", "seed", -1),
        ("bookkeeping", "games", -1),
        ("bookkeeping", "chance", -1),
        ("bookkeeping", "length", -1),
        ("bookkeeping", "last_learner", 9),
        ("bookkeeping", "fault", 99),
        *(("lineups", "", number) for number in (-128, -2, 2, 127)),
        ("sampling", "", -1),
        ("rewards", "", np.nan),
        *(
            ("states", field, number)
            for field in ("current_player", "phase", "hand", "num_hand")
            for number in (-7, 99)
        ),
        *(
            ("states", field, 99)
            for field in ("num_players", "quarter", "action_cards", "num_action_draw", "spot_owner")
        ),
    ],
)
def test_forged_snapshots_are_refused(name: str, field: str, number: float) -> None:
    env = BatchEnv(game_of("two"), 2, seat=0, opponents={1: LOWEST})
    env.reset(seed=8)
    before, data = arrays(env), env.snapshot()
    with pytest.raises(ValueError, match=f"snapshot: {'states: row 0' if name == 'states' else field or name}"):
        env.restore(forged(data, name, number, field))
    assert same(before, arrays(env))


def test_a_snapshot_of_an_earlier_version_is_read() -> None:
    """There the state of a game that ended by an illegal action had no player to move."""
    env = BatchEnv(game_of("kuhn"), 2, illegal_action="terminate", autoreset_mode="disabled")
    env.reset(seed=8)
    env.step([-1, 0])
    data = forged(forged(env.snapshot(), "states", -1, "current_player"), "bookkeeping", 1, "illegal")
    env.restore(data)
    assert env.current_player.tolist() == [-1, -1]
    assert (env.states["current_player"] >= 0).all()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("two", {"num_envs": 3}, "num_envs is 2, here it is 3"),
        ("three", {}, "num_players"),
        ("kuhn", {}, "game"),
        ("two", {"reward": "points"}, "reward"),
        ("two", {"autoreset_mode": "disabled"}, "autoreset_mode"),
        ("two", {"seat": 0}, "seat"),
        ("two", {"seat": 1, "opponents": LOWEST}, "seat"),
    ],
)
def test_a_snapshot_of_another_batch_is_refused(name: str, options: dict[str, Any], message: str) -> None:
    data = _reset(BatchEnv(game_of("two"), 2)).snapshot()
    with pytest.raises(ValueError, match=f"snapshot: {message}"):
        BatchEnv(game_of(name), **{"num_envs": 2, **options}).restore(data)
    with pytest.raises(ValueError, match="tables"):
        BatchEnv(game_of("other-three"), 2).restore(_reset(BatchEnv(game_of("three"), 2)).snapshot())


def _reset(env: BatchEnv, seed: int | None = 1) -> BatchEnv:
    env.reset(seed=seed)
    return env


# ------------------------------------------------------------------------------------------- a learner among opponents


@every_game
@pytest.mark.parametrize("seat", ["rotate", "random", 1])
def test_policies_inside_play_as_the_same_agents_outside(name: str, seat: int | str) -> None:
    """A compiled policy and a batched agent with the same rule give the same games, bit by bit."""
    agent = LowestAgent()
    inside = BatchEnv(game_of(name), 5, seat=seat, opponents=LOWEST, reward="points")
    outside = BatchEnv(game_of(name), 5, seat=seat, opponents=agent, reward="points", threads=2)
    inside.reset(seed=1)
    outside.reset(seed=1)
    for one, other in zip(trajectory(inside, 150), trajectory(outside, 150), strict=True):
        assert same(one, other)
    assert agent.views


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_learners_seat_and_rewards(players: int) -> None:
    """Seats rotate from seed % players; a learner's rewards of a game sum to its total."""
    env = BatchEnv(PortaNigra(players), 6, seat="rotate", opponents=RANDOM, reward="points")
    env.reset(seed=10)
    chance = np.random.default_rng(3)
    gained = np.zeros(6)
    games = np.zeros(6, dtype=int)
    while games.min() < players + 1:
        learners = env.learners
        assert np.array_equal(learners, (10 + np.arange(6) + games) % players)
        assert np.array_equal(env.current_player, learners)
        env.step(env.random_actions(chance))
        gained += env.rewards[np.arange(6), learners]
        for row in np.flatnonzero(env.terminated):
            assert gained[row] == env.final_scores[row, learners[row]]
            assert env.last_learners[row] == learners[row]
            assert env.last_lengths[row] > 50
            gained[row] = 0
            games[row] += 1


def test_random_seats_are_all_taken() -> None:
    env = BatchEnv(game_of("four"), 400, seat="random")
    env.reset(seed=0)
    assert np.bincount(env.learners, minlength=4).min() > 60


def test_opponents_by_offset_and_by_seat() -> None:
    """A list is in turn order from the learner, a dict by seat."""
    game = Dice(3)
    by_offset = BatchEnv(game, 3, seat="rotate", opponents=[LOWEST, HIGHEST])
    by_offset.reset(seed=0)
    for row in range(3):
        learner = int(by_offset.learners[row])
        by_seat = BatchEnv(game, 3, seat=learner, opponents={(learner + 1) % 3: LOWEST, (learner + 2) % 3: HIGHEST})
        by_seat.reset(seed=0)
        assert by_seat.states[row].tobytes() == by_offset.states[row].tobytes()
    other = BatchEnv(game, 3, seat="rotate", opponents=[HIGHEST, LOWEST])
    other.reset(seed=0)
    assert other.states.tobytes() != by_offset.states.tobytes()


def test_opponents_change_with_the_next_game() -> None:
    env = BatchEnv(Dice(2), 3, seat=0, opponents=LOWEST)
    other = BatchEnv(Dice(2), 3, seat=0, opponents=HIGHEST)
    env.reset(seed=5)
    before = env.states.tobytes()
    env.set_opponents(HIGHEST, rows=[1])
    assert env.states.tobytes() == before
    env.reset(seed=5)
    other.reset(seed=5)
    parted = False
    for _ in range(30):
        actions = env.random_actions()
        env.step(actions)
        other.step(np.where(np.arange(3) == 1, actions, other.random_actions()))
        assert env.states[1].tobytes() == other.states[1].tobytes()
        parted |= env.states[0].tobytes() != other.states[0].tobytes()
    assert parted


@pytest.mark.parametrize("policy", [PEEKING, BLIND], ids=lambda policy: str(policy.name))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_policies_see_one_redacted_state(players: int, policy: Policy) -> None:
    """They answer illegally, which is an error, when they see a key, another's cup, or more states than their own."""
    for line in ([policy] * (players - 1), [policy, *[WATCHFUL] * (players - 2)]):
        env = BatchEnv(Dice(players), 8, seat="rotate", opponents=line, threads=2)
        env.reset(seed=1)
        for _ in range(100):
            env.step(env.random_actions())
        single = SeatEnv(Dice(players), "rotate", line)
        for seed in range(20):
            ended, (_, info) = False, single.reset(seed=seed)
            while not ended:
                _, _, ended, _, info = single.step(int(info["action_mask"].argmax()))


def test_agents_that_draw_get_a_seed_for_each_game() -> None:
    class Drawing:
        def __init__(self) -> None:
            self.seeds: list[int] = []

        def act_batch(self, views: Any) -> Any:
            raise AssertionError("a batch asks with seeds")

        def act_seeded(self, views: Any, seeds: Any) -> Any:
            self.seeds += seeds.tolist()
            return views.action_masks.argmax(axis=1)

    agents = [Drawing(), Drawing()]
    for agent in agents:
        env = BatchEnv(game_of("kuhn"), 3, seat="rotate", opponents=agent)
        env.reset(seed=1)
        for _ in range(20):
            env.step(env.random_actions())
    assert agents[0].seeds == agents[1].seeds, "the environment's seed determines them"
    assert len(set(agents[0].seeds)) > 20, "no two games share a seed"
    assert all(0 <= seed < 2**63 for seed in agents[0].seeds)
    assert not {later_seed(row, game) for row in (1, 2, 3) for game in range(30)} & set(agents[0].seeds)


@pytest.mark.parametrize("observations", ["float32", "float16", "uint8", "none"])
def test_agents_outside_see_the_same_and_nothing_hidden(observations: str) -> None:
    agent = LowestAgent()
    env = BatchEnv(game_of("three"), 4, seat=0, opponents=agent, observations=observations)
    env.reset(seed=1)
    chance = np.random.default_rng(1)
    for _ in range(60):
        env.step(env.random_actions(chance))
    for views in agent.views:
        assert not views.states["key"].any()
        for i, view in enumerate(views):
            player = int(views.players[i])
            assert view.player == player
            assert int(views.states["current_player"][i]) == player
            others = [seat for seat in range(3) if seat != player]
            assert not views.states["hand"][i, others].any()
            assert np.array_equal(view.observation, views.observations[i])
            assert np.array_equal(view.action_mask, views.action_masks[i])
        with pytest.raises(ValueError, match="read-only"):
            views.observations[0] = 0
        with pytest.raises(IndexError):
            views[len(views)]
    world = agent.views[0].sample(0, 5)
    assert world.tobytes() == agent.views[0][0].sample(5).tobytes()
    assert "decisions" in repr(agent.views[0])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (np.full(4, 289), "opponent Answers answered with an illegal action: row"),
        (np.zeros(4), "expected . integer ids, not float64"),
        ([0], "expected . integer ids"),
        (None, "expected . integer ids"),
    ],
)
def test_wrong_answers_of_agents_are_named(answer: Any, message: str) -> None:
    env = BatchEnv(game_of("two"), 4, seat=0, opponents=Answers(answer))

    def play() -> None:
        for seed in range(20):  # seat 1 begins in some
            env.reset(seed=4 * seed)
            env.step(env.random_actions())

    with pytest.raises(RuntimeError, match=message):
        play()


def test_a_broken_policy_is_named() -> None:
    env = BatchEnv(Dice(2), 4, seat=0, opponents=BROKEN)

    def play() -> None:
        for seed in range(20):
            env.reset(seed=4 * seed)
            for _ in range(20):
                env.step(env.random_actions())

    with pytest.raises(RuntimeError, match="policy 'broken' answered"):
        play()


# ----------------------------------------------------------------------------------------------------------- the rest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_envs": 0}, "num_envs must be a positive integer, not 0"),
        ({"num_envs": 2.0}, "num_envs"),
        ({"num_envs": True}, "num_envs"),
        ({"threads": 0}, "threads"),
        ({"reward": "money"}, "reward must be one of"),
        ({"autoreset_mode": "sometimes"}, "autoreset_mode must be one of NEXT_STEP"),
        ({"autoreset_mode": None}, "autoreset_mode"),
        ({"seat": 2}, "seat must be"),
        ({"seat": "left"}, "seat must be"),
        ({"seat": True}, "seat must be"),
        ({"observations": "float64"}, "observations must be one of"),
        ({"masks": "bool"}, "masks must be one of"),
        ({"illegal_action": "ignore"}, "illegal_action"),
        ({"opponents": RANDOM}, "there are none with seat='every'"),
        ({"seat": 0, "opponents": "nobody"}, "opponents: there is no player 'nobody'"),
        ({"seat": 0, "opponents": 7}, "7 is not the name of a player"),
        ({"seat": 0, "opponents": ELSEWHERE}, "opponents: policy 'lowest' is made for dice, not for porta_nigra"),
        ({"seat": 0, "opponents": [RANDOM, RANDOM]}, "1 are needed"),
        ({"seat": 0, "opponents": [None, 3]}, "1 are needed"),
        ({"seat": 0, "opponents": {0: RANDOM}}, "seat 0 is the learner's"),
        ({"seat": 0, "opponents": {2: RANDOM}}, "player must be a seat"),
        ({"seat": 0, "opponents": {1: int}}, "is not the name of a player"),
        ({"buffers": {"rewards": np.zeros((4, 2))}}, r"rewards: expected float32 \(4, 2\), not float64"),
        ({"buffers": {"rewards": np.zeros((3, 2), dtype=np.float32)}}, "rewards: expected"),
        ({"buffers": {"rewards": [[0, 0]]}}, "rewards: expected a numpy array"),
        ({"buffers": {"rewards": np.zeros((2, 4), dtype=np.float32).T}}, "C-contiguous"),
        ({"buffers": {"prizes": np.zeros(4)}}, "there is no array 'prizes'"),
        ({"buffers": {"observations": np.zeros((4, 502), dtype=np.float32)}, "double_buffer": True}, "double_buffer"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    options = {"num_envs": 4, **options}
    with pytest.raises(ValueError, match=message):
        BatchEnv(game_of("two"), **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 2**63 - 2}, ValueError, "seed"),
        ({"seed": 1.5}, TypeError, "seed"),
        ({"seed": True}, TypeError, "seed"),
        ({"seed": [1, 2]}, ValueError, "seed: expected one integer, or 3"),
        ({"seed": "abc"}, TypeError, "seed"),
        ({"rows": [3]}, ValueError, "rows"),
        ({"rows": [-1]}, ValueError, "rows"),
        ({"rows": [1, 1]}, ValueError, "stands twice"),
        ({"rows": [True]}, ValueError, "mask must have shape"),
        ({"rows": 0.5}, ValueError, "rows"),
    ],
)
def test_wrong_arguments_of_reset(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    env = BatchEnv(game_of("two"), 3)
    env.reset(seed=1)
    states = env.states.tobytes()
    with pytest.raises(error, match=message):
        env.reset(**arguments)
    assert env.states.tobytes() == states


def test_a_refused_change_of_opponents_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    env = BatchEnv(game_of("three"), 3, seat=0, opponents=LOWEST)
    for wrong, message in (
        ([LOWEST], "2 are needed"),
        ({1: LOWEST}, "cannot be mixed"),
        ("x", "no player 'x'"),
        (ELSEWHERE, "opponents: policy 'lowest' is made for dice, not for porta_nigra"),
    ):
        with pytest.raises(ValueError, match=message):
            env.set_opponents(wrong)
    with pytest.raises(ValueError, match="seat='every'"):
        BatchEnv(game_of("three"), 3).set_opponents(LOWEST)
    env.reset(seed=1)
    lineups = env._rows.lineups.copy()
    with monkeypatch.context() as patch:
        patch.setattr("porta_nigra_env.envs.batch.compile_batch", Mock(side_effect=RecursionError))
        with pytest.raises(RecursionError):
            env.set_opponents(RANDOM)
    assert np.array_equal(env._rows.lineups, lineups)
    env.reset(seed=1)
    for _ in range(200):
        env.step(env.random_actions())
    # The new policy is compiled now: the loops read its row by number, without a check.
    twin = BatchEnv(game_of("three"), 3, seat=0, opponents=LOWEST)
    for batch in (env, twin):
        batch.set_opponents(RANDOM)
        assert (batch._rows.lineups.max(), len(batch._rows.functions)) == (1, 2)
    assert _reset(env, 5).states.tobytes() == _reset(twin, 5).states.tobytes()


def test_more_opponents_than_a_batch_can_number() -> None:
    env = BatchEnv(game_of("two"), 2, seat=0, opponents=LOWEST)
    agents = [LowestAgent() for _ in range(127)]
    for one in agents:
        env.set_opponents(one, [0])
    with pytest.raises(ValueError, match="at most 128 compiled policies and 127 agents"):
        env.set_opponents(LowestAgent(), [0])
    # Known agents may return.
    env.set_opponents(agents[0], [0])
    env.reset(seed=1)
    env.step(env.random_actions())


def test_without_reset_there_is_no_step() -> None:
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        BatchEnv(game_of("two"), 2).step([0, 0])


def test_unseeded_batches_differ() -> None:
    one, two = (_reset(BatchEnv(game_of("two"), 2), None) for _ in range(2))
    assert one.states.tobytes() != two.states.tobytes()
    before = one.states.tobytes()
    one.reset()
    assert one.states.tobytes() != before


def test_views_boards_and_writing_to_states() -> None:
    env = porta_nigra_v0.batch_env(3, num_players=2)
    env.reset(seed=1)
    assert env.view(1).player == env.current_player[1]
    assert env.view(1, 0).player == 0
    assert len(env.views()) == 3
    assert len(env.views([2])) == 1
    assert "market" in env.board(0)
    assert env.board(0, 1) != env.board(0)
    env.states[2] = env.states[0]
    env.refresh()
    assert np.array_equal(env.observations[2], env.observations[0])
    with pytest.raises(IndexError, match="row must be in"):
        env.board(3)
    assert env.nbytes > env.observations.nbytes
    with env:
        assert "BatchEnv" in repr(env)


def test_views_of_games_that_are_over() -> None:
    env = BatchEnv(game_of("kuhn"), 3, autoreset_mode="disabled")
    env.reset(seed=1)
    while env.current_player.max() >= 0:
        env.step(env.random_actions())
    assert len(env.views()) == 0
    with pytest.raises(ValueError, match="in row 0 is over"):
        env.views([0, 1])
    assert env.legal_actions(0) == []


@every_game
@pytest.mark.parametrize("threads", [1, 3])
def test_the_privileged_vector_is_that_of_single_states(name: str, threads: int) -> None:
    game = game_of(name)
    env = BatchEnv(game, 9, threads=threads, observations="uint8")
    env.reset(seed=3)
    for _ in range(4):
        env.step(env.random_actions())
    shown = env.observations.copy()
    found = env.privileged()
    expected = np.zeros_like(found)
    for row in range(env.num_envs):
        game.kernel.privileged(game.constants, env.states, row, expected[row])
    assert found.tobytes() == expected.tobytes()
    assert (env.observations == shown).all()
    into = np.ones_like(found)
    assert env.privileged(into) is into
    assert into.tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="out: expected float32"):
        env.privileged(into[:3])
    env.close()


@pytest.mark.parametrize("autoreset", ["same_step", "next_step"])
@pytest.mark.parametrize("agent", [LOWEST, LowestAgent()])
def test_points_of_an_opening_count_for_the_first_step_of_their_game(autoreset: str, agent: Any) -> None:
    """The opening of a game is not part of the step in which the previous game ended."""
    options = {"seat": "rotate", "opponents": agent, "reward": "points", "autoreset_mode": autoreset}
    env = BatchEnv(game_of("three"), 24, **options)
    env.reset(seed=5)
    gained = np.zeros((24, 3))
    ended = 0
    while ended < 60:
        env.step(env.random_actions())
        gained += env.rewards
        for row in np.flatnonzero(env.terminated):
            assert gained[row].tolist() == env.final_scores[row].tolist()
            gained[row] = 0
            ended += 1


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # the test forks on purpose
def test_a_child_process_starts_new_threads() -> None:
    env = BatchEnv(game_of("two"), 300, threads=2)
    env.reset(seed=1)
    env.step(env.random_actions())
    child = os.fork()
    if child == 0:
        try:
            env.step(env.random_actions())
            os._exit(0)
        except BaseException:
            os._exit(1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child waits for threads that it does not have")
    assert status == 0


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_counts_its_own_points(copied: Callable[[BatchEnv], BatchEnv]) -> None:
    env = BatchEnv(game_of("two"), 8, reward="points", threads=2)
    env.reset(seed=3)
    twin = copied(env)
    for _ in range(250):
        actions = env.random_actions()
        env.step(actions)
        twin.step(actions)
        assert twin.rewards.tolist() == env.rewards.tolist()
    assert twin.states.tobytes() == env.states.tobytes()
