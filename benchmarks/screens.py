"""Pictures of the page's screens, to look through and for the documents.

A recorded game is played, replayed and studied in its middle.  Every screen is
opened again for each window and language; both themes show the same.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Final

from PIL import Image

from agents.web.film import palette_of
from agents.web.page.links import link
from benchmarks.legible import SIZES
from benchmarks.serving import open_table, serving
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.language import LANGUAGES

THEMES: Final = ("light", "dark")
#: All combinations of a window, a theme and a language.
LOOKS: Final = tuple("_".join(look) for look in product(SIZES, THEMES, LANGUAGES))
#: Quality of .webp, of 100, and colours of .png: letters stay sharp, and a picture has less than 150 kB.
QUALITY, COLOURS = 80, 128
#: Endings of pictures.
ENDINGS: Final = ("webp", "png")
#: Milliseconds of waiting for a review.
PATIENCE: Final = 600_000
#: Number of the page's name for the game in progress.
_ID: Final = "1"


@dataclass(frozen=True)
class Recorded:
    """A recorded game, of which the pictures show a step of seat 0."""

    game: Game
    seed: int
    actions: Sequence[int]

    @property
    def middle(self) -> int:
        """The first step from the middle on at which seat 0 has at least five legal actions."""
        state = State(self.game, self.game.new_states(self.seed))
        for at, action in enumerate(self.actions):
            if 2 * at >= len(self.actions) and state.player == 0 and len(state.legal_ids()) >= 5:
                return at
            state.apply_id(action)
        return len(self.actions)

    def link(self, screen: str, length: int | None = None, view: int | None = None) -> str:
        """Return the link of the first steps, all by default, at the middle."""
        return link(self.game, self.seed, self.actions[:length], screen, self.middle, view)


def _home(page: Any, _: Recorded) -> None:
    page.wait_for_selector("form")


def _rules(page: Any, _: Recorded) -> None:
    page.wait_for_selector("form")
    page.click(".rulesbutton")
    page.wait_for_selector("dialog[open] details")


def _lesson(page: Any, _: Recorded) -> None:
    page.evaluate("location.hash = '#learn'")
    page.wait_for_selector(".lesson .taught")


def _resume(page: Any, recorded: Recorded, length: int) -> None:
    """Continue a game in progress, as after a reload."""
    name, others = recorded.game.name, [{"agent": "greedy"}] * (recorded.game.num_players - 1)
    seats = [{"agent": "human"}, *others]
    running = {"id": _ID, "link": recorded.link("play", length), "seats": seats, "over": False}
    page.evaluate("([name, kept]) => localStorage.setItem(name, kept)", [f"playing-{name}", json.dumps(running)])
    page.evaluate("(hash) => (location.hash = hash)", f"#play?game={name}&id={_ID}")


def _play(page: Any, recorded: Recorded) -> None:
    _resume(page, recorded, recorded.middle)
    page.wait_for_selector(".option")


def _result(page: Any, recorded: Recorded) -> None:
    _resume(page, recorded, len(recorded.actions))
    page.wait_for_selector(".outcome")


def _replay(page: Any, recorded: Recorded) -> None:
    page.evaluate("(hash) => (location.hash = hash)", recorded.link("replay"))
    page.wait_for_selector(".insight .bar")


def _review(page: Any, recorded: Recorded) -> None:
    _replay(page, recorded)
    page.wait_for_function("() => document.querySelector('.summary .row button').hidden", timeout=PATIENCE)
    page.locator(".curve").last.evaluate("one => one.closest('.card').scrollIntoView({ block: 'end' })")


def _study(page: Any, recorded: Recorded) -> None:
    page.evaluate("(hash) => (location.hash = hash)", recorded.link("study", view=0))
    # Another action than the recorded one begins a line, which is compared with the game.
    page.locator(f".option:not([data-action='{recorded.actions[recorded.middle]}'])").first.click()
    page.wait_for_function("() => /^[^…]*%[^…]*$/.test(document.querySelector('.compared')?.innerText)")
    page.locator(".lines").evaluate("one => one.closest('.card').scrollIntoView()")


def _table(page: Any, recorded: Recorded) -> None:
    game = recorded.game
    seats = ["human", *["random"] * (game.num_players - 1)]
    body = {"game": game.name, "players": game.num_players, "seats": seats, "mine": 0, "seed": str(recorded.seed)}
    token = open_table(page.url.partition("#")[0], body)
    page.evaluate("(hash) => (location.hash = hash)", f"#seat?k={token}")
    page.wait_for_selector(".option")


#: What brings the first screen to another one, by the name of that.
SCREENS: Final[dict[str, Callable[[Any, Recorded], None]]] = {
    "home": _home,
    "play": _play,
    "table": _table,
    "replay": _replay,
    "review": _review,
    "study": _study,
    "rules": _rules,
    "lesson": _lesson,
    "result": _result,
}


def pictures(
    browser: Any,
    address: str,
    recorded: Recorded,
    folder: Path,
    screens: Sequence[str],
    looks: Sequence[str],
    ending: str = ENDINGS[0],
) -> Iterator[Path]:
    """Write the pictures of some screens in some looks; yield their paths."""
    windows = dict.fromkeys((look.split("_")[0], look.split("_")[2]) for look in looks)
    with ExitStack() as servers:
        for screen, (size, language) in product(screens, windows):
            at = address
            if screen == "table":
                # One server for all pictures.
                _, at = servers.enter_context(serving("random", "--games", recorded.game.name))
            width, height = SIZES[size]
            context = browser.new_context(viewport={"width": width, "height": height}, has_touch=size == "phone")
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            kept = {"game": recorded.game.name, "language": language, "name": ""}
            page.add_init_script(
                "".join(f"localStorage.setItem('{name}', '{json.dumps(one)}');" for name, one in kept.items())
            )
            page.goto(at)
            page.wait_for_selector("main h1")
            SCREENS[screen](page, recorded)
            for theme in THEMES:
                if (look := f"{size}_{theme}_{language}") in looks:
                    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
                    page.wait_for_timeout(500)
                    path = folder / f"{screen}_{look}.{ending}"
                    write_whole(path, packed(page.screenshot(), ending))
                    yield path
            context.close()


def packed(png: bytes, ending: str) -> bytes:
    """Return a picture as a small file."""
    file = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        picture = image.convert("RGB")
    if ending == "webp":
        picture.save(file, "WEBP", quality=QUALITY, method=6)
    else:
        picture.quantize(palette=palette_of([picture], COLOURS), dither=Image.Dither.NONE).save(
            file, "PNG", optimize=True
        )
    return file.getvalue()
