"""Pool of opponents for prioritised fictitious self-play: past selves, networks and agents.

A member is sampled with weight ``(1 - w)**2``, where w is the probability to rank before it (Vinyals and others,
*Grandmaster level in StarCraft II using multi-agent reinforcement learning*, Nature 575, 2019).  Win rates are counted
separately for each number of players, because an even win rate is one over that number.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from msgspec import convert
from torch import Tensor

from agents.arena.ratings import win_shares
from agents.networks.network import PlayingNetwork, masked, to_tensor
from agents.sampling import sample
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.players.checkpoint import part_of
from training.run.evaluation import Reseeded
from training.run.folder import Count

#: Games after which a win rate has mostly forgotten earlier results.
MEMORY: Final = 500
#: Added to every weight, so that every member is met again.
FLOOR: Final = 0.02


def beat_probability(shares: npt.ArrayLike, players: int) -> npt.NDArray[np.float64]:
    """Return the probability to rank before one of ``players - 1`` equal opponents, given win rates against them all.

    In the Plackett-Luce model (`agents.arena.ratings`) an even win rate corresponds to a probability of one half.

    >>> beat_probability([0.0, 0.25, 0.5, 1.0], 4).tolist()
    [0.0, 0.5, 0.75, 1.0]
    """
    won = np.asarray(shares, dtype=np.float64)
    stronger: npt.NDArray[np.float64] = won * (players - 1)
    return stronger / (stronger + 1.0 - won)


class FrozenNetwork:
    """A network that plays in the pool and does not learn; it samples actions from its policy.

    Args:
        name: name in messages.
        network: the network, of which it plays a copy.
        seed: seed of its moves.
        temperature: its logits are divided by it; 0 plays the most probable action.
        precision: of its weights, as in the options of the run.
    """

    def __init__(
        self, name: str, network: PlayingNetwork, seed: int, temperature: float = 1.0, precision: str = "float32"
    ) -> None:
        self.name, self.temperature = name, temperature
        self.dtype = torch.bfloat16 if precision == "bfloat16" else torch.float32
        # Games are in CPU memory, even if the learner is not.
        self.network = copy.deepcopy(network).requires_grad_(False).to("cpu", self.dtype)
        self.rng = np.random.default_rng(seed)

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Return ids of legal actions, int64 (k,)."""
        # Torch prepares bfloat16 layers for each number of rows that it meets, which costs more than these rows.
        count = len(views)
        size = max(16, (1 << count.bit_length()) // 8)
        rows = torch.zeros((-(-count // size) * size, views.observations.shape[1]), dtype=self.dtype)
        rows[:count] = to_tensor(views.observations)
        with torch.no_grad():
            logits = self.network(rows)[0][:count].float()
        masks, actions = np.array(views.action_masks), np.zeros(count, dtype=np.int64)
        if self.temperature == 0.0:
            actions[:] = masked(logits, torch.from_numpy(masks)).argmax(dim=1).numpy()
            return actions
        log_probs = np.zeros(count, dtype=np.float32)
        sample((logits / self.temperature).numpy(), masks, self.rng.random(count), actions, log_probs)
        return actions


class Pool:
    """Members: agents first, then permanent networks, then past selves, of which the oldest is replaced.

    Args:
        agents: number of agents.
        network: the learner's network; all slots are initialized with a copy, and used once they are filled.
        slots: slots for networks and past selves.
        seed: seed of their moves and of the choice between members.
        player_counts: numbers of players of the games.
        precision: of the weights of networks.

    Attributes:
        won: win rates against each member, float64 (members,), by number of players.
    """

    def __init__(
        self,
        agents: int,
        network: PlayingNetwork,
        slots: int,
        seed: int,
        player_counts: Sequence[int] = (2,),
        precision: str = "float32",
    ) -> None:
        self.past = [
            FrozenNetwork(f"past self {slot}", network, seed + slot + 1, precision=precision) for slot in range(slots)
        ]
        self.agents = agents
        self.entered = self.permanent = 0
        self.won = {players: np.full(agents + slots, 1 / players) for players in player_counts}
        self.rng = np.random.default_rng(seed)

    def enter(self, network: PlayingNetwork, *, permanent: bool = False) -> None:
        """Add a copy of a network: `permanent` ones first, then past selves of the learner, if a slot is left."""
        free = len(self.past) - self.permanent
        if free == 0:
            return
        slot = self.permanent + (self.entered - self.permanent) % free
        self.permanent += permanent
        self.past[slot].network.load_state_dict(network.state_dict())
        for players, won in self.won.items():
            won[self.agents + slot] = 1 / players
        self.entered += 1

    @property
    def present(self) -> int:
        """Number of members."""
        return self.agents + min(self.entered, len(self.past))

    def choose(self, count: int, players: int) -> npt.NDArray[np.int64]:
        """Sample the members to meet in `count` games of `players`."""
        present = self.present
        weights = (1.0 - beat_probability(self.won[players][:present], players)) ** 2 + FLOOR
        return self.rng.choice(present, size=count, p=weights / weights.sum())

    def record(self, member: int, wins: float, games: int, players: int) -> None:
        """Record `games` finished games of `players` against a member, `wins` of them won by the learner."""
        step, won = min(1.0, games / MEMORY), self.won[players]
        won[member] += step * (wins / games - won[member])

    # -- checkpoints

    def tensors(self) -> dict[str, Tensor]:
        """Return the weights of all slots and the win rates."""
        found = {f"won.{players}": torch.from_numpy(won.copy()) for players, won in self.won.items()}
        for slot, one in enumerate(self.past):
            found |= {f"{slot}.{name}": tensor for name, tensor in one.network.state_dict().items()}
        return found

    def description(self) -> dict[str, Any]:
        """Return the remaining state as JSON values."""
        states = [one.rng.bit_generator.state for one in self.past]
        return {"entered": self.entered, "rivals": self.permanent, "rng": self.rng.bit_generator.state, "past": states}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        """Restore `tensors` and `description`."""
        saved = part_of(tensors, "won")
        if saved.keys() != {str(players) for players in self.won}:
            raise RuntimeError(f"its pool counts wins for {', '.join(saved) or 'all'} players together")
        for players, won in self.won.items():
            won[:] = saved[str(players)].numpy()
            if not ((won >= 0) & (won <= 1)).all():
                raise ValueError(f"its win rates are {won.tolist()}")
        for slot, one in enumerate(self.past):
            one.network.load_state_dict(part_of(tensors, str(slot)))
            one.rng.bit_generator.state = described["past"][slot]
        self.entered, self.permanent = (convert(described[name], Count) for name in ("entered", "rivals"))
        self.rng.bit_generator.state = described["rng"]


class PoolMatches:
    """Batch in which the learner, on rotating seats, meets one member of the pool on all other seats.

    Args:
        env: a batch with a rotating seat.
        pool: the opponents.
        agents: the agents of the pool.
    """

    def __init__(self, env: BatchEnv, pool: Pool, agents: Sequence[Policy | BatchAgent]) -> None:
        self.env, self.pool = env, pool
        self.members: list[Policy | BatchAgent] = [*agents, *pool.past]
        self.drawing = [one for one in agents if isinstance(one, Reseeded | FrozenNetwork)]
        # Registering all members once gives them the same indices in every batch.
        for member in self.members:
            env.set_opponents(member, [])
        #: Member in the current and in the next game of each row.
        self.playing = np.zeros(env.num_envs, dtype=np.int64)
        self.next = np.zeros(env.num_envs, dtype=np.int64)

    def description(self) -> list[dict[str, Any]]:
        """Return the generators' states of the agents that sample, as JSON values."""
        return [dict(agent.rng.bit_generator.state) for agent in self.drawing]

    def restore(self, members: npt.NDArray[np.int64], described: Sequence[Mapping[str, Any]]) -> None:
        """Restore the members in current and next games, (2, rows), and `description`; earlier runs have none."""
        if not ((members >= 0) & (members < len(self.members))).all():
            raise ValueError(f"its opponents are not out of {len(self.members)}")
        self.playing[:], self.next[:] = members
        for agent, state in zip(self.drawing, described, strict=False):
            agent.rng.bit_generator.state = state

    def begin(self, seed: int) -> None:
        """Start new games in all rows."""
        self.choose()
        self.env.reset(seed=seed)
        self.playing[:] = self.next

    def choose(self) -> None:
        """Sample the opponents of the games that begin from now on."""
        self.next[:] = self.pool.choose(len(self.next), self.env.game.num_players)
        for number in np.unique(self.next):
            self.env.set_opponents(self.members[number], np.flatnonzero(self.next == number))

    def record(self, rows: npt.NDArray[np.int64]) -> None:
        """Record the games of `rows`, which have just ended."""
        wins = win_shares(self.env.final_places[rows])[np.arange(len(rows)), self.env.last_learners[rows]]
        for number in np.unique(self.playing[rows]):
            met = self.playing[rows] == number
            self.pool.record(int(number), float(wins[met].sum()), int(met.sum()), self.env.game.num_players)
        self.playing[rows] = self.next[rows]
