"""Learner of `training.ppo` and `training.distil`: actor-critic, optimizer, passes over a rollout."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from agents.networks.components import ComponentNetwork
from agents.networks.history import HistoryNetwork, HistoryShape
from agents.networks.network import Network, PlayingNetwork, load_network
from agents.sampling import sample
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.checkpoint import CheckpointError
from porta_nigra_env.players.component_network import ComponentShape, Sets, numbers_of
from porta_nigra_env.players.network import Shape
from training.ppo import layers, losses
from training.ppo.collector import Choices, Inputs
from training.ppo.losses import REPORTED, Coefficients, Gradients, Minibatch
from training.ppo.options import Options, num_kept
from training.ppo.teacher import Lesson, divergence, divergence_gradient
from training.run import trajectories
from training.run.trajectories import Estimates, Trajectories

#: Rows that a thread passes to the network at once: their activations fit the cache of a core.
CHUNK: Final = 1024
#: Part of the kept steps that is sampled from those with small advantages.
SAMPLED: Final = 0.2


class ActorCritic(nn.Module):
    """The network, and a critic that sees hidden cards if `privileged`, the size of its input, is not 0."""

    def __init__(self, network: Network, privileged: int) -> None:
        super().__init__()
        self.network, shape = network, network.shape
        self.critic: nn.Sequential | None = None
        if privileged:
            # Values by seat: the privileged vector has no mover.
            self.critic = nn.Sequential(
                nn.Linear(privileged, shape.width), nn.ReLU(), nn.Linear(shape.width, shape.width), nn.ReLU(),
                nn.Linear(shape.width, shape.seats),
            )  # fmt: skip


def new_network(shape: Shape, game: Game) -> Network:
    """Return a new network of the class that has this kind of shape."""
    if isinstance(shape, ComponentShape):
        return ComponentNetwork.described(shape, game)
    return HistoryNetwork(shape) if isinstance(shape, HistoryShape) else Network(shape)


class Outputs(NamedTuple):
    """Logits (k, num_actions), values of the network (k, seats) and of the critic, or the network's again."""

    logits: Tensor
    values: Tensor
    critic_values: Tensor


