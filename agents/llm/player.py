"""A language model as an agent: one request for a decision, and further ones after unusable replies.

The request is made of the view alone, so it holds nothing that the seat may not know.
"""

from __future__ import annotations

import json
import os
import re
import time
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np

from agents.agent import Agent
from agents.llm.endpoint import Completion, Endpoint, TooSlowError
from agents.llm.ledger import COST, Ledger, key_of, table
from agents.options import AgentError, LlmOptions
from agents.registry import make
from agents.seats import prompt as texts
from agents.seats.answers import AnswerError, chosen
from agents.seats.prompt import narrator_of, said, tokens_of
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.history import decoded
from porta_nigra_env.core.narration.language import SOURCE

#: The last part of the system message, after the rules.
INSTRUCTIONS: Final = (
    "You play one seat of this game, and want the best place at its end. Each message describes a decision. "
    'End your reply with one line that names a single legal action by its id, such as "action: 12".'
)
#: The fallback that takes the first legal action.
FIRST: Final = "first"
#: Characters of an unusable reply that the next request repeats.
_REPEATED: Final = 4000
_VARIABLE: Final = re.compile(r"[A-Z_][A-Z0-9_]*")


class LlmAgent(Agent):
    """A language model behind an endpoint.

    Args:
        endpoint: for tests; by default that of the options.
    """

    def __init__(self, name: str, game: Game, seed: int, options: LlmOptions, endpoint: Endpoint | None = None) -> None:
        super().__init__(name, game, seed)
        self._options = options
        self._endpoint = endpoint or Endpoint(options.url, os.environ.get(options.key, ""), options.timeout)
        self._ledger = Ledger(Path(options.cache))
        self._fallback = None if options.fallback == FIRST else make(options.fallback, game, seed)
        self._system = f"{texts.rules(game)}\n{INSTRUCTIONS}"
        self.history = options.events if game.narration() is not None else 0

    def act(self, view: View) -> int:
        """Return the model's action; the only legal one without asking."""
        legal = view.legal_ids()
        if len(legal) == 1:
            return int(legal[0])
        deadline = time.monotonic() + self._options.seconds
        messages, refused, slow = self.messages(view), 0, 0
        action: int | None = None
        try:
            while action is None and refused <= self._options.retries:
                text = self._answer(view, messages, deadline)
                try:
                    action = chosen(view, text)
                except AnswerError as error:
                    refused += 1
                    reason = said(SOURCE, texts.REFUSED, reason=error, left=self._options.retries + 1 - refused)
                    messages += [_message("assistant", text[-_REPEATED:] or "-"), _message("user", reason)]
        except TooSlowError:
            slow = 1
        self._ledger.count(self.name, decisions=1, refused=refused, slow=slow, fallbacks=action is None)
        if action is not None:
            return action
        return int(legal[0]) if self._fallback is None else self._fallback.act(view)

    def messages(self, view: View) -> list[dict[str, str]]:
        """Return the messages of a decision: the rules, and what the seat sees."""
        text = texts.prompt(view, self.events(view), tokens=self._options.prompt_tokens or None)
        return [_message("system", self._system), _message("user", text)]

    def events(self, view: View) -> list[str]:
        """Return the events since the seat's last turn began, a line for each player in turn.

        They are in the view's history; a view without one has none.
        """
        narrator = narrator_of(view.game, view.player, SOURCE, None)
        if view.history is None or narrator is None:
            return []
        tokens = view.history[view.history[:, 0] > 0]
        actors = tokens[:, 3] - 1
        own = np.flatnonzero(actors == 0)
        before = np.flatnonzero(actors[: own[-1]] != 0) if len(own) else own
        first = int(before[-1]) + 1 if len(before) else 0
        lines = [] if len(own) or len(tokens) < len(view.history) else [said(SOURCE, texts.EARLIER)]
        happened = zip(actors[first:].tolist(), decoded(narrator.facts, tokens[first:], view.player), strict=True)
        for actor, group in groupby(happened, lambda pair: pair[0]):
            shown = [narrator.event(event) for _, event in group if not narrator.facts.by_kind[event.kind].aside]
            seat = (actor + view.player) % view.game.num_players
            who = said(SOURCE, texts.YOU) if actor == 0 else narrator.names[seat]
            lines += [f"{who}: {', '.join(shown)}"] if shown else []
        return lines

    def account(self) -> str:
        """Return the counts of this agent in its ledger; "" if there are none."""
        counts = self._ledger.counts().get(self.name)
        return "" if counts is None else table({self.name: counts})

    def _body(self, view: View, messages: list[dict[str, str]]) -> bytes:
        """Return the JSON of a request."""
        options = self._options
        body: dict[str, Any] = {"model": options.model, "messages": messages, options.limit_field: options.max_tokens}
        if options.temperature >= 0:
            body["temperature"] = options.temperature
        if options.temperature != 0:
            # Another seed gives another answer, also from the ledger.
            body["seed"] = self.decision_seed(view) % 2**31
        return json.dumps(body, ensure_ascii=False, sort_keys=True).encode()

    def _answer(self, view: View, messages: list[dict[str, str]], deadline: float) -> str:
        """Return the model's text from the ledger or the endpoint."""
        options, ledger, body = self._options, self._ledger, self._body(view, messages)
        key = key_of(options.url, body)
        if (kept := ledger.answer(key)) is not None:
            ledger.count(self.name, hits=1)
            return kept
        size = sum(tokens_of(message["content"]) for message in messages)
        ledger.check(size + options.max_tokens, self._cost(size, options.max_tokens))
        reply: Completion = self._endpoint.complete(body, deadline, lambda name: ledger.count(self.name, **{name: 1}))
        spent_in = size if reply.tokens_in is None else reply.tokens_in
        spent_out = tokens_of(reply.text) if reply.tokens_out is None else reply.tokens_out
        spent = {"tokens_in": spent_in, "tokens_out": spent_out, "cost": self._cost(spent_in, spent_out)}
        ledger.keep(key, self.name, reply.text, **spent)
        return reply.text

    def _cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self._options.price_in + tokens_out * self._options.price_out) / 1e6


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def make_llm(text: str, game: Game, seed: int, options: LlmOptions) -> LlmAgent:
    """Make the agent of the registry; nothing is sent and no file is written.

    AgentError for options that cannot be used; it does not repeat them, since one may be a key.
    """
    parts = urlsplit(options.url)
    if not options.model:
        raise AgentError("agent 'llm': model=NAME is needed, as the endpoint calls it")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AgentError("agent 'llm': url must be an endpoint such as http://localhost:8000/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise AgentError("agent 'llm': url must hold no user, password or query; keys come from the environment")
    if not _VARIABLE.fullmatch(options.key):
        raise AgentError("agent 'llm': key must be the name of an environment variable, such as OPENAI_API_KEY")
    if options.fallback.partition(":")[0] == "llm":
        raise AgentError("agent 'llm': fallback must be 'first' or another agent")
    budgets = Ledger(Path(options.cache)).limits()
    if COST in budgets and not options.price_in + options.price_out > 0:
        raise AgentError(f"agent 'llm': the budget {COST} needs price_in and price_out, for a million tokens")
    try:
        return LlmAgent(text, game, seed, options)
    except ImportError as error:
        raise AgentError(f"agent 'llm': {error}") from error
