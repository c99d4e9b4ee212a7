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
from tests.server.serving import Address, Person, journals, served

Forged = Callable[[random.Random, dict[str, Any], list[str]], str | bytes]


def _said(kind: str, **more: Any) -> str:
    return json.dumps({"kind": kind, **more})


def _play(chance: random.Random, stands: dict[str, Any], _: list[str]) -> str:
    """A decision that is none: of a seat that is not to move, at another place, or not legal."""
    at, action = chance.choice([0, stands["at"], stands["at"], chance.randrange(1000)]), chance.randrange(70_000)
    if chance.random() < 0.5 and stands["legal"]:
        action, at = chance.choice(stands["legal"]), stands["at"] + chance.choice([-1, 1, 7])
    if at == stands["at"] and action in stands["legal"]:
        action = -1
    return _said("play", at=at, action=action)


def _cut(chance: random.Random, stands: dict[str, Any], tokens: list[str]) -> str:
    text = _play(chance, stands, tokens)
    return text[: chance.randrange(len(text))]


def _strange(chance: random.Random, stands: dict[str, Any], _: list[str]) -> str:
    values: list[object] = [None, True, -1, 1.5, 1e300, 10**40, "", "0", [], {}, [[[]]], {"at": 0}, "\ud800", "\0" * 50]
    keys = ["at", "action", "token", "seat", "kind", "__proto__", ""]
    kind = chance.choice(["play", "back", "hint", "sit", "stands", "over", "", "PLAY"])
    return json.dumps({"kind": kind, "at": stands["at"]} | {chance.choice(keys): chance.choice(values)})


FORGED: tuple[Forged, ...] = (
    _play,
    _play,
    _play,
    _cut,
    _strange,
    lambda chance, stands, _: _said("back", at=stands["at"] + chance.choice([-1, 1, 100])),
    lambda chance, stands, _: _said("hint", at=chance.randrange(100)),
    lambda chance, stands, tokens: _said("sit", token=chance.choice(tokens)),
    lambda chance, stands, tokens: _said("play", at=stands["at"], action=stands["at"], token=chance.choice(tokens)),
    lambda chance, stands, _: chance.randbytes(chance.randrange(200)),
    lambda chance, stands, _: chance.randbytes(chance.randrange(200)).decode("latin-1"),
    lambda chance, stands, _: chance.choice(["x", "[", '{"kind":"play","at":']) * chance.randrange(5000),
)


def attack(address: Address, tokens: list[str], count: int, chance: random.Random) -> None:
    """So many messages, on a new socket whenever one was closed; of those that are closed all were answered before."""
    sent = 0
    while sent < count:
        with suppress(ConnectionClosed), address.session(chance.choice(tokens)) as person:
            person.hears("stands")
            while sent < count:
                sent += 1
                person.socket.send(chance.choice(FORGED)(chance, person.stands, tokens))
                if chance.random() < 0.2:
                    hear_out(person)


def hear_out(person: Person) -> None:
    """Everything that was said before is answered once this is."""
    person.say("play", at=999_999, action=0)
    why = ""
    while "999999" not in why and "the game is over" not in why:
        why = person.hears("refused")["why"]


def fuzz(folder: Path, count: int) -> None:
    chance = random.Random(count)
    with served(folder, ("random",)) as address:
        # In the first two tables one seat is to move, and the other one is not; the third is over.
        tables = [address.opened(DEFAULT_GAME, ["human", "human"], seed=str(seed)) for seed in (7, 8)]
        over = address.opened(DEFAULT_GAME, ["human", "random"])
        with address.session(over[0]) as person:
            person.finishes(chance)
        tokens = [token for table in (*tables, over) for token in table.values()]
        kept = journals(folder)
        assert len(kept) == 3
        attack(address, tokens, count, chance)
        assert journals(folder) == kept
        for table in tables:
            with address.session(table[0]) as one, address.session(table[1]) as other:
                for person in (one, other):
                    person.hears("stands")
                mover = one if one.stands["legal"] else other
                assert mover.plays(mover.stands["legal"][0])["at"] == 1
    assert journals(folder) != kept


def test_nonsense_changes_nothing(tmp_path: Path) -> None:
    fuzz(tmp_path, 400)


@pytest.mark.long
def test_a_hundred_thousand_messages_of_nonsense_change_nothing(tmp_path: Path) -> None:
    fuzz(tmp_path, 100_000)
