"""People at one table: names, phrases, onlookers; the address and the QR codes of invitations."""

from __future__ import annotations

import base64
import json
import random
import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agents.web.page.site import STATIC
from agents.web.serve import local_origin
from agents.web.server.agent_pool import AgentPool
from agents.web.server.invite import CodeError, code_of, hears_all, lan_address, makes_codes
from agents.web.server.journal import EXCESS, Journal
from agents.web.server.limits import Limits, Rate, Work
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Play, Request, Say, Undo
from agents.web.server.people import LONGEST_NAME, PHRASES, checked_name
from agents.web.server.session import Connection, Session
from agents.web.server.table import HUMAN, ONLOOKER, RefusedError
from porta_nigra_env.games import DEFAULT_GAME
from tests.server.serving import WIDE, Address, fresh_token, program, run, serve_tables

REQUEST = Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7", 0, delay=2)


def make_lobby(folder: Path, **limits: Any) -> Lobby:
    return Lobby(folder, AgentPool((DEFAULT_GAME,), ("random",)), replace(Limits(), **limits))


def heard(session: Session, connection: Connection, *kinds: str) -> list[dict[str, Any]]:
    """Return the messages of some kinds that a connection has to send."""
    messages = [json.loads(text) for text in connection.take(session.table)]
    return [one for one in messages if one["kind"] in kinds]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    with serve_tables(tmp_path_factory.mktemp("tables")) as server:
        yield server


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "must not be empty"),
        ("   ", "must not be empty"),
        ("a" * (LONGEST_NAME + 1), f"at most {LONGEST_NAME} characters, not {LONGEST_NAME + 1}; shorten it"),
        ("a\nb", r"control character U\+000A; remove it"),
        ("a\x00b", r"U\+0000"),
        ("\u202eanna", r"U\+202E"),
        ("a\u2028b", r"U\+2028"),
        ("\u2068anna\u2069", r"U\+2068"),
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(name: str, reason: str) -> None:
    with pytest.raises(RefusedError, match=f"^name: .*{reason}"):
        checked_name(name)


def test_names_keep_letters_of_all_languages() -> None:
    for name in ("Änne", "Ὑπατία", "花子", "<b>Bob</b> & co", "🎲"):
        assert checked_name(f" {name} ") == name


def test_names_are_told_to_all_and_survive(tmp_path: Path) -> None:
    async def main() -> None:
        lobby, work = make_lobby(tmp_path), Work(WIDE)
        opened = await lobby.open(REQUEST)
        session, first = await lobby.sit(opened.tokens["0"], None, work, called="Anna")
        heard(session, first)
        invitation = opened.invitations["1"]
        token = fresh_token(invitation)
        with pytest.raises(RefusedError, match="name: at most"):
            await lobby.sit(invitation, token, work, called="b" * 100)
        # A refused name has not used the invitation.
        _, second = await lobby.sit(invitation, token, work, called="Bob")
        assert heard(session, first, "named") == [{"kind": "named", "seat": 1, "name": "Bob"}]
        (seated,) = heard(session, second, "seated")
        assert [seat["name"] for seat in seated["seats"]] == ["Anna", "Bob"]
        await lobby.sit(token, None, work)
        await lobby.sit(token, None, work, called="Bob")
        assert heard(session, first, "named") == []
        for turn in range(2 * EXCESS):
            session.rename(1, f"Bob {turn % 2}")
        path = tmp_path / f"{opened.table}.jsonl"
        assert path.read_bytes().count(b"\n") < EXCESS + 10
        assert Journal.read(path).head.names == {"0": "Anna", "1": "Bob 1"}
        again, third = await make_lobby(tmp_path).sit(token, None, work)
        (seated,) = heard(again, third, "seated")
        assert [seat["name"] for seat in seated["seats"]] == ["Anna", "Bob 1"]

    run(main())


