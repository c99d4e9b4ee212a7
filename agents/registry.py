"""Agents by name: ``random``, ``ismcts:simulations=800,rollout=random``, ``my_module:MyAgent:depth=3``.

An agent string is a name, a colon, and options as ``key=value`` separated by commas.  ``python -m agents.registry``
lists all agents with their options.  An unregistered agent is named by its import path ``module:attribute``: a class
or function that is called with name, game and seed, and with the options as keywords.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final

import tyro

from agents.agent import Agent
from agents.builtin import Builtin, builtins
from agents.options import AgentError, Parameter, Value, parameters_of
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.extras import install
from porta_nigra_env.games import GAMES

__all__ = ["AgentError", "Entry", "Parameter", "entries", "listing", "make", "parse", "register"]

_IMPORT_PATH: Final = re.compile(r"(?P<module>\w+(\.\w+)*):(?P<attribute>[^\W\d]\w*(\.\w+)*)(:(?P<options>.+))?")
#: Arguments that every agent of an import path is called with.
_ARGUMENTS: Final = ("name", "game", "seed")


@dataclass(frozen=True)
class Entry:
    """A kind of agent.

    Attributes:
        name: before the colon.
        doc: one sentence.
        make: ``make(text, game, seed, options) -> Agent``, called with the values of all parameters.
        parameters: the options it takes.
        games: names of the games it plays; None for all.
    """

    name: str
    doc: str
    make: Callable[[str, Game, int, Mapping[str, Any]], Agent]
    parameters: tuple[Parameter, ...] = ()
    games: tuple[str, ...] | None = None


_ENTRIES: Final[dict[str, Entry]] = {}


def register(entry: Entry) -> None:
    """Register an agent; ValueError if the name is taken."""
    if entry.name in _ENTRIES:
        raise ValueError(f"an agent is called {entry.name!r} already")
    _ENTRIES[entry.name] = entry


def game_package(game: str) -> ModuleType | None:
    """Return the package ``agents.GAME`` with the agents of one game, or None."""
    name = f"agents.{game}"
    return None if find_spec(name) is None else import_module(name)


def rivals(game: str) -> tuple[str, ...]:
    """Return the reference agents of a game, the strongest last: `RIVALS` of its package, or none."""
    names: tuple[str, ...] = getattr(game_package(game), "RIVALS", ())
    return names


def recommended(game: Game) -> str:
    """Return the agent string that ``best`` stands for: `BEST` of the game's package, or a search without network."""
    best: str | None = getattr(game_package(game.name), "BEST", None)
    if best is not None and game.published() is not None:
        return best
    return f"ismcts:seconds=1,rollout={(rivals(game.name) or ('random',))[-1]}"


def _make_best(text: str, game: Game, seed: int, _: Mapping[str, Any]) -> Agent:
    agent = make(recommended(game), game, seed)
    agent.name = text
    return agent


@cache
def _register_builtins() -> None:
    """Register the agents of `agents.builtin` and of the packages ``agents.<game>``."""
    kinds = list(builtins())
    for game in GAMES:
        game_package(game)
    # After all imports: one that fails must not leave half of the names behind.
    register(Entry("best", "The recommended agent of a game, about a second a step.", _make_best))
    for one in kinds:
        register(Entry(one.name, one.doc, partial(_make_builtin, one), parameters_of(one.options), one.games))


def _make_builtin(kind: Builtin, text: str, game: Game, seed: int, given: Mapping[str, Any]) -> Agent:
    module, _, function = kind.factory.partition(":")
    try:
        factory = getattr(import_module(module), function)
    except ImportError as error:
        raise AgentError(f"agent {text!r}: networks need torch: {install('train')} ({error})") from error
    more = {}
    if "rollout" in given:
        more["rollout"] = make(given["rollout"], game).compiled
        if more["rollout"] is None:
            raise AgentError(f"agent {text!r}: rollout must name a compiled policy, which {given['rollout']!r} is not")
    agent: Agent = factory(text, game, seed, kind.options(**given), **more)
    return agent


def entries() -> dict[str, Entry]:
    """Return all kinds of agents by name, those of the packages ``agents.<game>`` included."""
    _register_builtins()
    return dict(_ENTRIES)


def listing() -> str:
    """Return all agents with a sentence each, one a line, for the help of programs."""
    known = sorted(entries().values(), key=lambda entry: entry.name)
    width = max(len(entry.name) for entry in known)
    lines = [f"  {entry.name:<{width}}  {entry.doc}" for entry in known]
    return "\n".join(["agents (their parameters: python -m agents.registry):", *lines])


