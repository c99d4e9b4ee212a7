"""What sources do, as a digest: comments, line breaks and the places of modules do not count."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path


def source_digest(text: str) -> str:
    """Hex SHA-256 of what a source does: of its syntax tree without imports and docstrings, so that comments, line
    breaks and the places of modules do not count."""
    tree = _Stripped().visit(ast.parse(text))
    return hashlib.sha256(ast.unparse(tree).encode()).hexdigest()


def source_digests(paths: Iterable[Path]) -> list[str]:
    """Those of files, and of all of Python in folders, each once and ascending; in other languages all counts."""
    files = {file.resolve() for path in paths for file in (path.rglob("*.py") if path.is_dir() else [path])}
    return sorted(
        source_digest(file.read_text(encoding="utf-8"))
        if file.suffix == ".py"
        else hashlib.sha256(file.read_bytes()).hexdigest()
        for file in files
    )


class _Stripped(ast.NodeTransformer):
    """Takes imports and texts that stand alone out of a syntax tree."""

    def _nothing(self, node: ast.AST) -> None:
        return None

    visit_Import = visit_ImportFrom = _nothing

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        return None if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str) else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        # A body that was nothing but a docstring.
        if getattr(node, "body", None) == [] and not isinstance(node, ast.Module):
            node.body = [ast.Pass()]  # type: ignore[attr-defined]
        return node
