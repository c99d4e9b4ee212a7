"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from porta_nigra_env.games.porta_nigra.components import schema
from porta_nigra_env.games.porta_nigra.state import STATE
from tests.architecture.tables import PAGES, generated

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "porta_nigra_env"
KERNEL = sorted((PACKAGE / "games" / "porta_nigra" / "kernel").glob("*.py"))
SOURCES = sorted(
    path
    for folder in ("porta_nigra_env", "agents", "training", "tests", "benchmarks")
    for path in (ROOT / folder).rglob("*.py")
)


def test_every_ruling_is_cited_by_a_test() -> None:
    cited = set()
    for path in (ROOT / "tests" / "games" / "porta_nigra" / "rules").glob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                cited.update(
                    re.findall(r"\bR(\d+)\b", f"{node.name.replace('_', ' ')} {ast.get_docstring(node) or ''}")
                )
    assert {str(number) for number in range(1, 37)} <= cited


def test_every_ruling_is_stated_in_the_rules() -> None:
    rules = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    missing = [number for number in range(1, 37) if f"**R{number}**" not in rules]
    assert not missing


def test_the_state_has_no_padding_and_widths_fall() -> None:
    fields = STATE.fields
    assert fields is not None
    assert sum(dtype.itemsize for dtype, *_ in fields.values()) == STATE.itemsize
    widths = [dtype.base.itemsize for dtype, *_ in fields.values()]
    assert widths == sorted(widths, reverse=True)
    assert STATE.itemsize % 8 == 0, "rows of a batch must stay aligned"


def test_a_state_is_small() -> None:
    assert STATE.itemsize <= 512


def test_kernel_arithmetic_is_signed() -> None:
    # numba turns a mix of uint64 and int64 into float64 without a word.
    for dtype in (STATE, schema.TABLES):
        assert dtype.fields is not None
        kinds = {name: field.base.kind for name, (field, *_) in dtype.fields.items() if name != "digest"}
        assert set(kinds.values()) == {"i"}, kinds


@pytest.mark.parametrize("path", KERNEL, ids=lambda path: path.stem)
def test_kernel_functions_neither_raise_nor_allocate(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    compiled = [
        node
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark) == "jit" for mark in node.decorator_list)
    ]
    for function in compiled:
        assert ast.get_docstring(function), f"{function.name} has no docstring"
        for node in ast.walk(function):
            forbidden = ast.Raise | ast.Try | ast.With | ast.List | ast.Dict | ast.Set | ast.ListComp | ast.Assert
            assert not isinstance(node, forbidden), f"{path.name}: {function.name} line {node.lineno}"
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np."):
                assert ast.unparse(node.func) == "np.uint64", f"{path.name}: {function.name} allocates"


@pytest.mark.parametrize("path", KERNEL, ids=lambda path: path.stem)
def test_no_action_id_or_number_of_the_game_is_written_in_the_kernel(path: Path) -> None:
    # Small integers are indices and bits; anything larger would be a price, an id or a deck size typed by hand.
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and type(node.value) is int:
            assert node.value <= 12, f"{path.name} line {node.lineno}: {node.value}"


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert not [path for path in SOURCES if path.stem in {"utils", "helpers", "common", "misc"}]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_generated_tables_are_up_to_date(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "<!-- generated: " in page
    assert page == generated(page), "run `make docs`"


@pytest.mark.parametrize(
    "page", ["README.md", "docs/porta_nigra.md", "docs/scaling.md", "docs/agents.md", "CONTRIBUTING.md"]
)
def test_code_in_documents_runs(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        if ">>>" in block:
            test = doctest.DocTestParser().get_doctest(block, names, page, page, 0)
            result = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(test)
            assert result.failed == 0
            names.update(test.globs)
        else:
            exec(compile(block, page, "exec"), names)
    assert blocks or page == "CONTRIBUTING.md"


def test_documents_name_only_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        named = set(re.findall(r"`make ([a-z-]+)`", page.read_text(encoding="utf-8")))
        assert named <= targets, f"{page.name}: {named - targets}"


def test_links_in_documents_lead_somewhere() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_import_is_light() -> None:
    program = "import sys, porta_nigra_env; from porta_nigra_env import State; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == "False"
