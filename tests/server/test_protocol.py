"""The protocol over real sockets: session, playing, taking back, coming back, and everything that is refused."""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from agents.web.page.site import Site
from agents.web.server.limits import Bucket, Rate
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.server.serving import WIDE, Address, Person, read_journals, serve_tables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[Address]:
    with serve_tables(folder, ("random", "tests.server.custom_agents:Last"), analyst="random") as server:
        yield server


def test_people_and_agents_play_a_whole_game(address: Address) -> None:
    tokens = address.open_table(DEFAULT_GAME, ["human", "tests.server.custom_agents:Last", "human"])
    with ExitStack() as stack:
        people = {seat: stack.enter_context(address.person(token)) for seat, token in tokens.items()}
        with ThreadPoolExecutor(len(people)) as pool:
            ends = list(pool.map(lambda person: person.finish(random.Random(1)), people.values()))
    assert ends[0] == ends[1]
    game = make_game(DEFAULT_GAME, 3)
    state = State(game, game.new_states(int(ends[0]["seed"])))
    for action in ends[0]["actions"]:
        if state.player == 1:
            assert action == state.legal_ids()[-1]
        state.apply_id(action)
    assert state.is_over
    for seat, person in people.items():
        assert person.state == state.view(seat).state.tobytes()
        assert [choice for _, choice in person.log] == ends[0]["actions"]  # this game has no secret choices


def test_connected_seats_are_reported(address: Address) -> None:
    tokens = address.open_table(DEFAULT_GAME, ["human", "human", "random"])
    with address.person(tokens[0]) as first:
        assert first.seated["seats"] == [
            {"agent": "human", "here": True},
            {"agent": "human", "here": False},
            {"agent": "random", "here": True},
        ]
        game = make_game(DEFAULT_GAME, 3)
        assert (first.seated["seat"], first.seated["players"], first.seated["version"]) == (0, 3, game.version)
        assert first.seated["analysis"] == "random"
        with address.person(tokens[1]) as second:
            assert second.seated["seats"][0]["here"]
            assert first.receive("here")["seats"] == [True, True, True]
        assert first.receive("here")["seats"] == [True, False, True]


