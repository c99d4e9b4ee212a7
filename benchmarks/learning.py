"""Learned steps per second of `training.ppo` and of sb3-contrib's MaskablePPO on a DummyVecEnv of 64 environments.

Equal in both: shared layers of policy and values (256 units, then a residual block of 256, ReLU), linear heads,
minibatch size, epochs, threads, Adam.  Different: MaskablePPO has one value, learns from one seat against random
opponents, and runs in float32.  `training.ppo` has a value per seat, learns from every seat, and uses the fastest
precision, with extra lines in float32: with the compiled layers of `training.ppo.layers`, and with torch's.  Both use
all steps equally often.  The last line is `training.ppo` with its defaults: half as many passes, over the half with the
largest advantages, and layer normalization.

``--collect`` measures MaskablePPO's collection instead, on a native VecEnv and on a DummyVecEnv of single games.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, at_least, read
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.gymnasium import SeatEnv

#: Units, minibatch size and epochs of both learners.
WIDTH, BATCH, EPOCHS = 256, 2048, 4
#: Games of `training.ppo`, and steps of each in an iteration.
ENVS, STEPS = 1024, 128
#: Environments of MaskablePPO and steps of each in an iteration.
DUMMY, DUMMY_STEPS = 64, 128
#: Sizes of the native VecEnv, and steps of each environment in a collection without learning.
SIZES, COLLECTED = (64, 256, 1024), 32


@dataclass(frozen=True, kw_only=True)
class Options(Seated, Timed, Repeated):
    """Options of the program."""

    seconds: float = 10.0
    """Seconds per line and run."""
    runs: int = 3
    """Alternating runs; the median counts."""
    threads: int = 2
    """Threads of both learners."""
    collect: bool = False
    """Measure collection with and without a network, in one thread."""

    def check(self) -> None:
        super().check()
        at_least("threads", self.threads, 1)


def own(
    options: Options, precision: str = "auto", alike: bool = True, narrow: bool = True
) -> tuple[Any, Callable[[], int]]:
    """Return the training and its iteration.

    alike: as MaskablePPO, or with the default options; narrow: False for layers of torch in float32.
    """
    from training import ppo
    from training.run.options import make_games

    run = ppo.Options(
        game=options.game, players=() if options.players is None else (options.players,), minutes=60, width=WIDTH,
        minibatch_size=BATCH, num_envs=ENVS, num_steps=STEPS, threads=options.threads, precision=precision, evaluate=(),
        update_epochs=EPOCHS if alike else ppo.Options.update_epochs,
        keep_fraction=1.0 if alike else ppo.Options.keep_fraction,
        layer_norm=False if alike else ppo.Options.layer_norm,
    )  # fmt: skip
    training = ppo.Training(run, make_games(run))
    training.learner.narrow &= narrow

    def play() -> int:
        before = training.steps
        training.iterate()
        return training.steps - before

    return training, play


def maskable_ppo(options: Options) -> tuple[Any, Callable[[], int]]:
    """Return the model and its iteration of MaskablePPO, learning included."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

    threads = options.threads

    class Shared(BaseFeaturesExtractor):
        """Layers of `agents.networks.network.Network` below its heads."""

        def __init__(self, space: Any) -> None:
            super().__init__(space, WIDTH)
            self.enter = torch.nn.Linear(space.shape[0], WIDTH)
            self.block = torch.nn.Linear(WIDTH, WIDTH)

        def forward(self, seen: torch.Tensor) -> torch.Tensor:
            hidden = torch.relu(self.enter(seen))
            return hidden + torch.relu(self.block(hidden))

    env = vec_env(options.made(), DUMMY, native=False)
    # The default of MaskablePPO has separate layers for policy and value.
    network = {"features_extractor_class": Shared, "net_arch": {"pi": [], "vf": []}}
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=DUMMY_STEPS, batch_size=BATCH, n_epochs=EPOCHS, policy_kwargs=network, seed=1,
        device="cpu",
    )  # fmt: skip
    model._setup_learn(1 << 30)

    def play() -> int:
        # The other lines set one thread per layer.
        torch.set_num_threads(threads)
        model.learn(DUMMY * DUMMY_STEPS, reset_num_timesteps=False)
        torch.set_num_threads(1)
        return DUMMY * DUMMY_STEPS

    return model, play


