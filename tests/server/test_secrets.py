"""Two states that a seat, or an onlooker, cannot tell apart: its socket is sent the same bytes in both."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.web.server.agent_pool import AgentPool
from agents.web.server.journal import Journal
from agents.web.server.limits import Limits, Work
from agents.web.server.messages import Hint, Play, Say, Tell, Undo
from agents.web.server.session import Connection, Session
from agents.web.server.table import HUMAN, ONLOOKER, Table
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from tests.server.serving import WIDE

#: Pairs of actions that are tried at a step before the other state is sampled again.
TRIES = 24
#: Steps by which onlookers see a table late.
DELAY = 3
#: Share of the steps at which the table is asked for in words.
TOLD = 0.2


class Watched:
    """A table with the socket of one seat, or of an onlooker."""

    def __init__(self, game: Game, seat: int, folder: Path) -> None:
        self.table = Table(game, 7, [HUMAN] * game.num_players, delay=DELAY)
        journal = Journal.new(folder / "0123456789abcdef.jsonl", self.table, {})
        self.session = Session(self.table, journal, AgentPool((), ()), None, Limits(), lambda: None)
        self.connection: Connection = self.session.enter(seat, Work(WIDE))

    def messages(self) -> list[str]:
        return self.connection.take(self.table)

    def play(self, action: int) -> None:
        """Play an action of the player to move."""
        other = Connection(self.table.mover, Work(WIDE))
        self.session.handle(other, Play(self.table.at, action))

    def resample(self, table: Table, seat: int, seed: int) -> None:
        """Replace the state by another one that the seat cannot tell from that of `table`."""
        state = State(table.game, table._states(table.at))
        for each in range(table.game.num_players) if seat == ONLOOKER else (seat,):
            # No seat sees the whole difference of several.
            state = state.determinize(each, seed + each)
        self.table._state = state
        self.table._records[-1] = state.states.tobytes()

    def after(self, action: int) -> tuple[bytes, int]:
        """Return the seat's record after an action, and the next player."""
        table = Table(self.table.game, 0, self.table.seats, State(self.table.game, self.table._states(self.table.at)))
        table.play(action)
        return table.redacted(self.connection.seat), table.mover


