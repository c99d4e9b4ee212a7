"""Values of positions and of actions by a network: the estimates behind a review.

A result is -1..1 by seat (`core.game.results.outcome_returns`).  An action is estimated in sampled states of a view:
each is one determinization with one draw of future chance.  All actions of a step are tried in the same sampled states
with the same random numbers, so that differences of actions have little noise.

The network continues each action for some plies, until the same player is to move again, before its values count.
Right after an action its errors about single positions would decide, and its values differ with the player to move.
Near the end of a game its values explain less of the result than the scores do; rollouts to the end need no values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.networks.neural import NetworkAgent, evaluator_of
from agents.registry import make
from agents.sampling import sample
from agents.search.guided import Evaluator
from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import decision_seed, later_seed
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.results import outcome_returns
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.batch import BatchEnv

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

#: Sampled states of a step, at least: two in each half, for a standard error.
MIN_SAMPLES: Final = 4


@dataclass(frozen=True)
class Effort:
    """The size of the estimates.

    Attributes:
        samples: sampled states of a step, at least `MIN_SAMPLES`.
        candidates: the network's most probable actions that are tried next to the chosen one, except unlikely ones
            (`LEAST`).
        plies: steps of the network after the action, for all seats, with actions sampled from its probabilities, at
            least.  The network then plays until the mover is to move again: values are its own view of the position.
        seed: of all sampled states.
    """

    samples: int = 64
    candidates: int = 8
    plies: int = 16
    seed: int = 1


#: Steps after `Effort.plies`, at most, until the mover is to move again.
LONGEST: Final = 64
#: The network's probability of a candidate, at least.  The network has hardly seen positions after rarer actions, and
#: their values are guesses: the best of many guesses would look better than the network's choice.
LEAST: Final = 0.002
#: The chosen action against the network's own choice only.
QUICK: Final = Effort(samples=12, candidates=1)
#: Rollouts of this length end with the game.
ENDLESS: Final = 10_000


class Comparison(NamedTuple):
    """Results of actions in common sampled states.

    actions: int64 (k,), the chosen one first; results: by seat, float64 (samples, k, players); shares: the network's
    probabilities of the actions, float64 (k,), zeros where it was not asked.
    """

    actions: Integers
    results: Floats
    shares: Floats


def network_values(game: Game, evaluator: Evaluator, states: States) -> Floats:
    """Return a network's values by seat, float64 (k, players), of running games (k,), in the views of their movers."""
    movers, players = states["current_player"].astype(np.int64), game.num_players
    observations = np.empty((len(states), game.observations.size), dtype=np.float32)
    words, masks = np.zeros(game.num_words, dtype=np.uint64), np.empty((len(states), game.actions.size), dtype=np.int8)
    for row, mover in enumerate(movers.tolist()):
        game.kernel.observe(game.constants, states, row, mover, observations[row])
        game.kernel.legal(game.constants, states, row, words)
        bits.unpack(words, masks[row])
    values = np.empty((len(states), players))
    values[np.arange(len(states))[:, None], _seats(movers, players)] = evaluator(observations, masks)[1][:, :players]
    return values


def _seats(movers: Integers, players: int) -> Integers:
    """Return the seats in order of play from each mover, int64 (k, players): the order of a network's values."""
    return (movers[:, None] + np.arange(players)) % players


