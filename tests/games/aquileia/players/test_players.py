"""The compiled heuristics: always legal, blind to hidden information, and stronger than their baselines."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from agents.registry import make
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games.aquileia.components.names import ARENA, STADIUM_GOLD, STADIUM_SILVER
from porta_nigra_env.games.aquileia.game import Aquileia
from porta_nigra_env.games.aquileia.players import GREEDY, PATRICIAN, STYLES, policy, weights
from porta_nigra_env.games.aquileia.players.estimates import WEIGHTS
from tests.games.scripted import (
    answer_many_views_like_one,
    digest_of_ends,
    phases_answered_alike,
    play_legal_games,
    printed,
    share,
)

OTHER = Path(__file__).parents[1] / "components" / "other.toml"
ALL = [GREEDY, PATRICIAN, *STYLES]

every_policy = pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)


@every_policy
@pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
def test_whole_games_are_legal_and_end(one: Policy, components: str | Path) -> None:
    for players in Aquileia.seats:
        play_legal_games(one, Aquileia(players, components))


@every_policy
def test_the_same_information_state_is_answered_alike(one: Policy) -> None:
    assert len(phases_answered_alike(one, Aquileia(3), 2)) >= 11


@every_policy
def test_many_views_are_answered_like_one(one: Policy) -> None:
    answer_many_views_like_one(one, Aquileia(4), 60)


@every_policy
def test_games_match_the_published_ladder(one: Policy) -> None:
    """Pin the ends of ten games per size in self-play; a change needs a new ladder."""
    found = {str(players): digest_of_ends(one, Aquileia(players)) for players in Aquileia.seats}
    assert found == json.loads(Path(__file__).with_name("heuristics.json").read_text(encoding="utf-8"))[one.name]


@pytest.mark.parametrize("players", Aquileia.seats)
def test_greedy_beats_random_and_the_patrician_beats_greedy(players: int) -> None:
    """More than these bounds in long runs; samples of 30 deals do not fall below them by chance."""
    assert share(GREEDY, RANDOM, Aquileia(players), 15) > 0.9
    assert share(PATRICIAN, GREEDY, Aquileia(players), 30) > 0.7


def test_styles_play_their_namesake() -> None:
    """Each style does more of its namesake than the patrician, in self-play."""
    game = Aquileia(3)
    start = game.constants[0]["area_start"]

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
        villas = sum(
            int(bits).bit_count() for bits in env.states["buildings"].ravel() & game.constants[0]["villas"].sum()
        )
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
        "from porta_nigra_env.games.aquileia.players import GREEDY, PATRICIAN\n"
        "from porta_nigra_env.envs.play import play_games\n"
        "from porta_nigra_env.games.aquileia.game import Aquileia\n"
        "print(play_games(Aquileia(3), [PATRICIAN, GREEDY], [5], [[0, 1, 0]], limit=50).totals.tolist())"
    )
    assert printed(program, compiled=True) == printed(program, compiled=False)
