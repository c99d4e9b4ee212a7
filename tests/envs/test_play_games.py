"""`play_games`: whole games of compiled policies, which see what their seat may see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.batch import batch
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game, copied
from porta_nigra_env.core.game.state import State
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import GAMES as REAL_GAMES
from porta_nigra_env.games import make_game
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.envs.probes import BLIND, BROKEN, HIGHEST, LOWEST, PEEKING, WATCHFUL, copies_of_lowest
from tests.envs.recorded import GAMES, game_of
from tests.toys.dice.game import Dice

every_game = pytest.mark.parametrize("name", GAMES)


def positions(game: Game, count: int) -> Any:
    """Return states (count,), each some steps into its game."""
    states = np.concatenate([game.new_states(seed) for seed in range(count)])
    for row in range(count):
        words, chance = np.zeros(game.num_words, np.uint64), np.array([row, 0, 0], np.int64)
        game.loops.playout(game.constants, states, row, words, chance, 3 * row)
    return states


@every_game
@pytest.mark.parametrize("given", [False, True])
def test_whole_games_are_those_of_single_states(name: str, given: bool) -> None:
    """From setups or from given states, with any line-up and threads; the given states do not change."""
    game = game_of(name)
    starts = positions(game, 6) if given else None
    lineups = np.array([[(number + seat) % 2 for seat in range(game.num_players)] for number in range(6)])
    ends, before = np.zeros(6, dtype=game.dtype), None if starts is None else starts.tobytes()
    played = play_games(game, [LOWEST, HIGHEST], range(30, 36), lineups, ends=ends, starts=starts, threads=2)
    assert (None if starts is None else starts.tobytes()) == before
    for number in range(6):
        state = State(game, game.new_states(30 + number) if starts is None else copied(starts[number : number + 1]))
        steps = 0
        while not state.is_over:
            state.apply_id(state.legal_ids()[-1 if lineups[number, state.player] else 0])
            steps += 1
        assert ends[number].tobytes() == state.states.tobytes()
        assert played.lengths[number] == steps
        assert played.totals[number].tolist() == state.totals().tolist()
        assert played.places[number].tolist() == state.places().tolist()


@every_game
def test_whole_games_do_not_depend_on_threads(name: str) -> None:
    game, policies = game_of(name), [RANDOM] * game_of(name).num_players
    for starts in (None, positions(game, 1)):
        one, two = (play_games(game, policies, range(40), threads=threads, starts=starts) for threads in (1, 3))
        assert all(np.array_equal(getattr(one, name), getattr(two, name)) for name in ("totals", "places", "lengths"))
        assert len({tuple(line) for line in one.totals.tolist()}) > 1


def test_a_limit_scores_games_as_they_stand() -> None:
    scores, _, lengths = play_games(game_of("two"), [RANDOM, RANDOM], range(10), limit=7)
    assert set(lengths.tolist()) == {7}
    assert scores.shape == (10, 2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"policies": []}, "policies"),
        ({"policies": [LOWEST]}, "one for each of 2 seats"),
        ({"policies": ["random", "random"]}, "compiled policies"),
        ({"policies": [replace(LOWEST, game="dice"), RANDOM]}, "'lowest' is made for dice, not for porta_nigra"),
        ({"seeds": [1, -1]}, "seed"),
        ({"policies": [LOWEST], "lineups": [[0, 1]]}, "lineups"),
        ({"lineups": [[0, 0]] * 3}, "shape"),
        ({"threads": 0}, "threads"),
        *(({"limit": limit}, "limit must be a positive integer") for limit in (-5, 0, 10.7, True)),
        ({"ends": np.zeros(2, dtype=np.int8)}, "ends: expected states of this game"),
        ({"ends": np.zeros(3, dtype=game_of("two").dtype)}, "ends: expected states of this game"),
        ({"ends": np.frombuffer(bytes(2 * game_of("two").dtype.itemsize), game_of("two").dtype)}, "ends: .* read-only"),
        ({"starts": np.zeros(2, dtype=game_of("two").dtype)}, "starts: expected states of 2 players"),
        ({"starts": PortaNigra(3).new_states(1)}, "starts: expected states of 2 players"),
        ({"starts": np.zeros(1)}, "starts: expected states of this game"),
        ({"starts": State(game_of("two"), PortaNigra(2).new_states(1)).view(0).state}, "starts: a redacted state"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play_games(game_of("two"), **{"policies": [LOWEST, LOWEST], "seeds": [1, 2], **options})


def test_a_policy_with_an_illegal_answer_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"policy 'broken' answered .* seed 17"):
        play_games(Dice(2), [LOWEST, BROKEN], [17, 18])


# ------------------------------------------------------------------------------------------------------- many policies


def test_policies_of_one_function_share_its_code() -> None:
    """They are rows of parameters: a new one compiles nothing, and their number is not limited by the compiler."""
    game = Dice(2)
    policies = [
        Policy(f"number {i}", LOWEST.choose, np.array([float(i % 2)]), False, LOWEST.sources) for i in range(100)
    ]
    lineups = np.array([[i, (i + 5) % 100] for i in range(100)])
    scores = play_games(game, policies, range(100), lineups).totals
    assert np.array_equal(scores, play_games(game, [LOWEST, HIGHEST], range(100), lineups % 2).totals)
    assert batch.compile_batch(game, policies) is batch.compile_batch(game, [HIGHEST])
    assert batch.compile_batch(game, [LOWEST, RANDOM]) is batch.compile_batch(game, [RANDOM, HIGHEST, LOWEST])


def test_many_functions_play_together() -> None:
    policies = copies_of_lowest(19)
    lineups = np.array([[i, (i + 5) % 19] for i in range(19)])
    scores = play_games(Dice(2), policies, range(19), lineups).totals
    assert np.array_equal(scores, play_games(Dice(2), [LOWEST], range(19), 0 * lineups).totals)


def choose_without_compiler(*arguments: Any) -> int:
    return 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parameters": np.zeros((2, 2))}, "parameters must have one dimension"),
        ({"choose": choose_without_compiler}, "policy 'wrong': choose must (be compiled|take)"),
        ({"choose": game_of("two").kernel.legal}, "policy 'wrong': choose must take .constants, states, row, player"),
    ],
)
def test_policies_check_their_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        Policy(**{"name": "wrong", "choose": LOWEST.choose, **options})
    assert len(str(refused.value)) < 200
    with pytest.raises(ValueError, match="read-only"):
        HIGHEST.parameters[0] = 2


# -------------------------------------------------------------------------------------------------- hidden information


@pytest.mark.parametrize("policy", [PEEKING, BLIND], ids=lambda policy: str(policy.name))
@pytest.mark.parametrize("players", [2, 3, 4])
def test_policies_see_one_redacted_state(players: int, policy: Policy) -> None:
    """They answer illegally, which is an error, when they see a key, another's cup, or more states than their own."""
    for partner in (policy, WATCHFUL):
        play_games(Dice(players), [policy, *[partner] * (players - 1)], range(50), threads=2)


def actions_between(game: Game, before: Any, after: Any) -> set[int]:
    """Return the legal actions that lead from one state, (1,), to another."""
    legal = State(game, copied(before)).legal_ids().tolist()
    return {action for action in legal if State(game, copied(before)).apply_id(action).states == after}


@pytest.mark.parametrize("name", REAL_GAMES)
def test_policies_answer_states_that_they_cannot_tell_apart_alike(name: str) -> None:
    game = make_game(name)
    states = positions(game, 20)
    states = states[states["current_player"] >= 0]
    twins, count = states.copy(), len(states)
    for row, player in enumerate(states["current_player"].tolist()):
        game.kernel.determinize(game.constants, twins, row, player, row)
    assert (states != twins).any()
    for policy in game.policies().values():
        answers = []
        for starts in (states, twins):
            ends = np.zeros_like(starts)
            lineups = np.zeros((count, game.num_players), dtype=np.int64)
            play_games(game, [policy], range(count), lineups, limit=1, ends=ends, starts=starts)
            rows = [slice(row, row + 1) for row in range(count)]
            answers.append([actions_between(game, starts[row], ends[row]) for row in rows])
        assert all(one & other for one, other in zip(*answers, strict=True))