def test_phrases_are_told_to_all_and_limited(tmp_path: Path) -> None:
    async def main() -> None:
        lobby, work = make_lobby(tmp_path, phrases=Rate(1e-6, 2)), Work(WIDE)
        opened = await lobby.open(REQUEST)
        assert opened.onlooker is not None
        session, first = await lobby.sit(opened.tokens["0"], None, work)
        _, second = await lobby.sit(opened.invitations["1"], fresh_token(opened.invitations["1"]), work)
        _, onlooker = await lobby.sit(opened.onlooker, None, work)
        session.handle(first, Say("hello"))
        session.handle(second, Say("luck"))
        session.handle(first, Say("<b>"))
        wanted = [{"kind": "said", "seat": 0, "phrase": "hello"}, {"kind": "said", "seat": 1, "phrase": "luck"}]
        assert heard(session, second, "said") == heard(session, onlooker, "said") == wanted
        (refused,) = [one for one in heard(session, first, "refused", "said") if one["kind"] == "refused"]
        assert refused["why"] == f"phrase: must be one of {', '.join(PHRASES)}, not '<b>'"
        session.handle(first, Say("hello"))
        session.handle(first, Say("hello"))
        assert [one["kind"] for one in heard(session, first, "refused", "said")] == ["said", "refused"]
        assert len(heard(session, second, "said")) == 1
        # Each seat has its own allowance.
        mover = session.table.mover
        session.handle((first, second)[mover], Play(0, int(session.table.view(mover).legal_ids()[0])))
        session.handle(second, Say("thanks"))
        assert len(heard(session, first, "said")) == 1
        # A reload shows them, also one at a server that has begun again.
        said = [[0, 0, "hello"], [0, 1, "luck"], [0, 0, "hello"], [1, 1, "thanks"]]
        for where in (lobby, make_lobby(tmp_path)):
            again, third = await where.sit(opened.tokens["0"], None, work)
            assert heard(again, third, "seated")[0]["said"] == said
        # Onlookers see no step yet.
        again, onlooker = await lobby.sit(opened.onlooker, None, work)
        assert {at for at, *_ in heard(again, onlooker, "seated")[0]["said"]} == {0}

    run(main())


def test_the_page_has_the_phrases_and_the_length_of_names() -> None:
    text = (STATIC / "people.js").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^  (\w+): \"", text, re.MULTILINE)) == PHRASES
    assert f"const LONGEST = {LONGEST_NAME};" in text


def test_onlookers_cannot_act(tmp_path: Path) -> None:
    async def main() -> None:
        lobby, work = make_lobby(tmp_path, onlookers=2), Work(WIDE)
        opened = await lobby.open(REQUEST)
        assert opened.onlooker is not None
        for wrong in (
            opened.onlooker[:-1] + "!",
            opened.onlooker.replace(".look.", ".0."),
            opened.onlooker[:-2] + "AA",
        ):
            with pytest.raises(RefusedError, match="no such seat"):
                await lobby.sit(wrong, None, work)
        with pytest.raises(RefusedError, match="a program needs an invitation"):
            await lobby.sit(opened.onlooker, None, work, program=True)
        # Neither a fresh token nor a name changes what the link is for.
        session, onlooker = await lobby.sit(opened.onlooker, fresh_token(opened.onlooker), work, called="Eve")
        (seated,) = heard(session, onlooker, "seated")
        assert (seated["seat"], seated["delay"], seated["analysis"]) == (ONLOOKER, 2, None)
        assert not any("name" in seat or seat["here"] for seat in seated["seats"])
        for seat in range(2):
            session.handle(onlooker, Play(0, int(session.table.view(session.table.mover).legal_ids()[seat])))
        assert session.table.at == 0
        assert [one["why"] for one in heard(session, onlooker, "refused")] == [
            "onlookers only look on; a seat needs an invitation"
        ] * 2
        await lobby.sit(opened.onlooker, None, work)
        with pytest.raises(RefusedError, match="has 2 onlookers already"):
            await lobby.sit(opened.onlooker, None, work)
        closed = await lobby.open(replace_delay(REQUEST, None))
        assert closed.onlooker is None

    run(main())


def replace_delay(request: Request, delay: int | None) -> Request:
    return Request(request.game, request.players, request.seats, request.seed, request.mine, delay)


def test_onlookers_follow_undone_steps(tmp_path: Path) -> None:
    async def main() -> None:
        lobby, work, rng = make_lobby(tmp_path), Work(WIDE), random.Random(5)
        opened = await lobby.open(replace_delay(REQUEST, 1))
        assert opened.onlooker is not None
        session, onlooker = await lobby.sit(opened.onlooker, None, work)
        table, state, undone = session.table, "", 0
        log: list[list[int]] = []
        for _ in range(200):
            seat = Connection(table.mover, work)
            if table.undoable(seat.seat) and rng.random() < 0.5:
                session.handle(seat, Undo(table.at))
                undone += 1
            else:
                session.handle(seat, Play(table.at, rng.choice(table.view(seat.seat).legal_ids().tolist())))
            if rng.random() < 0.3:
                continue  # a slow reader
            for one in heard(session, onlooker, "stands"):
                log[one["from"] :] = [step[:2] for step in one["log"]]
                state = one["state"]
            seen = max(0, table.at - 1)
            assert log == [list(step) for step in zip(table.movers, table.actions, strict=True)][:seen]
            assert base64.b64decode(state) == table.redacted(ONLOOKER, seen)
        assert undone > 10

    run(main())


