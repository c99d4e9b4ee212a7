"""Agents of every game: random, the compiled players of its room, the searches, networks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from agents.agent import Agent
from agents.registry import AgentError, Entry, Parameter, make, register
from agents.scripted import ScriptedAgent
from agents.search.keys import OBSERVERS
from agents.search.searcher import UTILITIES, make_search
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import GAMES, game_class

#: Simulations of a decision, at most, also where it is the time that counts.
MOST_SIMULATIONS: Final = 1 << 22


register(
    Entry(
        "random",
        "Uniformly random over the legal actions.",
        lambda text, game, seed, parameters: ScriptedAgent(text, game, RANDOM, seed),
    )
)


def _of_a_room(text: str, game: Game, seed: int, _: Mapping[str, Any]) -> Agent:
    return ScriptedAgent(text, game, game.policies()[text], seed)


def _register_games() -> None:
    """The compiled players of all rooms; one name may stand for different ones in different games."""
    known: dict[str, dict[str, str]] = {}
    for name in GAMES:
        for policy in game_class(name).policies().values():
            known.setdefault(policy.name, {})[name] = policy.doc
    for name, docs in known.items():
        register(Entry(name, " ".join(dict.fromkeys(docs.values())), _of_a_room, games=tuple(docs)))


_register_games()


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
_OBSERVERS: Final = Parameter(
    "observers",
    "single",
    "who tells nodes apart: the searcher by her sight, or whoever moves",
    choices=tuple(OBSERVERS),
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
            _OBSERVERS,
            Parameter("reuse", False, "keep the tree between decisions"),
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
        from agents.networks.mirror import make_mirror_agent
        from agents.networks.neural import make_network_agent
    except ImportError as error:
        raise AgentError(f"agent {text!r}: networks need torch; pip install --group train ({error})") from error
    return (make_mirror_agent if "worlds" in values else make_network_agent)(text, game, seed, values)


def _make_seeing(text: str, game: Game, seed: int, values: Mapping[str, Any]) -> Agent:
    try:
        from agents.networks.open_hand import make_seeing_agent
    except ImportError as error:
        raise AgentError(f"agent {text!r}: networks need torch; pip install --group train ({error})") from error
    return make_seeing_agent(text, game, seed, values)


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
    Parameter(
        "prior_temperature", 1.0, "divides the network's logits where they tell what to try", low=0.05, high=100.0
    ),
    Parameter("root", "gumbel", "how the root's actions are tried", choices=("gumbel", "puct")),
    Parameter("threads", 1, "that share out games which are searched together", low=1, high=64),
    _OBSERVERS,
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
_MIRROR: Final = (
    *_NETWORK,
    Parameter(
        "worlds", 128, "in which an action is tried, at most; with seconds only where it is given",
        low=1, high=MOST_SIMULATIONS, timed=MOST_SIMULATIONS,
    ),
    Parameter("seconds", 0.0, "at most so many seconds a decision; 0: no limit", low=0, high=86_400),
    Parameter("candidates", 8, "actions that are tried, the likeliest", low=2, high=1 << 10),
    Parameter("plies", 8, "decisions that the network plays on for, of all seats", low=0, high=1 << 10),
    Parameter(
        "deepest", 64, "with seconds: where time is left it begins anew with twice the plies, up to so many",
        low=0, high=1 << 10,
    ),
    Parameter("rows", 256, "games that are played on at once", low=2, high=1 << 16),
    Parameter("step", 100.0, "what a difference of results counts against log-probabilities", low=0, high=1e4),
    Parameter("magnet", 0.0, "how strongly probabilities are drawn towards equal ones", low=0, high=1e3),
)  # fmt: skip
register(
    Entry(
        "mirror",
        "A trained network that plays on in many worlds and moves its probabilities towards what did well; no tree.",
        _make_network,
        _MIRROR,
    )
)
register(
    Entry(
        "seeing-mirror",
        "A mirror that is shown ALL HANDS but not the order of the piles, only for measurements.",
        _make_seeing,
        _MIRROR,
    )
)
