"""What a network leaves unused of what it knows: ``python -m training.distil --start runs/first/network.safetensors``.

A search that the network guides plays better than the network: it tries actions and looks what its values say some
decisions later.  This is the same without a search.  The network plays, and where its teacher, the network as it was
at the beginning, is not sure, the likeliest actions are tried in the one world that there is (`training.distil.lookahead`).
What a single trial says is mostly chance; a million of them, each from another position, say what holds in general.

The policy moves along what actions came to, and is held to the teacher's: of a position it would become
``p * exp(step * ahead)``.  That is linear in the results, so that chance in them cancels, where probabilities made of
single results would come out unsure of everything.  Values do not learn anything new: they are held to the teacher's,
which every trial rests on, and do not go astray while the layers below them change.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from agents.networks.network import masked
from agents.networks.neural import check_reward
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import part_of
from training.distil.lookahead import Lookahead
from training.ppo.arguments import RunArguments, check_run, games_of, numbers_of, shape_for
from training.ppo.collector import Choices, Collection, Collector, Inputs
from training.ppo.learner import ActorCritic, Learner, Settings
from training.run import trainer
from training.run.checks import check_least, check_positive
from training.run.folder import CHECKPOINT, NETWORK, Run
from training.run.trainer import Trainer, command_line

#: Gradients are cut to this norm.
MAX_GRAD_NORM: Final = 1.0
#: What is reported of each batch.
REPORTED: Final = ("gained", "divergence", "value_error")


@dataclass(frozen=True)
class Arguments(RunArguments):
    """Teach a network what its own values say some decisions later."""

    start: Path | None = None
    """The network to teach, a file of an earlier run that learned from results; it is its own teacher as it is now."""
    device: str = "cpu"
    """cpu: games are looked ahead from on a processor."""
    envs: int = 1024
    """Games at the same time."""
    steps: int = 256
    """Decisions of every game in an iteration."""
    every: int = 4
    """Of so many decisions of a game one is looked ahead from, if there is doubt."""
    plies: int = 4
    """Decisions that the teacher plays on for, of all seats, before its values stand for the rest."""
    candidates: int = 6
    """Actions that are tried, the likeliest."""
    sure: float = 0.98
    """Where the teacher gives an action this probability, nothing is tried."""
    step: float = 300.0
    """What a difference of results counts against the divergence from the teacher's probabilities."""
    hold: float = 10.0
    """What the squared difference from the teacher's values counts."""
    learning_rate: float = 5e-4
    """Learning rate at the start; it falls evenly."""
    final_learning_rate: float = 0.05
    """Share of the learning rate at the end."""
    batch: int = 2048
    """Decisions of a gradient step, about."""
    epochs: int = 2
    """Passes over the decisions of an iteration."""


class Lessons(NamedTuple):
    """What is learned of k decisions.

    inputs: of their movers; log_shares: float32 (k, num_actions) and values float32 (k, seats), what the teacher says,
    values in units of the reward; actions: int64 (k, candidates), what was tried, and ahead: float32 alike, by how much
    each came to more, zeros where nothing was tried.
    """

    inputs: Inputs
    log_shares: Any
    values: Any
    actions: Any
    ahead: Any


