"""Masked self-play PPO in one file, to read and to change: ``python -m training.ppo_single --decisions 2000000``.

The algorithm of `training.ppo` without its speed, its pool, its checkpoints and its other numbers of players: all of it
stands here, on `BatchEnv`, numpy and torch.  What differs from PPO for one player:

* One network plays all seats of a game.  Between two decisions of a seat others decide, and it is paid for what they do
  too: its reward is summed until it decides again, and its advantage runs along its own decisions.
* Illegal actions have no probability: their logits are minus infinity, in playing and in learning.
* Where a seat has not decided again when the rollout ends, nobody knows what its last decision was worth: it is left
  out.

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
from typing import Any, NamedTuple

import numpy as np
import torch
import tyro
from torch import Tensor, nn
from tqdm import tqdm  # type: ignore[import-untyped]

from porta_nigra_env.core.files import write_whole
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, make_game
from training.run.checks import check_least, check_positive


@dataclass(frozen=True)
class Arguments:
    """Train a network by self-play, with everything in one file."""

    game: str = DEFAULT_GAME
    """What is played."""
    players: int = 0
    """By default the fewest of the game."""
    decisions: int = 2_000_000
    """To play, in all seats together."""
    envs: int = 256
    """Games at the same time."""
    steps: int = 64
    """Decisions of every game in an iteration."""
    batch: int = 1024
    """Decisions of a gradient step."""
    epochs: int = 2
    """Passes over the decisions of an iteration."""
    width: int = 256
    """Units of a layer."""
    learning_rate: float = 5e-4
    """At the start; it falls to a twentieth."""
    discount: float = 1.0
    """Of a seat's next decision."""
    gae_lambda: float = 0.95
    """Of the advantage estimator."""
    clip: float = 0.2
    """How far a probability may move before its gain stops counting."""
    entropy: float = 0.01
    """Weight of the entropy bonus at the start; it falls to a tenth."""
    max_grad_norm: float = 0.5
    """Largest norm of a gradient."""
    reward: str = "outcome"
    """outcome: the win; margin: points ahead of the others' mean; points: own points."""
    opponent: str = "greedy"
    """A player of the game, whom the network meets at the end."""
    games: int = 1000
    """Of that meeting."""
    seed: int = 1
    """Of weights, games and actions."""
    out: Path | None = None
    """File for the weights; by default they are not kept."""


