"""Drawings as pixels: resvg rasterises every shape once, and a painter pastes it at its positions.

Rasterising a whole SVG document for each picture is too slow for films.  A painter keeps the pixels of each shape and
the unchanged areas of the last picture.
"""

from __future__ import annotations

import io
import os
import threading
from functools import lru_cache
from math import isqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.drawing import lettering
from porta_nigra_env.core.drawing.draw_list import KIND, MIDDLE, PLACE, Drawing, H, Rows, W, X, Y
from porta_nigra_env.core.drawing.svg import elements, stylesheet
from porta_nigra_env.extras import imported

Picture = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]  # left, top, right, bottom, in pixels

#: Rows after which a painter clears its caches; a game needs a few thousand.
_MAX_ROWS: Final = 20_000
#: Subpixel positions of a shape along one pixel.
_SUBPIXELS: Final = 8


def rasterised(svg: str) -> Any:
    """Rasterise an SVG document to an image of Pillow, with the font of the package."""
    resvg, pillow = imported("resvg_py", "render"), imported("PIL.Image", "render")
    png = resvg.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(lettering.FILES))
    return pillow.open(io.BytesIO(png))


class _Shape(NamedTuple):
    """The pixels of a shape, with transparency, and their box."""

    image: Any
    box: Box


class Painter:
    """A painter of one drawing.

    Args:
        drawing: the drawing of a game.
        players: number of players, which determines the size of the canvas.
        theme: "light" or "dark".
        width: width of the pictures in pixels; by default that of the canvas.
    """

    def __init__(self, drawing: Drawing, players: int, theme: str = "light", width: int | None = None) -> None:
        columns, lines = drawing.sizes[players]
        self._drawing, self._theme = drawing, theme
        self._scale = 1.0 if width is None else width / columns
        self._paper = drawing.palette[drawing.styles["paper"].fill or "paper"][theme == "dark"]
        self._size = round(columns * self._scale), round(lines * self._scale)
        self._lock = threading.Lock()  # environments of all threads share a painter
        self._clear()

    def _clear(self) -> None:
        """Start with an empty picture, in the colour of the paper, and no shapes."""
        self._picture: Picture = np.empty((*self._size[::-1], 3), dtype=np.uint8)
        self._picture[:] = list(bytes.fromhex(self._paper[1:]))
        self._shown: set[bytes] = set()
        #: Shapes by the bytes of their rows moved to the corner of the canvas; numbers by the bytes of their rows.
        self._shapes: dict[bytes, _Shape] = {}
        self._placed: dict[bytes, int] = {}
        #: Images and boxes by number; the array has space for more.
        self._images: list[Any] = []
        self._boxes = np.empty((1024, 4), dtype=np.int32)

    def paint(self, rows: Rows) -> Picture:
        """Return the picture of a draw list, uint8 (height, width, 3); ImportError as in `rasterised`."""
        with self._lock:
            return self._paint(rows)

    def _paint(self, rows: Rows) -> Picture:
        looks = np.ascontiguousarray(rows[:, :PLACE])
        data, size = looks.tobytes(), looks.strides[0]
        keys = [data[start : start + size] for start in range(0, len(data), size)]
        new = [number for number, key in enumerate(keys) if key not in self._placed]
        if new:
            self._place([keys[number] for number in new], looks[new])
        shown = set(keys)
        changed = [self._placed[key] for key in shown ^ self._shown]
        if changed:
            placed = np.array([self._placed[key] for key in keys], dtype=np.int64)
            for box in merged(self._boxes[changed].tolist()):
                self._repaint(box, placed, self._boxes[placed])
        self._shown = shown
        picture = self._picture.copy()
        if len(self._placed) > _MAX_ROWS:
            self._clear()
        return picture

    def _repaint(self, box: Box, placed: npt.NDArray[np.int64], boxes: npt.NDArray[np.int32]) -> None:
        """Repaint a box of the picture; placed, boxes: numbers and boxes of all rows."""
        left, top = max(box[0], 0), max(box[1], 0)
        right, bottom = min(box[2], self._size[0]), min(box[3], self._size[1])
        if left >= right or top >= bottom:
            return
        part = imported("PIL.Image", "render").new("RGB", (right - left, bottom - top), self._paper)
        across, down = (boxes[:, 0] < right) & (boxes[:, 2] > left), (boxes[:, 1] < bottom) & (boxes[:, 3] > top)
        there = across & down
        for number, (x, y) in zip(placed[there].tolist(), (boxes[there, :2] - (left, top)).tolist(), strict=True):
            image = self._images[number]
            part.paste(image, (x, y), image)
        self._picture[top:bottom, left:right] = np.asarray(part)

    def _place(self, keys: list[bytes], rows: npt.NDArray[np.int32]) -> None:
        """Register new rows: their images and boxes."""
        corners = rows[:, [X, Y]] * self._scale
        whole = np.floor(corners).astype(np.int32)
        # Rows with the same subpixel position share their pixels.
        alone = rows.copy()
        alone[:, [X, Y]] = (corners - whole) * _SUBPIXELS
        shapes = [shape.tobytes() for shape in alone]
        self._rasterise({key: shape for key, shape in zip(shapes, alone, strict=True) if key not in self._shapes})
        for key, shape, (x, y) in zip(keys, shapes, whole.tolist(), strict=True):
            image, (left, top, right, bottom) = self._shapes[shape]
            number = self._placed[key] = len(self._images)
            self._images.append(image)
            if number == len(self._boxes):
                self._boxes = np.concatenate([self._boxes, np.empty_like(self._boxes)])
            self._boxes[number] = left + x, top + y, right + x, bottom + y

    def _rasterise(self, shapes: dict[bytes, Any]) -> None:
        """Rasterise shapes on one sheet, and keep their pixels."""
        if not shapes:
            return
        sizes = {key: self._extent(shape) for key, shape in shapes.items()}
        area = sum(width * height for width, height, _ in sizes.values())
        wide = max(isqrt(area), *(width for width, _, _ in sizes.values()))
        places, left, top, line = {}, 0, 0, 0
        for key, (width, height, _) in sorted(sizes.items(), key=lambda item: item[1][1]):
            if left + width > wide:
                left, top, line = 0, top + line, 0
            places[key] = left, top
            left, line = left + width, max(line, height)
        groups = []
        for key, shape in shapes.items():
            (left, _), margin = places[key], sizes[key][2]
            corner = zip(places[key], (shape[X], shape[Y]), strict=True)
            at = [place + margin + part / _SUBPIXELS for place, part in corner]
            alone = shape.copy()
            alone[[X, Y]] = 0
            element = elements(self._drawing, np.append(alone, -1)[None], self._theme)[0]
            groups.append(f'<g transform="translate({at[0]:g} {at[1]:g}) scale({self._scale:g})">{element}</g>')
        image = rasterised(
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{top + line}" '
            f'font-family="{lettering.FAMILY}"><style>{stylesheet(self._drawing, self._theme)}</style>'
            f"{''.join(groups)}</svg>"
        )
        for key, (width, height, margin) in sizes.items():
            x, y = places[key]
            pixels = image.crop((x, y, x + width, y + height))
            self._shapes[key] = _Shape(pixels, (-margin, -margin, width - margin, height - margin))

    def _extent(self, shape: Any) -> tuple[int, int, int]:
        """Return the width and height in pixels of a shape with its margin, and the margin.

        Half of a line lies outside the box, and letters reach a little below it.
        """
        margin = int(max(3, shape[H] * 0.3 if shape[KIND] >= MIDDLE else 0) * self._scale) + 2
        width, height = (int(side * self._scale) + 2 * margin + 1 for side in (shape[W], shape[H]))
        return width, height, margin


def merged(boxes: list[Box]) -> list[Box]:
    """Merge overlapping boxes."""
    result: list[Box] = []
    for box in boxes:
        left, top, right, bottom = box
        for other in result.copy():
            x, y, x_end, y_end = other
            if x < right and left < x_end and y < bottom and top < y_end:
                result.remove(other)
                left, top, right, bottom = min(left, x), min(top, y), max(right, x_end), max(bottom, y_end)
        result.append((left, top, right, bottom))
    return result


@lru_cache(maxsize=8)
def painter(drawing: Drawing, players: int, theme: str = "light", width: int | None = None) -> Painter:
    """Return the cached painter of a drawing; arguments as in `Painter`."""
    return Painter(drawing, players, theme, width)


# A child of a fork starts with its own painters: another thread may have been painting with these.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=painter.cache_clear)