class Distillation(Trainer):
    """A run from its first or its next iteration to its end.

    Args:
        arguments: of the run, which `check` has passed.
        games: one for each number of players; their observations and actions have to be alike.
    """

    arguments: Arguments

    def __init__(self, arguments: Arguments, games: Sequence[Game]) -> None:
        super().__init__(arguments, games, ("gained", "divergence"))
        asked, first = arguments, games[0]
        threads = min(asked.threads or os.cpu_count() or 1, asked.envs, asked.batch)
        torch.set_num_threads(1)
        settings = Settings(
            learning_rate=asked.learning_rate, final_learning_rate=asked.final_learning_rate, batch=asked.batch,
            epochs=asked.epochs, kept=1.0, target_kl=0.0, clip=1.0, entropy=0.0, final_entropy=0.0,
            max_grad_norm=MAX_GRAD_NORM, privileged=False, threads=threads, device=self.device, bfloat16=self.bfloat16,
        )  # fmt: skip
        shape = shape_for(asked, first)
        self.learner, self.teacher = Learner(first, shape, settings), Learner(first, shape, settings)
        self.network, self.optimizer = self.learner.network, self.learner.optimizer
        if asked.start is not None:
            for game in games:
                found = self.learner.load(asked.start, game)
            check_reward(found)
            for one in (self.network, self.teacher.network):
                one.load_state_dict(found.state_dict())
        self.rng = np.random.default_rng(asked.seed)
        collection = Collection(asked.envs, asked.steps, self.network.reward, asked.seed, threads)
        self.collector = Collector(games, None, collection)
        self.lookahead = Lookahead(games, self.teacher, asked.plies, asked.candidates)
        self._turn, self._lessons = 0, list[Lessons]()

    def iterate(self) -> dict[str, Any]:
        """Play, look ahead and learn once; the metrics of the iteration."""
        begun = time.perf_counter()
        # Another decision of a game than in the iteration before.
        self._turn, self._lessons = int(self.rng.integers(self.arguments.every)), []
        played = self.collector.play(self._decide, self.rng)
        collected = time.perf_counter()
        learned = self.learn(self._lessons)
        return played | learned | self.paces(begun, collected, self.arguments.envs * self.arguments.steps)

    def _decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        """Decide in all games, and take down lessons of some decisions before."""
        if self._turn % self.arguments.every == 0:
            for env, part in zip(self.collector.envs, self.collector.parts, strict=True):
                found = self.lessons(env.states, Inputs(*(one[part] for one in inputs)))
                self._lessons += [found] if len(found.actions) else []
        self._turn += 1
        self.learner.decide(inputs, uniforms, choices)

    def lessons(self, states: Any, inputs: Inputs) -> Lessons:
        """Of the games as they stand: decisions of which the teacher is not sure, tried, and as many others, held.

        states: (k,) state array, hidden cards included, of one number of players; inputs: of their movers.
        """
        judged = self.lookahead.judge(inputs)
        chosen = (inputs.masks != 0).sum(axis=1) > 1
        doubtful = chosen & (judged.log_shares.max(axis=1) < np.log(self.arguments.sure))
        others = np.flatnonzero(chosen & ~doubtful)
        tried = np.flatnonzero(doubtful)
        held = np.sort(self.rng.choice(others, min(len(others), len(tried)), replace=False))
        rows = np.concatenate([tried, held])
        actions = np.zeros((len(rows), min(self.arguments.candidates, inputs.masks.shape[1])), dtype=np.int64)
        ahead = np.zeros(actions.shape, dtype=np.float32)
        if len(tried):
            asked = Inputs(*(one[tried] for one in inputs))
            found = self.lookahead.tried(states[tried], asked, judged.log_shares[tried], self.rng)
            actions[: len(tried)], ahead[: len(tried)] = found.actions, found.ahead
        return Lessons(
            Inputs(*(one[rows] for one in inputs)), judged.log_shares[rows], judged.values[rows], actions, ahead
        )

    def learn(self, parts: Sequence[Lessons]) -> dict[str, float]:
        """All passes over the lessons of an iteration."""
        _, learning_rate = self.learner.begin(self.progress)
        if not parts:
            # The teacher was sure of everything.
            return dict.fromkeys((*REPORTED, "gradient", "lessons"), 0.0) | {"learning_rate": learning_rate}
        lessons, asked, reports = joined(parts), self.arguments, []
        count = len(lessons.actions)
        for _ in range(asked.epochs):
            # Of one size: what is left over of whole batches would count as much as any of them.
            for some in np.array_split(self.rng.permutation(count), max(1, round(count / asked.batch))):
                reports.append([*self._backward(lessons, np.sort(some)), self.learner.descend()])
        figures = dict(zip((*REPORTED, "gradient"), np.mean(reports, axis=0).tolist(), strict=True))
        return figures | {"learning_rate": learning_rate, "lessons": float((lessons.ahead != 0).any(axis=1).sum())}

    def _backward(self, lessons: Lessons, rows: Any) -> Any:
        """Add the gradients of a batch, the lessons `rows`; returns what is `REPORTED`, means."""
        weight, reported = 1.0 / len(rows), dict[int, Any]()

        def work(model: ActorCritic, piece: slice) -> None:
            found = self._loss(model, lessons, rows[piece])
            (weight * found[0]).backward()  # type: ignore[no-untyped-call]
            reported[piece.start] = weight * np.array([one.item() for one in found[1:]])

        self.learner.spread(work, len(rows))
        return sum(reported[start] for start in sorted(reported))

    def _loss(self, model: ActorCritic, lessons: Lessons, rows: Any) -> tuple[Tensor, ...]:
        """The loss of some lessons, and what is `REPORTED` of them: sums."""
        asked = self.arguments
        # The inputs are copied: what a thread works on is its own.
        inputs = Inputs(*(one[rows] for one in lessons.inputs))
        outputs = self.learner.forward(model, inputs, slice(None))
        gained, divergence = moved(outputs.logits, lessons, rows)
        scale = float(self.network.value_scale)
        there = torch.arange(outputs.values.shape[1]) < torch.from_numpy(inputs.players.astype(np.int64))[:, None]
        errors = (outputs.values.float() * scale - torch.from_numpy(lessons.values[rows])) ** 2 * there
        value_error = (errors.sum(dim=1) / there.sum(dim=1)).sum()
        loss = divergence.sum() - asked.step * gained.sum() + asked.hold * value_error
        return loss, gained.sum(), divergence.sum(), value_error

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors = {f"teacher.{name}": one for name, one in self.teacher.network.state_dict().items()}
        for number, env in enumerate(self.collector.envs):
            tensors[f"games.{number}"] = torch.frombuffer(bytearray(env.snapshot()), dtype=torch.uint8)
        return tensors, {"rng": self.rng.bit_generator.state}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        self.network.load_state_dict(part_of(tensors, "network"))
        self.teacher.network.load_state_dict(part_of(tensors, "teacher"))
        for number, env in enumerate(self.collector.envs):
            env.restore(tensors[f"games.{number}"].numpy().tobytes())
        self.rng.bit_generator.state = described["rng"]


