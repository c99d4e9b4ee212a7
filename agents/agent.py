"""The interface of agents: an agent is a function of its view and its seed.

An agent never holds a true state.  It gets a `View` (one step of one game) or a `BatchView` (steps of several games).
Its choice depends only on that view and on its seed, in any order and process.  Games with agents can therefore be
replayed, spread over processes and resumed.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import decision_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.compile.source_digest import source_digest
from porta_nigra_env.core.game.game import Game, check_seed
from porta_nigra_env.core.game.view import BatchView, View

#: Modules of `agents` that decide no action: the option values have their own place in fingerprints.
_NO_SOURCES: Final = ("agents.options", "agents.registry", "agents.builtin", "agents.arena")


class Agent(ABC):
    """A player of one game.

    Subclasses define `act`, and `act_batch` where a batch is cheaper than single calls.

    Args:
        name: the agent string it was made from (`agents.registry.make`); reports show it.
        game: the game it plays.
        seed: in 0..2**63-1.

    Attributes:
        compiled: the compiled policy that plays the same way inside `BatchEnv` and `play_games`, or None.
        made_by: the function that makes an equal agent from name, game and seed (`agents.registry.make`), for
            pickling; None for agents made by hand.
        options: the values of all options (`agents.registry.make`).
        history: number of events that its views need (`core.narration.history`).
        batched: True if one agent answers for many games through `act_seeded`.  Tournaments play these side by side.
    """

    compiled: Policy | None = None
    batched: bool = False
    history: int = 0
    made_by: Callable[[str, Game, int], Agent] | None = None
    options: Mapping[str, Any] = MappingProxyType({})

    def __init__(self, name: str, game: Game, seed: int = 0) -> None:
        self.name = name
        self.game = game
        self.seed = check_seed(seed)

    @property
    def fingerprint(self) -> str:
        """Hex digest of options, sources and `knowledge`, equal on every machine.

        It tells apart agents of the same string that play differently.  That of a compiled agent is its policy's.
        """
        if self.compiled is not None:
            return policy_digest(self.compiled)
        # A file is known by its contents, wherever it lies.
        options = {name: value for name, value in self.options.items() if name not in ("checkpoint", "device")}
        parts = sources_digest(type(self)), json.dumps(options, sort_keys=True), self.knowledge()
        return hashlib.sha256(" ".join(parts).encode()).hexdigest()

    def knowledge(self) -> str:
        """Return a digest of data beyond sources and options that decide its play, such as weights."""
        return ""

    @abstractmethod
    def act(self, view: View) -> int:
        """Return the id of a legal action; `view` is that of the player to move."""

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Return ids of legal actions, int64 (k,), one for each view."""
        return np.array([self.act(view) for view in views], dtype=np.int64)

    def act_seeded(self, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the ids, int64 (k,), that `act` returns for agents like this one with these seeds, int64 (k,).

        An answer must not depend on the other rows.  The default ignores the seeds and calls `act_batch`.
        """
        return self.act_batch(views)

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Return action probabilities, float32 (num_actions,), zero where illegal; by default 1 for `act`'s choice."""
        probabilities = np.zeros(self.game.actions.size, dtype=np.float32)
        probabilities[self.act(view)] = 1.0
        return probabilities

    def drawn(self, view: View) -> npt.NDArray[np.float32] | None:
        """Return the probabilities, float32 (num_actions,), with which `act` draws its choice from the seed.

        None, the default, if the choice does not depend on the seed, or the probabilities are not known.
        """
        return None

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """Return `policy` and the expected result of every seat in -1..1, float64 (players,), or None."""
        return self.policy(view), None

    def decision_seed(self, view: View, seed: int | None = None) -> int:
        """Return a seed for this step: a function of the view and of `seed`, by default the agent's."""
        return int(decision_seed(view.state.view(np.uint8), self.seed if seed is None else seed))

    def account(self) -> str:
        """Return lines about the cost of its play, for the end of a program; "" by default."""
        return ""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.made_by is None:
            raise TypeError(f"{self!r} was not made by agents.registry.make, and cannot be pickled")
        return self.made_by, (self.name, self.game, self.seed)

    def __repr__(self) -> str:
        return f"<agent {self.name}, seed {self.seed}>"


def policy_digest(policy: Policy) -> str:
    """Return the hex SHA-256 of a policy's parameters and of its sources' behaviour, independent of their location."""
    digest = hashlib.sha256(policy.parameters.astype("<f8").tobytes())
    for path in policy.sources:
        files = path.rglob("*.py") if path.is_dir() else [path]
        for behaviour in sorted(source_digest(file.read_text(encoding="utf-8")) for file in files):
            digest.update(behaviour.encode())
    return digest.hexdigest()


def sources_digest(kind: type) -> str:
    """Return the hex SHA-256 of the behaviour of a class's modules, and of the modules that they import.

    Those are modules of `agents` and of the class's top-level package; other packages have versions.
    """
    return modules_digest(tuple(base.__module__ for base in kind.__mro__))


@cache
def modules_digest(modules: tuple[str, ...]) -> str:
    """Apply `sources_digest` to the modules of a class and its bases, its own first."""
    waiting = list(modules)
    roots, texts = {"agents", modules[0].partition(".")[0]}, dict[str, str]()
    while waiting:
        name = waiting.pop()
        if name in texts or name.partition(".")[0] not in roots or name.startswith(_NO_SOURCES):
            continue
        file = _source_file(name)
        texts[name] = "" if file is None else file.read_text(encoding="utf-8")
        waiting += _imported(texts[name], name if file and file.stem == "__init__" else name.rpartition(".")[0])
    digests = sorted(source_digest(text) for text in texts.values() if text)
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _source_file(module: str) -> Path | None:
    """Return the Python file of a module; None if there is none, or no module of that name."""
    try:
        loaded = sys.modules.get(module)
        spec = None if loaded is not None else find_spec(module)
    except (ImportError, ValueError):
        return None
    file = Path(getattr(loaded, "__file__", None) or (spec and spec.origin) or "")
    return file if file.suffix == ".py" and file.is_file() else None


def _imported(text: str, package: str) -> Iterator[str]:
    """Yield the modules that a source in a package may import."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = resolve_name("." * node.level + (node.module or ""), package) if node.level else node.module or ""
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))
