"""Code spans of the documents: the options and the files that they name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.architecture.prose import documents
from tests.architecture.sources import PRODUCTION, ROOT, files

#: Documents about earlier versions, whose options and files need not exist.
HISTORIES: Final = {ROOT / "CHANGELOG.md", ROOT / "training" / "LOG.md"}
#: Begin the commands of other projects.
FOREIGN: Final = ("mypy ", "openenv ", "tensorboard ", ".venv-ray/bin/ray ")
_OPTION: Final = re.compile(r"(?<!\S)--([a-z][a-z0-9.-]*)(?![\w.-])")
#: A declaration of options that can be in a source; parsing all sources takes seconds.
_DECLARED: Final = re.compile(r'[^:\s]\s*\n    """\w|subcommand_cli_from_dict|addoption')
_FILE: Final = re.compile(r"[\w<>*./-]+\.(?:md|py|toml)")
#: Stand for the name of a game, and for a number.
_PLACEHOLDER: Final = re.compile(r"<game>|\bGAME\b|\bNN(?=_)")


def pages() -> list[Path]:
    """Return the documents about this version."""
    return [page for page in documents() if page not in HISTORIES]


def spans(text: str) -> list[str]:
    """Return the code spans of a Markdown text without its blocks of code."""
    return re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


# -- options


def named_options(text: str) -> set[str]:
    """Return the options in the code spans of a text, without `--`; capital letters are placeholders."""
    return {name for span in spans(text) if not span.startswith(FOREIGN) for name in _OPTION.findall(span)}


def program_options() -> set[str]:
    """Return the options of all programs, without `--`, as their sources declare them."""
    return {
        name.replace("_", "-")
        for path in files(*PRODUCTION, "tests", "notebooks")
        if not path.name.startswith("test_")
        for name in declared_options(path.read_text(encoding="utf-8"))
    }


def declared_options(source: str) -> Iterator[str]:
    """Yield the fields with a docstring, the parameters of subcommands, and the options for pytest of a source."""
    for node in ast.walk(ast.parse(source)) if _DECLARED.search(source) else ():
        if isinstance(node, ast.ClassDef):
            yield from _fields(node)
        elif isinstance(node, ast.FunctionDef) and "subcommand_cli_from_dict" in source:
            yield from (one.arg for one in (*node.args.args, *node.args.kwonlyargs))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "addoption":
            yield ast.literal_eval(node.args[0]).removeprefix("--")


def _fields(node: ast.ClassDef) -> Iterator[str]:
    """Yield the fields of a class that a docstring follows; `no_NAME`, too, for truth values."""
    for field, text in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
            and "Positional" not in ast.unparse(field.annotation)
        ):
            name = ast.unparse(field.target)
            yield from (name, f"no_{name}") if ast.unparse(field.annotation) == "bool" else (name,)


# -- files


def named_files(text: str) -> set[str]:
    """Return the paths of documents, sources and TOML files in the code spans of a text, without files of the reader.

    Those have names with `my_`.
    """
    words = {word for span in spans(text) for word in span.split() if _FILE.fullmatch(word)}
    return {word for word in words if not word.startswith("my_")}


def repository_files() -> str:
    """Return the paths of all files that documents may name, a line each."""
    folders = (*PRODUCTION, "docs", "hubs", "notebooks", "tests")
    found = [*ROOT.iterdir(), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
    return "\n".join(str(path.relative_to(ROOT)) for path in found if _FILE.fullmatch(path.name))


def exists(path: str, known: str) -> bool:
    """Return whether a path, from the root or from a package, is in the list `known` (`repository_files`)."""
    pattern = re.escape(_PLACEHOLDER.sub("*", path)).replace(r"\*", "[^/\n]+")
    return re.search(rf"^(?:.*/)?{pattern}$", known, re.MULTILINE) is not None
