"""The `Game` class: the interface that environments, agents, search and tests use.

A game combines compiled kernel functions with one set of constants and one number of players. It is immutable and holds
no hidden information, so views, environments and agents may keep a reference to it. All mutable data is in the state
arrays.
"""

from __future__ import annotations

import contextlib
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
from porta_nigra_env.core.positions.pieces import ComponentNumbers
from porta_nigra_env.core.positions.position import PositionError, refuse, shown

if TYPE_CHECKING:
    from porta_nigra_env.core.drawing.draw_list import Drawing
    from porta_nigra_env.core.narration.facts import Narration

Position = dict[str, Any]
States = npt.NDArray[np.void]


class Game(ABC):
    """A game with its components and number of players; each game package defines a subclass.

    Args:
        num_players: one of `seats`; the first of them by default.
        components: "standard", "varied:SEED", the path of a component file, or a loaded set; only for games with
            component files.

    Attributes:
        name, version: of the environment; its module is called ``<name>_v<version>``.
        seats: the allowed numbers of players, ascending.
        component_sets: loads component files; None for games without.
        point_sources: names of the sources of points, for reports; the columns of `points_by_source`.
        secret_choices: names of the action fields that stay hidden from the other seats (`told`).
        about: a short description for newcomers to the game; the first lines of `guide`.
        num_players: seats 0..num_players-1.
        components: the component set in play; None for games without.

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

    #: The compiled kernel functions, the loops over them, and their source files (`core.compile.jit.compiler`).
    kernel: ClassVar[Kernel]
    loops: ClassVar[Loops]
    sources: ClassVar[tuple[Path, ...]]
    #: The dtype of the states, and the number of uint64 words of a legality bit set.
    dtype: ClassVar[np.dtype[np.void]]
    num_words: ClassVar[int]
    #: Names of the game phases, for reports.
    phases: ClassVar[tuple[str, ...]]

    def __init__(self, num_players: int | None = None, components: ComponentSource | None = None) -> None:
        self.num_players: Final = self.seats[0] if num_players is None else check_seats(num_players, self.seats)
        self.components: Any = self._load(components)

    @classmethod
    def _load(cls, components: ComponentSource | None) -> Components | None:
        if cls.component_sets is not None:
            loaded: Components = cls.component_sets.load("standard" if components is None else components)
            return loaded
        if components not in (None, "standard"):
            raise ValueError(f"components: {cls.name} has no component files, so not {components!r}")
        return None

    # -- defined by each game

    @property
    def constants(self) -> States:
        """(1,) record array passed to every kernel function."""
        constants: States = self.components.constants
        return constants

    @property
    @abstractmethod
    def actions(self) -> Layout:
        """The layout of action ids."""

    @property
    @abstractmethod
    def observations(self) -> Layout:
        """The layout of an observation."""

    @property
    @abstractmethod
    def privileged(self) -> Layout:
        """The layout of the privileged vector, which includes all hidden information."""

    @property
    @abstractmethod
    def action_texts(self) -> tuple[str, ...]:
        """The action string of every action id, in ascending order; all are different."""

    @abstractmethod
    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        """Return the position as a JSON-able dict; `view` replaces hidden information of other seats by counts."""

    @abstractmethod
    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        """Return a (1,) state array; ValueError names the field and the rule that an impossible position breaks."""

    @abstractmethod
    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        """Return the position as text for people; `view` hides everything that seat cannot see."""

    def check_states(self, states: States, name: str) -> None:
        """Raise ValueError for redacted states or another number of players: compiled code trusts its input."""
        if (states["num_players"] != self.num_players).any():
            raise ValueError(f"{name}: expected states of {self.num_players} players")
        if not states["key"].any(axis=-1).all():
            raise ValueError(
                f"{name}: a redacted state has no hidden cards to play with; give a true one, or `View.sample`"
            )

    def check_record(self, states: States, exact: bool = True) -> None:
        """Raise ValueError, which names the field, unless a (1,) state array holds a possible position.

        exact: if true, the position must hold all fields; those of simple games may leave some out.
        """
        try:
            checked = self.load_position(self.position(states))
        except PositionError:
            raise
        except Exception as error:  # of the game's notation, which looks up names by numbers
            raise PositionError(f"{self._broken_field(states)}: not a value of this field ({error!r})") from error
        for name in self.dtype.names or ():
            if exact and checked[name].tobytes() != states[name].tobytes():
                raise PositionError(f"{name}: unused entries are not empty")

    def _broken_field(self, states: States) -> str:
        """Return the first field of a (1,) state array without whose value the position can be written."""
        whole = self.new_states(0)
        for name in self.dtype.names or ():
            mended = copied(states)
            mended[name] = whole[name]
            with contextlib.suppress(Exception):
                self.position(mended)
                return name
        return "several fields"

    def told(self, action: int, to: int, by: int) -> int | None:
        """Return the action id visible to seat `to`, or None if it is a secret of the seat `by` that chose it."""
        return None if to != by and self.actions.find(action)[0].name in self.secret_choices else action

    def points_by_source(self, states: States) -> npt.NDArray[np.int32]:
        """Return the points as if the games ended now, int32 (len(states), players, len(point_sources)).

        The sums over the sources are the totals.
        """
        return np.zeros((len(states), self.num_players, len(self.point_sources)), dtype=np.int32)

    def component_numbers(self) -> ComponentNumbers | None:
        """Return the pieces of the components as numbers (`core.positions.pieces`); None for a game without."""
        return None

    def fixed_constants(self) -> bytes:
        """Return the constants, next to the layouts, that give observations and actions their meaning.

        They are equal in all drawn component sets.  A network for any component set knows no others.
        """
        return b""

    def drawing(self) -> Drawing | None:
        """Return the drawing of positions (`core.drawing.draw_list`); None for a game with text boards only."""
        return None

    def narration(self) -> Narration | None:
        """Return the words for actions and events (`core.narration`); None for a game with action strings only."""
        return None

    # -- optional players of a game; subclasses load their modules on demand

    @classmethod
    def policies(cls) -> Mapping[str, Policy]:
        """Return the compiled policies by name."""
        return {}

    @classmethod
    def networks(cls) -> Mapping[int, Path]:
        """Return the files of networks for the standard components by number of players (`players.checkpoint`)."""
        return {}

    @classmethod
    def general_networks(cls) -> Mapping[int, Path]:
        """Return the files of networks for all other components by number of players."""
        return {}

    @classmethod
    def network_files(cls) -> set[Path]:
        """Return the files of all published networks."""
        return {*cls.networks().values(), *cls.general_networks().values()}

    # -- derived

    @property
    def standard(self) -> bool:
        """True if the components are the packaged ones, or the game has none."""
        return self.components is None or self.components.packaged

    def published(self) -> Path | None:
        """Return the file of the network that is published for the number of players and the components, or None.

        A network for other components than the standard ones needs as many pieces of each kind (`means_as`).
        """
        if self.standard:
            return self.networks().get(self.num_players)
        file = self.general_networks().get(self.num_players)
        return file if file is not None and self.means_as(type(self)(self.num_players)) else None

    def means_as(self, other: Game) -> bool:
        """Return True if observations, actions and component numbers mean the same in another game of this class."""
        return self._fields() == other._fields() and self.fixed_constants() == other.fixed_constants()

    def _fields(self) -> list[tuple[str, tuple[int, ...], float]]:
        """Return name, shape and scale of all fields of observations, actions and component numbers."""
        numbers = self.component_numbers()
        layouts = [self.observations, self.actions, *([] if numbers is None else [numbers.layout])]
        return [(field.name, field.spec.shape, field.spec.scale) for layout in layouts for field in layout]

    @property
    def digest(self) -> str:
        """64 hexadecimal digits that identify the components, or the constants of a game without components."""
        if self.components is not None:
            return str(self.components.digest)
        return hashlib.sha256(self.constants.tobytes()).hexdigest()

    def action_id(self, text: str) -> int:
        """Return the id of an action string; IllegalActionError (a ValueError) names an unknown string."""
        if not isinstance(text, str):
            raise IllegalActionError(f"an action is a text such as {self.action_texts[0]!r}, not {text!r}")
        try:
            return _action_ids(self)[text]
        except KeyError:
            raise IllegalActionError(self._why_no_action(text)) from None

    def _why_no_action(self, text: str) -> str:
        close = difflib.get_close_matches(text, self.action_texts, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]!r}?" if close else f"actions read like {self.action_texts[0]!r}"
        return f"{text!r} is no action; {hint}"

    def guide(self) -> str:
        """Describe the game and its action format for a text-only player, such as a language model."""
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
        """Return the choices of the player to move as the end of an error message; "" when the game is over."""
        if player < 0:
            return ""
        legal = sorted(self.action_texts[i] for i in np.flatnonzero(mask))
        listed = ", ".join(legal[:12]) + (f", ... ({len(legal)} in all)" if len(legal) > 12 else "")
        return f"; player {player} may choose {listed}"

    def why_illegal(self, action: int, player: int, mask: npt.NDArray[np.int8]) -> str:
        """Explain why an action is illegal now; player: the player to move, -1 when the game is over."""
        texts = self.action_texts
        described = f"action {action} ({texts[action]!r})" if 0 <= action < len(texts) else f"action {action}"
        if player < 0:
            return f"the game is over, {described} cannot be played"
        return f"{described} is not legal now{self.choices(player, mask)}"

    def new_states(self, seed: int) -> States:
        """Return a (1,) state array of the game that starts from a seed in 0..2**63-1."""
        states = np.zeros(1, dtype=self.dtype)
        self.kernel.reset(self.constants, states, 0, check_seed(seed), self.num_players)
        return states

    def totals(self, states: States, row: int = 0) -> npt.NDArray[np.int32]:
        """Return every seat's total as if the game ended now, int32 (players,)."""
        totals = np.zeros(self.num_players, dtype=np.int32)
        self.kernel.score(self.constants, states, row, totals)
        return totals

    def places(self, states: States, row: int = 0) -> npt.NDArray[np.int8]:
        """Return every seat's rank as if the game ended now, int8 (players,): 1 is the best, ties share a rank."""
        places = np.zeros(self.num_players, dtype=np.int8)
        self.kernel.rank(self.constants, states, row, self.totals(states, row), places)
        return places

    @classmethod
    def read(cls, position: Mapping[str, Any], seed: int = 0) -> tuple[Self, States]:
        """Return the game of a position and its (1,) state array; raises ValueError like `load_position`."""
        if not isinstance(position, Mapping):
            refuse("position", f"expected an object, not {shown(position)}")
        components = None if cls.component_sets is None else cls.component_sets.of_position(position)
        players = position.get("num_players")
        # The reader rejects an invalid number of players with a better message.
        game = cls(players if type(players) is int and players in cls.seats else None, components)
        return game, game.load_position(position, seed)

    @classmethod
    def of_digest(cls, digest: str, num_players: int) -> Self:
        """Return the game with these components; ValueError if this process has not loaded them."""
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


