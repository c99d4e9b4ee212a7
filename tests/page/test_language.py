"""The page in German: none of its texts is left in English."""

from __future__ import annotations

import re
from typing import Any

import pytest

from agents.web.page.site import STATIC
from porta_nigra_env.games import GAMES
from tests.page.fixtures import Opened

#: Texts that are the same in both languages: names, numbers and notation.
SAME = re.compile(
    r"^[^a-zA-Z]*$|^(Porta Nigra|Aquileia|Gloria Mundi|English|Deutsch|Links?)$"
    r"|^…#replay\?g=…$"
    r"|^(greedy|builder|mirror|guided|.*\(\d+\))$"
)
#: The texts of a page that people read, without the board, the game's own description and its sentences.
READ = """() => {
  const skipped = "svg, option, .spoken, body [lang=en], script";
  const all = [...document.querySelectorAll("body *")].filter((one) => !one.closest(skipped));
  const texts = (one) => [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim());
  // The tooltip of an action is its string.
  const read = (one) => ["aria-label", "placeholder", ...(one.matches("[data-action]") ? [] : ["title"])];
  const names = (one) => read(one).map((name) => one.getAttribute(name) ?? "");
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


def test_every_screen_is_german(open_page: Opened, address: str) -> None:
    texts: dict[str, dict[str, set[str]]] = {}
    for language in ("en", "de"):
        page = open_page(script=f"localStorage.setItem('language', '\"{language}\"')")
        page.wait_for_selector("main h1")
        for fragment in ("", "#replay", "#study", "#study?deal=today", "#learn", "#puzzle", "#play", "play"):
            if fragment == "play":
                page.click("button[type=submit]")
                page.wait_for_selector(".option")
            elif fragment:
                page.evaluate("document.querySelector('main h1').dataset.left = ''")
                page.goto(f"{address}{fragment}")
            page.wait_for_selector("main h1:not([data-left])")
            page.wait_for_timeout(300)
            texts.setdefault(fragment, {})[language] = set(page.evaluate(READ))
    for fragment, found in texts.items():
        left = sorted(text for text in found["en"] & found["de"] if not SAME.match(text))
        assert (fragment, left) == (fragment, [])


def test_numbers_have_a_comma_in_german(modules: Any) -> None:
    found = modules.evaluate("""async () => {
        const { choose, say } = await import("./say.js"), { percent, signed } = await import("./dom.js");
        const told = () => [percent(0.727, 1), percent(0.727), signed(-3.44, 1), signed(-0.04, 1), say("search 0.5 s")];
        return ["en", "de"].map((language) => (choose(language), told()));
    }""")
    assert found == [
        ["72.7 %", "73 %", "\u22123.4", "0.0", "search 0.5 s"],
        ["72,7 %", "73 %", "\u22123,4", "0,0", "Suche 0,5 s"],
    ]


@pytest.mark.parametrize("name", GAMES)
def test_the_log_addresses_only_the_reader(modules: Any, name: str) -> None:
    told = modules.evaluate(
        """async (name) => {
            const { choose, impersonal } = await import("./say.js"), { catalogue, open } = await import("./games.js");
            const entry = (await catalogue()).find((one) => one.name === name), found = [];
            for (const language of ["en", "de"]) {
                choose(language);
                const game = await (await open(entry)).speak();
                game.told.actions.forEach((_, action) => found.push(impersonal(game.text(action))));
            }
            return found;
        }""",
        name,
    )
    assert len(told) > 100
    assert [text for text in told if re.search(r"\b(your|dein)", text, re.IGNORECASE)] == []