class Learner:
    """Actor-critic with its optimizer.

    On a CPU every thread has a replica of the model with shared weights and separate gradients, and works on chunks
    that fit the cache.  This is faster than parallel layers.  The number of threads changes only the order of sums.

    Args:
        game: one of the games, which share observation and action spaces.
        shape: shape of the network.
        options: options with resolved device and precision.
    """

    def __init__(self, game: Game, shape: Shape, options: Options) -> None:
        self.options, self.device = options, options.device
        privileged = game.privileged.size if options.privileged else 0
        self.model = ActorCritic(new_network(shape, game), privileged).to(self.device)
        self.network = self.model.network
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=options.learning_rate, eps=1e-5, fused=True)
        self.bfloat16 = options.precision == "bfloat16"
        self.dtype = torch.bfloat16 if self.bfloat16 else torch.float32
        self.raw_units = (1.0 / game.observations.scales()).astype(np.float32)
        self.units = torch.from_numpy(self.raw_units).to(self.device, self.dtype)
        #: The component sets of `Inputs.sets`, for a network that plays with any.
        self.sets: Sets | None = None
        #: The network of `--teacher`, for the first `component_weight` of the sets.
        self.teacher: Network | None = None
        #: The network of `--start-teaches`, for the other sets.
        self.start: Network | None = None
        self.replicas = [self.model]
        while len(self.replicas) < options.num_threads and self.device == "cpu":
            self.replicas.append(copy.deepcopy(self.model))
            for own, shared in zip(self.replicas[-1].parameters(), self.model.parameters(), strict=True):
                own.data = shared.data
        # The compiled loss needs CPU memory; on other devices torch differentiates it.
        self.compiled = self.device == "cpu"
        named = self.model.named_parameters()
        self.policy_parameters = [one for name, one in named if not name.startswith(("network.value.", "critic."))]
        # bfloat16 units multiply whole matrices faster than parts can be selected.
        self.narrow = self.compiled and not self.bfloat16 and type(self.network) in (Network, ComponentNetwork)
        self.chunk = CHUNK if self.compiled else 1 << 62
        self.pool = ThreadPoolExecutor(len(self.replicas))

    def load(self, file: Path, game: Game) -> PlayingNetwork:
        """Load a network; CheckpointError if its class or shape differs from the learner's.

        A learner of one component set takes a network of all sets as the plain one that it is for the game, and a
        learner of several a plain network as one that ignores the components.
        """
        network = load_network(file, game, self.device)
        if not self.network.any_components:
            network = network.for_game(game)
        elif type(network) is Network:
            network = ComponentNetwork.ignoring_components(network, game)
        if type(network) is not type(self.network):
            kinds = f"a {type(network).__name__}, and this run's is a {type(self.network).__name__}"
            raise CheckpointError(f"checkpoint {file}: its network is {kinds}; training.expert accepts any class")
        if network.shape != self.network.shape:
            raise CheckpointError(f"checkpoint {file}: its network is {network.shape}, this run's {self.network.shape}")
        return network

    def read_sets(self, games: Sequence[Game]) -> None:
        """Read the component sets of `Inputs.sets` from games."""
        assert isinstance(self.network, ComponentNetwork), "other networks know one set"
        self.sets = self.network.sets(np.stack([numbers_of(game).vector for game in games]))

    def run_chunks(self, work: Callable[[ActorCritic, slice], None], rows: int) -> None:
        """Call `work` for chunks of all rows, in parallel, with the replica of each thread."""
        edges = np.linspace(0, rows, len(self.replicas) + 1).astype(int).tolist()

        def part(number: int) -> None:
            for first in range(edges[number], edges[number + 1], self.chunk):
                work(self.replicas[number], slice(first, min(first + self.chunk, edges[number + 1])))

        futures = [self.pool.submit(part, number) for number in range(1, len(self.replicas))]
        part(0)
        for future in futures:
            future.result()

    def forward(self, model: ActorCritic, inputs: Inputs, rows: Any, legal: layers.Legal | None = None) -> Outputs:
        """Return the outputs of a replica for some rows; with their `legal` actions, logits are of these alone."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            logits, values = self._play(model.network, inputs, rows, legal)
            if model.critic is None:
                return Outputs(logits, values, values)
            by_seat = model.critic(torch.from_numpy(inputs.privileged[rows]).to(self.device).to(self.dtype))
        seats = inputs.movers[rows][:, None].astype(np.int64) + np.arange(values.shape[1])
        order = torch.from_numpy(seats % inputs.players[rows][:, None]).to(self.device)
        return Outputs(logits, values, by_seat.gather(1, order))

    def _play(self, network: Network, inputs: Inputs, rows: Any, legal: layers.Legal | None) -> tuple[Tensor, Tensor]:
        """Return logits and values of a replica's network for some rows of the inputs."""
        seen, components = inputs.observations[rows], None
        if isinstance(network, ComponentNetwork):
            assert self.sets is not None, "the collector gives the component sets"
            components = network.rows(seen, self.raw_units, self.sets, np.ascontiguousarray(inputs.sets[rows]))
        if legal is not None:
            return layers.evaluate(network, seen, self.raw_units, legal, components)
        observations = torch.from_numpy(seen).to(self.device).to(self.dtype) * self.units
        if components is not None:
            return components.choose(observations, np.ascontiguousarray(inputs.masks[rows]))
        histories = [torch.from_numpy(inputs.histories[rows]).to(self.device)] if self.options.history else []
        logits, values = network(observations, *histories)
        return logits, values

    def decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        """Sample actions for all rows (`collector.Decide`)."""
        scale = float(self.network.value_scale)

        def work(model: ActorCritic, rows: slice) -> None:
            masks, actions = inputs.masks[rows], choices.actions[rows]
            legal = layers.Legal.of(masks) if self.narrow else None
            with torch.no_grad():
                outputs = self.forward(model, inputs, rows, legal)
            choices.values[rows] = outputs.critic_values.float().cpu().numpy() * scale
            logits = outputs.logits.float().cpu().numpy()
            sample(logits, masks if legal is None else legal.masks, uniforms[rows], actions, choices.log_probs[rows])
            if legal is not None:
                actions[:] = legal.actions[np.arange(len(actions)), actions]

        self.run_chunks(work, len(inputs.movers))

    def returns(self, data: Trajectories, estimates: Estimates) -> None:
        """Write advantages and targets (`trajectories.returns`)."""
        trajectories.returns(data, self.options.gamma, self.options.gae_lambda, estimates)

    def schedule(self, progress: float) -> tuple[Coefficients, float]:
        """Set the learning rate for the finished fraction of the run; return it with the loss coefficients."""
        options = self.options
        learning_rate = options.learning_rate * (1.0 - (1.0 - options.final_learning_rate) * progress)
        self.set_learning_rate(learning_rate)
        ent_coef = options.ent_coef * (1.0 - (1.0 - options.final_ent_coef) * progress)
        teacher_coef = options.teacher_coef * (1.0 - (1.0 - options.final_teacher_coef) * progress)
        return Coefficients(options.clip_coef, ent_coef, teacher_coef=teacher_coef), learning_rate

    def set_learning_rate(self, learning_rate: float) -> None:
        """Set the learning rate of the optimizer."""
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate

    def learn(
        self, inputs: Inputs, rollout: Minibatch, progress: float, rng: Any, values_only: bool = False
    ) -> dict[str, float]:
        """Run all passes of an iteration; return means of the reported metrics.

        Args:
            inputs: all steps of the rollout, one row each.
            rollout: actions and estimates of the same rows.
            progress: finished fraction of the run.
            rng: source of the order of steps.
            values_only: update only the value heads and the critic, from all steps.
        """
        coefficients, learning_rate = self.schedule(progress)
        fraction = 1.0 if values_only else self.options.keep_fraction
        rows, means = self.filter_steps(rollout, fraction, rng), []
        for _ in range(self.options.update_epochs):
            means.append(self._pass(inputs, rollout, self.shuffle(rows, rng), coefficients, values_only))
            if 0.0 < self.options.target_kl < means[-1][REPORTED.index("kl")]:
                break
        names = (*REPORTED, *(["teacher_kl"] if self.is_taught else []), "gradient")
        figures = dict(zip(names, np.mean(means, axis=0).tolist(), strict=True))
        if self.is_taught:
            known = rollout.known[rows, 0] != 0
            taught = np.concatenate([places for _, places in self._taught(inputs, rows, known)])
            figures["teacher_kl"] *= float(known.sum() / max(1.0, rollout.weights[rows][taught].sum()))
        return figures | {"learning_rate": learning_rate, "passes": len(means)}

    def filter_steps(self, rollout: Minibatch, fraction: float, rng: Any) -> Any:
        """Return the steps to learn from, int64 (k,), and write `rollout.weights`.

        Most have the largest absolute advantages among steps with a choice (advantage filtering: Ataraxos,
        arXiv 2511.07312).  Values and policy learned from these alone would be biased: wins are the surprises, and of
        an action with rare large gains only the gains would count.  So `rng` samples the part `SAMPLED` from the
        remaining steps, with importance weights that stand for all of them.
        """
        count = len(rollout.actions)
        if fraction >= 1.0:
            rollout.weights[...] = 1.0
            return np.arange(count)
        largest, sampled = filter_sizes(count, fraction)
        legal = np.empty(count, dtype=np.int64)
        losses.count_legal(rollout.masks, legal)
        sizes = np.where(legal > 1, np.abs(rollout.advantages), 0.0)
        others, rows = np.split(np.argpartition(sizes, count - largest), [count - largest])
        sample_rows = rng.choice(others, sampled, replace=False, shuffle=False)
        rollout.weights[rows] = (largest + sampled) / count
        rollout.weights[sample_rows] = (largest + sampled) / count * len(others) / max(1, sampled)
        return np.sort(np.concatenate([rows, sample_rows]))

    def shuffle(self, rows: Any, rng: Any) -> Any:
        """Return the rows in random order."""
        return rng.permutation(rows)

    def _pass(
        self, inputs: Inputs, rollout: Minibatch, order: Any, coefficients: Coefficients, values_only: bool
    ) -> list[float]:
        """Learn from the steps `order` in minibatches; return means of `REPORTED` and of the gradient norm."""
        size, reports = self.options.minibatch_size, []
        for first in range(0, len(order) - size + 1, size):
            rows = np.sort(order[first : first + size])
            report = self._backward(inputs, rollout, rows, coefficients)
            reports.append([*report, self.update(values_only)])
        means: list[float] = np.mean(reports, axis=0).tolist()
        return means

    def _backward(self, inputs: Inputs, rollout: Minibatch, rows: Any, coefficients: Coefficients) -> Any:
        """Add the gradients of a minibatch to the replicas; return `REPORTED`, with a teacher its divergence, too."""
        weight = 1.0 / max(1, int(rollout.known[rows, 0].sum()))
        reported: dict[int, Any] = {}

        def work(model: ActorCritic, chunk: slice) -> None:
            some = rows[chunk]
            batch = Minibatch(*(array[some] for array in rollout))
            legal = layers.Legal.of(batch.masks) if self.narrow else None
            outputs = self.forward(model, inputs, some, legal)
            if legal is not None:
                batch = batch._replace(masks=legal.masks, actions=legal.numbers(batch.actions))
            lesson = self._lesson(inputs, some, batch, legal)
            differentiate = self._differentiate if self.compiled else self._differentiate_in_torch
            reported[chunk.start] = differentiate(outputs, batch, weight, coefficients, lesson)

        self.run_chunks(work, len(rows))
        return sum(reported[start] for start in sorted(reported))

    @property
    def is_taught(self) -> bool:
        """True if the loss has the divergence from a teacher."""
        return self.teacher is not None or self.start is not None

    def _taught(self, inputs: Inputs, rows: Any, known: Any) -> list[tuple[Network, Any]]:
        """Return each teacher with the places in `rows`, int64 (taught,), of those that it teaches.

        known: bool (k,), false for steps to leave out.
        """
        drawn = np.zeros(len(rows), dtype=np.bool_)
        if self.sets is not None:
            drawn = inputs.sets[rows] >= self.options.component_weight
        of = ((self.teacher, known & ~drawn), (self.start, known & drawn))
        return [(network, np.flatnonzero(places)) for network, places in of if network is not None]

    def _lesson(self, inputs: Inputs, rows: Any, batch: Minibatch, legal: layers.Legal | None) -> Lesson | None:
        """Return the teachers' policies in the rows of a minibatch that they teach; None without a teacher."""
        if not self.is_taught:
            return None
        found = list[Tensor]()
        taught = self._taught(inputs, rows, batch.known[:, 0] != 0)
        for teacher, places in taught:
            listed = None if legal is None else layers.Legal(*(array[places] for array in legal))
            with torch.no_grad(), torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
                found.append(self._play(teacher, inputs, rows[places], listed)[0].float())
        places, logits = np.concatenate([places for _, places in taught]), torch.cat(found)
        return Lesson(places, logits.numpy()) if self.compiled else Lesson(torch.from_numpy(places), logits)

    def _differentiate(
        self, outputs: Outputs, batch: Minibatch, weight: float, coefficients: Coefficients,
        lesson: Lesson | None = None,
    ) -> Any:  # fmt: skip
        """Backpropagate the compiled gradient of the loss."""
        logits, values, critic_values = outputs
        out = Gradients(
            np.empty(logits.shape, dtype=np.float32), np.empty(critic_values.shape, dtype=np.float32),
            np.zeros(len(REPORTED)), np.empty(logits.shape[1], dtype=np.int64),
        )  # fmt: skip
        arrays = logits.detach().float().numpy(), critic_values.detach().float().numpy()
        losses.gradient(*arrays, weight, coefficients, batch, out)
        reported = out.reported
        if lesson is not None:
            factor = coefficients.teacher_coef
            reported = np.append(reported, divergence_gradient(arrays[0], factor, weight, batch, lesson, out))
        tensors: list[Tensor] = [logits, critic_values]
        gradients: list[Tensor | None] = [
            torch.from_numpy(out.logits).to(logits.dtype), torch.from_numpy(out.values).to(critic_values.dtype)
        ]  # fmt: skip
        if values is not critic_values:
            # Search uses the network's own values, so they learn next to the critic's.
            tensors.insert(0, losses.value_error(values, weight, coefficients, _tensors(batch, self.device)))
            gradients.insert(0, None)
        torch.autograd.backward(tensors, gradients)
        return reported

    def _differentiate_in_torch(
        self, outputs: Outputs, batch: Minibatch, weight: float, coefficients: Coefficients,
        lesson: Lesson | None = None,
    ) -> Any:  # fmt: skip
        """Backpropagate the loss with torch's autograd."""
        logits, values, critic_values = outputs
        tensors = _tensors(batch, self.device)
        total, reported = losses.loss(logits, critic_values, weight, coefficients, tensors)
        if values is not critic_values:
            total = total + losses.value_error(values, weight, coefficients, tensors)
        if lesson is not None:
            term = divergence(logits, weight, tensors, lesson)
            total, reported = total + coefficients.teacher_coef * term, torch.cat([reported, term.detach()[None]])
        total.backward()  # type: ignore[no-untyped-call]
        return reported.cpu().numpy()

    def update(self, values_only: bool = False) -> float:
        """Update the weights with the gradients of all replicas; return the gradient norm."""
        for other in self.replicas[1:]:
            for own, theirs in zip(self.model.parameters(), other.parameters(), strict=True):
                if own.grad is None:
                    own.grad = theirs.grad
                elif theirs.grad is not None:
                    own.grad += theirs.grad
                theirs.grad = None
        if values_only:
            for parameter in self.policy_parameters:
                parameter.grad = None
        norm = float(torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.options.max_grad_norm))
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)
        return norm


def filter_sizes(count: int, fraction: float) -> tuple[int, int]:
    """Return how many kept steps of `count` have the largest advantages, and how many are sampled."""
    kept = num_kept(count, fraction)
    sampled = round(SAMPLED * kept)
    return kept - sampled, sampled


def _tensors(batch: Minibatch, device: str) -> Minibatch:
    return Minibatch(*(torch.from_numpy(array).to(device) for array in batch))
