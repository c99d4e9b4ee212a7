"""Journals: their contents, and damaged files."""

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


def play(path: Path, steps: int = 60) -> tuple[Journal, Table]:
    """Return a table with some steps, one of them undone, and its journal."""
    table = Table(make_game(DEFAULT_GAME, 3), 7, [HUMAN, "random", HUMAN])
    journal = Journal.new(path, table, TOKENS)
    rng = random.Random(1)
    for number in range(steps):
        action = rng.choice(table.view(table.mover).legal_ids().tolist())
        journal.append(Played(table.at, table.mover, action))
        table.play(action)
        if number == steps // 2:
            # The journal names the player of the undone step, not the next one.
            journal.append(TakenBack(table.at, table.movers[-1]))
            table.undo()
    return journal, table


def change_head(path: Path, **changed: object) -> None:
    first, rest = path.read_bytes().split(b"\n", 1)
    path.write_bytes(msgspec.json.encode(msgspec.json.decode(first) | changed) + b"\n" + rest)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "0123456789abcdef.jsonl"


def assert_equal(one: Table, other: Table) -> None:
    for name in ("actions", "movers", "seats", "seed"):
        assert getattr(one, name) == getattr(other, name)
    assert [one.update(seat, 0) for seat in range(3)] == [other.update(seat, 0) for seat in range(3)]


def test_a_table_is_restored(path: Path) -> None:
    journal, table = play(path, 20)
    restored = Journal.read(path)
    assert restored.head == journal.head
    assert_equal(restored.table(), table)


def test_journals_without_invitations_are_read(path: Path) -> None:
    """Versions before invitations wrote the same head without `invited`."""
    play(path, 3)
    assert b"invited" not in path.read_bytes()
    assert Journal.read(path).opens(0, TOKENS[0])


def test_tokens_are_kept_as_digests_only(path: Path) -> None:
    journal, _ = play(path)
    assert set(journal.head.tokens) == {"0", "2"}
    assert not any(token.encode() in path.read_bytes() for token in TOKENS.values())


@pytest.mark.parametrize("torn", [b"{", b'{"did":"play","at":59,"seat":0', b"\xff\x00"])
def test_a_torn_last_line_is_cut_off(path: Path, torn: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    _, table = play(path)
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert_equal(Journal.read(path).table(), table)
    assert path.read_bytes() == whole
    assert f"{path}: a torn last line of {len(torn)} bytes was cut off" in capsys.readouterr().err


@pytest.mark.parametrize(
    "line",
    [
        b'{"did":"play","at":59,"seat":0}',
        b'{"did":"play","at":3,"seat":0,"action":0}',
        b'{"did":"play","at":59,"seat":9,"action":0}',
        b'{"did":"sing","at":59,"seat":0,"action":0}',
        b"",
    ],
)
def test_an_invalid_line_is_named(path: Path, line: bytes) -> None:
    play(path, 59)
    damaged = path.read_bytes() + line + b"\n"
    path.write_bytes(damaged)
    with pytest.raises(JournalError, match="line 62 is not valid") as raised:
        Journal.read(path).table()
    assert str(path) in str(raised.value)
    assert "cut the file off before that line" in str(raised.value)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"version": 99}, "version 99, not"),
        ({"components": "0" * 64}, "other components"),
        ({"game": "whist"}, "no game 'whist'"),
        ({"format": "table/99"}, "its format is 'table/99'"),
    ],
)
def test_a_foreign_journal_is_refused_with_a_fix(path: Path, changed: dict[str, object], reason: str) -> None:
    play(path, 3)
    change_head(path, **changed)
    with pytest.raises(JournalError, match=reason) as raised:
        Journal.read(path).table()
    assert str(path) in str(raised.value)
    assert "resume with the version of this project that wrote it, or remove the file" in str(raised.value)


@pytest.mark.parametrize(
    "changed", [{"seats": ["human"]}, {"players": 17}, {"seed": "many"}, {"seed": str(2**63)}, {"table": 1}]
)
def test_a_damaged_head_is_refused(path: Path, changed: dict[str, object]) -> None:
    play(path, 3)
    change_head(path, **changed)
    with pytest.raises(JournalError, match="remove the file"):
        Journal.read(path).table()


def test_a_full_disk_leaves_the_file_unchanged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, table = play(path)
    whole, write = path.read_bytes(), os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:5]))
    with pytest.raises(OSError, match="the disk is full"):
        journal.append(Played(table.at, table.mover, 0))
    assert path.read_bytes() == whole
