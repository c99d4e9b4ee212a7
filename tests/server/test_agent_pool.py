"""Agents at tables: their input, their failures, and their time."""

from __future__ import annotations

import asyncio
import os
import pickle
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from agents.registry import AgentError, make
from agents.web.server.agent_pool import AgentPool, Estimate, win_shares
from agents.web.server.limits import Limits, Work
from agents.web.server.lobby import Lobby
from agents.web.server.messages import Hint, Request
from agents.web.server.table import HUMAN
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_class, make_game
from tests.server.serving import WIDE, Address, Person, open_table, program, read_journals, run, serve_tables, sit


def custom(name: str, folder: Path | None = None) -> str:
    """Return the string of a custom agent."""
    return f"tests.server.custom_agents:{name}" + (f":folder={folder}" if folder else "")


def test_agents_are_offered_only_in_games_that_they_play() -> None:
    # `patrician` belongs to another game.
    pool = AgentPool((DEFAULT_GAME,), ("random", "patrician", "network"), "network")
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


def test_an_agent_gets_only_the_view_of_its_seat(tmp_path: Path) -> None:
    text = custom("Recording", tmp_path)

    async def ask() -> None:
        pool, rng = AgentPool(tuple(GAMES), (text,)), random.Random(1)
        for name in GAMES:
            game = make_game(name)
            state = State(game, game.new_states(7))
            for _ in range(30):
                state.apply_id(rng.choice(state.legal_ids().tolist()))
            view = state.view()
            assert await pool.act(text, view, Work(WIDE)) == view.legal_ids()[0]
            arrays = view.state, view.observation, view.action_mask
            seen = pickle.loads((tmp_path / "seen").read_bytes())
            assert seen == (name, state.player, *(array.tobytes() for array in arrays))

    run(ask())


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
        foreign = AgentPool((DEFAULT_GAME,), ("random",), "patrician")
        await foreign.load()
        assert await foreign.analyst_of(DEFAULT_GAME, 2) is None

    run(ask())
    assert "'patrician' plays no game of this server: " in capsys.readouterr().err


def running(folder: Path) -> int:
    """Return how many agents of `custom_agents.Slow` think."""
    return len(list(folder.glob("running-*")))


def test_hints_do_not_delay_decisions_and_a_left_hint_keeps_its_agent(tmp_path: Path) -> None:
    """A reload during a hint: the next hint must not use the agent while it still searches."""
    slow = custom("Slow", tmp_path)

    async def ask() -> None:
        lobby = Lobby(tmp_path, AgentPool((DEFAULT_GAME,), (slow,), slow, threads=4), Limits())
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
        while not running(tmp_path):
            await asyncio.sleep(0.01)
        view = session.table.view(seat)
        session.leave(connection)
        await asyncio.sleep(0.05)
        session.handle(other, Hint(0))
        await asyncio.sleep(0.1)
        assert running(tmp_path) == 1
        # Decisions use another instance than hints.
        deciding = asyncio.ensure_future(lobby.agents.act(slow, view, Work(WIDE)))
        while running(tmp_path) < 2:
            await asyncio.sleep(0.01)
        (tmp_path / "release").touch()
        assert await deciding in view.legal_ids()
        while '"hint"' not in (told := "".join(other.take(session.table))):
            assert "could not answer" not in told
            await asyncio.sleep(0.01)

    try:
        run(ask())
    finally:
        (tmp_path / "release").touch()


def play_until_refused(person: Person) -> str:
    """Play the first legal actions until a request is refused; return the reason."""
    while True:
        message = person.receive("stands", "refused")
        if message["kind"] == "refused":
            return str(message["why"])
        if message["legal"]:
            person.send("play", at=message["at"], action=message["legal"][0])


def play_until(person: Person, happened: Callable[[], object]) -> None:
    """Play the first legal actions until something has happened."""
    while not happened():
        with suppress(TimeoutError):
            message = person.receive("stands", patience=0.05)
            if message["legal"]:
                person.send("play", at=message["at"], action=message["legal"][0])


def is_alive(folder: Path) -> bool:
    """Return whether the process of an agent of `custom_agents.Faulty` is there that has failed."""
    try:
        os.kill(int((folder / "process").read_text()), 0)
    except ProcessLookupError:
        return False
    return True


