# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A first training run
#
# Self-play for 1.5 million steps takes less than a minute on two cores. The same run on the command line:
# `python -m training.ppo --total-timesteps 1500000 --evaluate random greedy --evaluations 4 --deals 100 --out runs/notebook`.
# Training starts from a random policy. The end of a game between random players:

# %%
from porta_nigra_env import State

State.new(num_players=2, seed=3).rollout(seed=1)

# %% [markdown]
# The training run:

# %%
import tempfile
from pathlib import Path

from training import ppo

folder = Path(tempfile.mkdtemp()) / "first"
options = ppo.Options(total_timesteps=1_500_000, out=folder, evaluate=("random", "greedy"), evaluations=4, deals=100)
training, run = ppo.prepare(options)
training.run(run)
run.close()

# %% [markdown]
# Every iteration writes one line of metrics; `training/README.md` explains them.

# %%
import pandas as pd

metrics = pd.read_json(folder / "metrics.jsonl", lines=True)
metrics[["steps", "entropy", "kl", "clipped", "explained_variance", "winner_score", "steps_per_second"]].round(3)

# %%
evaluations = pd.read_json(folder / "evaluations.jsonl", lines=True)
pd.DataFrame(
    [{"steps": row.steps, **{name: share[0] for name, share in row.shares.items()}} for row in evaluations.itertuples()]
).round(3)

# %%
from IPython.display import Image

Image(data=(folder / "curve.png").read_bytes(), width=600)

# %% [markdown]
# The trained network is an agent like any other:

# %%
from agents.registry import make

state = State.new(num_players=2, seed=3)
players = [make(f"network:checkpoint={folder / 'network.safetensors'}", state.game), make("greedy", state.game)]
while not state.is_over:
    state.apply_id(players[state.current_player].act(state.view(state.current_player)))
print("network", state.scores()[0]["total"], "greedy", state.scores()[1]["total"])
