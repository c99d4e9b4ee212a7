"""Draw lists as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, Final

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
)
from porta_nigra_env.core.game.game import Game, States, check_player, copied

#: Colour themes of drawings.
THEMES: Final = ("light", "dark")


def check_theme(theme: object) -> str | None:
    """Return `theme`: one of `THEMES`, or None to follow the settings of the reader.  Raises ValueError otherwise."""
    if theme is None or (isinstance(theme, str) and theme in THEMES):
        return theme
    raise ValueError(f"theme must be None or one of {', '.join(map(repr, THEMES))}, not {theme!r}")


def seen_rows(drawing: Drawing, game: Game, states: States, view: int | None = None, row: int = 0) -> Rows:
    """Return the shapes of ``states[row]`` for the view of a seat, or of the full state; ValueError for no seat."""
    if view is None:
        return drawing.rows(states, row)
    redacted = copied(states[row : row + 1])
    game.kernel.redact(game.constants, redacted, 0, check_player(view, game.num_players))
    return drawing.rows(redacted, 0, view)


def picture(game: Game, states: States, view: int | None, theme: str | None, legal: Sequence[int] | None) -> str:
    """Return the picture of `State.svg`; legal: ids of the actions whose targets are marked."""
    drawing = game.drawing()
    if drawing is None:
        raise ValueError(f"{game.name} is not drawn; its positions are shown as text: state.board()")
    check_theme(theme)
    rows = seen_rows(drawing, game, states, view)
    if legal is not None:
        rows = np.concatenate([rows, drawing.legal_rows(rows, legal)])
    return document(drawing, rows, drawing.sizes[game.num_players], theme, game.name.replace("_", " "))


def document(drawing: Drawing, rows: Rows, size: tuple[int, int], theme: str | None = None, title: str = "") -> str:
    """Return a complete SVG document with a background.

    Args:
        drawing: drawing of the game.
        rows: result of `Drawing.rows`.
        size: width and height of the canvas.
        theme: one of `THEMES`; None to follow the settings of the reader.
        title: title for screen readers.
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
    """Return the classes of `elements`; without a theme, the settings of the reader choose one."""
    sheet = "".join(_rule(drawing, theme, name, style, theme == "dark") for name, style in drawing.styles.items())
    if theme is None:
        dark = "".join(_rule(drawing, theme, name, style, True) for name, style in drawing.styles.items())
        sheet += f"@media (prefers-color-scheme: dark){{{dark}}}"
    return sheet


def elements(drawing: Drawing, rows: Rows, theme: str | None) -> list[str]:
    """Return one element for each row, with the classes of a theme."""
    names, styles = tuple(drawing.styles), drawing.style_list
    result = []
    for row in rows.tolist():
        style = styles[row[STYLE]]
        attributes = f'class="{_class(drawing, theme, names[row[STYLE]])}"'
        inside = ""
        if row[PLACE] != NOTHING:
            name = drawing.place_list[row[PLACE]]
            attributes += f' data-place="{escape(name)}"'
            inside = f"<title>{escape(drawing.places[name])}</title>"
        result.append(_element(drawing, row, style, attributes, inside))
    return result


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
    # Text that is too wide for its box is condensed.
    fit = f' textLength="{w}" lengthAdjust="spacingAndGlyphs"' if lettering.width(words, h, style.bold) > w else ""
    baseline = y + h * lettering.BASELINE / 1000
    place = f'x="{left:g}" y="{baseline:g}" font-size="{h}" text-anchor="{anchor}"{fit}'
    return f"<text {place} {attributes}>{inside}{escape(words)}</text>"


def _closed(tag: str, attributes: str, inside: str) -> str:
    return f"<{tag} {attributes}>{inside}</{tag}>" if inside else f"<{tag} {attributes}/>"


def _class(drawing: Drawing, theme: str | None, style: str) -> str:
    # Style sheets apply to all pictures of a page, so each theme of each game has separate classes.
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
