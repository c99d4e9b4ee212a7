"""Configuration of the documentation site: `make site` builds it from the pages and docstrings of the checkout."""

from __future__ import annotations

import ast
import os
import re
import sys
import typing
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from textwrap import indent
from types import ModuleType
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
# Interpreted kernel functions have signatures and docstrings; compiled ones are opaque objects.
os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_ENABLE_CUDASIM": "1"}

import sphinx.util.inspect
import sphinx.util.typing
from docutils.nodes import Element, TextElement
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

from agents.web.page.site import Site
from porta_nigra_env import __version__
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.games import GAMES

PACKAGES: Final = ("porta_nigra_env", "agents", "training")
API: Final = ROOT / "docs" / "api"
#: Pages with other pages below them: captions, and patterns of names.
TREE: Final = {
    "README": {
        "Games": [f"docs/{game}" for game in GAMES],
        "Tutorials": ["notebooks/README", "docs/api/ppo_single"],
        "Guides": [
            *(f"docs/{page}" for page in ("environments", "agents", "game_analysis", "seats", "web")),
            "training/README",
        ],
        "Reference": ["docs/api/index", "docs/speed", "docs/verification", "docs/glossary"],
        "Project": ["docs/architecture", "docs/adding_a_game", "CONTRIBUTING", "SECURITY", "CHANGELOG"],
    },
    "notebooks/README": {"": ["notebooks/[0-9]*"]},
    "training/README": {"": ["training/LOG"]},
}
FRAME: Final = """
<style>.game {{ width: 100%; height: min(56rem, 92vh); border: 1px solid var(--color-background-border); }}</style>
<iframe class="game" src="../play/{game}/index.html" title="{title}, playable" allow="fullscreen"></iframe>
<p><a href="../play/{game}/index.html">Full window</a></p>
"""

project = "porta-nigra-env"
author = "the porta-nigra-env maintainers"
release = version = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "README"
include_patterns = ["*.md", "docs/**", "notebooks/*", "training/*.md", "porta_nigra_env/games/**.md"]
# Two pages repeat others, for package indexes and for coding agents.
exclude_patterns = [".*", "build", "results", "runs", "tables", "tests", "AGENTS.md", "docs/package.md"]
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb", ".rst": "restructuredtext"}

