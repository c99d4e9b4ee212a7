"""Options of `training.ppo`; learner, collectors and the GPU backend read them directly."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Final, Self

from agents.arena.executors import Jobs
from porta_nigra_env.core.batch.policy import Policy
from training.run.evaluation import default_opponents, make_opponent
from training.run.options import RunOptions, check_run, check_unused, make_games, player_counts
from training.run.ranges import Choice, Fraction, NonNegative, NonNegativeInt, Positive, PositiveInt, Probability, Range

#: Module of the GPU backend; it needs the extra `gpu`, so it is imported only on request.
GPU_BACKEND: Final = "training.gpu.rollouts"


@dataclass(frozen=True)
class Options(RunOptions):
    """Train a network by self-play with PPO."""

    OLD_DEFAULTS: ClassVar = {**RunOptions.OLD_DEFAULTS, "keep_fraction": 1.0}
    OLD_NAMES: ClassVar = {
        **RunOptions.OLD_NAMES, "envs": "num_envs", "steps": "num_steps", "batch": "minibatch_size",
        "epochs": "update_epochs", "kept": "keep_fraction", "discount": "gamma", "clip": "clip_coef",
        "entropy": "ent_coef", "final_entropy": "final_ent_coef", "games_on": "env_device", "graphs": "cuda_graphs",
        "compiled": "compile", "pool": "pool_fraction", "rivals": "pool_networks", "pool_every": "pool_interval",
    }  # fmt: skip

    num_envs: int = 1024
    """Parallel games."""
    num_steps: Annotated[int, Range(2)] = 128
    """Steps per game and iteration."""
    reward: str = "outcome"
    """outcome: the result; margin: score difference to the others' mean; points: own points."""
    learning_rate: Positive = 5e-4
    """Initial learning rate; it decreases linearly."""
    final_learning_rate: Fraction = 0.05
    """Final learning rate as a fraction of the initial one."""
    minibatch_size: PositiveInt = 2048
    """Steps per gradient update."""
    update_epochs: PositiveInt = 2
    """Maximum passes over the steps of an iteration."""
    keep_fraction: Fraction = 0.5
    """Fraction of steps kept for learning: 80 % have the largest absolute advantage, 20 % are sampled from the rest and
    reweighted.  1 keeps all."""
    target_kl: NonNegative = 0.0
    """Stop the passes of an iteration above this KL divergence from the old policy; 0 never stops."""
    gamma: Fraction = 1.0
    """Discount factor per own step of a seat."""
    gae_lambda: Fraction = 0.95
    """Lambda of generalized advantage estimation."""
    clip_coef: Fraction = 0.2
    """Clipping range of the probability ratio."""
    ent_coef: NonNegative = 0.01
    """Initial coefficient of the entropy bonus; it decreases linearly."""
    final_ent_coef: Fraction = 0.1
    """Final entropy coefficient as a fraction of the initial one."""
    value_warmup: NonNegativeInt = 0
    """Iterations in which only the values learn, for a start from a network of another reward."""
    max_grad_norm: Positive = 0.5
    """Maximum norm of the gradient."""
    env_device: Annotated[str, Choice(("cpu", "gpu"))] = "cpu"
    """gpu keeps games, rollouts and minibatches on the GPU; it needs the extra gpu and the shared critic."""
    cuda_graphs: bool = True
    """Record rollouts and gradient updates as CUDA graphs (with --env-device gpu)."""
    compile: bool = False
    """Compile network and loss with torch.compile (with --env-device gpu)."""
    critic: Annotated[str, Choice(("shared", "privileged"))] = "shared"
    """shared: the network estimates values; privileged: a second network that sees hidden cards, in training only."""
    pool_fraction: Probability = 0.0
    """Fraction of the games played against a pool of past selves and agents; strong members are met more often."""
    pool_agents: tuple[str, ...] | None = None
    """Agents in the pool; by default the strongest agent of the game, otherwise random."""
    pool_networks: tuple[Path, ...] = ()
    """Networks that stay in the pool for the whole run; at most pool-size."""
    pool_size: NonNegativeInt = 6
    """Slots of the pool for networks and past selves; 0 for agents alone, which are several times faster."""
    pool_interval: PositiveInt = 25
    """Iterations between two past selves that enter the pool."""
    history: NonNegativeInt = 0
    """Number of a seat's last events that the network reads, by attention; only for self-play in this process."""
    component_sets: NonNegativeInt = 0
    """Drawn component sets (varied:1, varied:2, ...) that share the games with --components.  The network then reads
    the component numbers and plays with every set.  0 trains for --components alone."""
    component_weight: PositiveInt = 1
    """Games with --components for each game with a drawn set: as many as --component-sets make it half of all."""
    teacher: str | None = None
    """Network to imitate next to learning from results: a published one, by name, or a file.  It plays with all
    --players and may have another width.  With --component-sets it teaches in the games with --components alone."""
    start_teaches: bool = False
    """Add the divergence from the policy of --start in the games with drawn sets, against forgetting.  --start must be
    a network for any component set."""
    teacher_coef: NonNegative = 1.0
    """Initial coefficient of the KL divergence from teacher and start; it decreases linearly."""
    final_teacher_coef: Probability = 0.1
    """Final coefficient of this divergence as a fraction of the initial one."""
    collectors: str | None = None
    """Processes that play: 1 is this process (default), N others, or ray:N on Ray.  All play the same games."""
    address: str | None = None
    """Address of a Ray cluster, e.g. auto; by default a local one is started."""

    @property
    def privileged(self) -> bool:
        """True if the critic sees hidden cards."""
        return self.critic == "privileged"

    @property
    def jobs(self) -> Jobs:
        """Processes that play; ValueError if they cannot be used."""
        return Jobs.of(self.collectors, self.address, "--collectors")

    @property
    def num_threads(self) -> int:
        """Threads that all have work: no more than games or steps of a minibatch."""
        return min(self.threads or os.cpu_count() or 1, self.num_envs, self.minibatch_size)

    @property
    def rows(self) -> int:
        """Steps of an iteration."""
        return self.num_envs * self.num_steps

    @property
    def num_kept(self) -> int:
        """Steps of an iteration that are kept for learning."""
        return num_kept(self.rows, self.keep_fraction)

    def without_files(self) -> Self:
        return replace(self, start=None, pool_networks=(), teacher=None, start_teaches=False)

    def with_game_defaults(self) -> Self:
        agents = default_opponents(self.game)[-1:] if self.pool_agents is None else self.pool_agents
        return replace(super().with_game_defaults(), pool_agents=agents)


