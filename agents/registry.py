"""Agents by name: ``random``, ``ismcts:simulations=800,rollout=greedy``.

A name is followed by its parameters after a colon, ``key=value`` separated by commas.  ``python -m agents.registry``
lists all agents with their parameters.
"""

from __future__ import annotations

import argparse
import importlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agents.agent import Agent
from agents.players.scripted import ScriptedAgent
from agents.search.searcher import UTILITIES, make_search
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.policy import RANDOM

#: Packages of players that know a game; they enter themselves when they are imported.
PLAYERS: Final = ("agents.porta_nigra",)

Value = int | float | str | bool
_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}
#: Simulations of a decision, at most, also where it is the time that counts.
MOST_SIMULATIONS: Final = 1 << 22


@dataclass(frozen=True)
class Parameter:
    """What may stand after an agent's name.

    Attributes:
        name: the key.
        default: the value without it; its type is the type of all values.
        doc: one phrase.
        low, high: bounds of numbers, both included; None for none.  Numbers are always finite.
        choices: the only values allowed, if any.
        timed: the value without it where a limit of `seconds` is given; None for the default.
    """

    name: str
    default: Value
    doc: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    timed: Value | None = None

    def read(self, agent: str, text: str) -> Value:
        """The value of a text; AgentError names agent, parameter and what would be right."""
        kind = type(self.default)
        value: Value
        try:
            value = _TRUTH[text.lower()] if kind is bool else kind(text)
        except (KeyError, ValueError):
            words = {int: "an integer", float: "a number", bool: "true or false", str: "a text"}
            raise AgentError(f"agent {agent!r}: {self.name} must be {words[kind]}, not {text!r}") from None
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


@dataclass(frozen=True)
class Entry:
    """A kind of agent.

    Attributes:
        name: before the colon.
        doc: one sentence.
        make: ``make(text, game, seed, parameters) -> Agent``, called with all parameters.
        parameters: what may follow the name.
        games: names of the games it plays; None for all.
    """

    name: str
    doc: str
    make: Callable[[str, Game, int, Mapping[str, Any]], Agent]
    parameters: tuple[Parameter, ...] = ()
    games: tuple[str, ...] | None = None


class AgentError(ValueError):
    """A name that no agent has, or parameters it does not take."""


_ENTRIES: Final[dict[str, Entry]] = {}


def register(entry: Entry) -> None:
    """Enter an agent; ValueError if the name is taken."""
    if entry.name in _ENTRIES:
        raise ValueError(f"an agent is called {entry.name!r} already")
    _ENTRIES[entry.name] = entry


def entries() -> dict[str, Entry]:
    """All kinds of agents by name."""
    for module in PLAYERS:
        importlib.import_module(module)
    return dict(_ENTRIES)


def listing() -> str:
    """All agents with a sentence each, a line for each, for the help of programs that are given some."""
    found = sorted(entries().values(), key=lambda one: one.name)
    lines = [f"  {entry.name:<{max(len(one.name) for one in found)}}  {entry.doc}" for entry in found]
    return "\n".join(["agents (their parameters: python -m agents.registry):", *lines])


def parse(text: str) -> tuple[Entry, dict[str, Value]]:
    """The entry and all parameters of an agent's text; AgentError says what is wrong with it."""
    name, _, rest = text.partition(":")
    known = entries()
    if name not in known:
        raise AgentError(f"there is no agent {name!r}; there are {', '.join(sorted(known))}")
    entry = known[name]
    parameters = {one.name: one for one in entry.parameters}
    values: dict[str, Value] = {one.name: one.default for one in entry.parameters}
    given = set()
    for part in rest.split(",") if rest else []:
        key, equals, value = part.partition("=")
        if not equals or key not in parameters:
            takes = ", ".join(parameters) or "none"
            raise AgentError(f"agent {name!r}: {part!r} is no parameter of the form key=value; it takes {takes}")
        if key in given:
            raise AgentError(f"agent {name!r}: {key} is given twice")
        given.add(key)
        values[key] = parameters[key].read(name, value)
    if values.get("seconds"):
        values |= {one.name: one.timed for one in entry.parameters if one.timed is not None and one.name not in given}
    return entry, values


def make(text: str, game: Game, seed: int = 0) -> Agent:
    """The agent of a text such as ``"ismcts:simulations=800"``.

    Raises:
        AgentError: no such agent, a parameter it does not take, a value that does not fit, or a file or device that
            cannot be used (a ValueError).
    """
    entry, values = parse(text)
    if entry.games is not None and game.name not in entry.games:
        raise AgentError(f"agent {entry.name!r} plays {', '.join(entry.games)}, not {game.name}")
    try:
        agent = entry.make(text, game, seed, values)
    except AgentError:
        raise
    except ValueError as error:
        raise AgentError(f"agent {text!r}: {error}") from error
    agent.made_by = make
    return agent


register(
    Entry(
        "random",
        "Uniformly random over the legal actions.",
        lambda text, game, seed, parameters: ScriptedAgent(text, game, RANDOM, seed),
    )
)


