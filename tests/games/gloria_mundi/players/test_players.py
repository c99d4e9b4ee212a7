"""The compiled heuristics play legally, ignore hidden information, and beat weaker players."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games.gloria_mundi.components.names import AFRICA
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi
from porta_nigra_env.games.gloria_mundi.players import GREEDY, QUAESTOR, STYLES, policy, weights
from porta_nigra_env.games.gloria_mundi.players.valuation import WEIGHTS
from tests.games.gloria_mundi.policies import OTHER
from tests.games.scripted import (
    answer_many_views_like_one,
    digest_of_ends,
    phases_answered_alike,
    play_legal_games,
    printed,
    share,
)

ALL = [GREEDY, QUAESTOR, *STYLES]
RAIDER, PAYER, RUNNER = STYLES

every_policy = pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)


@every_policy
@pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
def test_whole_games_are_legal_and_end(one: Policy, components: str) -> None:
    for players in GloriaMundi.seats:
        play_legal_games(one, GloriaMundi(players, components))


@every_policy
def test_the_same_information_state_is_answered_alike(one: Policy) -> None:
    assert len(phases_answered_alike(one, GloriaMundi(3), 6)) >= 12


@every_policy
def test_many_views_are_answered_like_one(one: Policy) -> None:
    answer_many_views_like_one(one, GloriaMundi(4), 60)


@every_policy
def test_policies_have_not_changed(one: Policy) -> None:
    """A change of a policy requires new ladder games."""
    found = {str(players): digest_of_ends(one, GloriaMundi(players)) for players in GloriaMundi.seats}
    assert found == json.loads(Path(__file__).with_name("heuristics.json").read_text(encoding="utf-8"))[one.name]


@pytest.mark.parametrize("players", GloriaMundi.seats)
def test_greedy_beats_random_and_the_quaestor_beats_greedy(players: int) -> None:
    """More than these bounds in long runs; samples of 40 deals do not fall below them by chance."""
    game = GloriaMundi(players)
    assert share(GREEDY, RANDOM, game, 20) > 0.85
    assert share(QUAESTOR, GREEDY, game, 40) > 0.6


def ends_of(one: Policy, players: int) -> np.ndarray:
    """The ends of twenty games, all seats the same policy."""
    ends = np.zeros(20, dtype=GloriaMundi.dtype)
    play_games(GloriaMundi(players), [one], range(20), [[0] * players] * 20, ends=ends)
    return ends


def test_styles_show_the_trait_in_their_name() -> None:
    """Each style shows its trait more than another player, in games with itself."""
    # Without tribute the Goth moves one space a turn.
    assert set(ends_of(RAIDER, 4)["turn"]) == {int(GloriaMundi().constants["provinces"][0]) + 1}
    assert ends_of(PAYER, 2)["turn"].mean() > ends_of(QUAESTOR, 2)["turn"].mean()
    assert (ends_of(RUNNER, 2)["end"] == AFRICA).mean() > (ends_of(PAYER, 2)["end"] == AFRICA).mean()


def test_weights_are_named() -> None:
    assert len(weights(0)) == len(WEIGHTS)
    changed = weights(1, stone=7.5)
    assert (changed != weights(1)).sum() == 1
    assert 7.5 in changed
    with pytest.raises(KeyError, match="there is no weight 'brick'"):
        weights(1, brick=1.0)
    assert policy("mine", changed).parameters.tolist() == changed.tolist()


def test_it_runs_as_plain_python() -> None:
    """The same choices interpreted as compiled."""
    program = (
        "from porta_nigra_env.games.gloria_mundi.players import GREEDY, QUAESTOR\n"
        "from porta_nigra_env.envs.play import play_games\n"
        "from porta_nigra_env.games.gloria_mundi.game import GloriaMundi\n"
        "print(play_games(GloriaMundi(3), [QUAESTOR, GREEDY], [5], [[0, 1, 0]], limit=100).totals.tolist())"
    )
    assert printed(program, compiled=True) == printed(program, compiled=False)