def num_kept(count: int, fraction: float) -> int:
    """Return the size of a fraction of `count` steps."""
    return max(1, round(count * fraction))


def gpu_backend() -> Any:
    """Return the module `GPU_BACKEND`."""
    return importlib.import_module(GPU_BACKEND)


def check(options: Options) -> None:
    """Raise ValueError for the first option out of range."""
    check_run(options)
    if options.num_envs < (least := len(player_counts(options))):
        raise ValueError(f"--num-envs must be at least {least}, not {options.num_envs}")
    if options.minibatch_size > options.num_kept:
        limit = f"num_envs * num_steps * keep_fraction = {options.num_kept}"
        raise ValueError(f"--minibatch-size must be at most {limit}, not {options.minibatch_size}")
    _check_collectors(options)
    _check_gpu(options)
    if options.history and (options.pool_fraction or options.env_device == "gpu" or options.jobs != Jobs()):
        raise ValueError("--history: leave out --pool-fraction, --env-device gpu and --collectors")
    _check_component_sets(options)
    _check_teacher(options)
    if options.pool_fraction and not options.pool_size and options.pool_agents == ():
        raise ValueError("--pool-agents: name at least one, or set --pool-size")
    if len(options.pool_networks) > options.pool_size:
        raise ValueError(f"--pool-networks: got {len(options.pool_networks)}, but --pool-size is {options.pool_size}")
    if not options.pool_fraction:
        reason = "only for games against a pool; set --pool-fraction"
        defaults = Options(game=options.game).with_game_defaults()
        names = ("pool_networks", "pool_agents", "pool_size", "pool_interval")
        check_unused(options.with_game_defaults(), defaults, names, reason)


def _check_component_sets(options: Options) -> None:
    if not options.component_sets:
        check_unused(options, Options(), ("component_weight",), "only next to drawn sets; set --component-sets")
        return
    played = make_games(options)
    for game in played:
        if not game.means_as(type(game)(game.num_players)):
            raise ValueError(
                f"--component-sets: {options.components} gives observations or actions another meaning than the "
                "standard set does, which drawn sets follow; leave out --component-sets"
            )
    if options.history or options.privileged or options.env_device == "gpu" or options.jobs != Jobs():
        raise ValueError("--component-sets: leave out --history, --critic, --env-device gpu and --collectors")
    if options.pool_fraction and options.pool_size:
        raise ValueError("--component-sets: networks in the pool know one set; set --pool-size 0")
    if options.pool_fraction:
        for name in options.with_game_defaults().pool_agents or ():
            if not isinstance(make_opponent(name, played[0]), Policy):
                raise ValueError(f"--pool-agents: {name} is not compiled; with --component-sets it knows one set")
    games = options.num_envs // len(player_counts(options))
    pooled = round(options.pool_fraction * games)
    # Self-play and the games against the pool share the sets each.
    limit = min(part for part in (pooled, games - pooled) if part) - options.component_weight
    if options.component_sets > limit:
        raise ValueError(f"--component-sets: {options.num_envs} games have place for at most {max(0, limit)}")


def _check_teacher(options: Options) -> None:
    if options.start_teaches and not options.component_sets:
        raise ValueError("--start-teaches: only in games with drawn sets; set --component-sets")
    if options.teacher is None and not options.start_teaches:
        names, reason = ("teacher_coef", "final_teacher_coef"), "only with --teacher or --start-teaches"
        check_unused(options, Options(), names, reason)
    elif options.history or options.env_device == "gpu":
        raise ValueError("--teacher: leave out --history and --env-device gpu")


def _check_gpu(options: Options) -> None:
    if options.env_device == "gpu":
        if options.pool_fraction or options.privileged:
            raise ValueError("--env-device gpu: leave out --pool-fraction and --critic; only self-play is supported")
        if options.jobs != Jobs():
            raise ValueError("--env-device gpu: the GPU plays all games; leave out --collectors")
        gpu_backend().check_device(options.device)
    elif options.compile or not options.cuda_graphs:
        raise ValueError("--compile, --no-cuda-graphs: only with --env-device gpu")


def _check_collectors(options: Options) -> None:
    jobs, limit = options.jobs, options.num_envs // len(player_counts(options))
    if not 1 <= jobs.count <= limit:
        wanted = f"at most {limit}, one game per number of players each," if jobs.count else "a number, as in ray:4,"
        raise ValueError(f"--collectors must be {wanted} not {options.collectors}")
    if options.pool_fraction and jobs != Jobs():
        raise ValueError("--collectors: only this process plays against a pool; leave out --collectors or the pool")
