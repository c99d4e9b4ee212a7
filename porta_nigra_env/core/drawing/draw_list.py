"""Draw lists: positions as rows of integers, for SVG pictures, notebooks and browsers.

The function ``draw(t, s, viewer, canvas)`` of a game package is plain Python in the subset that numba compiles.  It
calls only functions of this module and its package.  It reads the fields of constants and state as
``s["field"][i][j]``, calculates with integers and makes no arrays.  Python calls it with fields as lists; a compiler
may compile it, with the same rows as result.  All other data is in `Drawing.manifest`, so that a renderer needs no
knowledge of the game.

One row is one shape, int32 (len(COLUMNS),): kind, box, style, text, number, place.  The box (x, y, w, h) is the top
left corner and the size, in units of the canvas.  A canvas is int32 (capacity + 1, len(COLUMNS)); its first cell is the
number of rows, and the rows follow.  Later rows are drawn above earlier ones.
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

Rows = npt.NDArray[np.int32]
#: Rows of shapes after a row with their number, or the same as lists.
Canvas = npt.NDArray[np.int32]
#: Left, top, width and height.
Box = tuple[int, int, int, int]

COLUMNS: Final = ("kind", "x", "y", "w", "h", "style", "text", "number", "place")
KIND, X, Y, W, H, STYLE, TEXT, NUMBER, PLACE = range(len(COLUMNS))
#: A rectangle (its style rounds the corners), an ellipse, a symbol (`text` is its index), and text as high as its box.
#: Text is centered, or aligned to the left or to the right.
KINDS: Final = ("rect", "ellipse", "symbol", "text", "text_left", "text_right")
RECT, ELLIPSE, SYMBOL, MIDDLE, LEFT, RIGHT = range(len(KINDS))
#: No value in the columns `text` and `place`.
NOTHING: Final = -1
#: No value in the column `number`.
NO_NUMBER: Final = -(2**31)
#: Width and height of the grid of symbols.
GRID: Final = 24


# ------------------------------------------------------------------------------------------------ functions for `draw`


def put(canvas: Any, kind: int, box: Any, style: int, text: int, number: int, place: int) -> None:
    """Add a row; box: (x, y, w, h).  Rows beyond the capacity are counted, not written."""
    canvas[0][0] += 1
    row = canvas[0][0]
    if row >= len(canvas):
        return
    line = canvas[row]
    line[KIND], line[STYLE], line[TEXT], line[NUMBER], line[PLACE] = kind, style, text, number, place
    line[X], line[Y], line[W], line[H] = box[0], box[1], box[2], box[3]


def rect(canvas: Any, box: Any, style: int, place: int) -> None:
    """Add a rectangle; `place` is the index of a clickable place, or NOTHING."""
    put(canvas, RECT, box, style, NOTHING, NO_NUMBER, place)


def ellipse(canvas: Any, box: Any, style: int, place: int) -> None:
    """Add an ellipse that fills the box."""
    put(canvas, ELLIPSE, box, style, NOTHING, NO_NUMBER, place)


def symbol(canvas: Any, box: Any, style: int, which: int) -> None:
    """Add a symbol of the game package that fills the box."""
    put(canvas, SYMBOL, box, style, which, NO_NUMBER, NOTHING)


def text(canvas: Any, box: Any, style: int, which: int, number: int) -> None:
    """Add a centered text of the game package; `number` replaces its "{}", unless it is NO_NUMBER."""
    put(canvas, MIDDLE, box, style, which, number, NOTHING)


def text_left(canvas: Any, box: Any, style: int, which: int, number: int) -> None:
    """Add a text aligned to the left of the box."""
    put(canvas, LEFT, box, style, which, number, NOTHING)


def text_right(canvas: Any, box: Any, style: int, which: int, number: int) -> None:
    """Add a text aligned to the right of the box."""
    put(canvas, RIGHT, box, style, which, number, NOTHING)


# ------------------------------------------------------------------------------------------------ data of a drawing


@dataclass(frozen=True)
class Style:
    """The look of a shape; colours are names of the palette.

    Attributes:
        fill: colour of a shape or text; None for an empty shape.
        stroke: colour of the outline; None for no outline.
        width: width of the outline.
        radius: corner radius of a rectangle.
        bold: bold text.
        dash: dashed outline.
        opacity: opacity of the whole shape, from 0 to 1.
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
    """The drawing of a game for one component set; immutable.

    Attributes:
        name: name of the game, ``[a-z0-9_]+``.
        constants: (1,) record array, the constants of the game.
        draw: drawing function, see this module.  `viewer` is the seat of a view, whose state is redacted, or -1 for the
            full state.
        sizes: width and height of the canvas by the number of players.
        palette: colours by name, ``#rrggbb`` for the light and the dark theme.
        styles: styles by name.  Every drawing has "paper", the background, and "legal", the outline of a legal place.
        symbols: SVG paths by name, on a grid of GRID by GRID, filled by the even-odd rule.
        texts: all texts; "{}" is replaced by the number of the row.
        places: titles of the clickable places by name.  A drawing has each place at most once.
        action_places: names of places for every action id, the most specific first; empty for actions without a place.
        max_rows: upper bound of the number of rows.
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
        """Return the shapes of ``states[row]``, int32 (n, len(COLUMNS)).

        Args:
            states: state array; with a viewer, redacted for that seat (`core.game.kernel.Kernel.redact`).
            row: row of the array.
            viewer: seat of the view, -1 for the full state.

        Raises:
            RuntimeError: the drawing has more than `max_rows` shapes.
        """
        # A canvas is as expensive as a drawing, so canvases are reused; each thread takes its own.
        try:
            canvas = self._canvases.pop()
        except IndexError:
            canvas = [[0] * len(COLUMNS) for _ in range(self.max_rows + 1)]
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
        """Return the text of a row of text."""
        which, number = int(row[TEXT]), int(row[NUMBER])
        shown = "" if number == NO_NUMBER else str(number)
        return shown if which == NOTHING else self.texts[which].replace("{}", shown)

    def legal_rows(self, rows: Rows, actions: Iterable[int]) -> Rows:
        """Return outlines of the first place in the drawing of each action, to be drawn above it."""
        row_of = {int(place): number for number, place in enumerate(rows[:, PLACE]) if place != NOTHING}
        legal = {next((place for place in self.places_of_actions[action] if place in row_of), -1) for action in actions}
        marks = rows[[row_of[place] for place in sorted(legal - {-1})]].copy()
        marks[:, KIND], marks[:, STYLE], marks[:, PLACE] = RECT, tuple(self.styles).index("legal"), NOTHING
        return marks

    def manifest(self) -> dict[str, Any]:
        """Return all data except `draw`, JSON-able; styles, symbols, texts and places are ordered by index."""
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


def as_lists(record: np.void) -> dict[str, Any]:
    """Return the fields of a record as integers and nested lists of them."""
    names = record.dtype.names or ()
    return dict(zip(names, (record[name].tolist() for name in names), strict=True))
