"""Drawings of positions: a room draws its table once, as rows of integers, for pictures, notebooks and browsers alike.

A room's function ``draw(t, s, viewer, canvas)`` is plain Python in the subset that numba compiles: it calls functions
of its own room and of this module only, reads the fields of tables and state as ``s["field"][i][j]``, calculates with
integers and makes no arrays.  Python calls it as it is, with fields as lists; a compiler may compile it.  Both give the
same rows.  Everything else is data (`Drawing.manifest`), so that whoever reads both needs to know nothing of the game.

One row is one shape, int32 (len(COLUMNS),): kind, box (x, y, w, h: its top left corner and size, in units of the
canvas), style, text, number, place.  A canvas is int32 (rows it has space for + 1, len(COLUMNS)); the number of rows
stands in its first cell, the rows follow.  Rows that come later lie above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.drawing import lettering
from porta_nigra_env.core.game.game import Game, States, check_player, copied

Rows = npt.NDArray[np.int32]

COLUMNS: Final = ("kind", "x", "y", "w", "h", "style", "text", "number", "place")
KIND, X, Y, W, H, STYLE, TEXT, NUMBER, PLACE = range(len(COLUMNS))
#: A rectangle (its style rounds the corners), an ellipse, a symbol (`text` is its index), and lines of text as high as
#: their box: in its middle, at its left, at its right.
KINDS: Final = ("rect", "ellipse", "symbol", "text", "text_left", "text_right")
RECT, ELLIPSE, SYMBOL, MIDDLE, LEFT, RIGHT = range(len(KINDS))
#: In the columns `text` and `place`.
NOTHING: Final = -1
#: In the column `number`.
NO_NUMBER: Final = -(2**31)
#: Width and height of the grid that symbols are drawn on.
GRID: Final = 24


# ------------------------------------------------------------------------------------------------ what a room calls


def put(canvas: Any, kind: int, box: Any, style: int, text: int, number: int, place: int) -> None:
    """Add a row; box: (x, y, w, h).  Rows beyond the canvas are counted, not written."""
    canvas[0][0] += 1
    row = canvas[0][0]
    if row >= len(canvas):
        return
    line = canvas[row]
    line[KIND], line[STYLE], line[TEXT], line[NUMBER], line[PLACE] = kind, style, text, number, place
    line[X], line[Y], line[W], line[H] = box[0], box[1], box[2], box[3]


def rect(canvas: Any, box: Any, style: int, place: int) -> None:
    """A rectangle; `place` is the place that one may click there, or NOTHING."""
    put(canvas, RECT, box, style, NOTHING, NO_NUMBER, place)


def ellipse(canvas: Any, box: Any, style: int, place: int) -> None:
    """An ellipse that fills the box."""
    put(canvas, ELLIPSE, box, style, NOTHING, NO_NUMBER, place)


def symbol(canvas: Any, box: Any, style: int, which: int) -> None:
    """One of the room's symbols, as large as the box."""
    put(canvas, SYMBOL, box, style, which, NO_NUMBER, NOTHING)


def text(canvas: Any, box: Any, style: int, which: int, number: int) -> None:
    """One of the room's texts in the middle of the box, with a number in the place of its "{}" (or NO_NUMBER)."""
    put(canvas, MIDDLE, box, style, which, number, NOTHING)


def text_left(canvas: Any, box: Any, style: int, which: int, number: int) -> None:
    """The same at the left of the box."""
    put(canvas, LEFT, box, style, which, number, NOTHING)


def text_right(canvas: Any, box: Any, style: int, which: int, number: int) -> None:
    """The same at the right of the box."""
    put(canvas, RIGHT, box, style, which, number, NOTHING)


# ------------------------------------------------------------------------------------------------ what a room says


@dataclass(frozen=True)
class Style:
    """How a shape looks; colours are names of the palette.

    Attributes:
        fill: the inside of a shape, the ink of a text; None for an empty shape.
        stroke: the line around a shape; None for none.
        width: of that line.
        radius: of a rectangle's corners.
        bold: the weight of a text.
        dash: a broken line.
        opacity: of the whole shape, from 0 to 1.
    """

    fill: str | None = None
    stroke: str | None = None
    width: float = 2
    radius: int = 0
    bold: bool = False
    dash: bool = False
    opacity: float = 1


