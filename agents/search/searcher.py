"""Agents that search: IS-MCTS, perfect-information Monte Carlo, flat Monte Carlo, and one that cheats."""

from __future__ import annotations

import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from agents.agent import Agent, policy_digest
from agents.search import tree as search
from agents.search.keys import NOBODY, OBSERVERS, sight_key
from agents.search.tree import Run, TreeRules, bind_search, new_tree
from porta_nigra_env.core.arrays.rng import decision_seed, later_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game, States, copied
from porta_nigra_env.core.game.view import View

UTILITIES: Final = ("win", "logistic", "linear")
#: Longest path in a tree.
LONGEST: Final = 400
#: Decisions after which a rollout is taken for endless; no game comes near it.
ENDLESS: Final = 100_000
#: Simulations between two looks at the clock.
CHUNK: Final = 32
#: Decisions whose simulations fit into a tree that is kept.
KEPT: Final = 8
#: Edges of a tree, at most: some 50 MB.  A search goes on without new ones.
MOST_EDGES: Final = 1 << 19


@dataclass(frozen=True)
class SearchResult:
    """What a search has found.

    Attributes:
        votes: int64 (num_actions,), how often each action was chosen at the root.
        values: float64 (num_actions,), mean result of each for the player to move; 0 where never chosen.
        simulations: how many there were.
        seconds: how long they took.
    """

    votes: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    simulations: int
    seconds: float

    @property
    def action(self) -> int:
        """The action with the most votes; the better one, then the first one, of equals."""
        most = np.flatnonzero(self.votes == self.votes.max())
        return int(most[np.argmax(self.values[most])])


@dataclass(frozen=True)
class Budget:
    """When a search ends.

    Attributes:
        simulations: at most so many, for each thread.
        seconds: at most so long; 0 for as long as it takes.
        threads: trees that grow at the same time, from different worlds, and whose votes are added up.
    """

    simulations: int
    seconds: float = 0.0
    threads: int = 1


class SearchAgent(Agent):
    """Searches before every decision that leaves a choice.

    Args:
        name, game, seed: see `Agent`.
        policy: who plays on where the tree ends.
        rules: what kind of search.
        budget: when it ends.  With a budget of seconds, and only then, the answer depends on the machine.
        reuse: keep the tree from one decision to the next, as long as it has room.  Then, and only then, an answer
            also depends on the decisions before it.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        policy: Policy,
        rules: TreeRules,
        budget: Budget,
        reuse: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(name, game, seed)
        self.rules, self.budget, self.reuse = rules, budget, reuse
        self.last: SearchResult | None = None
        self._rollout = policy
        self._loops = bind_search(game, policy)
        self._parameters = policy.parameters.copy()
        edges = min(budget.simulations * (KEPT if reuse else 1), MOST_EDGES)
        self._trees = [new_tree(game, edges, rules.depth) for _ in range(budget.threads)]
        self._pool: ThreadPoolExecutor | None = None
        self._done = 0  # simulations that are in the trees
        self._player = -1  # for whom they were made

    @property
    def fingerprint(self) -> str:
        """That of the policy of its rollouts."""
        return policy_digest(self._rollout)

    def act(self, view: View) -> int:
        legal = view.legal_ids()
        return int(legal[0]) if len(legal) == 1 else self.search(view).action

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Votes as probabilities, float32 (num_actions,)."""
        votes = self.search(view).votes.astype(np.float32)
        shares: npt.NDArray[np.float32] = votes / votes.sum()
        return shares

    def search(self, view: View) -> SearchResult:
        """Search for the player to move of a view; also kept as `last`."""
        # Half of a table is for edges; the share of one decision has to be free.
        most = len(self._trees[0].keys) // 2 * (KEPT - 1) // KEPT
        # A tree knows what its searcher knows, which no other seat may learn.
        if not self.reuse or view.player != self._player or any(tree.used[0] > most for tree in self._trees):
            self._clear()
        self._player = view.player
        return self._grow(view.state, view.player, self.decision_seed(view))

    def _clear(self) -> None:
        """Forget all edges."""
        self._done = 0
        for tree in self._trees:
            tree.keys.fill(0)
            tree.used.fill(0)

    def _grow(self, roots: States, player: int, seed: int) -> SearchResult:
        game, rules, loops, budget = self.game, self.rules, self._loops, self.budget
        begun = time.perf_counter()
        sight = self._trees[0].sight
        sight.states[0] = roots[0]
        root, done = int(sight_key(sight)), self._done
        counts = [0] * len(self._trees)

        def work(number: int) -> None:
            own = seed if number == 0 else int(later_seed(seed, number))
            while counts[number] < budget.simulations:
                left = budget.simulations - counts[number]
                count = left if budget.seconds == 0 else min(left, CHUNK)
                run = Run(player, root, own, done + counts[number], count)
                loops.search(game.constants, roots, self._trees[number], self._parameters, rules, run)
                counts[number] += count
                if budget.seconds > 0 and time.perf_counter() - begun >= budget.seconds:
                    return

        if len(self._trees) == 1:
            work(0)
        else:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(len(self._trees), thread_name_prefix="search")
            list(self._pool.map(work, range(len(self._trees))))
        votes = np.zeros(game.actions.size, dtype=np.int64)
        sums = np.zeros(game.actions.size)
        for tree in self._trees:
            loops.count_votes(game.constants, roots, tree, rules, Run(player, root, seed, 0, 0), votes, sums)
        values = np.divide(sums, votes, out=np.zeros_like(sums), where=votes > 0)
        self._done += max(counts)
        self.last = SearchResult(votes, values, sum(counts), time.perf_counter() - begun)
        return self.last


class CheatingAgent(SearchAgent):
    """Searches the true state, hidden cards and the future included; it exists to measure what they are worth."""

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


def make_search(kind: str, text: str, game: Game, seed: int, values: Mapping[str, Any], rollout: Policy) -> SearchAgent:
    """The agent of a registry entry: `kind` is "ismcts", "pimc", "flat" or "cheating"."""
    mode = {"ismcts": search.EACH_ANEW, "flat": search.EACH_ANEW, "pimc": search.WORLDS, "cheating": search.TRUTH}[kind]
    rules = TreeRules(
        mode=mode,
        worlds=int(values.get("worlds", 1)),
        observer=OBSERVERS[values.get("observers", "single")] if mode == search.EACH_ANEW else NOBODY,
        model=int(values.get("opponents", "search") == "rollout"),
        depth=1 if kind == "flat" else LONGEST,
        rounds=int(values["rounds"]) if game.kernel.has_rounds else 0,
        limit=ENDLESS,
        utility=UTILITIES.index(values["utility"]),
        scale=float(values["scale"]),
        exploration=float(values["exploration"]),
        widening=float(values.get("widening", 0.0)),
    )
    budget = Budget(int(values["simulations"]), float(values["seconds"]), int(values["threads"]))
    if kind == "cheating":
        return CheatingAgent(text, game, rollout, rules, budget, False, seed)
    return SearchAgent(text, game, rollout, rules, budget, bool(values.get("reuse", False)), seed)
