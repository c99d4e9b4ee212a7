"""Options of agents: one frozen dataclass for each kind, whose fields `option` documents and bounds.

>>> [parameter.name for parameter in parameters_of(NetworkOptions)]
['checkpoint', 'device']
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import Any, Final

from agents.search.keys import OBSERVERS

Value = int | float | str | bool
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}
_KINDS: Final = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}

#: Simulations of a step with a limit of `seconds`.
MAX_SIMULATIONS: Final = 1 << 22
UTILITIES: Final = ("win", "logistic", "linear")


class AgentError(ValueError):
    """An unknown agent, or options that it does not take."""


@dataclass(frozen=True)
class Parameter:
    """An option of an agent.

    Attributes:
        name: the key in an agent string.
        default: the default; its type is the type of all values.
        doc: one phrase.
        low, high: inclusive bounds of numbers, or None.  Numbers are always finite.
        choices: the only values allowed, if any.
        timed: the default with a limit of `seconds`, or None for `default`.
    """

    name: str
    default: Value
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    timed: Value | None = None

    def read(self, agent: str, text: str) -> Value:
        """Return the value of a text.  AgentError names the agent, the option and its bounds."""
        kind = type(self.default)
        try:
            value: Value = _BOOLEANS[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            raise AgentError(f"agent {agent!r}: {self.name} must be {_KINDS[kind]}, not {text!r}") from None
        if self.choices and value not in self.choices:
            raise AgentError(f"agent {agent!r}: {self.name} must be one of {', '.join(self.choices)}, not {text!r}")
        if isinstance(value, int | float) and not isinstance(value, bool):
            if isinstance(value, float) and not math.isfinite(value):
                raise AgentError(f"agent {agent!r}: {self.name} must be a finite number, not {text}")
            if self.low is not None and value < self.low:
                raise AgentError(f"agent {agent!r}: {self.name} must be at least {self.low:.12g}, not {text}")
            if self.high is not None and value > self.high:
                raise AgentError(f"agent {agent!r}: {self.name} must be at most {self.high:.12g}, not {text}")
        return value


def option(default: Value, doc: str, **more: Any) -> Any:
    """Return a dataclass field with the attributes of a `Parameter`."""
    return field(default=default, metadata={"doc": doc, **more})


def parameters_of(options: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters that the fields of an options dataclass describe."""
    defaults = options()
    return tuple(Parameter(one.name, getattr(defaults, one.name), **one.metadata) for one in fields(options))


def _simulations(default: int, doc: str) -> Any:
    return option(
        default, f"{doc}; with seconds only where it is given", low=1, high=MAX_SIMULATIONS, timed=MAX_SIMULATIONS
    )


def _observers() -> Any:
    return option(
        "single",
        "the player whose information states are the nodes: the searching player, or the player to move",
        choices=tuple(OBSERVERS),
    )


@dataclass(frozen=True)
class NoOptions:
    """An agent without options."""


@dataclass(frozen=True)
class FlatOptions:
    """Flat Monte Carlo, and the options that all tree searches share."""

    simulations: int = _simulations(1000, "simulations of a step at most, in each thread")
    seconds: float = option(
        0.0, "seconds of a step at most; 0: no limit, and the same answer on every machine", low=0, high=86_400
    )
    rollout: str = option("random", "the compiled policy of rollouts")
    rounds: int = option(
        2, "rounds until a rollout ends, the running one included; 0: the end of the game", low=0, high=1000
    )
    utility: str = option("logistic", "the value of a result", choices=UTILITIES)
    scale: float = option(15.0, "points by which margins are divided", low=1e-9, high=1e9)
    exploration: float = option(0.1, "constant of UCB1; 0.7 where results are 0 or 1", low=0, high=1e6)
    threads: int = option(1, "trees that grow at the same time; their votes are added up", low=1, high=64)


@dataclass(frozen=True)
class TreeOptions(FlatOptions):
    """A tree search."""

    widening: float = option(
        0.0, "a node with n visits has at most widening * sqrt(n + 1) edges; 0: no bound", low=0, high=1e6
    )
    opponents: str = option("search", "opponents search, or play the rollout policy", choices=("search", "rollout"))


