"""Agents that search: IS-MCTS, perfect-information Monte Carlo, flat Monte Carlo, and the cheating search."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, policy_digest
from agents.options import UTILITIES, FlatOptions, IsMctsOptions, PimcOptions, TreeOptions
from agents.search.arrays import (
    FIXED,
    SAMPLED,
    TRUTH,
    Roots,
    Rules,
    Scratch,
    Slots,
    Tree,
    new_scratch,
    new_slots,
    new_tree,
    table_size,
)
from agents.search.keys import OBSERVERS, OPEN, info_state_key
from agents.search.tree import bind_search
from porta_nigra_env.core.arrays.rng import decision_seed, later_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import View

#: Longest path in a tree.
MAX_DEPTH: Final = 400
#: Steps after which a rollout counts as endless; no game comes near it.
MAX_STEPS: Final = 100_000
#: Simulations between two checks of the clock.
CHUNK: Final = 32
#: Steps whose simulations fit into a reused tree.
REUSED: Final = 8
#: Upper bound of a tree's edges, some 50 MB.  The search continues without new ones.
MAX_EDGES: Final = 1 << 19


@dataclass(frozen=True)
class SearchResult:
    """The result of a search.

    Attributes:
        votes: int64 (num_actions,), visits of the root's actions.
        values: float64 (num_actions,), mean result of each for the player to move, 0 without visits.
        simulations: number of simulations.
        seconds: wall clock.
    """

    votes: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    simulations: int
    seconds: float

    @property
    def action(self) -> int:
        """The action with the most votes; ties go to the better, then to the first one."""
        most = np.flatnonzero(self.votes == self.votes.max())
        return int(most[np.argmax(self.values[most])])


@dataclass(frozen=True)
class Budget:
    """The end of a search.

    Attributes:
        simulations: limit for each thread.
        seconds: limit; 0 for none.
        threads: trees that grow at the same time from different determinizations, and whose votes are added up.
    """

    simulations: int
    seconds: float = 0.0
    threads: int = 1


@dataclass(frozen=True)
class _Thread:
    """The arrays of a thread."""

    tree: Tree
    slots: Slots
    scratch: Scratch


class SearchAgent(Agent):
    """Searches before every step with a choice.

    Args:
        name, game, seed: see `Agent`.
        policy: the policy of the rollouts.
        rules: the kind of search.
        budget: the end of a search.  Only with a budget of seconds the answer depends on the machine.
        reuse: keep the tree from step to step while it has space.  Only then an answer depends on earlier steps.
    """

    def __init__(
        self, name: str, game: Game, policy: Policy, rules: Rules, budget: Budget, reuse: bool = False, seed: int = 0
    ) -> None:
        super().__init__(name, game, seed)
        self.rules, self.budget, self.reuse = rules, budget, reuse
        self.last: SearchResult | None = None
        self._rollout = policy
        self._loops = bind_search(game, policy)
        self._parameters = policy.parameters.copy()
        size = table_size(min(budget.simulations * (REUSED if reuse else 1), MAX_EDGES))
        self._threads = [
            _Thread(new_tree(game, 1, size), new_slots(game, 1, rules.depth), new_scratch(game))
            for _ in range(budget.threads)
        ]
        self._pool: ThreadPoolExecutor | None = None
        self._simulations = 0  # in the trees
        self._player = -1  # of the trees

    def knowledge(self) -> str:
        """Return the digest of the policy of its rollouts."""
        return policy_digest(self._rollout)

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        return int(legal[0]) if len(legal) == 1 else self.search(view).action

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Return the votes as probabilities, float32 (num_actions,)."""
        votes = self.search(view).votes.astype(np.float32)
        shares: npt.NDArray[np.float32] = votes / votes.sum()
        return shares

    def search(self, view: View) -> SearchResult:
        """Search for the player to move of a view, and store the result as `last`."""
        # Half of a table is for edges; the share of one step must be free.
        limit = self._threads[0].tree.keys.shape[1] // 2 * (REUSED - 1) // REUSED
        # A tree contains the searching player's information, which no other seat may learn.
        is_full = any(thread.tree.used[0] > limit for thread in self._threads)
        if not self.reuse or view.player != self._player or is_full:
            self._clear()
        self._player = view.player
        return self._grow(view.state, view.player, self.decision_seed(view))

    def _clear(self) -> None:
        self._simulations = 0
        for thread in self._threads:
            thread.tree.clear()

    def _grow(self, states: States, player: int, seed: int) -> SearchResult:
        start = time.perf_counter()
        info_state = self._threads[0].scratch.info_state
        info_state.states[0] = states[0]
        node = int(info_state_key(info_state))
        counts = [0] * len(self._threads)

        def work(number: int) -> Roots:
            thread, budget = self._threads[number], self.budget
            roots = roots_of(states, player, seed if number == 0 else int(later_seed(seed, number)), node)
            arrays = tuple(thread.tree), tuple(thread.slots), tuple(thread.scratch), self._parameters, self.rules
            while counts[number] < budget.simulations:
                left = budget.simulations - counts[number]
                count = left if budget.seconds == 0 else min(left, CHUNK)
                first = self._simulations + counts[number]
                self._loops.simulate(self.game.constants, roots, *arrays, first, count)
                counts[number] += count
                if budget.seconds > 0 and time.perf_counter() - start >= budget.seconds:
                    break
            return roots

        if len(self._threads) == 1:
            all_roots = [work(0)]
        else:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(len(self._threads), thread_name_prefix="search")
            all_roots = list(self._pool.map(work, range(len(self._threads))))
        votes = np.zeros(self.game.actions.size, dtype=np.int64)
        sums = np.zeros(self.game.actions.size)
        worlds = self.rules.worlds if self.rules.mode == FIXED else 0
        for roots, thread in zip(all_roots, self._threads, strict=True):
            self._loops.count_votes(
                self.game.constants, roots, tuple(thread.tree), tuple(thread.scratch), worlds, votes, sums
            )
        values = np.divide(sums, votes, out=np.zeros_like(sums), where=votes > 0)
        self._simulations += max(counts)
        self.last = SearchResult(votes, values, sum(counts), time.perf_counter() - start)
        return self.last


