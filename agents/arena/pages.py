"""Pages as one HTML file each, from templates: no script, no other file or host, colours by the reader's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

#: Templates of tournaments, and the style that all pages share.
TEMPLATES: Final = Path(__file__).with_name("templates")


class Scale(NamedTuple):
    """A linear map from ``low..high`` to ``first..last``."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.first + share * (self.last - self.first), 1)


def pages(folder: Path = TEMPLATES) -> Environment:
    """Return the templates of a folder; they may include those of `TEMPLATES`."""
    return Environment(
        loader=FileSystemLoader([folder, TEMPLATES]),
        autoescape=select_autoescape(["html.j2"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