def test_a_seat_comes_back_to_where_it_was(address: Address) -> None:
    (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
    rng = random.Random(2)
    with address.person(token) as person:
        person.await_turn()
        for _ in range(5):
            person.await_turn()
            person.play(rng.choice(person.update["legal"]))
        person.await_turn()
        before = person.update, person.log
    with address.person(token) as person:
        update = person.receive("stands")
        assert update["from"] == 0
        assert (update["state"], update["at"], person.log) == (before[0]["state"], before[0]["at"], before[1])
        assert person.finish(rng)["actions"]
    with address.person(token) as person:
        assert person.receive("stands")["mover"] == -1
        assert person.receive("over")["seed"] == "7"


@contextmanager
def two_people(address: Address) -> Iterator[tuple[Person, Person]]:
    """The player to move at a new table, and the other one; both have received an update."""
    tokens = address.open_table(DEFAULT_GAME, ["human", "human"])
    with address.person(tokens[0]) as one, address.person(tokens[1]) as other:
        for each in (one, other):
            each.receive("stands")
        yield (one, other) if one.update["legal"] else (other, one)


def test_an_action_is_undone(address: Address) -> None:
    with two_people(address) as (person, watcher):
        before, action = person.update, person.update["legal"][0]
        while not person.play(action)["undoable"]:
            assert person.await_turn()
            before, action = person.update, person.update["legal"][0]
        person.send("back", at=person.update["at"])
        undone = person.receive("stands")
        assert (undone["at"], undone["state"], undone["legal"]) == (before["at"], before["state"], before["legal"])
        assert undone["from"] <= undone["at"]
        while watcher.update["at"] != undone["at"] or watcher.update["mover"] != undone["mover"]:
            watcher.receive("stands")
        assert len(watcher.log) == undone["at"]
        person.send("back", at=undone["at"] + 1)
        assert "has moved on" in person.receive("refused")["why"]


def test_hints_are_given_at_the_seats_own_decision_and_after_the_end(address: Address) -> None:
    with two_people(address) as (person, watcher):
        person.send("hint", at=0)
        hint = person.receive("hint", "refused")
        assert hint["agent"] == "random"
        assert sum(share for _, share in hint["actions"]) == pytest.approx(1, abs=1e-3)
        assert {action for action, _ in hint["actions"]} == set(person.update["legal"])
        assert hint["values"] is None
        watcher.send("hint", at=0)
        assert "your own decision" in watcher.receive("hint", "refused")["why"]
    (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
    with address.person(token) as person:
        actions = person.finish(random.Random(3))["actions"]
        for at in (0, len(actions) // 2, len(actions) - 1):
            person.send("hint", at=at)
            hint = person.receive("hint", "refused")
            assert hint["at"] == at
            assert actions[at] in {action for action, _ in hint["actions"]}
        person.send("hint", at=len(actions))
        assert "must be a step of this game" in person.receive("hint", "refused")["why"]


def test_sockets_of_a_seat_get_the_same_messages_and_the_oldest_gives_way(address: Address) -> None:
    tokens = address.open_table(DEFAULT_GAME, ["human", "human"])
    with ExitStack() as stack:
        people = [stack.enter_context(address.person(tokens[0])) for _ in range(WIDE.sockets_per_seat)]
        other = stack.enter_context(address.person(tokens[1]))
        for each in (*people, other):
            each.receive("stands")
        mover = people[0] if people[0].update["legal"] else other
        mover.send("play", at=0, action=mover.update["legal"][0])
        assert len({json.dumps(person.receive("stands")) for person in people}) == 1
        stack.enter_context(address.person(tokens[0]))
        assert people[0].closed() == (1008, "this seat was opened elsewhere")
        people[1].send("play", at=99, action=0)
        assert people[1].receive("refused")


def test_tokens_belong_to_one_seat_of_one_table(address: Address) -> None:
    one, other = (address.open_table(DEFAULT_GAME, ["human", "human"]) for _ in range(2))
    table, _, secret = one[0].split(".")
    another = "y" if secret[-1] == "x" else "x"
    forged = [
        "", "x", "." * 40, f"{table}.1.{secret}", f"{other[0].split('.')[0]}.0.{secret}", f"{table}.2.{secret}",
        f"{table}.0.{secret[:-1]}{another}", f"{table}.0.{secret}x", f"../{table}.0.{secret}", f"{'0' * 16}.0.{secret}",
    ]  # fmt: skip
    for token in forged:
        with address.socket() as socket:
            person = Person(socket)
            person.send("sit", token=token)
            assert "there is no such seat" in person.receive("refused", "seated")["why"]
            assert person.closed()[0] == 1008


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (b"{}", 1003),
        ("", 1003),
        ("{}", 1003),
        ("[]", 1003),
        ("{" * 4000, 1003),
        ("[" * 4000, 1003),
        ('{"kind":"sing"}', 1003),
        ('{"kind":"sit"}', 1003),
        ('{"kind":"play","at":0}', 1003),
        ('{"kind":"play","at":0,"action":"0"}', 1003),
        ('{"kind":"play","at":0,"action":0.0}', 1003),
        ('{"kind":"play","at":true,"action":0}', 1003),
        ('{"kind":"play","at":-1,"action":0}', 1003),
        ('{"kind":"play","at":0,"action":1e99}', 1003),
        ('{"kind":"play","at":0,"action":0,"seat":1}', 1003),
        ('{"kind":"play","at":0,"action":123456789012345678901234567890}', 1003),
        ('{"kind":"hint","at":null}', 1003),
        ("x" * 5000, 1009),
        (b"x" * 5000, 1009),
    ],
)
def test_an_invalid_message_closes_the_socket(address: Address, folder: Path, message: str | bytes, code: int) -> None:
    (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
    with address.person(token) as person:
        person.await_turn()
        journals = read_journals(folder)
        person.socket.send(message)
        assert person.closed()[0] == code
        assert read_journals(folder) == journals
    with address.socket() as socket:
        socket.send(message)
        assert Person(socket).closed()[0] == code


def test_the_first_message_must_name_a_seat(tmp_path: Path) -> None:
    with serve_tables(tmp_path, limits=replace(WIDE, patience=0.3)) as address:
        with address.socket() as socket:
            socket.send('{"kind":"back","at":0}')
            assert Person(socket).closed() == (1008, "the first message must be of the kind sit")
        with address.socket() as socket:
            assert Person(socket).closed() == (1008, "no seat was named in time")
        (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
        with address.person(token) as person:
            person.send("sit", token=token)
            assert "has a seat already" in person.receive("refused")["why"]
            time.sleep(0.5)  # a person at a seat may think longer than that
            person.send("play", at=99, action=0)
            assert person.receive("refused")


@pytest.mark.parametrize("origin", [None, "null", "http://localhost", "http://evil.example", "https://127.0.0.1:1"])
def test_only_the_servers_own_page_opens_sockets(address: Address, origin: str | None) -> None:
    with pytest.raises(InvalidStatus) as raised:
        address.socket(origin=origin)
    assert raised.value.response.status_code == 403


def test_other_names_of_the_server_are_refused(address: Address) -> None:
    status, told = address.get("api/agents", Host="evil.example")
    assert status == 421
    assert b"--allow NAME" in told
    assert address.post({}, Host="evil.example:80")[0] == 421
    assert address.get("", Host=f"[::1]:{address.port}") == (200, b"the page")
    with pytest.raises(InvalidStatus):
        address.socket(origin="http://evil.example", additional_headers={"Host": "evil.example"})


def test_files_and_the_list_of_agents(address: Address) -> None:
    assert address.get("") == (200, b"the page")
    assert address.get("index.html?x=1") == (200, b"the page")
    assert address.get("nothing.js")[0] == 404
    assert address.get("../../etc/passwd")[0] == 404
    assert address.get("", If_None_Match=f'"{hashlib.sha256(b"the page").hexdigest()[:32]}"') == (304, b"")
    status, told = address.get("api/agents")
    assert status == 200
    assert told["agents"][DEFAULT_GAME]["2"] == ["random", "tests.server.custom_agents:Last"]
    assert told["analysis"][DEFAULT_GAME]["2"] == "random"


def test_the_page_of_a_server_names_it() -> None:
    served, plain = (Site.of((DEFAULT_GAME,), server=server).files for server in (True, False))
    # The service worker's version is a digest of all files.
    assert {name for name in plain if plain[name] != served[name]} == {"index.html", "sw.js"}
    assert b'<meta name="server" content="api/">' in served["index.html"]
    assert b'name="server"' not in plain["index.html"]


_GOOD = {"game": DEFAULT_GAME, "players": 2, "seats": ["human", "random"], "seed": None}


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"game": "whist"}, "game: 'whist' is not offered here"),
        ({"players": 7}, "players: num_players must be 2, 3 or 4, not 7"),
        ({"players": "2"}, "players"),
        ({"players": 3}, "seats: 3 are needed, not 2"),
        ({"seats": ["random", "random"]}, 'seats: at least one must be "human"'),
        ({"seats": ["human", "os:system"]}, "seats: seat 1: the agent 'os:system' is not offered here"),
        ({"seats": "human"}, "seats"),
        ({"seats": ["human", 1]}, "seats[1]"),
        ({"seed": 7}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"seed": str(2**63)}, "seed must be in 0..2**63-1"),
        ({"tokens": {}}, "tokens"),
    ],
)
def test_an_invalid_request_for_a_table_names_the_field(
    address: Address, folder: Path, changed: dict[str, object], says: str
) -> None:
    journals = read_journals(folder)
    status, answer = address.post(_GOOD | changed)
    assert (status, list(answer)) == (422, ["error"])
    assert says in answer["error"]
    assert read_journals(folder) == journals