def test_an_onlooker_does_not_wake_agents(tmp_path: Path) -> None:
    async def main() -> None:
        lobby = make_lobby(tmp_path)
        opened = await lobby.open(Request(DEFAULT_GAME, 2, ["random", HUMAN], "7"))
        assert opened.onlooker is not None
        session, connection = await lobby.sit(opened.onlooker, None, Work(WIDE))
        assert session._agents is None
        session.leave(connection)
        assert lobby.awake == 0

    run(main())


def test_onlookers_and_names_over_a_socket(address: Address) -> None:
    body = {"game": DEFAULT_GAME, "players": 2, "seats": ["human", "random"], "mine": 0, "delay": 0}
    status, opened = address.post(body)
    assert status == 201
    with address.person(opened["onlooker"]) as onlooker, address.person(opened["tokens"]["0"]) as person:
        assert onlooker.seated["seat"] == ONLOOKER
        while not person.update or not person.update["legal"]:
            person.receive("stands")
        person.play(person.update["legal"][0])
        while onlooker.update.get("at", 0) < person.update["at"]:
            onlooker.receive("stands")
        onlooker.send("play", at=onlooker.update["at"], action=0)
        assert "only look on" in onlooker.receive("refused")["why"]
        assert onlooker.log == person.log[: len(onlooker.log)]
        person.send("say", phrase="hello")
        assert onlooker.receive("said")["seat"] == 0
    with address.socket() as asking:
        asking.send(json.dumps({"kind": "sit", "token": opened["tokens"]["0"], "name": "a\tb"}))
        assert json.loads(asking.recv(10))["why"].startswith("name: must not have the control character U+0009")


def test_requests_for_a_table_name_the_delay(address: Address) -> None:
    body = {"game": DEFAULT_GAME, "players": 2, "seats": ["human", "random"], "mine": 0}
    status, answer = address.post({**body, "delay": -1})
    assert status == 422
    assert "delay" in answer["error"]
    assert address.post({**body, "delay": None})[1]["onlooker"] is None
    assert ".look." in address.post(body)[1]["onlooker"]


def test_a_server_for_a_network_knows_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [hears_all(host) for host in ("0.0.0.0", "::", "", "127.0.0.1", "192.168.1.7", "localhost")] == [
        True, True, True, False, False, False,
    ]  # fmt: skip
    monkeypatch.setattr("agents.web.server.invite.lan_address", lambda: "192.168.1.7")
    assert local_origin("0.0.0.0", 8100) == "http://192.168.1.7:8100"
    assert local_origin("127.0.0.1", 8100) is None

    def unreachable(*_: object) -> None:
        raise OSError("no route")

    monkeypatch.undo()
    monkeypatch.setattr(socket.socket, "connect", unreachable)
    assert lan_address() is None


def test_the_page_asks_for_the_address_and_for_codes(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    assert address.get("api/network") == (200, {"origin": None, "codes": makes_codes()})
    link = f"{address.origin}/#seat?k=token"
    monkeypatch.setattr("agents.web.server.app.code_of", lambda text: [text])
    assert address.post({"link": link}, path="api/code") == (200, {"rows": [link]})
    assert address.post({"link": "a" * 301}, path="api/code")[0] == 422
    assert address.post({"link": link}, path="api/code", Origin="http://elsewhere.example")[0] == 403
    assert address.post({"link": link}, path="api/code", Content_Type="text/plain")[0] == 415


def test_a_code_has_the_three_corners_of_every_qr_code() -> None:
    rows = code_of("http://192.168.1.7:8100/#seat?invitation=" + "a" * 50)
    size = len(rows)
    assert size >= 33
    assert {len(row) for row in rows} == {size}
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        corner = [row[left : left + 7] for row in rows[top : top + 7]]
        assert corner == ["1111111", "1000001", *["1011101"] * 3, "1000001", "1111111"]
    with pytest.raises(CodeError, match="link: "):
        code_of("a" * 10_000)


def test_without_the_library_the_answer_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, *more: Any) -> Any:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(CodeError, match=r"QR codes are not installed: .*pip install 'porta-nigra-env\[agents\]'"):
        code_of("http://192.168.1.7")


def test_a_server_for_a_network_prints_its_address_and_accepts_it(tmp_path: Path) -> None:
    found = lan_address()
    if found is None:
        pytest.skip("this machine has no network")
    with program(tmp_path, "random", "--games", DEFAULT_GAME, "--host", "0.0.0.0") as (process, server):
        assert process.stdout is not None
        origin = f"http://{found}:{server.port}"
        assert process.stdout.readline() == f"{origin}/  for others in your network\n"
        assert server.get("api/network", Host=f"{found}:{server.port}") == (
            200,
            {"origin": origin, "codes": makes_codes()},
        )
        assert server.get("", Host=f"192.0.2.200:{server.port}")[0] == 421
