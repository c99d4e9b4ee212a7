"""Masked self-play PPO in one file, to read and to modify: ``python -m training.ppo_single --total-timesteps 2000000``.

This is the algorithm of `training.ppo` on `BatchEnv`, numpy and torch, without its optimizations, pool, checkpoints and
mixed numbers of players.  Differences from single-agent PPO:

* One network plays all seats.  A seat's reward is summed until its next own step, also over the steps of others, and
  its advantage runs along its own steps.
* Illegal actions have probability 0: their logits are minus infinity in rollouts and in learning.
* The last step of a seat in a rollout has no successor, so it is left out.

Schulman and others, *Proximal Policy Optimization Algorithms* (arXiv 1707.06347); *High-Dimensional Continuous Control
Using Generalized Advantage Estimation* (arXiv 1506.02438).
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np
import torch
import tyro
from torch import Tensor, nn
from tqdm import tqdm  # type: ignore[import-untyped]

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, make_game
from training.run.ranges import NonNegative, NonNegativeInt, Positive, PositiveInt, Range, check_ranges


@dataclass(frozen=True)
class Options:
    """Train a network by self-play, with everything in one file."""

    game: str = DEFAULT_GAME
    """Name of the game (porta_nigra_env.games)."""
    players: int = 0
    """Number of players; by default the fewest of the game."""
    total_timesteps: PositiveInt = 2_000_000
    """Steps of the run, over all seats and games."""
    num_envs: PositiveInt = 256
    """Parallel games."""
    num_steps: Annotated[int, Range(2)] = 64
    """Steps per game and iteration."""
    minibatch_size: PositiveInt = 1024
    """Steps per gradient update."""
    update_epochs: PositiveInt = 2
    """Passes over the steps of an iteration."""
    width: PositiveInt = 256
    """Units per layer."""
    learning_rate: Positive = 5e-4
    """Initial learning rate; it decreases to a twentieth."""
    gamma: Positive = 1.0
    """Discount factor per own step of a seat."""
    gae_lambda: Positive = 0.95
    """Lambda of generalized advantage estimation."""
    clip_coef: Positive = 0.2
    """Clipping range of the probability ratio."""
    ent_coef: NonNegative = 0.01
    """Initial coefficient of the entropy bonus; it decreases to a tenth."""
    max_grad_norm: Positive = 0.5
    """Maximum norm of the gradient."""
    reward: str = "outcome"
    """outcome: the result; margin: score difference to the others' mean; points: own points."""
    opponent: str = "greedy"
    """Player of the game that the network plays at the end."""
    games: PositiveInt = 1000
    """Games against the opponent."""
    seed: NonNegativeInt = 1
    """Seed of weights, games and actions."""
    out: Path | None = None
    """File for the weights; by default they are not saved."""


class ActorCritic(nn.Module):
    """One hidden layer and a residual one; logits of all actions, and the value of the mover."""

    def __init__(self, inputs: int, actions: int, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, width), nn.Linear(width, width)
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities (k, actions) and values (k,)."""
        hidden = torch.relu(self.first(observations))
        hidden = hidden + torch.relu(self.second(hidden))
        logits = self.policy(hidden).masked_fill(masks == 0, -torch.inf)
        return torch.log_softmax(logits, dim=1), self.value(hidden)[:, 0]


class Rollout(NamedTuple):
    """Rollout of n games; every field is (steps, n, ...)."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    movers: Any
    rewards: Any
    ended: Any


def play(env: BatchEnv, network: ActorCritic, steps: int) -> Rollout:
    """Play `steps` steps in each game with the network's policy."""
    columns: list[list[Any]] = [[] for _ in Rollout._fields]
    for _ in range(steps):
        observations, masks = torch.from_numpy(env.observations.copy()), torch.from_numpy(env.action_masks.copy())
        movers = env.current_player.copy()
        with torch.no_grad():
            logs, values = network(observations, masks)
        actions = torch.multinomial(logs.exp(), 1)[:, 0]
        result = env.step(actions.numpy())
        log_probs = logs.gather(1, actions[:, None])[:, 0]
        ended, rewards = result.terminated.copy(), result.rewards.copy()
        step = (observations, masks, actions, log_probs, values, movers, rewards, ended)
        for column, entry in zip(columns, step, strict=True):
            column.append(entry)
    return Rollout(*map(torch.stack, columns[:5]), *map(np.stack, columns[5:]))


def compute_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> tuple[Any, Any]:
    """Return advantages (steps, n), and which of them are known."""
    steps, n, seats = rollout.rewards.shape
    rows, values = np.arange(n), rollout.values.numpy()
    advantages, known = np.zeros((steps, n), dtype=np.float32), np.zeros((steps, n), dtype=bool)
    # Backwards, per seat: value and advantage of its next own step, and the rewards until then.
    next_value, next_advantage, gained = (np.zeros((n, seats), dtype=np.float32) for _ in range(3))
    has_next = np.zeros((n, seats), dtype=bool)
    for step in reversed(range(steps)):
        over = rollout.ended[step]
        next_value[over] = next_advantage[over] = gained[over] = 0.0
        has_next[over] = True  # the value after the end is known: 0
        gained += rollout.rewards[step]
        mover = rows, rollout.movers[step].astype(int)
        later = next_value[mover] + gae_lambda * next_advantage[mover]
        advantages[step] = gained[mover] + gamma * later - values[step]
        known[step] = has_next[mover]
        next_value[mover] = values[step]
        next_advantage[mover] = np.where(known[step], advantages[step], 0.0)
        gained[mover], has_next[mover] = 0.0, True
    return advantages, known


