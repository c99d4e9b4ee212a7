"""Base class of games with component files and a notation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import Layout
from porta_nigra_env.core.batch.policy import Policy
from porta_nigra_env.core.game.game import Game, Position, States, check_seed
from porta_nigra_env.core.positions.pieces import ComponentNumbers
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.core.positions.reading import Reader

if TYPE_CHECKING:
    from porta_nigra_env.core.drawing.draw_list import Drawing
    from porta_nigra_env.core.narration.facts import Narration


class Notation(Protocol):
    """The package `text` of a game; `components` is an instance of the game's own component class."""

    __name__: str

    def action_texts(self, components: Any) -> tuple[str, ...]:
        """Return the action string of every action id, in ascending order; all are different."""
        ...

    def to_dict(self, components: Any, states: States, row: int = 0, view: int | None = None) -> Position:
        """Return the position in the format of `Game.position`."""
        ...

    @property
    def from_dict(self) -> Reader:
        """The reader that turns a position into a (1,) state array (`core.positions.reading`)."""
        ...

    def board(self, components: Any, states: States, row: int = 0, view: int | None = None) -> str:
        """Return the position as text for people; `view` hides everything that seat cannot see."""
        ...


class ComponentGame(Game):
    """A game whose component sets define its layouts and whose notation reads and writes its positions.

    Attributes:
        texts: the game's package `text`, see `Notation`; `players` and `drawing` are next to it.
        score_sheet: the kernel function of `core.game.record_kernel.Verbs`.
        num_columns: the number of columns of a score sheet.
        source_columns: the first column of each of `point_sources`; columns up to the next entry are summed.
    """

    texts: ClassVar[Notation]
    score_sheet: ClassVar[Callable[..., Any]]
    num_columns: ClassVar[int]
    source_columns: ClassVar[Sequence[int]]

    @property
    def actions(self) -> Layout:
        layout: Layout = self.components.actions
        return layout

    @property
    def observations(self) -> Layout:
        layout: Layout = self.components.observations
        return layout

    @property
    def privileged(self) -> Layout:
        layout: Layout = self.components.privileged
        return layout

    @property
    def action_texts(self) -> tuple[str, ...]:
        return self.texts.action_texts(self.components)

    def component_numbers(self) -> ComponentNumbers:
        """Return ``components.pieces.pieces_of(components)`` of the game package."""
        numbers: ComponentNumbers = self._module("components.pieces").pieces_of(self.components)
        return numbers

    def drawing(self) -> Drawing:
        """Return ``drawing.drawing_of(components)`` of the game package."""
        drawing: Drawing = self._module("drawing").drawing_of(self.components)
        return drawing

    def narration(self) -> Narration:
        """Return ``narration.narration_of(components)`` of the game package."""
        narration: Narration = self._module("narration").narration_of(self.components)
        return narration

    @classmethod
    def policies(cls) -> Mapping[str, Policy]:
        """Return ``players.POLICIES`` of the game package."""
        policies: Mapping[str, Policy] = cls._module("players").POLICIES
        return policies

    @classmethod
    def networks(cls) -> Mapping[int, Path]:
        """Return ``players.NETWORKS`` of the game package."""
        networks: Mapping[int, Path] = cls._module("players").NETWORKS
        return networks

    @classmethod
    def general_networks(cls) -> Mapping[int, Path]:
        """Return ``players.GENERAL_NETWORKS`` of the game package; none if it has no such name."""
        networks: Mapping[int, Path] = getattr(cls._module("players"), "GENERAL_NETWORKS", {})
        return networks

    @classmethod
    def _module(cls, name: str) -> Any:
        """Import a module next to `texts`, only where it is used: players and drawings take time to load."""
        return import_module(f"{cls.texts.__name__.rpartition('.')[0]}.{name}")

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        """Return the position as a dict of the game's format."""
        return self.texts.to_dict(self.components, states, row, view)

    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        """Return a (1,) state array; PositionError names the field and the rule that an impossible position breaks."""
        states = self.texts.from_dict(self.components, position, check_seed(seed))
        players = int(states["num_players"][0])
        if players != self.num_players:
            raise PositionError(f"num_players: the position is for {players} players, not {self.num_players}")
        return states

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        """Return the position as a text board; `view` hides everything that seat cannot see."""
        return self.texts.board(self.components, states, row, view)

    def sheets(self, states: States) -> npt.NDArray[np.int32]:
        """Return the points as if the games ended now, int32 (len(states), players, num_columns)."""
        sheets = np.zeros((len(states), self.num_players, self.num_columns), dtype=np.int32)
        for row in range(len(states)):
            type(self).score_sheet(self.constants, states, row, sheets[row])
        return sheets

    def points_by_source(self, states: States) -> npt.NDArray[np.int32]:
        return np.add.reduceat(self.sheets(states), self.source_columns, axis=2, dtype=np.int32)
