"""The counts that the browser shows are those of the position."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agents.web.page.links import link
from porta_nigra_env.games.porta_nigra.drawing import panels
from porta_nigra_env.games.porta_nigra.game import State

#: The action of a playthrough's line.
MOVE = re.compile(r"^\d+  player \d+  (.+?)  \d+ legal", re.MULTILINE)
GOLDEN = Path(__file__).parents[1] / "golden"
#: From a panel's name to its left side, to the bottom of its third line, and between two lines at least.
_NAME, _LINES, _BETWEEN = 44, 90, 14
_TEXTS = """() => [...document.querySelectorAll(".shapes text")].map((one) =>
    [Number(one.getAttribute("x")), Number(one.getAttribute("y")), one.textContent])"""


class Text(NamedTuple):
    """A text and where it begins: its left side and the line it stands on."""

    x: float
    y: float
    words: str


def lines_of(texts: list[Text], player: int) -> list[list[str]]:
    """The numbers in the first three lines of a player's panel, line by line from left to right."""
    name = next(piece for piece in texts if piece.words in (f"player {player}", f"you: player {player}"))
    left = name.x - _NAME
    inside = [piece for piece in texts if left <= piece.x < left + panels.WIDTH and -12 < piece.y - name.y < _LINES]
    inside.sort(key=lambda piece: piece.y)
    lines = [[inside[0]]]
    for before, piece in pairwise(inside):
        if piece.y - before.y > _BETWEEN:
            lines.append([])
        lines[-1].append(piece)
    return [[piece.words for piece in sorted(line) if piece.words.strip("+").isdigit()] for line in lines[:3]]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_panels_show_the_counts_of_the_position(open_page: Any, players: int) -> None:
    state = State.new(players, seed=1)
    recorded = (GOLDEN / f"random_{players}_players_seed_1.txt").read_text()
    actions = [state.game.action_id(text) for text in MOVE.findall(recorded)]
    page = open_page(link(state.game, 1, actions[:-1]))  # an ended game would be reviewed
    page.wait_for_selector(".transport")
    for place in range(0, len(actions), len(actions) // 5):
        here = State.new(players, seed=1)
        for action in actions[:place]:
            here.apply_id(action)
        page.evaluate(f"""() => {{
            const slider = document.querySelector(".transport input");
            slider.value = {place};
            slider.dispatchEvent(new Event("input"));
        }}""")
        texts = [Text(*piece) for piece in page.evaluate(_TEXTS)]
        for player, said in enumerate(here.to_dict()["players"]):
            first, second, third = lines_of(texts, player)
            assert first[-1] == str(said["vp"])
            counts = [said[name] for name in ("sesterces", "torches", "influence", "romans")]
            assert second == [*map(str, counts), f"+{said['romans_reserve']}"]
            assert third == [*map(str, said["bricks"].values()), *map(str, said["building_cards"].values())]
