"""Masked self-play PPO on BatchEnv: ``python -m training.ppo --minutes 3 --out runs/first``.

One network plays all seats.  Every iteration plays `num_steps` steps in each of `num_envs` games, estimates advantages
along each seat's own steps (`trajectories.returns`), and learns from them in `update_epochs` passes.  A fraction of the
games can be played against a pool of past selves and agents (prioritised fictitious self-play).

Layers run in bfloat16 on CPUs with AMX or AVX512-BF16 and otherwise in float32; weights are always float32.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from agents.arena.executors import Jobs
from agents.networks.history import HistoryShape
from agents.networks.network import Network, PlayingNetwork, load_network
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.rewards import check_reward
from porta_nigra_env.players.checkpoint import part_of
from porta_nigra_env.players.component_network import ComponentShape
from porta_nigra_env.players.network import Shape
from training.ppo.collector import Collector, component_sets
from training.ppo.learner import Learner
from training.ppo.losses import Minibatch
from training.ppo.options import Options, check, gpu_backend
from training.ppo.pool import Pool
from training.ppo.remote_collectors import Fleet
from training.ppo.teacher import load_start, load_teacher
from training.run import trainer
from training.run.evaluation import default_opponents
from training.run.folder import CHECKPOINT, MACHINE, NETWORK, Run, check_same, read_config
from training.run.options import make_games, network_shape, with_start_shape
from training.run.trainer import MINUTES, Trainer, train_command
from training.run.trajectories import Estimates


class Training(Trainer):
    """A run on the CPU, or with its network on a GPU; `training.gpu` has a subclass with games on the GPU.

    Args:
        options: options that passed `check`.
        games: one per number of players, with equal observation and action spaces.

    Attributes:
        started_from: fingerprint of the network of --start; None without, and in runs of earlier versions.
        draws: source of actions and of the order of steps.
    """

    options: Options
    draws: Any

    def __init__(self, options: Options, games: Sequence[Game]) -> None:
        agents = default_opponents(games[0].name)[-1:] if options.pool_agents is None else options.pool_agents
        super().__init__(replace(options, pool_agents=agents), games, ("entropy", "kl"))
        options, first = self.options, self.games[0]
        torch.set_num_threads(1)
        self.rng = self.draws = np.random.default_rng(options.seed)
        shape = network_shape(options, first)
        if options.history:
            shape = HistoryShape.with_history(shape, first, options.history)
        if options.component_sets:
            shape = ComponentShape.with_components(shape, first)
        self.learner = self._make_learner(shape)
        self.network, self.optimizer = self.learner.network, self.learner.optimizer
        self.started_from: str | None = None
        if options.start is not None:
            self.started_from = load_network(options.start).fingerprint()
            self._start_from(self.learner.load(options.start, first))
        if options.start_teaches:
            self.learner.start = load_start(options.start, self.games).to(self.learner.device)
        self.pool = self._make_pool(agents)
        self.jobs = options.jobs
        self._fleet: Fleet | None = None
        self.collector: Any = self._make_collector()
        if options.component_sets:
            self.learner.read_sets(component_sets(first, options))
        if options.teacher is not None:
            self.learner.teacher = load_teacher(options.teacher, self.games).to(self.learner.device)
        # Networks of earlier versions may have an old name of the reward.
        self.network.reward = self.collector.envs[0].reward
        sizes = self.collector.data.values.shape
        self.estimates = Estimates(
            advantages=np.zeros(sizes[:2], dtype=np.float32), targets=np.zeros(sizes, dtype=np.float32),
            known=np.zeros(sizes, dtype=np.int8),
        )  # fmt: skip
        self.weights: Any = np.ones(sizes[:2], dtype=np.float32)

    def _make_learner(self, shape: Shape) -> Learner:
        return Learner(self.games[0], shape, self.options)

    def _make_collector(self) -> Any:
        return Collector(self.games, self.pool, self.options)

    def _make_pool(self, agents: Sequence[str]) -> Pool:
        options = self.options
        counts = [game.num_players for game in self.games]
        pool = Pool(len(agents), self.network, options.pool_size, options.seed, counts, options.precision)
        for file in options.pool_networks:
            for game in self.games[1:]:
                load_network(file, game)
            pool.enter(self.learner.load(file, self.games[0]), permanent=True)
        if not pool.present:
            # The first games need an opponent.
            pool.enter(self.network)
        return pool

    def _start_from(self, other: PlayingNetwork) -> None:
        """Copy a network; without its value head if its reward differs, because points and results differ in scale."""
        weights = other.state_dict()
        if other.reward != check_reward(self.options.reward):
            weights |= {name: one for name, one in self.network.state_dict().items() if name.startswith("value")}
        self.network.load_state_dict(weights)

    def iterate(self) -> dict[str, Any]:
        collector, learner = self.collector, self.learner
        started = time.perf_counter()
        if self.iteration == 0:
            collector.begin()
        if collector.matches and self.iteration and self.iteration % self.options.pool_interval == 0:
            self.pool.enter(learner.network)
        for matches in collector.matches.values():
            matches.choose()
        played = self._play()
        collected = time.perf_counter()
        estimated = self.estimate()
        values_only = self.iteration < self.options.value_warmup
        metrics = learner.learn(collector.inputs(), self.rollout(), self.scheduled, self.draws, values_only)
        metrics["value_scale"] = float(learner.network.value_scale)
        timing = self.finish_iteration(started, collected, self.options.rows)
        return metrics | self._pool_win_rates() | played | estimated | timing

    def _play(self) -> dict[str, float]:
        """Play an iteration in this process or on the collectors."""
        if self.jobs == Jobs():
            metrics: dict[str, float] = self.collector.play(self.learner.decide, self.draws)
            return metrics
        if self._fleet is None:
            self._fleet = Fleet(self.collector, self.games, self.learner, self.jobs)
        return self._fleet.play(self.rng)

    def close(self) -> None:
        if self._fleet is not None:
            self._fleet.executor.close()
            self._fleet = None

    def _pool_win_rates(self) -> dict[str, float]:
        """Return win rates against the pool, by opponent and number of players."""
        if not self.collector.matches:
            return {}
        agents, present = self.pool.agents, self.pool.present
        rates = {}
        for players, won in self.pool.won.items():
            for name, rate in zip(self.options.pool_agents or (), won[:agents].tolist(), strict=True):
                rates[f"won_against/{name}, {players} players"] = rate
            if present > agents:
                rates[f"won_against/past_selves, {players} players"] = float(won[agents:present].mean())
        return rates

    def estimate(self) -> dict[str, float]:
        """Compute normalized advantages, and targets in units of `value_scale`.

        Advantages are normalized per number of players.  Results of a win of 1 have standard deviation 1 at two players
        and 0.58 at four, although both are worth learning.
        """
        data, estimates = self.collector.data, self.estimates
        self.learner.returns(data, estimates)
        known = estimates.known[..., 0] != 0
        own, predicted = estimates.targets[..., 0][known], data.values[..., 0][known]
        explained = 1.0 - _variance(own - predicted) / max(_variance(own), 1e-12)
        self._rescale(own)
        for players in sorted({game.num_players for game in self.games}):
            columns = data.players == players
            advantages = estimates.advantages[:, columns]
            some = advantages[known[:, columns]]
            if len(some):
                estimates.advantages[:, columns] = (advantages - some.mean()) / (_variance(some) ** 0.5 + 1e-8)
        return {"explained_variance": explained, "learned_from": len(own) / self.options.rows}

    def rollout(self) -> Minibatch:
        """Return all steps of an iteration, flattened step by step."""
        collector, rows = self.collector, self.options.rows
        arrays = (collector.masks, collector.actions, collector.log_probs, *self.estimates, self.weights)
        return Minibatch(*(array.reshape(rows, *array.shape[2:]) for array in arrays))

    def _rescale(self, own: Any) -> None:
        """Keep the targets near size one, without a change of the predicted values.

        Like PopArt (arXiv 1602.07714), but only the scale, a root mean square.  `outcome` and `margin` sum to zero, so
        their mean is near zero.  `points` have a mean that the values have to learn.
        """
        network = self.learner.network
        before = float(network.value_scale)
        size = float((own**2).mean()) ** 0.5 if len(own) else before
        after = size if self.iteration == 0 else 0.95 * before + 0.05 * size
        after = max(after, 1e-6)
        critic = self.learner.model.critic
        heads = [*network.value.parameters(), *(critic[-1].parameters() if critic is not None else [])]
        with torch.no_grad():
            for parameter in heads:
                parameter.mul_(before / after)
            network.value_scale.fill_(after)
        self.estimates.targets[...] /= after

    # -- checkpoints

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        tensors: dict[str, Tensor] = {}
        if self.learner.model.critic is not None:
            tensors |= {f"critic.{name}": one for name, one in self.learner.model.critic.state_dict().items()}
        for index, env in enumerate(self.collector.envs):
            tensors[f"games.{index}"] = torch.frombuffer(bytearray(env.snapshot()), dtype=torch.uint8)
        if self.collector.matches:
            tensors |= {f"pool.{name}": tensor for name, tensor in self.pool.tensors().items()}
        for index, matches in self.collector.matches.items():
            tensors[f"matches.{index}"] = torch.from_numpy(np.stack([matches.playing, matches.next]))
        agents = {str(index): matches.description() for index, matches in self.collector.matches.items()}
        described: dict[str, Any] = {"pool": self.pool.description(), "pool_agents": agents}
        described |= {"rng": self.rng.bit_generator.state, "started_from": self.started_from}
        if (teacher := self.learner.teacher) is not None:
            tensors |= {f"teacher.{name}": tensor for name, tensor in teacher.state_dict().items()}
            described["teacher"] = [teacher.shape.width, teacher.shape.blocks, bool(teacher.shape.normed)]
        if self.learner.start is not None:
            tensors |= {f"start.{name}": tensor for name, tensor in self.learner.start.state_dict().items()}
        return tensors, described

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        weights = {name: one for name, one in tensors.items() if name.partition(".")[0] in ("network", "critic")}
        self.learner.model.load_state_dict(weights)
        for index, env in enumerate(self.collector.envs):
            env.restore(tensors[f"games.{index}"].numpy().tobytes())
        for index, matches in self.collector.matches.items():
            agents = described.get("pool_agents", {}).get(str(index), ())
            matches.restore(tensors[f"matches.{index}"].numpy(), agents)
        if self.collector.matches:
            self.pool.restore(part_of(tensors, "pool"), described["pool"])
        if "teacher" in described:
            teacher = Network(Shape.of(self.games[0], *described["teacher"]))
            teacher.load_state_dict(part_of(tensors, "teacher"))
            self.learner.teacher = teacher.to(self.learner.device)
        if start := part_of(tensors, "start"):
            self.learner.start = copy.deepcopy(self.learner.network)
            self.learner.start.load_state_dict(start)
        self.started_from = described.get("started_from")
        self.rng.bit_generator.state = described["rng"]


def _variance(numbers: Any) -> float:
    return float(((numbers - numbers.mean()) ** 2).mean()) if len(numbers) else 0.0


def training_class(options: Options) -> type[Training]:
    """Return the training class for --env-device."""
    if options.env_device == "gpu":
        cls: type[Training] = gpu_backend().GpuTraining
        return cls
    return Training


def prepare(options: Options) -> tuple[Training, Run]:
    """Return the training and its folder; ValueError as in `trainer.prepare`."""

    def make(resolved: Options, _: Path) -> Training:
        return training_class(resolved)(resolved, make_games(resolved))

    return trainer.prepare("ppo", options, check, make)


def resume_if_started(options: Options) -> Options:
    """Return options that resume the run in the folder `options.out`, or `options` if it has no checkpoint."""
    folder = options.out
    assert folder is not None, "a run without a folder cannot be resumed"
    if not (folder / CHECKPOINT).exists():
        return options
    here = {name: getattr(options, name) for name in MACHINE if name not in ("out", "resume", "jobs")}
    return Options(resume=folder, **here)


def train_in_folder(options: Options, *, lengthen: bool = False) -> Path:
    """Train the run of the folder `options.out` to its end, if necessary, and return its network.

    Args:
        options: options of the run.
        lengthen: continue a shorter run of otherwise equal options.

    Raises:
        ValueError: the folder has another run, or one that cannot be resumed.
    """
    folder = options.out
    assert folder is not None, "a run without a folder cannot be resumed"
    length: dict[str, Any] = {}
    if (folder / CHECKPOINT).exists():
        started = read_config(folder, "ppo", Options)
        if lengthen and is_longer(options, started):
            length = {"minutes": options.minutes, "total_timesteps": options.total_timesteps}
        wanted = asdict(with_start_shape(options.with_game_defaults()))
        check_same(folder, asdict(started), {name: value for name, value in wanted.items() if name not in length})
    if length or not (folder / NETWORK).exists():
        training, run = prepare(replace(resume_if_started(options), **length))
        # If the longer run is interrupted, the network of the shorter one must not pass for its result.
        (folder / NETWORK).unlink(missing_ok=True)
        training.run(run)
    return folder / NETWORK


def is_longer(options: Options, started: Options) -> bool:
    """Return whether options ask for more steps, or minutes, than those of a run."""
    if options.total_timesteps or started.total_timesteps:
        return bool(started.total_timesteps) and options.total_timesteps > started.total_timesteps
    minutes, before = (MINUTES if one.minutes is None else one.minutes for one in (options, started))
    return minutes > before


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used."""
    return train_command("ppo", Options, prepare, argv)
