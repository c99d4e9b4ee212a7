"""Registration of the agents of every game: compiled players, tree searches, networks and their searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from agents.agent import Agent
from agents.options import (
    AgentError,
    FlatOptions,
    GuidedOptions,
    IsMctsOptions,
    MirrorOptions,
    NoOptions,
    PimcOptions,
    PolicyOptions,
    TreeOptions,
    parameters_of,
)
from agents.registry import Entry, make, register
from agents.scripted import ScriptedAgent
from agents.search.searcher import SearchAgent, make_search
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.extras import install
from porta_nigra_env.games import GAMES, game_class

Options = TypeVar("Options")
Searching = TypeVar("Searching", bound=FlatOptions)
#: Makes an agent from its agent string, game, seed and options.
Factory = Callable[[str, Game, int, Options], Agent]


def _register(
    name: str, doc: str, options: type[Options], factory: Factory[Options], games: tuple[str, ...] | None = None
) -> None:
    """Register a factory with the dataclass of its options."""
    parameters = parameters_of(options)
    register(
        Entry(name, doc, lambda text, game, seed, given: factory(text, game, seed, options(**given)), parameters, games)
    )


def _register_compiled() -> None:
    """Register the compiled players of all games; a name may stand for different ones in different games."""
    docs: dict[str, dict[str, str]] = {}
    for game_name in GAMES:
        for policy in game_class(game_name).policies().values():
            docs.setdefault(policy.name, {})[game_name] = policy.doc

    def factory(text: str, game: Game, seed: int, _: NoOptions) -> ScriptedAgent:
        return ScriptedAgent(text, game, game.policies()[text], seed)

    for name, by_game in docs.items():
        _register(name, " ".join(dict.fromkeys(by_game.values())), NoOptions, factory, tuple(by_game))


def _register_search(name: str, doc: str, options: type[Searching]) -> None:
    def factory(text: str, game: Game, seed: int, given: Searching) -> SearchAgent:
        rollout = make(given.rollout, game).compiled
        if rollout is None:
            raise AgentError(f"agent {text!r}: rollout must name a compiled policy, which {given.rollout!r} is not")
        return make_search(name, text, game, seed, given, rollout)

    _register(name, doc, options, factory)


@contextmanager
def _needs_torch(text: str) -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise AgentError(f"agent {text!r}: networks need torch: {install('train')} ({error})") from error


def _network(text: str, game: Game, seed: int, options: PolicyOptions) -> Agent:
    with _needs_torch(text):
        from agents.networks.neural import make_network_agent
    return make_network_agent(text, game, seed, options)


def _guided(text: str, game: Game, seed: int, options: GuidedOptions) -> Agent:
    with _needs_torch(text):
        from agents.networks.neural import make_guided_agent
    return make_guided_agent(text, game, seed, options)


def _mirror(text: str, game: Game, seed: int, options: MirrorOptions) -> Agent:
    with _needs_torch(text):
        from agents.networks.mirror import make_mirror_agent
    return make_mirror_agent(text, game, seed, options)


def _open_hand(text: str, game: Game, seed: int, options: MirrorOptions) -> Agent:
    with _needs_torch(text):
        from agents.networks.open_hand import make_open_hand_agent
    return make_open_hand_agent(text, game, seed, options)


_register(
    "random",
    "Uniformly random over the legal actions.",
    NoOptions,
    lambda text, game, seed, _: ScriptedAgent(text, game, RANDOM, seed),
)
_register_compiled()
_register_search(
    "ismcts", "Information-set Monte Carlo tree search: a new determinization for each simulation.", IsMctsOptions
)
_register_search(
    "pimc", "Perfect-information Monte Carlo: a tree for each of several determinizations, votes added up.", PimcOptions
)
_register_search("flat", "Flat Monte Carlo: rollouts after each action, the promising ones more often.", FlatOptions)
_register_search(
    "cheating-mcts", "Searches the TRUE state: sees all cards and the future, only for measurements.", TreeOptions
)
_register("network", "A trained network: plays its most probable action.", PolicyOptions, _network)
_register(
    "guided",
    "Information-set search guided by a trained network: its probabilities are priors, its values evaluate leaves.",
    GuidedOptions,
    _guided,
)
_register(
    "mirror",
    "Mirror-descent search without a tree: a trained network plays rollouts in many determinizations.",
    MirrorOptions,
    _mirror,
)
_register(
    "seeing-mirror",
    "Open-hand search: a mirror-descent search that sees ALL HANDS but not the order of the piles, for measurements.",
    MirrorOptions,
    _open_hand,
)
