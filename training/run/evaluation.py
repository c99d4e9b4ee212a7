"""Opponents by name, and the strength of a network against them on duplicate deals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from agents.agent import Agent
from agents.arena.matches import deal_seed
from agents.arena.ratings import Estimate, Z, by_deal, half_width, margins, share_of_deals, win_shares
from agents.arena.tables import interval
from agents.networks.network import PlayingNetwork, masked, to_tensor
from agents.networks.neural import history_of
from agents.registry import make, rivals
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import BatchView
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import BatchAgent

#: Choose ids of legal actions, int64 (k,), for the rows int64 (k,) of a batch.
Decide = Callable[[BatchEnv, npt.NDArray[np.int64]], npt.NDArray[np.int64]]

#: Seed of the first drawn component set of measurements; training draws from 1 on.
HELD_OUT: Final = 1_000_001
#: Number of deals from the first one of a component set to that of the next.
SET_DEALS: Final = 1_000_000
#: Deals played side by side.
ROWS: Final = 1024


def default_opponents(game: str) -> tuple[str, ...]:
    """Return the default opponents of a game, the strongest last: `RIVALS` of its agents' package.

    >>> default_opponents("noughts_and_crosses")
    ('random',)
    """
    return rivals(game) or ("random",)


def make_opponent(name: str, game: Game) -> Policy | Agent:
    """Return an agent as an opponent for `BatchEnv`: its compiled policy if it has one, otherwise the agent.

    Raises:
        ValueError: unknown agent.
    """
    agent = make(name, game)
    return agent if agent.compiled is None else agent.compiled


class Reseeded:
    """An agent as an opponent in many games, with a new seed for each step.

    An agent is a function of its view and its seed.  With a single seed, an agent that samples would take a fixed
    action in each information state instead of its mixture.

    Args:
        agent: the agent; its `seed` changes unless it defines `act_seeded`.
        seed: seed of the sequence of seeds.
    """

    def __init__(self, agent: Agent, seed: int) -> None:
        self.name, self.agent, self.rng = agent.name, agent, np.random.default_rng(seed)

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Return ids of legal actions, int64 (k,)."""
        agent, kind = self.agent, type(self.agent)
        seeds = self.rng.integers(1 << 62, size=len(views))
        # An agent with a custom act_batch and without act_seeded does not depend on the seed (`Agent.batched`).
        if kind.act_seeded is not Agent.act_seeded or kind.act_batch is not Agent.act_batch:
            return agent.act_seeded(views, seeds)
        actions = np.zeros(len(views), dtype=np.int64)
        for row, agent.seed in enumerate(seeds.tolist()):
            actions[row] = agent.act(views[row])
        return actions


def reseeded(opponent: Policy | BatchAgent, seed: int) -> Policy | BatchAgent:
    """Return an opponent that samples independently in each step; compiled policies already do."""
    return Reseeded(opponent, seed) if isinstance(opponent, Agent) else opponent