def moved(logits: Tensor, lessons: Lessons, rows: Any) -> tuple[Tensor, Tensor]:
    """What the new probabilities of lessons, the `rows`, win by what was tried, and their divergence from the
    teacher's, each (k,); logits: (k, num_actions)."""
    masks = torch.from_numpy(lessons.inputs.masks[rows])
    log_shares = torch.log_softmax(masked(logits, masks), dim=1)
    shares = log_shares.exp()
    ahead, actions = torch.from_numpy(lessons.ahead[rows]), torch.from_numpy(lessons.actions[rows])
    gained = (shares.gather(1, actions) * ahead).sum(dim=1)
    apart = (log_shares - torch.from_numpy(lessons.log_shares[rows])).masked_fill(masks == 0, 0.0)
    return gained, (shares * apart).sum(dim=1)


def joined(lessons: Sequence[Lessons]) -> Lessons:
    """All lessons in one."""
    inputs = Inputs(*(np.concatenate(parts) for parts in zip(*(one.inputs for one in lessons), strict=True)))
    return Lessons(inputs, *(np.concatenate(parts) for parts in zip(*(one[1:] for one in lessons), strict=True)))


def prepared(arguments: Arguments) -> tuple[Distillation, Run]:
    """The training and the folder that arguments ask for; ValueError as of `trainer.prepared`."""
    return trainer.prepared("distil", arguments, check, lambda asked, _: Distillation(asked, games_of(asked)))


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    least = dict.fromkeys(("steps", "every", "batch", "epochs"), 1)
    check_run(arguments, {"envs": len(numbers_of(arguments)), "candidates": 2, "plies": 0} | least)
    if arguments.start is None and arguments.resume is None:
        raise ValueError(f"--start: there is nothing to teach; name a network, e.g. a run's {NETWORK} or {CHECKPOINT}")
    if arguments.device != "cpu":
        raise ValueError(f"--device must be cpu, games are looked ahead from on a processor; not {arguments.device!r}")
    if arguments.every > arguments.steps:
        raise ValueError(f"--every must be at most --steps, {arguments.steps}, not {arguments.every}")
    check_least(arguments, dict.fromkeys(("step", "hold"), 0))
    check_positive(arguments, ("learning_rate",))
    for name in ("sure", "final_learning_rate"):
        if not 0.0 < getattr(arguments, name) <= 1.0:
            raise ValueError(f"--{name.replace('_', '-')} must be in (0, 1], not {getattr(arguments, name)}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    return command_line("distil", Arguments, prepared, argv)


if __name__ == "__main__":
    raise SystemExit(main())
