"""Collecting experience with MaskablePPO: ``python -m benchmarks.sb3 [--game NAME] [--json FILE]``.

The native VecEnv beside a DummyVecEnv of single environments, the same policy on both: the environments alone with the
first legal action of each game, and `MaskablePPO.collect_rollouts` with the network's decisions.  All in one thread.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.envs import Way, measure
from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.gymnasium import SeatEnv

#: Size of the DummyVecEnv that everything is compared with.
DUMMY = 64
#: Sizes of the native VecEnv.
SIZES = (64, 256, 1024)
#: Steps of every environment in one collection.
STEPS = 32


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """The program's options."""

    seconds: float = 1.0
    """For each line and run."""


def vec_env(game: Game, kind: str, size: int) -> Any:
    """A VecEnv of either kind, in which the learner sits on all seats in turn among random players."""
    if kind == "native":
        from porta_nigra_env.envs.sb3 import MaskedVecEnv

        return MaskedVecEnv(game, size, seat="rotate")
    from stable_baselines3.common.vec_env import DummyVecEnv

    return DummyVecEnv([lambda: SeatEnv(game, seat="rotate") for _ in range(size)])


def stepping(game: Game, kind: str, size: int) -> Callable[[], int]:
    """Steps and masks without a network: the first legal action of each row."""
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
    """`collect_rollouts` of MaskablePPO with its default network."""
    from sb3_contrib import MaskablePPO

    env = vec_env(game, kind, size)
    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=DUMMY, seed=1, device="cpu")
    _, callback = model._setup_learn(1)

    def play() -> int:
        model.collect_rollouts(env, callback, model.rollout_buffer, STEPS)
        return STEPS * size

    return play


def deciding(game: Game, size: int) -> Callable[[], int]:
    """The network alone, on one batch of observations."""
    import torch
    from sb3_contrib import MaskablePPO

    env = vec_env(game, "native", size)
    model = MaskablePPO("MlpPolicy", env, n_steps=STEPS, batch_size=DUMMY, seed=1, device="cpu")
    seen, masks = torch.from_numpy(env.reset().copy()), env.env_method("action_masks").copy()

    def play() -> int:
        with torch.no_grad():
            for _ in range(STEPS):
                model.policy(seen, action_masks=masks)
        return STEPS * size

    return play


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use, 1 without Stable-Baselines3."""
    options = read(
        Arguments,
        "sb3",
        "Measure MaskablePPO's collection through the native VecEnv beside a DummyVecEnv of single games.",
        argv,
    )
    # The learner's libraries warn about each other.
    warnings.simplefilter("ignore")
    try:
        import sb3_contrib
        import torch
    except ImportError as error:
        print(f"{error}: MaskablePPO is needed; pip install --group train", file=sys.stderr)
        return 1
    torch.set_num_threads(1)

    game = options.made()
    steps, collection = f"steps, DummyVecEnv {DUMMY}", f"collection, DummyVecEnv {DUMMY}"
    lines = [Way(steps, "steps", stepping(game, "dummy", DUMMY), steps)]
    lines += [Way(f"steps, native {size}", "steps", stepping(game, "native", size), steps) for size in SIZES]
    lines += [Way(collection, "steps", collecting(game, "dummy", DUMMY), collection)]
    lines += [
        Way(f"collection, native {size}", "steps", collecting(game, "native", size), collection) for size in SIZES
    ]
    lines += [Way(f"network alone, batch {size}", "steps", deciding(game, size), collection) for size in SIZES]
    measure(lines, options.seconds, options.runs)
    rates = {line.name: line.rate for line in lines}
    print(f"{game!r}, the learner among random players; MaskablePPO's default MLP, one thread")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print(f"{'':<32}{'a second':>10}{'us each':>10}{'spread':>9}{'x Dummy':>9}")
    for line in lines:
        spread = (max(line.rates) - min(line.rates)) / line.rate
        ratio = line.rate / rates[line.peer]
        print(f"{line.name:<32}{line.rate:>10,.0f}{1e6 / line.rate:>10.2f}{spread:>9.0%}{ratio:>9.2f}")
    print("\nThe network alone is what no environment can be faster than: its line bounds the collection lines.")
    print(f"\n{machine_lines()}\ntorch {torch.__version__}, sb3-contrib {sb3_contrib.__version__}")
    if options.json:
        figures = [{"name": line.name, "per_second": line.rate, "rates": line.rates} for line in lines]
        write_json(options.json, {"benchmark": "sb3", **options.settings(), "lines": figures})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