_SEARCH: Final = (
    Parameter(
        "simulations", 1000, "at most so many a decision, in each thread; with seconds only where it is given",
        low=1, high=MOST_SIMULATIONS, timed=MOST_SIMULATIONS,
    ),
    Parameter(
        "seconds", 0.0, "at most so many seconds a decision; 0: no limit, and the same answer everywhere",
        low=0, high=86_400,
    ),
    Parameter("rollout", "random", "the compiled policy that plays on where the tree ends"),
    Parameter(
        "rounds", 2, "rollouts end with so many rounds, the running one included; 0: with the game", low=0, high=1000
    ),
    Parameter("utility", "logistic", "what a result is worth", choices=UTILITIES),
    Parameter("scale", 15.0, "points by which margins are divided", low=1e-9, high=1e9),
    Parameter(
        "exploration", 0.1, "constant of the upper confidence bound; 0.7 where results are 0 or 1", low=0, high=1e6
    ),
    Parameter("threads", 1, "trees that grow at the same time; their votes are added up", low=1, high=64),
)  # fmt: skip
_TREE: Final = (
    *_SEARCH,
    Parameter(
        "widening", 0.0, "a node with n visits has at most widening * sqrt(n + 1) edges; 0: no bound", low=0, high=1e6
    ),
    Parameter(
        "opponents", "search", "whether they search too or play like the rollouts", choices=("search", "rollout")
    ),
)


def _searcher(kind: str, doc: str, parameters: tuple[Parameter, ...]) -> Entry:
    def make_one(text: str, game: Game, seed: int, values: Mapping[str, Any]) -> Agent:
        rollout = make(str(values["rollout"]), game).compiled
        if rollout is None:
            raise AgentError(f"agent {text!r}: rollout must name a compiled policy, which {values['rollout']!r} is not")
        return make_search(kind, text, game, seed, values, rollout)

    return Entry("cheating-mcts" if kind == "cheating" else kind, doc, make_one, parameters)


register(
    _searcher(
        "ismcts",
        "Information-set Monte Carlo tree search: a new world for each simulation.",
        (
            *_TREE,
            Parameter(
                "observers",
                "single",
                "whether opponents' nodes tell apart what they see",
                choices=("single", "multiple"),
            ),
            Parameter("reuse", False, "keep the tree between decisions of one turn"),
        ),
    )
)
register(
    _searcher(
        "pimc",
        "Perfect-information Monte Carlo: so many worlds, a tree for each, votes added up.",
        (*_TREE, Parameter("worlds", 20, "number of worlds", low=1, high=1 << 16)),
    )
)
register(_searcher("flat", "Flat Monte Carlo: rollouts after each action, the promising ones more often.", _SEARCH))
register(_searcher("cheating", "Searches the TRUE state: sees all cards and the future, only for measurements.", _TREE))


def _make_network(text: str, game: Game, seed: int, values: Mapping[str, Any]) -> Agent:
    try:
        from agents.networks.neural import make_network_agent
    except ImportError as error:
        raise AgentError(f"agent {text!r}: networks need torch; pip install -e '.[train]' ({error})") from error
    return make_network_agent(text, game, seed, values)


_NETWORK: Final = (
    Parameter("checkpoint", "published", "a file that training has written, or the network that comes with the agents"),
    Parameter("device", "cpu", "where the network is", choices=("cpu", "cuda")),
)
_GUIDED: Final = (
    *_NETWORK,
    Parameter(
        "simulations", 200, "at most so many a decision; with seconds only where it is given",
        low=1, high=MOST_SIMULATIONS, timed=MOST_SIMULATIONS,
    ),
    Parameter("seconds", 0.0, "at most so many seconds a decision; 0: no limit", low=0, high=86_400),
    Parameter("parallel", 8, "simulations between two calls of the network", low=1, high=1 << 10),
    Parameter("exploration", 1.25, "constant of PUCT", low=0, high=1e6),
    Parameter("root", "gumbel", "how the root's actions are tried", choices=("gumbel", "puct")),
)  # fmt: skip
register(
    Entry(
        "network",
        "A trained network: plays what it thinks best.",
        _make_network,
        (
            *_NETWORK,
            Parameter(
                "temperature", 0.0, "0: the most probable action; else drawn, logits divided by it", low=0, high=1e4
            ),
        ),
    )
)
register(
    Entry(
        "guided",
        "Information-set search guided by a trained network: its probabilities where to look, its values at the ends.",
        _make_network,
        _GUIDED,
    )
)


def main(argv: Sequence[str] | None = None) -> int:
    """List all agents."""
    parser = argparse.ArgumentParser(
        prog="python -m agents.registry",
        description="List all agents with their parameters and defaults.",
        epilog=listing(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(argv)
    for entry in sorted(entries().values(), key=lambda one: one.name):
        plays = "" if entry.games is None else f"  [{', '.join(entry.games)}]"
        print(f"{entry.name}{plays}\n    {entry.doc}")
        for one in entry.parameters:
            bounds = f" ({', '.join(one.choices)})" if one.choices else ""
            print(f"    {one.name}={one.default}{bounds}: {one.doc}")
    return 0


if __name__ == "__main__":
    # The module that others import, not this one under the name __main__, holds the entries.
    from agents import registry

    raise SystemExit(registry.main())
