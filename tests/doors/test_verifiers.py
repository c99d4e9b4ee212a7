"""The door for verifiers passes the checks of seats; `make test-door-verifiers` runs this."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
import verifiers.v1 as vf

from agents.seats import verifiers_door
from agents.seats.local import LIVE, TERMS, LocalTable, Terms, replayed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.llm import stub
from tests.seats.checks import DoorChecks
from tests.seats.conformance import reader
from tests.seats.doors import OfTable


def episode(environment: Any, url: str, model: str) -> Any:
    """Play the first task against an endpoint."""

    async def run() -> Any:
        client = vf.EvalClientConfig(base_url=url)
        context = vf.ModelContext(client=client, model=model, sampling=vf.SamplingConfig())
        async with environment.serving():
            return await environment.run_episode(next(iter(environment.taskset)), context)

    return asyncio.run(run())


class Asked:
    """A request that waits for its answer."""

    def __init__(self, seat: int, messages: list[dict[str, str]]) -> None:
        self.seat, self.messages = seat, messages
        self.answers: Queue[stub.Reply] = Queue()


class VerifiersPlay(OfTable):
    """An episode in a thread; the endpoint hands each request over and waits for the answer."""

    def __init__(self, environment: Any, door: VerifiersDoor, model: str) -> None:
        self.events: Queue[Asked | None] = Queue()
        self.sent: dict[int, list[list[dict[str, str]]]] = defaultdict(list)
        self.pending: Asked | None = None
        self.closed = False
        self.table: LocalTable = environment.table(next(iter(environment.taskset)).data)
        environment.table = lambda deal: self.table
        door.plays[model] = self

        def run() -> None:
            self.episode = episode(environment, door.url, model)
            self.events.put(None)

        threading.Thread(target=run, daemon=True).start()
        self._next()

    def request(self, messages: list[dict[str, str]]) -> stub.Reply:
        """Return the answer of the test to a request of the library."""
        if self.closed:
            return stub.Reply("{}", status=500)
        asked = Asked(self.table.mover, messages)
        self.sent[asked.seat].append(messages)
        self.events.put(asked)
        return asked.answers.get()

    def _next(self) -> None:
        self.pending = self.events.get(timeout=120)

    def ask(self) -> tuple[int, str]:
        while self.pending is not None and self.pending.seat != self.table.mover:
            self._next()  # the library gave up on this request
        return (
            (-1, self.table.report())
            if self.pending is None
            else (self.pending.seat, self.pending.messages[1]["content"])
        )

    def answer(self, text: str) -> str:
        assert self.pending is not None
        asked = self.pending
        asked.answers.put(stub.said(text))
        self._next()
        if asked.seat in self.table.forfeits:
            return "forfeited"
        more = self.pending.messages[len(asked.messages) :] if self.pending is not None else []
        return more[-1]["content"] if more and self.pending.messages[1] == asked.messages[1] else ""

    def result(self) -> dict[str, Any]:
        assert self.ask()[0] == -1
        for trace in self.episode.traces:
            seat, result = trace.info["seat"], trace.info["replay"]["result"]
            assert trace.reward == result["returns"][seat]
            assert trace.metrics["place"] == result["places"][seat]
        found: dict[str, Any] = json.loads(json.dumps(result))
        return found

    def shown(self, seat: int) -> str:
        self.ask()
        return super().shown(seat) + json.dumps(self.sent[seat])

    def close(self) -> None:
        self.closed = True
        if self.pending is not None:
            self.pending.answers.put(stub.Reply("{}", status=500))


class VerifiersDoor:
    name, forfeits, seconds = "verifiers", True, 2.0
    asks, answers = "user:", "assistant: {}"

    def __init__(self) -> None:
        self.url = ""
        self.plays: dict[str, VerifiersPlay] = {}
        self.numbers = count()

    def script(self, number: int, request: stub.Request) -> stub.Reply:
        return self.plays[json.loads(request.body)["model"]].request(request.messages)

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> VerifiersPlay:
        config: dict[str, Any] = {
            "invalid_retries": terms.retries, "seconds": terms.seconds, "language": terms.language,
        }  # fmt: skip
        environment = verifiers_door.load_environment(game.name, seats, first_seed=seed, deals=1, **config)
        return VerifiersPlay(environment, self, f"model-{next(self.numbers)}")


@pytest.fixture
def door() -> Iterator[VerifiersDoor]:
    made = VerifiersDoor()
    with stub.serving(made.script) as endpoint:
        made.url = endpoint.url
        yield made
        for play in made.plays.values():
            play.close()


class TestDoor(DoorChecks):
    """The checks of every door; the library notices the end of its time a little later."""

    late = 0.5


def test_a_seat_whose_endpoint_fails_forfeits_and_the_other_plays_on() -> None:
    failing: list[str] = []

    def script(number: int, request: stub.Request) -> stub.Reply:
        prompt = request.messages[-1]["content"]
        failing[:] = failing or ["player 0" if "You are player 0" in prompt else "player 1"]
        if number > 5 and f"You are {failing[0]}" in prompt:
            return stub.Reply("{}", status=500)
        return stub.said(reader(number)(prompt))

    environment = verifiers_door.load_environment(seats=[LIVE, LIVE], deals=1)
    with stub.serving(script) as endpoint:
        played = episode(environment, endpoint.url, "any")
    replay = played.traces[0].info["replay"]
    lost = failing[0].removeprefix("player ")
    assert replay["result"]["forfeits"] == {lost: "left"}
    assert {trace.info["seat"]: trace.ok for trace in played.traces} == {int(lost): False, 1 - int(lost): True}
    assert replayed(make_game(DEFAULT_GAME), replay).is_over


def test_the_rules_are_the_system_prompt_and_a_request_has_one_decision(door: VerifiersDoor) -> None:
    play = door.begin(make_game(DEFAULT_GAME), [LIVE, "builder"], 5)
    for _ in range(3):
        assert play.answer("nothing") != ""
        play.answer(reader(1)(play.ask()[1]))
    assert [len(messages) for messages in play.sent[0]] == [2, 4, 2, 4, 2, 4, 2]
    assert {messages[0]["role"]: messages[0]["content"] for messages in play.sent[0]} == {"system": play.table.rules()}
    assert "builder, rated" in play.table.rules()


def test_the_data_set_has_seeds_and_rotations() -> None:
    taskset = verifiers_door.load_environment(seats=[LIVE, "builder"], first_seed=3, deals=2, rotate=True).taskset
    assert [(task.data.seed, task.data.seats.index(LIVE)) for task in taskset] == [(3, 0), (3, 1), (4, 0), (4, 1)]
    assert taskset.bounded
    endless = verifiers_door.load_environment().taskset
    assert [task.data.seed for task in islice(endless, 3)] == [1, 2, 3]
    assert not endless.bounded


def test_environments_that_cannot_play_are_refused() -> None:
    for seats, message in ((["builder", "builder"], 'at least one must be "live"'), ([LIVE, "nobody"], "no agent")):
        with pytest.raises(ValueError, match=message):
            verifiers_door.load_environment(seats=seats)


def test_the_librarys_program_plays_the_package_of_the_hub(tmp_path: Path) -> None:
    root, program = Path(__file__).parents[2], Path(sys.executable).with_name("vf-eval")
    seats = ("--env.taskset.seats", json.dumps([LIVE, "random"]), "--env.taskset.game", list(GAMES)[-1])
    with stub.serving(lambda number, request: stub.said(reader(number)(request.messages[-1]["content"]))) as endpoint:
        asked = ("-m", "stub", "-n", "1", "--client.base-url", endpoint.url, "--client.api-key-var", "NONE")
        command = [str(program), "board-games", *asked, *seats, "--no-push"]
        paths = {"PYTHONPATH": f"{root}:{root / 'hubs' / 'verifiers'}"}
        subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, **paths}, capture_output=True)
    (written,) = tmp_path.glob("outputs/**/traces.jsonl")
    (trace,) = json.loads(written.read_text(encoding="utf-8"))["traces"]
    assert (trace["agent"]["name"], trace["ok"]) == ("seat0", True)
    assert trace["rewards"]["outcome"]["score"] in (-1.0, 0.0, 1.0)
