"""Rows of a drawing as SVG."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from porta_nigra_env.core.drawing import lettering
from porta_nigra_env.core.drawing.draw_list import (
    ELLIPSE,
    GRID,
    KIND,
    LEFT,
    NOTHING,
    PLACE,
    RECT,
    RIGHT,
    STYLE,
    SYMBOL,
    TEXT,
    Drawing,
    H,
    Rows,
    Style,
    W,
    X,
    Y,
    seen_rows,
)

if TYPE_CHECKING:
    from porta_nigra_env.core.game.state import State

#: Surroundings that a drawing is coloured for.
THEMES: Final = ("light", "dark")


def check_theme(theme: object) -> str | None:
    """`theme` as one of `THEMES`, or None, which follows the reader's settings; ValueError for whatever is none."""
    if theme is None or (isinstance(theme, str) and theme in THEMES):
        return theme
    raise ValueError(f"theme must be None or one of {', '.join(map(repr, THEMES))}, not {theme!r}")


def picture(state: State, view: int | None, theme: str | None, legal: bool) -> str:
    """`State.svg`."""
    drawing = state.game.drawing()
    if drawing is None:
        raise ValueError(f"{state.game.name} is not drawn; its positions are shown as text: state.board()")
    check_theme(theme)
    rows = seen_rows(drawing, state.game, state.states, view)
    # What others may do can depend on what they hide.
    if legal and view in (None, state.current_player):
        rows = np.concatenate([rows, drawing.legal_rows(rows, state.legal_ids().tolist())])
    title = state.game.name.replace("_", " ")
    return document(drawing, rows, drawing.sizes[state.num_players], theme, title)


def document(drawing: Drawing, rows: Rows, size: tuple[int, int], theme: str | None = None, title: str = "") -> str:
    """A whole SVG document, on its own ground.

    Args:
        drawing: what the rows are of.
        rows: as of `Drawing.rows`.
        size: of the canvas.
        theme: one of `THEMES`; None for both, of which the reader's settings choose.
        title: what a screen reader calls the picture.
    """
    width, height = size
    shapes = [f'<rect class="{_class(drawing, theme, "paper")}" width="{width}" height="{height}"/>']
    shapes += elements(drawing, rows, theme)
    lines = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        f'font-family="{lettering.FAMILY}"><title>{escape(title or drawing.name)}</title>\n'
        f"<style>{stylesheet(drawing, theme)}</style>\n{lines}\n</svg>\n"
    )


def stylesheet(drawing: Drawing, theme: str | None) -> str:
    """The classes that `elements` names; of both themes, the reader's settings choose."""
    sheet = "".join(_rule(drawing, theme, name, style, theme == "dark") for name, style in drawing.styles.items())
    if theme is None:
        dark = "".join(_rule(drawing, theme, name, style, True) for name, style in drawing.styles.items())
        sheet += f"@media (prefers-color-scheme: dark){{{dark}}}"
    return sheet


def elements(drawing: Drawing, rows: Rows, theme: str | None) -> list[str]:
    """One element for each row, with the classes of a theme."""
    names, styles = tuple(drawing.styles), drawing.style_list
    found = []
    for row in rows.tolist():
        style = styles[row[STYLE]]
        attributes = f'class="{_class(drawing, theme, names[row[STYLE]])}"'
        inside = ""
        if row[PLACE] != NOTHING:
            name = drawing.place_list[row[PLACE]]
            attributes += f' data-place="{escape(name)}"'
            inside = f"<title>{escape(drawing.places[name])}</title>"
        found.append(_element(drawing, row, style, attributes, inside))
    return found


def _element(drawing: Drawing, row: list[int], style: Style, attributes: str, inside: str) -> str:
    kind, x, y, w, h = row[KIND], row[X], row[Y], row[W], row[H]
    if kind == RECT:
        corners = f' rx="{style.radius}"' if style.radius else ""
        return _closed("rect", f'x="{x}" y="{y}" width="{w}" height="{h}"{corners} {attributes}', inside)
    if kind == ELLIPSE:
        shape = f'cx="{x + w / 2:g}" cy="{y + h / 2:g}" rx="{w / 2:g}" ry="{h / 2:g}"'
        return _closed("ellipse", f"{shape} {attributes}", inside)
    if kind == SYMBOL:
        place = f"translate({x} {y}) scale({w / GRID:g} {h / GRID:g})"
        path = f'd="{drawing.symbol_list[row[TEXT]]}" fill-rule="evenodd" transform="{place}"'
        return _closed("path", f"{path} {attributes}", inside)
    words = drawing.wording(row)
    anchor, left = {LEFT: ("start", x), RIGHT: ("end", x + w)}.get(kind, ("middle", x + w / 2))
    # What is too wide for its box is condensed.
    fit = f' textLength="{w}" lengthAdjust="spacingAndGlyphs"' if lettering.width(words, h, style.bold) > w else ""
    baseline = y + h * lettering.BASELINE / 1000
    place = f'x="{left:g}" y="{baseline:g}" font-size="{h}" text-anchor="{anchor}"{fit}'
    return f"<text {place} {attributes}>{inside}{escape(words)}</text>"


def _closed(tag: str, attributes: str, inside: str) -> str:
    return f"<{tag} {attributes}>{inside}</{tag}>" if inside else f"<{tag} {attributes}/>"


def _class(drawing: Drawing, theme: str | None, style: str) -> str:
    # Style sheets of pictures on one page hold for all of them: each theme of each game has classes of its own.
    return f"{drawing.name}-{theme or 'auto'}-{style}"


def _rule(drawing: Drawing, theme: str | None, name: str, style: Style, dark: bool) -> str:
    colours: dict[str, Any] = {key: drawing.palette[getattr(style, key)][dark] for key in ("fill", "stroke")
                               if getattr(style, key) is not None}  # fmt: skip
    rules = [f"fill:{colours.get('fill', 'none')}"]
    if "stroke" in colours:
        rules.append(f"stroke:{colours['stroke']};stroke-width:{style.width:g}")
        rules += ["stroke-dasharray:6 5"] if style.dash else []
    rules += ["font-weight:bold"] if style.bold else []
    rules += [f"opacity:{style.opacity:g}"] if style.opacity != 1 else []
    return f".{_class(drawing, theme, name)}{{{';'.join(rules)}}}"