def roots_of(states: States, player: int, seed: int, node: int) -> Roots:
    """Return the root of one game."""
    return Roots(states, np.array([player], dtype=np.int8), np.array([seed]), np.array([node]), np.zeros((1, 1)))


class CheatingAgent(SearchAgent):
    """Searches the true state, hidden cards and the future included, to measure their value."""

    cheats: ClassVar[bool] = True

    def act(self, view: View) -> int:
        return self.search(view).action

    def search(self, view: View) -> SearchResult:
        raise TypeError(f"{self.name} cheats: it is asked with act_on_truth, not with a view")

    def act_on_truth(self, states: States, row: int) -> int:
        game = self.game
        root = copied(states[row : row + 1])
        player = int(root["current_player"][0])
        words, mask = np.zeros(game.num_words, dtype=np.uint64), np.zeros(game.actions.size, dtype=np.int8)
        nothing = np.zeros(0, dtype=np.float32), np.zeros(0, dtype=np.int32)
        game.loops.inspect(game.constants, root, 0, words, mask, *nothing)
        if mask.sum() == 1:
            return int(mask.argmax())
        self._clear()
        seed = int(decision_seed(root.view(np.uint8), self.seed))
        return self._grow(root, player, seed).action


def make_search(text: str, game: Game, seed: int, options: FlatOptions, rollout: Policy) -> SearchAgent:
    """Make an agent of the registry: "ismcts", "pimc", "flat" or "cheating-mcts"."""
    name = text.partition(":")[0]
    mode = {"ismcts": SAMPLED, "flat": SAMPLED, "pimc": FIXED, "cheating-mcts": TRUTH}[name]
    tree = options if isinstance(options, TreeOptions) else TreeOptions()
    observers = options.observers if isinstance(options, IsMctsOptions) else "single"
    rules = Rules(
        mode=mode,
        worlds=options.worlds if isinstance(options, PimcOptions) else 1,
        observer=OBSERVERS[observers] if mode == SAMPLED else OPEN,
        model=int(tree.opponents == "rollout"),
        depth=1 if name == "flat" else MAX_DEPTH,
        rounds=options.rounds if game.kernel.has_rounds else 0,
        limit=MAX_STEPS,
        utility=UTILITIES.index(options.utility),
        scale=options.scale,
        exploration=options.exploration,
        widening=tree.widening,
    )
    budget = Budget(options.simulations, options.seconds, options.threads)
    if name == "cheating-mcts":
        return CheatingAgent(text, game, rollout, rules, budget, False, seed)
    reuse = isinstance(options, IsMctsOptions) and options.reuse
    return SearchAgent(text, game, rollout, rules, budget, reuse, seed)
