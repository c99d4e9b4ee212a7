"""A game's card on the first screen of the page: a picture of its board, and the length of a game."""

from __future__ import annotations

import json
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import numpy as np

from agents.registry import make
from porta_nigra_env.core.drawing.draw_list import (
    ELLIPSE,
    GRID,
    KIND,
    RECT,
    STYLE,
    SYMBOL,
    TEXT,
    Drawing,
    H,
    Rows,
    W,
    X,
    Y,
)
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State

#: Games that are counted for each number of players, and the seed of the first one, whose board is drawn.
GAMES: Final = 10
SEED: Final = 7
#: The share of the drawn game that has been played.
PLAYED: Final = 2 / 3
#: Width and height of a picture.
WIDTH, HEIGHT = 400, 200


def card_of(kind: type[Game]) -> dict[str, Any]:
    """Return the card of a drawn game, JSON-able: its picture, and the choices of a seat by number of players.

    The first compiled policy plays all seats. A step is a choice if several actions are legal.
    """
    games = {players: [_played(kind(players), SEED + number) for number in range(GAMES)] for players in kind.seats}
    choices = {players: round(np.mean([own for _, own in some]) / players) for players, some in games.items()}
    game, (actions, _) = kind(), games[kind().num_players][0]
    state, drawing = State(game, game.new_states(SEED)), game.drawing()
    for action in actions[: int(PLAYED * len(actions))]:
        state.apply_id(action)
    assert drawing is not None
    return {
        "picture": picture(drawing, drawing.rows(state.states, 0), drawing.sizes[game.num_players][0]),
        "choices": choices,
    }


def card_bytes(kind: type[Game]) -> bytes:
    """Return the card as a JSON file."""
    return (json.dumps(card_of(kind), separators=(",", ":")) + "\n").encode()


def _played(game: Game, seed: int) -> tuple[list[int], int]:
    """Return the actions of a whole game, and the number of steps with several legal actions."""
    state, agent = State(game, game.new_states(seed)), make(next(iter(game.policies())), game, seed)
    actions, choices = [], 0
    while not state.is_over:
        choices += len(state.legal_ids()) > 1
        actions.append(agent.act(state.view(state.player)))
        state.apply_id(actions[-1])
    return actions, choices


def picture(drawing: Drawing, rows: Rows, width: int) -> str:
    """Return the part of a board with the most shapes as an SVG document, without lettering.

    It has light colours, and with the fragment ``#dark`` those of the dark theme.

    Args:
        drawing: drawing of the game.
        rows: result of `Drawing.rows`.
        width: of the canvas.
    """
    unit = width / WIDTH
    shapes = [row for row in rows.tolist() if row[KIND] in (RECT, ELLIPSE, SYMBOL)]
    height = HEIGHT * unit

    def inside(top: int) -> int:
        return sum(top <= row[Y] and row[Y] + row[H] <= top + height for row in shapes)

    top = max(sorted({row[Y] for row in shapes}), key=inside)
    shown = [_scaled(row, top, unit) for row in shapes if row[Y] < top + height and row[Y] + row[H] > top]
    # Few and short elements: shapes of one style in one path, and all symbols above them.
    drawn = [
        f'<path class="s{style}" d="{"".join(map(_outline, group))}"/>'
        for style, group in groupby((row for row in shown if row[KIND] != SYMBOL), key=itemgetter(STYLE))
    ]
    kinds: dict[tuple[int, int], str] = {}
    symbols = sorted((row for row in shown if row[KIND] == SYMBOL), key=itemgetter(STYLE, TEXT, W))
    for style, group in groupby(symbols, key=itemgetter(STYLE)):
        uses = (
            f'<use href="#{kinds.setdefault((row[TEXT], row[W]), f"m{len(kinds)}")}" x="{row[X]}" y="{row[Y]}"/>'
            for row in group
        )
        drawn.append(f'<g class="s{style}">{"".join(uses)}</g>')
    paths = (
        f'<symbol id="{name}" viewBox="0 0 {GRID} {GRID}" width="{size}" height="{size}">'
        f'<path d="{drawing.symbol_list[symbol]}" fill-rule="evenodd"/></symbol>'
        for (symbol, size), name in kinds.items()
    )
    styles = sorted({row[STYLE] for row in shown})
    rules = (_rule(drawing, style, dark) for dark in (False, True) for style in styles)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="dark" viewBox="0 0 {WIDTH} {HEIGHT}">'
        f"<style>{''.join(rules)}</style>{''.join(paths)}{''.join(drawn)}</svg>\n"
    )


def _scaled(row: list[int], top: int, unit: float) -> list[int]:
    """Return a row in units of the picture."""
    box = (row[X], row[Y] - top, row[W], row[H])
    return [row[KIND], *(round(side / unit) for side in box), *row[H + 1 :]]


def _outline(row: list[int]) -> str:
    x, y, w, h = row[X : H + 1]
    if row[KIND] == RECT:
        return f"M{x} {y}h{w}v{h}h-{w}z"
    arc = f"a{w / 2:g} {h / 2:g} 0 1 0 "
    return f"M{x} {y + h / 2:g}{arc}{w} 0{arc}-{w} 0z"


def _rule(drawing: Drawing, number: int, dark: bool) -> str:
    style = drawing.style_list[number]
    colours = {key: drawing.palette[colour][dark] for key in ("fill", "stroke") if (colour := getattr(style, key))}
    rules = [f"fill:{colours.get('fill', 'none')}"]
    rules += [f"stroke:{colours['stroke']}"] if "stroke" in colours else []
    rules += [f"opacity:{style.opacity:g}"] if style.opacity != 1 else []
    return f"{'svg:target ' if dark else ''}.s{number}{{{';'.join(rules)}}}"
