"""Distil lookahead into the policy: ``python -m training.distil --start runs/first/network.safetensors``.

A search plays better than the network that guides it, because it tries actions and compares values some steps later.
This program does the same in training.  The network plays.  Where its teacher, the initial network, is uncertain, the
likeliest actions are tried in the actual state (`training.distil.lookahead`).  A single trial is mostly noise, but a
million trials from different positions average it out.

The policy moves towards better results and is held to the teacher's policy p: the optimum at a position is
``p * exp(step_size * ahead)``.  The objective is linear in the results, so noise cancels.  Targets made from single
results would leave the policy uncertain everywhere.  Values are held to the teacher's, because trials rest on them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.network import masked
from agents.networks.neural import check_reward
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import part_of
from training.distil.lookahead import Lookahead
from training.ppo.collector import Choices, Collector, Inputs
from training.ppo.learner import ActorCritic, Learner
from training.ppo.options import Options as PpoOptions
from training.run import trainer
from training.run.folder import CHECKPOINT, NETWORK, Run
from training.run.options import RunOptions, check_run, make_games, network_shape, player_counts
from training.run.ranges import Choice, Fraction, NonNegative, NonNegativeInt, Positive, PositiveInt, Range
from training.run.trainer import Trainer, train_command

#: Maximum norm of the gradient.
MAX_GRAD_NORM: Final = 1.0
#: Options of learner and collector.
SHARED: Final = (
    "num_envs", "num_steps", "seed", "threads", "device", "precision", "learning_rate", "final_learning_rate",
    "minibatch_size",
)  # fmt: skip
#: Reported metrics of a minibatch.
REPORTED: Final = ("gained", "divergence", "value_error")


@dataclass(frozen=True)
class Options(RunOptions):
    """Teach a network the results of its lookahead."""

    OLD_NAMES: ClassVar = {
        **RunOptions.OLD_NAMES, "envs": "num_envs", "steps": "num_steps", "every": "lookahead_interval",
        "plies": "rollout_steps", "sure": "max_certainty", "step": "step_size", "hold": "vf_coef",
        "batch": "minibatch_size", "epochs": "update_epochs",
    }  # fmt: skip

    start: Path | None = None
    """Network file to teach, trained for results; it is also the teacher."""
    device: Annotated[str, Choice(("cpu",))] = "cpu"
    """cpu: lookahead needs a CPU."""
    num_envs: int = 1024
    """Parallel games."""
    num_steps: PositiveInt = 256
    """Steps per game and iteration."""
    lookahead_interval: PositiveInt = 4
    """Look ahead from one in N uncertain steps."""
    rollout_steps: NonNegativeInt = 4
    """Length of a rollout, over all seats, before the teacher's values replace the result."""
    candidates: Annotated[int, Range(2)] = 6
    """Number of most probable actions to try."""
    max_certainty: Fraction = 0.98
    """Try nothing where the teacher gives an action this probability."""
    step_size: NonNegative = 300.0
    """Weight of differences in results relative to the divergence from the teacher's policy."""
    vf_coef: NonNegative = 10.0
    """Coefficient of the squared difference from the teacher's values."""
    learning_rate: Positive = 5e-4
    """Initial learning rate; it decreases linearly."""
    final_learning_rate: Fraction = 0.05
    """Final learning rate as a fraction of the initial one."""
    minibatch_size: PositiveInt = 2048
    """Approximate number of steps per gradient update."""
    update_epochs: PositiveInt = 2
    """Passes over the steps of an iteration."""


class Lessons(NamedTuple):
    """k steps to learn from.

    inputs: inputs of the movers.
    log_probs: float32 (k, num_actions), values: float32 (k, seats), of the teacher, values in units of the reward.
    actions: int64 (k, candidates), tried actions.
    ahead: float32 (k, candidates), their results relative to the mean, zeros where nothing was tried.
    """

    inputs: Inputs
    log_probs: Any
    values: Any
    actions: Any
    ahead: Any


