"""What a game is: all that environments, agents, search and tests may know of one.

A game binds compiled verbs to one set of tables and one number of players.  It is immutable and holds nothing hidden,
so views, environments and agents may keep a reference to it; what changes is in the state arrays.
"""

from __future__ import annotations

import difflib
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.arrays.rng import SEED_LIMIT
from porta_nigra_env.core.batch.loops import Loops
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.positions.components import Components, ComponentSets, ComponentSource
from porta_nigra_env.core.positions.position import refuse, shown

if TYPE_CHECKING:
    from porta_nigra_env.core.drawing.draw_list import Drawing

Position = dict[str, Any]
States = npt.NDArray[np.void]


class Game(ABC):
    """One game with its material and number of players; a room's subclass says what is its own.

    Args:
        num_players: one of `seats`; the first of them by default.
        components: "standard", the path of a component file, or a loaded set; only for games that have component files.

    Attributes:
        name, version: of the environment; its module is called ``<name>_v<version>``.
        seats: the numbers of players there may be, ascending.
        component_sets: loads component files; None for games without.
        point_sources: what points come from, for reports; the columns of `points_by_source`.
        secret_choices: names of the spans of actions that stay a secret of the seat that chose (`told`).
        about: what the game is about, in a few sentences for somebody who has never met it; the first lines of `guide`.
        num_players: seats 0..num_players-1.
        components: the set that is played with; None for games without.

    Raises:
        ValueError: a number of players that is not among `seats`.
        ComponentError: a component file that is missing or breaks a rule (a ValueError).
    """

    name: ClassVar[str]
    version: ClassVar[int]
    seats: ClassVar[tuple[int, ...]]
    component_sets: ClassVar[ComponentSets[Any] | None] = None
    point_sources: ClassVar[tuple[str, ...]] = ()
    secret_choices: ClassVar[tuple[str, ...]] = ()
    about: ClassVar[str] = ""
    #: First bytes of `State.to_bytes` and the key "format" of positions: ``<name>/<number>``.
    position_format: ClassVar[str]

    #: The compiled verbs, the loops over them, and the files that this code is made of (`core.compile.jit.compiler`).
    kernel: ClassVar[Kernel]
    loops: ClassVar[Loops]
    sources: ClassVar[tuple[Path, ...]]
    #: Of the states; and how many uint64 words a legality bit set has.
    dtype: ClassVar[np.dtype[np.void]]
    num_words: ClassVar[int]
    #: Names of the kinds of decisions, for reports.
    phases: ClassVar[tuple[str, ...]]

    def __init__(self, num_players: int | None = None, components: ComponentSource | None = None) -> None:
        self.num_players: Final = self.seats[0] if num_players is None else check_seats(num_players, self.seats)
        self.components: Any = self._load(components)

    @classmethod
    def _load(cls, components: ComponentSource | None) -> Components | None:
        if cls.component_sets is not None:
            found: Components = cls.component_sets.load("standard" if components is None else components)
            return found
        if components not in (None, "standard"):
            raise ValueError(f"components: {cls.name} has no component files, so not {components!r}")
        return None

    # -- what a room says

    @property
    def constants(self) -> States:
        """(1,) record array handed to every verb."""
        constants: States = self.components.constants
        return constants

    @property
    @abstractmethod
    def actions(self) -> Layout:
        """The spans of action ids."""

    @property
    @abstractmethod
    def observations(self) -> Layout:
        """The parts of an observation."""

    @property
    @abstractmethod
    def privileged(self) -> Layout:
        """The parts of the privileged vector, which holds everything that is hidden."""

    @property
    @abstractmethod
    def action_texts(self) -> tuple[str, ...]:
        """The text of every action id, ids ascending; all different."""

    @abstractmethod
    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        """The position as a JSON-able dict; with `view`, what that seat cannot see is given as counts only."""

    @abstractmethod
    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        """A (1,) state array; ValueError names the field and the rule an impossible position breaks."""

    @abstractmethod
    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        """The position as text for people; with `view`, only what that seat may see."""

    def check_states(self, states: States, name: str) -> None:
        """ValueError unless they are of as many players as this game is: compiled code writes to so many seats."""
        if (states["num_players"] != self.num_players).any():
            raise ValueError(f"{name}: expected states of {self.num_players} players")

    def told(self, action: int, to: int, by: int) -> int | None:
        """An action as a seat may be told of it: its id, None where that is a secret of the seat that chose it."""
        return None if to != by and self.actions.find(action)[0].name in self.secret_choices else action

    def points_by_source(self, states: States) -> npt.NDArray[np.int32]:
        """Points as if the games ended now, int32 (len(states), players, len(point_sources)); their sums are totals."""
        return np.zeros((len(states), self.num_players, len(self.point_sources)), dtype=np.int32)

    def drawing(self) -> Drawing | None:
        """How positions are drawn (`core.drawing.draw_list`); None for a game that has text boards only."""
        return None

    # -- players that know it, for a room that has some; what they are made of is loaded when they are asked for

    @classmethod
    def policies(cls) -> Mapping[str, Policy]:
        """Compiled policies by name."""
        return {}

    @classmethod
    def networks(cls) -> Mapping[int, Path]:
        """Files of published networks by the number of players (`players.checkpoint`)."""
        return {}

    # -- what follows

    @property
    def digest(self) -> str:
        """64 hexadecimal digits that tell the material apart: of the components, or of the tables without them."""
        if self.components is not None:
            return str(self.components.digest)
        return hashlib.sha256(self.constants.tobytes()).hexdigest()

    def action_id(self, text: str) -> int:
        """The id of an action text; IllegalActionError (a ValueError) names a text that is no action."""
        if not isinstance(text, str):
            raise IllegalActionError(f"an action is a text such as {self.action_texts[0]!r}, not {text!r}")
        try:
            return _action_ids(self)[text]
        except KeyError:
            raise IllegalActionError(self._why_no_action(text)) from None

    def _why_no_action(self, text: str) -> str:
        close = difflib.get_close_matches(text, self.action_texts, n=1, cutoff=0.6)
        told = f"did you mean {close[0]!r}?" if close else f"actions read like {self.action_texts[0]!r}"
        return f"{text!r} is no action; {told}"

    def guide(self) -> str:
        """The game for a player who has nothing but texts, a language model say: what it is about, and how to act."""
        texts = self.action_texts
        title = self.name.replace("_", " ").title()
        lines = [f"{title} for {self.num_players} players, seats 0 to {self.num_players - 1}."]
        lines += [self.about, ""] if self.about else [""]
        lines.append("An action is its text or its id; only those that are legal now are taken.  Ids and texts:")
        for field in self.actions:
            if field.size:
                ends = sorted({field.start, field.stop - 1})
                ids, shown = " to ".join(map(str, ends)), " ... ".join(texts[i] for i in ends)
                lines.append(f"  {ids}: {shown} ({field.spec.doc})")
        return "\n".join(lines)

    def choices(self, player: int, mask: npt.NDArray[np.int8]) -> str:
        """What the player to move may choose, for the end of a message; "" when the game is over."""
        if player < 0:
            return ""
        legal = sorted(self.action_texts[i] for i in np.flatnonzero(mask))
        told = ", ".join(legal[:12]) + (f", ... ({len(legal)} in all)" if len(legal) > 12 else "")
        return f"; player {player} may choose {told}"

    def why_illegal(self, action: int, player: int, mask: npt.NDArray[np.int8]) -> str:
        """A sentence about an action that is not legal now; player: who is to move, -1 when the game is over."""
        texts = self.action_texts
        what = f"action {action} ({texts[action]!r})" if 0 <= action < len(texts) else f"action {action}"
        if player < 0:
            return f"the game is over, {what} cannot be played"
        return f"{what} is not legal now{self.choices(player, mask)}"

    def new_states(self, seed: int) -> States:
        """A (1,) state array of the game that begins from a seed in 0..2**63-1."""
        states = np.zeros(1, dtype=self.dtype)
        self.kernel.reset(self.constants, states, 0, check_seed(seed), self.num_players)
        return states

    def totals(self, states: States, row: int = 0) -> npt.NDArray[np.int32]:
        """Every seat's total as if the game ended now, int32 (players,)."""
        totals = np.zeros(self.num_players, dtype=np.int32)
        self.kernel.score(self.constants, states, row, totals)
        return totals

    def places(self, states: States, row: int = 0) -> npt.NDArray[np.int8]:
        """Every seat's place as if the game ended now, int8 (players,): 1 for the first, equal ones shared."""
        places = np.zeros(self.num_players, dtype=np.int8)
        self.kernel.rank(self.constants, states, row, self.totals(states, row), places)
        return places

    @classmethod
    def read(cls, position: Mapping[str, Any], seed: int = 0) -> tuple[Self, States]:
        """The game of a position, and its (1,) state array; ValueError as of `load_position`."""
        if not isinstance(position, Mapping):
            refuse("position", f"expected an object, not {shown(position)}")
        components = None if cls.component_sets is None else cls.component_sets.of_position(position)
        players = position.get("num_players")
        # What is no number of players is refused by the reader, which knows how to say so.
        game = cls(players if type(players) is int and players in cls.seats else None, components)
        return game, game.load_position(position, seed)

    @classmethod
    def of_digest(cls, digest: str, num_players: int) -> Self:
        """The game with this material; ValueError if none with it is loaded in this process."""
        sets = cls.component_sets
        game = cls(num_players, None if sets is None else sets.find(digest=digest))
        if game.digest != digest:
            raise ValueError(f"the digest of {cls.name}'s material is {game.digest}, not {digest}")
        return game

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game) or type(self) is not type(other):
            return NotImplemented
        return self.num_players == other.num_players and bool(self.components == other.components)

    def __hash__(self) -> int:
        return hash((type(self), self.num_players, self.components))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        own = () if self.components is None else (self.components,)
        return type(self), (self.num_players, *own)

    def __repr__(self) -> str:
        named = "" if self.components is None else f", components={self.components.name!r}"
        return f"{type(self).__name__}(num_players={self.num_players}{named})"


