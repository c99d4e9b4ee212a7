"""Nonsense by the thousand leaves every game as it was."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from porta_nigra_env.games import DEFAULT_GAME
from tests.server.serving import Address, Person, read_journals, serve_tables

Forged = Callable[[random.Random, dict[str, Any], list[str]], str | bytes]


def _message(kind: str, **more: Any) -> str:
    return json.dumps({"kind": kind, **more})


def _play(rng: random.Random, update: dict[str, Any], _: list[str]) -> str:
    """An action of a seat that is not to move, at another step, or not legal."""
    at, action = rng.choice([0, update["at"], update["at"], rng.randrange(1000)]), rng.randrange(70_000)
    if rng.random() < 0.5 and update["legal"]:
        action, at = rng.choice(update["legal"]), update["at"] + rng.choice([-1, 1, 7])
    if at == update["at"] and action in update["legal"]:
        action = -1
    return _message("play", at=at, action=action)


def _cut(rng: random.Random, update: dict[str, Any], tokens: list[str]) -> str:
    text = _play(rng, update, tokens)
    return text[: rng.randrange(len(text))]


def _strange(rng: random.Random, update: dict[str, Any], _: list[str]) -> str:
    values: list[object] = [None, True, -1, 1.5, 1e300, 10**40, "", "0", [], {}, [[[]]], {"at": 0}, "\ud800", "\0" * 50]
    keys = ["at", "action", "token", "seat", "kind", "__proto__", ""]
    kind = rng.choice(["play", "back", "hint", "sit", "stands", "over", "", "PLAY"])
    return json.dumps({"kind": kind, "at": update["at"]} | {rng.choice(keys): rng.choice(values)})


FORGED: tuple[Forged, ...] = (
    _play,
    _play,
    _play,
    _cut,
    _strange,
    lambda rng, update, _: _message("back", at=update["at"] + rng.choice([-1, 1, 100])),
    lambda rng, update, _: _message("hint", at=rng.randrange(100)),
    lambda rng, update, tokens: _message("sit", token=rng.choice(tokens)),
    lambda rng, update, tokens: _message("play", at=update["at"], action=update["at"], token=rng.choice(tokens)),
    lambda rng, update, _: rng.randbytes(rng.randrange(200)),
    lambda rng, update, _: rng.randbytes(rng.randrange(200)).decode("latin-1"),
    lambda rng, update, _: rng.choice(["x", "[", '{"kind":"play","at":']) * rng.randrange(5000),
)


def attack(address: Address, tokens: list[str], count: int, rng: random.Random) -> None:
    """Send `count` messages, on a new socket whenever one was closed."""
    sent = 0
    while sent < count:
        with suppress(ConnectionClosed), address.person(rng.choice(tokens)) as person:
            person.receive("stands")
            while sent < count:
                sent += 1
                person.socket.send(rng.choice(FORGED)(rng, person.update, tokens))
                if rng.random() < 0.2:
                    await_answers(person)


def await_answers(person: Person) -> None:
    """Wait until all earlier messages are answered."""
    person.send("play", at=999_999, action=0)
    why = ""
    while "999999" not in why and "the game is over" not in why:
        why = person.receive("refused")["why"]


@pytest.mark.parametrize("count", [400, pytest.param(100_000, marks=pytest.mark.long)])
def test_invalid_messages_change_nothing(tmp_path: Path, count: int) -> None:
    rng = random.Random(count)
    with serve_tables(tmp_path, ("random",)) as address:
        # The third game is over.
        tables = [address.open_table(DEFAULT_GAME, ["human", "human"], seed=str(seed)) for seed in (7, 8)]
        over = address.open_table(DEFAULT_GAME, ["human", "random"])
        with address.person(over[0]) as person:
            person.finish(rng)
        for table in tables:
            with address.person(table[1]):  # claims the invitation
                pass
        tokens = [token for table in (*tables, over) for token in table.values()]
        journals = read_journals(tmp_path)
        assert len(journals) == 3
        attack(address, tokens, count, rng)
        assert read_journals(tmp_path) == journals
        for table in tables:
            with address.person(table[0]) as one, address.person(table[1]) as other:
                for person in (one, other):
                    person.receive("stands")
                mover = one if one.update["legal"] else other
                assert mover.play(mover.update["legal"][0])["at"] == 1
    assert read_journals(tmp_path) != journals
