"""Figures as PNG files."""

from __future__ import annotations

import io

import matplotlib
from matplotlib.figure import Figure

matplotlib.use("Agg")


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, bbox_inches="tight")
    return buffer.getvalue()
