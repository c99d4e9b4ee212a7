"""The MCP door passes the checks of seats and shares tables with people; `make test-door-mcp` runs this."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import threading
import time
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from agents.seats import mcp_door
from agents.seats.local import LIVE, TERMS, LocalTable, Terms
from agents.web.server.agent_pool import AgentPool
from agents.web.server.app import Server
from agents.web.server.lobby import Lobby
from agents.web.server.sockets import server_config
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.seats.checks import DoorChecks, every_game
from tests.seats.conformance import reader
from tests.seats.doors import Clock
from tests.server.serving import WIDE, Address

T = TypeVar("T")


def content(result: Any) -> Any:
    """Return the value of a tool; AssertionError with its text if it failed."""
    assert not result.is_error, result.content[0].text
    return (
        result.structured_content["result"]
        if set(result.structured_content) == {"result"}
        else result.structured_content
    )


class McpDoor:
    """A client and a server in this process, with an event loop in another thread."""

    name, forfeits, seconds = "mcp", True, 100.0
    asks, answers = "my_view(token)", "act(token, answer={!r})"

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        self.lobby = self.run(self._open(folder))
        self.server = mcp_door.make_server(self.lobby)

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.lobby.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    async def _open(self, folder: Path) -> Lobby:
        return Lobby(folder, AgentPool(tuple(GAMES), ("builder", "random"), "random"), WIDE, self.clock)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(120)

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool from a new client, as after a lost connection."""

        async def called() -> Any:
            async with Client(self.server) as client:
                return await client.call_tool(tool, arguments)

        return self.run(called())

    def ask(self, tool: str, **arguments: Any) -> Any:
        return content(self.call(tool, **arguments))

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> McpPlay:
        people = ["human" if text == LIVE else text for text in seats]
        mine = people.index("human")
        opened = self.ask(
            "new_table", game=game.name, seats=people, mine=mine, seed=str(seed), retries=terms.retries,
            seconds=terms.seconds, fallback=terms.fallback,
        )  # fmt: skip
        tokens = {mine: opened["token"]}
        for seat, invitation in opened["invitations"].items():
            tokens[int(seat)] = self.ask("take_seat", invitation=invitation)["token"]
        return McpPlay(self, opened["table"], tokens)


class McpPlay:
    def __init__(self, door: McpDoor, name: str, tokens: dict[int, str]) -> None:
        self.door, self.tokens = door, tokens
        self._name = name

    @property
    def table(self) -> Any:
        return self.door.lobby._awake[self._name].table

    def ask(self) -> tuple[int, str]:
        any_seat = next(iter(self.tokens.values()))
        if len(self.tokens) == 1:
            waited = self.door.ask("wait_for_my_turn", token=any_seat, seconds=60)
            return -1 if waited["over"] else next(iter(self.tokens)), waited["text"]
        self.door.ask("my_view", token=any_seat)
        while self.table.waits_for_agent:
            self.door.ask("wait_for_my_turn", token=any_seat, seconds=0.01)
        mover = self.table.mover
        return mover, self.door.ask("my_view", token=self.tokens.get(mover, any_seat))

    def answer(self, text: str) -> str:
        taken = self.door.ask("act", token=self.tokens[self.table.mover], answer=text)
        return str(taken.get("refused", ""))

    def result(self) -> dict[str, Any]:
        result: dict[str, Any] = self.door.ask("result", token=next(iter(self.tokens.values())))
        return result

    def state(self) -> State:
        state: State = self.table._state.clone()
        return state

    def replace(self, state: State) -> None:
        self.table._state = state
        self.table._records[-1] = state.states.tobytes()

    def shown(self, seat: int) -> str:
        token = self.tokens[seat]
        tools = ("my_view", "events", "legal_actions")
        waited = self.door.ask("wait_for_my_turn", token=token, seconds=0)
        return json.dumps([waited, *(self.door.ask(tool, token=token) for tool in tools)])


@pytest.fixture
def door(tmp_path: Path) -> Iterator[McpDoor]:
    made = McpDoor(tmp_path)
    yield made
    made.close()


class TestDoor(DoorChecks):
    """The checks of every door."""

    def wait(self, door: Any, seconds: float) -> None:
        door.clock.wait(seconds)

    @every_game
    def test_the_same_seed_and_answers_give_the_same_bytes(self, door: Any, name: str) -> None:
        """All seats answer here: agents of a server have new seeds at each start."""
        game = make_game(name)
        plays = [door.begin(game, [LIVE] * game.num_players, seed) for seed in (21, 21, 22)]
        texts: list[list[str]] = [[], [], []]
        for play, shown in zip(plays, texts, strict=True):
            choose = reader(5)
            for _ in range(30):
                shown.append(play.ask()[1])
                assert play.answer(choose(shown[-1])) == ""
        assert texts[0] == texts[1] != texts[2]