def learn(
    network: ActorCritic, optimizer: torch.optim.Optimizer, rollout: Rollout, options: Options, left: float
) -> dict[str, float]:
    """Run all passes over a rollout; return mean losses.  `left`: remaining fraction of the run."""
    advantages, known = compute_advantages(rollout, options.gamma, options.gae_lambda)
    rows = torch.from_numpy(np.flatnonzero(known.reshape(-1)))
    if len(rows) < 2:
        return {}  # a single advantage cannot be normalized
    observations, masks, actions, log_probs, before = (one.flatten(0, 1) for one in rollout[:5])
    gains = torch.from_numpy(advantages.reshape(-1))
    targets = before + gains
    spread = targets[rows].square().mean().sqrt() + 1e-6  # points are tens, results are one
    gains = (gains - gains[rows].mean()) / (gains[rows].std() + 1e-8)
    for group in optimizer.param_groups:
        group["lr"] = options.learning_rate * (0.05 + 0.95 * left)
    entropy_bonus = options.ent_coef * (0.1 + 0.9 * left)
    losses: dict[str, list[float]] = {"policy_loss": [], "value_loss": [], "entropy": []}
    for _ in range(options.update_epochs):
        for some in torch.split(rows[torch.randperm(len(rows))], options.minibatch_size):
            logs, values = network(observations[some], masks[some])
            ratio = (logs.gather(1, actions[some, None])[:, 0] - log_probs[some]).exp()
            gain = torch.minimum(
                ratio * gains[some], ratio.clamp(1 - options.clip_coef, 1 + options.clip_coef) * gains[some]
            )
            entropy = -(logs.exp() * logs.masked_fill(masks[some] == 0, 0.0)).sum(dim=1)
            policy_loss, value_loss = -gain.mean(), ((values - targets[some]) / spread).square().mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss - entropy_bonus * entropy.mean()).backward()
            nn.utils.clip_grad_norm_(network.parameters(), options.max_grad_norm)
            optimizer.step()
            for column, loss in zip(losses.values(), (policy_loss, value_loss, entropy.mean()), strict=True):
                column.append(float(loss.detach()))
    return {name: float(np.mean(column)) for name, column in losses.items()}


def evaluate(network: ActorCritic, options: Options, players: int) -> float:
    """Return the win rate of the network's most probable actions, ties shared, on rotating seats."""
    game = make_game(options.game, players)
    env = BatchEnv(game, options.games, seat="rotate", opponents=options.opponent, autoreset_mode="DISABLED")
    step = env.reset(seed=options.seed + 1_000_000)
    while (step.current_player >= 0).any():
        with torch.no_grad():
            logs, _ = network(torch.from_numpy(env.observations), torch.from_numpy(env.action_masks).clamp(min=0))
        step = env.step(logs.nan_to_num(0.0).argmax(dim=1).numpy())
    own = env.final_places[np.arange(options.games), env.last_learners] == 1
    return float((own / (env.final_places == 1).sum(axis=1)).mean())


def train(options: Options) -> tuple[ActorCritic, int]:
    """Return a trained network and its number of players; ValueError for options that cannot be used."""
    check_ranges(options)
    if options.out is not None and not options.out.parent.is_dir():
        raise ValueError(f"--out: there is no folder {options.out.parent}")
    game = make_game(options.game, options.players) if options.players else make_game(options.game)
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)  # small layers: threads cost more than they save
    BatchEnv(game, 1, seat=0, opponents=options.opponent)  # fail early for an unknown opponent
    env = BatchEnv(game, options.num_envs, reward=options.reward)
    env.reset(seed=options.seed)
    network = ActorCritic(game.observations.size, game.actions.size, options.width)
    optimizer = torch.optim.Adam(network.parameters(), lr=options.learning_rate, eps=1e-5)
    started, rows = time.perf_counter(), options.num_envs * options.num_steps
    with tqdm(total=options.total_timesteps, unit=" steps", unit_scale=True) as bar:
        for done in range(0, options.total_timesteps, rows):
            rollout = play(env, network, options.num_steps)
            losses = learn(network, optimizer, rollout, options, 1.0 - done / options.total_timesteps)
            bar.set_postfix({name: f"{value:.3f}" for name, value in losses.items()}, refresh=False)
            bar.update(rows)
    print(f"{time.perf_counter() - started:.0f} s", file=sys.stderr)
    return network, game.num_players


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for options that cannot be used."""
    options = tyro.cli(Options, args=argv, prog="python -m training.ppo_single")
    try:
        network, players = train(options)
        share = evaluate(network, options, players)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wins {share:.1%} of {options.games} games against {options.opponent}, {players} players")
    if options.out is not None:
        weights = io.BytesIO()
        torch.save(network.state_dict(), weights)
        write_whole(options.out, weights.getvalue())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