#: Buffers of length zero: `loops.inspect` and `loops.advance` skip this output.
NO_OBSERVATION: Final = np.empty(0, dtype=np.float32)
NO_TOTALS: Final = np.empty(0, dtype=np.int32)


def copied(states: States) -> States:
    """Return an independent, writable copy of a state array.

    numpy copies a structured array field by field; copying its bytes is many times faster.
    """
    return np.frombuffer(bytearray(states.tobytes()), dtype=states.dtype)


class IllegalActionError(ValueError):
    """An action that is malformed or not legal; the state is unchanged."""


def check_seed(seed: object) -> int:
    """Return `seed` as an int in ``[0, 2**63)``; ValueError outside the range, TypeError for a non-integer."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise TypeError(f"seed must be an integer, not {seed!r}")
    if not 0 <= seed < SEED_LIMIT:
        raise ValueError(f"seed must be in 0..2**63-1, not {seed}")
    return int(seed)


def check_positive(value: object, name: str) -> int:
    """Return `value` as an int >= 1; ValueError, with `name` in the message, otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a positive integer, not {value!r}")
    return int(value)


def new_seed() -> int:
    """Return a seed from the operating system's randomness."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0] >> np.uint64(1))


def check_player(player: object, num_players: int) -> int:
    """Return `player` as a seat; ValueError for any other value."""
    if isinstance(player, int | np.integer) and not isinstance(player, bool) and 0 <= player < num_players:
        return int(player)
    raise ValueError(f"player must be a seat in 0..{num_players - 1}, not {player!r}")


def check_view(view: object, num_players: int) -> int | None:
    """Return `view` as the observing seat, or None for full information; ValueError for any other value."""
    return None if view is None else check_player(view, num_players)


def check_seats(num_players: object, seats: tuple[int, ...]) -> int:
    """Return `num_players` as an int out of `seats`; ValueError otherwise, TypeError for a non-integer."""
    if isinstance(num_players, bool) or not isinstance(num_players, int | np.integer):
        raise TypeError(f"num_players must be an integer, not {num_players!r}")
    if num_players not in seats:
        *others, last = map(str, seats)
        known = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"num_players must be {known}, not {num_players}")
    return int(num_players)
