"""Steps that reveal new information."""

from __future__ import annotations

import random

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.undo import shows_news
from porta_nigra_env.games import GAMES, game_class, make_game

#: Seeds of determinizations, enough to detect almost every alternative information state.
SEEDS = range(1001, 1101 if COMPILED else 1033)


def differs(before: State, action: int, seat: int) -> bool:
    information_states = {before.determinize(seat, seed).apply_id(action).view(seat).state.tobytes() for seed in SEEDS}
    return len(information_states) > 1


@pytest.mark.parametrize("name", list(GAMES))
def test_random_outcomes_are_news_at_any_probability(name: str) -> None:
    """Two determinizations are too few: sometimes both agree with the true state."""
    news, missed, plain = 0, 0, 0
    rng = random.Random(1)
    for players in game_class(name).seats[: 2 if COMPILED else 1]:
        game = make_game(name, players)
        for seed in range(3 if COMPILED else 1):
            state = State(game, game.new_states(seed))
            for _ in range(150 if COMPILED else 15):
                if state.is_over:
                    break
                before, seat, action = state.clone(), state.player, int(rng.choice(state.legal_ids().tolist()))
                state.apply_id(action)
                if state.player != seat:
                    continue
                if differs(before, action, seat):
                    news += 1
                    missed += not shows_news(before, action, seat, worlds=2)
                    assert shows_news(before, action, seat), before.action_text(action)
                else:
                    plain += 1
                    assert not shows_news(before, action, seat), before.action_text(action)
    assert plain
    if COMPILED:
        assert news
    if COMPILED and name == "aquileia":
        assert missed


def test_a_change_of_the_player_to_move_is_news() -> None:
    game = make_game("porta_nigra", 2)
    state = State(game, game.new_states(3))
    while True:
        before, seat, action = state.clone(), state.player, int(state.legal_ids()[0])
        state.apply_id(action)
        if state.player != seat:
            assert shows_news(before, action, seat)
            return
