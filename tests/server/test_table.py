"""A table without a server: the updates of seats, and when an action may be undone."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest

from agents.web.server.messages import encode
from agents.web.server.table import HUMAN, RefusedError, Table
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game

every_game = pytest.mark.parametrize("name", GAMES)


def make_table(game: Game, seed: int = 7) -> Table:
    """A table of people."""
    return Table(game, seed, [HUMAN] * game.num_players)


def play_random(table: Table, rng: random.Random) -> None:
    table.play(rng.choice(table.view(table.mover).legal_ids().tolist()))


@every_game
def test_an_update_has_the_seats_record_and_the_public_actions(name: str) -> None:
    game = make_game(name)
    table, rng, state = make_table(game), random.Random(1), State(game, game.new_states(7))
    while table.mover >= 0:
        for seat in range(game.num_players):
            update = table.update(seat, 0)
            assert update.state == state.view(seat).state.tobytes()
            assert update.legal == (state.legal_ids().tolist() if seat == state.player else [])
            assert update.at == len(update.log) == len(table.actions)
            assert [(by, action) for by, action, _ in update.log] == [
                (by, game.told(action, seat, by)) for by, action in zip(table.movers, table.actions, strict=True)
            ]
        play_random(table, rng)
        state.apply_id(table.actions[-1])
    assert table.update(0, 0).mover == -1
    places = state.places().tolist()
    whole = {"kind": "over", "seed": "7", "actions": table.actions, "places": places}
    assert encode(table.over()) == msgspec.json.encode(whole).decode()


def test_a_secret_action_is_sent_to_its_player_alone() -> None:
    game = make_game(next(name for name in GAMES if game_class(name).secret_choices))
    table, rng = make_table(game), random.Random(1)
    secrets = 0
    while table.mover >= 0:
        play_random(table, rng)
        by, action = table.movers[-1], table.actions[-1]
        if game.actions.find(action)[0].name in game.secret_choices:
            secrets += 1
            logs = [table.update(seat, table.at - 1).log for seat in range(game.num_players)]
            told = [[(by, action if seat == by else None)] for seat in range(game.num_players)]
            assert [[(seat, action) for seat, action, _ in log] for log in logs] == told
    assert secrets > 0


@every_game
def test_changes_are_counted_from_the_end_of_the_seats_last_turn(name: str) -> None:
    game = make_game(name)
    table, rng = make_table(game), random.Random(2)
    ends = [0] * game.num_players
    while table.mover >= 0:
        mover = table.mover
        play_random(table, rng)
        if table.mover != mover:
            ends[mover] = table.at
        for seat in range(game.num_players):
            assert table.update(seat, table.at).since == ends[seat]


@every_game
def test_a_seat_gets_its_records_before_all_steps(name: str) -> None:
    game = make_game(name)
    table, rng = make_table(game), random.Random(2)
    for _ in range(30):
        play_random(table, rng)
    for seat in range(game.num_players):
        update = table.update(seat, 10)
        assert [record for *_, record in update.log] == [table.redacted(seat, at) for at in range(10, 30)]
        assert update.state == table.redacted(seat, 30)


@every_game
def test_an_action_is_undone_where_nothing_new_was_seen(name: str) -> None:
    game = make_game(name)
    table, rng = make_table(game), random.Random(3)
    undone = refused = 0
    while table.mover >= 0:
        before = [table.update(seat, 0) for seat in range(game.num_players)]
        seat = table.mover
        play_random(table, rng)
        if table.undoable(seat):
            # The seat could foresee the whole record: it is the same from every state that the seat held possible.
            action, record = table.actions[-1], table.redacted(seat)
            sample = State(game, table._states(table.at - 1)).determinize(seat, rng.randrange(2**62))
            assert sample.apply_id(action).view(seat).state.tobytes() == record
            if undone < 30:
                undone += 1
                table.check_undo(seat, table.at)
                table.undo()
                assert [table.update(seat, 0) for seat in range(game.num_players)] == before
        else:
            refused += 1
            with pytest.raises(RefusedError):
                table.check_undo(seat, table.at)
    assert undone > 0
    assert refused > 0


def test_only_legal_actions_of_the_player_to_move_are_accepted() -> None:
    game = make_game(DEFAULT_GAME)
    table = make_table(game)
    mover, legal = table.mover, table.view(table.mover).legal_ids().tolist()
    illegal = next(i for i in range(game.actions.size) if i not in legal)
    wrong = [
        (1 - mover, 0, legal[0], "not yours"),
        (mover, 1, legal[0], "has moved on"),
        (mover, 0, illegal, "is not legal now"),
        (mover, 0, 60_000, "is not legal now"),
        (mover, 0, -1, "is not legal now"),
    ]
    for seat, at, action, reason in wrong:
        with pytest.raises(RefusedError, match=reason):
            table.check(seat, at, action)
    table.check(mover, 0, legal[0])
    with pytest.raises(RefusedError, match="nothing can be undone"):
        table.check_undo(mover, 0)
    with pytest.raises(RefusedError, match="not over"):
        table.over()
    with pytest.raises(ValueError, match="seats: 2 are needed, not 3"):
        Table(game, 7, [HUMAN] * 3)


@every_game
def test_a_table_is_told_in_words_to_each_seat(name: str) -> None:
    game = make_game(name)
    table, rng, state = make_table(game), random.Random(2), State(game, game.new_states(7))
    for _ in range(12):
        before, illegal = state.clone(), int(np.flatnonzero(state.mask == 0)[0])
        narrator = Narrator(game, table.mover, "de")
        told = table.told(table.mover, table.at, "de", illegal)
        assert told.why == state.why_not(illegal, "de")
        assert told.legal == [(action, state.describe(action, "de")) for action in state.legal_ids().tolist()]
        assert told.events == []
        seat = table.mover
        play_random(table, rng)
        state.apply_id(table.actions[-1])
        told = table.told(seat, table.at - 1, "de", None)
        assert told.events == [(table.at - 1, list(map(narrator.event, state.events(before, seat))))]
        assert bool(told.legal) == (table.mover == seat)


def test_impossible_questions_are_refused() -> None:
    table = make_table(game := make_game(DEFAULT_GAME))
    legal = int(table.view(table.mover).legal_ids()[0])
    for arguments, message in (
        ((1, "en", None), "`from` must be a step of this game, in 0..0, not 1"),
        ((0, "fr", None), "language must be one of en, de"),
        ((0, "en", game.actions.size), "`why` must be an action id in 0.."),
        ((0, "en", legal), "is legal"),
    ):
        with pytest.raises(RefusedError, match=message):
            table.told(table.mover, *arguments)
