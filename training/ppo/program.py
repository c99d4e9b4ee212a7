"""Masked self-play PPO on BatchEnv: ``python -m training.ppo --minutes 3 --out runs/first``.

One network plays all seats.  Every iteration plays `steps` decisions in each of `envs` games, works out advantages for
every seat along its own decisions (`trajectories.returns`), and learns from them for `epochs` passes.  A part of the
games can be played against a pool of past selves and named agents instead (prioritised fictitious self-play).

On processors that multiply bfloat16 (AMX, AVX512-BF16) the layers run in bfloat16, otherwise in float32; the weights
are float32 in any case.  The same file runs on a CUDA device.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from agents.arena.executors import Jobs
from agents.networks.network import PlayingNetwork, load_network
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.rewards import check_reward
from porta_nigra_env.players.checkpoint import part_of
from training.gpu.rollouts import GpuCollector, GpuLearner, check_games_on_gpu
from training.ppo.arguments import RunArguments, check_run, games_of, numbers_of, shape_for
from training.ppo.collector import Collection, Collector
from training.ppo.learner import Learner, Settings, kept_of
from training.ppo.losses import Minibatch
from training.ppo.pool import Pool
from training.ppo.remote_collectors import Fleet
from training.ppo.trajectories import Estimates
from training.run import trainer
from training.run.checks import check_default, check_least, check_positive
from training.run.folder import Run
from training.run.opponents import rivals
from training.run.trainer import Trainer, command_line


@dataclass(frozen=True)
class Arguments(RunArguments):
    """Train a network by self-play."""

    EARLIER: ClassVar = {**RunArguments.EARLIER, "kept": 1.0}

    envs: int = 1024
    """Games at the same time."""
    steps: int = 128
    """Decisions of every game in an iteration."""
    reward: str = "outcome"
    """outcome: the win; margin: points ahead of the others' mean; points: own points."""
    learning_rate: float = 5e-4
    """Learning rate at the start; it falls evenly."""
    final_learning_rate: float = 0.05
    """Share of the learning rate at the end."""
    batch: int = 2048
    """Decisions of a gradient step."""
    epochs: int = 2
    """Passes over the decisions of an iteration, at most."""
    kept: float = 0.5
    """Share of an iteration's decisions that is learned from: four fifths of it are those that went other than expected
    by most, a fifth is drawn from the others and stands for them where values are learned; 1: all."""
    target_kl: float = 0.0
    """No further pass begins once the policy's mean KL divergence from the one that played is larger; 0: all passes."""
    discount: float = 1.0
    """Of a seat's next decision."""
    gae_lambda: float = 0.95
    """Of the advantage estimator."""
    clip: float = 0.2
    """How far a probability may move before its gain stops counting."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start; it falls evenly."""
    final_entropy: float = 0.1
    """Share of the entropy bonus at the end."""
    value_warmup: int = 0
    """Iterations in which only the values learn: for a run that starts with a network of another reward."""
    max_grad_norm: float = 0.5
    """Largest norm of a gradient."""
    games_on: str = "processor"
    """gpu: games, rollouts, advantages and minibatches are on the GPU, as the network; needs the extra gpu,
    every seat learning and the shared critic."""
    graphs: bool = True
    """With games on the GPU: rollouts and steps of the optimizer are recorded once as CUDA graphs, and replayed."""
    compiled: bool = False
    """With games on the GPU: network and loss are compiled by torch, which takes a minute at the start."""
    critic: str = "shared"
    """shared: values come from the network; privileged: from a second one that sees all cards, in training only."""
    pool: float = 0.0
    """Share of the games that are played against a pool: past selves and named agents, the harder the more often."""
    pool_agents: tuple[str, ...] | None = None
    """Agents in the pool; by default the strongest that the game has of its own, else random."""
    rivals: tuple[Path, ...] = ()
    """Networks that are in the pool from the start, and stay; at most `pool_size`."""
    pool_size: int = 6
    """Rivals and past selves in the pool."""
    pool_every: int = 25
    """A past self enters the pool after so many iterations."""
    collectors: str | None = None
    """Who plays: 1, this process, as by default; N, so many others; ray:N, so many on Ray.  The games are the same."""
    address: str | None = None
    """Of a Ray cluster, e.g. auto; by default one is started on this machine."""

    def without_files(self) -> Self:
        return replace(self, start=None, rivals=())

    def completed(self) -> Self:
        agents = rivals(self.game)[-1:] if self.pool_agents is None else self.pool_agents
        return replace(super().completed(), pool_agents=agents)


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
        self.on_gpu = arguments.games_on == "gpu"
        self.draws: Any = torch.Generator(self.device).manual_seed(arguments.seed) if self.on_gpu else self.rng
        first, privileged = self.games[0], arguments.critic == "privileged"
        settings = Settings(
            learning_rate=arguments.learning_rate, final_learning_rate=arguments.final_learning_rate,
            batch=arguments.batch, epochs=arguments.epochs, kept=arguments.kept, target_kl=arguments.target_kl,
            clip=arguments.clip, entropy=arguments.entropy, final_entropy=arguments.final_entropy,
            max_grad_norm=arguments.max_grad_norm, privileged=privileged, threads=threads, device=self.device,
            bfloat16=self.bfloat16,
            records=arguments.graphs, compiled=arguments.compiled,
        )  # fmt: skip
        learner = GpuLearner if self.on_gpu else Learner
        self.learner: Learner = learner(first, shape_for(arguments, first), settings)
        self.network, self.optimizer = self.learner.network, self.learner.optimizer
        if arguments.start is not None:
            self._begin_with(self.learner.load(arguments.start, first))
        self.pool_agents = rivals(first.name)[-1:] if arguments.pool_agents is None else arguments.pool_agents
        constants = [game.num_players for game in self.games]
        self.pool = Pool(len(self.pool_agents), self.network, arguments.pool_size, arguments.seed, constants)
        for file in arguments.rivals:
            for game in self.games[1:]:
                load_network(file, game)
            self.pool.enter(self.learner.load(file, first), stays=True)
        if not self.pool.present:
            # Somebody has to be met in the first games.
            self.pool.enter(self.network)
        collection = Collection(
            envs=arguments.envs, steps=arguments.steps, reward=arguments.reward, seed=arguments.seed,
            threads=threads, pool_share=arguments.pool, pool_agents=self.pool_agents, privileged=privileged,
            records=arguments.graphs,
        )  # fmt: skip
        self.jobs = Jobs.of(arguments.collectors, arguments.address, "--collectors")
        self._fleet: Fleet | None = None
        self.collector: Any = (
            GpuCollector(self.games, collection, self.device)
            if self.on_gpu
            else Collector(self.games, self.pool, collection)
        )
        # By the name it has now, also where it was given by an older one.
        self.network.reward = self.collector.envs[0].reward
        shape = self.collector.data.values.shape
        self.estimates = Estimates(
            advantages=np.zeros(shape[:2], dtype=np.float32), targets=np.zeros(shape, dtype=np.float32),
            known=np.zeros(shape, dtype=np.int8),
        )  # fmt: skip
        self.weights: Any = np.ones(shape[:2], dtype=np.float32)
        if self.on_gpu:
            self.estimates = Estimates(*(torch.from_numpy(one).to(self.device) for one in self.estimates))
            self.weights = torch.from_numpy(self.weights).to(self.device)

    def _begin_with(self, other: PlayingNetwork) -> None:
        """Take up another network; of one that expects another reward only its choices, since points of a hundred and
        results of one have no common scale."""
        weights = other.state_dict()
        if other.reward != check_reward(self.arguments.reward):
            weights |= {name: one for name, one in self.network.state_dict().items() if name.startswith("value")}
        self.network.load_state_dict(weights)

    def iterate(self) -> dict[str, Any]:
        """Play and learn once; the metrics of the iteration."""
        collector, learner = self.collector, self.learner
        begun = time.perf_counter()
        if collector.matches and self.iteration and self.iteration % self.arguments.pool_every == 0:
            self.pool.enter(learner.network)
        for matches in collector.matches.values():
            matches.choose()
        played = self._play()
        collected = time.perf_counter()
        estimated = self.estimate()
        waits = self.iteration < self.arguments.value_warmup
        figures = learner.learn(collector.inputs(), self.rollout(), self.progress, self.draws, waits)
        figures["value_scale"] = float(learner.network.value_scale)
        return figures | self._won() | played | estimated | self.paces(begun, collected, self.rows)

    def _play(self) -> dict[str, float]:
        """An iteration of the games, here or by the collectors."""
        if self.jobs == Jobs():
            figures: dict[str, float] = self.collector.play(self.learner.decide, self.draws)
            return figures
        if self._fleet is None:
            self._fleet = Fleet(self.collector, self.games, self.learner, self.jobs)
        return self._fleet.play(self.rng)

    def close(self) -> None:
        """End the collectors."""
        if self._fleet is not None:
            self._fleet.executor.close()
            self._fleet = None

    def _won(self) -> dict[str, float]:
        """Shares of games won in the pool, by opponent and number of players."""
        if not self.collector.matches:
            return {}
        agents, present = self.pool.agents, self.pool.present
        shares = {}
        for players, won in self.pool.won.items():
            for name, share in zip(self.pool_agents, won[:agents].tolist(), strict=True):
                shares[f"won_against/{name}, {players} players"] = share
            if present > agents:
                shares[f"won_against/past_selves, {players} players"] = float(won[agents:present].mean())
        return shares

    def estimate(self) -> dict[str, float]:
        """Advantages and targets of what was played: normalised the ones, in units of `value_scale` the others.

        Advantages are normalised for each number of players on its own: with a win of 1 that the others pay together,
        results of two players spread by 1 and those of four by 0.58, which says nothing about what can be learned.
        """
        data, estimates = self.collector.data, self.estimates
        self.learner.returns(data, self.arguments.discount, self.arguments.gae_lambda, estimates)
        known = estimates.known[..., 0] != 0
        own, guessed = estimates.targets[..., 0][known], data.values[..., 0][known]
        explained = 1.0 - _variance(own - guessed) / max(_variance(own), 1e-12)
        self._rescale(own)
        for players in sorted({game.num_players for game in self.games}):
            columns = data.players == players
            advantages = estimates.advantages[:, columns]
            kept = advantages[known[:, columns]]
            if len(kept):
                estimates.advantages[:, columns] = (advantages - kept.mean()) / (_variance(kept) ** 0.5 + 1e-8)
        return {"explained_variance": explained, "learned_from": len(own) / self.rows}

    @property
    def rows(self) -> int:
        """Decisions of an iteration."""
        return self.arguments.envs * self.arguments.steps

    def rollout(self) -> Minibatch:
        """All decisions of an iteration, step by step, as `Learner.learn` wants them."""
        collector, rows = self.collector, self.rows
        arrays = (collector.masks, collector.actions, collector.log_probs, *self.estimates, self.weights)
        return Minibatch(*(one.reshape(rows, *one.shape[2:]) for one in arrays))

    def _rescale(self, own: Any) -> None:
        """Keep targets near one in size, and the values of network and critic what they were.

        As PopArt (arXiv 1602.07714), scale only: a root mean square, without a mean.  What a table's seats get of
        `outcome` and `margin` adds up to nothing, so that their mean is near zero and the scale near their deviation.
        Own points (`points`) have a mean, which stays within the scale and which the values have to learn.
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
        for number, env in enumerate(self.collector.envs):
            tensors[f"games.{number}"] = torch.frombuffer(bytearray(env.snapshot()), dtype=torch.uint8)
        if self.collector.matches:
            tensors |= {f"pool.{name}": one for name, one in self.pool.tensors().items()}
        for number, matches in self.collector.matches.items():
            tensors[f"matches.{number}"] = torch.from_numpy(np.stack([matches.playing, matches.next]))
        if self.on_gpu:
            tensors["draws"] = self.draws.get_state()
        return tensors, {"rng": self.rng.bit_generator.state, "pool": self.pool.description()}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        learned = {name: one for name, one in tensors.items() if name.partition(".")[0] in ("network", "critic")}
        self.learner.model.load_state_dict(learned)
        for number, env in enumerate(self.collector.envs):
            env.restore(tensors[f"games.{number}"].numpy().tobytes())
        for number, matches in self.collector.matches.items():
            matches.playing[:], matches.next[:] = tensors[f"matches.{number}"].numpy()
        if self.collector.matches:
            self.pool.restore(part_of(tensors, "pool"), described["pool"])
        self.rng.bit_generator.state = described["rng"]
        if self.on_gpu:
            self.draws.set_state(tensors["draws"])
            self.collector.count_ages()


def _variance(numbers: Any) -> float:
    """Of an array or a tensor."""
    return float(((numbers - numbers.mean()) ** 2).mean()) if len(numbers) else 0.0


def prepared(arguments: Arguments) -> tuple[Training, Run]:
    """The training and the folder that arguments ask for; ValueError as of `trainer.prepared`."""
    return trainer.prepared("ppo", arguments, check, lambda asked, _: Training(asked, games_of(asked)))


def check(arguments: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    least = dict.fromkeys(("batch", "epochs", "pool_size", "pool_every"), 1)
    check_run(arguments, {"envs": len(numbers_of(arguments)), "steps": 2} | least)
    if not 0.0 < arguments.kept <= 1.0:
        raise ValueError(f"--kept must be in (0, 1], not {arguments.kept}")
    most = kept_of(arguments.envs * arguments.steps, arguments.kept)
    if arguments.batch > most:
        raise ValueError(f"--batch must be at most envs * steps * kept = {most}, not {arguments.batch}")
    if arguments.games_on not in ("processor", "gpu"):
        raise ValueError(f"--games-on must be processor or gpu, not {arguments.games_on!r}")
    if arguments.games_on == "gpu":
        if arguments.pool or arguments.critic != "shared":
            raise ValueError(
                "--games-on gpu: every seat learns with the shared critic there, no --pool and no --critic"
            )
        if Jobs.of(arguments.collectors, arguments.address, "--collectors") != Jobs():
            raise ValueError("--games-on gpu: the GPU plays all games; leave out --collectors")
        check_games_on_gpu(arguments.device)
    elif arguments.compiled or not arguments.graphs:
        raise ValueError("--compiled, --no-graphs: of --games-on gpu; without it nothing is recorded or compiled")
    if arguments.critic not in ("shared", "privileged"):
        raise ValueError(f"--critic must be shared or privileged, not {arguments.critic!r}")
    if len(arguments.rivals) > arguments.pool_size:
        raise ValueError(f"--rivals: there are {len(arguments.rivals)}, but --pool-size is {arguments.pool_size}")
    if arguments.rivals and not arguments.pool:
        raise ValueError("--rivals: they are met in games against a pool; give the share of these with --pool")
    if not arguments.pool:
        default = Arguments(game=arguments.game).completed()
        why = "of games against a pool; give their share with --pool"
        check_default(arguments.completed(), default, ("pool_agents", "pool_size", "pool_every"), why)
    if not 0.0 <= arguments.pool <= 1.0:
        raise ValueError(f"--pool must be in 0..1, not {arguments.pool}")
    check_collectors(arguments)
    check_least(arguments, dict.fromkeys(("target_kl", "value_warmup", "entropy"), 0))
    check_positive(arguments, ("learning_rate", "max_grad_norm"))
    for name in ("discount", "gae_lambda", "clip", "final_learning_rate", "final_entropy"):
        if not 0.0 < getattr(arguments, name) <= 1.0:
            raise ValueError(f"--{name.replace('_', '-')} must be in (0, 1], not {getattr(arguments, name)}")


def check_collectors(arguments: Arguments) -> None:
    """ValueError where the collectors cannot be had, or have nothing to do."""
    jobs = Jobs.of(arguments.collectors, arguments.address, "--collectors")
    most = arguments.envs // len(numbers_of(arguments))
    if not 1 <= jobs.count <= most:
        asked = (
            f"at most {most}, a game of each number of players for each," if jobs.count else "a number, as in ray:4,"
        )
        raise ValueError(f"--collectors must be {asked} not {arguments.collectors}")
    if arguments.pool and jobs != Jobs():
        raise ValueError(
            "--collectors: games against a pool are played in this process; leave out --collectors or --pool"
        )


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    return command_line("ppo", Arguments, prepared, argv)


if __name__ == "__main__":
    raise SystemExit(main())
