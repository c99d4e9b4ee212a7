# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # State and batch as data frames
#
# A game is one record of 432 bytes, and a batch is an array of records. An observation is a vector of named fields. This
# is the first of a thousand games:

# %%
from porta_nigra_env import State, porta_nigra_v0

env = porta_nigra_v0.batch_env(1000, num_players=2)
step = env.reset(seed=7)
State(env.game, env.states[:1].copy())

# %% [markdown]
# The record behind this picture:

# %%
import numpy as np
import pandas as pd

dtype = env.states.dtype
fields = pd.DataFrame(
    [(name, str(dtype[name].base), dtype[name].shape, dtype.fields[name][1]) for name in dtype.names],
    columns=["field", "type", "shape", "offset"],
)
print(f"{dtype.itemsize} bytes")
fields.head(12)

# %% [markdown]
# The fields of the observation; raw quantities are divided by `scale`:

# %%
spans = pd.DataFrame(
    [(field.name, field.spec.shape, field.spec.scale, field.spec.doc) for field in env.game.observations],
    columns=["part", "shape", "scale", "what it is"],
)
spans.head(15)

# %% [markdown]
# One call steps all thousand games. Statistics of the games after the same number of steps:

# %%
env.reset(seed=7)
for _ in range(40):
    step = env.step(env.random_actions())
frame = pd.DataFrame(
    {
        "player to move": step.current_player,
        "legal actions": step.action_masks.sum(axis=1),
        "decisions so far": env.lengths,
        "round": env.states["round"],
    }
)
frame.describe().loc[["mean", "min", "50%", "max"]].round(1)

# %% [markdown]
# The distributions of game length and of the number of legal actions:

# %%
import matplotlib.pyplot as plt

rng = np.random.default_rng(3)
lengths, choices = [], []
env.reset(seed=100)
for _ in range(400):
    choices.append(env.action_masks.sum(axis=1).copy())
    step = env.step(env.random_actions(rng))
    lengths.extend(env.last_lengths[step.terminated].tolist())
figure, (one, other) = plt.subplots(1, 2, figsize=(8, 2.6), dpi=70, layout="constrained")
one.hist(lengths, bins=40)
one.set(xlabel="decisions in a game of random players", ylabel="games")
other.hist(np.concatenate(choices), bins=np.arange(1, 60))
other.set(xlabel="legal actions", ylabel="decisions", yscale="log")
plt.show()
print(f"{len(lengths)} games; {np.mean(np.concatenate(choices) == 1):.0%} of the decisions leave no choice")
