"""A game's WebAssembly module in node next to the compiled kernel, in turn in the same run.

Random steps per second, each a call from JavaScript, next to the compiled loop; evaluations of a published network next
to numpy; searches per second, IS-MCTS with 200 simulations and, with a network, a guided search with 96.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.registry import make
from agents.search.guided import GuidedSearch
from agents.web.page.products import FOLDER, product
from benchmarks.envs import Way, figures, measure, print_table
from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.players.checkpoint import part_of, read_checkpoint
from porta_nigra_env.players.network import load_numpy

#: Steps before the position of the searches.
AGE = 60
#: Observations in a batch of the network.
AT_ONCE = 16


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    modules: Path = FOLDER
    """Folder of the modules."""


def playouts(game: Game) -> Callable[[], int]:
    """Measure random games in the compiled loop."""
    states, words = game.new_states(1), np.zeros(game.num_words, dtype=np.uint64)
    policy_rng = np.array([1, 2, 0])

    def play() -> int:
        game.kernel.reset(game.constants, states, 0, int(policy_rng[2]), game.num_players)
        return int(game.loops.playout(game.constants, states, 0, words, policy_rng, 1 << 30))

    return play


def position(game: Game) -> View:
    """Return the view of the player to move after `AGE` random steps."""
    states = game.new_states(1)
    game.loops.playout(game.constants, states, 0, np.zeros(game.num_words, dtype=np.uint64), np.array([1, 2, 0]), AGE)
    return State(game, states).view()


def weights(path: Path) -> bytes:
    """Return a network in the format of `porta_nigra_env.wasm.forward`: its sizes, int32, then its weights."""
    arrays, _ = read_checkpoint(path)
    layers_of = part_of(arrays, "network") or arrays
    blocks = sum(name.startswith("blocks.") and name.endswith(".weight") for name in layers_of)
    layers = ["enter", *(f"blocks.{number}" for number in range(blocks)), "policy", "value"]
    width, inputs = layers_of["enter.weight"].shape
    sizes = np.array(
        [inputs, width, blocks, len(layers_of["policy.bias"]), len(layers_of["value.bias"])], dtype=np.int32
    )
    parts = [np.ascontiguousarray(layers_of[f"{layer}.{part}"].T) for layer in layers for part in ("weight", "bias")]
    return sizes.tobytes() + b"".join(part.astype(np.float32).tobytes() for part in parts)


def compiled_ways(game: Game, view: View) -> dict[str, tuple[str, Callable[[], int]]]:
    """Return the unit and the function of each compiled line, by name."""
    searcher: Any = make("ismcts:simulations=200", game)

    def search() -> int:
        searcher.search(view)
        return 1

    ways = {"random": ("steps", playouts(game)), "ismcts": ("searches", search)}
    if game.num_players in game.networks():
        network = load_numpy(game.networks()[game.num_players], game)
        rows = np.repeat(view.observation[None], AT_ONCE, axis=0)
        guided = GuidedSearch(game, lambda observations, masks: network(observations), 96, gumbel=False)
        seats, seeds = np.array([view.player], dtype=np.int8), np.array([1])

        def judge() -> int:
            network(rows)
            return AT_ONCE

        def judge_alone() -> int:
            network(rows[0])
            return 1

        def search_guided() -> int:
            guided.run(view.state, seats, seeds)
            return 1

        ways |= {
            "network": ("evaluations", judge),
            "network, one at a time": ("evaluations", judge_alone),
            "guided": ("searches", search_guided),
        }
    return ways


class Node:
    """A process of node with the module."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def way(self, name: str) -> Callable[[], int]:
        """Return a function that runs a task in node and returns its count."""

        def play() -> int:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
            return int(self._process.stdout.readline())

        return play

    def end(self) -> None:
        """Wait for the process to end."""
        self._process.communicate()


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments, 1 without node or module."""
    about = "Measure a game's WebAssembly module in node next to the compiled kernel."
    options = read(Arguments, "wasm", about, argv)
    game = options.made()
    module = options.modules / f"{product(type(game)).stem}.wasm"
    node = shutil.which("node")
    if node is None or not module.exists():
        missing = "node is not installed" if node is None else f"there is no {module}; make wasm"
        print(f"python -m benchmarks wasm: {missing}", file=sys.stderr)
        return 1
    view = position(game)
    script = str(Path(__file__).with_name("module.mjs"))
    with tempfile.TemporaryDirectory() as folder:
        state, network = Path(folder, "state"), Path(folder, "weights")
        state.write_bytes(view.state.tobytes())
        command = [node, script, str(module), str(module.with_suffix(".json")), str(game.num_players), str(state)]
        if game.num_players in game.networks():
            network.write_bytes(weights(game.networks()[game.num_players]))
            command.append(str(network))
        runner = Node(command)
        lines = []
        for name, (unit, play) in compiled_ways(game, view).items():
            lines.append(Way(f"{name}, compiled", unit, play, f"{name.partition(',')[0]}, node"))
            if "," not in name:
                lines.append(Way(f"{name}, node", unit, runner.way(name), f"{name}, node"))
        lines.append(Way("random, observed, node", "steps", runner.way("observed"), "random, node"))
        measure(lines, options.seconds, options.runs)
        runner.end()
    show(game, module, node, lines, options)
    return 0


def show(game: Game, module: Path, node: str, lines: Sequence[Way], options: Arguments) -> None:
    """Print the table, and write the figures."""
    data = module.read_bytes()
    packed = len(gzip.compress(data, 9, mtime=0))
    print(f"{game!r}: module {len(data):,} bytes, {packed:,} with gzip")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print_table(lines, "x node")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"\n{machine_lines()}\nnode {version}")
    if options.json:
        sizes = {"bytes": len(data), "gzip": packed}
        write_json(options.json, {"benchmark": "wasm", **options.settings(), **sizes, "lines": figures(lines)})
