"""The documents: their code runs, their tables are those of the code, their links lead somewhere."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from porta_nigra_env.games import GAMES
from tests.architecture.sources import ROOT
from tests.architecture.tables import PAGES, generated


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_generated_tables_are_up_to_date(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "<!-- generated: " in page
    assert page == generated(path), "run `make docs`"


@pytest.mark.parametrize(
    "page",
    ["README.md", *(f"docs/{name}.md" for name in GAMES), "docs/scaling.md", "docs/agents.md", "CONTRIBUTING.md"],
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
