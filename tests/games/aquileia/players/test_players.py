"""The compiled heuristics: always legal, blind for what is hidden, and better than what they are meant to beat."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.registry import make
from porta_nigra_env.core.policy import RANDOM, Policy
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games.aquileia.components.names import ARENA, STADIUM_GOLD, STADIUM_SILVER
from porta_nigra_env.games.aquileia.game import Aquileia, State
from porta_nigra_env.games.aquileia.players.heuristics import GREEDY, PATRICIAN, STYLES, policy, weights
from porta_nigra_env.games.aquileia.players.valuation.weights import WEIGHTS

OTHER = Path(__file__).parents[1] / "components" / "other.toml"
ALL = [GREEDY, PATRICIAN, *STYLES]

every_policy = pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)


def share(first: Policy, second: Policy, players: int, count: int) -> float:
    """Games before another, of those of one policy among others of a second kind; each deal in all rotations."""
    seeds = np.repeat(np.arange(500, 500 + count), players)
    games = np.arange(len(seeds))
    lineups = np.ones((len(seeds), players), dtype=np.int64)
    seats = np.tile(np.arange(players), count)
    lineups[games, seats] = 0
    places = play_games(Aquileia(players), [first, second], seeds, lineups).places
    own = places[games, seats][:, None]
    before = (own < places) + 0.5 * (own == places)
    return float((before.sum(axis=1) - 0.5).mean() / (players - 1))


@every_policy
@pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
def test_whole_games_are_legal_and_end(one: Policy, components: str | Path) -> None:
    """`play_games` refuses illegal answers; games with themselves and with random players."""
    for players in Aquileia.seats:
        game = Aquileia(players, components)
        play_games(game, [one, RANDOM], range(10), [[0] * players] * 5 + [[0] + [1] * (players - 1)] * 5)


@every_policy
def test_the_same_information_state_is_answered_alike(one: Policy) -> None:
    """Worlds that the player cannot tell apart: same action, in every phase."""
    agent = make(one.name, Aquileia(3), 4)
    rng = np.random.default_rng(1)
    phases = set()
    for seed in range(2):
        state = State.new(3, seed)
        while not state.is_over:
            player = state.current_player
            assert player is not None
            phases.add(int(state.states["phase"][0]))
            action = agent.act(state.view(player))
            assert state.action_mask()[action]
            assert agent.act(state.determinize(player, 1).view(player)) == action
            # Half of the actions are hers, so that cards are bought and houses built.
            state.apply_id(action if rng.random() < 0.5 else int(rng.choice(state.legal_ids())))
    assert len(phases) >= 11


@every_policy
def test_many_views_are_answered_like_one(one: Policy) -> None:
    env = BatchEnv(Aquileia(4), 8)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    agent = make(one.name, env.game, 8)
    for _ in range(60):
        views = env.views()
        assert agent.act_batch(views).tolist() == [agent.act(view) for view in views]
        env.step(env.random_actions(rng))


@every_policy
def test_games_are_those_that_the_published_ladder_was_played_with(one: Policy) -> None:
    """The end of ten games of each size, all seats the same policy: who changes it plays the ladder anew."""
    found = {}
    for players in Aquileia.seats:
        ends = np.zeros(10, dtype=Aquileia.dtype)
        play_games(Aquileia(players), [one], range(10), [[0] * players] * 10, ends=ends)
        found[str(players)] = hashlib.sha256(ends.tobytes()).hexdigest()
    assert found == json.loads(Path(__file__).with_name("heuristics.json").read_text(encoding="utf-8"))[one.name]


@pytest.mark.parametrize("players", Aquileia.seats)
def test_greedy_beats_random_and_the_patrician_beats_greedy(players: int) -> None:
    """More than these bounds in long runs; samples of 30 deals do not fall below them by chance."""
    assert share(GREEDY, RANDOM, players, 15) > 0.9
    assert share(PATRICIAN, GREEDY, players, 30) > 0.7


def test_styles_do_what_they_are_called_after() -> None:
    """Each style has more of its own than the patrician, in games with itself."""
    game = Aquileia(3)
    start = game.tables[0]["area_start"]

    def course(one: Policy) -> dict[str, float]:
        env = BatchEnv(game, 20, autoreset_mode="disabled", observations="none")
        env.reset(seed=1)
        agent = make(one.name, game, 1)
        placed = np.zeros(game.actions.size, dtype=np.int64)
        while (asked := env.current_player >= 0).any():
            actions = np.zeros(20, dtype=np.int64)
            actions[asked] = agent.act_batch(env.views())
            np.add.at(placed, actions[asked], 1)
            env.step(actions)
        villas = sum(int(bits).bit_count() for bits in env.states["buildings"].ravel() & game.tables[0]["villas"].sum())
        return {
            "fighter": float(placed[start[ARENA] : start[ARENA + 1]].sum()),
            "racer": float(placed[start[STADIUM_GOLD] : start[STADIUM_SILVER + 1]].sum()),
            "villas": float(villas),
        }

    plain = course(PATRICIAN)
    for style in STYLES:
        assert course(style)[style.name] > plain[style.name], style.name


def test_weights_are_named() -> None:
    assert len(weights(0)) == len(WEIGHTS)
    changed = weights(1, coin=7.5)
    assert (changed != weights(1)).sum() == 1
    assert 7.5 in changed
    with pytest.raises(KeyError, match="there is no weight 'brick'"):
        weights(1, brick=1.0)
    assert policy("mine", changed).parameters.tolist() == changed.tolist()


def test_it_runs_as_plain_python() -> None:
    """The same choices interpreted as compiled."""
    program = (
        "from porta_nigra_env.games.aquileia.players.heuristics import GREEDY, PATRICIAN\n"
        "from porta_nigra_env.envs.play import play_games\n"
        "from porta_nigra_env.games.aquileia.game import Aquileia\n"
        "print(play_games(Aquileia(3), [PATRICIAN, GREEDY], [5], [[0, 1, 0]], limit=50).totals.tolist())"
    )
    found = {
        flag: subprocess.run(
            [sys.executable, "-W", "error::RuntimeWarning", "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": flag},
            cwd=Path(__file__).parents[4],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for flag in ("0", "1")
    }
    assert found["0"] == found["1"]
