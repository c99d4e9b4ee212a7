"""Journals: what they keep, and what is done with damaged ones."""

from __future__ import annotations

import os
import random
from pathlib import Path

import msgspec
import pytest

from agents.web.server.journal import Journal, JournalError, Played, TakenBack
from agents.web.server.table import HUMAN, Table
from porta_nigra_env.games import DEFAULT_GAME, make_game

TOKENS = {0: "a-secret", 2: "another"}


def played(path: Path, decisions: int = 60) -> tuple[Journal, Table]:
    """A table with some decisions, one of them taken back, and its journal."""
    table = Table(make_game(DEFAULT_GAME, 3), 7, [HUMAN, "random", HUMAN])
    journal = Journal.new(path, table, TOKENS)
    chance = random.Random(1)
    for number in range(decisions):
        action = chance.choice(table.view(table.mover).legal_ids().tolist())
        journal.append(Played(table.at, table.mover, action))
        table.play(action)
        if number == decisions // 2:
            journal.append(TakenBack(table.at, table.movers[-1]))
            table.take_back()
    return journal, table


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0123456789abcdef.jsonl"


def same(one: Table, other: Table) -> bool:
    return (one.actions, one.movers, one.seats, one.seed) == (
        other.actions,
        other.movers,
        other.seats,
        other.seed,
    ) and ([one.stands(seat, 0) for seat in range(3)] == [other.stands(seat, 0) for seat in range(3)])


def test_a_table_comes_back_as_it_was(path: Path) -> None:
    # A take-back needs the same player to be to move; the journal says who it was.
    journal, table = played(path, 20)
    found = Journal.read_head(path)
    assert found.head == journal.head
    assert same(found.table(), table)


def test_tokens_are_kept_as_digests_only(path: Path) -> None:
    journal, _ = played(path)
    assert set(journal.head.tokens) == {"0", "2"}
    assert not any(token.encode() in path.read_bytes() for token in TOKENS.values())


@pytest.mark.parametrize("torn", [b"{", b'{"did":"play","at":59,"seat":0', b"\xff\x00"])
def test_a_torn_last_line_is_cut_off(path: Path, torn: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    _, table = played(path)
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert same(Journal.read_head(path).table(), table)
    assert path.read_bytes() == whole
    assert f"{path}: a torn last line of {len(torn)} bytes was cut off" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"did":"play","at":59,"seat":0}', "line 62 cannot be"),
        (b'{"did":"play","at":3,"seat":0,"action":0}', "line 62 cannot be"),
        (b'{"did":"play","at":59,"seat":9,"action":0}', "line 62 cannot be"),
        (b'{"did":"sing","at":59,"seat":0,"action":0}', "line 62 cannot be"),
        (b"", "line 62 cannot be"),
    ],
)
def test_a_line_that_cannot_be_is_named(path: Path, line: bytes, says: str) -> None:
    played(path, 59)
    damaged = path.read_bytes() + line + b"\n"
    path.write_bytes(damaged)
    with pytest.raises(JournalError, match=says) as raised:
        Journal.read_head(path).table()
    assert str(path) in str(raised.value)
    assert "cut the file off before that line" in str(raised.value)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"version": 99}, "version 99, not"),
        ({"components": "0" * 64}, "other components"),
        ({"game": "whist"}, "no game 'whist'"),
        ({"format": "table/99"}, "its format is 'table/99'"),
    ],
)
def test_a_journal_of_something_else_is_refused_with_a_cure(path: Path, changed: dict[str, object], says: str) -> None:
    journal, _ = played(path, 3)
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(first) | changed) + b"\n" + rest)
    with pytest.raises(JournalError, match=says) as raised:
        Journal.read_head(path).table()
    assert str(path) in str(raised.value)
    assert "go on with the version of this project that wrote it, or remove the file" in str(raised.value)
    assert journal.head.version != 99


@pytest.mark.parametrize(
    "changed", [{"seats": ["human"]}, {"players": 17}, {"seed": "many"}, {"seed": str(2**63)}, {"table": 1}]
)
def test_a_first_line_that_cannot_be_is_refused(path: Path, changed: dict[str, object]) -> None:
    played(path, 3)
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(first) | changed) + b"\n" + rest)
    with pytest.raises(JournalError, match="remove the file"):
        Journal.read_head(path).table()


def test_what_does_not_fit_on_the_disk_leaves_the_file_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, table = played(path)
    whole, write = path.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:5]))
    with pytest.raises(OSError, match="the disk is full"):
        journal.append(Played(table.at, table.mover, 0))
    assert path.read_bytes() == whole
