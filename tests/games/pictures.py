"""Helpers for tests of single drawings: the words and signs inside a box, and the boxes of places."""

from __future__ import annotations

from typing import Final, NamedTuple

from porta_nigra_env.core.drawing.draw_list import KIND, LEFT, MIDDLE, PLACE, RIGHT, SYMBOL, TEXT, Drawing, H, W, X, Y
from porta_nigra_env.core.drawing.svg import seen_rows
from porta_nigra_env.core.game.state import State

Box = tuple[int, int, int, int]  # x, y, w, h
_TEXTS: Final = (MIDDLE, LEFT, RIGHT)


class Picture(NamedTuple):
    """A drawing's rows."""

    drawing: Drawing
    rows: list[list[int]]

    def places(self) -> dict[str, list[int]]:
        """The rows of places by name."""
        return {self.drawing.place_list[row[PLACE]]: row for row in self.rows if row[PLACE] >= 0}

    def words(self, box: Box) -> list[str]:
        """Return the texts in a box, from left to right."""
        return [self.drawing.wording(row) for row in self._inside(box, _TEXTS)]

    def signs(self, box: Box) -> list[str]:
        """The symbols in a box, from left to right."""
        names = tuple(self.drawing.symbols)
        return [names[row[TEXT]] for row in self._inside(box, (SYMBOL,))]

    def find(self, words: str) -> Box:
        """Return the box of a text that occurs once."""
        (row,) = (row for row in self.rows if row[KIND] in _TEXTS and self.drawing.wording(row) == words)
        return box_of(row)

    def _inside(self, box: Box, kinds: tuple[int, ...]) -> list[list[int]]:
        x, y, w, h = box
        found = (row for row in self.rows if row[KIND] in kinds)
        inside = [
            row
            for row in found
            if row[X] >= x and row[Y] >= y and row[X] + row[W] <= x + w and row[Y] + row[H] <= y + h
        ]
        return sorted(inside, key=lambda row: row[X])


def box_of(row: list[int]) -> Box:
    """The box of a row."""
    return row[X], row[Y], row[W], row[H]


def picture(state: State, view: int | None = None) -> Picture:
    """The rows that are drawn of a position."""
    drawing = state.game.drawing()
    assert drawing is not None
    return Picture(drawing, seen_rows(drawing, state.game, state.states, view).tolist())
