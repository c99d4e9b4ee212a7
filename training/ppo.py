"""Masked self-play PPO on BatchEnv: ``python -m training.ppo --minutes 3 --out runs/first``.

One network plays all seats.  Every iteration plays `steps` decisions in each of `envs` games, works out advantages for
every seat along its own decisions (`training.losses.returns`), and learns from them for `epochs` passes.  A part of the
games can be played against a pool of past selves and scripted agents instead (prioritised fictitious self-play).

On processors with bfloat16 matrix units (AMX) the layers run in bfloat16, otherwise in float32; the weights are float32
in any case.  The same file runs on a CUDA device.
"""

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks.network import SEATS, CheckpointError, Network, Shape, load_network, part_of
from porta_nigra_env.core.game import Game
from training import losses, trainer
from training.collector import Collector, Seen
from training.losses import REPORTED, Clip
from training.pool import Pool
from training.runs import Run
from training.trainer import RunArguments, Trainer, check_run, command_line, games_of

#: Decisions that a thread hands to the network at once: what they need fits into the cache of a core.
PIECE: Final = 1024


@dataclass(frozen=True)
class Arguments(RunArguments):
    """Train a network by self-play."""

    envs: int = 1024
    """Games at the same time."""
    steps: int = 128
    """Decisions of every game in an iteration."""
    reward: str = "outcome"
    """outcome: the win; margin: points ahead of the others' mean; vp: own points."""
    rate: float = 5e-4
    """Learning rate at the start; it falls to a twentieth."""
    batch: int = 2048
    """Decisions of a gradient step."""
    epochs: int = 4
    """Passes over the decisions of an iteration."""
    discount: float = 1.0
    """Of a seat's next decision."""
    trace: float = 0.95
    """Lambda of the advantage estimator."""
    clip: float = 0.2
    """How far a probability may move before its gain stops counting."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start; it falls to a tenth."""
    norm: float = 0.5
    """Largest norm of a gradient."""
    critic: str = "shared"
    """shared: values come from the network; privileged: from a second one that sees all cards, in training only."""
    pool: float = 0.0
    """Share of the games that are played against a pool: past selves and scripted agents, the harder the more often."""
    pool_agents: tuple[str, ...] = ("builder",)
    """Compiled agents in the pool."""
    rivals: tuple[Path, ...] = ()
    """Networks that are in the pool from the start, and stay; at most `pool_size`."""
    pool_size: int = 6
    """Rivals and past selves in the pool."""
    pool_every: int = 25
    """A past self enters the pool after so many iterations."""

    def without_files(self) -> Self:
        return replace(self, start=None, rivals=())


class Pupil(nn.Module):
    """What is learned: the network, and a critic that sees everything, if there is one.

    Args:
        shape: of the network.
        secrets: size of the privileged vector; 0 for no critic.
    """

    def __init__(self, shape: Shape, secrets: int) -> None:
        super().__init__()
        self.network = Network(shape)
        self.critic: nn.Sequential | None = None
        if secrets:
            # Values by seat, since the privileged vector stands in no seat's order of play.
            self.critic = nn.Sequential(
                nn.Linear(secrets, shape.width), nn.ReLU(), nn.Linear(shape.width, shape.width), nn.ReLU(),
                nn.Linear(shape.width, SEATS),
            )  # fmt: skip


