"""The built-in agents, in one table; `agents.registry` imports their modules when it makes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from agents.options import (
    FlatOptions,
    GuidedOptions,
    IsMctsOptions,
    LlmOptions,
    MirrorOptions,
    NoOptions,
    PimcOptions,
    PolicyOptions,
)
from porta_nigra_env.games import GAMES, game_class


class Builtin(NamedTuple):
    """An agent.

    doc: one sentence; options: their dataclass; factory: ``module:function``, called with agent string, game, seed and
    options, and with the compiled policy of their `rollout`, if they have one; games: names, None for all.
    """

    name: str
    doc: str
    options: type[Any]
    factory: str
    games: tuple[str, ...] | None = None


_SEARCH: Final = "agents.search.searcher:make_search"
_SCRIPTED: Final = "agents.scripted:make_scripted"
#: The agents that play any game.
GENERAL: Final = (
    Builtin("random", "Uniformly random over the legal actions.", NoOptions, _SCRIPTED),
    Builtin(
        "ismcts",
        "Information-set Monte Carlo tree search: a new determinization for each simulation.",
        IsMctsOptions,
        _SEARCH,
    ),
    Builtin(
        "pimc",
        "Perfect-information Monte Carlo: a tree for each of several determinizations, votes added up.",
        PimcOptions,
        _SEARCH,
    ),
    Builtin(
        "flat", "Flat Monte Carlo: rollouts after each action, the promising ones more often.", FlatOptions, _SEARCH
    ),
    Builtin(
        "network",
        "A trained network: plays its most probable action.",
        PolicyOptions,
        "agents.networks.neural:make_network_agent",
    ),
    Builtin(
        "guided",
        "Information-set search guided by a trained network: its probabilities are priors, its values evaluate leaves.",
        GuidedOptions,
        "agents.networks.neural:make_guided_agent",
    ),
    Builtin(
        "mirror",
        "Mirror-descent search without a tree: a trained network plays rollouts in many determinizations.",
        MirrorOptions,
        "agents.networks.neural:make_mirror_agent",
    ),
    Builtin(
        "llm",
        "A language model behind an OpenAI-compatible endpoint: reads the view, answers with an action.",
        LlmOptions,
        "agents.llm.player:make_llm",
    ),
)


def builtins() -> Iterator[Builtin]:
    """Yield the general agents and the compiled players of all games; a name may stand for one player in each game."""
    yield from GENERAL
    docs: dict[str, dict[str, str]] = {}
    for game in GAMES:
        for policy in game_class(game).policies().values():
            docs.setdefault(policy.name, {})[game] = policy.doc
    for name, by_game in docs.items():
        texts = by_game.values() if len(by_game) == 1 else (f"{game}: {text}" for game, text in by_game.items())
        yield Builtin(name, " ".join(texts), NoOptions, _SCRIPTED, tuple(by_game))
