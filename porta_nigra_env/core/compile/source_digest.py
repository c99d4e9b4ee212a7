"""Digests of source behaviour, independent of comments, docstrings and line breaks."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path


def source_digest(text: str) -> str:
    """Return the hex SHA-256 of a source's syntax tree without docstrings and ``from __future__`` imports.

    Other imports count: an imported name may be bound to another function.
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not _is_silent(part)] or [ast.Pass()]  # type: ignore[attr-defined]
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()


def _is_silent(node: ast.AST) -> bool:
    """Return True for a statement without effect on results: a standalone string, or an import from the future."""
    if isinstance(node, ast.ImportFrom):
        return node.module == "__future__"
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def source_digests(paths: Iterable[Path]) -> list[str]:
    """Return the digests of files and of all Python files in folders, unique and ascending.

    Files in other languages are hashed byte by byte.
    """
    files = {file.resolve() for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])}
    return sorted(
        source_digest(file.read_text(encoding="utf-8"))
        if file.suffix == ".py"
        else hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    )
