"""Running games: action strings for people, tests and tools; ids and arrays for environments."""

from __future__ import annotations

import json
import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import seed_policy_rng
from porta_nigra_env.core.batch.loops import NO_ACTION
from porta_nigra_env.core.game import results
from porta_nigra_env.core.game.game import (
    NO_TOTALS,
    Game,
    IllegalActionError,
    Position,
    States,
    check_player,
    check_positive,
    check_seed,
    check_view,
    copied,
    new_seed,
)
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.positions.components import ComponentSource
from porta_nigra_env.core.positions.given import parse_json

if TYPE_CHECKING:
    from porta_nigra_env.core.narration.events import Event
    from porta_nigra_env.core.narration.narrator import Narrator

Observation = npt.NDArray[np.float32]
Mask = npt.NDArray[np.int8]
Words = npt.NDArray[np.uint64]

#: Return value of `loops.advance` for an illegal action.
REFUSED: Final = -2
#: Bytes of a component digest in `State.to_bytes`.
_DIGEST: Final = 32


class State:
    """A game in progress.

    Each game package defines a subclass for its `Game`; `new`, `from_dict`, `from_json` and `from_bytes` create its
    states. ``State(game, states)`` works for any game. Every method that changes the state validates its input first,
    so an error leaves the state unchanged. States are equal if their games and records are equal. They are mutable and
    therefore not hashable; use `to_bytes` as a key.

    Args:
        game: the game.
        states: a (1,) array of its dtype, used as the position without a copy.
        observed: if true, every step also fills `seen`, the observation of the player to move, without a further call;
            environments use it.

    Attributes:
        game: the game: constants, layouts, kernel functions.
        player: the seat to move; -1 when the game is over.
        states: the (1,) state array itself, for compiled code; call `touch` after changing it.
        mask: the legal actions as zeros and ones, int8 (num_actions,); zeros when the game is over.  It is the buffer
            itself, which every step overwrites; `action_mask` returns a copy.
        words: the same as a bit set, uint64 (num_words,), for compiled policies; the buffer itself.
        seen: the observation of the player to move, the buffer itself; only with ``observed=True``.
    """

    # Attributes instead of properties: a step takes a microsecond and a property a twentieth of one.
    game: Game
    player: int
    states: States
    mask: Mask
    words: Words
    seen: Observation

    __slots__ = ("_advance", "_size", "_tables", "game", "mask", "player", "seen", "states", "words")

    #: The `Game` subclass of this state class; None for states of any game.
    game_class: ClassVar[type[Game] | None] = None

    def __init__(self, game: Game, states: States, observed: bool = False) -> None:
        if states.shape != (1,) or states.dtype != game.dtype:
            raise ValueError(f"a state is an array of shape (1,) and {game.name}'s dtype, not {states.shape}")
        if not states.flags.writeable:
            raise ValueError("states: the array is read-only; give a copy, which actions can change")
        game.check_states(states, "states")
        self._fill(game, states, observed)

    def _fill(self, game: Game, states: States, observed: bool) -> None:
        """Set the attributes from a valid state array."""
        self.game = game
        self.states = states
        # Cached here because each look-up through the game takes a tenth of a microsecond.
        self._advance, self._tables, self._size = game.loops.advance, game.constants, game.actions.size
        self.words = np.zeros(game.num_words, dtype=np.uint64)
        self.mask = np.zeros(self._size, dtype=np.int8)
        self.seen = np.zeros(game.observations.size if observed else 0, dtype=np.float32)
        self.touch()

    # -- constructors

    @classmethod
    def unchecked(cls, game: Game, states: States, observed: bool = False) -> Self:
        """Return the state of an array that is known to be valid, such as a result of the game's kernel functions."""
        state = object.__new__(cls)
        state._fill(game, states, observed)
        return state

    @classmethod
    def _games(cls) -> type[Game]:
        if cls.game_class is None:
            raise TypeError(f"{cls.__name__} belongs to no game; use a game's own State, or State(game, states)")
        return cls.game_class

    @classmethod
    def new(
        cls, num_players: int | None = None, seed: int | None = None, components: ComponentSource | None = None
    ) -> Self:
        """Return a game right after its setup.

        Args:
            num_players: the smallest allowed number by default.
            seed: in 0..2**63-1; drawn from the operating system by default.
            components: "standard" (the default), the path of a component file, or a loaded set.
        """
        seed = new_seed() if seed is None else check_seed(seed)
        game = cls._games()(num_players, components)
        return cls.unchecked(game, game.new_states(seed))

    @classmethod
    def from_dict(cls, position: Mapping[str, Any], seed: int = 0) -> Self:
        """Return the state of a position dict; ValueError names the field and the rule that an impossible one breaks.

        `seed` determines the future of a position without random state.
        """
        return cls(*cls._games().read(position, check_seed(seed)))

    @classmethod
    def from_json(cls, text: str, seed: int = 0) -> Self:
        """Return `from_dict` of a JSON text; ValueError if it is not a JSON object."""
        return cls.from_dict(parse_json(text), seed)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Restore the state saved by `to_bytes`.

        Raises:
            ValueError: malformed bytes, or a component set that this process has not loaded.
        """
        games = cls._games()
        magic = f"{games.position_format}\n".encode()
        size = len(magic) + _DIGEST + games.dtype.itemsize
        if not isinstance(data, bytes | bytearray) or len(data) != size or not data.startswith(magic):
            raise ValueError(f"not the bytes of a {games.name} state (expected {size} bytes that begin with {magic!r})")
        states = np.frombuffer(data, dtype=games.dtype, offset=len(magic) + _DIGEST).copy()
        players = int(states["num_players"][0])
        digest = bytes(data[len(magic) : len(magic) + _DIGEST]).hex()
        game = games.of_digest(digest, players if players in games.seats else games.seats[0])
        try:
            game.check_record(states)
        except ValueError as error:
            raise ValueError(f"the bytes hold no possible position: {error}") from None
        return cls(game, states)

    # -- properties

    @property
    def num_players(self) -> int:
        return self.game.num_players

    @property
    def components(self) -> Any:
        """The component set in play; None for games without."""
        return self.game.components

    @property
    def current_player(self) -> int | None:
        """The seat to move; None when the game is over."""
        return None if self.player < 0 else self.player

    @property
    def is_over(self) -> bool:
        return self.player < 0

    def action_mask(self) -> Mask:
        """Return the legal actions as zeros and ones, int8 (num_actions,); a copy."""
        return self.mask.copy()

    def legal_ids(self) -> npt.NDArray[np.int64]:
        """Return the ids of the legal actions, int64 ascending; empty when the game is over."""
        return np.flatnonzero(self.mask)

    def legal_actions(self) -> list[str]:
        """Return the action strings of the legal actions, sorted by code point; [] when the game is over."""
        texts = self.game.action_texts
        return sorted(texts[i] for i in self.legal_ids())

    def action_text(self, action: int) -> str:
        """Return the action string of an id; IllegalActionError outside the ids."""
        return self.game.action_texts[self.checked_id(action)]

    def action_id(self, text: str) -> int:
        """Return the id of an action string; IllegalActionError names an unknown string."""
        return self.game.action_id(text)

    def chosen_id(self, action: object) -> int:
        """Return the id of an action given as id or action string; IllegalActionError for any other value."""
        if not isinstance(action, str):
            return self.checked_id(action)
        try:
            return self.action_id(action)
        except IllegalActionError as error:
            raise IllegalActionError(f"{error}{self._choices()}") from None

    def checked_id(self, action: object) -> int:
        """Return `action` as an id of the action space; IllegalActionError for any other value."""
        if type(action) is not int:
            try:
                # Integers and zero-dimensional integer arrays of numpy are ids; True and 1.0 are not.
                if isinstance(action, bool | np.bool_):
                    raise TypeError
                action = operator.index(action)  # type: ignore[arg-type]  # a non-integer raises the TypeError caught below
            except TypeError:
                raise IllegalActionError(f"an action is an integer id, not {action!r}{self._choices()}") from None
        if not 0 <= action < self._size:
            raise IllegalActionError(f"action id {action} is not in 0..{self._size - 1}{self._choices()}")
        return action

    # -- steps

    def apply(self, action: str) -> Self:
        """Apply an action given as action string and return self.

        IllegalActionError (a ValueError) names an unknown or illegal action; the state is then unchanged.
        """
        return self.apply_id(self.game.action_id(action))

    def apply_id(self, action: object) -> Self:
        """Apply an action given as id; see `apply`."""
        number = action if type(action) is int and 0 <= action < self._size else self.checked_id(action)
        player = self._advance(self._tables, self.states, 0, number, self.words, self.mask, self.seen, NO_TOTALS)
        if player == REFUSED:
            raise IllegalActionError(self.why_illegal(number))
        self.player = player
        return self

    def rollout(self, seed: int | None = None, limit: int = 100_000) -> Self:
        """Return the final state after uniformly random play by all players; this state is unchanged.

        It is one compiled call. The state already fixes the game's own random draws; sample another future first with
        `View.sample` if needed. `envs.play.play_games` plays many games from given states with any compiled policies.

        Args:
            seed: of the players' choices; drawn from the operating system by default.
            limit: the maximum number of steps.
        """
        policy_rng = np.zeros(3, dtype=np.int64)
        seed_policy_rng(policy_rng, new_seed() if seed is None else check_seed(seed))
        end = copied(self.states)
        self.game.loops.playout(self._tables, end, 0, self.words.copy(), policy_rng, check_positive(limit, "limit"))
        return self.unchecked(self.game, end)

    def why_illegal(self, action: int) -> str:
        """Explain why an action id is illegal now."""
        return self.game.why_illegal(action, self.player, self.mask)

    def _choices(self) -> str:
        return self.game.choices(self.player, self.mask)

    # -- results

    def totals(self) -> npt.NDArray[np.int32]:
        """Return every seat's total as if the game ended now, int32 (players,)."""
        return self.game.totals(self.states)

    def places(self) -> npt.NDArray[np.int8]:
        """Return every seat's rank as if the game ended now, int8 (players,); 1 is the best."""
        return self.game.places(self.states)

    def winners(self) -> list[int]:
        """Return the winning seats; [] before the end, several on a tie."""
        return results.winners(self.places()) if self.is_over else []

    def returns(self) -> list[float]:
        """Return the zero-sum result by seat (`core.game.results.outcome`); zeros before the end."""
        if not self.is_over:
            return [0.0] * self.num_players
        return [float(value) for value in results.outcome_returns(self.places())]

    # -- information states

    def observation(self, player: int) -> Observation:
        """Return the observation of `player`, float32 (observation_size,), a new array."""
        check_player(player, self.num_players)
        out = np.empty(self.game.observations.size, dtype=np.float32)
        self.game.kernel.observe(self._tables, self.states, 0, player, out)
        return out

    def privileged(self) -> Observation:
        """Return the privileged vector, float32 (privileged_size,), a new array with all hidden information, for
        critics.
        """
        out = np.empty(self.game.privileged.size, dtype=np.float32)
        self.game.kernel.privileged(self._tables, self.states, 0, out)
        return out

    def view(self, player: int | None = None) -> View:
        """Return the view of seat `player`; by default of the player to move.

        Raises:
            ValueError: no such seat, or no seat given when the game is over.
        """
        if player is None and self.is_over:
            raise ValueError("`player` is required: the game is over, so no player is to move")
        return View(self.game, self.states, 0, self.player if player is None else player)

    def describe(self, action: str | int, language: str = "en") -> str:
        """Return a sentence about a legal action: what its player does, and the effects known beforehand.

        Args:
            action: an action string or an id.
            language: one of `core.narration.language.LANGUAGES`.

        Raises:
            IllegalActionError: not a legal action; `why_not` gives the reason.
            ValueError: an unknown language, or a game without narration.
        """
        number = self.chosen_id(action)
        if not self.mask[number]:
            raise IllegalActionError(self.why_illegal(number))
        return self._narrator(language).describe(self.view(), number)

    def why_not(self, action: str | int, language: str = "en") -> str:
        """Return the reason why an action is not legal now, in sentences for the player to move.

        ValueError for a legal action, and where `describe` raises it.
        """
        return self._narrator(language).why_not(self.view(max(self.player, 0)), self.chosen_id(action))

    def events(self, since: State, observer: int) -> list[Event]:
        """Return what a seat has seen change since an earlier state of this game; see `core.narration.events`."""
        from porta_nigra_env.core.narration.events import Facts

        return Facts(self.game).events(since.states, self.states, observer)

    def _narrator(self, language: str) -> Narrator:
        from porta_nigra_env.core.narration.narrator import Narrator

        return Narrator(self.game, max(self.player, 0), language)

    def determinize(self, player: int, seed: int) -> Self:
        """Return a state consistent with the information state of `player`; hidden parts are redrawn, randomness is
        reseeded.
        """
        check_player(player, self.num_players)
        twin = copied(self.states)
        self.game.kernel.determinize(self._tables, twin, 0, player, check_seed(seed))
        return self.unchecked(self.game, twin)

    def redraw(self, seed: int) -> Self:
        """Return a copy with another future: draw piles are shuffled and randomness is reseeded, all hands stay.

        It depends on everything hidden, so agents must not use it; it measures luck.
        """
        twin = copied(self.states)
        self.game.kernel.redraw(self._tables, twin, 0, check_seed(seed))
        return self.unchecked(self.game, twin)

    # -- copies and files

    def clone(self) -> Self:
        """Return an independent copy."""
        twin = object.__new__(type(self))
        twin.game, twin.player = self.game, self.player
        twin.states = copied(self.states)
        twin.words, twin.mask, twin.seen = self.words.copy(), self.mask.copy(), self.seen.copy()
        twin._advance, twin._tables, twin._size = self._advance, self._tables, self._size
        return twin

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.game, self.states, len(self.seen) > 0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return bool(self.game == other.game) and self.states.tobytes() == other.states.tobytes()

    __hash__ = None  # type: ignore[assignment]  # mutable, so not hashable

    def touch(self) -> None:
        """Recompute everything derived from the state array."""
        self.player = int(
            self._advance(self._tables, self.states, 0, NO_ACTION, self.words, self.mask, self.seen, NO_TOTALS)
        )

    def to_bytes(self) -> bytes:
        """Return the state as bytes: format, digest of the components, record. Equal states have equal bytes
        everywhere.
        """
        magic = f"{self.game.position_format}\n".encode()
        return magic + bytes.fromhex(self.game.digest) + self.states.tobytes()

    def to_dict(self, view: int | None = None) -> Position:
        """Return the position as a dict; `view` replaces information hidden from that seat by counts."""
        return self.game.position(self.states, 0, check_view(view, self.num_players))

    def to_json(self, view: int | None = None, indent: int | None = 1) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(view), indent=indent)

    def board(self, view: int | None = None) -> str:
        """Return the position as text for people; `view` hides everything that seat cannot see."""
        return self.game.board(self.states, 0, check_view(view, self.num_players))

    def svg(self, view: int | None = None, theme: str | None = None, legal: bool = False) -> str:
        """Return the position as an SVG document.

        view: a seat, to draw its information state only; theme: "light", "dark", or None to follow the reader's
        settings; legal: if true, mark the targets of legal actions. ValueError: no such seat or theme, or a game
        without a drawing.
        """
        from porta_nigra_env.core.drawing import svg

        # The legal actions of another player can depend on hidden information.
        marked = self.legal_ids().tolist() if legal and view in (None, self.current_player) else None
        return svg.picture(self.game, self.states, view, theme, marked)

    def _repr_svg_(self) -> str | None:
        return None if self.game.drawing() is None else self.svg()

    def __str__(self) -> str:
        return self.board()

    def __repr__(self) -> str:
        asked = "over" if self.is_over else f"player {self.current_player} to decide"
        return f"<{type(self).__name__} of {self.game.name}, {self.num_players} players, {asked}>"