class ActorCritic(nn.Module):
    """One hidden layer and a residual one; logits of all actions, and the value of the mover."""

    def __init__(self, inputs: int, actions: int, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(inputs, width), nn.Linear(width, width)
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logarithms of probabilities (k, actions), and values (k,)."""
        hidden = torch.relu(self.first(observations))
        hidden = hidden + torch.relu(self.second(hidden))
        logits = self.policy(hidden).masked_fill(masks == 0, -torch.inf)
        return torch.log_softmax(logits, dim=1), self.value(hidden)[:, 0]


class Rollout(NamedTuple):
    """What happened in n games: everything (steps, n) and more."""

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    values: Tensor
    movers: Any
    rewards: Any
    ended: Any


def play(env: BatchEnv, network: ActorCritic, steps: int) -> Rollout:
    """Decide `steps` times in each game, by the network's probabilities."""
    found: list[list[Any]] = [[] for _ in Rollout._fields]
    for _ in range(steps):
        observations, masks = torch.from_numpy(env.observations.copy()), torch.from_numpy(env.action_masks.copy())
        movers = env.current_player.copy()
        with torch.no_grad():
            logs, values = network(observations, masks)
        actions = torch.multinomial(logs.exp(), 1)[:, 0]
        result = env.step(actions.numpy())
        log_probs = logs.gather(1, actions[:, None])[:, 0]
        ended, rewards = result.terminated.copy(), result.rewards.copy()
        for kept, one in zip(
            found, (observations, masks, actions, log_probs, values, movers, rewards, ended), strict=True
        ):
            kept.append(one)
    return Rollout(*map(torch.stack, found[:5]), *map(np.stack, found[5:]))


def advantages_of(rollout: Rollout, discount: float, gae_lambda: float) -> tuple[Any, Any]:
    """Advantages (steps, n), and which of them are known."""
    steps, n, seats = rollout.rewards.shape
    rows, values = np.arange(n), rollout.values.numpy()
    advantages, known = np.zeros((steps, n), dtype=np.float32), np.zeros((steps, n), dtype=bool)
    # Of each seat, looking back from the end: value and advantage of its next decision, what it has been paid since.
    next_value, next_advantage, gained = (np.zeros((n, seats), dtype=np.float32) for _ in range(3))
    decided = np.zeros((n, seats), dtype=bool)
    for step in reversed(range(steps)):
        over = rollout.ended[step]
        next_value[over] = next_advantage[over] = gained[over] = 0.0
        decided[over] = True  # nothing comes after the end: its worth is known
        gained += rollout.rewards[step]
        mover = rows, rollout.movers[step].astype(int)
        later = next_value[mover] + gae_lambda * next_advantage[mover]
        advantages[step] = gained[mover] + discount * later - values[step]
        known[step] = decided[mover]
        next_value[mover] = values[step]
        next_advantage[mover] = np.where(known[step], advantages[step], 0.0)
        gained[mover], decided[mover] = 0.0, True
    return advantages, known


def learn(
    network: ActorCritic, optimizer: torch.optim.Optimizer, rollout: Rollout, asked: Arguments, left: float
) -> dict[str, float]:
    """Some passes over a rollout; `left` of the run is to come.  Returns means of losses."""
    advantages, known = advantages_of(rollout, asked.discount, asked.gae_lambda)
    rows = torch.from_numpy(np.flatnonzero(known.reshape(-1)))
    if len(rows) < 2:
        return {}  # one decision is not better or worse than others
    observations, masks, actions, log_probs, before = (one.flatten(0, 1) for one in rollout[:5])
    gains = torch.from_numpy(advantages.reshape(-1))
    targets = before + gains
    spread = targets[rows].square().mean().sqrt() + 1e-6  # points are tens, results one
    gains = (gains - gains[rows].mean()) / (gains[rows].std() + 1e-8)
    for group in optimizer.param_groups:
        group["lr"] = asked.learning_rate * (0.05 + 0.95 * left)
    entropy_bonus = asked.entropy * (0.1 + 0.9 * left)
    found: dict[str, list[float]] = {"policy_loss": [], "value_loss": [], "entropy": []}
    for _ in range(asked.epochs):
        for some in torch.split(rows[torch.randperm(len(rows))], asked.batch):
            logs, values = network(observations[some], masks[some])
            ratio = (logs.gather(1, actions[some, None])[:, 0] - log_probs[some]).exp()
            gain = torch.minimum(ratio * gains[some], ratio.clamp(1 - asked.clip, 1 + asked.clip) * gains[some])
            entropy = -(logs.exp() * logs.masked_fill(masks[some] == 0, 0.0)).sum(dim=1)
            policy_loss, value_loss = -gain.mean(), ((values - targets[some]) / spread).square().mean()
            optimizer.zero_grad()
            (policy_loss + 0.5 * value_loss - entropy_bonus * entropy.mean()).backward()
            nn.utils.clip_grad_norm_(network.parameters(), asked.max_grad_norm)
            optimizer.step()
            for name, one in (("policy_loss", policy_loss), ("value_loss", value_loss), ("entropy", entropy.mean())):
                found[name].append(float(one.detach()))
    return {name: float(np.mean(ones)) for name, ones in found.items()}


def share_won(network: ActorCritic, asked: Arguments, players: int) -> float:
    """The share of games that the network's most probable actions win, ties shared, on every seat in turn."""
    game = make_game(asked.game, players)
    env = BatchEnv(game, asked.games, seat="rotate", opponents=asked.opponent, autoreset_mode="DISABLED")
    step = env.reset(seed=asked.seed + 1_000_000)
    while (step.current_player >= 0).any():
        with torch.no_grad():
            logs, _ = network(torch.from_numpy(env.observations), torch.from_numpy(env.action_masks).clamp(min=0))
        step = env.step(logs.nan_to_num(0.0).argmax(dim=1).numpy())
    own = env.final_places[np.arange(asked.games), env.last_learners] == 1
    return float((own / (env.final_places == 1).sum(axis=1)).mean())


def check(asked: Arguments) -> None:
    """ValueError that names the first argument out of range."""
    least = {"decisions": 1, "envs": 1, "steps": 2, "batch": 1, "epochs": 1, "width": 1, "games": 1}
    check_least(asked, least | {"entropy": 0, "seed": 0})
    check_positive(asked, ("learning_rate", "discount", "gae_lambda", "clip", "max_grad_norm"))


def train(asked: Arguments) -> tuple[ActorCritic, int]:
    """A network, and the number of players it has learned for; ValueError for what cannot be played or written."""
    check(asked)
    if asked.out is not None and not asked.out.parent.is_dir():
        raise ValueError(f"--out: there is no folder {asked.out.parent}")
    game = make_game(asked.game, asked.players) if asked.players else make_game(asked.game)
    torch.manual_seed(asked.seed)
    torch.set_num_threads(1)  # small layers: sharing them out costs more than it saves
    BatchEnv(game, 1, seat=0, opponents=asked.opponent)  # refuses an opponent that there is not, before and not after
    env = BatchEnv(game, asked.envs, reward=asked.reward)
    env.reset(seed=asked.seed)
    network = ActorCritic(game.observations.size, game.actions.size, asked.width)
    optimizer = torch.optim.Adam(network.parameters(), lr=asked.learning_rate, eps=1e-5)
    begun, rows = time.perf_counter(), asked.envs * asked.steps
    with tqdm(total=asked.decisions, unit=" decisions", unit_scale=True) as bar:
        for done in range(0, asked.decisions, rows):
            rollout = play(env, network, asked.steps)
            figures = learn(network, optimizer, rollout, asked, 1.0 - done / asked.decisions)
            bar.set_postfix({name: f"{value:.3f}" for name, value in figures.items()}, refresh=False)
            bar.update(rows)
    print(f"{time.perf_counter() - begun:.0f} s", file=sys.stderr)
    return network, game.num_players


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    asked = tyro.cli(Arguments, args=argv, prog="python -m training.ppo_single")
    try:
        network, players = train(asked)
        share = share_won(network, asked, players)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"wins {share:.1%} of {asked.games} games against {asked.opponent}, {players} players")
    if asked.out is not None:
        weights = io.BytesIO()
        torch.save(network.state_dict(), weights)
        write_whole(asked.out, weights.getvalue())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
