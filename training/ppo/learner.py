"""What learns in `training.ppo` and `training.distil`: an actor-critic, its optimizer, passes over what was played."""

from __future__ import annotations

import copy
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks.network import Network, PlayingNetwork, load_network
from agents.sampling import sample
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.network import Shape
from training.ppo import losses, trajectories
from training.ppo.collector import Choices, Inputs
from training.ppo.losses import REPORTED, Coefficients, Gradients, Minibatch
from training.ppo.trajectories import Estimates, Trajectories

#: Decisions that a thread hands to the network at once: what they need fits into the cache of a core.
PIECE: Final = 1024
#: Part of the decisions that are learned from, where it is not all, that is drawn from those that tell least.
DRAWN: Final = 0.2


class ActorCritic(nn.Module):
    """What is learned: the network, and a critic that sees everything, if there is one.

    Args:
        shape: of the network.
        privileged: size of the privileged vector; 0 for no critic.
    """

    def __init__(self, shape: Shape, privileged: int) -> None:
        super().__init__()
        self.network = Network(shape)
        self.critic: nn.Sequential | None = None
        if privileged:
            # Values by seat, since the privileged vector stands in no seat's order of play.
            self.critic = nn.Sequential(
                nn.Linear(privileged, shape.width), nn.ReLU(), nn.Linear(shape.width, shape.width), nn.ReLU(),
                nn.Linear(shape.width, shape.seats),
            )  # fmt: skip


@dataclass(frozen=True)
class Settings:
    """How is learned.

    Attributes:
        learning_rate: at the start; it falls evenly to the share `final_learning_rate` of it.
        batch: decisions of a gradient step.
        epochs: passes over the decisions of an iteration, at most.
        kept: share of an iteration's decisions that are learned from, most of them those of the largest advantages in
            size; 1 for all (advantage filtering: Stratego's Ataraxos, arXiv 2511.07312; `Learner.telling`).
        target_kl: no further pass begins after one whose mean KL divergence from the policy that played was larger; 0
            for all passes.
        clip: of the ratio of probabilities (`losses.Coefficients`).
        entropy: weight of the entropy bonus at the start; it falls evenly to the share `final_entropy` of it.
        max_grad_norm: of a batch.
        privileged: whether there is a critic that sees everything.
        threads: on a processor.
        device: cpu or cuda.
        bfloat16: whether layers run in it.
        records: on a GPU, whether steps of the optimizer are recorded and replayed (`training.gpu.graphs`).
        compiled: on a GPU, whether network and loss are compiled by torch.
    """

    learning_rate: float
    final_learning_rate: float
    batch: int
    epochs: int
    kept: float
    target_kl: float
    clip: float
    entropy: float
    final_entropy: float
    max_grad_norm: float
    privileged: bool
    threads: int
    device: str
    bfloat16: bool
    records: bool = False
    compiled: bool = False


class Outputs(NamedTuple):
    """Of some decisions: logits (k, num_actions), the network's values (k, seats), and the critic's, which are the same
    tensor where there is none."""

    logits: Tensor
    values: Tensor
    critic_values: Tensor