class BestAction:
    """A decider that takes a network's most probable action.

    Attributes:
        history: number of events that the network reads.
    """

    def __init__(self, network: PlayingNetwork, device: str = "cpu") -> None:
        self.network, self.device, self.history = network, device, history_of(network)

    def __call__(self, env: BatchEnv, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        histories = [torch.from_numpy(env.histories[rows]).to(self.device)] if self.history else []
        with torch.no_grad():
            logits, _ = self.network(to_tensor(env.observations[rows], self.device), *histories)
            legal = torch.from_numpy(env.action_masks[rows]).to(self.device)
            actions: npt.NDArray[np.int64] = masked(logits, legal).argmax(1).cpu().numpy()
        return actions


def agent_actions(agent: BatchAgent) -> Decide:
    """Return a decider that asks an agent, which sees each game as its mover does."""

    def decide(env: BatchEnv, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.asarray(agent.act_batch(env.views(rows)), dtype=np.int64)

    return decide


class DealsPlayed(NamedTuple):
    """Games of a decider against opponents.

    totals: int32 (games, players) by seat; places: int8 (games, players), final ranks from 1.
    seats: int64 (games,), the decider's seat; deals: int64 (games,), index of the deal.
    """

    totals: npt.NDArray[np.int32]
    places: npt.NDArray[np.int8]
    seats: npt.NDArray[np.int64]
    deals: npt.NDArray[np.int64]


def play_deals(
    decide: Decide,
    opponents: Sequence[Policy | BatchAgent],
    game: Game,
    seeds: Sequence[int],
    rows: int = ROWS,
    on_progress: Callable[[int], object] = lambda _: None,
) -> DealsPlayed:
    """Play every deal once from every seat of the decider; `opponents` sit to its left in order.

    Opponents that sample do so independently in each step (`Reseeded`); the same arguments give the same games.

    Args:
        rows: deals played side by side.
        on_progress: called with the number of deals just finished.
    """
    totals, places, seats, deals = [], [], [], []
    # An opponent of several seats stays one object, which BatchEnv asks for all of them at once.
    independent = {id(opponent): reseeded(opponent, index) for index, opponent in enumerate(opponents)}
    opponents = [independent[id(opponent)] for opponent in opponents]
    for first in range(0, len(seeds), rows):
        part = list(seeds[first : first + rows])
        for seat in range(game.num_players):
            env = BatchEnv(
                game, len(part), seat=seat, opponents=list(opponents), autoreset_mode="DISABLED",
                history=getattr(decide, "history", 0),
            )  # fmt: skip
            step = env.reset(seed=part)
            while (step.current_player >= 0).any():
                actions = np.zeros(len(part), dtype=np.int64)
                active = np.flatnonzero(step.current_player >= 0)
                actions[active] = decide(env, active)
                step = env.step(actions)
            totals.append(env.final_scores.copy())
            places.append(env.final_places.copy())
            seats.append(np.full(len(part), seat))
            deals.append(np.arange(first, first + len(part)))
        on_progress(len(part))
    return DealsPlayed(*(np.concatenate(parts) for parts in (totals, places, seats, deals)))


def deal_shares(played: DealsPlayed) -> npt.NDArray[np.float64]:
    """Return the decider's mean win share over the seats of each deal, float64 (deals,)."""
    wins = win_shares(played.places)[np.arange(len(played.seats)), played.seats]
    shares: npt.NDArray[np.float64] = np.bincount(played.deals, wins) / played.places.shape[1]
    return shares


def win_rate(played: DealsPlayed) -> Estimate:
    """Return the decider's win rate (ties shared) with its 95 % confidence interval; a deal is one trial."""
    wins = win_shares(played.places)[np.arange(len(played.seats)), played.seats]
    sums, numbers = by_deal(wins, np.zeros(len(wins), dtype=int), played.deals, 1)
    return share_of_deals(sums[:, 0], numbers[:, 0])


class Strength(NamedTuple):
    """Result of a decider against opponents.

    share: win rate (ties shared) with its 95 % confidence interval; a deal is one trial.  Even is 1/players.
    margin: mean score difference to the best opponent.
    """

    share: Estimate
    margin: float


def strength(
    decide: Decide,
    opponent: Policy | BatchAgent,
    game: Game,
    seeds: Sequence[int],
    rows: int = ROWS,
    on_progress: Callable[[int], object] = lambda _: None,
) -> Strength:
    """Play every deal from every seat against `opponent` on all other seats; arguments as in `play_deals`."""
    played = play_deals(decide, [opponent] * (game.num_players - 1), game, seeds, rows, on_progress)
    leads = margins(played.totals)[np.arange(len(played.seats)), played.seats]
    return Strength(win_rate(played), float(np.mean(leads)))


def seeds_of_set(seed: int, number: int, first: int, count: int) -> list[int]:
    """Return the seeds of deals with a component set, `count` from index `first` on; each set has other deals.

    Results of one deal with several sets would not be independent.
    """
    return [deal_seed(seed, number * SET_DEALS + deal) for deal in range(first, first + count)]


def over_sets(results: Sequence[Strength]) -> Strength:
    """Return the means over component sets; the interval comes from the variance between sets.

    That variance is at least the mean one within a set, by the set's own interval: a lucky agreement of sets does not
    narrow the interval.  Student's t widens it for few sets.

    Args:
        results: of at least two sets.
    """
    values, low, high = np.array([one.share for one in results]).T
    variance = max(values.var(ddof=1), np.mean(((high - low) / (2 * Z)) ** 2))
    mean, half = float(values.mean()), half_width(len(values)) * float(np.sqrt(variance / len(values)))
    share = Estimate(mean, max(0.0, mean - half), min(1.0, mean + half))
    return Strength(share, float(np.mean([one.margin for one in results])))


def summary(results: Mapping[str, Strength], skills: Mapping[str, Estimate]) -> str:
    """Return one line with the result against each opponent, and the skill of a choice by number of players."""
    wins = (
        f"{name}: wins {one.share.value:.0%} ({one.share.low:.0%}-{one.share.high:.0%}), margin {one.margin:+.0f}"
        for name, one in results.items()
    )
    return "; ".join((*wins, *(f"skill of a choice, {name}: {interval(one, 4)}" for name, one in skills.items())))
