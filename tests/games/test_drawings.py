"""Drawings of all games: valid rows, nothing outside the canvas, no overlaps, no hidden information."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from typing import Final

import numpy as np
import pytest

from porta_nigra_env.core.drawing import lettering
from porta_nigra_env.core.drawing.draw_list import KIND as KIND_COLUMN
from porta_nigra_env.core.drawing.draw_list import (
    KINDS,
    LEFT,
    MIDDLE,
    NOTHING,
    PLACE,
    RIGHT,
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
from porta_nigra_env.core.drawing.svg import seen_rows
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import GAMES, make_game, state_class
from tests.games.determinizations import determinized

#: Every game at every number of players, and with a file with all numbers changed.
DRAWN: Final = [game for game in GAMES if make_game(game).drawing() is not None]
OTHER: Final = {game: str(Path(__file__).parent / game / "components" / "other.toml") for game in DRAWN}
TABLES: Final = [
    *(
        pytest.param(game, players, "standard", id=f"{game}-{players}")
        for game in DRAWN
        for players in GAMES[game].seats
    ),
    *(pytest.param(game, GAMES[game].seats[-1], OTHER[game], id=f"{game}-other") for game in DRAWN),
]
every_table = pytest.mark.parametrize(("name", "players", "components"), TABLES)
#: Decisions between two positions that are drawn.
STRIDE: Final = 61
TEXTS: Final = (MIDDLE, LEFT, RIGHT)


@cache
def positions(name: str, players: int, components: str) -> tuple[State, ...]:
    """Positions of a random game, its beginning and its end among them."""
    rng = random.Random(players)
    state = state_class(name).new(num_players=players, seed=players, components=components)
    found = [state.clone()]
    while not state.is_over:
        for _ in range(STRIDE):
            if not state.is_over:
                state.apply_id(rng.choice(state.legal_ids().tolist()))
        found.append(state.clone())
    return tuple(found)


def drawing_of(state: State) -> Drawing:
    """Return the drawing of a game that has one."""
    drawing = state.game.drawing()
    assert drawing is not None
    return drawing


def views(state: State) -> Iterator[tuple[int | None, Rows]]:
    """Return the draw lists of a position: the full one, and one for each seat."""
    for view in (None, *range(state.num_players)):
        yield view, seen_rows(drawing_of(state), state.game, state.states, view)


@every_table
def test_rows_are_valid_and_inside_the_canvas(name: str, players: int, components: str) -> None:
    drawing = drawing_of(positions(name, players, components)[0])
    width, height = drawing.sizes[players]
    most = [len(drawing.texts) if kind in TEXTS else len(drawing.symbols) for kind in range(len(KINDS))]
    for state in positions(name, players, components):
        for _, rows in views(state):
            assert len(rows) <= drawing.max_rows
            assert ((rows[:, KIND_COLUMN] >= 0) & (rows[:, KIND_COLUMN] < len(KINDS))).all()
            assert ((rows[:, STYLE] >= 0) & (rows[:, STYLE] < len(drawing.styles))).all()
            assert ((rows[:, PLACE] >= NOTHING) & (rows[:, PLACE] < len(drawing.places))).all()
            for row in rows.tolist():
                assert NOTHING <= row[TEXT] < most[row[KIND_COLUMN]]
                assert row[TEXT] >= 0 or row[KIND_COLUMN] != SYMBOL
            assert (rows[:, [X, Y]] >= 0).all()
            assert (rows[:, [W, H]] > 0).all(), rows[(rows[:, [W, H]] <= 0).any(axis=1)]
            assert (rows[:, X] + rows[:, W] <= width).all()
            assert (rows[:, Y] + rows[:, H] <= height).all()


@every_table
def test_a_place_is_drawn_once_and_apart_from_the_others(name: str, players: int, components: str) -> None:
    for state in positions(name, players, components):
        for _, rows in views(state):
            found = rows[rows[:, PLACE] != NOTHING]
            assert len(set(found[:, PLACE].tolist())) == len(found)
            for one, other in combinations(found.tolist(), 2):
                assert not overlap(one[X : H + 1], other[X : H + 1]), (one, other)


@every_table
def test_words_do_not_lie_on_each_other(name: str, players: int, components: str) -> None:
    for state in positions(name, players, components):
        drawing = drawing_of(state)
        _, rows = next(views(state))
        texts = [row for row in rows.tolist() if row[KIND_COLUMN] in TEXTS]
        boxes = np.array([letters(drawing, row) for row in texts])
        left, top, right, bottom = boxes[:, None].transpose(2, 0, 1)
        across = np.minimum(right, right.T) - np.maximum(left, left.T)
        down = np.minimum(bottom, bottom.T) - np.maximum(top, top.T)
        both = np.argwhere(np.triu((across > 1) & (down > 1), 1))
        assert not len(both), [(drawing.wording(texts[a]), drawing.wording(texts[b])) for a, b in both.tolist()]


@every_table
def test_every_legal_action_can_be_clicked(name: str, players: int, components: str) -> None:
    for state in positions(name, players, components)[:-1]:
        drawing = drawing_of(state)
        there = set(seen_rows(drawing, state.game, state.states, state.current_player)[:, PLACE].tolist())
        for action in state.legal_ids().tolist():
            wanted = drawing.places_of_actions[action]
            assert not wanted or there.intersection(wanted), state.action_text(action)


@every_table
def test_a_seat_sees_the_same_drawing_in_all_determinizations(name: str, players: int, components: str) -> None:
    for state in positions(name, players, components):
        for seat in range(players):
            twin = determinized(state.game, state.states, seat, 11)
            drawing = drawing_of(state)
            one, other = (seen_rows(drawing, state.game, states, seat) for states in (state.states, twin))
            assert one.tobytes() == other.tobytes()


@every_table
def test_visible_changes_change_the_drawing(name: str, players: int, components: str) -> None:
    rng = random.Random(7)
    for state in positions(name, players, components)[:-1]:
        line = [state.clone()]
        for _ in range(6):
            if not line[-1].is_over:
                line.append(line[-1].clone().apply_id(rng.choice(line[-1].legal_ids().tolist())))
        for one, other in pairwise(line):
            if one.to_dict(view=0) != other.to_dict(view=0):
                drawn = (seen_rows(drawing_of(state), state.game, each.states, 0).tobytes() for each in (one, other))
                assert len(set(drawn)) == 2, (one.board(), other.board())


@every_table
def test_everything_else_about_a_drawing_is_data(name: str, players: int, components: str) -> None:
    state = positions(name, players, components)[0]
    drawing = drawing_of(state)
    assert json.loads(json.dumps(drawing.manifest())) == drawing.manifest()
    assert len(drawing.action_places) == state.game.actions.size
    assert set(drawing.sizes) == set(state.game.seats)
    for style in drawing.styles.values():
        assert {style.fill, style.stroke} - {None} <= set(drawing.palette)
    assert {"paper", "legal"} <= set(drawing.styles)
    known = set(lettering.CHARACTERS)
    assert all(set(text) <= known for text in (*drawing.texts, *drawing.places.values()))


def overlap(one: list[int], other: list[int]) -> bool:
    """Return whether two boxes (x, y, w, h) overlap."""
    return (
        one[0] < other[0] + other[2]
        and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3]
        and other[1] < one[1] + one[3]
    )


def letters(drawing: Drawing, row: list[int]) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text row; capitals and digits stand on the baseline."""
    x, y, w, h = row[X], row[Y], row[W], row[H]
    wide = min(w, lettering.width(drawing.wording(row), h, drawing.style_list[row[STYLE]].bold))
    left = {LEFT: x, RIGHT: x + w - wide}.get(row[KIND_COLUMN], x + (w - wide) / 2)
    return left, y + 0.13 * h, left + wide, y + 0.86 * h
