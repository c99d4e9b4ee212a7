"""Recorded games as the input of a review: a playthrough, or a game of a tournament with ``--record``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from agents.arena.records import game_of, recorded
from porta_nigra_env.core.game import playthrough
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.playthrough import PlaythroughError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import make_game


class RecordingError(ValueError):
    """A file or folder that holds no game to review."""


class Recording(NamedTuple):
    """A finished game: seed, ids of all actions, and the players by seat if the source names them."""

    game: Game
    seed: int
    actions: tuple[int, ...]
    names: tuple[str, ...] = ()


def read_playthrough(file: Path, components: str = "standard") -> Recording:
    """Return the game of a playthrough, after a replay that compares every digest.

    Raises:
        RecordingError: no readable file, no playthrough, one without its seed, or one that does not come true here.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise RecordingError(f"{file}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise RecordingError(f"{file}: this is no text; name a playthrough, or the folder of a tournament") from None
    try:
        found = playthrough.read(text)
        game = make_game(found.game, found.players, components)
        seed = found.seed_of(game)
        playthrough.replay(text, State(game, game.new_states(seed)))
    except (ValueError, PlaythroughError) as error:
        raise RecordingError(f"{file}: {error}") from None
    return Recording(game, seed, tuple(game.action_id(text) for text in found.actions))


def read_tournament(folder: Path, number: int | None, components: str = "standard") -> Recording:
    """Return a recorded game of a tournament's folder.

    number: of the game, as ``python -m agents.arena.records FOLDER`` lists them; not needed for a single one.

    Raises:
        RecordError: no recorded games, or those of another version or other components (a ValueError).
        RecordingError: no such game, or several and no number.
    """
    header, games = recorded(folder)
    if number is None and len(games) > 1:
        raise RecordingError(f"{folder} holds {len(games)} games: add --number 0 to {len(games) - 1}")
    if number is not None and not 0 <= number < len(games):
        raise RecordingError(f"--number must be in 0..{len(games) - 1}, not {number}")
    one = games[number or 0]
    return Recording(game_of(header, len(one.scores), components), one.seed, one.actions, one.match.agents)


def read_recording(source: Path, number: int | None = None, components: str = "standard") -> Recording:
    """Return the game of a playthrough or of a tournament's folder; see `read_playthrough` and `read_tournament`."""
    if source.is_dir():
        return read_tournament(source, number, components)
    if number is not None:
        raise RecordingError("--number names a game of a tournament's folder; a playthrough is one game")
    return read_playthrough(source, components)
