"""The drawing of Porta Nigra shows the position."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from porta_nigra_env.core.drawing.draw_list import PLACE, X, Y
from porta_nigra_env.core.drawing.svg import seen_rows
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS
from porta_nigra_env.games.porta_nigra.drawing.panels import HEIGHT, WIDTH
from porta_nigra_env.games.porta_nigra.game import State

SVG = "{http://www.w3.org/2000/svg}"
Box = tuple[float, float, float, float]


def positions(players: int) -> list[State]:
    """Early, in the middle, late and at the end of a random game."""
    rng, state, found = random.Random(players), State.new(num_players=players, seed=players), []
    while not state.is_over:
        found.append(state.clone())
        state.apply_id(rng.choice(state.legal_ids().tolist()))
    return [*found[:: len(found) // 5], state]


def words(svg: str, box: Box) -> Counter[str]:
    """The texts that stand in a box (x, y, w, h)."""
    x, y, w, h = box
    texts = [
        element.text or ""
        for element in ET.fromstring(svg).iter(f"{SVG}text")
        if x <= float(element.get("x", 0)) <= x + w and y <= float(element.get("y", 0)) <= y + h
    ]
    return Counter(texts)


def panel(state: State, seat: int) -> Box:
    """Return the box of a seat's panel."""
    drawing = state.game.drawing()
    rows = seen_rows(drawing, state.game, state.states)
    head = next(row for row in rows.tolist() if row[PLACE] == drawing.place_list.index(f"player {seat}"))
    return head[X] - 4, head[Y] - 6, WIDTH, HEIGHT


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_count_of_a_player_stands_in_her_panel(players: int) -> None:
    for state in positions(players):
        svg, position = state.svg(), state.to_dict()
        for seat, player in enumerate(position["players"]):
            found = words(svg, panel(state, seat))
            plain = [player[key] for key in ("vp", "sesterces", "torches", "influence", "romans")]
            plain += [*player["bricks"].values(), *player["building_cards"].values(), *player["final_cards"]]
            for count, times in Counter(map(str, plain)).items():
                assert found[count] >= times, (seat, count, found)
            assert found[f"+{player['romans_reserve']}"] == found[f"deck {len(player['draw'])}"] == 1
            assert found[f"{position['youngest_first'].index(seat) + 1}. by youth"] == 1
            for card in player["hand"]:
                assert found[card] == 1
        market = Counter(f"×{count}" for count in position["market"].values())  # noqa: RUF001
        everywhere = words(svg, (0, 0, 960, 2000))
        assert all(everywhere[shown] >= times for shown, times in market.items())
        assert everywhere[str(position["reserve"])] >= 1
        assert everywhere[f"supply {len(position['supply_cards']['draw'])}"] == 1
        assert everywhere[f"used {len(position['supply_cards']['discard'])}"] == 1
        assert everywhere[f"round {position['round']}"] == 1


@pytest.mark.parametrize("players", [2, 4])
def test_hidden_hands_are_backs(players: int) -> None:
    for state in positions(players):
        svg = state.svg(view=0)
        for seat, player in enumerate(state.to_dict(view=0)["players"]):
            shown = words(svg, panel(state, seat))
            names = [card for card in state.game.components.card_names if shown[card]]
            assert shown[f"you: player {seat}"] == (seat == 0)
            if seat and seat != state.current_player:
                assert isinstance(player["hand"], dict)
                assert names == []


def test_an_svg_is_well_formed_and_follows_its_theme() -> None:
    state = State.new(num_players=3, seed=1)
    for theme in (None, "light", "dark"):
        svg = state.svg(theme=theme, legal=True)
        root = ET.fromstring(svg)
        assert root.get("viewBox") == "0 0 960 1082"
        sheet = root.find(f"{SVG}style")
        assert sheet is not None
        assert ("prefers-color-scheme" in (sheet.text or "")) == (theme is None)
        named = {element.get("class") for element in root.iter() if element.get("class")}
        assert named <= set(re.findall(r"\.([\w-]+)\{", sheet.text or ""))
        assert sum("-legal" in str(element.get("class")) for element in root.iter()) == len(state.legal_actions())
    assert state._repr_svg_() == state.svg()
    with pytest.raises(ValueError, match="theme must be None or one of 'light', 'dark', not 'blue'"):
        state.svg(theme="blue")
    with pytest.raises(ValueError, match="player must be a seat"):
        state.svg(view=3)


def test_marks_tell_nothing_of_others_hands() -> None:
    state = State.new(num_players=2, seed=1)
    state.apply(f"place {BUILDINGS[0]}")
    asked = state.player
    assert "-legal" in state.svg(view=asked, legal=True).split("</style>")[1]
    assert "-legal" not in state.svg(view=1 - asked, legal=True).split("</style>")[1]