class Learner:
    """Pupil, optimizer, and where and how precisely they work.

    On a processor every thread has a copy of the pupil that shares its weights and has gradients of its own, and works
    on a part of the rows in pieces that fit its cache: that is faster, and less disturbed by other programs, than
    sharing out each single layer.  The number of threads changes results by the order of sums only.
    """

    def __init__(self, game: Game, arguments: Arguments, threads: int, device: str, halved: bool) -> None:
        self.arguments, self.device, self.halved = arguments, device, halved
        secrets = game.privileged.size if arguments.critic == "privileged" else 0
        self.pupil = Pupil(Shape.of(game, arguments.width, arguments.blocks), secrets).to(self.device)
        self.network = self.pupil.network
        self.optimizer = torch.optim.Adam(self.pupil.parameters(), lr=arguments.rate, eps=1e-5, fused=True)
        units = torch.from_numpy(1.0 / game.observations.scales())
        self.units = units.to(self.device, torch.bfloat16 if self.halved else torch.float32)
        if arguments.start is not None:
            self.network.load_state_dict(self.alike(arguments.start, game).state_dict())
        self.copies = [self.pupil]
        while len(self.copies) < threads and self.device == "cpu":
            self.copies.append(copy.deepcopy(self.pupil))
            for own, shared in zip(self.copies[-1].parameters(), self.pupil.parameters(), strict=True):
                own.data = shared.data
        # Compiled code works on a processor's memory; elsewhere torch does the same.
        self.compiled = self.device == "cpu"
        self.piece = PIECE if self.compiled else 1 << 62
        self.pool = ThreadPoolExecutor(len(self.copies))

    def alike(self, file: Path, game: Game) -> Network:
        """A network out of a file; CheckpointError if it is not of the learner's shape."""
        found = load_network(file, game, self.device)
        if found.shape != self.network.shape:
            raise CheckpointError(f"checkpoint {file}: its network is {found.shape}, this run's {self.network.shape}")
        return found

    def spread(self, work: Callable[[Pupil, slice], None], rows: int) -> None:
        """Do `work` on all rows, in pieces, each thread with its copy of the pupil."""
        edges = np.linspace(0, rows, len(self.copies) + 1).astype(int).tolist()

        def share(number: int) -> None:
            for first in range(edges[number], edges[number + 1], self.piece):
                work(self.copies[number], slice(first, min(first + self.piece, edges[number + 1])))

        waiting = [self.pool.submit(share, number) for number in range(1, len(self.copies))]
        share(0)
        for one in waiting:
            one.result()

    def forward(self, pupil: Pupil, seen: Seen, rows: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Logits, the network's values and the critic's (the same where there is none) of some rows."""
        quantities = torch.from_numpy(seen.observations[rows]).to(self.device).to(self.units.dtype)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.halved):
            logits, values = pupil.network(quantities * self.units)
            if pupil.critic is None:
                return logits, values, values
            judged = pupil.critic(torch.from_numpy(seen.secrets[rows]).to(self.device).to(self.units.dtype))
        places = seen.movers[rows][:, None].astype(np.int64) + np.arange(SEATS)
        order = torch.from_numpy(places % seen.players[rows][:, None]).to(self.device)
        return logits, values, judged.gather(1, order)

    def decide(self, seen: Seen, uniforms: Any, actions: Any, logs: Any, worth: Any) -> None:
        """Draw actions for all rows; writes actions, their log-probabilities, and values in units of the reward."""
        scale = float(self.network.value_scale)

        def work(pupil: Pupil, rows: slice) -> None:
            with torch.no_grad():
                logits, _, judged = self.forward(pupil, seen, rows)
            worth[rows] = judged.float().cpu().numpy() * scale
            shown = logits.float().cpu().numpy()
            losses.sample(shown, seen.masks[rows], uniforms[rows], actions[rows], logs[rows])

        self.spread(work, len(seen.movers))

    def learn(self, seen: Seen, lessons: Sequence[Any], share: float, rng: np.random.Generator) -> dict[str, float]:
        """All epochs of an iteration.

        Args:
            seen: of all its decisions, one row for each.
            lessons: actions, logs, advantages, targets and known of `losses.loss`, the same rows.
            share: how much of the run is over.
            rng: decides about the order.
        """
        chosen, count = self.arguments, len(seen.movers)
        for group in self.optimizer.param_groups:
            group["lr"] = chosen.rate * (1.0 - 0.95 * share)
        clip = Clip(chosen.clip, chosen.entropy * (1.0 - 0.9 * share))
        reports, norms = [], []
        for _ in range(chosen.epochs):
            order = rng.permutation(count)
            for first in range(0, count - chosen.batch + 1, chosen.batch):
                reports.append(self._backward(seen, lessons, np.sort(order[first : first + chosen.batch]), clip))
                norms.append(self._descend())
        means = np.mean(reports, axis=0)
        rate = self.optimizer.param_groups[0]["lr"]
        return dict(zip(REPORTED, means.tolist(), strict=True)) | {"gradient": float(np.mean(norms)), "rate": rate}

    def _backward(self, seen: Seen, lessons: Sequence[Any], rows: Any, clip: Clip) -> Any:
        """Add the gradients of a batch, the decisions `rows`, to those of the copies; returns what is reported."""
        *_, known = lessons
        weight = 1.0 / max(1, int(known[rows, 0].sum()))
        reported: dict[int, Any] = {}

        def work(pupil: Pupil, piece: slice) -> None:
            some = rows[piece]
            part = [one[some] for one in (seen.masks, *lessons)]
            logits, values, judged = self.forward(pupil, seen, some)
            outputs: list[Tensor] = [] if values is judged else [self._error(values, part, weight, clip)]
            given: list[Tensor | None] = [None] * len(outputs)
            if not self.compiled:
                tensors = [torch.from_numpy(one).to(self.device) for one in part]
                total, found = losses.loss(logits, judged, weight, clip, *tensors)
                torch.autograd.backward([total, *outputs])
                reported[piece.start] = found.cpu().numpy()
                return
            reported[piece.start] = np.zeros(len(REPORTED))
            slopes, value_slopes = np.empty(logits.shape, dtype=np.float32), np.empty(judged.shape, dtype=np.float32)
            shown, worth = logits.detach().float().numpy(), judged.detach().float().numpy()
            losses.gradient(shown, worth, weight, clip, slopes, value_slopes, reported[piece.start], *part)
            given += [torch.from_numpy(slopes).to(logits.dtype), torch.from_numpy(value_slopes).to(judged.dtype)]
            torch.autograd.backward([*outputs, logits, judged], given)

        self.spread(work, len(rows))
        return sum(reported[start] for start in sorted(reported))

    def _error(self, values: Tensor, part: Sequence[Any], weight: float, clip: Clip) -> Tensor:
        """What the network's own values are off, where a critic stands in for them: search still asks for them."""
        *_, targets, known = (torch.from_numpy(one).to(self.device) for one in part)
        scales = torch.tensor([clip.value, *[clip.others] * (SEATS - 1)], device=self.device)
        return 0.5 * weight * (known * scales * (values.float() - targets) ** 2).sum()

    def _descend(self) -> float:
        """One step of the optimizer along the gradients of all copies; returns their norm."""
        for other in self.copies[1:]:
            for own, theirs in zip(self.pupil.parameters(), other.parameters(), strict=True):
                if own.grad is not None and theirs.grad is not None:
                    own.grad += theirs.grad
                theirs.grad = None
        norm = float(torch.nn.utils.clip_grad_norm_(self.pupil.parameters(), self.arguments.norm))
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return norm


class Training(Trainer):
    """A run from its first or its next iteration to its end.

    Args:
        arguments: of the run, which `check` has passed.
        games: one for each number of players; their observations and actions have to be alike.
    """

    arguments: Arguments

    def __init__(self, arguments: Arguments, games: Sequence[Game]) -> None:
        super().__init__(arguments, games, ("entropy", "kl"))
        # Every thread has something to do.
        threads = min(arguments.threads or os.cpu_count() or 1, arguments.envs, arguments.batch)
        torch.set_num_threads(1)
        self.rng = np.random.default_rng(arguments.seed)
        self.learner = Learner(self.games[0], arguments, threads, self.device, self.halved)
        self.network, self.optimizer = self.learner.network, self.learner.optimizer
        self.network.reward = arguments.reward
        self.pool = Pool(len(arguments.pool_agents), self.learner.network, arguments.pool_size, arguments.seed)
        for file in arguments.rivals:
            self.pool.enter(self.learner.alike(file, self.games[0]), stays=True)
        if not self.pool.present:
            # Somebody has to be met in the first games.
            self.pool.enter(self.learner.network)
        self.data = Collector(
            self.games, self.pool, envs=arguments.envs, steps=arguments.steps, reward=arguments.reward,
            seed=arguments.seed, threads=threads, share=arguments.pool, scripted=arguments.pool_agents,
            secrets=arguments.critic == "privileged",
        )  # fmt: skip
        shape = self.data.values.shape
        self.advantages = np.zeros(shape[:2], dtype=np.float32)
        self.targets, self.known = np.zeros(shape, dtype=np.float32), np.zeros(shape, dtype=np.int8)

    def iterate(self) -> dict[str, Any]:
        """Play and learn once; the metrics of the iteration."""
        chosen, data, learner = self.arguments, self.data, self.learner
        begun = time.perf_counter()
        if data.meetings and self.iteration and self.iteration % chosen.pool_every == 0:
            self.pool.enter(learner.network)
        for meetings in data.meetings.values():
            meetings.choose()
        played = data.play(learner.decide, self.rng)
        collected = time.perf_counter()
        judged = self.judge()
        figures = learner.learn(data.seen(), self.lessons(), self.share, self.rng)
        if data.meetings:
            scripted, present = self.pool.scripted, self.pool.present
            names, shares = list(chosen.pool_agents), self.pool.won[:scripted].tolist()
            if present > scripted:
                names, shares = [*names, "past_selves"], [*shares, self.pool.won[scripted:present].mean()]
            figures |= {f"won_against/{name}": float(one) for name, one in zip(names, shares, strict=True)}
        figures["value_scale"] = float(learner.network.value_scale)
        return figures | played | judged | self.paces(begun, collected, data.movers.size)

    def judge(self) -> dict[str, float]:
        """Advantages and targets of what was played: normalised the ones, in units of `value_scale` the others."""
        chosen, data = self.arguments, self.data
        losses.returns(
            data.players, data.movers, data.rewards, data.ended, data.values, chosen.discount, chosen.trace,
            self.advantages, self.targets, self.known,
        )  # fmt: skip
        used = self.known[..., 0] != 0
        own, guessed = self.targets[..., 0][used], data.values[..., 0][used]
        explained = 1.0 - float(np.var(own - guessed)) / max(float(np.var(own)), 1e-12)
        self._rescale(own)
        kept = self.advantages[used]
        np.divide(self.advantages - kept.mean(), kept.std() + 1e-8, out=self.advantages)
        return {"explained_variance": explained, "learned_from": float(used.mean())}

    def lessons(self) -> tuple[Any, ...]:
        """Actions, logs, advantages, targets and known of all decisions, as `Learner.learn` wants them."""
        data, rows = self.data, self.data.movers.size
        return (
            data.actions.reshape(rows), data.logs.reshape(rows), self.advantages.reshape(rows),
            self.targets.reshape(rows, -1), self.known.reshape(rows, -1),
        )  # fmt: skip

    def _rescale(self, own: Any) -> None:
        """Keep targets near one in size, and the values of network and critic what they were.

        As PopArt (arXiv 1602.07714), scale only: a root mean square, without a mean.  What a table's seats get of
        `outcome` and `margin` adds up to nothing, so that their mean is near zero and the scale near their deviation.
        Own points (`vp`) have a mean, which stays within the scale and which the values have to learn.
        """
        network = self.learner.network
        before = float(network.value_scale)
        size = float(np.sqrt(np.mean(own**2))) if own.size else before
        after = size if self.iteration == 0 else 0.95 * before + 0.05 * size
        after = max(after, 1e-6)
        critic = self.learner.pupil.critic
        heads = [*network.value.parameters(), *(critic[-1].parameters() if critic is not None else [])]
        with torch.no_grad():
            for parameter in heads:
                parameter.mul_(before / after)
            network.value_scale.fill_(after)
        self.targets /= after

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors: dict[str, Tensor] = {}
        if self.learner.pupil.critic is not None:
            tensors |= {f"critic.{name}": one for name, one in self.learner.pupil.critic.state_dict().items()}
        for number, env in enumerate(self.data.envs):
            tensors[f"games.{number}"] = torch.frombuffer(bytearray(env.snapshot()), dtype=torch.uint8)
        if self.data.meetings:
            tensors |= {f"pool.{name}": one for name, one in self.pool.tensors().items()}
        for number, meetings in self.data.meetings.items():
            tensors[f"meetings.{number}"] = torch.from_numpy(np.stack([meetings.playing, meetings.next]))
        return tensors, {"rng": self.rng.bit_generator.state, "pool": self.pool.description()}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        learned = {name: one for name, one in tensors.items() if name.partition(".")[0] in ("network", "critic")}
        self.learner.pupil.load_state_dict(learned)
        for number, env in enumerate(self.data.envs):
            env.restore(tensors[f"games.{number}"].numpy().tobytes())
        for number, meetings in self.data.meetings.items():
            meetings.playing[:], meetings.next[:] = tensors[f"meetings.{number}"].numpy()
        if self.data.meetings:
            self.pool.restore(part_of(tensors, "pool"), described["pool"])
        self.rng.bit_generator.state = described["rng"]


def prepared(arguments: Arguments) -> tuple[Training, Run]:
    """The training and the folder that arguments ask for; ValueError as of `trainer.prepared`."""
    return trainer.prepared("ppo", arguments, check, lambda asked, _: Training(asked, games_of(asked)))


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    least = dict.fromkeys(("batch", "epochs", "pool_size", "pool_every"), 1)
    check_run(arguments, {"envs": len(arguments.players), "steps": 2} | least)
    if arguments.batch > arguments.envs * arguments.steps:
        raise ValueError(
            f"--batch must be at most envs * steps = {arguments.envs * arguments.steps}, not {arguments.batch}"
        )
    if arguments.critic not in ("shared", "privileged"):
        raise ValueError(f"--critic must be shared or privileged, not {arguments.critic!r}")
    if len(arguments.rivals) > arguments.pool_size:
        raise ValueError(f"--rivals: there are {len(arguments.rivals)}, but --pool-size is {arguments.pool_size}")
    if not 0.0 <= arguments.pool <= 1.0:
        raise ValueError(f"--pool must be in 0..1, not {arguments.pool}")
    for name in ("discount", "trace", "clip"):
        if not 0.0 < getattr(arguments, name) <= 1.0:
            raise ValueError(f"--{name} must be in (0, 1], not {getattr(arguments, name)}")


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    return command_line("ppo", Arguments, prepared, argv)


if __name__ == "__main__":
    raise SystemExit(main())