def lose(play: McpPlay) -> tuple[int, str]:
    """Let the seat to move forfeit by its answers; return it and its token."""
    seat = play.table.mover
    while not play.door.ask("act", token=play.tokens[seat], answer="nothing").get("forfeited"):
        pass
    return seat, play.tokens[seat]


def test_a_forfeit_is_told_by_every_tool(door: McpDoor) -> None:
    play = door.begin(make_game(DEFAULT_GAME, 3), [LIVE] * 3, 5, Terms(retries=0, seconds=50))
    seat, token = lose(play)
    door.clock.wait(1)
    told = "This seat has forfeited the game."
    assert door.ask("act", token=token, answer="0") == {"refused": told, "seconds_left": 50.0, "forfeited": True}
    assert door.ask("my_view", token=token, language="de") == "Dieser Platz hat das Spiel aufgegeben."
    waited = door.ask("wait_for_my_turn", token=token)
    assert waited == {"your_turn": False, "over": False, "text": told, "seconds_left": 50.0, "forfeited": True}
    assert door.ask("legal_actions", token=token) == []
    other = next(other for other in play.tokens if other != seat)
    assert door.ask("leave", token=play.tokens[other])["forfeited"]
    while (asked := play.ask())[0] >= 0:
        play.answer(reader(1)(asked[1]))
    result = play.result()
    assert result["forfeits"] == {str(seat): "answers", str(other): "left"}
    assert (result["places"][seat], result["places"][other]) == (3, 2)


def test_terms_that_cannot_be_used_are_refused_by_name(door: McpDoor) -> None:
    for field, value in (
        ("retries", -1), ("retries", "many"), ("seconds", 0), ("seconds", -2.5), ("fallback", "nobody"),
        ("fallback", "human"),
    ):  # fmt: skip
        refused = door.call("new_table", game=DEFAULT_GAME, seats=["human", "human"], **{field: value})
        assert refused.is_error
        assert field in refused.content[0].text
    assert len(door.lobby) == 0


def test_a_refused_answer_tells_how_many_are_left(door: McpDoor) -> None:
    play = door.begin(make_game(DEFAULT_GAME), [LIVE, LIVE], 5, Terms(retries=2))
    for left in (2, 1):
        assert play.answer("nothing").endswith(f"Refused answers left: {left}.")
    assert play.answer(str(play.state().legal_ids()[0])) == ""
    assert play.answer("nothing").endswith("Refused answers left: 2.")


@every_game
def test_the_texts_are_those_of_a_table_in_this_process(door: McpDoor, name: str) -> None:
    game = make_game(name)
    play, table = door.begin(game, [LIVE] * game.num_players, 71), LocalTable(game, [LIVE] * game.num_players, 71)
    choose = reader(6)
    for _ in range(60):
        if table.is_over:
            break
        seat, text = play.ask()
        assert (seat, text) == (table.mover, table.prompt(table.mover))
        answer = choose(text)
        table.act(seat, answer)
        play.answer(answer)


def test_wrong_tokens_open_no_seat(door: McpDoor) -> None:
    play = door.begin(make_game(DEFAULT_GAME), [LIVE, LIVE], 5)
    token = play.tokens[0]
    other_seat = token.replace(".0.", ".1.")
    flipped = token[:-1] + ("A" if token[-1] != "A" else "B")
    for wrong in ("", "x", flipped, other_seat, token + "x", token.upper(), play.tokens[1].replace(".1.", ".0.")):
        for tool in ("my_view", "events", "legal_actions", "rules", "hint", "result"):
            assert door.call(tool, token=wrong).is_error
        assert door.call("act", token=wrong, answer="0").is_error
        assert "no such seat" in door.call("wait_for_my_turn", token=wrong, seconds=0).content[0].text
    assert play.table.at == 0


def test_an_invitation_works_once(door: McpDoor) -> None:
    opened = door.ask("new_table", game=DEFAULT_GAME, seats=["human", "human"], mine=1)
    invitation = opened["invitations"]["0"]
    assert door.call("my_view", token=invitation).is_error
    assert door.ask("take_seat", invitation=invitation)["seat"] == 0
    assert door.call("take_seat", invitation=invitation).is_error


def test_tables_that_cannot_be_opened_are_refused_with_the_reason(door: McpDoor) -> None:
    for arguments, reason in (
        ({"game": "chess", "seats": ["human", "random"]}, "game: 'chess' is not offered here"),
        ({"game": DEFAULT_GAME, "seats": ["human"]}, "players: "),
        ({"game": DEFAULT_GAME, "seats": ["random", "human"]}, 'mine: seat 0 is not "human"'),
        ({"game": DEFAULT_GAME, "seats": ["human", "nobody"]}, "seats: seat 1: "),
        ({"game": DEFAULT_GAME, "seats": ["human", "random"], "seed": "x"}, "seed: "),
    ):
        assert reason in door.call("new_table", **arguments).content[0].text


