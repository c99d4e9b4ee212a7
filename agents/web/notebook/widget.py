"""What the widgets have in common: the front end, the game's module, and the picture where neither is there."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from agents.web.notebook.bundle import joined, scoped
from agents.web.page.colours import stylesheet
from agents.web.page.products import module_of
from agents.web.page.site import STATIC, STYLESHEETS
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.wasm.manifest import described

FRONT: Final = Path(__file__).with_name("front")
_SHEETS: Final = (*(STATIC / name for name in STYLESHEETS), FRONT / "notebook.css")
#: Parts of a manifest that the front end does not read.
_UNREAD: Final = ("exports", "observation_layout", "privileged_layout")


@cache
def _files(game: Game) -> dict[str, bytes]:
    """What the front end needs of a game, by name, each with gzip; ValueError for a game without a module."""
    found = module_of(type(game))
    manifest = json.loads(found.manifest)
    # The module is the same for all sets of components, what is said of them is not.
    own = described(game)
    kept = {key: value for key, value in manifest.items() if key not in _UNREAD}
    kept["common"] = {key: value for key, value in own.items() if key not in _UNREAD}
    kept["players"] = {str(game.num_players): {}}
    sheets = "\n".join(path.read_text(encoding="utf-8") for path in _SHEETS)
    colours = "" if own["drawing"] is None else stylesheet(own["drawing"])
    texts = {"manifest": json.dumps(kept), "styles": scoped(sheets + colours)}
    files = {"module": found.module, **{name: text.encode() for name, text in texts.items()}}
    return {name: gzip.compress(data, 9, mtime=0) for name, data in files.items()}


class GameWidget(anywidget.AnyWidget):
    """A game in a notebook: drawn by the page's modules, and a picture where nothing runs.

    Attributes:
        game: the game that is shown.
    """

    _esm = joined(FRONT / "notebook.js")
    _kind = traitlets.Unicode().tag(sync=True)
    _files = traitlets.Dict().tag(sync=True)
    _players = traitlets.Int().tag(sync=True)

    def __init__(self, game: Game, kind: str, **traits: Any) -> None:
        self.game = game
        super().__init__(_kind=kind, _files=_files(game), _players=game.num_players, **traits)

    def shown(self) -> tuple[State, int | None]:
        """The position that is shown, and the seat that looks, None for everything."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        state, view = self.shown()
        pictures = {} if self.game.drawing() is None else {"image/svg+xml": state.svg(view)}
        return {**bundle[0], **pictures, "text/plain": state.board(view)}, bundle[1]
