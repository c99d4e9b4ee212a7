"""The door for OpenEnv passes the checks of seats; `make test-door-openenv` runs this."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from openenv.cli._validation import validate_running_environment
from openenv.core.generic_client import GenericEnvClient

from agents.seats import openenv_door
from agents.seats.local import LIVE, TERMS, Terms, replayed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.seats.checks import DoorChecks
from tests.seats.conformance import ids, reader
from tests.seats.doors import OfTable

HUB = Path(__file__).parents[2] / "hubs" / "openenv"


class OpenEnvPlay(OfTable):
    """A client in this thread, the server in another."""

    def __init__(self, client: Any, options: dict[str, Any]) -> None:
        self.client = client
        self.last = client.reset(**options)
        self.table = openenv_door._TABLES[client.state()["episode_id"]]

    def ask(self) -> tuple[int, str]:
        if self.table.check_time():
            self.last = self.client.step({"answer": ""})  # of the seat that is to move now
        return self.last.observation["seat"], self.last.observation["text"]

    def answer(self, text: str) -> str:
        seat = self.table.mover
        self.last = self.client.step({"answer": text})
        return "forfeited" if seat in self.table.forfeits else str(self.last.observation["refused"])

    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = self.last.observation["result"]
        assert self.last.done
        assert self.last.reward == result["returns"][self.table.live[0]]
        assert self.client.state()["replay"]["result"] == result
        return result

    def replace(self, state: State) -> None:
        super().replace(state)
        self.last.observation["text"] = self.table.prompt(self.table.mover)

    def shown(self, seat: int) -> str:
        state = {**self.client.state(), "episode_id": ""}
        return super().shown(seat) + json.dumps([state, self.last.observation if self.ask()[0] == seat else ""])


class OpenEnvDoor:
    name, forfeits, seconds = "openenv", True, 1.0
    asks, answers = 'client.reset(...).observation["text"]', 'client.step({{"answer": {!r}}})'

    def __init__(self, url: str) -> None:
        self.url = url
        self.clients: list[Any] = []

    def client(self) -> Any:
        """Return the client of a new session."""
        made = GenericEnvClient(base_url=self.url).sync()
        made.connect()
        self.clients.append(made)
        return made

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> OpenEnvPlay:
        options = {"retries": terms.retries, "seconds": terms.seconds, "language": terms.language}
        return OpenEnvPlay(self.client(), {"game": game.name, "seats": list(seats), "seed": seed, **options})


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(openenv_door.make_app(), port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True


@pytest.fixture
def door(url: str) -> Iterator[OpenEnvDoor]:
    made = OpenEnvDoor(url)
    yield made
    for client in made.clients:
        client.close()


class TestDoor(DoorChecks):
    """The checks of every door."""


def test_a_lost_connection_resumes_with_the_episode(door: OpenEnvDoor) -> None:
    play, choose = door.begin(make_game(DEFAULT_GAME), [LIVE, "random"], 9), reader(1)
    for _ in range(5):
        play.answer(choose(play.ask()[1]))
    episode = play.client.state()["episode_id"]
    play.client.close()
    again = door.client().reset(episode_id=episode)
    assert {**again.observation, "rules": ""} == {**play.last.observation, "rules": ""}


def test_a_finished_episode_begins_again(door: OpenEnvDoor) -> None:
    client = door.client()
    client.reset(episode_id="again", seats=[LIVE, "random"], retries=0)
    assert client.step({"answer": "fly"}).done
    assert not client.reset(episode_id="again", seats=[LIVE, "random"]).done


def test_two_sessions_share_a_table_and_each_sees_its_seat(door: OpenEnvDoor) -> None:
    game = make_game(DEFAULT_GAME)
    play = door.begin(game, [LIVE, LIVE], 9)
    episode = play.client.state()["episode_id"]
    results: dict[int, Any] = {}

    def sit(seat: int) -> None:
        client, choose = door.client(), reader(seat)
        last = client.reset(episode_id=episode, seat=seat)
        while not last.done:
            mine = last.observation["seat"] == seat
            assert f"You are {play.table.called[seat]}" in last.observation["text"]
            assert mine or not ids(last.observation["text"])
            last = client.step({"answer": choose(last.observation["text"]) if mine else ""})
        results[seat] = last

    threads = [threading.Thread(target=sit, args=(seat,)) for seat in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    result = play.table.result()
    assert {seat: last.reward for seat, last in results.items()} == dict(enumerate(result.returns))
    assert result.forfeits == {}
    assert replayed(game, play.client.state()["replay"]).is_over


def test_sessions_are_separate(door: OpenEnvDoor) -> None:
    game, seats = make_game(DEFAULT_GAME), [LIVE, "random"]
    plays, choose = [door.begin(game, seats, seed) for seed in (3, 3, 4)], reader(2)
    for play in plays[1:]:
        play.answer(choose(play.ask()[1]))
    assert plays[0].table.actions == []
    assert plays[0].ask()[1] != plays[2].ask()[1]


def test_tables_that_cannot_be_used_are_refused_with_the_reason(door: OpenEnvDoor) -> None:
    client = door.client()
    for options, message in (
        ({"seats": ["builder", "builder"]}, 'at least one must be "live"'),
        ({"seat": 1}, "seat 1 is not live; live are \\[0\\]"),
        ({"game": "chess"}, "chess"),
        ({"colour": "red"}, "reset has no argument 'colour'"),
    ):
        with pytest.raises(RuntimeError, match=message):
            client.reset(**options)
    with pytest.raises(RuntimeError, match="call reset first"):
        client.step({"answer": "0"})


def test_the_librarys_validation_passes(url: str) -> None:
    """RFC 008 checks of the package at the static level, and the probe of a running server."""
    command = [sys.executable, "-m", "openenv.cli", "validate", str(HUB), "--level", "static", "--skip-build", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert report["verdict"] == "pass"
    running = validate_running_environment(url)
    assert running["passed"], running["summary"]


def test_the_package_serves_the_app(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HUB))
    assert {route.path for route in import_module("server.app").app.routes} >= {"/ws", "/schema", "/health"}