def play_one_game(address: Address, agent: str = "random") -> None:
    (token,) = address.open_table(DEFAULT_GAME, [agent, "human"]).values()
    with address.person(token) as person:
        assert person.finish(random.Random(1))["actions"]


@pytest.mark.parametrize("retry", ["ask again", pytest.param("reload", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("name", "reason", "log"),
    [
        ("Faulty", "failed", "a secret of the seat"),
        ("Exiting", "failed", "SystemExit: exits"),
        ("Quitting", "failed", "ended with exit code 3"),
        ("Illegal", "failed", "action -1 is not legal now"),
        ("Hanging", "did not answer in time", "no answer within 2 s"),
        pytest.param("Looping", "did not answer in time", "no answer within 2 s", marks=pytest.mark.long),
    ],
)
def test_a_faulty_agent_is_reported_and_asked_again(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, reason: str, log: str, retry: str
) -> None:
    text = custom(name, tmp_path)
    # More failures than the server has threads.
    (tmp_path / "failures").write_text("3")
    with serve_tables(tmp_path, (text, "random"), patience=2) as address:
        (token,) = address.open_table(DEFAULT_GAME, [text, "human"]).values()
        for left in (2, 1):
            with address.person(token) as person:
                assert play_until_refused(person).startswith(f"player 0 ({text}) {reason}")
                assert (person.update["mover"], (tmp_path / "failures").read_text()) == (0, str(left))
                assert reason == "failed" or not is_alive(tmp_path)
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


@pytest.mark.parametrize(
    "name", ["ExitingConstructor", pytest.param("QuittingConstructor", marks=pytest.mark.long), "HangingConstructor"]
)
def test_a_faulty_constructor_leaves_the_server_usable(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str
) -> None:
    text = custom(name)
    with serve_tables(tmp_path, (text, "random"), patience=1 if name.startswith("Hang") else 5) as address:
        offered = address.get("api/agents")[1]["agents"][DEFAULT_GAME]
        assert all(agents == ["random"] for agents in offered.values())
        request = {"game": DEFAULT_GAME, "players": 2, "seats": ["human", text], "seed": None}
        assert "could not be made; the server's log says why" in address.post(request)[1]["error"]
        play_one_game(address)
    assert f"the agent {text!r} could not be made" in capfd.readouterr().err


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
@pytest.mark.parametrize("name", ["Faulty", pytest.param("Looping", marks=pytest.mark.long)])
def test_the_process_of_an_agent_ends_with_the_server(tmp_path: Path, name: str, ending: signal.Signals) -> None:
    text = custom(name, tmp_path)
    (tmp_path / "failures").write_text("1")
    with program(tmp_path, text, "--games", DEFAULT_GAME, "--analyse", "") as (process, address):
        (token,) = address.open_table(DEFAULT_GAME, [text, "human"]).values()
        with address.person(token) as person:
            play_until(person, (tmp_path / "process").exists)
            assert is_alive(tmp_path)
            process.send_signal(ending)
            process.wait(30)
        end = time.monotonic() + 30
        while is_alive(tmp_path):
            assert time.monotonic() < end
            time.sleep(0.01)


@pytest.mark.parametrize("name", ["Slow", pytest.param("Looping", marks=pytest.mark.long)])
def test_a_thinking_agent_does_not_delay_other_tables(tmp_path: Path, name: str) -> None:
    text = custom(name, tmp_path)
    (tmp_path / "failures").write_text("1")
    with serve_tables(tmp_path, (text, "random")) as address:
        waiting = address.open_table(DEFAULT_GAME, [text, "human"])[1]
        with address.person(waiting) as person:
            play_until(person, lambda: running(tmp_path) or (tmp_path / "process").exists())
            (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
            with address.person(token) as quick:
                for _ in range(20):
                    quick.await_turn()
                    quick.play(quick.update["legal"][0])
            if name == "Slow":
                (tmp_path / "release").touch()
                assert person.await_turn()
            else:
                assert is_alive(tmp_path)
                os.kill(int((tmp_path / "process").read_text()), signal.SIGKILL)
                assert person.receive("refused")["why"].startswith(f"player 0 ({text}) failed")
                person.send("retry")
                assert person.await_turn()
