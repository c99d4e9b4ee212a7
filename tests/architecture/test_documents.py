"""The documents: their code runs, their tables are up to date, their links, options and files exist."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from porta_nigra_env.games import GAMES
from tests.architecture.sources import ROOT
from tests.architecture.spans import exists, named_files, named_options, pages, program_options, repository_files
from tests.architecture.tables import PAGES, generated

#: An option of every program, and one of a command of verifiers.
OTHER_OPTIONS = {"help", "env.seat1.model"}
#: A file of CleanRL.
OTHER_FILES = {"ppo.py"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_generated_tables_are_up_to_date(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert "<!-- generated: " in page
    assert page == generated(path), "run `make docs`"


@pytest.mark.parametrize(
    "page",
    ["README.md", *(f"docs/{name}.md" for name in GAMES), "docs/agents.md", "docs/environments.md", "docs/package.md"],
)
def test_code_in_documents_runs(page: str) -> None:
    # The code below "Other libraries" is run by `benchmarks.clients`.
    text = (ROOT / page).read_text(encoding="utf-8").partition("\n## Other libraries\n")[0]
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
    assert blocks


def test_code_in_the_readme_has_types(tmp_path: Path) -> None:
    """It passes ``mypy --strict``, with the options and the cache of ``make check``."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    plain = [
        "".join(one.source for one in doctest.DocTestParser().get_examples(block)) if ">>>" in block else block
        for block in blocks
    ]
    future = "from __future__ import annotations\n"
    program = tmp_path / "copied_from_readme.py"
    program.write_text(future + "\n".join(plain).replace(future, ""), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stdout


def test_documents_name_only_make_targets_that_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        named = set(re.findall(r"`make ([a-z-]+)`", page.read_text(encoding="utf-8")))
        assert named <= targets, f"{page.name}: {named - targets}"


def test_pictures_of_documents_exist_are_small_and_described() -> None:
    """The README shows the page as well as a board; pictures that no document shows are removed."""
    shown = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        images = re.findall(r'<img [^>]*src="([^"]+)"[^>]*?(?: alt="([^"]*)")?>', text)
        images += [(path, alt) for alt, path in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", text)]
        assert [path for path, alt in images if len(alt) < 10] == [], page.name
        found = {(page.parent / path).resolve() for path in re.findall(r'srcset="([^"]+)"', text)}
        found |= {(page.parent / path).resolve() for path, _ in images}
        assert page.name != "README.md" or any(path.parent.name == "screens" for path in found)
        shown |= found
    assert [path for path in shown if not path.is_file()] == []
    screens = set((ROOT / "docs" / "screens").iterdir())
    assert screens <= shown
    assert [path for path in screens if path.stat().st_size >= 150_000] == []


def test_links_in_documents_have_targets() -> None:
    for page in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_documents_name_only_options_that_exist() -> None:
    known, unknown = program_options(), set()
    assert {"env-device", "no-cuda-graphs", "compile", "leak-seed", "hours"} <= known
    assert not {"games-on", "no-graphs"} & known
    for page in pages():
        for name in named_options(page.read_text(encoding="utf-8")):
            # Options of options, such as --ppo.start, are two of them.
            if not set(name.split(".")) <= known:
                unknown.add(name)
                assert name in OTHER_OPTIONS, f"{page.name}: no program has --{name}"
    assert unknown == OTHER_OPTIONS


def test_documents_name_only_files_that_exist() -> None:
    """Paths start at the root or at a package."""
    known = repository_files()
    for page in pages():
        named = named_files(page.read_text(encoding="utf-8")) - OTHER_FILES
        missing = {path for path in named if not exists(path, known)}
        assert not missing, f"{page.name}: {missing}"


@pytest.mark.parametrize(
    ("text", "options", "paths"),
    [
        ("`ppo --games-on gpu` and `--no-graphs`", {"games-on", "no-graphs"}, set()),
        ("`python -m a\n   --ppo.start FILE`, `--ppo.OPTION`, --plain", {"ppo.start"}, set()),
        ("`mypy --strict`, `x--y`\n```\nrun --block a.py\n```\n`--after`", {"after"}, set()),
        ("`envs/a.py`, `a.py:3`, `run my_box.toml --out b.md`, `b.txt`", {"out"}, {"envs/a.py", "b.md"}),
    ],
)
def test_options_and_files_are_found(text: str, options: set[str], paths: set[str]) -> None:
    assert (named_options(text), named_files(text)) == (options, paths)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("envs/batch.py", True),
        ("batch.py", True),
        ("atch.py", False),
        ("envs/snapshots.py", False),
        ("batch_py", False),
        ("games/<game>/state.py", True),
        ("games/<game>/rules/state.py", False),
        ("agents/GAME/*.toml", True),
        ("agents/GAME/state.toml", False),
        ("NN_*.py", True),
    ],
)
def test_files_are_looked_up(path: str, found: bool) -> None:
    known = "README.md\np/envs/batch.py\np/games/dice/state.py\nagents/dice/levels.toml\nnotebooks/01_a.py"
    assert exists(path, known) == found
