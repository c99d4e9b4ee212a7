"""The page as a folder of files: the static files, and the modules, networks and ratings of every game."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from agents.ladders import ratings_by_players
from agents.web.page.lesson import lesson_of
from agents.web.page.products import module_of, released, stylesheet, weights_of
from agents.web.page.recorded import puzzles_of, samples_of
from agents.web.page.rules import data_of, rules_of
from agents.web.page.words import words_of
from porta_nigra_env.core.files import write_whole
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.games import game_class

STATIC: Final = Path(__file__).with_name("static")
#: In the order of the cascade.
STYLESHEETS: Final = ("theme.css", "page.css", "board.css", "table.css", "review.css")
#: Modules that every screen needs; the browser loads them ahead.
_FIRST: Final = (
    "app.js", "games.js", "kernel.js", "dom.js", "drawing.js", "sha256.js", "store.js", "server.js", "thinker.js",
    "play.js", "match.js", "session.js", "table.js", "board.js", "actions.js", "log.js", "seats.js", "share.js",
    "line.js", "outcome.js", "playthrough.js", "tip.js", "bubble.js", "arrange.js", "mark.js", "motion.js", "part.js",
    "shape.js", "zoom.js", "shelf.js", "running.js", "archive.js", "hint.js", "insight.js",
)  # fmt: skip
#: The address of the server, for the page.
_SERVER: Final = '<meta name="server" content="api/">'
#: Comments of modules: a fifth of their size. One at the start of a line of code is no such comment.
_COMMENTS: Final = re.compile(rb"^[ ]*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
_SOURCE_FILES: Final = (".js", ".css", ".svg", ".html", ".webmanifest")


@dataclass(frozen=True)
class Site:
    """All files of the page by name, with ``/`` between folder and file."""

    files: Mapping[str, bytes]

    @classmethod
    def of(cls, games: tuple[str, ...] = (), server: bool = False) -> Site:
        """Return the page of some games.

        Args:
            games: the names; by default all games with a module.
            server: whether the page comes from a server of tables (`agents.web.serve`).

        Raises:
            ValueError: a game has no module; the message says how to build it.
        """
        files = {path.name: _source(path) for path in sorted(STATIC.iterdir()) if path.suffix in _SOURCE_FILES}
        entries = []
        for name in games or released():
            entry, game_files = _game(name)
            entries.append(entry)
            files |= game_files
        files["games.json"] = _json(entries)
        files["index.html"] = _index(files["index.html"].decode(), server)
        files["sw.js"] = _service_worker(files["sw.js"].decode(), files)
        return cls(files)

    def write(self, folder: Path) -> None:
        """Write the files into a folder, made if missing; other files there stay."""
        for name, data in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, data)

    def manifest(self, game: str) -> dict[str, Any]:
        """Return the manifest of a game's module."""
        entry = next(one for one in json.loads(self.files["games.json"]) if one["name"] == game)
        manifest: dict[str, Any] = json.loads(self.files[entry["manifest"]])
        return manifest

    def weight(self, game: str) -> int:
        """Return the bytes that a browser loads to play a game in one language with its largest network."""
        entries = json.loads(self.files["games.json"])
        of_games = {file for one in entries for file in one["files"]}
        entry = next(one for one in entries if one["name"] == game)
        return _own_weight(entry, self.files) + sum(
            len(self.files[name]) for name in self.files if name not in of_games
        )


def _own_weight(entry: Mapping[str, Any], files: Mapping[str, bytes]) -> int:
    """Return the bytes of a game's own files, in one language with its largest network."""
    networks = {one["file"] for one in entry["networks"].values()}
    kinds = [networks, set(entry["words"].values()), set(entry["rules"].values())]
    largest = [max((len(files[name]) for name in names), default=0) for names in kinds]
    return sum(largest) + sum(len(files[name]) for name in set(entry["files"]).difference(*kinds))


def _source(path: Path) -> bytes:
    """Return a static file; modules without comments that fill whole lines."""
    data = path.read_bytes()
    return _COMMENTS.sub(b"", data) if path.suffix == ".js" else data


def _game(name: str) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return a game's entry in the catalogue, and its files."""
    kind = game_class(name)
    module = module_of(kind)
    manifest = json.loads(module.manifest)
    files = {f"games/{module.stem}.wasm": module.module, f"games/{module.stem}.json": module.manifest}
    entry: dict[str, Any] = {
        "name": name,
        "title": name.replace("_", " ").title(),
        "module": f"games/{module.stem}.wasm",
        "manifest": f"games/{module.stem}.json",
        "colours": f"games/{name}.css",
        "words": {},
        "rules": {},
        "networks": {},
        "ratings": ratings_by_players(f"{name}_v{kind.version}"),
    }
    card = json.loads(module.card)
    picture = f"games/{module.stem}.svg"
    files[picture] = card.pop("picture").encode()
    drawings = [one["drawing"] for one in (manifest["common"], *manifest["players"].values()) if one.get("drawing")]
    files[entry["colours"]] = "".join(dict.fromkeys(stylesheet(one) for one in drawings)).encode()
    for language in LANGUAGES:
        if (words := words_of(kind(), language)) is not None:
            entry["words"][language] = _keep(files, f"{name}.{language}", words)
        if (rules := rules_of(name, language)) is not None:
            entry["rules"][language] = _keep(files, f"{name}.rules.{language}", rules)
    if levels := data_of(name, "levels"):
        entry["levels"] = [level["temperature"] for level in levels["level"]]
    if (lesson := lesson_of(kind)) is not None:
        entry["lesson"] = _keep(files, f"{name}.lesson", lesson)
    for kept, found in (("samples", samples_of(name)), ("puzzles", puzzles_of(name))):
        if found:
            entry[kept] = _keep(files, f"{name}.{kept}", found)
    for players, weights in weights_of(kind).items():
        entry["networks"][str(players)] = {"file": f"games/{weights.file}", **weights.described}
        files[f"games/{weights.file}"] = weights.data
    entry["files"] = sorted(files)
    entry["card"] = {"picture": picture, "seats": kind.seats, **card, "bytes": _own_weight(entry, files)}
    return entry, files


def _keep(files: dict[str, bytes], stem: str, value: Any) -> str:
    """Add a value as a file that is named by a digest of it; return the file's name."""
    data = _json(value)
    name = f"games/{stem}.{hashlib.sha256(data).hexdigest()[:12]}.json"
    files[name] = data
    return name


def _json(value: Any) -> bytes:
    return (json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def _index(text: str, server: bool) -> bytes:
    if server:
        text = text.replace("<title>", f"{_SERVER}\n<title>")
    sheets = "\n".join(f'<link rel="stylesheet" href="{name}">' for name in STYLESHEETS)
    modules = "\n".join(f'<link rel="modulepreload" href="{name}">' for name in _FIRST)
    script = '<script type="module" src="app.js"></script>'
    return text.replace("<!-- stylesheets -->", sheets).replace("<!-- modules -->", f"{modules}\n{script}").encode()


def _service_worker(text: str, files: Mapping[str, bytes]) -> bytes:
    """Return the service worker, whose version is a digest of all files; it keeps those of no single game."""
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(f"{name} {hashlib.sha256(files[name]).hexdigest()}\n".encode())
    kept = ["./", *sorted(name for name in files if "/" not in name and name != "sw.js")]
    text = re.sub(r"/\* files \*/ \[\]", lambda _: json.dumps(kept), text)
    return text.replace("{{version}}", digest.hexdigest()[:16]).encode()
