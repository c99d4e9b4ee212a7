"""The leak checks on PettingZoo's own games with hidden cards, which need RLCard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.classic import leduc_holdem_v4, texas_holdem_v4

from porta_nigra_env.leaks import assert_no_leak, assert_seed_matters, duplicate

MODULES = (leduc_holdem_v4, texas_holdem_v4)


def resample(env: Any, agent: str, seed: int) -> Any:
    """Deal the cards again that an agent does not see: the other hands and the deck."""
    twin = duplicate(env)
    game = twin.unwrapped.env.game
    others = [player for player in game.players if player.player_id != env.possible_agents.index(agent)]
    # Leduc deals one card, hold'em a list of them.
    single = not isinstance(game.players[0].hand, list)
    hidden = [card for player in others for card in ([player.hand] if single else player.hand)]
    rng = np.random.default_rng(seed)
    cards = hidden + game.dealer.deck
    cards = [cards[index] for index in rng.permutation(len(cards))]
    for player in others:
        player.hand = cards.pop() if single else [cards.pop() for _ in player.hand]
    game.dealer.deck = cards
    return twin


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_games_of_pettingzoo_show_nothing_hidden(module: Any) -> None:
    report = assert_no_leak(module.env(), resample, games=20, rate=1.0)
    assert report.followed > 10
    assert min(report.changed.values()) > 20


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_games_of_pettingzoo_use_seeds(module: Any) -> None:
    assert_seed_matters(module.env, games=10)


def test_a_card_of_the_other_hand_is_found() -> None:
    class Peeking(texas_holdem_v4.raw_env):  # type: ignore[misc]  # PettingZoo has no type information
        def observe(self, agent: str) -> Any:
            other = self.possible_agents.index(agent) - 1
            seen = super().observe(agent)
            seen["observation"][71] += sum(map(ord, self.env.game.players[other].hand[0].get_index()))
            return seen

    with pytest.raises(AssertionError, match=r'observation\["observation"\]\[71\] is \d+'):
        assert_no_leak(Peeking(), resample)
