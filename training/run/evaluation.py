"""How strong a network is: win shares against other agents on duplicate deals, many games at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from agents.arena.ratings import Estimate, by_deal, margins, share_of_deals, win_shares
from agents.networks.network import PlayingNetwork, masked, to_tensor
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.opponents import BatchAgent

#: Decides for some rows of a batch, int64 (k,): ids of legal actions, int64 (k,).
Decide = Callable[[BatchEnv, npt.NDArray[np.int64]], npt.NDArray[np.int64]]

#: Games at once.
ROWS: Final = 1024


def best_action(network: PlayingNetwork, device: str = "cpu") -> Decide:
    """The network's most probable action."""

    def decide(env: BatchEnv, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        with torch.no_grad():
            logits, _ = network(to_tensor(env.observations[rows], device))
            legal = torch.from_numpy(env.action_masks[rows]).to(device)
            chosen: npt.NDArray[np.int64] = masked(logits, legal).argmax(1).cpu().numpy()
        return chosen

    return decide


def answers_of(agent: BatchAgent) -> Decide:
    """What an agent answers that is shown the games as their movers see them."""

    def decide(env: BatchEnv, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.asarray(agent.act_batch(env.views(rows)), dtype=np.int64)

    return decide


class DealsPlayed(NamedTuple):
    """Games of a decider against others.

    totals: int32 (games, players), by seat; places: int8 (games, players), 1 for the first.
    seats: int64 (games,), the decider's; deals: int64 (games,), the number of the deal.
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
    together: int = ROWS,
    done: Callable[[int], object] = lambda _: None,
) -> DealsPlayed:
    """Every deal from every seat: the decider sits on each seat in turn, `opponents` from its left on.

    together: deals side by side; done: told how many more have been played, by default nobody is.
    """
    totals, places, seats, deals = [], [], [], []
    for first in range(0, len(seeds), together):
        part = list(seeds[first : first + together])
        for seat in range(game.num_players):
            env = BatchEnv(game, len(part), seat=seat, opponents=list(opponents), autoreset_mode="DISABLED")
            step = env.reset(seed=part)
            while (step.current_player >= 0).any():
                actions = np.zeros(len(part), dtype=np.int64)
                rows = np.flatnonzero(step.current_player >= 0)
                actions[rows] = decide(env, rows)
                step = env.step(actions)
            totals.append(env.final_scores.copy())
            places.append(env.final_places.copy())
            seats.append(np.full(len(part), seat))
            deals.append(np.arange(first, first + len(part)))
        done(len(part))
    return DealsPlayed(*(np.concatenate(parts) for parts in (totals, places, seats, deals)))


class Strength(NamedTuple):
    """How a decider did against others.

    share: of wins (ties shared) with its 95 % interval, a deal counted as one trial; 1/players would be even.
    margin: mean points ahead of the best of the others.
    """

    share: Estimate
    margin: float


def strength(
    decide: Decide,
    opponent: Policy | BatchAgent,
    game: Game,
    seeds: Sequence[int],
    together: int = ROWS,
    done: Callable[[int], object] = lambda _: None,
) -> Strength:
    """Play every deal from every seat against `opponent` on all the others; together, done: as of `play_deals`."""
    played = play_deals(decide, [opponent] * (game.num_players - 1), game, seeds, together, done)
    own = np.arange(len(played.seats)), played.seats
    wins, leads = win_shares(played.places)[own], margins(played.totals)[own]
    sums, numbers = by_deal(wins, np.zeros(len(wins), dtype=int), played.deals, 1)
    return Strength(share_of_deals(sums[:, 0], numbers[:, 0]), float(np.mean(leads)))


def summary(found: Mapping[str, Strength]) -> str:
    """One line about all opponents."""
    return "; ".join(
        f"{name}: wins {one.share.value:.0%} ({one.share.low:.0%}-{one.share.high:.0%}), margin {one.margin:+.0f}"
        for name, one in found.items()
    )