def test_requests_for_tables_are_bounded(address: Address, folder: Path) -> None:
    journals = read_journals(folder)
    assert address.post(b"{" + b" " * 5000)[0] == 413
    assert address.post(b"\xff\xfe")[0] == 422
    assert address.post(_GOOD, Content_Type="text/plain")[0] == 415
    assert address.post(_GOOD, Origin="http://evil.example")[0] == 403
    assert read_journals(folder) == journals
    assert address.post(_GOOD, Origin=address.origin)[0] == 201


def test_tables_sockets_and_frames_are_bounded(tmp_path: Path) -> None:
    limits = replace(WIDE, tables=2, sockets_per_address=1, frames=Rate(0.001, 5))
    with serve_tables(tmp_path, limits=limits) as address:
        for _ in range(2):
            assert address.post(_GOOD)[0] == 201
        status, answer = address.post(_GOOD)
        assert status == 503
        assert "keeps at most 2 tables" in answer["error"]
        assert len(read_journals(tmp_path)) == 2
    with serve_tables(tmp_path, limits=replace(limits, tables=3)) as address:
        (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
        with address.person(token) as person:
            with pytest.raises(InvalidStatus):
                address.socket()
            for _ in range(6):
                person.send("play", at=999, action=0)
            assert person.closed() == (1008, "too many messages")
    with serve_tables(tmp_path, limits=replace(limits, visits=Rate(0.001, 2))) as address:
        assert [address.post(_GOOD)[0] for _ in range(3)] == [503, 503, 429]


def frame(opcode: int, data: bytes = b"", last: bool = True) -> bytes:
    """A masked frame of a client (RFC 6455, 5.2)."""
    return bytes([opcode | 0x80 * last, 0x80 | len(data)]) + bytes(4) + data


#: Frames that cost a client little: pings, pongs, empty messages, and empty parts of a message that never ends.
CHEAP = {
    "pings": [frame(0x9, bytes(125))],
    "pongs": [frame(0xA)],
    "parts": [frame(0x1, last=False), *[frame(0x0, last=False)] * 400],
}


@pytest.mark.parametrize("name", CHEAP)
def test_every_frame_counts(tmp_path: Path, name: str) -> None:
    with serve_tables(tmp_path, limits=replace(WIDE, frames=Rate(0.001, 20))) as address:
        (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
        with address.person(token) as person:
            person.socket.socket.sendall(b"".join(CHEAP[name] * 30))
            assert person.closed() == (1008, "too many messages")


def test_sockets_of_an_address_share_a_budget(tmp_path: Path) -> None:
    with serve_tables(tmp_path, limits=replace(WIDE, frames_per_address=Rate(0.001, 40))) as address:
        tokens = address.open_table(DEFAULT_GAME, ["human", "human"])
        answers = 0
        with ExitStack() as stack:
            people = [stack.enter_context(address.person(token)) for token in (*tokens.values(), *tokens.values())]
            with suppress(ConnectionClosed):
                for number in range(200):
                    person = people[number % len(people)]
                    person.send("play", at=999, action=0)
                    person.receive("refused")
                    answers += 1
        assert answers == 40 - len(people)
        # The first message of a socket counts too.
        with address.socket() as socket:
            Person(socket).send("sit", token=tokens[0])
            assert Person(socket).closed() == (1008, "too many messages")


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({}, id="too many unread bytes"),
        pytest.param({"unwritten": 1 << 30, "frames": Rate(0.001, 60_000), "patience": 0.5}, id="closed"),
    ],
)
def test_a_socket_that_reads_no_pongs_is_cut(tmp_path: Path, changed: dict[str, Any]) -> None:
    """The memory of the server is bounded, and a closed socket ends although its peer does not read the rest."""
    with serve_tables(tmp_path, limits=replace(WIDE, **changed)) as address:
        (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
        with closing(raw_socket(address)) as line:
            line.sendall(frame(0x1, json.dumps({"kind": "sit", "token": token}).encode()))
            pings = frame(0x9, bytes(125)) * 800_000
            with pytest.raises(ConnectionError):
                line.sendall(pings)


def raw_socket(address: Address) -> socket.socket:
    """A WebSocket after its handshake, which reads nothing."""
    # `sendall` has this time for all bytes together, and the server answers each ping.
    line = socket.create_connection(("127.0.0.1", address.port), timeout=120)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    headers = {
        "Host": f"127.0.0.1:{address.port}",
        "Origin": address.origin,
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "A" * 22 + "==",
        "Sec-WebSocket-Version": "13",
    }
    request = ["GET /api/seat HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items()), "", ""]
    line.sendall("\r\n".join(request).encode())
    assert b"101" in line.recv(200)
    return line


def test_an_ipv6_network_counts_as_one_address(tmp_path: Path) -> None:
    limits = replace(WIDE, tables=100, openings=Rate(0.001, 5))
    with serve_tables(tmp_path, limits=limits) as address:
        hosts = [f"2001:db8::{number:x}" for number in range(10)]
        assert [address.post(_GOOD, X_Forwarded_For=host)[0] for host in hosts] == [201] * 5 + [429] * 5
        assert address.post(_GOOD, X_Forwarded_For="2001:db8:0:1::1")[0] == 201


def played_steps(address: Address, seconds: float, client: str, seats: int = 2) -> list[float]:
    """Play at tables of one client for some seconds; return the seconds of each step of all its sockets."""
    times: list[float] = []
    headers = {"additional_headers": {"X-Forwarded-For": client}}

    def play(token: str) -> None:
        end = time.monotonic() + seconds
        with address.socket(**headers) as line:
            person = Person(line)
            person.send("sit", token=token)
            while time.monotonic() < end and person.await_turn():
                start = time.monotonic()
                person.play(person.update["legal"][0])
                times.append(time.monotonic() - start)

    tokens = [address.open_table(DEFAULT_GAME, ["human", "random"])[0] for _ in range(seats)]
    with ThreadPoolExecutor(seats) as pool:
        list(pool.map(play, tokens))
    return times


def test_an_address_gets_its_share_of_the_servers_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work is bounded for each address, and an address above its share does not delay others."""
    charged: dict[int, float] = {}
    charge = Bucket.charge

    def count(self: Bucket, tokens: float) -> None:
        charged[id(self)] = charged.get(id(self), 0.0) + tokens
        charge(self, tokens)

    monkeypatch.setattr(Bucket, "charge", count)
    # Every piece of work takes ten milliseconds, so that the load of the machine does not matter.
    clock = itertools.count()
    monkeypatch.setattr("agents.web.server.limits.time.thread_time", lambda: next(clock) / 100)
    share = Rate(0.1, 0.5)
    with serve_tables(tmp_path, limits=replace(WIDE, work=share)) as address, ThreadPoolExecutor(1) as pool:
        start = time.monotonic()
        busy = pool.submit(played_steps, address, 3.0, "192.0.2.7", 8)
        others = played_steps(address, 0.3, "192.0.2.8", 1)
        steps = busy.result()
        seconds = time.monotonic() - start
    assert len(charged) == 2
    most = share.burst + share.second * seconds
    # The last pieces of work of each socket may exceed the share.
    assert share.burst < max(charged.values()) < most + 8 * 0.03
    assert sorted(steps)[len(steps) // 2] > 3 * sorted(others)[len(others) // 2]
