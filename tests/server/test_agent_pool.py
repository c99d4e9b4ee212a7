"""Agents at tables: their input, their failures, and their time."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import numpy as np
import pytest

from agents.agent import Agent
from agents.registry import AgentError, make
from agents.web.server.agent_pool import AgentPool, Estimate, win_shares
from agents.web.server.limits import Limits, Work
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Hint, Request
from agents.web.server.table import HUMAN
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import DEFAULT_GAME, game_class, make_game
from tests.server import custom_agents
from tests.server.serving import WIDE, Address, Person, open_table, read_journals, run, serve_tables, sit

CUSTOM = "tests.server.custom_agents"
SLOW = f"{CUSTOM}:Slow"


def test_agents_are_offered_only_in_games_that_they_play() -> None:
    # `patrician` belongs to another game, the last one would see everything.
    pool = AgentPool((DEFAULT_GAME,), ("random", "patrician", "network", "cheating-mcts:simulations=2"), "network")
    pool.check()
    offered = run(pool.offered())
    kind = game_class(DEFAULT_GAME)
    assert offered["agents"][DEFAULT_GAME] == {str(count): ["random", "network"] for count in kind.seats}
    assert offered["analysis"][DEFAULT_GAME] == {str(count): "network" for count in kind.seats}


@pytest.mark.parametrize(
    ("texts", "analyst"), [(("nobody",), None), (("random",), "nobody"), (("no.module:Agent",), None)]
)
def test_an_unknown_agent_is_refused_at_once(texts: tuple[str, ...], analyst: str | None) -> None:
    with pytest.raises(AgentError):
        AgentPool((DEFAULT_GAME,), texts, analyst).check()


def test_an_agent_gets_only_the_view_of_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    views: list[View] = []

    def act(self: Agent, view: View) -> int:
        views.append(view)
        return int(view.legal_ids()[0])

    monkeypatch.setattr(custom_agents.Last, "act", act)
    game = make_game(DEFAULT_GAME)
    view = State(game, game.new_states(7)).view()
    text = f"{CUSTOM}:Last"
    assert run(AgentPool((DEFAULT_GAME,), (text,)).act(text, view, Work(WIDE))) in view.legal_ids()
    assert views == [view]


@pytest.mark.parametrize("text", ["network", "guided:simulations=20"])
def test_networks_and_their_searches_estimate_win_shares(text: str) -> None:
    game = make_game(DEFAULT_GAME, 3)
    state = State(game, game.new_states(7))
    for _ in range(40):
        state.apply_id(make("network", game).act(state.view()))
    view = state.view()
    estimate: Estimate = run(AgentPool((DEFAULT_GAME,), ("random",), text).estimate(view, Work(WIDE)))
    shares = [share for _, share in estimate.actions]
    assert {action for action, _ in estimate.actions} == set(view.legal_ids().tolist())
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    _, results = make("network", game).estimate(view)
    assert results is not None
    assert estimate.values == pytest.approx(win_shares(results), abs=1e-3)
    assert sum(estimate.values or []) == pytest.approx(1, abs=1e-5)


def test_results_become_win_shares() -> None:
    assert win_shares([1.0, -1.0]) == [1.0, 0.0]
    assert win_shares([0.0, 0.0]) == [0.5, 0.5]
    assert win_shares([-0.5, -0.5, 1.0]) == [0.0, 0.0, 1.0]
    assert win_shares([-1.0, -1.0, -1.0]) == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert sum(win_shares(np.array([0.3, -0.4, 0.2, -0.1]))) == pytest.approx(1, abs=1e-5)


def test_the_analyst_gives_hints_and_is_not_seated(capsys: pytest.CaptureFixture[str]) -> None:
    async def ask() -> None:
        pool = AgentPool((DEFAULT_GAME,), ("random",), "greedy")
        assert await pool.analyst_of(DEFAULT_GAME, 2) == "greedy"
        assert "the agent 'greedy' is not offered here; random" in await pool.why_not("greedy", DEFAULT_GAME, 2)
        cheating = AgentPool((DEFAULT_GAME,), ("random",), "cheating-mcts:simulations=2")
        await cheating.load()
        assert await cheating.analyst_of(DEFAULT_GAME, 2) is None

    run(ask())
    assert "'cheating-mcts:simulations=2' plays no game of this server: " in capsys.readouterr().err


def test_hints_do_not_delay_decisions_and_a_left_hint_keeps_its_agent(tmp_path: Path) -> None:
    """A reload during a hint: the next hint must not use the agent while the thread still searches."""

    async def ask() -> None:
        custom_agents.Slow.reset()
        lobby = Lobby(tmp_path, AgentPool((DEFAULT_GAME,), (SLOW,), SLOW, threads=4), Limits())
        _, tokens = await open_table(lobby, Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7"))
        session, connection = await sit(lobby, tokens["0"])
        seat = session.table.mover
        if seat != 0:
            session, connection = await sit(lobby, tokens["1"])
        _, other = await sit(lobby, tokens[str(seat)])
        for socket in (connection, other):
            socket.take(session.table)
            session.handle(socket, Hint(0))
        assert "a hint for this seat is being computed already" in "".join(other.take(session.table))
        await asyncio.to_thread(custom_agents.Slow.asked.wait, 10)
        view = session.table.view(seat)
        session.leave(connection)
        await asyncio.sleep(0.05)
        session.handle(other, Hint(0))
        await asyncio.sleep(0.1)
        assert custom_agents.Slow.running == 1
        # Decisions use another instance than hints.
        deciding = asyncio.ensure_future(lobby.agents.act(SLOW, view, Work(WIDE)))
        while custom_agents.Slow.running < 2:
            await asyncio.sleep(0.01)
        custom_agents.Slow.release.set()
        assert await deciding in view.legal_ids()
        while '"hint"' not in "".join(other.take(session.table)):
            await asyncio.sleep(0.01)
        assert custom_agents.Slow.overlaps == 1

    try:
        run(ask())
    finally:
        custom_agents.Slow.release.set()


def play_until_refused(person: Person) -> str:
    """Play the first legal actions until a request is refused; return the reason."""
    while True:
        message = person.receive("stands", "refused")
        if message["kind"] == "refused":
            return str(message["why"])
        if message["legal"]:
            person.send("play", at=message["at"], action=message["legal"][0])


def play_one_game(address: Address, agent: str = "random") -> None:
    (token,) = address.open_table(DEFAULT_GAME, [agent, "human"]).values()
    with address.person(token) as person:
        assert person.finish(random.Random(1))["actions"]


@pytest.mark.parametrize("retry", ["ask again", "reload"])
@pytest.mark.parametrize(
    ("name", "reason", "log"),
    [
        ("Faulty", "failed", "a secret of the seat"),
        ("Exiting", "failed", "SystemExit: exits"),
        ("Illegal", "failed", "action -1 is not legal now"),
        ("Hanging", "did not answer in time", "no answer within 1 s"),
    ],
)
def test_a_faulty_agent_is_reported_and_asked_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, reason: str, log: str, retry: str
) -> None:
    text = f"{CUSTOM}:{name}"
    kind = getattr(custom_agents, name)
    # More failures than the server has threads.
    kind.failures = 3
    with serve_tables(tmp_path, (text, "random"), patience=1) as address:
        (token,) = address.open_table(DEFAULT_GAME, [text, "human"]).values()
        for left in (2, 1):
            with address.person(token) as person:
                assert play_until_refused(person).startswith(f"player 0 ({text}) {reason}")
                assert (person.update["mover"], kind.failures) == (0, left)
                journals = read_journals(tmp_path)
        play_one_game(address)
        with address.person(token) as person:
            play_until_refused(person)
            if retry == "ask again":
                person.send("retry")
                assert person.finish(random.Random(1))["actions"]
        if retry == "reload":
            with address.person(token) as person:
                assert person.finish(random.Random(1))["actions"]
        assert all(read_journals(tmp_path)[path].startswith(data) for path, data in journals.items())
    errors = capfd.readouterr().err
    # Only the log gets the exception, whose text may hold the seat's secrets.
    assert log in errors
    assert f"player 0, {text!r}, failed at step" in errors


@pytest.mark.parametrize("name", ["ExitingConstructor", "HangingConstructor"])
def test_a_faulty_constructor_leaves_the_server_usable(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    text = f"{CUSTOM}:{name}"
    with serve_tables(tmp_path, (text, "random"), patience=5 if name.startswith("Exit") else 1) as address:
        offered = address.get("api/agents")[1]["agents"][DEFAULT_GAME]
        assert all(agents == ["random"] for agents in offered.values())
        request = {"game": DEFAULT_GAME, "players": 2, "seats": ["human", text], "seed": None}
        assert "could not be made; the server's log says why" in address.post(request)[1]["error"]
        play_one_game(address)
    assert f"the agent {text!r} could not be made" in capfd.readouterr().err


def test_a_thinking_agent_does_not_delay_other_tables(tmp_path: Path) -> None:
    custom_agents.Slow.reset()
    with serve_tables(tmp_path, (SLOW, "random")) as address:
        waiting = address.open_table(DEFAULT_GAME, [SLOW, "human"])[1]
        with address.person(waiting) as person:
            while not custom_agents.Slow.asked.wait(0.01):
                person.receive("stands")
                if person.update["legal"]:
                    person.send("play", at=person.update["at"], action=person.update["legal"][0])
            (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
            with address.person(token) as quick:
                for _ in range(20):
                    quick.await_turn()
                    quick.play(quick.update["legal"][0])
            custom_agents.Slow.release.set()
            assert person.await_turn()
