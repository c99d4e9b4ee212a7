"""A tree search with and without compiled rollouts.

The search is the example of docs/environments.md.  Its lines differ only in the rollout: single steps through `State`,
or `State.rollout`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, read
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.play import play_games

#: Simulations of a search, and rollouts from one state.
SIMULATIONS, GAMES = 200, 200


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    seconds: float = 2.0
    """For each line and run."""


@dataclass
class Node:
    """Statistics of a sequence of actions; value: sum of the returns of the player who chose the last one."""

    visits: int = 0
    value: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)

    def bound(self, action: int) -> float:
        """Return the UCB1 bound of an action; untried actions come first."""
        if (child := self.children.get(action)) is None:
            return math.inf
        return child.value / child.visits + math.sqrt(math.log(self.visits) / child.visits)


def search(view: View, simulations: int, rollout: Callable[[State, int], State] = State.rollout) -> int:
    """Return the id of the best action: UCT over states sampled from a view, a new one for each simulation."""
    root = Node()
    for number in range(simulations):
        state, node, path = State(view.game, view.sample(number)), root, [(root, view.player)]
        while not state.is_over and node.visits > 0:
            action = max(state.legal_ids().tolist(), key=node.bound)
            node = node.children.setdefault(action, Node())
            path.append((node, state.player))
            state.apply_id(action)
        returns = rollout(state, number).returns()
        for node, player in path:
            node.visits += 1
            node.value += returns[player]
    return max(root.children, key=lambda action: root.children[action].visits)


def step_by_step(state: State, seed: int) -> State:
    """Apply `State.rollout` in plain Python."""
    rng, end = random.Random(seed), state.clone()
    while not end.is_over:
        end.apply_id(rng.choice(end.legal_ids().tolist()))
    return end


def lines_of(game: Game) -> list[Line]:
    """Return the measured lines."""
    state = State(game, game.new_states(1))
    view, seeds = state.view(), np.arange(GAMES)

    def searched(rollout: Callable[[State, int], State]) -> Callable[[], int]:
        def simulations() -> int:
            search(view, SIMULATIONS, rollout)
            return SIMULATIONS

        return simulations

    def rolled(rollout: Callable[[State, int], State]) -> Callable[[], int]:
        return lambda: len([rollout(state, seed) for seed in range(GAMES)])

    def together() -> int:
        return len(play_games(game, [RANDOM] * game.num_players, seeds, starts=state.states).lengths)

    slow, alone = "search, step by step", "games step by step"
    return [
        Line(slow, searched(step_by_step), slow, "simulations"),
        Line("search, State.rollout", searched(State.rollout), slow, "simulations"),
        Line(alone, rolled(step_by_step), alone, "games"),
        Line("State.rollout", rolled(State.rollout), alone, "games"),
        Line("play_games from a state", together, alone, "games"),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    lines = lines_of(options.made())
    measure(lines, options.seconds, options.runs)
    print(f"{options.made()!r}\n\n{table(lines, 'x single')}")
    options.finish(lines=figures(lines))
    return 0
