"""The game protocol: all that environments, agents, search and tests may know of a game.

A game binds compiled verbs to one set of tables and one number of players.  It is immutable and holds nothing hidden,
so views, environments and agents may keep a reference to it; what changes is in the state arrays.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.loops import Kernel, Loops
from porta_nigra_env.core.rng import SEED_LIMIT
from porta_nigra_env.core.spans import Spans

Position = dict[str, Any]
States = npt.NDArray[np.void]


class Game(Protocol):
    """One game with its material and number of players.

    Attributes:
        name, version: of the environment, e.g. ("porta_nigra", 0).
        num_players: seats 0..num_players-1.
        tables: (1,) record array handed to every verb.
        dtype: of the states.
        num_words: uint64 words of a legality bit set.
        kernel, loops: the compiled verbs and the loops over them.
        sources: the files that its compiled code is made of (`core.jit.compiler`).
        actions, observations, hidden: spans of action ids, of an observation, of the privileged vector.
        action_texts: text of every action id, ids ascending; all different.
        phases: names of the kinds of decisions, for reports.
        points_field: the state's int field (players,) of points gained so far; None if all come at the end.
        round_field: the state's int field that counts rounds; None in a game without.
    """

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def num_players(self) -> int: ...
    @property
    def tables(self) -> States: ...
    @property
    def dtype(self) -> np.dtype[np.void]: ...
    @property
    def num_words(self) -> int: ...
    @property
    def kernel(self) -> Kernel: ...
    @property
    def loops(self) -> Loops: ...
    @property
    def sources(self) -> tuple[Path, ...]: ...
    @property
    def actions(self) -> Spans: ...
    @property
    def observations(self) -> Spans: ...
    @property
    def hidden(self) -> Spans: ...
    @property
    def action_texts(self) -> tuple[str, ...]: ...
    @property
    def phases(self) -> tuple[str, ...]: ...
    @property
    def points_field(self) -> str | None: ...
    @property
    def round_field(self) -> str | None: ...

    def action_id(self, text: str) -> int:
        """The id of an action text; ValueError names the text when no action reads so."""
        ...

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        """The position as a JSON-able dict; with `view`, what that seat cannot see is given as counts only."""
        ...

    def load_position(self, position: Position, seed: int = 0) -> States:
        """A (1,) state array; ValueError names the field and the rule an impossible position breaks."""
        ...

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        """The position as text for people; with `view`, only what that seat may see."""
        ...


#: Buffers of length zero tell `loops.look` and `loops.advance` that nobody wants this part.
NO_OBSERVATION: Final = np.empty(0, dtype=np.float32)
NO_TOTALS: Final = np.empty(0, dtype=np.int32)


def copied(states: States) -> States:
    """An independent copy of a state array, writable.

    numpy copies a structured array field by field; its bytes are copied many times faster.
    """
    return np.frombuffer(bytearray(states.tobytes()), dtype=states.dtype)


class IllegalActionError(ValueError):
    """An action that is unreadable or not among the legal ones; nothing was changed."""


def check_seed(seed: object) -> int:
    """`seed` as an int in ``[0, 2**63)``; ValueError otherwise, TypeError for what is not an integer."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"seed must be an integer, not {seed!r}")
    if not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"seed must be in 0..2**63-1, not {seed}")
    return int(seed)


def new_seed() -> int:
    """A seed from the operating system's randomness."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def check_player(player: object, num_players: int) -> int:
    """`player` as a seat; ValueError for whatever is none."""
    if isinstance(player, int | np.integer) and not isinstance(player, bool) and 0 <= player < num_players:
        return int(player)
    raise ValueError(f"player must be a seat in 0..{num_players - 1}, not {player!r}")


def winners(totals: npt.ArrayLike) -> list[int]:
    """Seats with the largest total; several on a tie."""
    values = np.asarray(totals)
    return [int(seat) for seat in np.flatnonzero(values == values.max())]


def outcome_returns(totals: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Zero-sum result (n,): a sole winner gets 1, the others -1/(n-1); k winners share as (n/k - 1)/(n - 1) each."""
    values = np.asarray(totals)
    players = len(values)
    best = winners(values)
    share = np.zeros(players)
    share[best] = 1.0 / len(best)
    return (players * share - 1.0) / (players - 1)