@lru_cache(maxsize=64)
def _action_ids(game: Game) -> dict[str, int]:
    return {text: i for i, text in enumerate(game.action_texts)}


#: Buffers of length zero tell `loops.inspect` and `loops.advance` that nobody wants this part.
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


def check_positive(value: object, name: str) -> int:
    """`value` as an int of at least 1; ValueError, which calls it `name`, for whatever is none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a positive integer, not {value!r}")
    return int(value)


def new_seed() -> int:
    """A seed from the operating system's randomness."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def check_player(player: object, num_players: int) -> int:
    """`player` as a seat; ValueError for whatever is none."""
    if isinstance(player, int | np.integer) and not isinstance(player, bool) and 0 <= player < num_players:
        return int(player)
    raise ValueError(f"player must be a seat in 0..{num_players - 1}, not {player!r}")


def check_view(view: object, num_players: int) -> int | None:
    """`view` as the seat whose eyes are meant, None for everything; ValueError for whatever is neither."""
    return None if view is None else check_player(view, num_players)


def check_seats(num_players: object, seats: tuple[int, ...]) -> int:
    """`num_players` as an int out of `seats`; ValueError otherwise, TypeError for what is not an integer."""
    if isinstance(num_players, bool) or not isinstance(num_players, int | np.integer):
        raise TypeError(f"num_players must be an integer, not {num_players!r}")
    if num_players not in seats:
        *others, last = (str(one) for one in seats)
        known = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"num_players must be {known}, not {num_players}")
    return int(num_players)
