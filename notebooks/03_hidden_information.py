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
# Hands and draw piles are hidden. An agent never gets the state, but a view: what its player may know, and a sampler of
# states that agree with it.

# %%
from IPython.display import SVG

from porta_nigra_env import State

state = State.new(num_players=3, seed=11)
for _ in range(30):
    state.apply(state.legal_actions()[0])
player = state.current_player
SVG(state.svg(view=player))

# %% [markdown]
# The same as an agent gets it: of the other hands only how many cards there are.

# %%
view = state.view(player)
position = view.position()
for seat, seen in enumerate(position["players"]):
    print("player", seat, "hand:", seen["hand"])

# %% [markdown]
# Worlds that agree with the view: what the next player may hold, and how often in 2,000 drawn worlds.

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
# An agent that cheated would play differently when hidden cards are swapped. Ours cannot: the view is the same to the last
# bit, so the answer is.

# %%
from agents.registry import make

agent = make("ismcts:simulations=200", state.game, seed=5)
moves = set()
for seed in range(5):
    twin = state.determinize(player, seed)
    assert (twin.view(player).observation == view.observation).all()
    moves.add(state.game.action_texts[agent.act(twin.view(player))])
print("five worlds, one answer:", moves)
