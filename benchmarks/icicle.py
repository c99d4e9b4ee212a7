"""Icicle diagrams of call times as SVG: the width of a box is its time, callers are on top."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from porta_nigra_env.core.files import write_whole

WIDTH, ROW, MARGIN = 1200, 22, 8
#: Minimum width of a box in pixels; narrower ones are omitted.
NARROWEST = 1.0
#: Fill colours by kind.
COLOURS = {"python": "#f2c879", "kernel": "#8fc1a9", "other": "#d5d5d5"}


@dataclass
class Node:
    """A box.

    Attributes:
        name: its label.
        seconds: its time, children included.
        children: boxes below it; the remaining time is its own.
        kind: a key of `COLOURS`.
    """

    name: str
    seconds: float
    children: list[Node] = field(default_factory=list)
    kind: str = "python"

    def depth(self) -> int:
        """Return the number of rows."""
        return 1 + max((child.depth() for child in self.children), default=0)


def icicle(root: Node, title: str) -> str:
    """Return the SVG; the tooltip of a box shows its full name, time and share."""
    height = MARGIN * 2 + ROW * (root.depth() + 1)
    boxes: list[str] = []
    _draw(root, MARGIN, 1, (WIDTH - 2 * MARGIN) / max(root.seconds, 1e-12), root.seconds, boxes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'font-family="monospace" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n'
        f'<text x="{MARGIN}" y="{MARGIN + 12}">{escape(title)}</text>\n' + "\n".join(boxes) + "\n</svg>\n"
    )


def write_icicle(root: Node, title: str, path: Path) -> None:
    """Write the SVG; an existing file is replaced atomically."""
    write_whole(path, icicle(root, title))


def _draw(node: Node, x: float, row: int, scale: float, total: float, boxes: list[str]) -> None:
    width = node.seconds * scale
    if width < NARROWEST:
        return
    y = MARGIN + ROW * row
    share = node.seconds / total if total else 0.0
    letters = int((width - 6) / 7.3)
    label = node.name if len(node.name) <= letters else node.name[: max(letters - 1, 0)] + "…"
    text = f'<text x="{x + 3:.1f}" y="{y + 15}">{escape(label)}</text>' if letters >= 3 else ""
    boxes.append(
        f"<g><title>{escape(node.name)}: {node.seconds * 1e3:.1f} ms, {share:.1%}</title>"
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 1}" fill="{COLOURS[node.kind]}" '
        f'stroke="white"/>{text}</g>'
    )
    for child in sorted(node.children, key=lambda box: -box.seconds):
        _draw(child, x, row + 1, scale, total, boxes)
        x += child.seconds * scale