class Distillation(Trainer):
    """A run of distillation.

    Args:
        options: options that passed `check`.
        games: one per number of players, with equal observation and action spaces.
    """

    options: Options

    def __init__(self, options: Options, games: Sequence[Game]) -> None:
        super().__init__(options, games, ("gained", "divergence"))
        options, first = self.options, games[0]
        torch.set_num_threads(1)
        ppo = PpoOptions(**{name: getattr(options, name) for name in SHARED}, max_grad_norm=MAX_GRAD_NORM)
        shape = network_shape(options, first)
        self.learner, self.teacher = Learner(first, shape, ppo), Learner(first, shape, ppo)
        self.network, self.optimizer = self.learner.network, self.learner.optimizer
        if options.start is not None:
            for game in games:
                network = self.learner.load(options.start, game)
            check_reward(network)
            for other in (self.network, self.teacher.network):
                other.load_state_dict(network.state_dict())
        self.rng = np.random.default_rng(options.seed)
        self.collector = Collector(games, None, ppo)
        self.lookahead = Lookahead(games, self.teacher, options.rollout_steps, options.candidates)
        self._turn, self._lessons = 0, list[Lessons]()

    def iterate(self) -> dict[str, Any]:
        started = time.perf_counter()
        if self.iteration == 0:
            self.collector.begin()
        # A random phase, so that iterations look ahead from different steps of a game.
        self._turn, self._lessons = int(self.rng.integers(self.options.lookahead_interval)), []
        played = self.collector.play(self._decide, self.rng)
        collected = time.perf_counter()
        learned = self.learn(self._lessons)
        steps = self.options.num_envs * self.options.num_steps
        return played | learned | self.finish_iteration(started, collected, steps)

    def _decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        """Decide in all games, after collecting lessons at the lookahead interval."""
        if self._turn % self.options.lookahead_interval == 0:
            for env, part in zip(self.collector.envs, self.collector.parts, strict=True):
                lessons = self.lessons(env.states, inputs.take(part))
                self._lessons += [lessons] if len(lessons.actions) else []
        self._turn += 1
        self.learner.decide(inputs, uniforms, choices)

    def lessons(self, states: Any, inputs: Inputs) -> Lessons:
        """Return trials of the teacher's uncertain steps, and as many certain steps without trials.

        Args:
            states: (k,) state array, hidden cards included, of games with one number of players.
            inputs: inputs of their movers.
        """
        evaluation = self.lookahead.evaluate(inputs)
        has_choice = (inputs.masks != 0).sum(axis=1) > 1
        uncertain = has_choice & (evaluation.log_probs.max(axis=1) < np.log(self.options.max_certainty))
        others, tried = np.flatnonzero(has_choice & ~uncertain), np.flatnonzero(uncertain)
        held = np.sort(self.rng.choice(others, min(len(others), len(tried)), replace=False))
        rows = np.concatenate([tried, held])
        actions = np.zeros((len(rows), min(self.options.candidates, inputs.masks.shape[1])), dtype=np.int64)
        ahead = np.zeros(actions.shape, dtype=np.float32)
        if len(tried):
            selected = inputs.take(tried)
            trial = self.lookahead.try_actions(states[tried], selected, evaluation.log_probs[tried], self.rng)
            actions[: len(tried)], ahead[: len(tried)] = trial.actions, trial.ahead
        inputs = inputs.take(rows)
        return Lessons(inputs, evaluation.log_probs[rows], evaluation.values[rows], actions, ahead)

    def learn(self, parts: Sequence[Lessons]) -> dict[str, float]:
        """Run all passes over the lessons of an iteration; return means of the reported metrics."""
        _, learning_rate = self.learner.schedule(self.scheduled)
        if not parts:
            # The teacher was certain everywhere.
            return dict.fromkeys((*REPORTED, "gradient", "lessons"), 0.0) | {"learning_rate": learning_rate}
        lessons, options, reports = join(parts), self.options, []
        count = len(lessons.actions)
        for _ in range(options.update_epochs):
            # Equal sizes: a small last minibatch would count as much as the others.
            for rows in np.array_split(self.rng.permutation(count), max(1, round(count / options.minibatch_size))):
                reports.append([*self._backward(lessons, np.sort(rows)), self.learner.update()])
        figures = dict(zip((*REPORTED, "gradient"), np.mean(reports, axis=0).tolist(), strict=True))
        return figures | {"learning_rate": learning_rate, "lessons": float((lessons.ahead != 0).any(axis=1).sum())}

    def _backward(self, lessons: Lessons, rows: Any) -> Any:
        """Add the gradients of a minibatch; return means of `REPORTED`."""
        weight, reported = 1.0 / len(rows), dict[int, Any]()

        def work(model: ActorCritic, chunk: slice) -> None:
            loss, *sums = self._loss(model, lessons, rows[chunk])
            (weight * loss).backward()  # type: ignore[no-untyped-call]
            reported[chunk.start] = weight * np.array([one.item() for one in sums])

        self.learner.run_chunks(work, len(rows))
        return sum(reported[start] for start in sorted(reported))

    def _loss(self, model: ActorCritic, lessons: Lessons, rows: Any) -> tuple[Tensor, ...]:
        """Return the loss of some lessons and the sums of `REPORTED`."""
        # A copy of the inputs, so that threads share nothing.
        inputs = lessons.inputs.take(rows)
        outputs = self.learner.forward(model, inputs, slice(None))
        gained, divergence = policy_change(outputs.logits, lessons, rows)
        scale = float(self.network.value_scale)
        seated = torch.arange(outputs.values.shape[1]) < torch.from_numpy(inputs.players.astype(np.int64))[:, None]
        errors = (outputs.values.float() * scale - torch.from_numpy(lessons.values[rows])) ** 2 * seated
        value_error = (errors.sum(dim=1) / seated.sum(dim=1)).sum()
        loss = divergence.sum() - self.options.step_size * gained.sum() + self.options.vf_coef * value_error
        return loss, gained.sum(), divergence.sum(), value_error

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors = {f"teacher.{name}": tensor for name, tensor in self.teacher.network.state_dict().items()}
        for index, env in enumerate(self.collector.envs):
            tensors[f"games.{index}"] = torch.frombuffer(bytearray(env.snapshot()), dtype=torch.uint8)
        return tensors, {"rng": self.rng.bit_generator.state}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        self.network.load_state_dict(part_of(tensors, "network"))
        self.teacher.network.load_state_dict(part_of(tensors, "teacher"))
        for index, env in enumerate(self.collector.envs):
            env.restore(tensors[f"games.{index}"].numpy().tobytes())
        self.rng.bit_generator.state = described["rng"]


