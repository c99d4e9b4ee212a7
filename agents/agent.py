"""What every player is: a function of what she sees and of her seed.

An agent never holds a true state.  It gets a `View` (one decision) or a `BatchView` (decisions in several games), and
its choice depends on nothing but that and its seed: the same view is always answered in the same way, in whatever order
and process it is asked.  Games with agents can therefore be replayed, spread over processes and resumed.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import decision_seed
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.compile.source_digest import source_digest
from porta_nigra_env.core.game.game import Game, States, check_seed
from porta_nigra_env.core.game.view import BatchView, View


class Agent(ABC):
    """A player of one game.

    Subclasses define `act`; where many decisions at once are cheaper, `act_batch` as well.

    Args:
        name: how reports call it; the text it was made from (`agents.registry.make`).
        game: the game it plays.
        seed: in 0..2**63-1.

    Attributes:
        compiled: the compiled policy that plays the same way inside `BatchEnv` and `play_games`; None if there is none.
        made_by: called with name, game and seed makes an equal agent (`agents.registry.make`), for pickling; None if
            there is nothing that does.
        cheats: True for agents that must be shown the true state with `act_on_truth`; they exist for measurements.
        batched: True for agents of which one answers for many games, with `act_seeded`: tournaments then play these
            side by side.
    """

    compiled: Policy | None = None
    batched: bool = False
    made_by: Callable[[str, Game, int], Agent] | None = None
    cheats: ClassVar[bool] = False

    def __init__(self, name: str, game: Game, seed: int = 0) -> None:
        self.name = name
        self.game = game
        self.seed = check_seed(seed)

    @property
    def fingerprint(self) -> str:
        """Tells apart agents of the same text that play differently: a hex digest of weights and sources, the same on
        every machine; "" where there is nothing that the text does not say.  By default that of the compiled policy."""
        return "" if self.compiled is None else policy_digest(self.compiled)

    @abstractmethod
    def act(self, view: View) -> int:
        """The id of a legal action; `view` is that of the player to move."""

    def act_batch(self, views: BatchView) -> npt.NDArray[np.int64]:
        """Ids of legal actions, int64 (k,), one for each view."""
        return np.array([self.act(view) for view in views], dtype=np.int64)

    def act_seeded(self, views: BatchView, seeds: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """What `act` of agents with these seeds, int64 (k,), and otherwise like this one, answers: ids, int64 (k,).

        An answer must not depend on what is asked beside it.  By default that of `act_batch`, which is right where the
        seed changes nothing.
        """
        return self.act_batch(views)

    def act_on_truth(self, states: States, row: int) -> int:
        """The id of a legal action, for agents that cheat."""
        raise NotImplementedError(f"{self.name} does not cheat")

    def policy(self, view: View) -> npt.NDArray[np.float32]:
        """Probabilities of the actions, float32 (num_actions,), zero where illegal; by default 1 for `act`'s choice."""
        probabilities = np.zeros(self.game.actions.size, dtype=np.float32)
        probabilities[self.act(view)] = 1.0
        return probabilities

    def estimate(self, view: View) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float64] | None]:
        """`policy`, and the results in -1..1 that it expects of every seat, float64 (players,); by default None."""
        return self.policy(view), None

    def decision_seed(self, view: View, seed: int | None = None) -> int:
        """A seed for this decision, a function of the agent's seed (or of another one's) and of what is seen."""
        return int(decision_seed(view.state.view(np.uint8), self.seed if seed is None else seed))

    def __reduce__(self) -> tuple[Any, ...]:
        if self.made_by is None:
            raise TypeError(f"{self!r} was not made by agents.registry.make, and cannot be pickled")
        return self.made_by, (self.name, self.game, self.seed)

    def __repr__(self) -> str:
        return f"<agent {self.name}, seed {self.seed}>"


def policy_digest(policy: Policy) -> str:
    """Hex SHA-256 of a policy's parameters and of what its sources do, wherever they lie."""
    digest = hashlib.sha256(policy.parameters.astype("<f8").tobytes())
    for path in policy.sources:
        files = path.rglob("*.py") if path.is_dir() else [path]
        for behaviour in sorted(source_digest(file.read_text(encoding="utf-8")) for file in files):
            digest.update(behaviour.encode())
    return digest.hexdigest()
