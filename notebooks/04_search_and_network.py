# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Compare a search and a network
#
# Three agents play the same position: IS-MCTS, a trained network, and a search guided by that network.

# %%
from IPython.display import SVG

from agents.registry import make
from porta_nigra_env import State

state = State.new(num_players=2, seed=21)
game = state.game
network = make("network", game)
while len(state.legal_ids()) < 12 or state.view(state.current_player).state["round"][0] < 1:
    state.apply_id(network.act(state.view(state.current_player)))
view = state.view(state.current_player)
SVG(state.svg(view=view.player, legal=True))

# %% [markdown]
# The action probabilities of each agent, sorted by those of the network:

# %%
import numpy as np
import pandas as pd

searcher = make("ismcts:simulations=2000,rollout=builder,rounds=0,widening=0.7", game, seed=1)
guided = make("guided:simulations=200", game, seed=1)
frame = pd.DataFrame(
    {"network": network.policy(view), "guided search": guided.policy(view), "IS-MCTS": searcher.policy(view)},
    index=game.action_texts,
)
frame = frame[view.action_mask != 0]
frame.sort_values("network", ascending=False).head(10).round(3)

# %% [markdown]
# The network's value estimate over a whole game against the builder. It predicts the result of seat 0, from -1 (lost) to 1
# (won); the second curve shows the current difference in points.

# %%
import matplotlib.pyplot as plt

state = State.new(num_players=2, seed=4)
builder = make("builder", game, seed=1)
expected, ahead = [], []
while not state.is_over:
    player = state.current_player
    view = state.view(player)
    expected.append(network.value(view)[0])
    totals = [one["total"] for one in state.scores()]
    ahead.append(totals[0] - totals[1])
    state.apply_id((network if player == 0 else builder).act(view))
figure, axes = plt.subplots(figsize=(8, 2.8), dpi=70, layout="constrained")
axes.plot(expected, color="tab:blue")
axes.set(xlabel="decision", ylim=(-1.3, 1.3))
axes.set_ylabel("expected result of seat 0", color="tab:blue")
twin = axes.twinx()
twin.plot(ahead, color="tab:orange", alpha=0.7)
twin.set_ylabel("points ahead", color="tab:orange")
plt.show()
print("network", state.scores()[0]["total"], "builder", state.scores()[1]["total"])
assert np.isfinite(expected).all()
