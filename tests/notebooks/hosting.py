"""A widget without a notebook: messages of Python are recorded, and a browser shows them with a placeholder model."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import comm
from comm.base_comm import BaseComm

from agents.web.notebook.widget import GameWidget
from agents.web.page.serving import serve
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game

#: A placeholder for a notebook: the model that anywidget hands to `render`, fed with recorded messages.
_HOST: Final = Path(__file__).with_name("host.js")
_PAGE: Final = """<!doctype html><meta charset="utf-8"><title>A cell</title><link rel="icon" href="data:,">
<style>body { background: %s; font: 13px serif } button { border: 9px dotted red } .card { display: none }</style>
<button id="own">the notebook's own</button><div id="cell" style="width: %dpx"></div>
<script type="module" src="host.js"></script>"""


class Recorded(BaseComm):
    """A connection to a front end that records messages."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        self.messages: list[dict[str, Any]] = []
        super().__init__(*arguments, **more)

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
    ) -> None:
        data = json.loads(json.dumps(data or {}))
        for path, buffer in zip(data.get("buffer_paths", ()), buffers or (), strict=True):
            place = data["state"]
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = {"bytes": base64.b64encode(buffer).decode()}
        # The names of models are drawn by lot.
        (data.get("state") or {}).pop("layout", None)
        self.messages.append({"state": data.get("state"), "custom": data.get("content")})


def begun(name: str = DEFAULT_GAME, seed: int = 7, **how: Any) -> State:
    """Return the first state of a game."""
    game = make_game(name, **how)
    return State(game, game.new_states(seed))


@contextmanager
def recorded() -> Iterator[None]:
    """Record the messages of all widgets made meanwhile."""
    usual = comm.create_comm
    comm.create_comm = Recorded
    try:
        yield
    finally:
        comm.create_comm = usual


def sent(widget: GameWidget) -> list[dict[str, Any]]:
    """Return the messages of a widget in order: changed traits as "state", others as "custom"."""
    found: list[dict[str, Any]] = widget.comm.messages
    return found


def ask(widget: GameWidget, message: Any) -> list[dict[str, Any]]:
    """Hand a message of the front end to a widget, as ipywidgets does; return the answers."""
    before = len(sent(widget))
    if "custom" in message:
        widget._handle_custom_msg(message["custom"], [])
    else:
        widget.set_state(message["state"])
    return sent(widget)[before:]


@contextmanager
def cell(widget: GameWidget, browser: Any, wrong: list[str], **how: Any) -> Iterator[Any]:
    """Show a widget in a cell of a notebook with foreign styles; return the browser's page.

    Args:
        widget: made inside `recorded`.
        browser: the fixture of that name.
        wrong: a list that collects errors and requests to other hosts.
        how: "width" of the cell in pixels, "ground" behind it, "kernel" False for a notebook without one.
    """
    files = {
        "index.html": _PAGE % (how.get("ground", "white"), how.get("width", 1100)),
        "host.js": _HOST.read_text(encoding="utf-8"),
        "widget.js": str(widget._esm),
        "state.json": json.dumps(sent(widget)),
    }

    def answer(text: str) -> str:
        return json.dumps(ask(widget, json.loads(text)))

    def note_foreign(asked: Any) -> None:
        if not asked.url.startswith((address, f"blob:{address}", "data:")):
            wrong.append(f"asks for {asked.url}")

    with serve({name: text.encode() for name, text in files.items()}) as address:
        size = {"width": 1300, "height": 1000}
        context = browser.new_context(viewport=size, accept_downloads=True, reduced_motion="reduce")
        context.set_default_timeout(60_000)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
        context.on("request", note_foreign)
        if how.get("kernel", True):
            page.expose_function("toPython", answer)
        page.goto(address)
        page.wait_for_selector("body[data-shown]")
        yield page
        context.close()
