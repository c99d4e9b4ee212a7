"""Rollouts, advantages and minibatches of `training.ppo` on a GPU, without transfers to the CPU.

Games are `cuda.batch.GpuBatchEnv`, whose arrays are shared with torch.  Kernels compiled from the CPU functions sample
actions and compute advantages (`training.gpu.kernels`); torch does everything else.  The loops never wait for the GPU,
so a rollout and a gradient update are recorded once and replayed (`training.gpu.graphs`).  Metrics are read once per
iteration.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.network import Shape
from training.gpu.graphs import Recorded
from training.ppo import losses
from training.ppo.collector import Choices, Inputs, stagger
from training.ppo.learner import Learner, filter_sizes
from training.ppo.losses import REPORTED, Coefficients, Minibatch
from training.ppo.options import Options
from training.ppo.program import Training
from training.run.options import derive_seed, resolve_device
from training.run.trajectories import Estimates, Trajectories


def check_device(device: str) -> None:
    """Raise ValueError if there is no GPU, or if the network is on another device."""
    try:
        from porta_nigra_env.cuda import compile as cuda

        cuda.check_gpu()
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"--env-device gpu: {error}") from error
    if resolve_device(device) != ("cpu" if cuda.SIMULATED else "cuda"):
        raise ValueError(f"--env-device gpu: the network must be on the GPU too, not on --device {device}")


def as_tensor(array: Any, device: str) -> Tensor:
    """Return a GPU array as a tensor of the same memory; the array of a simulated GPU as a CPU tensor."""
    if hasattr(array, "__cuda_array_interface__"):
        return torch.as_tensor(array, device=device)
    return torch.from_numpy(vars(array)["_ary"])


class EnvTensors(NamedTuple):
    """Arrays of a `cuda.batch.GpuBatchEnv` as tensors of the same memory, overwritten by its steps."""

    observations: Tensor
    action_masks: Tensor
    current_player: Tensor
    rewards: Tensor
    terminated: Tensor
    final_places: Tensor
    final_scores: Tensor


class GpuCollector:
    """`collector.Collector` on a GPU, with every seat learning.

    Args:
        games: one per number of players; the parallel games are split evenly.
        options: options of the run, without a pool and a privileged critic.
    """

    def __init__(self, games: Sequence[Game], options: Options) -> None:
        from porta_nigra_env.cuda.batch import GpuBatchEnv
        from porta_nigra_env.cuda.compile import lent

        self.options, self.device, self._lent = options, options.device, lent
        n, steps, first = options.num_envs, options.num_steps, games[0]
        edges = np.linspace(0, n, len(games) + 1).astype(int).tolist()
        self.parts = [slice(*ends) for ends in itertools.pairwise(edges)]
        self.matches: dict[int, Any] = {}
        self.envs = []
        for index, (game, part) in enumerate(zip(games, self.parts, strict=True)):
            env = GpuBatchEnv(
                game, part.stop - part.start, reward=options.reward, observations="uint8", illegal_action="terminate"
            )
            env.reset(seed=derive_seed(options.seed, index + 1))
            self.envs.append(env)

        def zeros(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=self.device)

        players = zeros(n, dtype=torch.int8)
        for game, part in zip(games, self.parts, strict=True):
            players[part] = game.num_players
        self.observations = zeros(steps, n, first.observations.size, dtype=torch.uint8)
        self.masks = zeros(steps, n, first.actions.size, dtype=torch.int8)
        self.actions, self.log_probs = zeros(steps, n, dtype=torch.int64), zeros(steps, n, dtype=torch.float32)
        self.data = Trajectories(
            players=players,
            movers=zeros(steps, n, dtype=torch.int8),
            rewards=zeros(steps, n, max(game.num_players for game in games), dtype=torch.float32),
            ended=zeros(steps, n, dtype=torch.bool),
            values=zeros(steps, n, max(first.seats), dtype=torch.float32),
        )
        self.ages = [zeros(part.stop - part.start, dtype=torch.int64) for part in self.parts]
        self.tensors = [
            EnvTensors(*(as_tensor(getattr(env, name), self.device) for name in EnvTensors._fields))
            for env in self.envs
        ]
        self._totals = zeros(3, dtype=torch.float64)
        self._rollout: Recorded | None = None

    def begin(self) -> None:
        """Spread the games over their steps, before the first iteration (`stagger`)."""
        for env in self.envs:
            stagger(env)
        self.read_ages()

    def read_ages(self) -> None:
        """Read the lengths of the games, which random play or a checkpoint began."""
        for env, age in zip(self.envs, self.ages, strict=True):
            age.copy_(torch.from_numpy(env.bookkeeping()["length"].astype(np.int64)))

    def play(self, decide: Callable[[Inputs, Tensor, Choices], None], generator: torch.Generator) -> dict[str, float]:
        """Fill the tensors of an iteration; return metrics of the finished games.

        Both arguments must be the same at every call: `decide` fills `Choices`, `generator` draws for it on the device.
        """
        if self._rollout is None:
            self._rollout = Recorded(
                lambda: self._play(decide, generator), self.device, [generator], self.options.cuda_graphs
            )
        self._totals.zero_()
        self._rollout()
        games, lengths, scores = self._totals.tolist()
        return {"games": games, "length": lengths / max(1, games), "winner_score": scores / max(1, games)}

    def _play(self, decide: Callable[[Inputs, Tensor, Choices], None], generator: torch.Generator) -> None:
        data = self.data
        parts = list(zip(self.envs, self.tensors, self.parts, self.ages, strict=True))
        for step in range(self.options.num_steps):
            for _, tensors, part, _ in parts:
                self.observations[step, part] = tensors.observations
                self.masks[step, part] = tensors.action_masks
                data.movers[step, part] = tensors.current_player
            inputs = Inputs(self.observations[step], self.masks[step], data.movers[step], data.players, None)
            uniforms = torch.rand(len(data.players), dtype=torch.float64, device=self.device, generator=generator)
            decide(inputs, uniforms, Choices(self.actions[step], self.log_probs[step], data.values[step]))
            for env, tensors, part, age in parts:
                env.step(self._lent(self.actions[step, part]))
                data.rewards[step, part, : env.game.num_players] = tensors.rewards
                ended = data.ended[step, part]
                ended.copy_(tensors.terminated)
                age += 1
                best = tensors.final_scores.masked_fill(tensors.final_places != 1, torch.iinfo(torch.int32).min)
                self._totals += torch.stack([ended.sum(), (age * ended).sum(), (best.max(dim=1).values * ended).sum()])
                age.masked_fill_(ended, 0)

    def inputs(self) -> Inputs:
        """Return the inputs of all steps of an iteration, flattened step by step."""
        movers = self.data.movers
        players = self.data.players.expand(movers.shape)
        observations, masks = (one.reshape(movers.numel(), one.shape[2]) for one in (self.observations, self.masks))
        return Inputs(observations, masks, movers.reshape(-1), players.reshape(-1), None)


class GpuLearner(Learner):
    """Learner whose rollout is on the device of its network; random sources are torch generators on the device."""

    def __init__(self, game: Game, shape: Shape, options: Options) -> None:
        from training.gpu import kernels  # needs a GPU

        super().__init__(game, shape, options)
        self._kernels = kernels
        # Values that change between updates are tensors, so that a recorded update reads them.
        self.entropy = torch.zeros((), device=self.device)
        for group in self.optimizer.param_groups:
            group.update(lr=torch.tensor(options.learning_rate, device=self.device), capturable=self.device != "cpu")
        self._totals = torch.zeros(len(REPORTED) + 1, device=self.device)
        self._rows = torch.zeros(options.minibatch_size, dtype=torch.int64, device=self.device)
        self._steps: dict[bool, Recorded] = {}
        self._loss = torch.compile(self.loss) if options.compile else self.loss

    def set_learning_rate(self, learning_rate: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"].fill_(learning_rate)

    def forward_tensors(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits and values of observations, uint8 (k, observation_size)."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.bfloat16):
            logits, values = self.network(observations.to(self.dtype) * self.units)
        return logits, values

    def decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        with torch.no_grad():
            logits, values = self.forward_tensors(inputs.observations)
            choices.values.copy_(values.float() * self.network.value_scale)
            self._kernels.sample(logits.float(), inputs.masks, uniforms, choices.actions, choices.log_probs)

    def returns(self, data: Trajectories, estimates: Estimates) -> None:
        self._kernels.returns(data, self.options.gamma, self.options.gae_lambda, estimates)

    def loss(self, observations: Tensor, batch: Minibatch, coefficients: Coefficients) -> tuple[Tensor, Tensor]:
        """Return the loss of a minibatch, a scalar, and the reported metrics, (5,)."""
        weight: Any = 1.0 / batch.known[:, 0].sum().clamp(min=1)
        logits, values = self.forward_tensors(observations)
        return losses.loss(logits.float(), values, weight, coefficients, batch)

    def filter_steps(self, rollout: Minibatch, fraction: float, rng: Any) -> Tensor:
        count = len(rollout.actions)
        if fraction >= 1.0:
            rollout.weights.fill_(1.0)
            return torch.arange(count, device=self.device)
        largest, sampled = filter_sizes(count, fraction)
        sizes = rollout.advantages.abs().masked_fill((rollout.masks != 0).sum(dim=1) < 2, 0.0)
        rows = sizes.topk(largest).indices
        lots = torch.rand(count, device=self.device, generator=rng)
        sample_rows = lots.index_fill(0, rows, -1.0).topk(sampled).indices
        rollout.weights[rows] = (largest + sampled) / count
        rollout.weights[sample_rows] = (largest + sampled) / count * (count - largest) / max(1, sampled)
        chosen: Tensor = torch.cat([rows, sample_rows]).sort().values
        return chosen

    def shuffle(self, rows: Any, rng: Any) -> Any:
        shuffled: Tensor = rows[torch.randperm(len(rows), device=self.device, generator=rng)]
        return shuffled

    def _pass(
        self, inputs: Inputs, rollout: Minibatch, order: Any, coefficients: Coefficients, values_only: bool
    ) -> list[float]:
        """Run `Learner._pass`; `inputs` and `rollout` must be in the same memory at every call."""
        size = self.options.minibatch_size
        self.entropy.fill_(coefficients.ent_coef)
        self._totals.zero_()
        if values_only not in self._steps:
            seen, constants = inputs.observations, coefficients._replace(ent_coef=self.entropy)  # type: ignore[arg-type]
            self._steps[values_only] = Recorded(
                lambda: self._step(seen, rollout, constants, values_only), self.device, (), self.options.cuda_graphs
            )
        starts = range(0, len(order) - size + 1, size)
        for first in starts:
            self._rows.copy_(order[first : first + size])
            self._steps[values_only]()
        # The only transfer from the GPU, once per pass.
        means: list[float] = (self._totals / len(starts)).tolist()
        return means

    def _step(self, observations: Tensor, rollout: Minibatch, coefficients: Coefficients, values_only: bool) -> None:
        """Update the weights with the minibatch `_rows`; add reported metrics and gradient norm to `_totals`."""
        batch = Minibatch(*(tensor[self._rows] for tensor in rollout))
        total, reported = self._loss(observations[self._rows], batch, coefficients)
        self.optimizer.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        if values_only:
            for parameter in self.policy_parameters:
                parameter.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.options.max_grad_norm)
        self.optimizer.step()
        self._totals += torch.cat([reported.float(), norm[None]])


class GpuTraining(Training):
    """A run with its games on the GPU of its network."""

    def __init__(self, options: Options, games: Sequence[Game]) -> None:
        super().__init__(options, games)
        self.draws = torch.Generator(self.device).manual_seed(options.seed)
        self.estimates = Estimates(*(torch.from_numpy(array).to(self.device) for array in self.estimates))
        self.weights = torch.from_numpy(self.weights).to(self.device)

    def _make_learner(self, shape: Shape) -> Learner:
        return GpuLearner(self.games[0], shape, self.options)

    def _make_collector(self) -> GpuCollector:
        return GpuCollector(self.games, self.options)

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors, described = super().state()
        return tensors | {"draws": self.draws.get_state()}, described

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        super().restore(tensors, described)
        self.draws.set_state(tensors["draws"])
        self.collector.read_ages()
