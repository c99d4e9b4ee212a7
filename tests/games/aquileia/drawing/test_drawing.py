"""Pictures agree with positions: followers, houses, panels, hands, final points."""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from porta_nigra_env.core.drawing.draw_list import STYLE, H, W, X, Y, as_lists
from porta_nigra_env.core.drawing.tabletop import BUILT
from porta_nigra_env.games.aquileia import game as room
from porta_nigra_env.games.aquileia.components.names import KINDS
from porta_nigra_env.games.aquileia.drawing import pieces
from tests.games.aquileia.policies import eager_policy
from tests.games.pictures import box_of, picture

OTHER: Final = str(Path(__file__).parents[1] / "components" / "other.toml")
every_set = pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
#: Decisions between two positions that are looked at.
STRIDE: Final = 23


@cache
def positions(components: str) -> tuple[room.State, ...]:
    """Positions of a game of eager players, the last one at its end."""
    rng = random.Random(4)
    state = room.State.new(num_players=4, seed=4, components=components)
    found = [state.clone()]
    while not state.is_over:
        for _ in range(STRIDE):
            if not state.is_over:
                state.apply(eager_policy(state.legal_actions(), rng))
        found.append(state.clone())
    return tuple(found)


@every_set
def test_followers_and_houses_are_drawn_in_place(components: str) -> None:
    for state in positions(components):
        position, drawn = state.to_dict(), picture(state)
        places = drawn.places()
        for space in state.game.components.spaces:
            holder = position["spaces"].get(space)
            signs = [sign for sign in drawn.signs(box_of(places[f"space {space}"])) if sign.startswith("seat_")]
            owner = position["blue_dice"] and position["blue_dice"]["owner"]
            also = [] if space != "potentia" or owner is None else [f"seat_{owner}"]
            assert signs == [f"seat_{holder}"] * (holder is not None) + also
        for site in state.game.components.buildings:
            owner = position["buildings"].get(site)
            style = places[f"site {site}"][STYLE]
            assert (style - BUILT if BUILT <= style < BUILT + state.num_players else None) == owner
        track = drawn.signs(box_of(places["advantage track"]))
        assert track == [f"seat_{seat}" for seat in position["advantage"]]


@every_set
def test_panels_show_the_players_pieces(components: str) -> None:
    for state in positions(components):
        position, drawn = state.to_dict(), picture(state)
        for seat, player in enumerate(position["players"]):
            _, y, _, h = drawn.find(f"player {seat}")
            line = drawn.words((0, y - 20, 700, h + 40))
            placed = sum(holder == seat for holder in position["spaces"].values())
            built = sum(owner == seat for owner in position["buildings"].values())
            constants = state.game.components.data["constants"]
            coins = [word for kind in KINDS for word in (kind[0].upper(), str(player["coins"][kind]))]
            assert line == [
                str(seat), f"player {seat}", str(player["vp"]), *coins,
                str(constants["followers_per_player"] - placed), str(constants["houses_per_player"] - built),
            ]  # fmt: skip


@every_set
def test_hands_are_open_to_their_owners_and_backs_to_others(components: str) -> None:
    seen = 0
    for state in positions(components)[:-1]:
        asked = state.current_player
        assert asked is not None
        hand = {**state.to_dict()["players"][asked]["slaves"], **state.to_dict()["players"][asked]["equi"]}
        held = {f"card {face}" for face, number in hand.items() if number}
        for view in (asked, (asked + 1) % state.num_players):
            drawn = picture(state, view)
            found = {name for name in drawn.places() if name.startswith("card ")}
            told = state.to_dict(view=view)["players"][asked]
            known = {f"card {face}" for face, number in told["equi_known"].items() if number}
            assert found == (held if view == asked else known)
            seen += found != held
            hidden = 0 if view == asked else told["equi"]["count"] - sum(told["equi_known"].values())
            if hidden:
                assert f"×{hidden}" in drawn.words((0, 0, *drawn.drawing.sizes[4]))  # noqa: RUF001
    assert seen


@every_set
def test_ended_games_show_their_points(components: str) -> None:
    state = positions(components)[-1]
    constants: Any = as_lists(state.game.constants[0])
    record: Any = as_lists(state.states[0])
    words = picture(state).words((0, 0, *picture(state).drawing.sizes[4]))
    for seat, score in enumerate(state.scores()):
        assert pieces.laurel_points(constants, record, seat) == score["laurels"]
        assert pieces.villa_points(constants, record, seat) == sum(score["villas"].values())
        assert f"{score['total']} VP" in words
    assert any(score["laurels"] or sum(score["villas"].values()) for score in state.scores())


def test_boxes_of_spaces_get_narrower_with_their_number() -> None:
    first, other = (picture(positions(components)[0]) for components in ("standard", OTHER))
    for drawn in (first, other):
        rows = [row for name, row in drawn.places().items() if name.startswith("space ")]
        assert len({row[Y] for row in rows}) == 3, "three lines of areas"
        assert all(row[X] + row[W] <= 960 and row[H] > 60 for row in rows)
    assert first.places()["space arena_1"][W] > other.places()["space arena_1"][W]