@dataclass(frozen=True)
class IsMctsOptions(TreeOptions):
    """Information-set MCTS."""

    observers: str = _observers()


@dataclass(frozen=True)
class PimcOptions(TreeOptions):
    """Perfect-information Monte Carlo."""

    worlds: int = option(20, "number of determinizations", low=1, high=1 << 16)


@dataclass(frozen=True)
class NetworkOptions:
    """The network of an agent."""

    checkpoint: str = option("published", "a file that training has written, or `published`")
    device: str = option("cpu", "device of the network", choices=("cpu", "cuda"))


@dataclass(frozen=True)
class PolicyOptions(NetworkOptions):
    """A network that plays without search."""

    temperature: float = option(
        0.0, "0: the most probable action; else sample from the logits divided by it", low=0, high=1e4
    )


@dataclass(frozen=True)
class GuidedOptions(NetworkOptions):
    """Information-set search with PUCT, guided by a network."""

    simulations: int = _simulations(200, "simulations of a step at most")
    seconds: float = option(0.0, "seconds of a step at most; 0: no limit", low=0, high=86_400)
    parallel: int = option(8, "simulations between two calls of the network", low=1, high=1 << 10)
    exploration: float = option(1.25, "constant of PUCT", low=0, high=1e6)
    prior_temperature: float = option(1.0, "divides the logits of the priors", low=0.05, high=100.0)
    root: str = option("gumbel", "root_action_selection", choices=("gumbel", "puct"))
    threads: int = option(1, "threads that share the games of a batch", low=1, high=64)
    observers: str = _observers()


@dataclass(frozen=True)
class MirrorOptions(NetworkOptions):
    """Mirror-descent search."""

    worlds: int = _simulations(32, "determinizations in which an action is tried at most")
    seconds: float = option(0.0, "seconds of a step at most; 0: no limit", low=0, high=86_400)
    candidates: int = option(8, "number of most probable actions that are tried", low=2, high=1 << 10)
    plies: int = option(32, "steps of a rollout, of all seats", low=0, high=1 << 10)
    deepest: int = option(
        64, "with seconds: while time is left, repeat with twice the plies, up to this number", low=0, high=1 << 10
    )
    rows: int = option(256, "games in a batch of rollouts", low=2, high=1 << 16)
    step: float = option(100.0, "weight of a difference of results against log-probabilities", low=0, high=1e4)
    doubt: float = option(
        0.0, "standard errors by which differences of results shrink, because they may be noise", low=0, high=100
    )
    magnet: float = option(0.0, "strength of the pull towards equal probabilities", low=0, high=1e3)


@dataclass(frozen=True)
class LlmOptions:
    """A language model behind an OpenAI-compatible endpoint."""

    model: str = option("", "its name at the endpoint")
    url: str = option("http://localhost:8000/v1", "the endpoint, up to and including its version")
    key: str = option("OPENAI_API_KEY", "name of the environment variable with the API key")
    temperature: float = option(0.0, "of sampling; -1: the endpoint's default", low=-1, high=2)
    max_tokens: int = option(1000, "largest number of tokens of a reply", low=1, high=1 << 20)
    limit_field: str = option(
        "max_tokens", "the request's field for it", choices=("max_tokens", "max_completion_tokens")
    )
    prompt_tokens: int = option(
        0, "estimated tokens of a decision's text at most; 0: 500 and 500 a seat", low=0, high=1 << 20
    )
    events: int = option(96, "last events among which those since the last turn are found", low=0, high=1 << 10)
    retries: int = option(2, "unusable replies to a decision that are asked again, with the reason", low=0, high=20)
    seconds: float = option(600.0, "seconds of a decision at most, repeated requests included", low=0.01, high=86_400)
    timeout: float = option(120.0, "seconds of a request at most", low=0.01, high=86_400)
    fallback: str = option("first", "plays if no reply is usable: first, the first legal action; or an agent")
    price_in: float = option(0.0, "money for a million tokens of requests", low=0, high=1e9)
    price_out: float = option(0.0, "money for a million tokens of replies", low=0, high=1e9)
    cache: str = option("llm.sqlite", "file of answers, counts and the spent budget")
