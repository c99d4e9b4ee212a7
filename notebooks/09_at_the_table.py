# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Play and replay in a notebook
#
# Without a running kernel, this notebook shows pictures. Run the cell to play: click the outlined areas of the board or
# use the list next to it, by mouse or keyboard. Player 1 is the published network. It runs in Python and receives only the
# view of its seat. Information hidden from you does not leave Python.

# %%
from agents.web.notebook import Replay, Table
from porta_nigra_env import State

table = Table(State.new(num_players=2, seed=7), players={1: "network"}, seed=1)
table

# %% [markdown]
# Code can play as well as clicks, and the table above shows the result. `on_play` registers a callback for every step of
# every player.


# %%
def tell(table, seat, action) -> None:
    print(f"player {seat}: {table.game.action_texts[action]}")


table.on_play(tell)
while len(table.actions) < 20:
    table.play(table.state.legal_actions()[0])
print("You may now:", table.state.legal_actions())

# %% [markdown]
# `table.state` is the current state. Any agent can use it, for example a search:

# %%
from agents.registry import make

view = table.state.view(0)
search = make("ismcts:simulations=500", table.game, seed=1)
print("a search would choose:", table.game.action_texts[search.act(view)])

# %% [markdown]
# A whole game of the network against the builder. Step through it with the slider or the arrow keys, with all cards or in
# the view of one seat. Everything runs in the browser, so it also works without a kernel if the widgets were saved.

# %%
state, actions = State.new(num_players=2, seed=3), []
players = [make("network", state.game), make("builder", state.game, seed=1)]
while not state.is_over:
    actions.append(players[state.current_player].act(state.view(state.current_player)))
    state.apply_id(actions[-1])
Replay.of(state.game, 3, actions, at=len(actions) - 30, view=0)

# %% [markdown]
# Recorded games are text: `Replay(text)` opens files of `tests/games/*/golden` and files that the web page saves.
# `replay.at` is the current step and `replay.view` is the viewing seat; both can be set.
