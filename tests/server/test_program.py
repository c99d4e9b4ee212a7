"""The program: killed and started again, closed, and started with invalid arguments."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from agents.web.serve import main
from agents.web.server.journal import Journal
from porta_nigra_env.games import DEFAULT_GAME
from tests.server.serving import Person, program

ARGUMENTS = ("random", "--games", DEFAULT_GAME, "--analyse", "", "--rate", "1000000")
SEATS = ["human", "random", "human"]


def play_until_killed(person: Person, rng: random.Random, killed: threading.Event) -> None:
    """Play at random until the server is killed."""
    try:
        while person.await_turn():
            person.play(rng.choice(person.update["legal"]))
    except (ConnectionClosed, OSError):
        assert killed.is_set()


@pytest.mark.parametrize("kills", [1, pytest.param(20, marks=pytest.mark.long)])
def test_a_server_that_is_killed_at_random_moments_loses_nothing_it_has_answered(tmp_path: Path, kills: int) -> None:
    rng = random.Random(kills)
    tokens: dict[int, str] = {}
    known: dict[int, list[object]] = {}
    for _ in range(kills + 1):
        with ExitStack() as stack:
            process, address = stack.enter_context(program(tmp_path, *ARGUMENTS))
            tokens = tokens or address.open_table(DEFAULT_GAME, SEATS)
            people = {seat: stack.enter_context(address.person(token)) for seat, token in tokens.items()}
            for seat, person in people.items():
                person.receive("stands")
                assert person.log[: len(known.get(seat, []))] == known.get(seat, [])
            killed = threading.Event()
            pool = stack.enter_context(ThreadPoolExecutor(len(people)))
            playing = [
                pool.submit(play_until_killed, person, random.Random(rng.random()), killed)
                for person in people.values()
            ]
            time.sleep(rng.uniform(0, 0.15))
            killed.set()
            process.kill()
            process.wait()
            for one in playing:
                one.result(60)
            known = {seat: person.log for seat, person in people.items()}
        table = Journal.read(tmp_path / f"{tokens[0].split('.')[0]}.jsonl").table()
        for seat, log in known.items():
            assert log == [[by, action] for by, action, _ in table.update(seat, 0).log[: len(log)]]
        if table.mover < 0:
            tokens, known = {}, {}  # starts another game
    assert any(Journal.read(path).table().at > 0 for path in tmp_path.glob("*.jsonl"))


def test_agents_resume_after_a_restart_and_closing_is_reported(tmp_path: Path) -> None:
    with program(tmp_path, *ARGUMENTS) as (process, address):
        (token,) = address.open_table(DEFAULT_GAME, ["human", "random"]).values()
        # Stop at the agent's turn, as if the server had been killed meanwhile.
        with address.person(token) as person:
            while person.update.get("mover") != 1:
                person.receive("stands")
                if person.update["legal"]:
                    person.send("play", at=person.update["at"], action=person.update["legal"][0])
        path = next(tmp_path.glob("*.jsonl"))
        process.kill()
        process.wait()
    lines = path.read_bytes().splitlines(keepends=True)
    table = Journal.read(path).table()
    while table.mover != 1:
        table.undo()
    path.write_bytes(b"".join(lines[: table.at + 1]) + b'{"did":"play"')
    (tmp_path / "0123456789abcdef.jsonl").write_bytes(lines[0].replace(b'"version":', b'"version":9'))
    with program(tmp_path, *ARGUMENTS) as (process, address):
        with address.person(token) as person:
            assert person.await_turn()
            assert person.update["at"] > table.at
            refused = subprocess.run(
                [sys.executable, "-m", "agents.web.serve", "random", "--port", "0", "--keep-in", str(tmp_path)],
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert refused.returncode == 2
            assert "another server keeps its tables there" in refused.stderr
            process.send_signal(signal.SIGTERM)
            with pytest.raises(ConnectionClosed) as raised:
                person.receive("nothing")
            assert raised.value.rcvd is not None
            assert (raised.value.rcvd.code, raised.value.rcvd.reason) == (1001, "the server ends; the game is kept")
        assert process.wait(30) == 0
    said = (tmp_path / "log.txt").read_text()
    assert "a torn last line of 13 bytes was cut off" in said
    assert f"{tmp_path / '0123456789abcdef.jsonl'}: it is of {DEFAULT_GAME} version" in said


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nobody"], "there is no agent 'nobody'"),
        (["random", "--games", "whist"], "whist"),
        (["random", "--analyse", "nobody"], "there is no agent 'nobody'"),
        (["random", "--tables", "0"], "--tables must be at least 1"),
        (["random", "--rate", "0"], "--rate must be a number above 0"),
        (["random", "--share", "0"], "--share must be a number above 0"),
        (["random", "--port", "-1"], "--port must be in 0..65535, not -1"),
        (["random", "--port", "70000"], "--port must be in 0..65535, not 70000"),
        (["random", "--host", "203.0.113.7"], "--host 203.0.113.7"),
        (["random", "--keep-in", __file__], "must be a folder"),
    ],
)
def test_invalid_arguments(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = arguments if "--keep-in" in arguments else [*arguments, "--keep-in", str(tmp_path)]
    with pytest.raises(SystemExit) as raised:
        main([*given, *([] if "--port" in arguments else ["--port", "0"])])
    assert raised.value.code == 2
    assert reason in capsys.readouterr().err
