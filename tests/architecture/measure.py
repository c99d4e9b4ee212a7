"""Measure the size, structure and prose of the repository.

The figures: lines and words, programs, import cycles, the share of `Any` among parameters, lengths of functions, and
the English of `tests.architecture.prose`.
"""

from __future__ import annotations

import ast
import statistics
import subprocess
from collections.abc import Iterable, Iterator
from json import dumps
from pathlib import Path
from typing import Final

import grimp
import networkx

from tests.architecture.prose import ROOT, document_prose, documents, python_prose, sources, summary

#: Folders of sources; tests are counted apart.
PRODUCTION: Final = ("porta_nigra_env", "agents", "training", "benchmarks", "notebooks")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def line_count(paths: Iterable[Path]) -> int:
    """Return the number of lines of some files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def programs() -> list[str]:
    """Return the modules that run as a program: ``__main__.py``, or a module with a main guard."""
    return [
        str(path.relative_to(ROOT))
        for path in [*sources(*PRODUCTION), *sources("tests")]
        if path.name == "__main__.py" or '\nif __name__ == "__main__":' in path.read_text(encoding="utf-8")
    ]


def functions(paths: Iterable[Path]) -> Iterator[Function]:
    """Yield all functions and methods of some files."""
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, Function):
                yield node


def any_share(paths: Iterable[Path]) -> float:
    """Return the share of parameters annotated with a bare `Any`, in percent; `self` and `cls` do not count."""
    annotations = [
        None if argument.annotation is None else ast.unparse(argument.annotation)
        for function in functions(paths)
        for argument in [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        if argument.arg not in ("self", "cls")
    ]
    return 100 * sum(one == "Any" for one in annotations) / len(annotations)


def function_p95(paths: Iterable[Path]) -> float:
    """Return the 95th percentile of the lengths of functions in lines, docstrings included."""
    lengths = [(node.end_lineno or node.lineno) - node.lineno + 1 for node in functions(paths)]
    return statistics.quantiles(lengths, n=20)[-1]


def untyped_returns(paths: Iterable[Path]) -> int:
    """Return the number of functions without a return type."""
    return sum(node.returns is None for node in functions(paths))


def import_cycles() -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others, type checking included."""
    graph = grimp.build_graph("porta_nigra_env", "agents", "training", "benchmarks", cache_dir=None)
    edges = [(name, other) for name in graph.modules for other in graph.find_modules_directly_imported_by(name)]
    found = networkx.strongly_connected_components(networkx.DiGraph(edges))
    return sorted(sorted(group) for group in found if len(group) > 1)


def figures() -> dict[str, float]:
    """Return all figures by name."""
    code, tests, pages = sources(*PRODUCTION), sources("tests"), documents()
    package = sources("porta_nigra_env")
    python = summary(one for path in [*code, *tests] for one in python_prose(path))
    prose = summary(one for path in pages for one in document_prose(path))
    words = python["words"] + prose["words"]
    fused = (python["fused_per_10k"] * python["words"] + prose["fused_per_10k"] * prose["words"]) / words
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return {
        "source files": len(code),
        "source lines": line_count(code),
        "test lines": line_count(tests),
        "words of Markdown": sum(len(path.read_text(encoding="utf-8").split()) for path in pages),
        "Markdown pages": len(pages),
        "programs": len(programs()),
        "make targets": sum("##" in line and line[0].islower() for line in makefile if line),
        "import cycles": len(import_cycles()),
        "Any, % of the package's parameters": any_share(package),
        "function length p95": function_p95(code),
        "functions without return type": untyped_returns(code),
        "fused relatives per 10,000 words": fused,
        "banned words": python["banned"] + prose["banned"],
        "docstring openers, %": python["openers_percent"],
        "document sentence median": prose["sentence_median"],
        "document sentence p90": prose["sentence_p90"],
    }


def main(json: Path | None = None) -> int:
    """Measure the working tree: size, structure, prose.

    Args:
        json: a file for the figures.
    """
    found = figures()
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False, cwd=ROOT
    )
    print(f"| figure | {commit.stdout.strip()} |\n|---|--:|")
    for name, value in found.items():
        print(f"| {name} | {value:.1f} |" if isinstance(value, float) else f"| {name} | {value} |")
    if json is not None:
        json.write_text(dumps(found, indent=1), encoding="utf-8")
    return 0