def test_hints_rules_and_languages(door: McpDoor) -> None:
    play = door.begin(make_game(DEFAULT_GAME), [LIVE, LIVE], 5)
    mover = play.table.mover
    token = play.tokens[mover]
    hint = door.ask("hint", token=token)
    assert set(hint["actions"]) == {one["action"] for one in door.ask("legal_actions", token=token)}
    assert "your own decision" in door.call("hint", token=play.tokens[1 - mover]).content[0].text
    assert "## Bestandteile" in door.ask("rules", token=token, language="de")
    assert "language must be one of" in door.call("rules", token=token, language="fr").content[0].text
    assert "Das siehst du" in door.ask("my_view", token=token, language="de")
    assert set(door.ask("games")) == {"agents", "analysis"}


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Lobby, Address]]:
    """A server of tables with the tools at /mcp."""
    lobby = Lobby(folder, AgentPool((DEFAULT_GAME,), ("random",)), WIDE)
    app = mcp_door.with_mcp(Server(lobby, {"index.html": b"the page"}).app(), lobby, ("127.0.0.1", "localhost"))
    server = uvicorn.Server(server_config(app, WIDE, port=0))
    running = asyncio.ensure_future(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    yield lobby, Address(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    await running


def test_a_person_and_a_program_share_a_table(tmp_path: Path) -> None:
    """The person opens the table through the page's interface, the program takes the invitation over HTTP."""

    async def play() -> None:
        async with served(tmp_path) as (_, address), Client(f"{address.origin}/mcp") as client:
            tokens = await asyncio.to_thread(address.open_table, DEFAULT_GAME, ["human", "human"])

            def person_plays() -> dict[str, Any]:
                with address.person(tokens[0]) as person:
                    return person.finish(random.Random(1))

            person = asyncio.ensure_future(asyncio.to_thread(person_plays))
            mine, choose = content(await client.call_tool("take_seat", {"invitation": tokens[1]}))["token"], reader(1)
            while not (waited := content(await client.call_tool("wait_for_my_turn", {"token": mine})))["over"]:
                if waited["your_turn"]:
                    answer = {"token": mine, "answer": choose(waited["text"])}
                    assert "played" in content(await client.call_tool("act", answer))
            assert (await person)["kind"] == "over"
            assert sorted(json.loads(waited["text"])["places"]) in ([1, 1], [1, 2])

    asyncio.run(asyncio.wait_for(play(), 120))


def test_a_person_sees_that_a_program_forfeits(tmp_path: Path) -> None:
    """The program's time runs out although it never asks; the person has no clock."""
    program = LocalTable(make_game(DEFAULT_GAME), [LIVE, LIVE], 7).mover

    async def play() -> None:
        async with served(tmp_path) as (_, address), Client(f"{address.origin}/mcp") as client:
            asked = {"game": DEFAULT_GAME, "seats": ["human", "human"], "mine": program, "seed": "7", "seconds": 0.05}
            opened = content(await client.call_tool("new_table", asked))
            (invitation,) = opened["invitations"].values()

            def person_plays() -> None:
                with address.person(invitation) as person:
                    assert person.receive("forfeit") == {"kind": "forfeit", "seat": program, "why": "time"}
                    assert person.await_turn()
                    time.sleep(0.1)
                    assert person.finish(random.Random(1))["places"][program] == 2
                with address.person(invitation) as person:
                    assert [one.get("forfeited") for one in person.seated["seats"]].index("time") == program

            await asyncio.to_thread(person_plays)
            record = content(await client.call_tool("result", {"token": opened["token"]}))
            assert record["forfeits"] == {str(program): "time"}

    asyncio.run(asyncio.wait_for(play(), 120))


def test_another_sites_page_reaches_no_tool(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path) as (_, address):
            status, _ = await asyncio.to_thread(address.get, "mcp", Host="elsewhere.example")
            assert status == 421
            status, _ = await asyncio.to_thread(address.get, "mcp", Origin="http://elsewhere.example")
            assert status == 403

    asyncio.run(ask())


def test_the_program_speaks_over_standard_input_and_output() -> None:
    async def play() -> None:
        command = ["-m", "agents.seats.mcp_stdio", "random", "--games", DEFAULT_GAME]
        async with Client(stdio_client(StdioServerParameters(command=sys.executable, args=command))) as client:
            opened = content(await client.call_tool("new_table", {"game": DEFAULT_GAME, "seats": ["human", "random"]}))
            waited = content(await client.call_tool("wait_for_my_turn", {"token": opened["token"], "seconds": 60}))
            assert waited["your_turn"]
            arguments = {"token": opened["token"], "answer": reader(1)(waited["text"])}
            assert "played" in content(await client.call_tool("act", arguments))

    asyncio.run(asyncio.wait_for(play(), 120))
