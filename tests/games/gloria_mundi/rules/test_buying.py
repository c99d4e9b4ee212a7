"""Cards that can be bought, base cards below them, and payments (G22 to G28)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.gloria_mundi.rules.positions import Table, asked, bare, buildings, steps, stock
from tests.lockstep.judges import Judge

#: A province far on, so that base cards can have been lost; the next one asks for gold.
FAR = 24


def table(farm: int = 1, city: int = 1, peace: int = 0, **cards: str) -> Table:
    """A buyer with these base cards and building cards; `murus` on +0 can be bought with any food."""
    return Table(goth=FAR).display(0, farm, city, peace, **cards).forum(p0="murus")


def buys(judge: Judge, position: Any) -> list[str]:
    """The cards that can be bought."""
    forum = position["forum"]
    return sorted(forum[action.split()[1]] for action in judge.legal(position) if action.startswith("buy"))


# ------------------------------------------------------------------------------------------------ which, and on what


def test_buying_is_voluntary_and_one_card_a_turn_G22(judge: Judge) -> None:
    """G22: `done`; after one card comes phase 5."""
    position = table(city=2).stock(0, food=2, gold=1).forum(p1="agger").asked("buy", "farm")
    assert judge.legal(position) == ["buy 0", "buy 1", "done"]
    for action in ("done", "buy 0"):
        assert judge.play(position, action)["phase"] == "goth"


def test_what_cannot_be_laid_cannot_be_bought_E17(judge: Judge) -> None:
    """E17, G22: no bare city for `vicus`."""
    rich = {"food": 9, "gold": 9, "peace": 9}
    position = table(city=0, taberna="city").stock(0, **rich).forum(p1="vicus", p2="vallum").asked("buy", "farm")
    assert buys(judge, position) == ["vallum"]  # murus lies on cities as well


def test_a_builder_lies_on_any_type_of_which_there_is_a_bare_card_G23(judge: Judge) -> None:
    """G23: asked before the payment; the base card played in this turn counts."""
    position = table(1, 0, 1, taberna="city").stock(0, 3, 3, 3).forum(p1="faber").asked("buy", "farm")
    position = judge.play(position, "buy 1")
    assert (asked(position), judge.legal(position)) == (("place", 0), ["on farm", "on peace"])
    assert (position["purchase"], position["payment"]) == ({"place": 1, "base": None}, None)
    position = judge.play(position, "on peace")
    assert position["purchase"] == {"place": 1, "base": "peace"}
    assert position["forum"]["1"] == "faber"  # until it is paid
    position = judge.play(position, "pay food 2")
    assert (buildings(position, 0), bare(position, 0)) == ({"taberna": "city", "faber": "peace"}, (1, 0, 0))


def test_walls_lie_on_the_type_they_show_and_coloured_cards_on_their_own_G23(judge: Judge) -> None:
    """G23: one building card on a base card; nothing moves up in the forum (G6)."""
    places = {"p5": "limes", "p4": "castellum", "p3": "vallum", "p2": "foedus", "p1": "taberna"}
    position = table(1, 0, 0, turris="city").stock(0, 9, 9, 9).forum(**places).asked("buy", "farm")
    assert buys(judge, position) == ["vallum"]
    before = position["forum"]
    position = judge.play(position, "buy 3", "pay food 3")
    assert position["forum"] == before | {"3": None}
    assert buildings(position, 0) == {"turris": "city", "vallum": "farm"}
    assert position["purchase"] is None
    assert position["payment"] is None


def test_laurel_steps_are_moved_once_the_card_is_paid_G23(judge: Judge) -> None:
    """G23, G39: a purchase that reaches Africa is complete."""
    base = table(city=2).stock(0, food=2, gold=1, peace=1).forum(p0="taberna", p1="agger")
    position = judge.play(base.at(0, 10).asked("buy", "farm"), "buy 0")
    assert (buildings(position, 0), position["players"][0]["steps"]) == ({"taberna": "city"}, 12)
    position = judge.play(base.at(0, 38).asked("buy", "farm"), "buy 0")
    assert (position["phase"], position["end"], steps(position)) == ("over", "africa", [39, 0])
    assert (buildings(position, 0), stock(position, 0)) == ({"taberna": "city"}, (0, 0, 0, 0))
    assert position["forum"]["0"] is None


def test_a_card_lost_later_never_moves_the_roman_back_G28(judge: Judge) -> None:
    """G28, E17: the stones paid are in the supply, the steps stay."""
    position = Table(goth=23).display(0, farm=0, horreum="farm", vallum="farm").at(0, 7).stock(0, food=1).asked(
        "goth", "farm"
    )  # fmt: skip
    position = judge.play(position, "goth", "lose horreum")
    assert (steps(position), "horreum" in position["fire"], buildings(position, 0)) == (
        [7, 0],
        True,
        {"vallum": "farm"},
    )


# ------------------------------------------------------------------------------------------------ payment


def test_the_only_payment_is_not_asked_T3(judge: Judge) -> None:
    """T3, G5, G27: all 8 stones."""
    base = table().forum(p1="vinea")
    position = base.stock(0, 3, 2, 2, 1).asked("buy", "farm")
    assert judge.legal(position) == ["buy 0", "buy 1", "done"]
    position = judge.play(position, "buy 1")
    assert (buildings(position, 0), stock(position, 0)) == ({"vinea": "farm"}, (0, 0, 0, 0))
    assert judge.legal(base.stock(0, 4, 2, 2).asked("buy", "farm")) == ["buy 0", "done"]


@pytest.mark.parametrize(
    ("stones", "with_pontifex", "offered"),
    [
        ((2, 3, 1), True, True),
        ((2, 3, 1), False, False),
        ((2, 2, 2), True, False),
        ((2, 3, 0, 1), False, True),
        ((3, 3, 1), False, False),
        ((1, 3, 0, 2), False, True),
    ],
)
def test_printed_glory_is_covered_by_glory_or_by_way_of_a_builder_T4(
    judge: Judge, stones: tuple[int, ...], with_pontifex: bool, offered: bool
) -> None:
    """T4, G24, G25: pontifex lets peace stand for glory, once."""
    base = table(1, 2, 1) if not with_pontifex else table(1, 2, 0, pontifex="peace")
    position = base.stock(0, *stones).forum(p0="curia", p1="vallum").asked("buy", "farm")
    assert ("curia" in buys(judge, position)) == offered


@pytest.mark.parametrize(("stones", "offered"), [((4, 1), True), ((5,), False), ((2, 3), True), ((3, 2), True)])
def test_builders_help_each_other_without_chains_T5(judge: Judge, stones: tuple[int, ...], offered: bool) -> None:
    """T5, G25: food for gold, gold for peace; food never for peace."""
    base = table(1, 1, 1, architectus="farm", redemptor="farm").stock(0, *stones)
    position = base.forum(p0="thermae", p1="vallum").asked("buy", "farm")
    assert ("thermae" in buys(judge, position)) == offered


def test_all_builders_with_x_help_in_one_purchase_G25(judge: Judge) -> None:
    """G25, G27: architectus lets food stand for gold, mensor peace for food; thermae costs 2 food, 2 gold, 1 peace."""
    base = table(1, 1, 1, architectus="farm", mensor="farm").forum(p0="thermae", p1="vallum")
    for stones, offered in (((4, 0, 1), True), ((2, 0, 3), True), ((1, 0, 4), False), ((5, 0, 0), False)):
        assert ("thermae" in buys(judge, base.stock(0, *stones).asked("buy", "farm"))) == offered, stones


def test_a_builder_without_x_covers_one_stone_G25(judge: Judge) -> None:
    """G25: faber lets any basic stone stand for any other, once in a purchase."""
    base = table(1, 1, 1, faber="farm").forum(p0="taberna", p1="vallum")  # 2 food, 1 gold, 1 peace
    assert "taberna" in buys(judge, base.stock(0, food=3, gold=1).asked("buy", "farm"))
    assert "taberna" not in buys(judge, base.stock(0, food=4).asked("buy", "farm"))
    base = table(1, 1, 1, faber="farm", architectus="peace").forum(p0="taberna", p1="vallum")
    assert "taberna" in buys(judge, base.stock(0, food=4).asked("buy", "farm"))


def test_the_card_being_bought_does_not_help_G25(judge: Judge) -> None:
    """G25: architectus costs 1 food and 1 gold."""
    base = table().forum(p0="architectus", p1="murus")
    assert buys(judge, base.stock(0, food=2).asked("buy", "farm")) == ["murus"]
    assert buys(judge, base.stock(0, food=1, gold=1).asked("buy", "farm")) == ["architectus", "murus"]


def test_builders_help_with_neither_tribute_nor_abilities_G25(judge: Judge) -> None:
    """G25, G30: food for gold and peace for food, while a card is bought."""
    table = Table(goth=FAR).display(0, equaria="farm", architectus="city", mensor="city").stock(0, 0, peace=9)
    position = judge.play(table.play(), "play farm")  # 3 food would make 2 steps, 1 gold pay the tribute
    assert (steps(position), stock(position, 0), position["goth"]) == ([0, 0], (2, 0, 9, 0), FAR + 1)


def test_any_stone_covers_the_extra_G24(judge: Judge) -> None:
    """G24: glory too; a payment has exactly as many stones as price and extra."""
    base = Table(goth=FAR).display(0, farm=2).forum(p0="agger", p4="vallum")
    position = base.stock(0, food=1, gold=1, glory=4).asked("buy", "farm")
    assert buys(judge, position) == ["agger", "vallum"]
    position = judge.play(position, "buy 4")
    assert judge.legal(position) == ["pay food 0", "pay food 1"]
    position = judge.play(position, "pay food 0")  # so 1 gold and all the glory
    assert (stock(position, 0), buildings(position, 0)) == ((1, 0, 0, 0), {"vallum": "farm"})


def test_amounts_with_which_the_payment_can_be_completed_G26(judge: Judge) -> None:
    """G24, G26: 2 food, 1 gold, 1 peace and 1 extra out of 3 food, 2 gold, 2 peace and 1 glory."""
    position = table(1, 2).stock(0, 3, 2, 2, 1).forum(p1="taberna").asked("buy", "farm")
    position = judge.play(position, "buy 1")
    assert (asked(position), judge.legal(position)) == (("pay", 0), ["pay food 1", "pay food 2", "pay food 3"])
    assert position["payment"] == {"food": None, "gold": None, "peace": None}
    begun_payment = judge.play(position, "pay food 1")  # the glory stands for food
    assert judge.legal(begun_payment) == ["pay gold 1", "pay gold 2"]
    assert stock(judge.play(begun_payment, "pay gold 2"), 0) == (2, 0, 1, 0)
    three = judge.play(position, "pay food 3")
    assert (three["payment"], judge.legal(three)) == (
        {"food": 3, "gold": None, "peace": None},
        ["pay gold 0", "pay gold 1"],
    )
    assert stock(judge.play(three, "pay gold 0"), 0) == (0, 2, 1, 0)
    three = judge.play(three, "pay gold 1")
    assert judge.legal(three) == ["pay peace 0", "pay peace 1"]
    assert stock(judge.play(three, "pay peace 0"), 0) == (0, 1, 2, 0)


def test_amounts_are_sorted_as_texts_G26(judge: Judge) -> None:
    """G26: ten comes before two."""
    base = table(1, 2, 0, architectus="peace").stock(0, 12, 3, 3, 9).forum(p5="palatium")
    position = judge.play(base.asked("buy", "farm"), "buy 5")
    assert judge.legal(position) == [f"pay food {n}" for n in sorted(map(str, range(12)))]
