"""Drawings as pixels: every shape is rasterised once, by resvg, and pasted wherever it stands.

A whole SVG document takes resvg longer than a film of a game may wait.  Most shapes stand in many places, and from one
position to the next most of them stay: a painter keeps the pixels of each shape, and of the last picture what has not
changed.
"""

from __future__ import annotations

import io
from functools import lru_cache
from math import isqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.drawing import lettering
from porta_nigra_env.core.drawing.draw_list import KIND, MIDDLE, PLACE, Drawing, H, Rows, W, X, Y
from porta_nigra_env.core.drawing.svg import elements, stylesheet

Picture = npt.NDArray[np.uint8]
Box = tuple[int, int, int, int]  # left, top, right, bottom, in pixels

#: So many rows are kept before a painter begins anew; a game needs a few thousand.
_KEPT: Final = 20_000
#: Where a shape lies between two pixels is told in so many parts of one.
_PARTS: Final = 8


def rasterised(svg: str) -> Any:
    """An SVG document as an image of Pillow, lettered with the font of the package.

    Raises:
        ImportError: Pillow or resvg-py is not installed; the message says how to.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            f"{error}: pictures are made with Pillow and resvg-py; pip install 'porta-nigra-env[render]'"
        ) from error
    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=list(lettering.FILES))
    return Image.open(io.BytesIO(png))


class _Shape(NamedTuple):
    """The pixels of a shape, with their transparency, and where they are."""

    image: Any
    box: Box


class Painter:
    """Makes pictures of one drawing.

    Args:
        drawing: what is painted.
        players: how many play, which says how large the canvas is.
        theme: "light" or "dark".
        width: of the pictures, in pixels; by default that of the canvas.
    """

    def __init__(self, drawing: Drawing, players: int, theme: str = "light", width: int | None = None) -> None:
        columns, lines = drawing.sizes[players]
        self._drawing, self._theme = drawing, theme
        self._scale = 1.0 if width is None else width / columns
        self._paper = drawing.palette[drawing.styles["paper"].fill or "paper"][theme == "dark"]
        self._size = round(columns * self._scale), round(lines * self._scale)
        self._begin()

    def _begin(self) -> None:
        """An empty picture, of the colour of the paper, and no shapes."""
        self._picture: Picture = np.empty((*self._size[::-1], 3), dtype=np.uint8)
        self._picture[:] = list(bytes.fromhex(self._paper[1:]))
        self._shown: set[bytes] = set()
        #: Shapes by the bytes of their rows, first as if they stood at the corner of the canvas, then where they stand.
        self._shapes: dict[bytes, _Shape] = {}
        self._placed: dict[bytes, int] = {}
        #: Of the rows that are placed, by the number of each; the array has space for more.
        self._images: list[Any] = []
        self._boxes = np.empty((1024, 4), dtype=np.int32)

    def paint(self, rows: Rows) -> Picture:
        """The picture of the rows of a drawing, uint8 (height, width, 3); ImportError as of `rasterised`."""
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
        if len(self._placed) > _KEPT:
            self._begin()
        return picture

    def _repaint(self, box: Box, placed: npt.NDArray[np.int64], boxes: npt.NDArray[np.int32]) -> None:
        """Paint a part of the picture anew; its rows, and the boxes of these."""
        from PIL import Image

        left, top, right, bottom = (
            max(box[0], 0),
            max(box[1], 0),
            min(box[2], self._size[0]),
            min(box[3], self._size[1]),
        )
        if left >= right or top >= bottom:
            return
        part = Image.new("RGB", (right - left, bottom - top), self._paper)
        across, down = (boxes[:, 0] < right) & (boxes[:, 2] > left), (boxes[:, 1] < bottom) & (boxes[:, 3] > top)
        there = across & down
        for number, (x, y) in zip(placed[there].tolist(), (boxes[there, :2] - (left, top)).tolist(), strict=True):
            image = self._images[number]
            part.paste(image, (x, y), image)
        self._picture[top:bottom, left:right] = np.asarray(part)

    def _place(self, keys: list[bytes], rows: npt.NDArray[np.int32]) -> None:
        """Learn where the pixels of new rows are."""
        corners = rows[:, [X, Y]] * self._scale
        whole = np.floor(corners).astype(np.int32)
        # A shape elsewhere has the same pixels if it lies in the same way between them.
        alone = rows.copy()
        alone[:, [X, Y]] = (corners - whole) * _PARTS
        shapes = [shape.tobytes() for shape in alone]
        self._learn({key: shape for key, shape in zip(shapes, alone, strict=True) if key not in self._shapes})
        for key, shape, (x, y) in zip(keys, shapes, whole.tolist(), strict=True):
            image, (left, top, right, bottom) = self._shapes[shape]
            number = self._placed[key] = len(self._images)
            self._images.append(image)
            if number == len(self._boxes):
                self._boxes = np.concatenate([self._boxes, np.empty_like(self._boxes)])
            self._boxes[number] = left + x, top + y, right + x, bottom + y

    def _learn(self, shapes: dict[bytes, Any]) -> None:
        """Rasterise shapes, all of them on one sheet, and keep their pixels."""
        if not shapes:
            return
        sizes = {key: self._extent(shape) for key, shape in shapes.items()}
        wide = max(
            isqrt(sum(width * height for width, height, _ in sizes.values())), *(one[0] for one in sizes.values())
        )
        places, left, top, line = {}, 0, 0, 0
        for key, (width, height, _) in sorted(sizes.items(), key=lambda item: item[1][1]):
            if left + width > wide:
                left, top, line = 0, top + line, 0
            places[key] = left, top
            left, line = left + width, max(line, height)
        groups = []
        for key, shape in shapes.items():
            (left, _), margin = places[key], sizes[key][2]
            at = [place + margin + part / _PARTS for place, part in zip(places[key], (shape[X], shape[Y]), strict=True)]
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
        """Width and height in pixels of what a shape may touch, and its margin: lines lie half outside its box, and
        letters reach a little below."""
        margin = int(max(3, shape[H] * 0.3 if shape[KIND] >= MIDDLE else 0) * self._scale) + 2
        width, height = (int(side * self._scale) + 2 * margin + 1 for side in (shape[W], shape[H]))
        return width, height, margin


def merged(boxes: list[Box]) -> list[Box]:
    """Boxes that cover the same, those that overlap as one."""
    found: list[Box] = []
    for box in boxes:
        left, top, right, bottom = box
        for other in found.copy():
            x, y, x_end, y_end = other
            if x < right and left < x_end and y < bottom and top < y_end:
                found.remove(other)
                left, top, right, bottom = min(left, x), min(top, y), max(right, x_end), max(bottom, y_end)
        found.append((left, top, right, bottom))
    return found


@lru_cache(maxsize=8)
def painter(drawing: Drawing, players: int, theme: str = "light", width: int | None = None) -> Painter:
    """The painter of a drawing, kept for the next picture; arguments as of `Painter`."""
    return Painter(drawing, players, theme, width)
