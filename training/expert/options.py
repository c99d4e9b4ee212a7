"""Options of `training.expert`; searches and workers read them directly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from agents.arena.executors import Jobs
from training.run.options import RunOptions, check_run, check_unused
from training.run.ranges import Choice, Fraction, NonNegative, NonNegativeInt, Positive, PositiveInt, Probability, Range

#: Options of each search method.
SEARCH_OPTIONS: Final = {
    "gumbel": ("num_simulations", "fast_simulations", "parallel_simulations", "exploration", "prior_temperature"),
    "mirror": ("determinizations", "candidates", "rollout_steps", "step_size", "noise_std_errors", "max_certainty"),
}


@dataclass(frozen=True)
class Options(RunOptions):
    """Train a network with the search that it guides."""

    OLD_NAMES: ClassVar = {
        **RunOptions.OLD_NAMES, "envs": "num_envs", "full": "full_search_prob", "simulations": "num_simulations",
        "quick": "fast_simulations", "parallel": "parallel_simulations", "worlds": "determinizations",
        "plies": "rollout_steps", "step": "step_size", "doubt": "noise_std_errors", "sure": "max_certainty",
        "noisy": "noise_steps", "buffer": "buffer_size", "batch": "batch_size", "value": "vf_coef",
    }  # fmt: skip

    num_envs: PositiveInt = 256
    """Games per iteration, searched in parallel; few games make the values overfit."""
    search: Annotated[str, Choice(("gumbel", "mirror"))] = "gumbel"
    """Teacher: gumbel searches a tree, mirror runs rollouts of the network in sampled states."""
    full_search_prob: Fraction = 0.25
    """Probability of a full search, from which the policy learns; other steps get a fast search or none."""
    num_simulations: PositiveInt = 48
    """Simulations of a full search (gumbel)."""
    fast_simulations: PositiveInt = 8
    """Simulations of a fast search (gumbel)."""
    parallel_simulations: PositiveInt = 4
    """Simulations per game between two network calls (gumbel)."""
    exploration: NonNegative = 1.25
    """Constant of PUCT (gumbel)."""
    prior_temperature: Positive = 1.0
    """Temperature of the prior policy (gumbel)."""
    determinizations: PositiveInt = 32
    """Sampled states in which an action is tried (mirror)."""
    candidates: Annotated[int, Range(2)] = 8
    """Number of most probable actions to try (mirror)."""
    rollout_steps: NonNegativeInt = 32
    """Length of a rollout, over all seats (mirror)."""
    step_size: NonNegative = 100.0
    """Weight of differences in results relative to log-probabilities (mirror)."""
    noise_std_errors: NonNegative = 2.0
    """Standard errors by which differences in results are reduced, because they may be noise (mirror)."""
    max_certainty: Probability = 0.999
    """Take an action with this probability without a search (mirror)."""
    noise_steps: NonNegativeInt = 0
    """Steps from the start of a game with sampled actions; 0 samples all."""
    value_mix: Probability = 0.0
    """Weight of the search's expected result in value targets; the rest is the result of the game."""
    buffer_size: PositiveInt = 400_000
    """Steps in the replay buffer."""
    replay_ratio: Positive = 4.0
    """Average number of gradient updates per step while it is new."""
    batch_size: PositiveInt = 1024
    """Steps per gradient update."""
    learning_rate: Positive = 1e-4
    """Initial learning rate; it decreases to a tenth."""
    vf_coef: NonNegative = 0.5
    """Coefficient of the value loss."""
    jobs: str | None = None
    """Processes that search: 1 is this process (default), N others, ray or ray:N tasks on Ray."""
    address: str | None = None
    """Address of a Ray cluster, e.g. auto; by default a local one is started."""


def check(options: Options) -> None:
    """Raise ValueError for the first option out of range."""
    check_run(options)
    Jobs.of(options.jobs, options.address)
    other = "mirror" if options.search == "gumbel" else "gumbel"
    check_unused(options, Options, SEARCH_OPTIONS[other], f"only with --search {other}, not with {options.search}")
