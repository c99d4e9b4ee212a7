"""The protocol over real sockets: session, playing, taking back, coming back, and everything that is refused."""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from agents.web.page.site import Site
from agents.web.server.limits import Rate
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.server.serving import WIDE, Address, Person, journals, served


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[Address]:
    with served(folder, ("random", "tests.server.custom_agents:Last"), analyst="random") as found:
        yield found


def closed(person: Person) -> tuple[int, str]:
    """Code and reason with which a socket was closed."""
    with pytest.raises(ConnectionClosed) as raised:
        person.hears("nothing")
    assert raised.value.rcvd is not None
    return raised.value.rcvd.code, raised.value.rcvd.reason


def test_people_and_agents_play_a_whole_game(address: Address) -> None:
    tokens = address.opened(DEFAULT_GAME, ["human", "tests.server.custom_agents:Last", "human"])
    with ExitStack() as stack:
        people = {seat: stack.enter_context(address.session(token)) for seat, token in tokens.items()}
        with ThreadPoolExecutor(len(people)) as pool:
            ends = list(pool.map(lambda person: person.finishes(random.Random(1)), people.values()))
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


def test_who_sits_is_told(address: Address) -> None:
    tokens = address.opened(DEFAULT_GAME, ["human", "human", "random"])
    with address.session(tokens[0]) as first:
        assert first.seated["seats"] == [
            {"agent": "human", "here": True},
            {"agent": "human", "here": False},
            {"agent": "random", "here": True},
        ]
        game = make_game(DEFAULT_GAME, 3)
        assert (first.seated["seat"], first.seated["players"], first.seated["version"]) == (0, 3, game.version)
        assert first.seated["analysis"] == "random"
        with address.session(tokens[1]) as second:
            assert second.seated["seats"][0]["here"]
            assert first.hears("here")["seats"] == [True, True, True]
        assert first.hears("here")["seats"] == [True, False, True]


def test_a_seat_comes_back_to_where_it_was(address: Address) -> None:
    (token,) = address.opened(DEFAULT_GAME, ["human", "random"]).values()
    chance = random.Random(2)
    with address.session(token) as person:
        person.awaits_turn()
        for _ in range(5):
            person.awaits_turn()
            person.plays(chance.choice(person.stands["legal"]))
        person.awaits_turn()
        before = person.stands, person.log
    with address.session(token) as person:
        stands = person.hears("stands")
        assert stands["from"] == 0
        assert (stands["state"], stands["at"], person.log) == (before[0]["state"], before[0]["at"], before[1])
        assert person.finishes(chance)["actions"]
    with address.session(token) as person:
        assert person.hears("stands")["mover"] == -1
        assert person.hears("over")["seed"] == "7"


@contextmanager
def two_people(address: Address) -> Iterator[tuple[Person, Person]]:
    """Who is to decide at a new table, and the other one; both have heard how it stands."""
    tokens = address.opened(DEFAULT_GAME, ["human", "human"])
    with address.session(tokens[0]) as one, address.session(tokens[1]) as other:
        for each in (one, other):
            each.hears("stands")
        yield (one, other) if one.stands["legal"] else (other, one)


def test_a_decision_is_taken_back(address: Address) -> None:
    with two_people(address) as (person, watcher):
        before, action = person.stands, person.stands["legal"][0]
        while not person.plays(action)["undoable"]:
            assert person.awaits_turn()
            before, action = person.stands, person.stands["legal"][0]
        person.say("back", at=person.stands["at"])
        told = person.hears("stands")
        assert (told["at"], told["state"], told["legal"]) == (before["at"], before["state"], before["legal"])
        assert told["from"] <= told["at"]
        while watcher.stands["at"] != told["at"] or watcher.stands["mover"] != told["mover"]:
            watcher.hears("stands")
        assert len(watcher.log) == told["at"]
        person.say("back", at=told["at"] + 1)
        assert "it has moved on" in person.hears("refused")["why"]


