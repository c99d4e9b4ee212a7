# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Components of your own
#
# All numbers of a game stand in a component file. A changed file needs no change of code, and kernels do not compile
# again.

# %%
from IPython.display import SVG

from porta_nigra_env import State

SVG(State.new(num_players=2, seed=5).svg(view=0))

# %% [markdown]
# A copy of the packaged file, in which players start with 30 sesterces instead of 20:

# %%
import tempfile
from importlib.resources import files
from pathlib import Path

folder = Path(tempfile.mkdtemp())
text = files("porta_nigra_env.games.porta_nigra.components").joinpath("standard.toml").read_text()
rich = text.replace('name = "standard"', 'name = "rich"').replace("start_sesterces = 20", "start_sesterces = 30")
(folder / "rich.toml").write_text(rich)

# %% [markdown]
# Loading checks the file. An invalid one is refused with the key, the value and the allowed values;
# `python -m porta_nigra_env.components rich.toml` does the same.

# %%
import porta_nigra_env

components = porta_nigra_env.load(str(folder / "rich.toml"))
print(components.name, components.digest[:12])
(folder / "wrong.toml").write_text(rich.replace("black = 1, blue = 2", "black = 2, blue = 2"))
try:
    porta_nigra_env.load(str(folder / "wrong.toml"))
except ValueError as error:
    print(str(error).replace(f"{folder}/", ""))

# %% [markdown]
# Every environment takes the path in place of `"standard"`. So do tournaments, reviews, films and `training.ppo`, as
# `--components`. The page, its server and some programs play the standard sets only. The same deals with both files, all
# seats played by the scripted builder:

# %%
import numpy as np

from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games import make_game

for path in ("standard", str(folder / "rich.toml")):
    game = make_game("porta_nigra", 2, path)
    builder = game.policies()["builder"]
    totals = play_games(game, [builder] * 2, np.arange(1000)).totals
    print(f"{game.components.name:9} {totals.mean():6.1f} points a seat")

# %% [markdown]
# A digest identifies a file. A network that was trained with one file is refused with another one, instead of misread:

# %%
from agents.registry import make

package = Path(porta_nigra_env.__file__).parent
trained = package / "games/porta_nigra/players/models/all_players.safetensors"
try:
    make(f"network:checkpoint={trained}", game)
except ValueError as error:
    print(str(error).replace(f"{package}/", ""))

# %% [markdown]
# The agent `network` plays with both. For a file with other numbers and as many pieces it takes a network that was
# trained with many component sets. Both seats are its own here:

# %%
network = make("network", game)
state = State.new(num_players=2, seed=7, components=str(folder / "rich.toml"))
while not state.is_over:
    state.apply_id(network.act(state.view()))
print(game.published().name, state.totals().tolist())
