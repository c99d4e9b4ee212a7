"""Open-hand search: its determinizations show all hands and nothing of the future."""

from __future__ import annotations

import numpy as np
import pytest

from agents.networks.open_hand import open_determinization
from agents.registry import AgentError, make
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import make_game
from porta_nigra_env.games.porta_nigra.game import PortaNigra


def truths(game: Game, steps: int) -> list[States]:
    """Return states of random games."""
    env = BatchEnv(game, 6)
    env.reset(seed=4)
    for _ in range(steps):
        env.step(env.random_actions())
    return [copied(env.states[row : row + 1]) for row in range(6)]


@pytest.mark.parametrize(("name", "players"), [("porta_nigra", 2), ("porta_nigra", 4), ("gloria_mundi", 3)])
def test_all_views_are_true_and_piles_are_sampled(name: str, players: int) -> None:
    game = make_game(name, players)
    for truth in truths(game, 70):
        samples = [open_determinization(game, truth, seed) for seed in (1, 2, 1)]
        for seat in range(players):
            seen = {View(game, one, 0, seat).state.tobytes() for one in (truth, *samples)}
            assert len(seen) == 1
        assert samples[0].tobytes() == samples[2].tobytes() != samples[1].tobytes()


def test_hands_are_known_and_the_next_cards_are_not() -> None:
    game = PortaNigra(3)
    for truth in truths(game, 70):
        samples = [open_determinization(game, truth, seed) for seed in range(8)]
        assert all((one["hand"] == truth["hand"]).all() for one in samples)
        left = int(truth["num_honour_draw"][0])
        assert left > 1
        assert len({one["honour_cards"][0, -left:].tobytes() for one in samples}) > 1
        assert all((np.sort(one["honour_cards"]) == np.sort(truth["honour_cards"])).all() for one in samples)


def test_the_future_changes_no_answer() -> None:
    game = PortaNigra(2)
    agent = make("seeing-mirror:worlds=6,plies=3,rows=40", game, seed=1)
    assert agent.cheats
    for number, truth in enumerate(truths(game, 70)):
        action = agent.act_on_truth(truth, 0)
        assert View(game, truth, 0, int(truth["current_player"][0])).action_mask[action]
        assert agent.act_on_truth(open_determinization(game, truth, number), 0) == action


def test_another_hand_of_the_opponent_is_another_search() -> None:
    game = PortaNigra(2)
    agent = make("seeing-mirror:worlds=6,plies=3,rows=40", game, seed=1)
    differing = 0
    for truth in truths(game, 50):
        other, player = copied(truth), int(truth["current_player"][0])
        game.kernel.determinize(game.constants, other, 0, player, 5)
        found = []
        for one in (truth, other):
            agent.act_on_truth(one, 0)
            last = getattr(agent, "last", None)
            found.append(b"" if last is None else last.values.tobytes())
        differing += bool((other["hand"] != truth["hand"]).any()) and found[0] != found[1]
    assert differing > 0


def test_games_whose_secrets_stand_elsewhere_are_refused() -> None:
    with pytest.raises(
        AgentError, match=r"agent 'seeing-mirror': aquileia: the secrets of the players are not in rows by seat"
    ):
        make("seeing-mirror", make_game("aquileia", 3))
