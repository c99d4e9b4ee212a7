"""The base class of the widgets: front end, game module, and a picture for viewers without JavaScript."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import anywidget
import traitlets

from agents.web.notebook.bundle import joined, scoped
from agents.web.page.products import module_of, stylesheet
from agents.web.page.site import STATIC, STYLESHEETS
from agents.web.page.words import words_of
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.language import SOURCE
from porta_nigra_env.wasm.build import described

FRONT: Final = Path(__file__).with_name("front")
_SHEETS: Final = (*(STATIC / name for name in STYLESHEETS), FRONT / "notebook.css")
#: Fields of a manifest that the front end does not read.
_UNREAD: Final = ("exports", "observation_layout", "privileged_layout")


@cache
def _files(game: Game) -> dict[str, bytes]:
    """Return the game's files for the front end by name, each with gzip. Raises ValueError without a module."""
    module = module_of(type(game))
    manifest = json.loads(module.manifest)
    # All sets of components share the module, but not the manifest.
    own = described(game)
    public = {key: value for key, value in manifest.items() if key not in _UNREAD}
    public["common"] = {key: value for key, value in own.items() if key not in _UNREAD}
    public["players"] = {str(game.num_players): {}}
    sheets = "\n".join(path.read_text(encoding="utf-8") for path in _SHEETS)
    colours = "" if own["drawing"] is None else stylesheet(own["drawing"])
    texts = {"manifest": json.dumps(public), "styles": scoped(sheets + colours)}
    files = {"module": module.module, **{name: text.encode() for name, text in texts.items()}}
    if (words := words_of(game, SOURCE)) is not None:
        files["words"] = json.dumps(words).encode()
    return {name: gzip.compress(data, 9, mtime=0) for name, data in files.items()}


class GameWidget(anywidget.AnyWidget):
    """A game in a notebook, drawn by the page's modules, or as a picture where no script runs.

    Attributes:
        game: the shown game.
    """

    _esm = joined(FRONT / "notebook.js")
    _kind = traitlets.Unicode().tag(sync=True)
    _files = traitlets.Dict().tag(sync=True)
    _players = traitlets.Int().tag(sync=True)

    def __init__(self, game: Game, kind: str, **traits: Any) -> None:
        self.game = game
        super().__init__(_kind=kind, _files=_files(game), _players=game.num_players, **traits)

    def shown(self) -> tuple[State, int | None]:
        """Return the shown state, and the viewing seat; None for the whole state."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        state, view = self.shown()
        pictures = {} if self.game.drawing() is None else {"image/svg+xml": state.svg(view)}
        return {**bundle[0], **pictures, "text/plain": state.board(view)}, bundle[1]
