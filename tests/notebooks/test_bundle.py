"""The page's modules joined for a widget, and its sheets for a shadow root."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from agents.web.notebook.bundle import joined, scoped
from agents.web.notebook.widget import GameWidget
from agents.web.page.site import STATIC


def written(folder: Path, **modules: str) -> Path:
    """Modules by name; the path of the first."""
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return folder / f"{next(iter(modules))}.js"


def test_every_module_is_joined_once_after_those_it_imports(tmp_path: Path) -> None:
    entry = written(
        tmp_path,
        top='import { left } from "./left.js";\nimport {\n  right as other,\n} from "./right.js";\n'
        "export const sum = left + other;\n",
        left='import { one } from "./one.js";\nexport const left = one;\n',
        right='import { one } from "./one.js";\nexport function right() {}\nexport const [a, b] = [one, one];\n',
        one="export const one = 1;\n",
    )
    text = joined(entry)
    assert re.findall(r"^// (\w+)\.js$", text, re.MULTILINE) == ["one", "left", "right", "top"]
    assert "const { right: other, } = module_2;".replace(" ", "") in text.replace(" ", "").replace("\n", "")
    assert "return { right, a, b };" in text
    assert text.endswith("export default module_3;\n")
    assert not re.search(r"^import", text, re.MULTILINE)


@pytest.mark.parametrize(
    "text",
    [
        'import * as all from "./other.js";\n',
        'import other from "./other.js";\n',
        "export default 1;\n",
        'export { other } from "./other.js";\n',
        'const later = () => import("./other.js");\n',
        'import { h } from "elsewhere";\n',
        "export let changing = 1;\n",
    ],
)
def test_what_cannot_be_joined_is_named(tmp_path: Path, text: str) -> None:
    entry = written(tmp_path, top=text, other="export const other = 1;\n")
    with pytest.raises(ValueError, match=r"top\.js: .* is not supported"):
        joined(entry)


def test_modules_in_a_circle_are_named(tmp_path: Path) -> None:
    entry = written(tmp_path, one='import { two } from "./two.js";\n', two='import { one } from "./one.js";\n')
    with pytest.raises(ValueError, match=r"one\.js: it imports itself through one\.js, two\.js"):
        joined(entry)


def test_the_front_end_is_the_pages_modules() -> None:
    text = str(GameWidget._esm)
    for name in ("board", "kernel", "drawing", "actions", "log", "table", "review"):
        lines = (STATIC / f"{name}.js").read_text(encoding="utf-8").splitlines()
        inside = [line for line in lines if not re.match(r"import|export|\} from|  [\w, ]+,$", line)]
        assert "\n".join(inside[-30:]) in text


@pytest.mark.parametrize("path", sorted(STATIC.glob("*.css")), ids=lambda path: path.name)
def test_no_rule_of_the_page_is_for_the_page_itself(path: Path) -> None:
    sheet = scoped(path.read_text(encoding="utf-8"))
    assert ":root" not in sheet
    assert not re.search(r"^body|@media \((min|max)-width", sheet, re.MULTILINE)
