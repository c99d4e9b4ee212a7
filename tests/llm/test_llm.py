"""Language models as agents: their prompts, unusable replies, failing endpoints, budgets, and resuming."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest

from agents import tournament
from agents.arena import ladder
from agents.arena.results import read
from agents.llm import __main__ as program
from agents.llm.endpoint import ATTEMPTS, Endpoint, EndpointError, TooSlowError, retry_after
from agents.llm.ledger import COST, TOKENS, BudgetError, Ledger
from agents.llm.player import LlmAgent
from agents.options import AgentError, LlmOptions
from agents.registry import make, parse
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.history import decoded
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.envs.pettingzoo import GameAEC
from porta_nigra_env.games import GAMES, make_game
from tests.llm.stub import KEY, Reply, Script, Stub, last_legal, legal_ids, said, serving

NAME = next(iter(GAMES))


@pytest.fixture(autouse=True)
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in (TOKENS, COST, "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield
    # No file of any test holds the key.
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]


def seen(name: str = NAME, seed: int = 3, steps: int = 30) -> View:
    """Return the view of a player with a choice, with a history."""
    env = GameAEC(make_game(name), history=96)
    env.reset(seed=seed)
    while steps > 0 or int(env.view(env.agent_selection).action_mask.sum()) < 2:
        action = int(env.view(env.agent_selection).legal_ids()[steps % 2 - 1])
        env.step(action)
        steps -= 1
    return env.view(env.agent_selection)


def agent_at(stub: Stub, options: str = "", seed: int = 0, name: str = NAME) -> LlmAgent:
    """Return an agent whose pauses take no time."""
    text = f"llm:model=m,url={stub.url}{',' if options else ''}{options}"
    entry, values = parse(text)
    assert entry.name == "llm"
    endpoint = Endpoint(stub.url, KEY, values["timeout"], sleep=lambda seconds: None)
    return LlmAgent(text, make_game(name), seed, LlmOptions(**values), endpoint)


def counts(agent: LlmAgent) -> dict[str, float]:
    """Return the counts of an agent that are not zero."""
    found = Ledger(Path("llm.sqlite")).counts()[agent.name]
    return {name: value for name, value in found.items() if value}


# ------------------------------------------------------------------------------------------------ prompts


@pytest.mark.parametrize("name", GAMES)
def test_a_decision_is_asked_for_in_words(name: str) -> None:
    """Rules are in the system message; view, events and numbered actions in the other one."""
    view = seen(name)
    with serving(last_legal) as stub:
        agent = agent_at(stub, name=name)
        assert agent.act(view) == view.legal_ids()[-1]
    (request,) = stub.requests
    assert request.headers["Authorization"] == f"Bearer {KEY}"
    system, user = request.messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert view.game.about in system["content"]
    assert view.board() in user["content"]
    assert "Since your last decision:" in user["content"]
    assert agent.events(view)[-1] in user["content"]
    assert legal_ids(request) == view.legal_ids().tolist()
    assert counts(agent) == {"decisions": 1, "requests": 1, "tokens_in": 100, "tokens_out": 10}


@pytest.mark.parametrize("name", GAMES)
def test_events_since_the_last_own_action_are_told(name: str) -> None:
    """They are those of the infos; earlier events of the same turn come first."""
    agent, env = agent_at(Stub("http://127.0.0.1:1/v1"), name=name), GameAEC(make_game(name), history=96, events=True)
    env.reset(seed=5)
    told = 0
    for _ in range(60):
        view, infos = env.view(env.agent_selection), env.infos[env.agent_selection]
        narrator = Narrator(view.game, view.player)
        assert view.history is not None
        events = decoded(narrator.facts, view.history, view.player)[-len(infos["events"]) :] if infos["events"] else []
        assert [narrator.facts.record(event) for event in events] == infos["events"]
        text = "\n".join(agent.events(view))
        shown = [narrator.event(event) for event in events if not narrator.facts.by_kind[event.kind].aside]
        assert not [clause for clause in shown if clause not in text]
        told += len(shown)
        env.step(int(view.legal_ids()[0]))
    assert told > 60
    assert agent.events(View(env.game, env.states, 0, 0)) == []


@pytest.mark.parametrize("name", GAMES)
def test_requests_hold_nothing_hidden(name: str) -> None:
    """Two worlds that a seat cannot distinguish give the same bytes, also after an unusable reply."""
    view = seen(name)
    worlds = [view.sample(seed) for seed in (1, 2, 3)]
    with serving(lambda number, request: said("I pass on that.")) as stub:
        for number, world in enumerate(worlds):
            agent = agent_at(stub, f"cache={number}.sqlite,temperature=0.5", name=name)
            assert agent.act(View(view.game, world, 0, view.player, view.history)) == view.legal_ids()[0]
    assert len({world.tobytes() for world in worlds}) == 3
    asked = [request.body for request in stub.requests]
    assert len(asked) == 9
    assert asked[:3] == asked[3:6] == asked[6:]
    assert len(set(asked)) == 3


def test_the_only_legal_action_is_not_asked_for() -> None:
    game = make_game(NAME)
    state = State(game, game.new_states(1))
    while len(state.legal_ids()) > 1:
        state.apply_id(state.legal_ids()[0])
    assert agent_at(Stub("http://127.0.0.1:1/v1")).act(state.view()) == state.legal_ids()[0]


# ------------------------------------------------------------------------------------------------ unusable replies


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("action: 99999", "is no action id"),
        ("I would rather build something beautiful.", "is no action"),
        ("", "the answer is empty"),
        ("{ILLEGAL}", "is not legal now"),
    ],
)
def test_an_unusable_reply_is_asked_again_with_the_reason(answer: str, reason: str) -> None:
    view = seen()
    illegal = str(int(view.action_mask.argmin()))

    def script(number: int, request: Any) -> Reply:
        return said(answer.replace("{ILLEGAL}", illegal)) if number == 0 else last_legal(number, request)

    with serving(script) as stub:
        agent = agent_at(stub)
        assert agent.act(view) == view.legal_ids()[-1]
        assert [message["role"] for message in stub.requests[1].messages] == ["system", "user", "assistant", "user"]
        assert reason in stub.requests[1].messages[-1]["content"]
        assert counts(agent)["refused"] == 1
        assert "fallbacks" not in counts(agent)


@pytest.mark.parametrize("fallback", ["first", "random"])
def test_the_fallback_plays_after_the_last_unusable_reply(fallback: str) -> None:
    view = seen()
    with serving(lambda number, request: said("No.")) as stub:
        agent = agent_at(stub, f"retries=1,fallback={fallback}", seed=4)
        action = agent.act(view)
        assert action == (view.legal_ids()[0] if fallback == "first" else make(fallback, view.game, 4).act(view))
        assert len(stub.requests) == 2
        assert (counts(agent)["fallbacks"], counts(agent)["refused"]) == (1, 2)


# ------------------------------------------------------------------------------------------------ failing endpoints


@pytest.mark.parametrize(
    "bad",
    [
        Reply("{}", 429, {"Retry-After": "0"}),
        Reply("busy", 500),
        Reply("busy", 503),
        Reply("{nonsense"),
        Reply('{"choices": []}'),
        Reply('{"choices": "no"}'),
        Reply("[1, 2]"),
        Reply('{"choices": [{"message": 3}]}', cut=10),
    ],
    ids=["429", "500", "503", "nonsense", "empty", "text", "list", "drop"],
)
def test_passing_failures_are_retried(bad: Reply) -> None:
    view = seen()
    with serving(lambda number, request: bad if number < 2 else last_legal(number, request)) as stub:
        agent = agent_at(stub)
        assert agent.act(view) == view.legal_ids()[-1]
        assert (counts(agent)["requests"], counts(agent)["retries"]) == (3, 2)
        assert len({request.body for request in stub.requests}) == 1


def paused(script: Script, **options: Any) -> list[float]:
    """Return the pauses before a request succeeds or fails."""
    pauses: list[float] = []
    with serving(script) as stub:
        endpoint = Endpoint(stub.url, KEY, sleep=pauses.append, **options)
        try:
            endpoint.complete(b"{}", endpoint._clock() + 1000)
        except EndpointError:
            pauses.append(-1)
    return pauses


def test_pauses_grow_and_honour_the_servers_wish() -> None:
    def fail(number: int, request: Any) -> Reply:
        return Reply("", 500)

    longest, shortest = paused(fail, jitter=lambda: 1.0), paused(fail, jitter=lambda: 0.0)
    assert longest == [0.5, 1, 2, 4, 8, -1]
    assert shortest == [pause / 2 for pause in longest[:-1]] + [-1]
    wishes = iter(["7", format_datetime(datetime.now(UTC) + timedelta(seconds=90)), "soon"])
    wished = paused(
        lambda number, request: Reply("", 429, {"Retry-After": next(wishes)}) if number < 3 else said("x"),
        jitter=lambda: 1.0,
    )
    assert wished[0] == 7
    assert 80 < wished[1] <= 90
    assert wished[2] == 2
    assert retry_after({}) == 0


def test_a_wish_beyond_the_time_of_the_decision_ends_the_run() -> None:
    with serving(lambda number, request: Reply("", 429, {"Retry-After": "4000"})) as stub:
        agent = agent_at(stub, "seconds=100")
        with pytest.raises(EndpointError, match=r"status 429 at each of 1 attempts\. It asks to wait 4000 seconds"):
            agent.act(seen())


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_refused_request_ends_the_run_without_the_key(status: int) -> None:
    with serving(lambda number, request: Reply(f"Incorrect API key: {KEY}", status)) as stub:
        with pytest.raises(EndpointError, match=rf"status {status}: Incorrect API key: \[key\]") as failure:
            agent_at(stub).act(seen())
        assert len(stub.requests) == 1
    assert KEY not in str(failure.value)


def test_a_dead_endpoint_ends_the_run() -> None:
    with serving(last_legal) as stub:
        pass
    with pytest.raises(EndpointError, match=rf"ConnectError.* at each of {ATTEMPTS} attempts.*resumes"):
        agent_at(stub).act(seen())


def test_a_slow_model_loses_the_decision() -> None:
    """Its fallback plays; an answer in time to a repeated request counts."""
    view = seen()
    with serving(lambda number, request: said("x", delay=5.0)) as stub:
        agent = agent_at(stub, "seconds=0.3,timeout=0.1")
        assert agent.act(view) == view.legal_ids()[0]
        assert (counts(agent)["slow"], counts(agent)["fallbacks"]) == (1, 1)
    with serving(lambda number, request: said("x", delay=5.0) if number == 0 else last_legal(0, request)) as stub:
        agent = agent_at(stub, "timeout=0.3")
        assert agent.act(view) == view.legal_ids()[-1]
        assert counts(agent)["retries"] == 1


def test_the_deadline_is_over_before_the_first_attempt() -> None:
    endpoint = Endpoint("http://127.0.0.1:1/v1", clock=lambda: 100.0, sleep=lambda seconds: None)
    with pytest.raises(TooSlowError):
        endpoint.complete(b"{}", 99.0)


# ------------------------------------------------------------------------------------------------ cache and budget


def test_answers_are_kept_by_model_parameters_and_prompt() -> None:
    view = seen()
    with serving(last_legal) as stub:
        for options in ("", "retries=1", "temperature=0.5", "max_tokens=7", "model2"):
            agent = agent_at(stub, options if options != "model2" else "")
            if options == "model2":
                agent._options = LlmOptions(**{**vars(agent._options), "model": "other"})
            assert agent.act(view) == view.legal_ids()[-1]
        assert len(stub.requests) == 4
        # Another seed asks again where the temperature draws.
        for seed in (0, 1):
            agent_at(stub, "temperature=0.5", seed).act(view)
        assert len(stub.requests) == 5
    assert counts(agent_at(stub, "retries=1"))["hits"] == 1


def test_tokens_are_estimated_without_usage_and_priced() -> None:
    with serving(lambda number, request: said(f"action: {legal_ids(request)[-1]}", None)) as stub:
        agent = agent_at(stub, "price_in=2,price_out=4")
        agent.act(seen())
        found = counts(agent)
        size = sum(len(message["content"]) for message in stub.requests[0].messages)
    assert size / 8 < found["tokens_in"] < size / 2
    assert found["cost"] == pytest.approx((2 * found["tokens_in"] + 4 * found["tokens_out"]) / 1e6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "model=NAME"),
        ("model=m,url=ftp://x", "url must be an endpoint"),
        ("model=m,url=http://me:secret@x/v1", "no user, password or query"),
        ("model=m,url=http://x/v1?api_key=secret", "no user, password or query"),
        ("model=m,key=sk-secret", "name of an environment variable"),
        ("model=m,fallback=llm", "fallback must be"),
        ("model=m,fallback=nothing", "there is no agent"),
    ],
)
def test_options_are_checked_without_repeating_secrets(options: str, message: str) -> None:
    with pytest.raises(AgentError, match=re.escape(message)) as failure:
        make(f"llm:{options}" if options else "llm", make_game(NAME))
    assert "secret" not in str(failure.value)


def test_without_httpx_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(AgentError, match=re.escape("pip install 'porta-nigra-env[llm]'")):
        make("llm:model=m", make_game(NAME))


def test_budgets_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COST, "5")
    with pytest.raises(AgentError, match="needs price_in and price_out"):
        make("llm:model=m", make_game(NAME))
    monkeypatch.setenv(COST, "much")
    with pytest.raises(AgentError, match=f"{COST} must be a number of 0 or more, not 'much'"):
        make("llm:model=m,price_in=1", make_game(NAME))
    monkeypatch.setenv(COST, "0.001")
    with serving(last_legal) as stub, pytest.raises(BudgetError, match="allows no further request: 0 are spent"):
        agent_at(stub, "price_in=1,price_out=1").act(seen())
    assert not stub.requests


def test_a_tournament_stops_at_its_budget_and_resumes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both runs together send what one run would send; nothing is asked for twice; accounts are printed."""
    with serving(last_legal) as stub:
        text = f"llm:model=m,url={stub.url},max_tokens=50"

        def play(out: str, agent: str = text) -> int:
            return tournament.main([agent, "random", "--games", "2", "--out", out])

        monkeypatch.setenv(TOKENS, "6000")
        assert play("limited") == 1
        captured = capsys.readouterr()
        assert re.search(rf"the budget {TOKENS}=6000 allows no further request: \d+ are spent", captured.err)
        assert re.search(rf"{re.escape(text)} +\d+ ", captured.out), "counts are printed after an error too"
        spent = len(stub.requests)
        assert 20 < spent < 60
        monkeypatch.delenv(TOKENS)
        assert play("limited") == 0
        total = len(stub.requests)
        assert len({request.body for request in stub.requests}) == total > 2 * spent
        assert play("again") == 0
        assert len(stub.requests) == total, "all answers were kept"
    limited, again = (read(Path(folder)) for folder in ("limited", "again"))
    assert limited is not None
    assert again is not None
    assert limited.games == again.games
    capsys.readouterr()
    assert program.main(["llm.sqlite"]) == 0
    head, line = capsys.readouterr().out.splitlines()
    numbers = dict(zip(head.replace("tokens ", "tokens_").split(), line.split(), strict=True))
    assert (numbers["agent"], numbers["requests"]) == (text, f"{total:,}")
    assert int(numbers["hits"].replace(",", "")) > total
    with pytest.raises(SystemExit):
        program.main(["nothing.sqlite"])


def test_a_ladder_prints_accounts(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(last_legal) as stub:
        text = f"llm:model=m,url={stub.url}"
        assert ladder.main(["play", text, "random", "--games", "2", "--players", "2", "--out", "ladder"]) == 0
    assert re.search(rf"{re.escape(text)} +\d+ ", capsys.readouterr().out)


def test_processes_share_a_ledger() -> None:
    with serving(last_legal) as stub:
        text = f"llm:model=m,url={stub.url}"
        assert tournament.main([text, "random", "--games", "2", "--jobs", "2", "--out", "two"]) == 0
        total = len(stub.requests)
        assert tournament.main([text, "random", "--games", "2", "--out", "one"]) == 0
        assert len(stub.requests) == total
    assert json.dumps(sorted(Path("one/results.jsonl").read_text().splitlines())) == json.dumps(
        sorted(Path("two/results.jsonl").read_text().splitlines())
    )
