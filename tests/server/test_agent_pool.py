"""Agents at tables: what they get, and what happens when they fail or take their time."""

from __future__ import annotations

import asyncio
import random
import threading
from pathlib import Path

import numpy as np
import pytest

from agents.agent import Agent
from agents.registry import AgentError, make
from agents.web.server.limits import Limits
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Hint, Request
from agents.web.server.players import Estimate, Players, win_shares
from agents.web.server.table import HUMAN
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import DEFAULT_GAME, game_class, make_game
from tests.server import custom_agents
from tests.server.serving import Person, finished, journals, served


def test_agents_that_do_not_play_a_game_are_not_offered_there() -> None:
    # The second one is of another game, the last one would have to see everything.
    players = Players((DEFAULT_GAME,), ("random", "patrician", "network", "cheating-mcts:simulations=2"), "network")
    players.check()
    found = finished(players.offered())
    kind = game_class(DEFAULT_GAME)
    assert set(found["agents"][DEFAULT_GAME]) == set(map(str, kind.seats))
    for count in map(str, kind.seats):
        assert found["agents"][DEFAULT_GAME][count] == ["random", "network"]
        assert found["analysis"][DEFAULT_GAME][count] == "network"


def test_a_text_that_no_agent_has_is_refused_at_once() -> None:
    for texts, analyst in ((("nobody",), None), (("random",), "nobody"), (("no.module:Agent",), None)):
        with pytest.raises(AgentError):
            Players((DEFAULT_GAME,), texts, analyst).check()


def test_an_agent_gets_the_view_of_its_seat_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    got: list[View] = []

    def act(self: Agent, view: View) -> int:
        got.append(view)
        return int(view.legal_ids()[0])

    monkeypatch.setattr(custom_agents.Last, "act", act)
    game = make_game(DEFAULT_GAME)
    view = State(game, game.new_states(7)).view()
    players = Players((DEFAULT_GAME,), ("tests.server.custom_agents:Last",))
    assert finished(players.act("tests.server.custom_agents:Last", view)) in view.legal_ids()
    assert got == [view]


@pytest.mark.parametrize("text", ["network", "guided:simulations=20"])
def test_networks_and_their_searches_say_how_likely_everybody_wins(text: str) -> None:
    game = make_game(DEFAULT_GAME, 3)
    state = State(game, game.new_states(7))
    for _ in range(40):
        state.apply_id(make("network", game).act(state.view()))
    view = state.view()
    estimate: Estimate = finished(Players((DEFAULT_GAME,), ("random",), text).judge(view))
    shares = [share for _, share in estimate.actions]
    assert {action for action, _ in estimate.actions} == set(view.legal_ids().tolist())
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-3)
    # What the network said, seat by seat, whoever is to move.
    network = make("network", game)
    _, results = network.estimate(view)
    assert results is not None
    assert estimate.values == pytest.approx(win_shares(results), abs=1e-3)
    assert sum(estimate.values or []) == pytest.approx(1, abs=1e-5)


def test_results_become_shares_of_the_win() -> None:
    assert win_shares([1.0, -1.0]) == [1.0, 0.0]
    assert win_shares([0.0, 0.0]) == [0.5, 0.5]
    assert win_shares([-0.5, -0.5, 1.0]) == [0.0, 0.0, 1.0]
    assert win_shares([-1.0, -1.0, -1.0]) == pytest.approx([1 / 3] * 3, abs=1e-6)
    assert sum(win_shares(np.array([0.3, -0.4, 0.2, -0.1]))) == pytest.approx(1, abs=1e-5)


def test_the_analyst_gives_hints_and_is_not_seated(capsys: pytest.CaptureFixture[str]) -> None:
    async def asked() -> None:
        players = Players((DEFAULT_GAME,), ("random",), "greedy")
        assert await players.analyst_of(DEFAULT_GAME, 2) == "greedy"
        assert "the agent 'greedy' is not offered here; random" in await players.why_not("greedy", DEFAULT_GAME, 2)
        # One that cannot be made is told of, though nobody may sit down with it.
        failing = Players((DEFAULT_GAME,), ("random",), "cheating-mcts:simulations=2")
        await failing.load()
        assert await failing.analyst_of(DEFAULT_GAME, 2) is None

    finished(asked())
    assert "'cheating-mcts:simulations=2' plays nothing that is offered here: " in capsys.readouterr().err


