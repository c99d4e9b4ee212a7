"""Tables that sleep, grow old or cannot be kept; and rates."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from agents.web.server.app import Closing, _write
from agents.web.server.journal import Journal
from agents.web.server.limits import Bucket, Buckets, Limits, Rate
from agents.web.server.lobby import LobbyFullError, Lobby
from agents.web.server.messages import Play, Refused, Request, written
from agents.web.server.players import Players
from agents.web.server.session import Connection
from agents.web.server.table import HUMAN, RefusedError, Table
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.server.serving import finished

REQUEST = Request(DEFAULT_GAME, 2, [HUMAN, "random"], "7")


def lobby(folder: Path, days: float = 0, limits: Limits | None = None) -> Lobby:
    return Lobby(folder, Players((DEFAULT_GAME,), ("random",)), limits or Limits(), days)


def test_a_table_that_nobody_looks_at_sleeps_and_comes_back(tmp_path: Path) -> None:
    async def evening() -> None:
        kept = lobby(tmp_path)
        _, tokens = await kept.open(REQUEST)
        assert (len(kept), kept.awake) == (1, 0)
        session, place = await kept.sit(tokens["0"])
        while session.table.waits_for_agent:
            await asyncio.sleep(0)
        action = int(session.table.view(0).legal_ids()[0])
        session.ask(place, Play(session.table.at, action))
        assert kept.awake == 1
        session.leave(place)
        # What agents have begun they end, with nobody looking.
        while kept.awake:
            await asyncio.sleep(0)
        assert not session.table.waits_for_agent
        again, _ = await kept.sit(tokens["0"])
        assert again is not session
        assert again.table.stands(0, 0) == session.table.stands(0, 0)

    finished(evening())


def test_two_who_come_at_once_sit_at_one_table(tmp_path: Path) -> None:
    async def evening() -> None:
        kept = lobby(tmp_path)
        _, tokens = await kept.open(Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], None))
        found = await asyncio.gather(*(kept.sit(token) for token in tokens.values()))
        assert found[0][0] is found[1][0]

    finished(evening())


def test_a_decision_that_cannot_be_kept_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def evening() -> None:
        kept = lobby(tmp_path)
        _, tokens = await kept.open(Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7"))
        seat = 0
        session, place = await kept.sit(tokens[str(seat)])
        if session.table.mover != seat:
            session, place = await kept.sit(tokens[str(1 - seat)])
        place.take(session.table)

        def full(*_: object) -> None:
            raise OSError("no space is left")

        action = int(session.table.view(place.seat).legal_ids()[0])
        with monkeypatch.context() as patch:
            patch.setattr(Journal, "append", full)
            session.ask(place, Play(0, action))
        (told,) = place.take(session.table)
        assert "could not keep this" in told
        assert session.table.at == 0
        session.ask(place, Play(0, action))
        assert session.table.at == 1

    finished(evening())


def test_old_games_make_room_where_that_is_wanted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def opened(kept: Lobby) -> tuple[Path, str]:
        name, tokens = await kept.open(REQUEST)
        return tmp_path / f"{name}.jsonl", tokens["0"]

    async def evening() -> None:
        kept = lobby(tmp_path, days=30, limits=replace(Limits(), tables=2))
        (old, token), (young, _) = await opened(kept), await opened(kept)
        os.utime(old, (time.time() - 31 * 86_400,) * 2)
        third, _ = await opened(kept)
        assert {path.name for path in tmp_path.glob("*.jsonl")} == {young.name, third.name}
        with pytest.raises(RefusedError, match="no such seat"):
            await kept.sit(token)
        assert f"{old}: removed" in capsys.readouterr().err

    finished(evening())
    for path in tmp_path.glob("*.jsonl"):
        os.utime(path, (time.time() - 31 * 86_400,) * 2)
    assert len(lobby(tmp_path)) == 2
    assert len(lobby(tmp_path, days=30)) == 0


def test_a_slow_reader_is_told_once_and_does_not_fill_the_memory() -> None:
    table = Table(make_game(DEFAULT_GAME), 7, [HUMAN, HUMAN])
    place = Connection(0)
    (first,) = place.take(table)
    assert '"from":0' in first
    for _ in range(5):
        table.play(int(table.view(table.mover).legal_ids()[0]))
        place.changed(table.at)
    (told,) = place.take(table)
    assert told == written(table.stands(0, 0))
    assert place.take(table) == []
    for _ in range(100):
        place.answer(Refused("no"))
    assert place.closing is None
    place.answer(Refused("no"))
    assert place.closing == (1008, "too slow a reader")


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


def test_addresses_have_a_bucket_each_and_are_forgotten_in_time() -> None:
    buckets = Buckets(Rate(0.001, 1), lambda: 0.0)
    assert [buckets.take("one"), buckets.take("one"), buckets.take("other")] == [True, False, True]
    for number in range(10_000):
        buckets.take(str(number))
    assert buckets.take("one")


def test_who_leaves_late_does_not_send_the_next_sitting_to_sleep(tmp_path: Path) -> None:
    """One blocked socket had been sent away, all others left, and somebody came anew."""

    async def evening() -> None:
        kept = lobby(tmp_path, limits=replace(Limits(), sockets_a_seat=1))
        _, tokens = await kept.open(Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7"))
        first, blocked = await kept.sit(tokens["0"])
        _, second = await kept.sit(tokens["0"])
        assert blocked.closing is not None
        first.leave(second)
        assert kept.awake == 0
        after, _ = await kept.sit(tokens["0"])
        assert after is not first
        first.leave(blocked)
        again, _ = await kept.sit(tokens["1"])
        assert again is after

    finished(evening())


def test_tables_removed_by_hand_make_room_and_old_ones_are_looked_for_by_the_hour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> None:
        kept = lobby(tmp_path, days=30, limits=replace(Limits(), tables=2))
        name, _ = await kept.open(REQUEST)
        await kept.open(REQUEST)
        with pytest.raises(LobbyFullError, match="keeps 2 tables and no more"):
            await kept.open(REQUEST)
        (tmp_path / f"{name}.jsonl").unlink()
        await kept.open(REQUEST)
        assert len(kept) == 2
        roomy = lobby(tmp_path, days=30)
        for path in tmp_path.glob("*.jsonl"):
            os.utime(path, (time.time() - 31 * 86_400,) * 2)
        await roomy.open(REQUEST)
        assert len(roomy) == 3
        monkeypatch.setattr(roomy, "_looked", time.time() - 3601)
        await roomy.open(REQUEST)
        assert len(roomy) == 2

    finished(evening())


class Unread:
    """A socket whose reader takes nothing."""

    async def send_text(self, _: str) -> None:
        await asyncio.Event().wait()


def test_a_socket_that_is_not_read_is_closed() -> None:
    async def evening() -> None:
        table, place = Table(make_game(DEFAULT_GAME), 7, [HUMAN, HUMAN]), Connection(0)
        place.changed(0)
        session: Any = SimpleNamespace(table=table)
        with pytest.raises(Closing, match="too slow a reader"):
            await _write(cast(Any, Unread()), session, place, 0.01)

    finished(evening())