@dataclass(frozen=True, eq=False)
class Drawing:
    """What a room says of its table, for one component set; immutable.

    Attributes:
        name: of the game, ``[a-z0-9_]+``.
        tables: (1,) record array, those of the game.
        draw: the room's function, see this module; `viewer` is the seat whose view is drawn, or -1 for everything, and
            the state of a view is redacted before.
        sizes: width and height of the canvas by the number of players.
        palette: colours by name, each for light and for dark surroundings, as ``#rrggbb``.
        styles: by name.  "paper", the ground that the drawing lies on, and "legal", the line around a place that may be
            chosen, are in every drawing.
        symbols: by name, as SVG paths on a grid of GRID by GRID, filled by the even-odd rule.
        texts: what may be written; "{}" stands for the number of the row.
        places: what may be clicked: names with readable titles.  A drawing has each of them once at most.
        action_places: names of places for every action id, the most specific first; none where only a list can help.
        max_rows: more rows than any position needs.
    """

    name: str
    constants: npt.NDArray[np.void]
    draw: Callable[[Any, Any, int, Any], None]
    sizes: Mapping[int, tuple[int, int]]
    palette: Mapping[str, tuple[str, str]]
    styles: Mapping[str, Style]
    symbols: Mapping[str, str]
    texts: tuple[str, ...]
    places: Mapping[str, str]
    action_places: tuple[tuple[str, ...], ...]
    max_rows: int = 1000

    @cached_property
    def _canvases(self) -> list[list[list[int]]]:
        return []

    @cached_property
    def _tables(self) -> dict[str, Any]:
        return as_lists(self.constants[0])

    def rows(self, states: Any, row: int = 0, viewer: int = -1) -> Rows:
        """The shapes of ``states[row]``, int32 (n, len(COLUMNS)).

        Args:
            states: a state array; with a viewer, redacted for that seat (`core.game.kernel.Kernel.redact`).
            viewer: the seat whose view is drawn, -1 for everything.

        Raises:
            RuntimeError: more than `max_rows` shapes.
        """
        # Making a canvas takes as long as drawing on it; each thread that draws has its own.
        canvas = self._canvases.pop() if self._canvases else [[0] * len(COLUMNS) for _ in range(self.max_rows + 1)]
        canvas[0][0] = 0
        self.draw(self._tables, as_lists(states[row]), viewer, canvas)
        count = canvas[0][0]
        if count > self.max_rows:
            raise RuntimeError(f"a drawing of {count} shapes; raise max_rows, which is {self.max_rows}")
        cells = chain.from_iterable(canvas[1 : count + 1])
        rows = np.fromiter(cells, dtype=np.int32, count=count * len(COLUMNS)).reshape(count, len(COLUMNS))
        self._canvases.append(canvas)
        return rows

    @cached_property
    def style_list(self) -> tuple[Style, ...]:
        """The styles by index."""
        return tuple(self.styles.values())

    @cached_property
    def symbol_list(self) -> tuple[str, ...]:
        """The paths of the symbols by index."""
        return tuple(self.symbols.values())

    @cached_property
    def place_list(self) -> tuple[str, ...]:
        """The names of the places by index."""
        return tuple(self.places)

    @cached_property
    def places_of_actions(self) -> tuple[tuple[int, ...], ...]:
        """`action_places` as indices."""
        index = {name: number for number, name in enumerate(self.places)}
        return tuple(tuple(index[name] for name in names) for names in self.action_places)

    def wording(self, row: Any) -> str:
        """What a row of a text says."""
        which, number = int(row[TEXT]), int(row[NUMBER])
        shown = "" if number == NO_NUMBER else str(number)
        return shown if which == NOTHING else self.texts[which].replace("{}", shown)

    def place_rows(self, rows: Rows) -> dict[int, int]:
        """The row of every place that a drawing has, by index of the place."""
        return {int(place): number for number, place in enumerate(rows[:, PLACE]) if place != NOTHING}

    def legal_rows(self, rows: Rows, actions: Iterable[int]) -> Rows:
        """A line around the first place of each of these actions that the drawing has; rows to be put above it."""
        there = self.place_rows(rows)
        found = {next((place for place in self.places_of_actions[action] if place in there), -1) for action in actions}
        marks = rows[[there[place] for place in sorted(found - {-1})]].copy()
        marks[:, KIND], marks[:, STYLE], marks[:, PLACE] = RECT, tuple(self.styles).index("legal"), NOTHING
        return marks

    def manifest(self) -> dict[str, Any]:
        """Everything but `draw`, JSON-able; styles, symbols, texts and places stand in the order of their indices."""
        return {
            "name": self.name,
            "columns": list(COLUMNS),
            "kinds": list(KINDS),
            "none": NO_NUMBER,
            "max_rows": self.max_rows,
            "sizes": {str(players): list(size) for players, size in self.sizes.items()},
            "font": {
                "family": lettering.FAMILY,
                "baseline": lettering.BASELINE,
                "advances": lettering.ADVANCES,
                "bold_advances": lettering.BOLD_ADVANCES,
            },
            "palette": {name: list(colours) for name, colours in self.palette.items()},
            "styles": [{"name": name, **asdict(style)} for name, style in self.styles.items()],
            "symbols": [{"name": name, "path": path} for name, path in self.symbols.items()],
            "texts": list(self.texts),
            "places": [{"name": name, "title": title} for name, title in self.places.items()],
            "action_places": [list(places) for places in self.places_of_actions],
        }


def seen_rows(drawing: Drawing, game: Game, states: States, view: int | None = None, row: int = 0) -> Rows:
    """The shapes of ``states[row]`` as a seat sees them, or with everything; ValueError for what is no seat."""
    if view is None:
        return drawing.rows(states, row)
    seen = copied(states[row : row + 1])
    game.kernel.redact(game.constants, seen, 0, check_player(view, game.num_players))
    return drawing.rows(seen, 0, view)


def as_lists(record: np.void) -> dict[str, Any]:
    """The fields of a record as integers and nested lists of them."""
    names = record.dtype.names or ()
    return dict(zip(names, (record[name].tolist() for name in names), strict=True))
