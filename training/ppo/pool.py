"""A pool of opponents: past selves and named agents, met as often as they are hard to beat.

Prioritised fictitious self-play (Vinyals and others, *Grandmaster level in StarCraft II using multi-agent reinforcement
learning*, Nature 575, 2019): a member is chosen with a weight of ``(1 - w)**2``, w the chance to be placed before it.
That is counted for each number of players on its own, since an even share of wins is one over that number.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from agents.arena.ratings import win_shares
from agents.networks.network import PlayingNetwork, masked, to_tensor
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import BatchAgent
from porta_nigra_env.players.checkpoint import part_of

#: How fast a win share forgets: of so many games, about.
MEMORY: Final = 500
#: Added to every weight, so that nobody is forgotten for good.
FLOOR: Final = 0.02


def chance_against(shares: npt.ArrayLike, players: int) -> npt.NDArray[np.float64]:
    """The chance to be placed before one of ``players - 1`` equal opponents, of the share of wins against all of them.

    By Plackett-Luce (`agents.arena.ratings`): among equals a win share of one over the number of players is a chance of
    one half.

    >>> chance_against([0.0, 0.25, 0.5, 1.0], 4).tolist()
    [0.0, 0.5, 0.75, 1.0]
    """
    won = np.asarray(shares, dtype=np.float64)
    stronger: npt.NDArray[np.float64] = won * (players - 1)
    return stronger / (stronger + 1.0 - won)


class PastSelf:
    """A slot for a frozen copy of the learner; its moves are drawn from its probabilities."""

    def __init__(self, name: str, network: PlayingNetwork, seed: int) -> None:
        self.name = name
        # Games lie in the processor's memory, wherever the learner is.
        self.network = copy.deepcopy(network).requires_grad_(False).to("cpu")
        self.rng = np.random.default_rng(seed)

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Ids of legal actions, int64 (k,)."""
        with torch.no_grad():
            logits, _ = self.network(to_tensor(views.observations))
            legal = torch.from_numpy(np.array(views.action_masks))
            # Gumbel's trick: the largest of logits plus noise is a draw from their softmax.
            noise = torch.from_numpy(self.rng.gumbel(size=logits.shape).astype(np.float32))
            chosen: npt.NDArray[np.int64] = masked(logits + noise, legal).argmax(dim=1).numpy()
        return chosen


class Pool:
    """Named agents from the first, past selves as they come; the oldest one leaves when the slots are taken.

    Rivals are networks that stay; past selves share the slots that they leave.

    Args:
        agents: how many named agents there are; they are the first members.
        network: of the learner; all slots begin with a copy of it and are not used before they are filled.
        slots: for rivals and past selves.
        seed: of their moves and of the choice between members.
        tables: numbers of players of the games that are played.

    Attributes:
        won: shares of games won against each member, float64 (members,), by number of players.
    """

    def __init__(
        self, agents: int, network: PlayingNetwork, slots: int, seed: int, constants: Sequence[int] = (2,)
    ) -> None:
        self.past = [PastSelf(f"past self {slot}", network, seed + slot + 1) for slot in range(slots)]
        self.agents = agents
        self.entered = self.rivals = 0
        self.won = {players: np.full(agents + slots, 1 / players) for players in constants}
        self.rng = np.random.default_rng(seed)

    def enter(self, network: PlayingNetwork, *, stays: bool = False) -> None:
        """A copy of a network becomes a member: of the learner as it is now, or first of rivals, each of which `stays`.

        Without a slot that a rival leaves, past selves do not enter.
        """
        free = len(self.past) - self.rivals
        if free == 0:
            return
        slot = self.rivals + (self.entered - self.rivals) % free
        self.rivals += stays
        self.past[slot].network.load_state_dict(network.state_dict())
        for players, won in self.won.items():
            won[self.agents + slot] = 1 / players
        self.entered += 1

    @property
    def present(self) -> int:
        """Members that can be met."""
        return self.agents + min(self.entered, len(self.past))

    def choose(self, count: int, players: int) -> npt.NDArray[np.int64]:
        """Numbers of members for so many games of `players`."""
        present = self.present
        weights = (1.0 - chance_against(self.won[players][:present], players)) ** 2 + FLOOR
        return self.rng.choice(present, size=count, p=weights / weights.sum())

    def record(self, member: int, wins: float, games: int, players: int) -> None:
        """Games of `players` against a member have ended, so many of them won by the learner."""
        step, won = min(1.0, games / MEMORY), self.won[players]
        won[member] += step * (wins / games - won[member])

    # -- checkpoints

    def tensors(self) -> dict[str, Tensor]:
        """Weights of all past selves and the win shares."""
        found = {f"won.{players}": torch.from_numpy(won.copy()) for players, won in self.won.items()}
        for slot, one in enumerate(self.past):
            found |= {f"{slot}.{name}": tensor for name, tensor in one.network.state_dict().items()}
        return found

    def description(self) -> dict[str, Any]:
        """The rest, for JSON."""
        states = [one.rng.bit_generator.state for one in self.past]
        return {"entered": self.entered, "rivals": self.rivals, "rng": self.rng.bit_generator.state, "past": states}

    def restore(self, tensors: Mapping[str, Tensor], described: Mapping[str, Any]) -> None:
        """Go on from `tensors` and `description`."""
        kept = part_of(tensors, "won")
        if kept.keys() != {str(players) for players in self.won}:
            raise RuntimeError(f"its pool counts wins for {', '.join(kept) or 'all'} players together")
        for players, won in self.won.items():
            won[:] = kept[str(players)].numpy()
        for slot, one in enumerate(self.past):
            one.network.load_state_dict(part_of(tensors, str(slot)))
            one.rng.bit_generator.state = described["past"][slot]
        self.entered, self.rivals = described["entered"], described["rivals"]
        self.rng.bit_generator.state = described["rng"]


class PoolMatches:
    """Rows of a batch in which the learner, on changing seats, meets members of a pool; a member has all other seats.

    Args:
        env: a batch with the learner's seat changing.
        pool: whom they meet.
        agents: the named agents that are the pool's first members.
    """

    def __init__(self, env: BatchEnv, pool: Pool, agents: Sequence[Policy | BatchAgent]) -> None:
        self.env, self.pool = env, pool
        self.members: list[Policy | BatchAgent] = [*agents, *pool.past]
        # All are entered once, so that they have the same numbers in every batch made alike.
        for member in self.members:
            env.set_opponents(member, [])
        self.playing = np.zeros(env.num_envs, dtype=np.int64)
        self.next = np.zeros(env.num_envs, dtype=np.int64)

    def begin(self, seed: int) -> None:
        """New games in all rows."""
        self.choose()
        self.env.reset(seed=seed)
        self.playing[:] = self.next

    def choose(self) -> None:
        """Who is met in the games that begin from now on."""
        self.next[:] = self.pool.choose(len(self.next), self.env.game.num_players)
        for number in np.unique(self.next):
            self.env.set_opponents(self.members[number], np.flatnonzero(self.next == number))

    def record(self, rows: npt.NDArray[np.int64]) -> None:
        """The games in `rows` have just ended."""
        learners, places = self.env.last_learners[rows], self.env.final_places[rows]
        wins = win_shares(places)[np.arange(len(rows)), learners]
        for number in np.unique(self.playing[rows]):
            met = self.playing[rows] == number
            self.pool.record(int(number), float(wins[met].sum()), int(met.sum()), self.env.game.num_players)
        self.playing[rows] = self.next[rows]
