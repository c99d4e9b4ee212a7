"""Links to games on the page, in the format of `static/share.js`: writing and reading."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlencode

import numpy as np

from porta_nigra_env.core.game.game import Game, check_seed
from porta_nigra_env.games import make_game

#: Number of digits of the components' digest in a link, and of a checksum.
DIGITS: Final = 16
CHECKED: Final = 8


def link(
    game: Game,
    seed: int,
    actions: Sequence[int],
    screen: str = "replay",
    at: int | None = None,
    view: int | None = None,
) -> str:
    """Return the fragment of a game's link, which follows the page's address.

    Args:
        game: the game with its number of players and components.
        seed: the game's seed, in 0..2**63-1.
        actions: action ids from the first step.
        screen: "replay" or "study".
        at: the step to show; None for the beginning.
        view: the seat whose view is shown; None for the whole state.

    >>> from porta_nigra_env.games import DEFAULT_GAME
    >>> game = make_game(DEFAULT_GAME)
    >>> link(game, seed=7, actions=[3, 258], at=1).rpartition("&a=")[2]
    'AwACAQ&at=1'
    """
    packed = base64.urlsafe_b64encode(np.array(actions, dtype="<u2").tobytes()).decode().rstrip("=")
    query: dict[str, object] = {
        "g": f"{game.name}.{game.version}",
        "c": hashlib.sha256(game.constants.tobytes()).hexdigest()[:DIGITS],
        "n": game.num_players,
        "s": check_seed(seed),
    }
    deal = " ".join(map(str, query.values()))
    query |= {"k": f"{len(actions)}.{_checksum(deal)}.{_checksum(packed)}", "a": packed}
    query |= {name: value for name, value in (("at", at), ("view", view)) if value is not None}
    return f"#{screen}?{urlencode(query)}"


class Linked(NamedTuple):
    """The content of a link; at, view: None where the link has none."""

    game: Game
    seed: int
    actions: tuple[int, ...]
    at: int | None
    view: int | None


def read_link(fragment: str) -> Linked:
    """Return the content of a link of `link`.

    Raises:
        ValueError: a link of another version or other components, or one that was shortened or altered.

    >>> from porta_nigra_env.games import DEFAULT_GAME
    >>> game = make_game(DEFAULT_GAME)
    >>> read_link(link(game, seed=7, actions=[3, 258], view=1))[1:]
    (7, (3, 258), None, 1)
    """
    query = dict(parse_qsl(fragment.partition("?")[2], keep_blank_values=True))
    try:
        game = make_game(query["g"].rpartition(".")[0], int(query["n"]))
        packed = query["a"] + "=" * (-len(query["a"]) % 4)
        actions = np.frombuffer(base64.urlsafe_b64decode(packed), dtype="<u2").tolist()
        at, view = (int(query[name]) if name in query else None for name in ("at", "view"))
        found = Linked(game, int(query["s"]), tuple(actions), at, view)
    except (KeyError, ValueError) as error:
        raise ValueError(f"link: {fragment[:60]!r} cannot be read ({error})") from None
    # The check is a function of all other fields.
    if link(game, found.seed, actions, fragment.partition("?")[0].lstrip("#"), at, view) != fragment:
        raise ValueError(f"link: {fragment[:60]!r} is of another version or other components, or was altered")
    return found


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:CHECKED]
