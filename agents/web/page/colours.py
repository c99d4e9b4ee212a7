"""The colours of a game's drawing as a style sheet: one class a style, for light and dark surroundings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def stylesheet(drawing: Mapping[str, Any]) -> str:
    """The style sheet of a drawing.

    Args:
        drawing: the manifest of a `porta_nigra_env.core.drawing.draw_list.Drawing`.

    Returns:
        Rules for elements of the classes ``d-<style>`` inside one of the class ``board-<name>``.
    """
    board, palette = f".board-{drawing['name']}", drawing["palette"]
    light, dark = ("".join(f"--d-{name}:{pair[i]};" for name, pair in palette.items()) for i in range(2))
    lines = [
        f"{board}{{{light}font-family:{drawing['font']['family']}}}",
        f':root[data-theme="dark"] {board}{{{dark}}}',
        *(f"{board} .d-{style['name']}{{{_rules(style)}}}" for style in drawing["styles"]),
    ]
    return "\n".join(lines) + "\n"


def _rules(style: Mapping[str, Any]) -> str:
    rules = [f"fill:{_colour(style['fill'])}"]
    if style["stroke"] is not None:
        rules.append(f"stroke:{_colour(style['stroke'])};stroke-width:{style['width']:g}")
        rules += ["stroke-dasharray:6 5"] if style["dash"] else []
    rules += ["font-weight:bold"] if style["bold"] else []
    rules += [f"opacity:{style['opacity']:g}"] if style["opacity"] != 1 else []
    return ";".join(rules)


def _colour(name: str | None) -> str:
    return "none" if name is None else f"var(--d-{name})"
