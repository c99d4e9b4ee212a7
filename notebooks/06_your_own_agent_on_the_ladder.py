# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Your own agent on the ladder
#
# An agent is a function of its view and its seed. This is the view at the first step of a game, with the legal actions
# outlined:

# %%
from IPython.display import SVG

from porta_nigra_env import State

state = State.new(num_players=2, seed=7)
SVG(state.svg(view=state.current_player, legal=True))

# %% [markdown]
# This agent builds or buys if possible, and otherwise takes the first legal action.

# %%
from agents.agent import Agent
from agents.registry import Entry, register


class Eager(Agent):
    """Build if possible, else buy, else take the first legal action."""

    def act(self, view) -> int:
        texts = {self.game.action_texts[i]: int(i) for i in view.legal_ids()}
        for verb in ("build", "buy"):
            for text, action in texts.items():
                if text.startswith(verb):
                    return action
        return next(iter(texts.values()))


register(Entry("eager", "Builds if it can.", lambda text, game, seed, values: Eager(text, game, seed)))

# %% [markdown]
# In a tournament of duplicate deals, every pair plays the same deals from both seats. Confidence intervals count each
# deal once.

# %%
import tempfile
from pathlib import Path

from agents.tournament import arena_of, run, write_report

folder = Path(tempfile.mkdtemp())
agents = ("random", "eager", "greedy", "builder", "network")
results = run(arena_of(agents, 1), [2], 100, folder, jobs=1, progress=False)
report = write_report(folder, results)
print(report.terminal())

# %% [markdown]
# A compiled policy plays inside the batch and is many times faster than Python. It is a numba function that receives the
# set of legal actions and returns one of them.

# %%
import time

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.policy import RANDOM, Policy, jit
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import DEFAULT_GAME, make_game


@jit
def last_action(constants, states, row, player, words, parameters, policy_rng) -> int:
    """Return the legal action with the largest id."""
    return bits.select(words, bits.count(words) - 1)


game = make_game(DEFAULT_GAME, 2)
mine = Policy("last", last_action, reads_state=False)
play_games(game, [mine, RANDOM], range(10))
begun = time.perf_counter()
played = play_games(game, [mine, RANDOM], range(2000))
seconds = time.perf_counter() - begun
print(f"{played.lengths.sum() / seconds / 1e6:.1f} M decisions a second")
print(f"it wins {np.mean(played.places[:, 0] < played.places[:, 1]):.0%} of its games against random players")