def vec_env(game: Game, size: int, native: bool = True) -> Any:
    """Make a VecEnv of either kind: the learner rotates over the seats among random players."""
    from stable_baselines3.common.vec_env import DummyVecEnv

    from porta_nigra_env.envs.sb3 import MaskedVecEnv

    if native:
        return MaskedVecEnv(game, size, seat="rotate")
    return DummyVecEnv([lambda: SeatEnv(game, seat="rotate") for _ in range(size)])


def stepping(env: Any) -> Callable[[], int]:
    """Measure steps and masks without a network: the first legal action of each row."""
    env.seed(1)
    env.reset()

    def play() -> int:
        for _ in range(COLLECTED):
            env.step(np.stack(env.env_method("action_masks")).argmax(axis=1))
        return COLLECTED * int(env.num_envs)

    return play


def collecting(env: Any) -> Callable[[], int]:
    """Measure `collect_rollouts` of MaskablePPO with its default network."""
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", env, n_steps=COLLECTED, batch_size=DUMMY, seed=1, device="cpu")
    _, callback = model._setup_learn(1)

    def play() -> int:
        model.collect_rollouts(env, callback, model.rollout_buffer, COLLECTED)
        return COLLECTED * int(env.num_envs)

    return play


def deciding(env: Any) -> Callable[[], int]:
    """Measure the network alone, on one batch of observations; no collection can be faster."""
    import torch
    from sb3_contrib import MaskablePPO

    model = MaskablePPO("MlpPolicy", env, n_steps=COLLECTED, batch_size=DUMMY, seed=1, device="cpu")
    observations, masks = torch.from_numpy(env.reset().copy()), env.env_method("action_masks").copy()

    def play() -> int:
        with torch.no_grad():
            for _ in range(COLLECTED):
                model.policy(observations, action_masks=masks)
        return COLLECTED * int(env.num_envs)

    return play


def collection_lines(game: Game) -> list[Line]:
    """Return the lines of collection in one thread, without learning."""
    lines = []
    for name, work in (("steps", stepping), ("collection", collecting)):
        peer = f"{name}, DummyVecEnv {DUMMY}"
        lines.append(Line(peer, work(vec_env(game, DUMMY, native=False)), peer))
        lines += [Line(f"{name}, native {size}", work(vec_env(game, size)), peer) for size in SIZES]
    lines += [Line(f"network alone, batch {size}", deciding(vec_env(game, size)), peer) for size in SIZES]
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Options, argv)
    # The libraries warn about each other.
    warnings.simplefilter("ignore")
    import torch

    game = options.made()
    peer = f"MaskablePPO, DummyVecEnv {DUMMY}"
    if options.collect:
        torch.set_num_threads(1)
        lines = collection_lines(game)
    else:
        training, play = own(options)
        lines = [
            Line(peer, maskable_ppo(options)[1], peer),
            Line("training.ppo", play, peer),
            Line("training.ppo, float32", own(options, "float32")[1], peer),
            Line("training.ppo, float32, layers of torch", own(options, "float32", narrow=False)[1], peer),
            Line("training.ppo, defaults", own(options, alike=False)[1], peer),
        ]
    measure(lines, options.seconds, options.runs)
    print(f"{game!r}\n\n{table(lines, 'x Dummy')}\n")
    parts = {}
    if not options.collect:
        metrics = training.iterate()
        parts = {name: metrics[f"seconds_{name}"] for name in ("playing", "learning")}
        print(
            f"{WIDTH} units, batches of {BATCH}, {EPOCHS} epochs, {options.threads} threads, "
            f"layers in {'bfloat16' if training.bfloat16 else 'float32'}\n"
            f"training.ppo plays for {parts['playing'] / sum(parts.values()):.0%} of an iteration"
        )
    options.finish(lines=figures(lines), parts=parts)
    return 0
