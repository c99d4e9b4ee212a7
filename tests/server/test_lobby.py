"""Tables that sleep, grow old or cannot be written; invitations; rates and sizes."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agents.web.server.agent_pool import AgentPool
from agents.web.server.app import Closing, _write
from agents.web.server.journal import EXCESS, Journal
from agents.web.server.limits import Bucket, Limits, PerAddress, Rate, Work, address_key
from agents.web.server.lobby import Lobby, LobbyFullError
from agents.web.server.messages import Play, ProtocolError, Refused, Request, Undo, encode
from agents.web.server.session import Connection, Session
from agents.web.server.table import HUMAN, RefusedError, Table
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.server.serving import WIDE, fresh_token, open_table, run, sit

DAY = 86_400
REQUEST = Request(DEFAULT_GAME, 2, [HUMAN, "random"], "7")
TWO_PEOPLE = Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7")


def make_lobby(folder: Path, **limits: Any) -> Lobby:
    return Lobby(folder, AgentPool((DEFAULT_GAME,), ("random",)), replace(Limits(), **limits))


async def sit_as_mover(lobby: Lobby, tokens: dict[str, str]) -> tuple[Session, Connection]:
    session, connection = await sit(lobby, tokens["0"])
    return (session, connection) if session.table.mover == 0 else await sit(lobby, tokens["1"])


def play_first(session: Session, connection: Connection) -> None:
    session.handle(connection, Play(session.table.at, int(session.table.view(connection.seat).legal_ids()[0])))


def make_old(path: Path, days: float) -> None:
    os.utime(path, (time.time() - days * DAY,) * 2)


def test_a_table_without_connections_sleeps_and_comes_back(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        _, tokens = await open_table(lobby, REQUEST)
        assert (len(lobby), lobby.awake) == (1, 0)
        session, connection = await sit(lobby, tokens["0"])
        while session.table.waits_for_agent:
            await asyncio.sleep(0)
        play_first(session, connection)
        assert lobby.awake == 1
        session.leave(connection)
        # Agents finish their turn without an observer.
        while lobby.awake:
            await asyncio.sleep(0)
        assert not session.table.waits_for_agent
        again, _ = await sit(lobby, tokens["0"])
        assert again is not session
        assert again.table.update(0, 0) == session.table.update(0, 0)

    run(main())


def test_two_people_who_come_at_once_share_a_session(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        _, tokens = await open_table(lobby, TWO_PEOPLE)
        (one, _), (other, _) = await asyncio.gather(*(sit(lobby, token) for token in tokens.values()))
        assert one is other

    run(main())


def refuses(work: Coroutine[Any, Any, Any], reason: str) -> Coroutine[Any, Any, None]:
    async def check() -> None:
        with pytest.raises(RefusedError, match=reason):
            await work

    return check()


def test_an_invitation_opens_a_seat_once(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        opened = await lobby.open(replace_mine(TWO_PEOPLE, 0))
        assert (set(opened.tokens), set(opened.invitations)) == ({"0"}, {"1"})
        invitation = opened.invitations["1"]
        token, other = fresh_token(invitation), invitation[:-4] + "AAAA"
        for fresh in (None, invitation, opened.tokens["0"], other.replace(".1.", ".0.")):
            await refuses(sit(lobby, invitation, fresh), "an invitation needs `fresh`")
        assert lobby.awake == 0
        session, connection = await sit(lobby, invitation, token)
        assert connection.seat == 1
        # The opener, or any other holder of the link, comes too late; the person at the seat may repeat the call.
        await refuses(sit(lobby, invitation, other), "was used already")
        await refuses(sit(lobby, invitation), "no such seat")
        assert (await sit(lobby, invitation, token))[0] is session
        assert (await sit(lobby, token))[0] is session
        assert await sit(lobby, opened.tokens["0"])
        # After a restart, and after the journal was written again.
        restarted = make_lobby(tmp_path)
        await refuses(sit(restarted, invitation, other), "was used already")
        session, connection = await sit(restarted, token)
        session.journal.excess = EXCESS
        session.journal.compact(session.table)
        assert make_lobby(tmp_path)._journal(opened.table).opens(1, token)
        await refuses(sit(make_lobby(tmp_path), invitation, other), "was used already")

    run(main())


def replace_mine(request: Request, mine: int) -> Request:
    return Request(request.game, request.players, request.seats, request.seed, mine)


def test_two_people_with_one_invitation_get_one_seat(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        invitation = (await lobby.open(TWO_PEOPLE)).invitations["1"]
        fresh = fresh_token(invitation), invitation[:-4] + "AAAA"
        answers = await asyncio.gather(*(sit(lobby, invitation, each) for each in fresh), return_exceptions=True)
        assert [isinstance(answer, RefusedError) for answer in answers] == [False, True]

    run(main())


def test_the_openers_seat_must_be_a_persons(tmp_path: Path) -> None:
    for mine in (1, 2, 63):
        with pytest.raises(ProtocolError, match=f'mine: seat {mine} is not "human"'):
            run(make_lobby(tmp_path).open(replace_mine(REQUEST, mine)))


def test_a_step_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        session, connection = await sit_as_mover(lobby, (await open_table(lobby, TWO_PEOPLE))[1])
        connection.take(session.table)

        def fail(*_: object) -> None:
            raise OSError("no space is left")

        with monkeypatch.context() as patch:
            patch.setattr(Journal, "append", fail)
            play_first(session, connection)
        (message,) = connection.take(session.table)
        assert "could not write this step" in message
        assert session.table.at == 0
        play_first(session, connection)
        assert session.table.at == 1

    run(main())


def test_undone_steps_do_not_fill_the_journal(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        session, connection = await sit_as_mover(lobby, (await open_table(lobby, TWO_PEOPLE))[1])
        table = session.table
        for step in range(100):
            legal = table.view(connection.seat).legal_ids().tolist()
            session.handle(connection, Play(table.at, legal[step % len(legal)]))
            if table.undoable(connection.seat):
                break
            connection = Connection(table.mover, Work(WIDE))
        action = table.actions[-1]
        for _ in range(1000):
            session.handle(connection, Undo(table.at))
            session.handle(connection, Play(table.at, action))
        path = session.journal.path
        assert path.read_bytes().count(b"\n") < table.at + EXCESS + 10
        assert Journal.read(path).table().update(0, 0) == table.update(0, 0)

    run(main())


def test_only_the_owner_reads_the_journals(tmp_path: Path) -> None:
    folder = tmp_path / "tables"
    mask = os.umask(0)
    try:
        name, _ = run(open_table(make_lobby(folder), REQUEST))
    finally:
        os.umask(mask)
    path = folder / f"{name}.jsonl"
    assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    path.chmod(0o644)
    make_lobby(folder)
    assert path.stat().st_mode & 0o777 == 0o600


def played(folder: Path) -> None:
    """Add a step to all journals without one."""
    for path in folder.glob("*.jsonl"):
        path.write_bytes(path.read_bytes().partition(b"\n")[0] + b'\n{"did":"play","at":0,"seat":0,"action":0}\n')


def test_tables_without_a_step_are_removed_after_a_day(tmp_path: Path) -> None:
    lobby = make_lobby(tmp_path)
    (used, _), (unused, _), (young, _) = (run(open_table(lobby, REQUEST)) for _ in range(3))
    (tmp_path / f"{young}.jsonl").rename(tmp_path / "young")
    (tmp_path / f"{unused}.jsonl").rename(tmp_path / "unused")
    played(tmp_path)
    (tmp_path / "unused").rename(tmp_path / f"{unused}.jsonl")
    for path in tmp_path.glob("*.jsonl"):
        make_old(path, 1.1)
    (tmp_path / "young").rename(tmp_path / f"{young}.jsonl")
    make_lobby(tmp_path)
    assert {path.stem for path in tmp_path.glob("*.jsonl")} == {used, young}


def test_an_address_keeps_a_bounded_number_of_tables(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path, tables_per_address=2)
        name, _ = await open_table(lobby, REQUEST, "one")
        await open_table(lobby, REQUEST, "one")
        with pytest.raises(LobbyFullError, match="your address has 2 unfinished tables"):
            await open_table(lobby, REQUEST, "one")
        await open_table(lobby, REQUEST, "other")
        make_old(tmp_path / f"{name}.jsonl", 2)
        lobby._remove_unused()
        await open_table(lobby, REQUEST, "one")

    run(main())


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
    ],
)
def test_limits_count_ipv6_networks(host: str, key: str) -> None:
    assert address_key(host) == key


def test_a_slow_reader_gets_one_update_and_does_not_fill_the_memory() -> None:
    table = Table(make_game(DEFAULT_GAME), 7, [HUMAN, HUMAN])
    connection = Connection(0, Work(WIDE))
    (first,) = connection.take(table)
    assert '"from":0' in first
    for _ in range(5):
        table.play(int(table.view(table.mover).legal_ids()[0]))
        connection.mark_changed(table.at)
    assert connection.take(table) == [encode(table.update(0, 0))]
    assert connection.take(table) == []
    for _ in range(100):
        connection.answer(Refused("no"))
    assert connection.closing is None
    connection.answer(Refused("no"))
    assert connection.closing == (1008, "too slow a reader")


def test_a_socket_that_is_not_read_is_closed() -> None:
    async def send_text(_: str) -> None:
        await asyncio.Event().wait()

    async def main() -> None:
        table, connection = Table(make_game(DEFAULT_GAME), 7, [HUMAN, HUMAN]), Connection(0, Work(WIDE))
        socket = cast(Any, SimpleNamespace(send_text=send_text))
        connection.mark_changed(0)
        with pytest.raises(Closing, match="too slow a reader"):
            await _write(socket, cast(Any, SimpleNamespace(table=table)), connection, 0.01)

    run(main())


def test_a_bucket_fills_again() -> None:
    now = [0.0]
    bucket = Bucket(Rate(2, 3), lambda: now[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now[0] = 0.4
    assert not bucket.take()
    now[0] = 0.6
    assert [bucket.take(), bucket.take()] == [True, False]
    now[0] = 1000.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]


def test_a_charged_bucket_has_a_debt() -> None:
    now = [0.0]
    bucket = Bucket(Rate(0.5, 1), lambda: now[0])
    bucket.charge(0.8)
    assert bucket.debt() == 0
    bucket.charge(1.2)
    assert bucket.debt() == pytest.approx(2)
    now[0] = 1.5
    assert bucket.debt() == pytest.approx(0.5)


def test_addresses_have_a_bucket_each_and_are_forgotten_in_time() -> None:
    buckets = PerAddress(lambda: Bucket(Rate(0.001, 1), lambda: 0.0))
    assert [buckets[name].take() for name in ("one", "one", "other")] == [True, False, True]
    for number in range(10_000):
        buckets[str(number)].take()
    assert buckets["one"].take()


def test_a_late_socket_does_not_end_the_next_session(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path, sockets_per_seat=1)
        _, tokens = await open_table(lobby, TWO_PEOPLE)
        first, blocked = await sit(lobby, tokens["0"])
        _, second = await sit(lobby, tokens["0"])
        assert blocked.closing is not None
        first.leave(second)
        assert lobby.awake == 0
        after, _ = await sit(lobby, tokens["0"])
        assert after is not first
        first.leave(blocked)
        again, _ = await sit(lobby, tokens["1"])
        assert again is after

    run(main())


def test_journals_removed_by_hand_free_space_and_unused_ones_are_looked_for_by_the_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path, tables=2)
        name, tokens = await open_table(lobby, REQUEST)
        await open_table(lobby, REQUEST)
        with pytest.raises(LobbyFullError, match="keeps at most 2 tables"):
            await open_table(lobby, REQUEST)
        (tmp_path / f"{name}.jsonl").unlink()
        await open_table(lobby, REQUEST)
        assert len(lobby) == 2
        await refuses(sit(lobby, tokens["0"]), "no such seat")
        larger = make_lobby(tmp_path)
        for path in tmp_path.glob("*.jsonl"):
            make_old(path, 2)
        await open_table(larger, REQUEST)
        assert len(larger) == 3
        monkeypatch.setattr(larger, "_looked", time.time() - 3601)
        await open_table(larger, REQUEST)
        assert len(larger) == 2
        assert capsys.readouterr().err.count(".jsonl: removed, no action was played within 24 hours") == 2

    run(main())