class Learner:
    """An actor-critic, its optimizer, and where and how precisely they work.

    On a processor every thread has a replica of the model that shares its weights and has gradients of its own, and
    works on a part of the rows in pieces that fit its cache: that is faster, and less disturbed by other programs, than
    sharing out each single layer.  The number of threads changes results by the order of sums only.

    Args:
        game: one of those that are played; the others have the same observations and actions.
        shape: of the network.
        settings: the rest.
    """

    def __init__(self, game: Game, shape: Shape, settings: Settings) -> None:
        self.settings, self.device = settings, settings.device
        self.model = ActorCritic(shape, game.privileged.size if settings.privileged else 0).to(self.device)
        self.network = self.model.network
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.learning_rate, eps=1e-5, fused=True)
        self.dtype = torch.bfloat16 if settings.bfloat16 else torch.float32
        self.units = torch.from_numpy(1.0 / game.observations.scales()).to(self.device, self.dtype)
        self.replicas = [self.model]
        while len(self.replicas) < settings.threads and self.device == "cpu":
            self.replicas.append(copy.deepcopy(self.model))
            for own, shared in zip(self.replicas[-1].parameters(), self.model.parameters(), strict=True):
                own.data = shared.data
        # Compiled code works on a processor's memory; elsewhere torch does the same.
        self.compiled = self.device == "cpu"
        named = self.model.named_parameters()
        self.choosing = [one for name, one in named if not name.startswith(("network.value.", "critic."))]
        self.piece = PIECE if self.compiled else 1 << 62
        self.pool = ThreadPoolExecutor(len(self.replicas))

    def load(self, file: Path, game: Game) -> PlayingNetwork:
        """A network out of a file; CheckpointError if it is not of the learner's class and shape."""
        found = load_network(file, game, self.device)
        if type(found) is not type(self.network):
            kinds = f"a {type(found).__name__}, and this run's is a {type(self.network).__name__}"
            raise CheckpointError(f"checkpoint {file}: its network is {kinds}; training.expert goes on with any")
        if found.shape != self.network.shape:
            raise CheckpointError(f"checkpoint {file}: its network is {found.shape}, this run's {self.network.shape}")
        return found

    def spread(self, work: Callable[[ActorCritic, slice], None], rows: int) -> None:
        """Do `work` on all rows, in pieces, each thread with its replica of the model."""
        edges = np.linspace(0, rows, len(self.replicas) + 1).astype(int).tolist()

        def part(number: int) -> None:
            for first in range(edges[number], edges[number + 1], self.piece):
                work(self.replicas[number], slice(first, min(first + self.piece, edges[number + 1])))

        waiting = [self.pool.submit(part, number) for number in range(1, len(self.replicas))]
        part(0)
        for one in waiting:
            one.result()

    def forward(self, model: ActorCritic, inputs: Inputs, rows: Any) -> Outputs:
        """What a replica makes of some rows."""
        quantities = torch.from_numpy(inputs.observations[rows]).to(self.device).to(self.dtype)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.settings.bfloat16):
            logits, values = model.network(quantities * self.units)
            if model.critic is None:
                return Outputs(logits, values, values)
            by_seat = model.critic(torch.from_numpy(inputs.privileged[rows]).to(self.device).to(self.dtype))
        places = inputs.movers[rows][:, None].astype(np.int64) + np.arange(values.shape[1])
        order = torch.from_numpy(places % inputs.players[rows][:, None]).to(self.device)
        return Outputs(logits, values, by_seat.gather(1, order))

    def decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        """Draw actions for all rows; values are in units of the reward."""
        scale = float(self.network.value_scale)

        def work(model: ActorCritic, rows: slice) -> None:
            with torch.no_grad():
                outputs = self.forward(model, inputs, rows)
            choices.values[rows] = outputs.critic_values.float().cpu().numpy() * scale
            logits = outputs.logits.float().cpu().numpy()
            sample(logits, inputs.masks[rows], uniforms[rows], choices.actions[rows], choices.log_probs[rows])

        self.spread(work, len(inputs.movers))

    def returns(self, data: Trajectories, discount: float, gae_lambda: float, estimates: Estimates) -> None:
        """`trajectories.returns` where the learner's numbers are."""
        trajectories.returns(data, discount, gae_lambda, estimates)

    def begin(self, progress: float) -> tuple[Coefficients, float]:
        """Set the pace of an iteration, `progress` of the run being over, 0 to 1; returns it with the learning rate."""
        settings = self.settings
        learning_rate = settings.learning_rate * (1.0 - (1.0 - settings.final_learning_rate) * progress)
        self.set_rate(learning_rate)
        entropy = settings.entropy * (1.0 - (1.0 - settings.final_entropy) * progress)
        return Coefficients(settings.clip, entropy), learning_rate

    def set_rate(self, learning_rate: float) -> None:
        """Tell the optimizer."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate

    def learn(
        self, inputs: Inputs, rollout: Minibatch, progress: float, rng: Any, values_only: bool = False
    ) -> dict[str, float]:
        """All passes of an iteration.

        Args:
            inputs: of all its decisions, one row for each.
            rollout: what was done there and what came of it, the same rows.
            progress: how much of the run is over, 0 to 1.
            rng: decides about the order.
            values_only: whether only the heads of values learn, the critic too, and what is chosen stays as it is; they
                learn from all decisions.
        """
        coefficients, learning_rate = self.begin(progress)
        share = 1.0 if values_only else self.settings.kept
        rows, means = self.telling(rollout, share, rng), []
        for _ in range(self.settings.epochs):
            means.append(self._pass(inputs, rollout, self.shuffled(rows, rng), coefficients, values_only))
            if 0.0 < self.settings.target_kl < means[-1][REPORTED.index("kl")]:
                break
        figures = dict(zip((*REPORTED, "gradient"), np.mean(means, axis=0).tolist(), strict=True))
        return figures | {"learning_rate": learning_rate, "passes": len(means)}

    def telling(self, rollout: Minibatch, share: float, rng: Any) -> Any:
        """The decisions that are learned from, int64 (k,): all, or a share of them; writes `rollout.weights`.

        Most are those that went other than expected by most; where there was no choice there is nothing that a policy
        could learn.  Values learned from these alone would come out too high where one of several wins, since winning
        is what nobody expected: so a part (`DRAWN`) is drawn by `rng` from all others and weighs as much as they would.
        """
        count = len(rollout.actions)
        if share >= 1.0:
            rollout.weights[...] = 1.0
            return np.arange(count)
        most, drawn = parts_of(count, share)
        sizes = np.where((rollout.masks != 0).sum(axis=1) > 1, np.abs(rollout.advantages), 0.0)
        others, rows = np.split(np.argpartition(sizes, count - most), [count - most])
        some = rng.choice(others, drawn, replace=False, shuffle=False)
        rollout.weights[rows] = (most + drawn) / count
        rollout.weights[some] = (most + drawn) / count * len(others) / max(1, drawn)
        return np.sort(np.concatenate([rows, some]))

    def shuffled(self, rows: Any, rng: Any) -> Any:
        """The same in another order."""
        return rng.permutation(rows)

    def _pass(
        self, inputs: Inputs, rollout: Minibatch, order: Any, coefficients: Coefficients, values_only: bool
    ) -> list[float]:
        """A pass over the decisions `order`; means of what is `REPORTED`, and of the gradient's norm."""
        batch, reports = self.settings.batch, []
        for first in range(0, len(order) - batch + 1, batch):
            rows = np.sort(order[first : first + batch])
            report = self._backward(inputs, rollout, rows, coefficients)
            reports.append([*report, self.descend(values_only)])
        means: list[float] = np.mean(reports, axis=0).tolist()
        return means

    def _backward(self, inputs: Inputs, rollout: Minibatch, rows: Any, coefficients: Coefficients) -> Any:
        """Add the gradients of a batch, the decisions `rows`, to those of the replicas; returns what is reported."""
        weight = 1.0 / max(1, int(rollout.known[rows, 0].sum()))
        reported: dict[int, Any] = {}

        def work(model: ActorCritic, piece: slice) -> None:
            some = rows[piece]
            batch = Minibatch(*(one[some] for one in rollout))
            outputs = self.forward(model, inputs, some)
            differentiate = self._differentiate if self.compiled else self._differentiate_in_torch
            reported[piece.start] = differentiate(outputs, batch, weight, coefficients)

        self.spread(work, len(rows))
        return sum(reported[start] for start in sorted(reported))

    def _differentiate(self, outputs: Outputs, batch: Minibatch, weight: float, coefficients: Coefficients) -> Any:
        """Run the compiled gradient of the loss back through the network."""
        logits, values, critic_values = outputs
        found = Gradients(
            np.empty(logits.shape, dtype=np.float32), np.empty(critic_values.shape, dtype=np.float32),
            np.zeros(len(REPORTED)), np.empty(logits.shape[1], dtype=np.int64),
        )  # fmt: skip
        numbers = logits.detach().float().numpy(), critic_values.detach().float().numpy()
        losses.gradient(*numbers, weight, coefficients, batch, found)
        tensors: list[Tensor] = [logits, critic_values]
        given: list[Tensor | None] = [
            torch.from_numpy(found.logits).to(logits.dtype), torch.from_numpy(found.values).to(critic_values.dtype)
        ]  # fmt: skip
        if values is not critic_values:
            # Search asks for the network's own values, also where a critic stands in for them.
            tensors.insert(0, losses.value_error(values, weight, coefficients, _tensors(batch, self.device)))
            given.insert(0, None)
        torch.autograd.backward(tensors, given)
        return found.reported

    def _differentiate_in_torch(
        self, outputs: Outputs, batch: Minibatch, weight: float, coefficients: Coefficients
    ) -> Any:
        """The same by torch's own differentiation."""
        logits, values, critic_values = outputs
        tensors = _tensors(batch, self.device)
        total, found = losses.loss(logits, critic_values, weight, coefficients, tensors)
        if values is not critic_values:
            total = total + losses.value_error(values, weight, coefficients, tensors)
        total.backward()  # type: ignore[no-untyped-call]
        return found.cpu().numpy()

    def descend(self, values_only: bool = False) -> float:
        """One step of the optimizer along the gradients of all replicas; returns their norm."""
        for other in self.replicas[1:]:
            for own, theirs in zip(self.model.parameters(), other.parameters(), strict=True):
                if own.grad is None:
                    own.grad = theirs.grad
                elif theirs.grad is not None:
                    own.grad += theirs.grad
                theirs.grad = None
        if values_only:
            for one in self.choosing:
                one.grad = None
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.max_grad_norm))
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return norm


def kept_of(count: int, share: float) -> int:
    """How many of `count` decisions a share is."""
    return max(1, round(count * share))


def parts_of(count: int, share: float) -> tuple[int, int]:
    """How many of a share of `count` decisions are those that tell most, and how many are drawn from the others."""
    kept = kept_of(count, share)
    drawn = round(DRAWN * kept)
    return kept - drawn, drawn


def _tensors(batch: Minibatch, device: str) -> Minibatch:
    return Minibatch(*(torch.from_numpy(one).to(device) for one in batch))
