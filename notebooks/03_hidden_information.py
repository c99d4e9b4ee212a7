# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Hidden information
#
# Hands and draw piles are hidden. An agent receives a view instead of the state. A view contains everything its player
# may know, and samples states that agree with it.

# %%
from IPython.display import SVG

from porta_nigra_env import State

state = State.new(num_players=3, seed=11)
for _ in range(30):
    state.apply(state.legal_actions()[0])
player = state.current_player
SVG(state.svg(view=player))

# %% [markdown]
# The same position as an agent receives it; other hands appear as a number of cards:

# %%
view = state.view(player)
position = view.position()
for seat, seen in enumerate(position["players"]):
    print("player", seat, "hand:", seen["hand"])

# %% [markdown]
# Determinizations that agree with the view: possible hands of the next player, and their frequency in 2,000 samples.

# %%
from collections import Counter

import matplotlib.pyplot as plt

other = (player + 1) % 3
held = Counter()
for seed in range(2000):
    world = view.game.position(view.sample(seed), 0)
    held.update(world["players"][other]["hand"])
names, counts = zip(*sorted(held.items()), strict=True)
figure, axes = plt.subplots(figsize=(8, 2.6), dpi=70, layout="constrained")
axes.bar(names, [count / 2000 for count in counts])
axes.set_ylabel("share of the worlds")
axes.tick_params(axis="x", rotation=60)
plt.show()
print("it really holds:", state.to_dict()["players"][other]["hand"])

# %% [markdown]
# A cheating agent would play differently if hidden cards were swapped. These agents cannot cheat: the view is identical
# bit for bit, and so is the action.

# %%
from agents.registry import make

agent = make("ismcts:simulations=200", state.game, seed=5)
moves = set()
for seed in range(5):
    twin = state.determinize(player, seed)
    assert (twin.view(player).observation == view.observation).all()
    moves.add(state.game.action_texts[agent.act(twin.view(player))])
print("five worlds, one answer:", moves)
