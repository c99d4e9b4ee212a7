"""Order of the players in phase 3, and production of base cards (G9 to G12)."""

from __future__ import annotations

from tests.games.gloria_mundi.rules.positions import Table, asked, stock
from tests.lockstep.judges import Judge

#: A province far on, so that base cards can have been lost; the next one asks for gold.
FAR = 24


def test_one_player_after_the_other_from_the_active_one_on_G9(judge: Judge) -> None:
    """G9: clockwise; each player completes the activations before the next begins."""
    table = Table(3, active=1, goth=FAR).display(1, hortus="farm", olivetum="farm")
    table.display(2, piscina="farm", villa_rustica="farm").display(0, horreum="farm", apiarium="farm")
    position = judge.play(table.play(), "play farm")
    for seat, card in ((1, "hortus"), (2, "piscina"), (0, "horreum")):
        assert asked(position) == ("activate", seat)
        position = judge.play(position, f"use {card}")
        assert asked(position) == ("activate", seat)  # one card is left: its ability, or its base card's stone
        position = judge.play(position, "done")
    assert [stock(position, seat) for seat in range(3)] == [(4, 0, 0, 0), (2, 0, 0, 1), (2, 0, 0, 1)]


def test_farms_alone_when_a_farm_is_played_E2(judge: Judge) -> None:
    """E2, G9, G10: for all players."""
    table = Table(3, goth=FAR).display(0, farm=1, city=1, taberna="city").stock(0, gold=1)
    table.display(1, farm=2, peace=1, oraculum="peace").display(2, city=1)
    position = judge.play(table.play(), "play farm")
    assert [stock(position, seat) for seat in range(3)] == [(2, 1, 0, 0), (2, 0, 0, 0), (0, 0, 0, 0)]
    assert asked(position) == ("goth", 0)


def test_a_covered_base_card_gives_its_stone_or_the_ability_E3(judge: Judge) -> None:
    """E3, G10: never both."""
    before = judge.play(Table(goth=FAR).display(0, horreum="farm").stock(0, gold=1).play(), "play farm")
    assert judge.legal(before) == ["done", "use horreum"]
    assert stock(before, 0) == (1, 1, 0, 0)  # the farm just played
    assert stock(judge.play(before, "use horreum"), 0) == (4, 1, 0, 0)
    assert stock(judge.play(before, "done"), 0) == (2, 1, 0, 0)


def test_below_a_red_card_the_base_card_produces_G10(judge: Judge) -> None:
    """G10: walls and builders are not activated in this phase."""
    table = Table(goth=FAR).display(0, vallum="farm", faber="farm").stock(0, gold=1)
    position = judge.play(table.play(), "play farm")
    assert (asked(position), stock(position, 0)) == (("goth", 0), (3, 1, 0, 0))


def test_a_stone_just_produced_pays_for_a_card_E4(judge: Judge) -> None:
    """E4, G11: production is done first."""
    position = judge.play(Table(goth=FAR).display(0, farm=1, annona="farm").play(), "play farm")
    assert judge.legal(position) == ["done", "use annona"]
    position = judge.play(position, "use annona")
    assert (stock(position, 0), position["players"][0]["steps"]) == ((0, 0, 0, 0), 1)


def test_base_is_offered_while_two_cards_are_left_G11(judge: Judge) -> None:
    """G11: `base X` may pay for the other card; `done` lets all base cards produce."""
    position = judge.play(Table(goth=FAR).display(0, annona="farm", hortus="farm").play(), "play farm")
    assert judge.legal(position) == ["base annona", "base hortus", "done", "use hortus"]  # 1 food: no annona yet
    assert stock(judge.play(position, "done"), 0) == (3, 0, 0, 0)
    position = judge.play(position, "base hortus")
    assert (stock(position, 0), judge.legal(position)) == ((2, 0, 0, 0), ["done", "use annona"])
    assert position["activation"] == {"left": ["annona"], "card": None, "give_left": 0, "take_left": 0}


def test_cards_that_cannot_be_used_may_be_dealt_with_in_any_order_G11(judge: Judge) -> None:
    """G11, G12: two cards are left and neither can be used."""
    position = judge.play(Table(goth=FAR).display(0, annona="farm", equaria="farm").play(), "play farm")
    assert judge.legal(position) == ["base annona", "base equaria", "done"]
    position = judge.play(position, "base equaria")
    assert judge.legal(position) == ["done", "use annona"]


def test_what_can_be_used_now_G12(judge: Judge) -> None:
    """G12: produce and Goth always, give if all of the left side is there; use is voluntary."""
    table = Table(goth=FAR).display(0, city=1, taberna="city", circus="city", moneta="city", theatrum="city")
    position = judge.play(table.play(), "play city")
    assert stock(position, 0) == (0, 2, 0, 0)
    assert [action for action in judge.legal(position) if action.startswith("use")] == ["use moneta", "use taberna"]
    position = judge.play(position, "base theatrum")
    assert "use circus" in judge.legal(position)  # three basic stones now
    assert stock(judge.play(position, "done"), 0) == (0, 6, 0, 0)


def test_theatrum_counts_glory_T15(judge: Judge) -> None:
    """T15, G12, G18: with no glory it cannot be used, with 3 glory it gives 3 food."""
    table = Table(goth=FAR).display(0, theatrum="city", taberna="city")
    assert "use theatrum" not in judge.legal(judge.play(table.play(), "play city"))
    position = judge.play(table.stock(0, glory=3).play(), "play city")
    assert stock(judge.play(position, "use theatrum"), 0) == (3, 1, 0, 3)
