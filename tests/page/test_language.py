"""The page in German: none of its texts is left in English."""

from __future__ import annotations

import re

import pytest

from agents.web.page.site import STATIC
from tests.page.fixtures import Opened

#: Texts that are the same in both languages: names, numbers and notation.
SAME = re.compile(
    r"^[^a-zA-Z]*$|^(Porta Nigra|Aquileia|Gloria Mundi|English|Deutsch|Links?)$"
    r"|^(greedy|builder|mirror|guided|.*\(\d+\)|\d\.\d MB)$"
)
#: The texts of a page that people read, without the board, the game's own description and its sentences.
READ = """() => {
  const skipped = "svg, option, .spoken, [lang=en], script";
  const all = [...document.querySelectorAll("body *")].filter((one) => !one.closest(skipped));
  const texts = (one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim());
  const names = (one) => ["title", "aria-label", "placeholder"].map((name) => one.getAttribute(name) ?? "");
  const own = all.flatMap(texts), named = all.flatMap(names);
  return [...own, ...named].filter(Boolean);
}"""


def german() -> dict[str, str]:
    """Return the translations of the page's own texts."""
    lines = re.findall(r'^  "(.+)": "(.+)",$', (STATIC / "german.js").read_text(encoding="utf-8"), re.MULTILINE)
    return dict(lines)


def test_translations_keep_the_parts() -> None:
    table = german()
    assert len(table) > 100
    for text, translation in table.items():
        parts = [re.findall(r"\{#?\}", each) for each in (text, translation)]
        assert parts[0] == parts[1], text


def test_every_translated_text_is_one_of_the_page() -> None:
    sources = "".join(p.read_text(encoding="utf-8") for p in STATIC.glob("*.js") if p.name != "german.js")
    sources += (STATIC / "index.html").read_text(encoding="utf-8")
    unknown = [text for text in german() for word in re.findall(r"[A-Za-z]{4,}", text) if word not in sources]
    assert unknown == []


@pytest.mark.parametrize("fragment", ["", "#replay", "#study", "#study?deal=today", "#learn", "#puzzle", "play"])
def test_a_screen_is_german(open_page: Opened, fragment: str) -> None:
    texts = {}
    for language in ("en", "de"):
        page = open_page(
            fragment if fragment != "play" else "", script=f"localStorage.setItem('language', '\"{language}\"')"
        )
        page.wait_for_selector("main h1")
        if fragment == "play":
            page.click("button[type=submit]")
            page.wait_for_selector(".option")
        page.wait_for_timeout(300)
        texts[language] = set(page.evaluate(READ))
    left = sorted(text for text in texts["en"] & texts["de"] if not SAME.match(text))
    assert left == []
