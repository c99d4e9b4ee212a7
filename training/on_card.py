"""Rollouts, advantages and minibatches of `training.ppo` on the device that the network is on: nothing crosses over.

Games are `envs.gpu.GpuBatchEnv`; what they show is torch's without a copy.  All else is torch, so that it is the same
on a processor, where tests hold it against the compiled functions of `training.losses`.  Nothing in the loops waits for
the device: figures are read once an iteration.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from porta_nigra_env.core.game import Game
from porta_nigra_env.core.rng import later_seed
from training import losses
from training.arguments import device_of
from training.collector import Choices, Collection, Inputs
from training.learner import Learner
from training.losses import REPORTED, Coefficients, Estimates, Minibatch, Trajectories


def check_games_on_card(device: str) -> None:
    """ValueError where games cannot be on the device that the network is to be on."""
    try:
        from porta_nigra_env.core import cuda

        cuda.check_card()
    except (ImportError, RuntimeError) as error:
        raise ValueError(f"--games-on card: {error}") from error
    if device_of(device) != ("cpu" if cuda.SIMULATED else "cuda"):
        raise ValueError(f"--games-on card: the network has to be there as well, not --device {device}")


def shared(array: Any, device: str) -> Tensor:
    """An array of a card as a tensor of the same memory; of a simulated one, a tensor on the processor."""
    if hasattr(array, "__cuda_array_interface__"):
        return torch.as_tensor(array, device=device)
    return torch.from_numpy(vars(array)["_ary"])


def sample(logits: Tensor, masks: Tensor, uniforms: Tensor) -> tuple[Tensor, Tensor]:
    """`losses.sample` in torch: actions int64 (n,), and their log-probabilities float32 (n,)."""
    legal = masks != 0
    numbers = logits.double().masked_fill(~legal, -torch.inf)
    best = numbers.max(dim=1).values
    reached = torch.exp(numbers - best[:, None]).cumsum(dim=1)
    total = reached[:, -1]
    last = legal.shape[1] - 1 - legal.flip(1).int().argmax(dim=1)
    actions = torch.minimum((reached <= (uniforms * total)[:, None]).sum(dim=1), last)
    log_probs = numbers.gather(1, actions[:, None])[:, 0] - best - torch.log(total)
    return actions, log_probs.float()


def returns(data: Trajectories, discount: float, gae_lambda: float, estimates: Estimates) -> None:
    """`losses.returns` in torch, all rows at once; arguments are tensors."""
    steps, n = data.movers.shape
    most, seats = data.rewards.shape[2], data.values.shape[2]
    device = data.values.device
    next_value, next_advantage, gained = (torch.zeros((n, most), dtype=torch.float64, device=device) for _ in range(3))
    known = torch.zeros((n, most), dtype=torch.bool, device=device)
    players = data.players.long()[:, None]
    places = torch.arange(seats, device=device)[None]
    for step in range(steps - 1, -1, -1):
        ended = data.ended[step][:, None]
        for one in (next_value, next_advantage, gained):
            one.masked_fill_(ended, 0.0)
        known |= ended
        gained += data.rewards[step]
        mover = data.movers[step].long()[:, None]
        value = data.values[step, :, :1].double()
        ahead = gained.gather(1, mover) - value
        ahead += discount * (next_value.gather(1, mover) + gae_lambda * next_advantage.gather(1, mover))
        advantage = torch.where(known.gather(1, mover), ahead, 0.0)
        around = (mover + places) % players
        future = next_value.gather(1, around) + next_advantage.gather(1, around)
        estimates.targets[step] = gained.gather(1, around) + discount * future
        estimates.targets[step, :, :1] = value + advantage
        estimates.known[step] = known.gather(1, around) & (places < players)
        estimates.advantages[step] = advantage[:, 0]
        next_value.scatter_(1, mover, value)
        next_advantage.scatter_(1, mover, advantage)
        gained.scatter_(1, mover, torch.zeros_like(value))
        known.scatter_(1, mover, torch.ones_like(mover, dtype=torch.bool))


class CardCollector:
    """As `collector.Collector` with every seat learning, on a card.

    Args:
        games: one for each number of players; the games are shared out evenly.
        settings: without a pool and without privileged vectors.
        device: torch's name of it.
    """

    def __init__(self, games: Sequence[Game], settings: Collection, device: str) -> None:
        from porta_nigra_env.envs.gpu import GpuBatchEnv  # needs the extra `gpu`

        self.settings, self.device = settings, device
        n, steps, first = settings.envs, settings.steps, games[0]
        edges = np.linspace(0, n, len(games) + 1).astype(int).tolist()
        self.parts = [slice(*ends) for ends in itertools.pairwise(edges)]
        self.matches: dict[int, Any] = {}
        self.envs = []
        for number, (game, part) in enumerate(zip(games, self.parts, strict=True)):
            env = GpuBatchEnv(
                game, part.stop - part.start, reward=settings.reward, observations="uint8", illegal_action="terminate"
            )
            env.reset(seed=int(later_seed(settings.seed, number + 1)) >> 1)
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

    def count_ages(self) -> None:
        """Look how far the games are, after they were restored."""
        for env, age in zip(self.envs, self.ages, strict=True):
            age.copy_(torch.from_numpy(env.bookkeeping()["length"].astype(np.int64)))

    def play(self, decide: Callable[[Inputs, Tensor, Choices], None], generator: torch.Generator) -> dict[str, float]:
        """Fill the tensors of an iteration; returns what the games that ended were like.

        generator: draws for the choices, on the device.
        """
        data, told = self.data, torch.zeros(3, dtype=torch.float64, device=self.device)
        parts = list(zip(self.envs, self.parts, self.ages, strict=True))
        for step in range(self.settings.steps):
            for env, part, _ in parts:
                self.observations[step, part] = shared(env.observations, self.device)
                self.masks[step, part] = shared(env.action_masks, self.device)
                data.movers[step, part] = shared(env.current_player, self.device)
            inputs = Inputs(self.observations[step], self.masks[step], data.movers[step], data.players, None)
            uniforms = torch.rand(len(data.players), dtype=torch.float64, device=self.device, generator=generator)
            decide(inputs, uniforms, Choices(self.actions[step], self.log_probs[step], data.values[step]))
            for env, part, age in parts:
                # A simulated card takes numpy's arrays instead of tensors.
                actions = self.actions[step, part]
                env.step(actions if actions.is_cuda else actions.numpy())
                data.rewards[step, part, : env.game.num_players] = shared(env.rewards, self.device)
                ended = data.ended[step, part]
                ended.copy_(shared(env.terminated, self.device))
                age += 1
                first = shared(env.final_places, self.device) == 1
                best = shared(env.final_scores, self.device).masked_fill(~first, torch.iinfo(torch.int32).min)
                told += torch.stack([ended.sum(), (age * ended).sum(), (best.max(dim=1).values * ended).sum()])
                age.masked_fill_(ended, 0)
        games, lengths, scores = told.tolist()
        return {"games": games, "length": lengths / max(1, games), "winner_score": scores / max(1, games)}

    def inputs(self) -> Inputs:
        """All decisions of an iteration, step by step."""
        movers = self.data.movers
        players = self.data.players.expand(movers.shape)
        observations, masks = (one.reshape(movers.numel(), one.shape[2]) for one in (self.observations, self.masks))
        return Inputs(observations, masks, movers.reshape(-1), players.reshape(-1), None)


class CardLearner(Learner):
    """A learner of tensors that lie where its network does."""

    def forward_tensors(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Logits and values of observations, uint8 (k, observation_size)."""
        with torch.autocast(self.device, torch.bfloat16, enabled=self.settings.bfloat16):
            logits, values = self.network(observations.to(self.dtype) * self.units)
        return logits, values

    def decide(self, inputs: Inputs, uniforms: Any, choices: Choices) -> None:
        with torch.no_grad():
            logits, values = self.forward_tensors(inputs.observations)
            choices.values.copy_(values.float() * self.network.value_scale)
            actions, log_probs = sample(logits.float(), inputs.masks, uniforms)
            choices.actions.copy_(actions)
            choices.log_probs.copy_(log_probs)

    def _pass(
        self, inputs: Inputs, rollout: Minibatch, coefficients: Coefficients, rng: Any, values_only: bool
    ) -> list[float]:
        """As `Learner._pass`; rng: torch's generator on the device."""
        count, batch = len(inputs.movers), self.settings.batch
        told = torch.zeros(len(REPORTED) + 1, device=self.device)
        order = torch.randperm(count, device=self.device, generator=rng)
        starts = range(0, count - batch + 1, batch)
        for first in starts:
            rows = order[first : first + batch]
            some = Minibatch(*(one[rows] for one in rollout))
            told += self._step(inputs.observations[rows], some, coefficients, values_only)
        # The only look at a number of the card's, once a pass.
        means: list[float] = (told / len(starts)).tolist()
        return means

    def _step(self, observations: Tensor, batch: Minibatch, coefficients: Coefficients, values_only: bool) -> Tensor:
        """A step of the optimizer; what is reported and the gradient's norm, (5 + 1,)."""
        weight: Any = 1.0 / batch.known[:, 0].sum().clamp(min=1)
        logits, values = self.forward_tensors(observations)
        total, reported = losses.loss(logits.float(), values, weight, coefficients, batch)
        self.optimizer.zero_grad(set_to_none=True)
        total.backward()  # type: ignore[no-untyped-call]
        if values_only:
            for one in self.choosing:
                one.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.max_grad_norm)
        self.optimizer.step()
        return torch.cat([reported.float(), norm[None]])