def test_hints_are_given_at_the_own_decision_and_after_the_end(address: Address) -> None:
    with two_people(address) as (person, watcher):
        person.say("hint", at=0)
        hint = person.hears("hint", "refused")
        assert hint["agent"] == "random"
        assert sum(share for _, share in hint["actions"]) == pytest.approx(1, abs=1e-3)
        assert {action for action, _ in hint["actions"]} == set(person.stands["legal"])
        assert hint["values"] is None
        watcher.say("hint", at=0)
        assert "one's own decision" in watcher.hears("hint", "refused")["why"]
    (token,) = address.opened(DEFAULT_GAME, ["human", "random"]).values()
    with address.session(token) as person:
        actions = person.finishes(random.Random(3))["actions"]
        for at in (0, len(actions) // 2, len(actions) - 1):
            person.say("hint", at=at)
            hint = person.hears("hint", "refused")
            assert hint["at"] == at
            assert actions[at] in {action for action, _ in hint["actions"]}
        person.say("hint", at=len(actions))
        assert "there is no decision" in person.hears("hint", "refused")["why"]


def test_several_sockets_of_a_seat_hear_the_same_and_the_oldest_gives_way(address: Address) -> None:
    tokens = address.opened(DEFAULT_GAME, ["human", "human"])
    with ExitStack() as stack:
        people = [stack.enter_context(address.session(tokens[0])) for _ in range(WIDE.sockets_a_seat)]
        other = stack.enter_context(address.session(tokens[1]))
        for each in (*people, other):
            each.hears("stands")
        mover = people[0] if people[0].stands["legal"] else other
        mover.say("play", at=0, action=mover.stands["legal"][0])
        assert len({json.dumps(person.hears("stands")) for person in people}) == 1
        stack.enter_context(address.session(tokens[0]))
        assert closed(people[0]) == (1008, "this seat was opened elsewhere")
        people[1].say("play", at=99, action=0)
        assert people[1].hears("refused")


def test_tokens_belong_to_one_seat_of_one_table(address: Address) -> None:
    one, other = (address.opened(DEFAULT_GAME, ["human", "human"]) for _ in range(2))
    table, _, secret = one[0].split(".")
    another = "y" if secret[-1] == "x" else "x"
    forged = [
        "", "x", "." * 40, f"{table}.1.{secret}", f"{other[0].split('.')[0]}.0.{secret}", f"{table}.2.{secret}",
        f"{table}.0.{secret[:-1]}{another}", f"{table}.0.{secret}x", f"../{table}.0.{secret}", f"{'0' * 16}.0.{secret}",
    ]  # fmt: skip
    for token in forged:
        with address.socket() as socket:
            person = Person(socket)
            person.say("sit", token=token)
            assert "there is no such seat" in person.hears("refused", "seated")["why"]
            assert closed(person)[0] == 1008


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
def test_what_is_no_message_closes_the_socket(address: Address, folder: Path, message: str | bytes, code: int) -> None:
    (token,) = address.opened(DEFAULT_GAME, ["human", "random"]).values()
    with address.session(token) as person:
        person.awaits_turn()
        kept = journals(folder)
        person.socket.send(message)
        assert closed(person)[0] == code
        assert journals(folder) == kept
    with address.socket() as socket:
        socket.send(message)
        assert closed(Person(socket))[0] == code


def test_the_first_message_has_to_name_a_seat(tmp_path: Path) -> None:
    with served(tmp_path, limits=replace(WIDE, patience=0.3)) as address:
        with address.socket() as socket:
            socket.send('{"kind":"back","at":0}')
            assert closed(Person(socket)) == (1008, "the first message has to be of the kind sit")
        with address.socket() as socket:
            assert closed(Person(socket)) == (1008, "nobody has sat down")
        (token,) = address.opened(DEFAULT_GAME, ["human", "random"]).values()
        with address.session(token) as person:
            person.say("sit", token=token)
            assert "has a seat already" in person.hears("refused")["why"]
            time.sleep(0.5)  # somebody who sits may think as long as she likes
            person.say("play", at=99, action=0)
            assert person.hears("refused")


@pytest.mark.parametrize("origin", [None, "null", "http://localhost", "http://evil.example", "https://127.0.0.1:1"])
def test_sockets_are_opened_by_the_servers_own_page_alone(address: Address, origin: str | None) -> None:
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


def test_the_page_is_told_that_tables_are_kept_where_it_comes_from() -> None:
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
        ({"seats": ["random", "random"]}, 'seats: at least one has to be "human"'),
        ({"seats": ["human", "os:system"]}, "seats: seat 1: the agent 'os:system' is not offered here"),
        ({"seats": "human"}, "seats"),
        ({"seats": ["human", 1]}, "seats[1]"),
        ({"seed": 7}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"seed": str(2**63)}, "seed must be in 0..2**63-1"),
        ({"tokens": {}}, "tokens"),
    ],
)
def test_a_table_that_cannot_be_is_refused_with_the_field(
    address: Address, folder: Path, changed: dict[str, object], says: str
) -> None:
    kept = journals(folder)
    status, answer = address.post(_GOOD | changed)
    assert (status, list(answer)) == (422, ["error"])
    assert says in answer["error"]
    assert journals(folder) == kept


def test_requests_for_tables_are_bounded(address: Address, folder: Path) -> None:
    kept = journals(folder)
    assert address.post(b"{" + b" " * 5000)[0] == 413
    assert address.post(b"\xff\xfe")[0] == 422
    assert address.post(_GOOD, Content_Type="text/plain")[0] == 415
    assert address.post(_GOOD, Origin="http://evil.example")[0] == 403
    assert journals(folder) == kept
    assert address.post(_GOOD, Origin=address.origin)[0] == 201


def test_numbers_and_rates_are_bounded(tmp_path: Path) -> None:
    limits = replace(WIDE, tables=2, sockets_an_address=1, messages=Rate(0.001, 5))
    with served(tmp_path, limits=limits) as address:
        for _ in range(2):
            assert address.post(_GOOD)[0] == 201
        status, answer = address.post(_GOOD)
        assert status == 503
        assert "keeps 2 tables and no more" in answer["error"]
        assert len(journals(tmp_path)) == 2
    with served(tmp_path, limits=replace(limits, tables=3)) as address:
        (token,) = address.opened(DEFAULT_GAME, ["human", "random"]).values()
        with address.session(token) as person:
            with pytest.raises(InvalidStatus):
                address.socket()
            for _ in range(6):
                person.say("play", at=999, action=0)
            assert closed(person) == (1008, "too many messages")
    with served(tmp_path, limits=replace(limits, visits=Rate(0.001, 2))) as address:
        assert [address.post(_GOOD)[0] for _ in range(3)] == [503, 503, 429]
