"""The compiled heuristics: always legal, independent of hidden information, and better than weaker ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.arena.ratings import win_shares
from agents.registry import make
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from porta_nigra_env.games.porta_nigra.players import BUILDER, GREEDY, STYLES, policy, weights
from porta_nigra_env.games.porta_nigra.players.valuation import WEIGHTS
from tests.games.scripted import answer_many_views_like_one, digest_of_ends, printed

OTHER = Path(__file__).parents[1] / "games" / "porta_nigra" / "components" / "other.toml"
ALL = [GREEDY, BUILDER, *STYLES]

every_policy = pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)


def share(first: Policy, second: Policy, players: int, count: int) -> float:
    """Win share of one policy among others of a second kind, each deal in all rotations of the seats."""
    seeds = np.repeat(np.arange(500, 500 + count), players)
    lineups = np.ones((len(seeds), players), dtype=np.int64)
    seats = np.tile(np.arange(players), count)
    lineups[np.arange(len(seeds)), seats] = 0
    places = play_games(PortaNigra(players), [first, second], seeds, lineups).places
    return float(win_shares(places)[np.arange(len(seeds)), seats].mean())


@every_policy
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("components", ["standard", OTHER])
def test_whole_games_are_legal_and_end(one: Policy, players: int, components: str | Path) -> None:
    """`play_games` refuses illegal answers; a hundred games with themselves and with random players."""
    game = PortaNigra(players, components)
    assert play_games(game, [one] * players, range(50)).lengths.max() < 1_000
    play_games(game, [one, *[RANDOM] * (players - 1)], range(50))


@every_policy
def test_the_same_information_state_is_answered_alike(one: Policy) -> None:
    """Equal information states get the same action, in every phase."""
    agent = make(one.name, PortaNigra(3), 4)
    state = State.new(3, 12)
    rng = np.random.default_rng(1)
    phases = set()
    while not state.is_over:
        player = state.current_player
        assert player is not None
        phases.add(int(state.states["phase"][0]))
        action = agent.act(state.view(player))
        assert state.action_mask()[action]
        for seed in range(2):
            assert agent.act(state.determinize(player, seed).view(player)) == action
        state.apply_id(int(rng.choice(state.legal_ids())))
    assert len(phases) >= 6


@every_policy
def test_many_views_are_answered_like_one(one: Policy) -> None:
    answer_many_views_like_one(one, PortaNigra(2), 40, games=20)


@pytest.mark.parametrize("players", PortaNigra.seats)
@every_policy
def test_games_are_those_that_the_published_ladders_were_played_with(one: Policy, players: int) -> None:
    """Compare the ends of fifty games, all seats the same policy; a change of these needs new ladders."""
    expected = json.loads(Path(__file__).with_name("heuristics.json").read_text(encoding="utf-8"))
    assert digest_of_ends(one, PortaNigra(players), games=50) == expected[one.name][str(players)]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_greedy_beats_random_and_builder_beats_greedy(players: int) -> None:
    """Far more than these bounds in long runs; a sample of 60 deals cannot fall below them by chance."""
    assert share(GREEDY, RANDOM, players, 60) > 0.9
    assert share(BUILDER, GREEDY, players, 60) > 0.85


def test_styles_do_what_they_are_called_after() -> None:
    """Each style scores more in its speciality than the builder, in games against itself."""
    game = PortaNigra(2)

    def course(one: Policy) -> dict[str, float]:
        env = BatchEnv(game, 40, autoreset_mode="disabled", observations="none")
        env.reset(seed=1)
        agent = make(one.name, game, 1)
        honours = 0
        while (asked := env.current_player >= 0).any():
            actions = np.zeros(40, dtype=np.int64)
            actions[asked] = agent.act_batch(env.views())
            honours += int(((actions >= game.actions["honour"].start) & (actions < game.actions["tens"].start)).sum())
            env.step(actions)
        spots = env.states["spot_owner"] >= 0
        return {
            "towers": float(env.states["spot_height"][:, 35:].sum()),
            "wall": float(spots[:, 25:35].sum()),
            "honours": float(honours),
            "rush": -float(env.last_lengths.mean()),
        }

    plain = course(BUILDER)
    for style in STYLES:
        assert course(style)[style.name] > plain[style.name], style.name


def test_weights_are_named() -> None:
    assert len(weights(0)) == len(WEIGHTS)
    changed = weights(1, roman=7.5)
    assert (changed != weights(1)).sum() == 1
    assert 7.5 in changed
    with pytest.raises(KeyError, match="there is no weight 'gold'"):
        weights(1, gold=1.0)
    assert policy("mine", changed).parameters.tolist() == changed.tolist()


def test_it_runs_as_plain_python() -> None:
    """The same choices interpreted as compiled."""
    program = (
        "from porta_nigra_env.games.porta_nigra.players import BUILDER, GREEDY\n"
        "from porta_nigra_env.envs.play import play_games\n"
        "from porta_nigra_env.games.porta_nigra.game import PortaNigra\n"
        "print(play_games(PortaNigra(2), [BUILDER, GREEDY], [5], limit=60).totals.tolist())"
    )
    assert printed(program, compiled=True) == printed(program, compiled=False)