def pairs(here: Watched, there: Watched, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield pairs of actions for both states in random order; only secret ones of other seats may differ."""
    game = here.table.game
    one, other = (each.table.view(each.table.mover).legal_ids().tolist() for each in (here, there))
    rng.shuffle(one)
    if here.table.mover != here.connection.seat:
        hidden = [[a for a in ids if game.actions.find(a)[0].name in game.secret_choices] for ids in (one, other)]
        yield from ((a, b) for a in hidden[0][:4] for b in hidden[1][:4] if a != b)
    yield from ((a, a) for a in one[:TRIES] if a in other)


def ask(each: Watched, rng: random.Random) -> None:
    """Send messages that are refused, and ask for the table in words: answers must not differ either."""
    at = each.table.at
    if each.connection.seat == ONLOOKER:
        legal = int(each.table.view(each.table.mover).legal_ids()[0])
        for message in (Play(at, legal), Undo(at), Hint(at), Tell(0), Say("hello")):
            each.session.handle(each.connection, message)
        assert each.table.at == at
        return
    tell = Tell(max(0, at - 1), rng.choice(LANGUAGES), rng.choice((None, rng.randrange(200))))
    if rng.random() < TOLD:
        each.session.handle(each.connection, tell)
    for message in (Play(at, rng.randrange(400)), Play(at + 1, 0), Undo(at), Hint(at)):
        legal = isinstance(message, Play) and message.action in each.table.view(each.connection.seat).legal_ids()
        if not legal and not isinstance(message, Undo):
            each.session.handle(each.connection, message)


def whole_game(game: Game, seat: int, seed: int, folder: Path) -> tuple[int, int]:
    """Play a game in two states; return the numbers of steps with different actions and of sampled states."""
    rng = random.Random(seed)
    here, there = (Watched(game, seat, folder) for _ in range(2))
    there.resample(here.table, seat, rng.randrange(2**62))
    different, samples = 0, 1
    while here.table.mover >= 0:
        assert here.messages() == there.messages()
        again = rng.getstate()
        ask(here, rng)
        rng.setstate(again)
        ask(there, rng)
        assert here.messages() == there.messages()
        for one, other in pairs(here, there, rng):
            if here.after(one) == there.after(other):
                break
        else:
            samples += 1
            there.resample(here.table, seat, rng.randrange(2**62))
            one = other = rng.choice(here.table.view(here.table.mover).legal_ids().tolist())
            if other not in there.table.view(there.table.mover).legal_ids() or here.after(one) != there.after(one):
                # Hidden information is revealed: both tables continue from the one state in which it was true.
                here.play(one)
                follow(here, there)
                there.resample(here.table, seat, rng.randrange(2**62))
                continue
        different += one != other
        here.play(one)
        there.play(other)
    return different, samples


def follow(here: Watched, there: Watched) -> None:
    """Copy the last step of one table to the other."""
    table = there.table
    table.actions.append(here.table.actions[-1])
    table.movers.append(here.table.movers[-1])
    table._records.append(here.table._records[-1])
    there.session._report_change()


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_is_sent_the_same_bytes_in_states_it_cannot_tell_apart(name: str, tmp_path: Path) -> None:
    game = make_game(name)
    counts = [whole_game(game, seat, seed, tmp_path) for seat in range(game.num_players) for seed in range(2)]
    assert sum(samples for _, samples in counts) > len(counts)
    if game.secret_choices:
        assert sum(different for different, _ in counts) > 0


@pytest.mark.parametrize("name", GAMES)
def test_onlookers_are_sent_the_same_bytes_in_states_that_differ_in_hidden_information(
    name: str, tmp_path: Path
) -> None:
    game = make_game(name)
    counts = [whole_game(game, ONLOOKER, seed, tmp_path) for seed in range(3)]
    assert sum(samples for _, samples in counts) > len(counts)
    if game.secret_choices:
        assert sum(different for different, _ in counts) > 0


def test_the_view_of_a_seat_for_onlookers_is_detected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    redacted = Table.redacted
    monkeypatch.setattr(Table, "redacted", lambda table, seat, at=None: redacted(table, max(seat, 0), at))
    leaks = 0
    for name in GAMES:
        try:
            whole_game(make_game(name), ONLOOKER, 1, tmp_path)
        except AssertionError:
            leaks += 1
    assert leaks > 0


def test_onlookers_see_the_table_late_until_the_end(tmp_path: Path) -> None:
    rng, each = random.Random(3), Watched(make_game(DEFAULT_GAME), ONLOOKER, tmp_path)
    each.messages()
    updates = []
    while each.table.mover >= 0:
        each.play(rng.choice(each.table.view(each.table.mover).legal_ids().tolist()))
        sent = [json.loads(text) for text in each.messages()]
        if each.table.mover >= 0:
            assert [one["at"] for one in sent] == ([] if each.table.at <= DELAY else [each.table.at - DELAY])
        updates += sent
    *_, last, over = updates
    assert (last["at"], last["mover"], over["actions"]) == (each.table.at, -1, each.table.actions)
    log = [step for one in updates[:-1] for step in one["log"]]
    assert [step[:2] for step in log] == [
        list(step) for step in zip(each.table.movers, each.table.actions, strict=True)
    ]
    assert all(one["legal"] == [] and not one["undoable"] for one in updates[:-1])


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_the_same_at_all_numbers_of_players(name: str, tmp_path: Path) -> None:
    for players in game_class(name).seats:
        game = make_game(name, players)
        for seat in (*range(players), ONLOOKER):
            for seed in range(10):
                whole_game(game, seat, 100 + seed, tmp_path)


def test_a_leak_is_detected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = next(name for name in GAMES if game_class(name).secret_choices)
    game = make_game(name)
    monkeypatch.setattr(type(game), "told", lambda self, action, to, by: action)
    leaks = 0
    for seat in range(game.num_players):
        try:
            whole_game(game, seat, 1, tmp_path)
        except AssertionError:
            leaks += 1
    assert leaks > 0
