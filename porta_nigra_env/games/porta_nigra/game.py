"""Porta Nigra: its tables, kernel and notation behind the game protocol, and `State`, the face for one game."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, Self

import numpy as np

from porta_nigra_env.core.game import IllegalActionError, Position, States, check_seed, new_seed
from porta_nigra_env.core.loops import Kernel, Loops, bind_loops
from porta_nigra_env.core.spans import Spans
from porta_nigra_env.core.state import GameState, parse_json
from porta_nigra_env.games.porta_nigra import notation
from porta_nigra_env.games.porta_nigra.components.load import Components, load
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    LOWEST_HEIGHT,
    MAX_PLAYERS,
    PHASES,
    PORTA_NIGRA,
    ROWS,
)
from porta_nigra_env.games.porta_nigra.kernel import scoring
from porta_nigra_env.games.porta_nigra.kernel.compiler import SOURCES, jit
from porta_nigra_env.games.porta_nigra.kernel.verbs import KERNEL, score_sheet
from porta_nigra_env.games.porta_nigra.state import NUM_WORDS, STATE, VERSION

_LOOPS: Final[Loops] = bind_loops("porta_nigra", KERNEL, jit)

ComponentSource = str | os.PathLike[str] | Components


@cache
def _action_ids(components: Components) -> dict[str, int]:
    return {text: i for i, text in enumerate(notation.action_texts(components))}


class PortaNigra:
    """The game for one component set and number of players (the `core.game.Game` protocol).

    Args:
        num_players: 2, 3 or 4.
        components: "standard", the path of a component file, or a loaded `Components`.

    Raises:
        ValueError: another number of players.
        ComponentError: a component file that is missing or breaks a rule.
    """

    name: Final = "porta_nigra"
    version: Final = VERSION
    points_field: Final = "vp"
    round_field: Final = "round"
    dtype: Final = STATE
    num_words: Final = NUM_WORDS
    kernel: Final[Kernel] = KERNEL
    loops: Final[Loops] = _LOOPS
    sources: Final = SOURCES
    phases: Final = PHASES

    __slots__ = ("components", "num_players")

    def __init__(self, num_players: int = 2, components: ComponentSource = "standard") -> None:
        if isinstance(num_players, bool) or not isinstance(num_players, int | np.integer):
            raise TypeError(f"num_players must be an integer, not {num_players!r}")
        if not 2 <= num_players <= MAX_PLAYERS:
            raise ValueError(f"num_players must be 2, 3 or 4, not {num_players}")
        self.num_players = int(num_players)
        self.components: Components = load(components)

    @property
    def tables(self) -> States:
        return self.components.tables

    @property
    def actions(self) -> Spans:
        return self.components.actions

    @property
    def observations(self) -> Spans:
        return self.components.observations

    @property
    def hidden(self) -> Spans:
        return self.components.hidden

    @property
    def action_texts(self) -> tuple[str, ...]:
        return notation.action_texts(self.components)

    def action_id(self, text: str) -> int:
        """The id of an action text; IllegalActionError names a text that is no action."""
        if not isinstance(text, str):
            raise IllegalActionError(f"an action is a text such as 'end', not {text!r}")
        try:
            return _action_ids(self.components)[text]
        except KeyError:
            raise IllegalActionError(notation.why_no_action(self.components, text)) from None

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        """The position as a dict of the format porta_nigra/1."""
        return notation.to_dict(self.components, states, row, view)

    def load_position(self, position: Position, seed: int = 0) -> States:
        """A (1,) state array; PositionError names the field and rule that an impossible position breaks."""
        states = notation.from_dict(self.components, position, check_seed(seed))
        players = int(states["num_players"][0])
        if players != self.num_players:
            raise notation.PositionError(f"num_players: the position is for {players} players, not {self.num_players}")
        return states

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        """The position as a text board; with `view`, without the other hands."""
        return notation.board(self.components, states, row, view)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PortaNigra):
            return NotImplemented
        return (self.num_players, self.components) == (other.num_players, other.components)

    def __hash__(self) -> int:
        return hash((self.num_players, self.components))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.num_players, self.components)

    def __repr__(self) -> str:
        return f"PortaNigra(num_players={self.num_players}, components={self.components.name!r})"


#: First bytes of `State.to_bytes`: format, then the component digest (32 bytes), then one STATE record.
_MAGIC: Final = b"porta_nigra/1\n"


class State(GameState):
    """One game of Porta Nigra: texts in, texts out.

    >>> state = State.new(num_players=2, seed=7)
    >>> state.legal_actions()
    ['place amphitheatre', 'place basilica', 'place city_wall', 'place porta_nigra']
    >>> state.apply("place basilica").to_dict()["phase"]
    'choose_card'
    """

    __slots__ = ()

    _game: PortaNigra

    @classmethod
    def new(cls, num_players: int = 2, seed: int | None = None, components: ComponentSource = "standard") -> Self:
        """A game right after setup and the first refill; without a seed, one of the operating system's."""
        seed = new_seed() if seed is None else check_seed(seed)
        game = PortaNigra(num_players, components)
        states = np.zeros(1, dtype=STATE)
        KERNEL.reset(game.tables, states, 0, seed, game.num_players)
        return cls(game, states)

    @classmethod
    def from_dict(cls, position: Mapping[str, Any], seed: int = 0) -> Self:
        """The state of a position dict; PositionError (a ValueError) names the field and rule an impossible one breaks.

        `seed` fixes the future where the position has no `rng`.
        """
        components = notation.position_components(position)
        states = notation.from_dict(components, position, check_seed(seed))
        return cls(PortaNigra(int(states["num_players"][0]), components), states)

    @classmethod
    def from_json(cls, text: str, seed: int = 0) -> Self:
        """`from_dict` of a JSON text; ValueError where it is not a JSON object."""
        return cls.from_dict(parse_json(text), seed)

    @property
    def components(self) -> Components:
        """The component set the game is played with."""
        return self._game.components

    def scores(self) -> list[dict[str, Any]]:
        """Points of each player by source, as if the game ended now.

        Keys: "vp" (the marker), "sets", "final_cards", "play_area", "majorities" {building: {row or height: points}},
        "total".
        """
        sheet = np.zeros((self.num_players, scoring.NUM_COLUMNS), dtype=np.int32)
        score_sheet(self._game.tables, self._states, 0, sheet)
        constants = self._game.tables[0]
        heights = range(int(constants["porta_nigra_min_height"]), int(constants["porta_nigra_max_height"]) + 1)
        scores = []
        for line in sheet.tolist():
            majorities: dict[str, dict[str, int]] = {building: {} for building in BUILDINGS}
            for row, (building, letter, _) in enumerate(ROWS[:-1]):
                majorities[building][letter] = line[scoring.ROWS_COLUMN + row]
            majorities[BUILDINGS[PORTA_NIGRA]] = {
                str(height): line[scoring.HEIGHTS_COLUMN + height - LOWEST_HEIGHT] for height in heights
            }
            scores.append(
                {
                    "vp": line[scoring.VP_COLUMN],
                    "sets": line[scoring.SETS_COLUMN],
                    "final_cards": line[scoring.FINALS_COLUMN],
                    "play_area": line[scoring.PLAY_AREA_COLUMN],
                    "majorities": majorities,
                    "total": sum(line),
                }
            )
        return scores

    def to_bytes(self) -> bytes:
        """The state as bytes: format, component digest, record.  Equal states have equal bytes on every machine."""
        return _MAGIC + bytes.fromhex(self.components.digest) + self._states.tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The state of `to_bytes`.

        Raises:
            ValueError: not such bytes, or made with a component set that is not loaded in this process.
        """
        size = len(_MAGIC) + 32 + STATE.itemsize
        if not isinstance(data, bytes | bytearray) or len(data) != size or not data.startswith(_MAGIC):
            raise ValueError(f"not the bytes of a Porta Nigra state (expected {size} bytes that begin with {_MAGIC!r})")
        digest = bytes(data[len(_MAGIC) : len(_MAGIC) + 32]).hex()
        components = notation.components_of_digest(digest)
        states = np.frombuffer(data, dtype=STATE, offset=len(_MAGIC) + 32).copy()
        # The record is read back through the notation, so that damaged bytes cannot make an impossible state.
        try:
            checked = notation.from_dict(components, notation.to_dict(components, states))
        except (ValueError, IndexError) as error:
            raise ValueError(f"the bytes hold no possible position: {error}") from None
        if checked.tobytes() != states.tobytes():
            raise ValueError("the bytes hold no possible position: something stands where nothing may")
        return cls(PortaNigra(int(states["num_players"][0]), components), checked)