def test_hints_are_not_in_the_way_of_decisions_and_end_with_who_asked(tmp_path: Path) -> None:
    async def evening() -> None:
        text = "tests.server.custom_agents:Slow"
        custom_agents.Slow.let_go, custom_agents.Slow.asked = threading.Event(), threading.Event()
        kept = Lobby(tmp_path, Players((DEFAULT_GAME,), (text,), text), Limits())
        _, tokens = await kept.open(Request(DEFAULT_GAME, 2, [HUMAN, HUMAN], "7"))
        session, place = await kept.sit(tokens["0"])
        seat = session.table.mover
        if seat != 0:
            session, place = await kept.sit(tokens["1"])
        _, other = await kept.sit(tokens[str(seat)])
        place.take(session.table)
        for asking in (place, other):
            session.ask(asking, Hint(0))
        assert "a hint is being thought about already" in "".join(other.take(session.table))
        await asyncio.sleep(0.05)
        view = session.table.view(seat)
        # Another agent than the analyst decides, and nobody waits for a hint any more once who asked has gone.
        deciding = asyncio.ensure_future(kept.players.act(text, view))
        session.leave(place)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        session.ask(other, Hint(0))
        assert not other.take(session.table)
        custom_agents.Slow.let_go.set()
        assert await deciding in view.legal_ids()

    try:
        finished(evening())
    finally:
        custom_agents.Slow.let_go.set()


def until_refused(person: Person) -> str:
    """Play the first actions until something is refused; why."""
    while True:
        told = person.hears("stands", "refused")
        if told["kind"] == "refused":
            return str(told["why"])
        if told["legal"]:
            person.say("play", at=told["at"], action=told["legal"][0])


def test_an_agent_that_fails_is_asked_again_when_somebody_comes_in(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    custom_agents.Failing.failures = 0
    text = "tests.server.custom_agents:Failing"
    with served(tmp_path, (text,)) as address:
        (token,) = address.opened(DEFAULT_GAME, [text, "human"]).values()
        with address.session(token) as person:
            assert until_refused(person).startswith(f"player 0 ({text}) could not answer")
            assert person.stands["mover"] == 0
        with address.session(token) as person:
            assert person.finishes(random.Random(1))["actions"]
    said = capfd.readouterr().err
    # What it said may be what its seat alone can see: it is for who runs the server.
    assert "a secret of the seat" in said
    assert f"player 0, {text!r}, failed at decision" in said


def test_an_agent_that_answers_nonsense_changes_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "tests.server.custom_agents:Wrong"
    with served(tmp_path, (text,)) as address:
        (token,) = address.opened(DEFAULT_GAME, [text, "human"]).values()
        with address.session(token) as person:
            until_refused(person)
            kept = journals(tmp_path)
        with address.session(token) as person:
            assert "could not answer" in person.hears("refused")["why"]
        assert journals(tmp_path) == kept
    assert "action -1 is not legal now" in capfd.readouterr().err


def test_an_agent_that_thinks_keeps_nobody_else_waiting(tmp_path: Path) -> None:
    custom_agents.Slow.let_go = threading.Event()
    custom_agents.Slow.asked = threading.Event()
    slow = "tests.server.custom_agents:Slow"
    with served(tmp_path, (slow, "random")) as address:
        waiting = address.opened(DEFAULT_GAME, [slow, "human"])[1]
        with address.session(waiting) as person:
            while not custom_agents.Slow.asked.wait(0.01):
                person.hears("stands")
                if person.stands["legal"]:
                    person.say("play", at=person.stands["at"], action=person.stands["legal"][0])
            (token,) = address.opened(DEFAULT_GAME, ["human", "random"]).values()
            with address.session(token) as quick:
                for _ in range(20):
                    quick.awaits_turn()
                    quick.plays(quick.stands["legal"][0])
            custom_agents.Slow.let_go.set()
            assert person.awaits_turn()