class View:
    """What an agent may hold at a decision: nothing reachable from it contains a card its player cannot see.

    Attributes:
        game: the (public) game.
        player: the seat that looks.
        observation: float32 (observation_size,), read-only.
        action_mask: int8 (num_actions,), read-only; zeros when it is not this player's decision.
        state: (1,) redacted state, read-only: hidden cards and the random key are gone.
    """

    __slots__ = ("action_mask", "game", "observation", "player", "state")

    def __init__(self, game: Game, states: States, row: int, player: int) -> None:
        self.game = game
        self.player = player = check_player(player, game.num_players)
        state = copied(states[row : row + 1])
        game.kernel.redact(game.tables, state, 0, player)
        observation = np.empty(game.observations.size, dtype=np.float32)
        game.kernel.observe(game.tables, state, 0, player, observation)
        mask = np.zeros(game.actions.size, dtype=np.int8)
        if int(state["current_player"][0]) == player:
            words = np.empty(game.num_words, dtype=np.uint64)
            game.loops.look(game.tables, state, 0, words, mask, NO_OBSERVATION, NO_TOTALS)
        for array in (state, observation, mask):
            array.flags.writeable = False
        self.state, self.observation, self.action_mask = state, observation, mask

    def legal_ids(self) -> npt.NDArray[np.int64]:
        """Ids of the legal actions, ascending."""
        return np.flatnonzero(self.action_mask)

    def legal_actions(self) -> list[str]:
        """Texts of the legal actions, sorted by code point."""
        texts = self.game.action_texts
        return sorted(texts[i] for i in self.legal_ids())

    def position(self) -> Position:
        """The position as this player sees it."""
        return self.game.position(self.state, 0, self.player)

    def board(self) -> str:
        """The text board as this player sees it."""
        return self.game.board(self.state, 0, self.player)

    def sample(self, seed: int) -> States:
        """A (1,) state that agrees with everything this player knows; the rest is redrawn from `seed`, and reseeded."""
        state = copied(self.state)
        self.game.kernel.determinize(self.game.tables, state, 0, self.player, check_seed(seed))
        return state

    def __repr__(self) -> str:
        return f"View(game={self.game.name!r}, player={self.player}, legal={len(self.legal_ids())})"


class BatchView:
    """What an agent may hold who is asked for decisions in several games at once; nothing hidden is reachable.

    Attributes:
        game: the (public) game.
        players: int8 (k,), the seat that looks in each game; all are to decide.
        observations: float32 (k, observation_size).
        action_masks: int8 (k, num_actions).
        states: (k,) redacted states: hidden cards and the random key are gone.
    """

    __slots__ = ("action_masks", "game", "observations", "players", "states")

    def __init__(
        self,
        game: Game,
        players: npt.NDArray[np.int8],
        observations: npt.NDArray[np.float32],
        action_masks: npt.NDArray[np.int8],
        states: States,
    ) -> None:
        self.game = game
        self.players, self.observations, self.action_masks, self.states = players, observations, action_masks, states
        for array in (players, observations, action_masks, states):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.players)

    def __getitem__(self, index: int) -> View:
        """The view of one of the games."""
        if not 0 <= index < len(self):
            raise IndexError(f"{index} is not in 0..{len(self) - 1}")
        return View(self.game, self.states, index, int(self.players[index]))

    def __iter__(self) -> Iterator[View]:
        """The views of all games, one after the other."""
        return (self[index] for index in range(len(self)))

    def sample(self, index: int, seed: int) -> States:
        """A (1,) state that agrees with everything the player of game `index` knows; see `View.sample`."""
        return self[index].sample(seed)

    def __repr__(self) -> str:
        return f"BatchView(game={self.game.name!r}, {len(self)} decisions)"
