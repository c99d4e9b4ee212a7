"""Join the page's modules and style sheets for a widget: one JavaScript module, one sheet for a shadow root.

A widget takes a single JavaScript text. Every module of the page becomes a function that returns its exports, and is
called once in the order of the imports. Only named imports and exports at the beginning of a line are supported; any
other form raises an error.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";[ \t]*$', re.MULTILINE)
_EXPORT: Final = re.compile(
    r"^export (?:(?:async )?function\*? (\w+)|class (\w+)|const (\w+)|const \[([\w, ]+)\])", re.MULTILINE
)
#: All other imports and exports outside comments, which import types.
_OTHER: Final = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


def joined(entry: Path) -> str:
    """Return a module with all its imports as one module; its default export holds the entry's exports.

    Raises:
        ValueError: a module has an unsupported import or export, or modules import each other in a circle.
    """
    names: dict[Path, str] = {}
    parts: list[str] = []
    _join(entry.resolve(), names, parts, ())
    return "\n".join([*parts, f"export default {names[entry.resolve()]};", ""])


def _join(path: Path, names: dict[Path, str], parts: list[str], above: tuple[Path, ...]) -> None:
    """Append a module, after those that it imports, to `parts`, and its name to `names`."""
    if path in above:
        raise ValueError(f"{path.name}: it imports itself through {', '.join(module.name for module in above)}")
    if path in names:
        return
    text = path.read_text(encoding="utf-8")
    for match in _IMPORT.finditer(text):
        _join((path.parent / match[2]).resolve(), names, parts, (*above, path))

    def destructure(match: re.Match[str]) -> str:
        bindings = match[1].replace(" as ", ": ")
        return f"const {{{bindings}}} = {names[(path.parent / match[2]).resolve()]};"

    exported = [name.strip() for one in _EXPORT.finditer(text) for name in next(filter(None, one.groups())).split(",")]
    body = _EXPORT.sub(lambda one: one[0].removeprefix("export "), _IMPORT.sub(destructure, text))
    if other := _OTHER.search(_COMMENT.sub("", body)):
        raise ValueError(f"{path.name}: {other[0].strip()!r} is not supported; use named imports and exports")
    names[path] = f"module_{len(names)}"
    parts.append(
        f"// {path.name}\nconst {names[path]} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();"
    )


def scoped(sheet: str) -> str:
    """Return a style sheet of the page for a shadow root.

    The host replaces the page, and container queries replace media queries: a widget's layout follows its cell.
    """
    sheet = sheet.replace(':root[data-theme="dark"]', ':host([data-theme="dark"])').replace(":root", ":host")
    sheet = re.sub(r"@media (\((?:min|max)-width:)", r"@container \1", sheet)
    return re.sub(r"^body\b", ":host", sheet, flags=re.MULTILINE)