def parse(text: str) -> tuple[Entry, dict[str, Any]]:
    """Return the entry and all option values of an agent string; AgentError for an invalid one."""
    name, _, rest = text.partition(":")
    known = entries()
    if name not in known:
        if path := _IMPORT_PATH.fullmatch(text):
            return _import(path["module"], path["attribute"], path["options"] or "")
        raise AgentError(
            f"there is no agent {name!r}; there are {', '.join(sorted(known))}, and module:attribute for others"
        )
    entry = known[name]
    given = _read_options(name, rest, {one.name: one for one in entry.parameters})
    values = {one.name: one.default for one in entry.parameters} | given
    if values.get("seconds"):
        values |= {one.name: one.timed for one in entry.parameters if one.timed is not None and one.name not in given}
    return entry, values


def _read_options(name: str, text: str, parameters: Mapping[str, Parameter]) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for item in text.split(",") if text else []:
        key, equals, value = item.partition("=")
        if not equals or key not in parameters:
            takes = ", ".join(parameters) or "none"
            raise AgentError(f"agent {name!r}: {item!r} is no parameter of the form key=value; it takes {takes}")
        if key in values:
            raise AgentError(f"agent {name!r}: {key} is given twice")
        values[key] = parameters[key].read(name, value)
    return values


def _import(module: str, attribute: str, options: str) -> tuple[Entry, dict[str, Any]]:
    """Return the entry of an import path and the given option values; AgentError if there is no such agent."""
    path = f"{module}:{attribute}"
    try:
        factory: Any = import_module(module)
    except Exception as error:  # a module may raise anything while it is imported
        raise AgentError(f"agent {path!r}: {module} cannot be imported: {type(error).__name__}: {error}") from error
    for name in attribute.split("."):
        if not hasattr(factory, name):
            raise AgentError(f"agent {path!r}: {module} has no {attribute}")
        factory = getattr(factory, name)
    if not callable(factory):
        raise AgentError(f"agent {path!r}: it must be a class or function of (name, game, seed), not {factory!r}")
    try:
        signature = inspect.signature(factory)
    except ValueError as error:
        raise AgentError(f"agent {path!r}: {error}") from error
    parameters = {one.name: _parameter(one) for one in signature.parameters.values() if one.name not in _ARGUMENTS}
    values = _read_options(path, options, parameters)
    try:
        signature.bind(*_ARGUMENTS, **values)
    except TypeError as error:
        raise AgentError(f"agent {path!r}: it cannot be called with (name, game, seed) and {values}: {error}") from None

    def make_agent(text: str, game: Game, seed: int, values: Mapping[str, Any]) -> Agent:
        agent = factory(text, game, seed, **values)
        if not isinstance(agent, Agent):
            raise AgentError(f"agent {path!r}: it must make an agents.agent.Agent, not {agent!r}")
        return agent

    return Entry(path, inspect.getdoc(factory) or "", make_agent, tuple(parameters.values())), values


def _parameter(keyword: inspect.Parameter) -> Parameter:
    """Return a function's keyword as an option; its type is that of the default, else the annotation."""
    if type(keyword.default) in (int, float, str, bool):
        return Parameter(keyword.name, keyword.default, "")
    # Annotations may be strings.
    annotation = getattr(keyword.annotation, "__name__", keyword.annotation)
    kind = {"int": int, "float": float, "bool": bool}.get(annotation, str)
    return Parameter(keyword.name, kind(), "")


def make(text: str, game: Game, seed: int = 0) -> Agent:
    """Make the agent of an agent string such as ``"ismcts:simulations=800"``.

    Raises:
        AgentError: an unknown agent or option, a value out of bounds, or a file or device that cannot be used.
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
    if agent.made_by is None:
        agent.made_by, agent.options = make, values
    return agent


@dataclass(frozen=True)
class _Arguments:
    """The program has no options."""


def main(argv: Sequence[str] | None = None) -> int:
    """List all agents."""
    description = f"List all agents with their parameters and defaults.\n\n{listing()}"
    tyro.cli(_Arguments, args=argv, prog="python -m agents.registry", description=description)
    for entry in sorted(entries().values(), key=lambda entry: entry.name):
        plays = "" if entry.games is None else f"  [{', '.join(entry.games)}]"
        print(f"{entry.name}{plays}\n    {entry.doc}")
        for one in entry.parameters:
            bounds = f" ({', '.join(one.choices)})" if one.choices else ""
            print(f"    {one.name}={one.default}{bounds}: {one.doc}")
    return 0


if __name__ == "__main__":
    # The entries are in the imported module, not in this copy named __main__.
    from agents import registry

    raise SystemExit(registry.main())