myst_enable_extensions = ["html_image"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # no scripts of other hosts

autodoc_default_options = {"members": True, "show-inheritance": True}
autodoc_member_order = "bysource"
autodoc_mock_imports = ["ray"]
maximum_signature_line_length = 88
napoleon_numpy_docstring = False
napoleon_use_rtype = False
default_role = "py:obj"
nitpicky = True
nitpick_ignore_regex = [("py:obj", r".*\.(W|Subject)")]  # type variables of base classes

html_theme = "furo"
html_title = project
html_favicon = "../agents/web/page/static/icon.svg"
html_copy_source = False
html_show_copyright = False


def unevaluated(*_: Any, **__: Any) -> typing.NoReturn:
    """Refuse, so that Sphinx keeps annotations as they are written: evaluated aliases fill whole lines."""
    raise NameError


_typing = ModuleType("typing")
_typing.__dict__.update(typing.__dict__, get_type_hints=unevaluated)
sphinx.util.inspect.typing = sphinx.util.typing.typing = _typing  # type: ignore[attr-defined]


def sources() -> Iterator[tuple[str, ast.Module]]:
    """Yield the name and the source of every public module, packages first."""
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    for path in sorted(paths, key=lambda path: (path.name != "__init__.py", path)):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        # A door imports a library that is not installed here; docs/seats.md describes it.
        if "._" not in name and not name.endswith("_door"):
            yield name, ast.parse(path.read_text(encoding="utf-8"))


def write_api(_: Sphinx) -> None:
    """Write a page for every public package, with the docstrings of its modules, and one with the PPO program."""
    source = ".. literalinclude:: ../../training/ppo_single.py"
    pages = {
        "index": "API reference\n=============\n",
        "ppo_single": f"Self-play PPO in one file\n=========================\n\n{source}\n",
    }
    for name, tree in sources():
        parent = name.rpartition(".")[0] or "index"
        if (ROOT / name.replace(".", "/")).is_dir():
            summary = indent((ast.get_docstring(tree) or "").partition("\n\n")[0], "   ")
            pages[parent] += f"\n:py:mod:`{name}`\n{summary}\n\n.. toctree::\n   :hidden:\n\n   {name}\n"
            pages[name] = f"{name}\n{'=' * len(name)}\n\n.. automodule:: {name}\n"
        else:
            # Several modules give one class the same second name.
            options = "   :exclude-members: State\n" if name.endswith("_v0") else ""
            pages[parent] += f"\n{name}\n{'-' * len(name)}\n\n.. automodule:: {name}\n{options}"
    API.mkdir(exist_ok=True)
    for path in API.iterdir():
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = API / f"{name}.rst"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            write_whole(path, text.encode())


def read_page(_: Sphinx, page: str, source: list[str]) -> None:
    """Add to a page the tree of the pages below it, and to the page of a game the game."""
    below = TREE.get(page, {})
    if (game := page.removeprefix("docs/")) in GAMES:
        rules = f"docs/{game}_rules"
        folder = f"porta_nigra_env/games/{game}"
        rules = rules if (ROOT / f"{rules}.md").exists() else "docs/rules"
        below = {"": [rules, f"{folder}/components/SOURCES", f"{folder}/players/models/*"]}
        title, _, rest = source[0].partition("\n")
        source[0] = f"{title}\n{FRAME.format(game=game, title=title.strip('# '))}{rest}"
    # The theme's own switch selects the picture.
    picture = r'<picture>\s*<source[^>]*srcset="([^"]+)">\s*<img ([^>]*)src="([^"]+)"([^>]*)>\s*</picture>'
    both = r'<img class="only-dark" \2src="\1"\4>\n\n<img class="only-light" \2src="\3"\4>\n'
    source[0] = re.sub(picture, both, source[0])
    for caption, patterns in below.items():
        entries = "\n".join(f"/{pattern}" for pattern in patterns)
        caption = f"\n:caption: {caption}" if caption else ""
        source[0] += f"\n```{{toctree}}\n:hidden:\n:glob:{caption}\n\n{entries}\n```\n"


def choose_member(app: Sphinx, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Skip fields of named tuples, which their class describes, and names that a module of this name has, too."""
    shadowed = what == "module" and str(getattr(value, "__module__", "")).endswith(f".text.{name}")
    return True if shadowed or type(value).__name__ == "_tuplegetter" else None


def drop_generic(_: Sphinx, name: str, value: object, options: object, bases: list[object]) -> None:
    """Leave out the base that only names type variables."""
    bases[:] = [base for base in bases if typing.get_origin(base) is not typing.Generic]


def prefer_exact(_: Sphinx, tree: Element) -> None:
    """Stop Sphinx from guessing the meaning of a name in an annotation; `find_name` reads the imports."""
    for node in tree.findall(pending_xref):
        node.attributes.pop("refspecific", None)


@cache
def imported() -> dict[tuple[str, str], str]:
    """Return the full name of each name that a module imports from another."""
    return {
        (name, alias.asname or alias.name): f"{node.module}.{alias.name}"
        for name, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


@cache
def by_ending(env: BuildEnvironment) -> dict[str, list[str]]:
    """Return the full names of all documented objects by their last part."""
    found = defaultdict(list)
    for name, entry in env.domains.python_domain.objects.items():
        if not entry.aliased:
            found[name.rpartition(".")[2]].append(name)
    return found


def find_name(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: TextElement) -> Element | None:
    """Return a link for a name in code, or its plain text where no page has it.

    A name may be one that the module imports, or the end of a full name.  A full name must exist.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    head, dot, rest = target.partition(".")
    full = imported().get((node.get("py:module"), head), head) + dot + rest
    if full not in env.domains.python_domain.objects and re.search("[A-Z.]", target):
        names = [name for name in by_ending(env)[target.rpartition(".")[2]] if name.endswith(f".{target}")]
        full = names[0] if len(names) == 1 else target
    if entry := env.domains.python_domain.objects.get(full):
        return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, content, full)
    return None if target.startswith(tuple(f"{package}." for package in PACKAGES)) else content


def write_games(app: Sphinx, error: Exception | None) -> None:
    """Add the games in WebAssembly to the site, and the front page under the name that servers look for."""
    if error is None:
        for game in GAMES:
            Site.of((game,)).write(Path(app.outdir, "play", game))
        write_whole(Path(app.outdir, "index.html"), Path(app.outdir, f"{root_doc}.html").read_bytes())


def setup(app: Sphinx) -> None:
    """Connect the functions above with the build."""
    app.connect("builder-inited", write_api)
    app.connect("source-read", read_page)
    app.connect("autodoc-skip-member", choose_member)
    app.connect("autodoc-process-bases", drop_generic)
    app.connect("doctree-read", prefer_exact)
    app.connect("missing-reference", find_name)
    app.connect("build-finished", write_games)
