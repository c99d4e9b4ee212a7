"""Digests of source behaviour, independent of comments, line breaks and module paths."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path


def source_digest(text: str) -> str:
    """Return the hex SHA-256 of a source's syntax tree without imports and docstrings.

    Comments, line breaks and module paths do not change it.
    """
    tree = _Stripped().visit(ast.parse(text))
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()


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


class _Stripped(ast.NodeTransformer):
    """Remove imports and standalone strings from a syntax tree."""

    def _nothing(self, node: ast.AST) -> None:
        return None

    visit_Import = visit_ImportFrom = _nothing

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        # The body was only a docstring.
        if getattr(node, "body", None) == [] and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node