class Estimator:
    """Estimates positions and actions of one game with a network.

    Args:
        game: the game.
        evaluator: the network, with values in -1..1.
        effort: the size of the estimates.
    """

    def __init__(self, game: Game, evaluator: Evaluator, effort: Effort) -> None:
        self.game, self.effort = game, effort
        self._evaluator = evaluator
        #: Batches by size: each step has one that its actions fill.
        self._envs: dict[int, BatchEnv] = {}

    def values(self, states: States) -> Floats:
        """Return the value of every seat, float64 (k, players), of states (k,).

        It is the network's in the view of the player to move, and the exact result where the game is over.
        """
        values, running = np.empty((len(states), self.game.num_players)), states["current_player"] >= 0
        for row in np.flatnonzero(~running).tolist():
            values[row] = outcome_returns(self.game.places(states, row))
        if running.any():
            values[running] = network_values(self.game, self._evaluator, states[running])
        return values

    def compare(self, view: View, chosen: int) -> Comparison:
        """Return the results of the chosen action and of the most probable others, for the player to move of a view.

        The answer is a function of view, action and effort, to the last bit: every call has a batch that it shares
        with no other step.
        """
        actions, shares = self._candidates(view, chosen)
        return self.try_all(view, actions)._replace(shares=shares)

    def try_all(self, view: View, actions: Integers) -> Comparison:
        """Return the results of legal actions, int64 (k,); see `compare`.  A single action is not tried: zeros."""
        samples, players, shares = self.effort.samples, self.game.num_players, np.zeros(len(actions))
        if len(actions) == 1:
            return Comparison(actions, np.zeros((samples, 1, players)), shares)
        seed = int(decision_seed(view.state.view(np.uint8), self.effort.seed))
        states = np.repeat(view.state, samples)
        for row in range(samples):
            self.game.kernel.determinize(self.game.constants, states, row, view.player, later_seed(seed, row + 1))
        results, _ = self._roll_out(np.repeat(states, len(actions)), np.tile(actions, samples), view.player, seed)
        return Comparison(actions, results.reshape(samples, len(actions), players), shares)

    def typical_length(self) -> float:
        """Return the mean number of steps of games of the network with itself, each at most as long as a rollout."""
        samples = range(self.effort.samples)
        states = np.concatenate([self.game.new_states(later_seed(self.effort.seed, row + 1)) for row in samples])
        first = np.array([State(self.game, states[[row]]).legal_ids()[0] for row in samples], dtype=np.int64)
        return float(self._roll_out(states, first, -1, self.effort.seed)[1].mean())

    def _candidates(self, view: View, chosen: int) -> tuple[Integers, Floats]:
        """Return the chosen action and the network's most probable ones in order, int64 (k,), with probabilities."""
        legal = view.legal_ids()
        if len(legal) == 1:
            return legal.astype(np.int64), np.ones(1)
        logits = self._evaluator(view.observation[None], view.action_mask[None])[0][0].astype(np.float64)
        shares = np.exp(logits - logits[legal].max()) * view.action_mask
        shares /= shares.sum()
        best = legal[np.argsort(-shares[legal], kind="stable")[: self.effort.candidates]]
        best = best[shares[best] >= LEAST]
        actions = np.concatenate([[chosen], best[best != chosen]]).astype(np.int64)
        return actions, shares[actions]

    def _roll_out(self, states: States, actions: Integers, mover: int, seed: int) -> tuple[Floats, Integers]:
        """Return the rollouts of actions that the network continues (`Effort.plies`).

        They are results by seat, float64 (k, players), and numbers of steps, int64 (k,).
        """
        size, plies, rng = len(states), self.effort.plies, np.random.default_rng(seed)
        if size not in self._envs:
            self._envs[size] = BatchEnv(self.game, size, autoreset_mode="DISABLED", illegal_action="terminate")
        env = self._envs[size]
        env.load(states, seed=0)
        step = env.step(actions)
        rows, ply = np.flatnonzero(step.current_player >= 0), 0
        results: Floats = step.rewards.astype(np.float64)
        lengths = np.ones(size, dtype=np.int64)
        while len(rows):
            masks, movers = step.action_masks[rows], step.current_player[rows].astype(np.int64)
            logits, values = self._evaluator(step.observations[rows], masks)
            ends = (ply >= plies) & (movers == mover) | (ply >= plies + LONGEST)
            last, rows = rows[ends], rows[~ends]
            results[last[:, None], _seats(movers[ends], self.game.num_players)] += values[ends, : self.game.num_players]
            # Rows that have ended go along, and are ignored.
            chosen = step.action_masks.argmax(axis=1)
            uniforms = np.repeat(rng.random(self.effort.samples), size // self.effort.samples)[rows]
            chosen[rows] = self._drawn(logits[~ends], masks[~ends], uniforms)
            step, ply = env.step(chosen), ply + 1
            results[rows] += step.rewards[rows]
            lengths[rows] += 1
            rows = rows[step.current_player[rows] >= 0]
        return results, lengths

    @staticmethod
    def _drawn(logits: npt.NDArray[np.float32], masks: npt.NDArray[np.int8], uniforms: Floats) -> Integers:
        """Return actions drawn from the network's probabilities, int64 (k,)."""
        drawn = np.zeros(len(masks), dtype=np.int64)
        sample(logits, masks, uniforms, drawn, np.zeros(len(masks), dtype=np.float32))
        return drawn


class Baseline(NamedTuple):
    """The network of a review: its agent string, the digest of its weights, and its evaluator."""

    name: str
    digest: str
    evaluator: Evaluator


def baseline(name: str, game: Game, option: str = "network") -> Baseline:
    """Return the network of an agent string, such as ``network`` or ``network:checkpoint=FILE``.

    Args:
        name: the agent string.
        game: the game.
        option: the command line's option that gave the string, without dashes.

    Raises:
        ValueError: no such agent or file, an agent without values of its network, or a network that predicts points.
    """
    agent = make(name, game)
    if not isinstance(agent, NetworkAgent):
        raise ValueError(f"--{option}: {name!r} estimates no results; name network, or network:checkpoint=FILE")
    return Baseline(name, agent.network.fingerprint(), evaluator_of(agent.network, agent.device))
