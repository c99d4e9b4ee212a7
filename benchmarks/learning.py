"""Decisions learned from in a second: ``python -m benchmarks.learning [--game NAME] [--json FILE]``.

`training.ppo` beside sb3-contrib's MaskablePPO on a DummyVecEnv of 64 single environments, learning included.
Then where the time of `training.ppo` goes.

The same in both: the layers that policy and values share (256 units, then a residual block of 256, ReLU), a linear
head for the policy on them and one for the values, batch, epochs, threads, Adam.  Not the same: MaskablePPO has one
value and `training.ppo` one for each seat; MaskablePPO learns from one seat against random opponents,
`training.ppo` from every seat; and MaskablePPO's layers run in float32, those of `training.ppo` in what the machine
multiplies fast, which is why it has a line in float32 too.  Both learn from all decisions as often; the last line is
`training.ppo` as it is by default, learning half as often, and from the half that went other than expected by most,
with layers that are normed.
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

#: Of both learners.
WIDTH, BATCH, EPOCHS = 256, 2048, 4
#: Games of `training.ppo`, and decisions of each in an iteration.
ENVS, STEPS = 1024, 128
#: Environments of MaskablePPO and steps of each in an iteration.
DUMMY, DUMMY_STEPS = 64, 128


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """The program's options."""

    seconds: float = 10.0
    """For each line and run."""
    runs: int = 3
    """Alternating runs, of which the median counts."""
    threads: int = 2
    """Of both learners."""

    def check(self) -> None:
        super().check()
        at_least("threads", self.threads, 1)


def own(options: Arguments, precision: str = "auto", alike: bool = True) -> tuple[Any, Callable[[], int]]:
    """The training, and an iteration of it; as often from as many decisions as MaskablePPO, or as by default."""
    from training.ppo.arguments import games_of
    from training.ppo.program import Arguments as Run
    from training.ppo.program import Training

    arguments = Run(
        game=options.game,
        players=() if options.players is None else (options.players,),
        minutes=60,
        width=WIDTH,
        batch=BATCH,
        epochs=EPOCHS if alike else Run.epochs,
        kept=1.0 if alike else Run.kept,
        norm=False if alike else Run.norm,
        envs=ENVS,
        steps=STEPS,
        threads=options.threads,
        precision=precision,
        evaluate=(),
    )
    training = Training(arguments, games_of(arguments))

    def play() -> int:
        before = training.decisions
        training.iterate()
        return training.decisions - before

    return training, play


def maskable_ppo(options: Arguments) -> tuple[Any, Callable[[], int]]:
    """The model, and an iteration of MaskablePPO: collecting and learning."""
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import DummyVecEnv

    from porta_nigra_env.envs.gymnasium import SeatEnv

    game, threads = options.made(), options.threads

    class Shared(BaseFeaturesExtractor):
        """The layers of `agents.networks.network.Network` below its heads."""

        def __init__(self, space: Any) -> None:
            super().__init__(space, WIDTH)
            self.enter = torch.nn.Linear(space.shape[0], WIDTH)
            self.block = torch.nn.Linear(WIDTH, WIDTH)

        def forward(self, seen: torch.Tensor) -> torch.Tensor:
            hidden = torch.relu(self.enter(seen))
            return hidden + torch.relu(self.block(hidden))

    env = DummyVecEnv([lambda: SeatEnv(game, seat="rotate") for _ in range(DUMMY)])
    # By itself MaskablePPO would have two layers for the policy and two more for the value.
    network = {"features_extractor_class": Shared, "net_arch": {"pi": [], "vf": []}}
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=DUMMY_STEPS, batch_size=BATCH, n_epochs=EPOCHS, policy_kwargs=network, seed=1,
        device="cpu",
    )  # fmt: skip
    model._setup_learn(1 << 30)

    def play() -> int:
        # Other lines of the table leave one thread for each layer.
        torch.set_num_threads(threads)
        model.learn(DUMMY * DUMMY_STEPS, reset_num_timesteps=False)
        torch.set_num_threads(1)
        return DUMMY * DUMMY_STEPS

    return model, play


