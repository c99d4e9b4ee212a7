"""Rollouts, advantages and minibatches of `training.ppo` on the device that the network is on: nothing crosses over.

Games are `cuda.batch.GpuBatchEnv`; what they show is torch's without a copy.  Choices are drawn and advantages worked out
by the functions of the processor as kernels (`training.gpu.kernels`); all else is torch.  Nothing in the loops waits
for the device, so that a rollout and a step of the optimizer are recorded once and replayed (`training.gpu.graphs`);
figures are read once an iteration.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from porta_nigra_env.core.game.game import Game
from porta_nigra_env.players.network import Shape
from training.gpu.graphs import Recorded
from training.ppo import losses
from training.ppo.arguments import device_of
from training.ppo.collector import Choices, Collection, Inputs
from training.ppo.learner import Learner, Settings, parts_of
from training.ppo.losses import REPORTED, Coefficients, Minibatch
from training.ppo.trajectories import Estimates, Trajectories
from training.run.seeds import later_run_seed


def check_games_on_gpu(device: str) -> None:
    """ValueError where games cannot be on the device that the network is to be on."""
    try:
        from porta_nigra_env.cuda import compile as cuda

        cuda.check_gpu()
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"--games-on gpu: {error}") from error
    if device_of(device) != ("cpu" if cuda.SIMULATED else "cuda"):
        raise ValueError(f"--games-on gpu: the network has to be there as well, not --device {device}")


def shared(array: Any, device: str) -> Tensor:
    """An array of a GPU as a tensor of the same memory; of a simulated one, a tensor on the processor."""
    if hasattr(array, "__cuda_array_interface__"):
        return torch.as_tensor(array, device=device)
    return torch.from_numpy(vars(array)["_ary"])


class Shown(NamedTuple):
    """What an environment shows, as tensors of the same memory, which its steps overwrite (`cuda.batch.GpuBatchEnv`)."""

    observations: Tensor
    action_masks: Tensor
    current_player: Tensor
    rewards: Tensor
    terminated: Tensor
    final_places: Tensor
    final_scores: Tensor


class GpuCollector:
    """As `collector.Collector` with every seat learning, on a GPU.

    Args:
        games: one for each number of players; the games are shared out evenly.
        settings: without a pool and without privileged vectors.
        device: torch's name of it.
    """

    def __init__(self, games: Sequence[Game], settings: Collection, device: str) -> None:
        from porta_nigra_env.cuda.batch import GpuBatchEnv
        from porta_nigra_env.cuda.compile import lent  # needs the extra `gpu`

        self.settings, self.device, self._lent = settings, device, lent
        n, steps, first = settings.envs, settings.steps, games[0]
        edges = np.linspace(0, n, len(games) + 1).astype(int).tolist()
        self.parts = [slice(*ends) for ends in itertools.pairwise(edges)]
        self.matches: dict[int, Any] = {}
        self.envs = []
        for number, (game, part) in enumerate(zip(games, self.parts, strict=True)):
            env = GpuBatchEnv(
                game, part.stop - part.start, reward=settings.reward, observations="uint8", illegal_action="terminate"
            )
            env.reset(seed=later_run_seed(settings.seed, number + 1))
            self.envs.append(env)

        def empty(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(shape, dtype=dtype, device=device)

        players = empty(n, dtype=torch.int8)
        for game, part in zip(games, self.parts, strict=True):
            players[part] = game.num_players
        self.observations = empty(steps, n, first.observations.size, dtype=torch.uint8)
        self.masks = empty(steps, n, first.actions.size, dtype=torch.int8)
        self.actions, self.log_probs = empty(steps, n, dtype=torch.int64), empty(steps, n, dtype=torch.float32)
        self.data = Trajectories(
            players=players,
            movers=empty(steps, n, dtype=torch.int8),
            rewards=empty(steps, n, max(game.num_players for game in games), dtype=torch.float32),
            ended=empty(steps, n, dtype=torch.bool),
            values=empty(steps, n, max(first.seats), dtype=torch.float32),
        )
        self.ages = [empty(part.stop - part.start, dtype=torch.int64) for part in self.parts]
        self.shown = [Shown(*(shared(getattr(env, name), device) for name in Shown._fields)) for env in self.envs]
        self._told = empty(3, dtype=torch.float64)
        self._rollout: Recorded | None = None

    def count_ages(self) -> None:
        """Look how far the games are, after they were restored."""
        for env, age in zip(self.envs, self.ages, strict=True):
            age.copy_(torch.from_numpy(env.bookkeeping()["length"].astype(np.int64)))

    def play(self, decide: Callable[[Inputs, Tensor, Choices], None], generator: torch.Generator) -> dict[str, float]:
        """Fill the tensors of an iteration; returns what the games that ended were like.

        decide, generator: the same at every call; the one fills `Choices`, the other draws for it, on the device.
        """
        if self._rollout is None:
            self._rollout = Recorded(
                lambda: self._play(decide, generator), self.device, [generator], self.settings.records
            )
        self._told.zero_()
        self._rollout()
        games, lengths, scores = self._told.tolist()
        return {"games": games, "length": lengths / max(1, games), "winner_score": scores / max(1, games)}

    def _play(self, decide: Callable[[Inputs, Tensor, Choices], None], generator: torch.Generator) -> None:
        data = self.data
        parts = list(zip(self.envs, self.shown, self.parts, self.ages, strict=True))
        for step in range(self.settings.steps):
            for _, shown, part, _ in parts:
                self.observations[step, part] = shown.observations
                self.masks[step, part] = shown.action_masks
                data.movers[step, part] = shown.current_player
            inputs = Inputs(self.observations[step], self.masks[step], data.movers[step], data.players, None)
            uniforms = torch.rand(len(data.players), dtype=torch.float64, device=self.device, generator=generator)
            decide(inputs, uniforms, Choices(self.actions[step], self.log_probs[step], data.values[step]))
            for env, shown, part, age in parts:
                env.step(self._lent(self.actions[step, part]))
                data.rewards[step, part, : env.game.num_players] = shown.rewards
                ended = data.ended[step, part]
                ended.copy_(shown.terminated)
                age += 1
                best = shown.final_scores.masked_fill(shown.final_places != 1, torch.iinfo(torch.int32).min)
                self._told += torch.stack([ended.sum(), (age * ended).sum(), (best.max(dim=1).values * ended).sum()])
                age.masked_fill_(ended, 0)

    def inputs(self) -> Inputs:
        """All decisions of an iteration, step by step."""
        movers = self.data.movers
        players = self.data.players.expand(movers.shape)
        observations, masks = (one.reshape(movers.numel(), one.shape[2]) for one in (self.observations, self.masks))
        return Inputs(observations, masks, movers.reshape(-1), players.reshape(-1), None)


class GpuLearner(Learner):
    """A learner of tensors that lie where its network does."""

    def __init__(self, game: Game, shape: Shape, settings: Settings) -> None:
        from training.gpu import kernels as gpu_kernels  # needs the extra `gpu`

        super().__init__(game, shape, settings)
        self._kernels = gpu_kernels
        # What changes from step to step stands in tensors, where a recorded step looks it up.
        self.entropy = torch.zeros((), device=self.device)
        for group in self.optimizer.param_groups:
            group.update(lr=torch.tensor(settings.learning_rate, device=self.device), capturable=self.device != "cpu")
        self._told = torch.zeros(len(REPORTED) + 1, device=self.device)
        self._rows = torch.zeros(settings.batch, dtype=torch.int64, device=self.device)
        self._steps: dict[bool, Recorded] = {}
        # Fused into few kernels by torch's compiler, where that is asked for.
        self._judge = torch.compile(self.judge) if settings.compiled else self.judge

    def set_rate(self, learning_rate: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"].fill_(learning_rate)

    def forward_tensors(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values of observations, uint8 (k, observation_size)."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.settings.bfloat16):
            logits, values = self.network(observations.to(self.dtype) * self.units)
        return logits, values

    def decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        with torch.no_grad():
            logits, values = self.forward_tensors(inputs.observations)
            choices.values.copy_(values.float() * self.network.value_scale)
            self._kernels.sample(logits.float(), inputs.masks, uniforms, choices.actions, choices.log_probs)

    def returns(self, data: Trajectories, discount: float, gae_lambda: float, estimates: Estimates) -> None:
        self._kernels.returns(data, discount, gae_lambda, estimates)

    def judge(self, observations: Tensor, batch: Minibatch, coefficients: Coefficients) -> tuple[Tensor, Tensor]:
        """The loss of some decisions, a scalar, and what is reported, (5,)."""
        weight: Any = 1.0 / batch.known[:, 0].sum().clamp(min=1)
        logits, values = self.forward_tensors(observations)
        return losses.loss(logits.float(), values, weight, coefficients, batch)

    def telling(self, rollout: Minibatch, share: float, rng: Any) -> Tensor:
        """As `Learner.telling`; rng: torch's, on the device."""
        count = len(rollout.actions)
        if share >= 1.0:
            rollout.weights.fill_(1.0)
            return torch.arange(count, device=self.device)
        most, drawn = parts_of(count, share)
        sizes = rollout.advantages.abs().masked_fill((rollout.masks != 0).sum(dim=1) < 2, 0.0)
        rows = sizes.topk(most).indices
        lots = torch.rand(count, device=self.device, generator=rng)
        some = lots.index_fill(0, rows, -1.0).topk(drawn).indices
        rollout.weights[rows] = (most + drawn) / count
        rollout.weights[some] = (most + drawn) / count * (count - most) / max(1, drawn)
        chosen: Tensor = torch.cat([rows, some]).sort().values
        return chosen

    def shuffled(self, rows: Any, rng: Any) -> Any:
        """The same in another order; rng: torch's, on the device."""
        mixed: Tensor = rows[torch.randperm(len(rows), device=self.device, generator=rng)]
        return mixed

    def _pass(
        self, inputs: Inputs, rollout: Minibatch, order: Any, coefficients: Coefficients, values_only: bool
    ) -> list[float]:
        """As `Learner._pass`; inputs, rollout: in the same memory at every call."""
        batch = self.settings.batch
        self.entropy.fill_(coefficients.entropy)
        self._told.zero_()
        if values_only not in self._steps:
            seen, constants = inputs.observations, coefficients._replace(entropy=self.entropy)  # type: ignore[arg-type]
            self._steps[values_only] = Recorded(
                lambda: self._step(seen, rollout, constants, values_only), self.device, (), self.settings.records
            )
        starts = range(0, len(order) - batch + 1, batch)
        for first in starts:
            self._rows.copy_(order[first : first + batch])
            self._steps[values_only]()
        # The only look at a number of the GPU's, once a pass.
        means: list[float] = (self._told / len(starts)).tolist()
        return means

    def _step(self, observations: Tensor, rollout: Minibatch, coefficients: Coefficients, values_only: bool) -> None:
        """A step of the optimizer on the decisions `_rows`; what is reported, and the gradient's norm, is added up."""
        batch = Minibatch(*(one[self._rows] for one in rollout))
        total, reported = self._judge(observations[self._rows], batch, coefficients)
        self.optimizer.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        if values_only:
            for one in self.choosing:
                one.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        self._told += torch.cat([reported.float(), norm[None]])
