# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # The game and one turn
#
# In Porta Nigra, two to four builders in Roman Trier buy bricks of five colours and build on the spots of four
# buildings. They score with towers, majorities, sets and honour cards. One step of the environment is one micro-action,
# so the same player often acts several times in a row.

# %%
from porta_nigra_env import State

state = State.new(num_players=2, seed=7)
state

# %% [markdown]
# The same position as text:

# %%
print(state)

# %% [markdown]
# Legal actions are available as action strings, as ids and as a mask.

# %%
print("player", state.current_player, "may:", state.legal_actions())
mask = state.action_mask()
print(mask.sum(), "of", mask.size, "actions are legal")

# %% [markdown]
# A whole turn: place the builder, play an action card, spend its icons, end the turn.

# %%
player = state.current_player
while state.current_player == player and not state.is_over:
    action = state.legal_actions()[0]
    print(f"{action:<24} out of {len(state.legal_actions())}")
    state.apply(action)

# %% [markdown]
# Final points come from five sources. Here two `builder` agents play a game to its end.

# %%
import matplotlib.pyplot as plt

from agents.registry import make

state = State.new(num_players=2, seed=7)
builder = make("builder", state.game, seed=1)
while not state.is_over:
    state.apply_id(builder.act(state.view(state.current_player)))

scores = state.scores()
sources = {
    "marker": [one["vp"] for one in scores],
    "sets": [one["sets"] for one in scores],
    "final cards": [one["final_cards"] for one in scores],
    "play area": [one["play_area"] for one in scores],
    "majorities": [sum(sum(rows.values()) for rows in one["majorities"].values()) for one in scores],
}
figure, axes = plt.subplots(figsize=(7, 2.4), dpi=70, layout="constrained")
left = [0, 0]
for name, points in sources.items():
    axes.barh(["player 0", "player 1"], points, left=left, label=name)
    left = [before + gained for before, gained in zip(left, points, strict=True)]
axes.set_xlabel("points")
axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
plt.show()
print("totals:", [one["total"] for one in scores], "winners:", state.winners())
