"""The compiled heuristics play legally, ignore hidden information, and beat weaker players.

Porta Nigra's heuristics are tested with the agents (`tests/agents/test_scripted.py`).
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import pytest

from agents.registry import make
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import game_entry, make_game
from porta_nigra_env.games.aquileia.components.names import ARENA, STADIUM_GOLD, STADIUM_SILVER
from porta_nigra_env.games.gloria_mundi.components.names import AFRICA
from tests.games.scripted import (
    answer_many_views_like_one,
    digest_of_ends,
    phases_answered_alike,
    play_legal_games,
    printed,
    share,
)


class Expected(NamedTuple):
    """Facts about the heuristics of a game.

    Attributes:
        best: name of the best policy.
        weight: name of a weight.
        games: games in which the least number of phases occurs.
        phases: this number.
        shares: deals and least share of the greedy policy against random players, and of the best one against it.
    """

    best: str
    weight: str
    games: int
    phases: int
    shares: tuple[tuple[int, float], tuple[int, float]]


EXPECTED: Final = {
    "aquileia": Expected("patrician", "coin", 2, 11, ((15, 0.9), (30, 0.7))),
    "gloria_mundi": Expected("quaestor", "stone", 6, 12, ((20, 0.85), (40, 0.6))),
}
FOLDER: Final = Path(__file__).parent


def heuristics_of(game: str) -> Any:
    return import_module(f"porta_nigra_env.games.{game}.players")


def policies_of(game: str) -> dict[str, Policy]:
    """Return the greedy policy, the best one and its styles by name, in this order."""
    heuristics = heuristics_of(game)
    best = getattr(heuristics, EXPECTED[game].best.upper())
    return {policy.name: policy for policy in (heuristics.GREEDY, best, *heuristics.STYLES)}


POLICIES: Final = [(game, policy) for game in EXPECTED for policy in policies_of(game).values()]
every_policy = pytest.mark.parametrize(("game", "policy"), POLICIES, ids=lambda value: getattr(value, "name", value))
every_game = pytest.mark.parametrize("game", EXPECTED)


@every_policy
@pytest.mark.parametrize("components", ["standard", "other"])
def test_whole_games_are_legal_and_end(game: str, policy: Policy, components: str) -> None:
    source = components if components == "standard" else FOLDER / game / "components" / "other.toml"
    for players in game_entry(game).seats:
        play_legal_games(policy, make_game(game, players, source))


@every_policy
def test_the_same_information_state_is_answered_alike(game: str, policy: Policy) -> None:
    expected = EXPECTED[game]
    assert len(phases_answered_alike(policy, make_game(game, 3), expected.games)) >= expected.phases


@every_policy
def test_many_views_are_answered_like_one(game: str, policy: Policy) -> None:
    answer_many_views_like_one(policy, make_game(game, 4), 60)


@every_policy
def test_games_match_the_published_ladder(game: str, policy: Policy) -> None:
    """Pin the ends of ten games per size in self-play; a change needs a new ladder."""
    digests = {str(players): digest_of_ends(policy, make_game(game, players)) for players in game_entry(game).seats}
    stored = json.loads((FOLDER / game / "players" / "heuristics.json").read_text(encoding="utf-8"))
    assert digests == stored[policy.name]


@pytest.mark.parametrize(("game", "players"), [(game, n) for game in EXPECTED for n in game_entry(game).seats])
def test_greedy_beats_random_and_the_best_beats_greedy(game: str, players: int) -> None:
    """More than these bounds in long runs; such samples do not fall below them by chance."""
    greedy, best, *_ = policies_of(game).values()
    for (deals, least), first, second in zip(EXPECTED[game].shares, (greedy, best), (RANDOM, greedy), strict=True):
        assert share(first, second, make_game(game, players), deals) > least


@every_game
def test_weights_are_named(game: str) -> None:
    heuristics, name = heuristics_of(game), EXPECTED[game].weight
    known = heuristics.VALUATION.names
    assert len(heuristics.weights(0)) == len(known)
    changed = heuristics.weights(1, **{name: 7.5})
    assert (changed != heuristics.weights(1)).sum() == 1
    assert 7.5 in changed
    with pytest.raises(KeyError, match="there is no weight 'brick'"):
        heuristics.weights(1, brick=1.0)
    assert heuristics.policy("mine", changed).parameters.tolist() == changed.tolist()


@every_game
def test_interpreted_choices_are_the_compiled_ones(game: str) -> None:
    program = (
        f"from porta_nigra_env.games.{game}.players import GREEDY, {EXPECTED[game].best.upper()} as BEST\n"
        "from porta_nigra_env.envs.play import play_games\n"
        "from porta_nigra_env.games import make_game\n"
        f"print(play_games(make_game({game!r}, 3), [BEST, GREEDY], [5], [[0, 1, 0]], limit=100).totals.tolist())"
    )
    assert printed(program, compiled=True) == printed(program, compiled=False)


# ------------------------------------------------------------------------------------------------ styles


def placements(game: Game, policy: Policy) -> dict[str, float]:
    """Return the numbers that the styles of Aquileia raise, in games of a policy with itself."""
    start = game.constants[0]["area_start"]
    env = BatchEnv(game, 20, autoreset_mode="disabled", observations="none")
    env.reset(seed=1)
    agent = make(policy.name, game, 1)
    placed = np.zeros(game.actions.size, dtype=np.int64)
    while (asked := env.current_player >= 0).any():
        actions = np.zeros(20, dtype=np.int64)
        actions[asked] = agent.act_batch(env.views())
        np.add.at(placed, actions[asked], 1)
        env.step(actions)
    villas = env.states["buildings"].ravel() & game.constants[0]["villas"].sum()
    return {
        "fighter": float(placed[start[ARENA] : start[ARENA + 1]].sum()),
        "racer": float(placed[start[STADIUM_GOLD] : start[STADIUM_SILVER + 1]].sum()),
        "villas": float(sum(int(bits).bit_count() for bits in villas)),
    }


def test_styles_of_aquileia_do_more_of_their_namesake() -> None:
    game, (_, patrician, *styles) = make_game("aquileia", 3), policies_of("aquileia").values()
    plain = placements(game, patrician)
    for style in styles:
        assert placements(game, style)[style.name] > plain[style.name], style.name


def ends_of(policy: Policy, players: int) -> np.ndarray:
    """Return the ends of twenty games of Gloria Mundi, all seats the same policy."""
    game = make_game("gloria_mundi", players)
    ends = np.zeros(20, dtype=game.dtype)
    play_games(game, [policy], range(20), [[0] * players] * 20, ends=ends)
    return ends


def test_styles_of_gloria_mundi_show_the_trait_in_their_name() -> None:
    _, quaestor, raider, payer, runner = policies_of("gloria_mundi").values()
    # Without tribute the Goth moves one space a turn.
    assert set(ends_of(raider, 4)["turn"]) == {int(make_game("gloria_mundi").constants["provinces"][0]) + 1}
    assert ends_of(payer, 2)["turn"].mean() > ends_of(quaestor, 2)["turn"].mean()
    assert (ends_of(runner, 2)["end"] == AFRICA).mean() > (ends_of(payer, 2)["end"] == AFRICA).mean()
