"""Two worlds that a seat cannot tell apart: every byte that its socket is sent is the same in both."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.web.server.journal import Journal
from agents.web.server.limits import Limits
from agents.web.server.messages import Undo, Hint, Play
from agents.web.server.players import Players
from agents.web.server.session import Connection, Session
from agents.web.server.table import HUMAN, Table
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES, game_class, make_game

#: Pairs of choices that are tried at a decision before the other world is drawn anew.
TRIES = 24


class Watched:
    """A table with one seat's socket, which hears everything."""

    def __init__(self, game: Game, seat: int, folder: Path) -> None:
        self.table = Table(game, 7, [HUMAN] * game.num_players)
        journal = Journal.new(folder / "0123456789abcdef.jsonl", self.table, {})
        self.session = Session(self.table, journal, Players((), ()), None, Limits(), lambda: None)
        self.place: Connection = self.session.enter(seat)

    def heard(self) -> list[str]:
        return self.place.take(self.table)

    def play(self, action: int) -> None:
        """A decision, as if it came from the socket of who is to move."""
        other = Connection(self.table.mover)
        self.session.ask(other, Play(self.table.at, action))

    def in_the_world_of(self, table: Table, seat: int, seed: int) -> None:
        """The present position becomes another one that the seat takes for possible in that of `table`."""
        world = State(table.game, table._states(table.at)).determinize(seat, seed)
        self.table._state = world
        self.table._records[-1] = world.states.tobytes()

    def after(self, action: int) -> tuple[bytes, int]:
        """What the seat would see after a choice, and who would be to move."""
        state = State(self.table.game, self.table._states(self.table.at)).apply_id(action)
        return state.view(self.place.seat).state.tobytes(), state.player


def pairs(here: Watched, there: Watched, chance: random.Random) -> Iterator[tuple[int, int]]:
    """Choices in both worlds, a few in random order; somebody else's secret ones may be different ones.

    Any other choice has been heard by everybody, whatever the record shows of it.
    """
    game = here.table.game
    one, other = (each.table.view(each.table.mover).legal_ids().tolist() for each in (here, there))
    chance.shuffle(one)
    if here.table.mover != here.place.seat:
        hidden = [[a for a in ids if game.actions.find(a)[0].name in game.secret_choices] for ids in (one, other)]
        yield from ((a, b) for a in hidden[0][:4] for b in hidden[1][:4] if a != b)
    yield from ((a, a) for a in one[:TRIES] if a in other)


def ask_for_nonsense(each: Watched, chance: random.Random) -> None:
    """What is refused is answered too."""
    at = each.table.at
    for message in (Play(at, chance.randrange(400)), Play(at + 1, 0), Undo(at), Hint(at)):
        legal = isinstance(message, Play) and message.action in each.table.view(each.place.seat).legal_ids()
        if not legal and not isinstance(message, Undo):
            each.session.ask(each.place, message)


def whole_game(game: Game, seat: int, seed: int, folder: Path) -> tuple[int, int]:
    """One game in two worlds: how many decisions were the same to the seat though they were others, how many worlds."""
    chance = random.Random(seed)
    here, there = (Watched(game, seat, folder) for _ in range(2))
    there.in_the_world_of(here.table, seat, chance.randrange(2**62))
    different, worlds = 0, 1
    while here.table.mover >= 0:
        assert here.heard() == there.heard()
        again = chance.getstate()
        ask_for_nonsense(here, chance)
        chance.setstate(again)
        ask_for_nonsense(there, chance)
        assert here.heard() == there.heard()
        for one, other in pairs(here, there, chance):
            if here.after(one) == there.after(other):
                break
        else:
            worlds += 1
            there.in_the_world_of(here.table, seat, chance.randrange(2**62))
            one = other = chance.choice(here.table.view(here.table.mover).legal_ids().tolist())
            if other not in there.table.view(there.table.mover).legal_ids() or here.after(one) != there.after(one):
                # Something is turned over now: both go on from the one world in which it was so.
                here.play(one)
                follow(here, there)
                there.in_the_world_of(here.table, seat, chance.randrange(2**62))
                continue
        different += one != other
        here.play(one)
        there.play(other)
    return different, worlds


def follow(here: Watched, there: Watched) -> None:
    """The other table takes over the last decision of the one."""
    table = there.table
    table.actions.append(here.table.actions[-1])
    table.movers.append(here.table.movers[-1])
    table._records.append(here.table._records[-1])
    for place in there.session._connections:
        place.changed(table.at)


@pytest.mark.parametrize("name", GAMES)
def test_a_seat_is_sent_the_same_in_worlds_it_cannot_tell_apart(name: str, tmp_path: Path) -> None:
    game = make_game(name)
    found = [whole_game(game, seat, seed, tmp_path) for seat in range(game.num_players) for seed in range(2)]
    assert sum(worlds for _, worlds in found) > len(found)
    if game.secret_choices:
        assert sum(different for different, _ in found) > 0


@pytest.mark.long
@pytest.mark.parametrize("name", GAMES)
def test_the_same_at_all_numbers_of_players(name: str, tmp_path: Path) -> None:
    for players in game_class(name).seats:
        game = make_game(name, players)
        for seat in range(players):
            for seed in range(10):
                whole_game(game, seat, 100 + seed, tmp_path)


def test_the_test_hears_a_leak(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = next(name for name in GAMES if game_class(name).secret_choices)
    game = make_game(name)
    monkeypatch.setattr(type(game), "told", lambda self, action, to, by: action)
    heard = 0
    for seat in range(game.num_players):
        try:
            whole_game(game, seat, 1, tmp_path)
        except AssertionError:
            heard += 1
    assert heard > 0
