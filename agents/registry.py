"""Agents by name: ``random``, ``ismcts:simulations=800,rollout=random``, ``my_module:MyAgent:depth=3``.

A name is followed by its parameters after a colon, ``key=value`` separated by commas.  ``python -m agents.registry``
lists all agents with their parameters.  What is entered nowhere is named by its import path: ``module:attribute``, a
class or function that is called with name, game and seed, and with the parameters as keywords.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import tyro

from agents.agent import Agent
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES

Value = int | float | str | bool
_TRUTH: Final = {"true": True, "1": True, "false": False, "0": False}
_IMPORT_PATH: Final = re.compile(r"(?P<module>\w+(\.\w+)*):(?P<attribute>[^\W\d]\w*(\.\w+)*)(:(?P<options>.+))?")
#: What an agent of an import path is called with, beside its own parameters.
_GIVEN: Final = ("name", "game", "seed")


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
    """All kinds of agents by name: those of every game, and those that know one (the packages ``agents.<game>``)."""
    import_module("agents.builtin")
    for game in GAMES:
        if find_spec(f"agents.{game}") is not None:
            import_module(f"agents.{game}")
    return dict(_ENTRIES)


def listing() -> str:
    """All agents with a sentence each, a line for each, for the help of programs that are given some."""
    found = sorted(entries().values(), key=lambda one: one.name)
    lines = [f"  {entry.name:<{max(len(one.name) for one in found)}}  {entry.doc}" for entry in found]
    return "\n".join(["agents (their parameters: python -m agents.registry):", *lines])


def parse(text: str) -> tuple[Entry, dict[str, Any]]:
    """The entry and all parameters of an agent's text; AgentError says what is wrong with it."""
    name, _, rest = text.partition(":")
    known = entries()
    if name not in known:
        if path := _IMPORT_PATH.fullmatch(text):
            return _imported(path["module"], path["attribute"], path["options"] or "")
        raise AgentError(
            f"there is no agent {name!r}; there are {', '.join(sorted(known))}, and module:attribute for others"
        )
    entry = known[name]
    values = {one.name: one.default for one in entry.parameters}
    given = _values(name, rest, {one.name: one for one in entry.parameters})
    values |= given
    if values.get("seconds"):
        values |= {one.name: one.timed for one in entry.parameters if one.timed is not None and one.name not in given}
    return entry, values


def _values(name: str, text: str, parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    """The parameters that a text gives; AgentError says what is wrong with it."""
    values: dict[str, Value] = {}
    for part in text.split(",") if text else []:
        key, equals, value = part.partition("=")
        if not equals or key not in parameters:
            takes = ", ".join(parameters) or "none"
            raise AgentError(f"agent {name!r}: {part!r} is no parameter of the form key=value; it takes {takes}")
        if key in values:
            raise AgentError(f"agent {name!r}: {key} is given twice")
        values[key] = parameters[key].read(name, value)
    return values


def _imported(module: str, attribute: str, options: str) -> tuple[Entry, dict[str, Any]]:
    """The entry of an import path and the parameters that are given; AgentError if there is no such agent."""
    path = f"{module}:{attribute}"
    try:
        found: Any = import_module(module)
    except Exception as error:  # whatever a module does that is being imported
        raise AgentError(f"agent {path!r}: {module} cannot be imported: {type(error).__name__}: {error}") from error
    for name in attribute.split("."):
        if not hasattr(found, name):
            raise AgentError(f"agent {path!r}: {module} has no {attribute}")
        found = getattr(found, name)
    if not callable(found):
        raise AgentError(f"agent {path!r}: it must be a class or function of (name, game, seed), not {found!r}")
    try:
        signature = inspect.signature(found)
    except ValueError as error:
        raise AgentError(f"agent {path!r}: {error}") from error
    own = {one.name: _parameter(one) for one in signature.parameters.values() if one.name not in _GIVEN}
    values = _values(path, options, own)
    try:
        signature.bind(*_GIVEN, **values)
    except TypeError as error:
        raise AgentError(f"agent {path!r}: it cannot be called with (name, game, seed) and {values}: {error}") from None

    def make_one(text: str, game: Game, seed: int, parameters: Mapping[str, Any]) -> Agent:
        agent = found(text, game, seed, **parameters)
        if not isinstance(agent, Agent):
            raise AgentError(f"agent {path!r}: it must make an agents.agent.Agent, not {agent!r}")
        return agent

    return Entry(path, inspect.getdoc(found) or "", make_one, tuple(own.values())), values


def _parameter(one: inspect.Parameter) -> Parameter:
    """A keyword of a function as a parameter of an agent: its kind is that of the default, else the annotation."""
    if type(one.default) in (int, float, str, bool):
        return Parameter(one.name, one.default, "")
    # Annotations may be texts.
    annotation = getattr(one.annotation, "__name__", one.annotation)
    kind = {"int": int, "float": float, "bool": bool}.get(annotation, str)
    return Parameter(one.name, kind(), "")


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


@dataclass(frozen=True)
class _Arguments:
    """Nothing."""


def main(argv: Sequence[str] | None = None) -> int:
    """List all agents."""
    description = f"List all agents with their parameters and defaults.\n\n{listing()}"
    tyro.cli(_Arguments, args=argv, prog="python -m agents.registry", description=description)
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