def policy_change(logits: Tensor, lessons: Lessons, rows: Any) -> tuple[Tensor, Tensor]:
    """Return the expected gain of the new policy in the trials, and its divergence from the teacher's, each (k,).

    logits: (k, num_actions) of the lessons `rows`.
    """
    masks = torch.from_numpy(lessons.inputs.masks[rows])
    log_probs = torch.log_softmax(masked(logits, masks), dim=1)
    probs = log_probs.exp()
    ahead, actions = torch.from_numpy(lessons.ahead[rows]), torch.from_numpy(lessons.actions[rows])
    gained = (probs.gather(1, actions) * ahead).sum(dim=1)
    difference = (log_probs - torch.from_numpy(lessons.log_probs[rows])).masked_fill(masks == 0, 0.0)
    return gained, (probs * difference).sum(dim=1)


def join(lessons: Sequence[Lessons]) -> Lessons:
    """Return all lessons concatenated."""
    columns = zip(*(one.inputs for one in lessons), strict=True)
    inputs = Inputs(*(None if parts[0] is None else np.concatenate(parts) for parts in columns))
    return Lessons(inputs, *(np.concatenate(parts) for parts in zip(*(one[1:] for one in lessons), strict=True)))


def prepare(options: Options) -> tuple[Distillation, Run]:
    """Return the training and its folder; ValueError as in `trainer.prepare`."""
    return trainer.prepare("distil", options, check, lambda resolved, _: Distillation(resolved, make_games(resolved)))


def check(options: Options) -> None:
    """Raise ValueError for the first option out of range."""
    check_run(options)
    if options.num_envs < (least := len(player_counts(options))):
        raise ValueError(f"--num-envs must be at least {least}, not {options.num_envs}")
    if options.start is None and options.resume is None:
        raise ValueError(f"--start: name the network to teach, e.g. {NETWORK} or {CHECKPOINT} of a run")
    if options.lookahead_interval > options.num_steps:
        limit = f"--num-steps, {options.num_steps}"
        raise ValueError(f"--lookahead-interval must be at most {limit}, not {options.lookahead_interval}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used."""
    return train_command("distil", Options, prepare, argv)
