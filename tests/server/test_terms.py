"""Terms of programs' seats: clocks and forfeits, also after a restart."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from agents.seats.terms import Conduct, Terms
from agents.web.server.agent_pool import AgentPool
from agents.web.server.journal import EXCESS, Forfeited, Journal, JournalError
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Play, ProtocolError, Request, Undo
from agents.web.server.session import Connection, Session
from agents.web.server.table import HUMAN, RefusedError, Table
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.seats.doors import Clock
from tests.server.serving import WIDE, fresh_token, run, sit

#: The seat that moves first in the game with seed 7: the program's.
MINE = Table(make_game(DEFAULT_GAME), 7, [HUMAN, HUMAN]).mover
REQUEST = Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7", MINE)
Seats = tuple[Session, Connection, Connection]


def make_lobby(folder: Path, clock: Clock, agents: tuple[str, ...] = ("random",)) -> Lobby:
    return Lobby(folder, AgentPool((DEFAULT_GAME,), agents), WIDE, clock)


async def take_both(lobby: Lobby, token: str, invitation: str) -> Seats:
    """Take the program's seat and the person's."""
    session, program = await sit(lobby, token)
    return session, program, (await sit(lobby, invitation, fresh_token(invitation)))[1]


async def open_table(lobby: Lobby, terms: Terms | None) -> tuple[str, str]:
    """Open a table; return the opener's token and the other seat's invitation."""
    opened = await lobby.open(REQUEST, "", terms)
    return opened.tokens[str(MINE)], opened.invitations[str(1 - MINE)]


def play(session: Session, connection: Connection) -> None:
    """Play the first legal action."""
    session.handle(connection, Play(session.table.at, int(session.table.view(connection.seat).legal_ids()[0])))


async def await_person(session: Session) -> None:
    """Wait until the fallback has played."""
    while session.table.waits_for_agent:
        await asyncio.sleep(0.001)


def finish(work: Coroutine[Any, Any, None]) -> None:
    run(asyncio.wait_for(work, 60))


def test_a_decision_is_charged_to_its_seat_alone() -> None:
    clock = Clock()
    conduct = Conduct(Terms(seconds=10, retries=1), [0, 1], clock)
    conduct.ask(0)
    clock.wait(4)
    conduct.ask(0)  # the same decision
    assert (conduct.left(0), conduct.left(1), conduct.left(2)) == (6, 10, None)
    conduct.stop()
    clock.wait(100)  # agents play
    conduct.ask(1)
    assert [conduct.refuse(), conduct.refuse()] == [1, 0]
    clock.wait(10)
    assert conduct.late
    conduct.forfeit(1, "time")
    assert not conduct.late
    conduct.ask(0)
    assert (conduct.left(0), conduct.refuse()) == (6, 1)
    conduct.forfeit(0, "answers")
    conduct.ask(0)  # its fallback decides
    clock.wait(3)
    assert conduct.left(0) == 6


def test_clocks_and_forfeits_survive_restarts(tmp_path: Path) -> None:
    """The clock stands while the server is down and while the other seat thinks."""
    clock = Clock()

    async def main() -> None:
        lobby = make_lobby(tmp_path, clock)
        seats = await open_table(lobby, Terms(seconds=10))
        session, program, _ = await take_both(lobby, *seats)
        clock.wait(7.5)
        play(session, program)
        lobby.close()
        clock.wait(1000)

        lobby = make_lobby(tmp_path, clock)
        session, program, person = await take_both(lobby, *seats)
        table = session.table
        while table.mover == MINE:
            play(session, program)
        while table.mover != MINE:
            clock.wait(100)
            play(session, person)
        assert table.conduct.left(MINE) == 2.5
        clock.wait(2.5)
        play(session, program)
        assert table.conduct.forfeits == {MINE: "time"}
        lobby.close()

        lobby = make_lobby(tmp_path, clock)
        session, program, person = await take_both(lobby, *seats)
        assert session.table.conduct.forfeits == {MINE: "time"}
        await await_person(session)
        at = session.table.at
        assert at > table.at
        for message in (Play(at, 0), Undo(at)):
            program.take(session.table)
            session.handle(program, message)
            assert "this seat has forfeited the game" in program.take(session.table)[0]
        while session.table.mover >= 0:
            play(session, person)
            await await_person(session)
        assert session.table.result().record()["forfeits"] == {str(MINE): "time"}
        assert session.table.over().places[MINE] == 2
        lobby.close()

    finish(main())


def test_a_program_that_never_asks_forfeits(tmp_path: Path) -> None:
    """The table stays awake without connections until the clock has run out, and then sleeps."""

    async def main() -> None:
        lobby = Lobby(tmp_path, AgentPool((DEFAULT_GAME,), ("random",)), WIDE)
        token, _ = await open_table(lobby, Terms(seconds=0.05))
        session, program = await sit(lobby, token)
        session.leave(program)
        assert lobby.awake == 1
        while lobby.awake:
            await asyncio.sleep(0.01)
        assert session.table.conduct.forfeits == {MINE: "time"}
        assert session.table.mover == 1 - MINE  # a person, without a clock

    finish(main())


@pytest.mark.parametrize("program", [False, True])
def test_only_seats_that_programs_took_are_under_the_terms(tmp_path: Path, program: bool) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path, Clock())
        for terms, mine in ((None, False), (Terms(seconds=10), True)):
            token, invitation = await open_table(lobby, terms)
            session, connection = await sit(lobby, token)
            await lobby.sit(invitation, fresh_token(invitation), connection.work, program)
            for conduct in (session.table.conduct, Journal.read(session.journal.path).table().conduct):
                assert [seat in conduct for seat in (MINE, 1 - MINE)] == [mine, program]
            if not mine:
                with pytest.raises(RefusedError, match="a person's seat cannot forfeit"):
                    session.forfeit(MINE, "left", connection.work)
                words = (b"terms", b"used", b"program")
                assert [word in session.journal.path.read_bytes() for word in words] == [False, False, program]

    finish(main())


def test_undoing_brings_no_forfeited_seat_back(tmp_path: Path) -> None:
    """Nor does the journal that is written again without the undone steps."""

    async def main() -> None:
        lobby = make_lobby(tmp_path, clock := Clock())
        session, program, person = await take_both(lobby, *await open_table(lobby, Terms(seconds=9)))
        table, journal = session.table, session.journal
        clock.wait(2)
        play(session, program)
        while table.mover != MINE:
            play(session, person)
        session.forfeit(MINE, "left", program.work)
        for excess in (0, EXCESS):
            await await_person(session)
            while not table.undoable(1 - MINE):
                play(session, person)
                await await_person(session)
            journal.excess, at = excess, table.at
            session.handle(person, Undo(at))
            assert (table.at, table.conduct.forfeits) == (at - 1, {MINE: "left"})
            restored = Journal.read(journal.path).table()
            assert (restored.conduct.forfeits, restored.conduct.left(MINE)) == (table.conduct.forfeits, 7)
            assert (restored.actions, restored.movers) == (table.actions, table.movers)
        assert journal.excess == 0

    finish(main())


def test_a_journal_with_an_impossible_forfeit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "0123456789abcdef.jsonl"
    journal = Journal.new(path, Table(make_game(DEFAULT_GAME), 7, [HUMAN, HUMAN]), {})
    journal.append(Forfeited(0, "time"))
    with pytest.raises(JournalError, match="line 2 is not valid: seat 0 cannot forfeit"):
        Journal.read(path).table()


def test_the_fallback_is_offered_or_random(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path, Clock(), agents=())
        with pytest.raises(ProtocolError, match="fallback: the agent 'builder' is not offered here"):
            await open_table(lobby, Terms(fallback="builder"))
        with pytest.raises(ProtocolError, match="seats: seat 1: the agent 'random' is not offered here"):
            await lobby.open(Request(DEFAULT_GAME, 2, [HUMAN, "random"]))
        assert len(lobby) == 0
        session, program = await sit(lobby, (await open_table(lobby, Terms()))[0])
        session.forfeit(MINE, "left", program.work)
        await await_person(session)
        assert session.table.mover == 1 - MINE

    finish(main())


@pytest.mark.parametrize(("field", "value"), [("retries", -1), ("seconds", 0), ("seconds", float("nan")),
                                              ("seconds", float("inf")), ("language", "fr")])  # fmt: skip
def test_terms_that_cannot_be_used_are_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        Terms(**{field: value})