def parts(training: Any, runs: int) -> list[tuple[str, float]]:
    """Seconds of the parts of an iteration, medians of several; what is told apart by leaving out the rest."""
    import torch

    from agents.networks.sampling import sample
    from training.ppo import losses
    from training.ppo.losses import REPORTED, Coefficients, Gradients, Minibatch

    collector, learner = training.ppo.collector, training.ppo.learner
    rows, actions, seats = collector.data.movers.size, collector.masks.shape[2], collector.data.values.shape[2]
    zeros = np.zeros((collector.settings.envs, actions), dtype=np.float32)

    def without_network(inputs: Any, uniforms: Any, choices: Any) -> None:
        sample(zeros, inputs.masks, uniforms, choices.actions, choices.log_probs)

    def forward(model: Any, piece: slice) -> None:
        with torch.no_grad():
            learner.forward(model, inputs, piece)

    def gradient(model: Any, piece: slice) -> None:
        values = np.zeros((piece.stop - piece.start, seats), dtype=np.float32)
        places = np.empty(logits.shape[1], dtype=np.int64)
        out = Gradients(np.empty_like(logits[piece]), np.empty_like(values), np.zeros(len(REPORTED)), places)
        batch = Minibatch(*(one[piece] for one in rollout))
        losses.gradient(logits[piece], values, 1.0, Coefficients(), batch, out)

    def seconds(work: Callable[[], Any]) -> float:
        found = []
        for _ in range(runs):
            begun = time.perf_counter()
            work()
            found.append(time.perf_counter() - begun)
        return float(np.median(found))

    playing = seconds(lambda: collector.play(learner.decide, training.rng))
    blindly = seconds(lambda: collector.play(without_network, training.rng))
    inputs, rollout = collector.inputs(), training.rollout()
    logits = np.random.default_rng(1).normal(size=(rows, actions)).astype(np.float32)
    forwards = seconds(lambda: learner.spread(forward, rows))
    gradients = seconds(lambda: learner.spread(gradient, rows))
    learning = seconds(lambda: learner.learn(inputs, rollout, 0.0, training.rng))
    advantages = seconds(training.estimate)
    rest = learning - EPOCHS * (forwards + gradients)
    return [
        ("playing: environments, copies, sampling", blindly),
        ("playing: network", playing - blindly),
        ("advantages and targets", advantages),
        (f"learning: network forward, {EPOCHS} passes", EPOCHS * forwards),
        (f"learning: gradient of the loss, {EPOCHS} passes", EPOCHS * gradients),
        ("learning: network backward, optimizer, picking rows", rest),
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use, 1 without the group `train`."""
    options = read(Arguments, "learning", "Measure training.ppo, learning included, beside MaskablePPO.", argv)
    # The learner's libraries warn about each other.
    warnings.simplefilter("ignore")
    try:
        import sb3_contrib
        import torch
    except ImportError as error:
        print(f"{error}: the learners are needed; pip install --group train", file=sys.stderr)
        return 1
    peer = f"MaskablePPO, DummyVecEnv {DUMMY}"
    training, play = own(options)
    lines = [
        Way(peer, "decisions", maskable_ppo(options)[1], peer),
        Way("training.ppo", "decisions", play, peer),
        Way("training.ppo, float32", "decisions", own(options, "float32")[1], peer),
        Way("training.ppo, as by default", "decisions", own(options, alike=False)[1], peer),
    ]
    measure(lines, options.seconds, options.runs)
    rates = {line.name: line.rate for line in lines}
    setting = f"{WIDTH} units, batches of {BATCH}, {EPOCHS} epochs, {options.threads} threads"
    print(f"{options.made()!r}, {setting}")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print(f"{'':<32}{'decisions a second':>20}{'spread':>9}{'x':>7}")
    for line in lines:
        spread = (max(line.rates) - min(line.rates)) / line.rate
        print(f"{line.name:<32}{line.rate:>20,.0f}{spread:>9.0%}{line.rate / rates[peer]:>7.1f}")
    where = parts(training, options.runs)
    total = sum(seconds for _, seconds in where)
    print(f"\nan iteration of training.ppo, {training.ppo.collector.data.movers.size:,} decisions\n")
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
