# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Information-set search in twenty lines
#
# Monte Carlo tree search needs states, but a player knows a view only. Information-set MCTS (Cowling, Powley and
# Whitehouse, 2012) samples a state that agrees with the view for each simulation. All simulations share one tree.

# %%
from IPython.display import SVG

from porta_nigra_env import State

state = State.new(num_players=2, seed=3)
for _ in range(40):
    state.apply(state.legal_actions()[0])
SVG(state.svg(view=state.current_player))

# %% [markdown]
# A node is the tuple of actions since the root. Of each child the search keeps three numbers: visits, simulations in
# which the action was legal, and the sum of returns of the player who chose it. UCB1 compares a child with those
# simulations only in which it could have been chosen. Returns are in -1..1, so the constant is twice that for 0..1.

# %%
from collections import defaultdict
from math import log, sqrt

from porta_nigra_env.core.game.view import View


def search(view: View, simulations: int, exploration: float = 1.4) -> dict[str, int]:
    """Return the number of visits of each legal action."""
    tree: dict = defaultdict(lambda: defaultdict(lambda: [0, 0, 0.0]))
    for seed in range(simulations):
        world, node, path, is_new = State(view.game, view.sample(seed)), (), [], False
        while not (world.is_over or is_new):
            children, legal = tree[node], world.legal_actions()
            for action in legal:
                children[action][1] += 1

            def ucb(action: str, children: dict = children) -> float:
                visits, available, total = children[action]
                return total / visits + exploration * sqrt(log(available) / visits) if visits else float("inf")

            action = max(legal, key=ucb)
            is_new = children[action][0] == 0
            path.append((children[action], world.current_player))
            world.apply(action)
            node = (*node, action)
        returns = world.rollout(seed).returns()
        for child, player in path:
            child[0] += 1
            child[2] += returns[player]
    return {action: child[0] for action, child in tree[()].items()}


for action, visits in sorted(search(state.view(), 2000).items(), key=lambda item: -item[1]):
    print(f"{visits:5} {action}")

# %% [markdown]
# Ten games against a player who chooses at random, from both seats of each deal:

# %%
import random


def play(deal: int, seat: int) -> bool:
    """Return whether the search wins from this seat."""
    game, chance = State.new(num_players=2, seed=deal), random.Random(deal)
    while not game.is_over:
        actions = game.legal_actions()
        if game.current_player == seat and len(actions) > 1:
            visits = search(game.view(), 25)
            game.apply(max(visits, key=visits.__getitem__))
        else:
            game.apply(chance.choice(actions))
    return seat in game.winners()


print(sum(play(deal, seat) for deal in range(5) for seat in (0, 1)), "of 10 games won")

# %% [markdown]
# The agent `ismcts` is this search in one compiled loop, with progressive widening and rollouts of any scripted player.
# It is many times as fast; `python -m benchmarks search` measures it on an idle machine.

# %%
import time

from agents.registry import make

agent = make("ismcts:simulations=20000", state.game)
agent.act(state.view())
start = time.perf_counter()
print(state.action_text(agent.act(state.view())))
compiled = 20_000 / (time.perf_counter() - start)
start = time.perf_counter()
search(state.view(), 1000)
print(f"{compiled / (1000 / (time.perf_counter() - start)):.0f} times the simulations per second")
