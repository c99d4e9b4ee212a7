"""A table without a server: what seats are told, and when a decision may be taken back."""

from __future__ import annotations

import random

import msgspec
import pytest

from agents.web.server.messages import written
from agents.web.server.table import HUMAN, RefusedError, Table
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game

every_game = pytest.mark.parametrize("name", GAMES)


def laid(game: Game, seed: int = 7) -> Table:
    """A table of people."""
    return Table(game, seed, [HUMAN] * game.num_players)


def decide(table: Table, chance: random.Random) -> None:
    table.play(chance.choice(table.view(table.mover).legal_ids().tolist()))


@every_game
def test_a_seat_is_told_its_own_record_and_the_choices_that_are_no_secret(name: str) -> None:
    game = make_game(name)
    table, chance, state = laid(game), random.Random(1), State(game, game.new_states(7))
    while table.mover >= 0:
        for seat in range(game.num_players):
            told = table.stands(seat, 0)
            assert told.state == state.view(seat).state.tobytes()
            assert told.legal == (state.legal_ids().tolist() if seat == state.player else [])
            assert told.at == len(told.log) == len(table.actions)
            assert told.log == [
                (by, game.told(action, seat, by)) for by, action in zip(table.movers, table.actions, strict=True)
            ]
        decide(table, chance)
        state.apply_id(table.actions[-1])
    assert table.stands(0, 0).mover == -1
    assert (
        written(table.over()) == msgspec.json.encode({"kind": "over", "seed": "7", "actions": table.actions}).decode()
    )


def test_a_secret_choice_is_told_to_who_chose_it_alone() -> None:
    name = next(name for name in GAMES if game_class(name).secret_choices)
    game = make_game(name)
    table, chance = laid(game), random.Random(1)
    secrets = 0
    while table.mover >= 0:
        decide(table, chance)
        by, action = table.movers[-1], table.actions[-1]
        if game.actions.find(action)[0].name in game.secret_choices:
            secrets += 1
            told = [table.stands(seat, table.at - 1).log for seat in range(game.num_players)]
            assert told == [[(by, action if seat == by else None)] for seat in range(game.num_players)]
    assert secrets > 0


@every_game
def test_what_changed_is_told_from_behind_the_own_last_turn(name: str) -> None:
    game = make_game(name)
    table, chance = laid(game), random.Random(2)
    ends = [0] * game.num_players  # as a page keeps them, turn by turn
    while table.mover >= 0:
        mover = table.mover
        decide(table, chance)
        if table.mover != mover:
            ends[mover] = table.at
        for seat in range(game.num_players):
            told = table.stands(seat, table.at)
            assert told.since == ends[seat]
            fresh = seat not in table.movers[told.since :]
            assert told.before == (table.seen(seat, told.since) if fresh else None)


@every_game
def test_a_decision_is_taken_back_where_nothing_new_was_seen(name: str) -> None:
    game = make_game(name)
    table, chance = laid(game), random.Random(3)
    taken = refused = 0
    while table.mover >= 0:
        before = [table.stands(seat, 0) for seat in range(game.num_players)]
        seat = table.mover
        decide(table, chance)
        if table.undoable(seat):
            # The whole sight was to be foreseen: it is the same in every world.
            action, sight = table.actions[-1], table.seen(seat)
            world = State(game, table._states(table.at - 1)).determinize(seat, chance.randrange(2**62))
            assert world.apply_id(action).view(seat).state.tobytes() == sight
            if taken < 30:
                taken += 1
                table.check_back(seat, table.at)
                table.take_back()
                assert [table.stands(seat, 0) for seat in range(game.num_players)] == before
        else:
            refused += 1
            with pytest.raises(RefusedError):
                table.check_back(seat, table.at)
    assert taken > 0
    assert refused > 0


def test_only_the_present_decision_of_ones_own_is_accepted() -> None:
    game = make_game(DEFAULT_GAME)
    table = laid(game)
    mover, legal = table.mover, table.view(table.mover).legal_ids().tolist()
    illegal = next(i for i in range(game.actions.size) if i not in legal)
    wrong = [
        (1 - mover, 0, legal[0], "not yours"),
        (mover, 1, legal[0], "it has moved on"),
        (mover, 0, illegal, "is not legal now"),
        (mover, 0, 60_000, "is not legal now"),
        (mover, 0, -1, "is not legal now"),
    ]
    for seat, at, action, says in wrong:
        with pytest.raises(RefusedError, match=says):
            table.check(seat, at, action)
    table.check(mover, 0, legal[0])
    with pytest.raises(RefusedError, match="nothing to take back"):
        table.check_back(mover, 0)
    with pytest.raises(RefusedError, match="not over"):
        table.over()
    with pytest.raises(ValueError, match="seats: 2 are needed, not 3"):
        Table(game, 7, [HUMAN] * 3)
