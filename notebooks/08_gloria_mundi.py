# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Gloria Mundi: abilities as data, and a march on Rome
#
# Two to six Romans flee to Africa while the Goth marches on Rome. Base cards produce stones, building cards use them, and
# each purchased building moves its owner forward. Only the order of the deck is hidden.

# %%
from porta_nigra_env.gloria_mundi_v0 import State

state = State.new(num_players=3, seed=7)
state

# %% [markdown]
# As text:

# %%
print(state.board())

# %% [markdown]
# A player with a single legal action is not asked. A step continues to the next real choice, if necessary through several
# seats and turns. This cell counts the turns and steps of three random players, by phase:

# %%
import random
from collections import Counter

from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi

rng, asked = random.Random(7), Counter()
while not state.is_over:
    asked[state.to_dict()["phase"]] += 1
    state.apply(rng.choice(state.legal_actions()))
print(f"{state.to_dict()['turn']} turns, {sum(asked.values())} questions, and so it ended: {state.to_dict()['end']}")
print(asked.most_common())
print(state.scores())

# %% [markdown]
# The ability of a card is data in a small grammar of costs and gains. The component file defines the abilities; a
# different file changes them without a change of code.

# %%
for row in state.game.components.listings()["cards"][:12]:
    print(row)

# %% [markdown]
# If a player does not pay the tribute, the Goth moves and all players lose cards. The compiled `quaestor` policies play
# with two to six players. How far do the Romans get, and does the starting seat matter?

# %%
import matplotlib.pyplot as plt
import numpy as np

quaestor = GloriaMundi.policies()["quaestor"]
figure, (one, other) = plt.subplots(1, 2, figsize=(9, 2.8), dpi=70, layout="constrained")
for players in (2, 3, 4, 5, 6):
    played = play_games(GloriaMundi(players), [quaestor] * players, seeds=range(500))
    one.hist(played.totals.ravel(), bins=range(42), histtype="step", label=f"{players} players")
    shares = (played.places == 1) / (played.places == 1).sum(axis=1, keepdims=True)
    other.plot(range(players), shares.mean(axis=0) * players, marker="o")
one.set(xlabel="steps at the end", ylabel="seats")
one.legend()
other.set(xlabel="seat", ylabel="wins, 1 is an even share")
plt.show()

# %% [markdown]
# Players are ranked by steps from Rome, then by stones. How often do stones decide between random players, and how often
# is a win shared?

# %%
for players in (2, 4, 6):
    played = play_games(GloriaMundi(players), [RANDOM] * players, seeds=range(2000))
    first = played.places == 1
    most = played.totals == played.totals.max(axis=1, keepdims=True)
    by_stones = (most.sum(axis=1) > 1) & (first.sum(axis=1) == 1)
    print(f"{players} players: stones decide {by_stones.mean():.1%}, shared {np.mean(first.sum(axis=1) > 1):.1%}")
