"""Learned steps per second: ``python -m benchmarks learning [--game NAME] [--json FILE]``.

Compares `training.ppo` with sb3-contrib's MaskablePPO on a DummyVecEnv of 64 environments, learning included, and then
splits the time of `training.ppo`.

Equal in both: shared layers of policy and values (256 units, then a residual block of 256, ReLU), linear heads,
minibatch size, epochs, threads, Adam.  Different: MaskablePPO has one value, learns from one seat against random
opponents, and runs in float32.  `training.ppo` has a value per seat, learns from every seat, and uses the fastest
precision, with an extra line in float32.  Both use all steps equally often.  The last line is `training.ppo` with its
defaults: half as many passes, over the half with the largest advantages, and layer normalization.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.envs import Way, measure
from benchmarks.options import Repeated, Seated, Timed, at_least, read
from benchmarks.report import machine_lines, write_json

#: Units, minibatch size and epochs of both learners.
WIDTH, BATCH, EPOCHS = 256, 2048, 4
#: Games of `training.ppo`, and steps of each in an iteration.
ENVS, STEPS = 1024, 128
#: Environments of MaskablePPO and steps of each in an iteration.
DUMMY, DUMMY_STEPS = 64, 128


@dataclass(frozen=True, kw_only=True)
class Options(Seated, Timed, Repeated):
    """Options of the program."""

    seconds: float = 10.0
    """Seconds per line and run."""
    runs: int = 3
    """Alternating runs; the median counts."""
    threads: int = 2
    """Threads of both learners."""

    def check(self) -> None:
        super().check()
        at_least("threads", self.threads, 1)


def own(options: Options, precision: str = "auto", alike: bool = True) -> tuple[Any, Callable[[], int]]:
    """Return the training and its iteration, `alike` MaskablePPO or with the default options."""
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
    from stable_baselines3.common.vec_env import DummyVecEnv

    from porta_nigra_env.envs.gymnasium import SeatEnv

    game, threads = options.made(), options.threads

    class Shared(BaseFeaturesExtractor):
        """Layers of `agents.networks.network.Network` below its heads."""

        def __init__(self, space: Any) -> None:
            super().__init__(space, WIDTH)
            self.enter = torch.nn.Linear(space.shape[0], WIDTH)
            self.block = torch.nn.Linear(WIDTH, WIDTH)

        def forward(self, seen: torch.Tensor) -> torch.Tensor:
            hidden = torch.relu(self.enter(seen))
            return hidden + torch.relu(self.block(hidden))

    env = DummyVecEnv([lambda: SeatEnv(game, seat="rotate") for _ in range(DUMMY)])
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


def parts(training: Any, runs: int) -> list[tuple[str, float]]:
    """Return median seconds of the parts of an iteration, measured by leaving out the rest."""
    import torch

    from agents.sampling import sample
    from training.ppo import losses
    from training.ppo.losses import REPORTED, Coefficients, Gradients, Minibatch

    collector, learner = training.collector, training.learner
    rows, actions, seats = collector.data.movers.size, collector.masks.shape[2], collector.data.values.shape[2]
    zeros = np.zeros((collector.options.num_envs, actions), dtype=np.float32)

    def without_network(inputs: Any, uniforms: Any, choices: Any) -> None:
        sample(zeros, inputs.masks, uniforms, choices.actions, choices.log_probs)

    def forward(model: Any, chunk: slice) -> None:
        with torch.no_grad():
            learner.forward(model, inputs, chunk)

    def gradient(_: Any, chunk: slice) -> None:
        values = np.zeros((chunk.stop - chunk.start, seats), dtype=np.float32)
        legal = np.empty(logits.shape[1], dtype=np.int64)
        out = Gradients(np.empty_like(logits[chunk]), np.empty_like(values), np.zeros(len(REPORTED)), legal)
        batch = Minibatch(*(one[chunk] for one in rollout))
        losses.gradient(logits[chunk], values, 1.0, Coefficients(), batch, out)

    def seconds(work: Callable[[], Any]) -> float:
        times = []
        for _ in range(runs):
            started = time.perf_counter()
            work()
            times.append(time.perf_counter() - started)
        return float(np.median(times))

    playing = seconds(lambda: collector.play(learner.decide, training.rng))
    environments = seconds(lambda: collector.play(without_network, training.rng))
    inputs, rollout = collector.inputs(), training.rollout()
    logits = np.random.default_rng(1).normal(size=(rows, actions)).astype(np.float32)
    forwards = seconds(lambda: learner.run_chunks(forward, rows))
    gradients = seconds(lambda: learner.run_chunks(gradient, rows))
    learning = seconds(lambda: learner.learn(inputs, rollout, 0.0, training.rng))
    advantages = seconds(training.estimate)
    rest = learning - EPOCHS * (forwards + gradients)
    return [
        ("playing: environments, copies, sampling", environments),
        ("playing: network", playing - environments),
        ("advantages and targets", advantages),
        (f"learning: network forward, {EPOCHS} passes", EPOCHS * forwards),
        (f"learning: gradient of the loss, {EPOCHS} passes", EPOCHS * gradients),
        ("learning: network backward, optimizer, picking rows", rest),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used, 1 without the group `train`."""
    options = read(Options, "learning", "Compare training.ppo with MaskablePPO, learning included.", argv)
    # The libraries warn about each other.
    warnings.simplefilter("ignore")
    try:
        import sb3_contrib
        import torch
    except ImportError as error:
        print(f"{error}: the learners are needed; make .venv/dev", file=sys.stderr)
        return 1
    peer = f"MaskablePPO, DummyVecEnv {DUMMY}"
    training, play = own(options)
    lines = [
        Way(peer, "steps", maskable_ppo(options)[1], peer),
        Way("training.ppo", "steps", play, peer),
        Way("training.ppo, float32", "steps", own(options, "float32")[1], peer),
        Way("training.ppo, defaults", "steps", own(options, alike=False)[1], peer),
    ]
    measure(lines, options.seconds, options.runs)
    rates = {line.name: line.rate for line in lines}
    setting = f"{WIDTH} units, batches of {BATCH}, {EPOCHS} epochs, {options.threads} threads"
    print(f"{options.made()!r}, {setting}")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print(f"{'':<32}{'steps per second':>20}{'spread':>9}{'x':>7}")
    for line in lines:
        spread = (max(line.rates) - min(line.rates)) / line.rate
        print(f"{line.name:<32}{line.rate:>20,.0f}{spread:>9.0%}{line.rate / rates[peer]:>7.1f}")
    where = parts(training, options.runs)
    total = sum(seconds for _, seconds in where)
    print(f"\nan iteration of training.ppo, {training.collector.data.movers.size:,} steps\n")
    for name, seconds in where:
        print(f"{name:<56}{seconds:>7.2f} s{seconds / total:>7.0%}")
    precision = "bfloat16" if training.bfloat16 else "float32"
    print(
        f"\n{machine_lines()}\ntorch {torch.__version__}, sb3-contrib {sb3_contrib.__version__}, layers in {precision}"
    )
    if options.json:
        figures = [{"name": line.name, "per_second": line.rate, "rates": line.rates} for line in lines]
        write_json(options.json, {"benchmark": "learning", **options.settings(), "lines": figures, "parts": where})
    return 0
