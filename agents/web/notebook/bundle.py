"""The page's modules and style sheets for a widget: one module of JavaScript, one sheet for a shadow root.

A widget is given a single text of JavaScript.  The page's modules keep to the plainest part of the language's modules
(named imports and exports, each at the beginning of a line), so they are joined here: every module becomes a function
that is called once, in the order of the imports, and gives its exports.  Whatever else a module does with ``import``
and ``export`` is refused, so that nothing is joined wrongly without a word.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";[ \t]*$', re.MULTILINE)
_EXPORT: Final = re.compile(
    r"^export (?:(?:async )?function\*? (\w+)|class (\w+)|const (\w+)|const \[([\w, ]+)\])", re.MULTILINE
)
#: What is left of imports and exports that the above do not know; comments import types.
_OTHER: Final = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.MULTILINE)
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


def joined(entry: Path) -> str:
    """A module with all that it imports as one module, whose default export is an object of the entry's exports.

    Raises:
        ValueError: a module imports or exports in a form that is not known here, or modules import each other in a
            circle; the message names it.
    """
    names: dict[Path, str] = {}
    parts: list[str] = []
    _join(entry.resolve(), names, parts, ())
    return "\n".join([*parts, f"export default {names[entry.resolve()]};", ""])


def _join(path: Path, names: dict[Path, str], parts: list[str], above: tuple[Path, ...]) -> None:
    """Append a module, after those that it imports, to `parts`, and its name to `names`."""
    if path in above:
        raise ValueError(f"{path.name}: it imports itself, by way of {', '.join(one.name for one in above)}")
    if path in names:
        return
    text = path.read_text(encoding="utf-8")
    for found in _IMPORT.finditer(text):
        _join((path.parent / found[2]).resolve(), names, parts, (*above, path))

    def bound(found: re.Match[str]) -> str:
        taken = found[1].replace(" as ", ": ")
        return f"const {{{taken}}} = {names[(path.parent / found[2]).resolve()]};"

    given = [name.strip() for one in _EXPORT.finditer(text) for name in next(filter(None, one.groups())).split(",")]
    body = _EXPORT.sub(lambda one: one[0].removeprefix("export "), _IMPORT.sub(bound, text))
    if other := _OTHER.search(_COMMENT.sub("", body)):
        raise ValueError(f"{path.name}: {other[0].strip()!r} cannot be joined; named imports and exports can")
    names[path] = f"module_{len(names)}"
    parts.append(f"// {path.name}\nconst {names[path]} = (() => {{\n{body}\nreturn {{ {', '.join(given)} }};\n}})();")


def scoped(sheet: str) -> str:
    """A style sheet of the page for a shadow root: the host stands for the page, its width for the window's.

    The page chooses its layout by the window, a widget by the room that its cell has.
    """
    sheet = sheet.replace(':root[data-theme="dark"]', ':host([data-theme="dark"])').replace(":root", ":host")
    sheet = re.sub(r"@media (\((?:min|max)-width:)", r"@container \1", sheet)
    return re.sub(r"^body\b", ":host", sheet, flags=re.MULTILINE)
