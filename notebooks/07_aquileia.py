# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Aquileia: one round
#
# Three to five patricians place followers in a Roman town. The occupied spaces then act in a fixed order: coins, horses,
# slaves, a fight, a race, an auction, buildings, the harbour.

# %%
from porta_nigra_env.aquileia_v0 import State

state = State.new(num_players=3, seed=7)
state

# %% [markdown]
# As text, from the view of the current player:

# %%
print(state.view(state.current_player).board())

# %% [markdown]
# Players place one follower or the crest per step, clockwise. Afterwards the environment asks only for real choices. Dice,
# cards and payments are resolved within the preceding step.

# %%
import random

rng = random.Random(7)
while state.to_dict()["round"] == 1:
    position, choices = state.to_dict(), state.legal_actions()
    action = rng.choice([choice for choice in choices if choice != "pass"] or choices)
    if position["phase"] != "place":
        print(f"{position['phase']:<14} player {position['current_player']}: {action:<24} out of {len(choices)}")
    state.apply(action)

# %% [markdown]
# Dice add luck. In this fight player 0 has strength 3 and player 1 has strength 4, red dice included. Player 0 may roll up
# to four blue dice. How often does player 0 win, depending on the number of dice? Each number is played with 300 seeds.

# %%
import matplotlib.pyplot as plt

fight = State.new(num_players=3, seed=1).to_dict()
fight.update(
    phase="arena_dice",
    current_player=0,
    starting_player=0,
    spaces={"arena_1": 1, "arena_2": 1, "arena_3": 0},
    advantage=[1],
    blue_dice={"owner": 0, "left": 4},
    contest={"strength": {"0": 3, "1": 4}, "last": None},
    rng=None,
)


def first(dice, seed) -> bool:
    """Return True if player 0 wins the first prize with this number of dice."""
    before = State.from_dict(fight, seed=seed).apply(f"dice {dice}")
    return before.current_player == 0


shares = [sum(first(dice, seed) for seed in range(300)) / 300 for dice in range(5)]
figure, axes = plt.subplots(figsize=(6, 2.6), dpi=70, layout="constrained")
axes.bar(range(5), shares)
axes.set(xlabel="blue dice rolled", ylabel="share of first places")
plt.show()
print("3 against 4, and ties go to the other's crest:", [f"{share:.2f}" for share in shares])

# %% [markdown]
# A race hands out at most two stadium cards, and players outside the race do not see which. The output shows the first
# races of a game, the same races in the view of player 2, and the cards that player 2 must expect:

# %%
from collections import Counter

past = State.new(num_players=3, seed=3)
while len(past.to_dict()["stadium"]["past"]) < 3:
    past.apply(rng.choice(past.legal_actions()))
for race in past.to_dict()["stadium"]["past"]:
    print("what happened:    ", race)
for race in past.to_dict(view=2)["stadium"]["past"]:
    print("what player 2 sees:", race)
drawn = Counter(past.determinize(2, seed).to_dict()["stadium"]["past"][0]["drawn"] for seed in range(500))
print("drawn in round 1, in 500 worlds she cannot tell apart:", drawn.most_common())

# %% [markdown]
# Many games at once: the lengths of random games and the points of random players.

# %%
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games.aquileia.game import Aquileia

lengths, totals = {}, {}
for players in (3, 4, 5):
    points, places, decisions = play_games(Aquileia(players), [RANDOM] * players, seeds=range(2000))
    lengths[players], totals[players] = decisions, points
figure, (one, other) = plt.subplots(1, 2, figsize=(8, 2.6), dpi=70, layout="constrained")
for players in lengths:
    one.hist(lengths[players], bins=30, alpha=0.6, label=f"{players} players")
    other.hist(totals[players].ravel(), bins=30, alpha=0.6)
one.set(xlabel="decisions", ylabel="games")
other.set(xlabel="points of a random player")
one.legend()
plt.show()
