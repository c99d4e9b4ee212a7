# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # At the table: play and replay in a notebook
#
# Without a kernel these are pictures. Run the cell, and the table can be played at: outlined places of the board and the list beside it
# are clicked, or the list is gone through with keys. Player 1 is the published network; it answers in Python and sees what its seat
# sees, and what you cannot know does not leave Python.

# %%
from agents.web.notebook import Replay, Table
from porta_nigra_env import State

table = Table(State.new(num_players=2, seed=7), players={1: "network"}, seed=1)
table

# %% [markdown]
# What a click does can be done from here as well, and the table above shows it. `on_play` tells of every decision, whoever made it.


# %%
def tell(table, seat, action):
    print(f"player {seat}: {table.game.action_texts[action]}")


table.on_play(tell)
while len(table.actions) < 20:
    table.play(table.state.legal_actions()[0])
print("You may now:", table.state.legal_actions())

# %% [markdown]
# `table.state` is the position, for anything else that takes one: what a search would do here, for instance.

# %%
from agents.registry import make

view = table.state.view(0)
search = make("ismcts:simulations=500", table.game, seed=1)
print("a search would choose:", table.game.action_texts[search.act(view)])

# %% [markdown]
# A whole game to look at: the network against the builder, stepped through with the slider or the arrow keys, with everything or as
# one seat knew it. All of it happens in the browser, so it also works where the notebook was saved with its widgets and no kernel runs.

# %%
state, actions = State.new(num_players=2, seed=3), []
players = [make("network", state.game), make("builder", state.game, seed=1)]
while not state.is_over:
    actions.append(players[state.current_player].act(state.view(state.current_player)))
    state.apply_id(actions[-1])
Replay.of(state.game, 3, actions, at=len(actions) - 30, view=0)

# %% [markdown]
# Recorded games, such as the files of `tests/games/*/golden` or what the page saves, are texts: `Replay(text)`. Where one is in the game
# is `replay.at`, who looks `replay.view`, and both may be set.
