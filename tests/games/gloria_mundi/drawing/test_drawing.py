"""The picture of a position shows its tracks, forum, fire, stones and displays."""

from __future__ import annotations

import random
from functools import cache
from typing import Final

import pytest

from porta_nigra_env.core.drawing.draw_list import STYLE, X, Y
from porta_nigra_env.core.drawing.tabletop import indices
from porta_nigra_env.games.gloria_mundi import game as room
from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import BASES, LETTERS, STONES
from porta_nigra_env.games.gloria_mundi.drawing.look import STYLES, ability_lines
from tests.games.gloria_mundi.policies import OTHER, raider_policy
from tests.games.pictures import Picture, box_of, picture

every_set = pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
#: Decisions between two positions that are looked at.
STRIDE: Final = 19
WIDTH: Final = 960
(HERE,) = indices(STYLES, "here")


@cache
def positions(components: str) -> tuple[room.State, ...]:
    """Positions of a game in which the Goth is often paid, the last one at its end."""
    rng = random.Random(3)
    state = room.State.new(num_players=3, seed=3, components=components)
    found = [state.clone()]
    while not state.is_over:
        for _ in range(STRIDE):
            if not state.is_over:
                state.apply(raider_policy(state.legal_actions(), rng))
        found.append(state.clone())
    return tuple(found)


def panel_line(drawn: Picture, seat: int, down: int) -> list[str]:
    """A line of words of a seat's panel, so far below its name."""
    _, y, _, h = drawn.find(f"player {seat}")
    return drawn.words((0, y - 20 + down, WIDTH, h + 30))


@every_set
def test_panels_tell_what_players_have(components: str) -> None:
    for state in positions(components):
        position, drawn = state.to_dict(), picture(state)
        for seat, player in enumerate(position["players"]):
            stones = [str(player["stones"][stone]) for stone in STONES]
            hand = [word for base, letter in zip(BASES, LETTERS, strict=True)
                    for word in (letter, str(player["hand"][base]))]  # fmt: skip
            assert panel_line(drawn, seat, 0) == [
                str(seat), f"player {seat}", str(player["steps"]), *stones, "hand", *hand
            ]  # fmt: skip
            below = list(player["buildings"].values())
            display = []
            for base, letter in zip(BASES, LETTERS, strict=True):
                bare = player["bare"][base]
                display += [letter, str(bare + below.count(base)), base, f"{bare} bare"]
            assert panel_line(drawn, seat, 41) == display


@every_set
def test_building_cards_lie_in_their_owners_panels(components: str) -> None:
    most = 0
    for state in positions(components):
        position, drawn = state.to_dict(), picture(state)
        tops = [drawn.find(f"player {seat}")[1] for seat in range(state.num_players)]
        owners = {
            name.removeprefix("card "): sum(top < row[Y] for top in tops) - 1
            for name, row in drawn.places().items() if name.startswith("card ")
        }  # fmt: skip
        told = {card: seat for seat, player in enumerate(position["players"]) for card in player["buildings"]}
        assert owners == told
        most = max(most, len(told))
    assert most >= 2


@every_set
def test_forum_fire_and_deck(components: str) -> None:
    for state in positions(components):
        position, drawn = state.to_dict(view=0), picture(state, 0)
        places = drawn.places()
        for extra, card in position["forum"].items():
            words = drawn.words(box_of(places[f"forum {extra}"]))
            assert (card is None and not words) or card.replace("_", " ") in words
        lowest = max(box_of(places[f"forum {extra}"])[1] for extra in position["forum"]) + 90
        words = drawn.words((0, lowest, WIDTH, 100))
        assert str(position["deck"]["count"]) in words
        assert {card.replace("_", " ") for card in position["fire"]} == set(words) - {
            "deck", "fire", str(position["deck"]["count"])
        }  # fmt: skip


@every_set
def test_the_goth_and_the_tribute(components: str) -> None:
    paid = 0
    for state in positions(components):
        position, drawn = state.to_dict(), picture(state)
        _, top, _, _ = drawn.find("the Goth's way to Rome")
        lines = (len(state.game.components.provinces) + 2 + 12) // 13
        signs = drawn.signs((0, top + 20, WIDTH, lines * 66 + 6))
        lying = {stone: sum(found[stone] for found in position["tribute"]) for stone in STONES}
        assert {stone: signs.count(stone) for stone in STONES} == lying
        assert signs.count("goth") == 1
        (here,) = (row for row in drawn.rows if row[STYLE] == HERE)
        assert (here[X] - 12) // 72 + (here[Y] - top) // 66 * 13 == position["goth"]
        paid += sum(lying.values())
    assert paid


@every_set
def test_abilities_are_short(components: str) -> None:
    cards = load(components).data["building_cards"]
    assert max(len(line) for card in cards for line in ability_lines(card)) <= 42
    assert all(first for first, _ in map(ability_lines, cards))


def test_abilities_in_words() -> None:
    told = {card["name"]: ability_lines(card) for card in load("standard").data["building_cards"]}
    assert told["vinea"] == ("get 1 food, 1 step", "")
    assert told["circus"] == ("give 3 of any basic", "get 2 steps")
    assert told["fabrica"] == ("give another card", "get its laurel steps")
    assert told["arcus"] == ("2 steps", "if the Goth is on city")
    assert told["magister"] == ("pays gold", "for food/peace")
    assert told["templum_vestae"] == ("1 glory for each", "other peace; only this")
    assert told["theatrum"] == ("1 food", "for each own glory")
