"""Rollout collection of MaskablePPO through the native VecEnv and a DummyVecEnv of single environments.

The environments alone take the first legal action of each game; `MaskablePPO.collect_rollouts` uses the network.  All
run in one thread.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.envs import Way, figures, measure, print_table
from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.gymnasium import SeatEnv

#: Size of the DummyVecEnv.
DUMMY = 64
#: Sizes of the native VecEnv.
SIZES = (64, 256, 1024)
#: Steps of every environment in one collection.
STEPS = 32


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    seconds: float = 1.0
    """For each line and run."""


def vec_env(game: Game, kind: str, size: int) -> Any:
    """Make a VecEnv of either kind: the learner rotates over the seats among random players."""
    if kind == "native":
        from porta_nigra_env.envs.sb3 import MaskedVecEnv

        return MaskedVecEnv(game, size, seat="rotate")
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv([lambda: SeatEnv(game, seat="rotate") for _ in range(size)])


def stepping(game: Game, kind: str, size: int) -> Callable[[], int]:
    """Measure steps and masks without a network: the first legal action of each row."""
    env = vec_env(game, kind, size)
    env.seed(1)
    env.reset()

    def play() -> int:
        for _ in range(STEPS):
            masks = np.stack(env.env_method("action_masks"))
            env.step(masks.argmax(axis=1))
        return STEPS * size

    return play


def collecting(game: Game, kind: str, size: int) -> Callable[[], int]:
    """Measure `collect_rollouts` of MaskablePPO with its default network."""
    from sb3_contrib import MaskablePPO

    env = vec_env(game, kind, size)
    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=DUMMY, seed=1, device="cpu")
    _, callback = model._setup_learn(1)

    def play() -> int:
        model.collect_rollouts(env, callback, model.rollout_buffer, STEPS)
        return STEPS * size

    return play


def deciding(game: Game, size: int) -> Callable[[], int]:
    """Measure the network alone, on one batch of observations."""
    import torch
    from sb3_contrib import MaskablePPO

    env = vec_env(game, "native", size)
    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=DUMMY, seed=1, device="cpu")
    observations, masks = torch.from_numpy(env.reset().copy()), env.env_method("action_masks").copy()

    def play() -> int:
        with torch.no_grad():
            for _ in range(STEPS):
                model.policy(observations, action_masks=masks)
        return STEPS * size

    return play


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments, 1 without Stable-Baselines3."""
    about = "Measure rollout collection of MaskablePPO through the native VecEnv and a DummyVecEnv of single games."
    options = read(Arguments, "sb3", about, argv)
    # The libraries of the learner warn about each other.
    warnings.simplefilter("ignore")
    try:
        import sb3_contrib
        import torch
    except ImportError as error:
        print(f"{error}: MaskablePPO is needed; make .venv/dev", file=sys.stderr)
        return 1
    torch.set_num_threads(1)

    game = options.made()
    lines: list[Way] = []
    for name, work in (("steps", stepping), ("collection", collecting)):
        peer = f"{name}, DummyVecEnv {DUMMY}"
        lines.append(Way(peer, "steps", work(game, "dummy", DUMMY), peer))
        lines += [Way(f"{name}, native {size}", "steps", work(game, "native", size), peer) for size in SIZES]
    lines += [Way(f"network alone, batch {size}", "steps", deciding(game, size), peer) for size in SIZES]
    measure(lines, options.seconds, options.runs)
    print(f"{game!r}, the learner among random players; MaskablePPO's default MLP, one thread")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print_table(lines, "x Dummy", units=False)
    print("\nThe network alone bounds the collection lines: no environment can be faster.")
    print(f"\n{machine_lines()}\ntorch {torch.__version__}, sb3-contrib {sb3_contrib.__version__}")
    if options.json:
        write_json(options.json, {"benchmark": "sb3", **options.settings(), "lines": figures(lines)})
    return 0
