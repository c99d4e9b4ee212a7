"""Edge positions of placement and Mercatus (A11 to A27)."""

from __future__ import annotations

import pytest

from tests.games.aquileia.rules.judges import Judge
from tests.games.aquileia.rules.positions import REFEREE, Table, asked, hand, points, stock


@pytest.mark.parametrize(
    ("taken", "offered", "not_offered"),
    [
        ({}, ["arena_1", "arena_3", "gold_1", "gold_3"], ["arena_2", "gold_2"]),
        ({"arena_1": 1, "gold_1": 1}, ["arena_2", "arena_3", "gold_2", "gold_3"], ["arena_1", "gold_1"]),
        ({"arena_2": 1, "gold_2": 1}, ["arena_1", "arena_3", "gold_1", "gold_3"], ["arena_2", "gold_2"]),
        ({"arena_3": 1, "silver_3": 1}, ["arena_1", "silver_1"], ["arena_2", "arena_3", "silver_2", "silver_3"]),
    ],
)
def test_of_spaces_alike_the_first_free_one_is_offered_A13(
    judge: Judge, taken: dict[str, int], offered: list[str], not_offered: list[str]
) -> None:
    """A13: strength 1 in the Arena is `arena_1`, and `arena_2` only when that is taken."""
    legal = judge.legal(Table().put(**taken).asked(0))
    assert {f"place {name}" for name in offered} <= set(legal)
    assert not {f"place {name}" for name in not_offered} & set(legal)


def test_spaces_of_the_forum_are_offered_each_A13(judge: Judge) -> None:
    """A13: Forum 1 and 4 do the same, but at different times."""
    assert {"place forum_1", "place forum_4", "place servi_top"} <= set(judge.legal(Table().asked(0)))


def test_nobody_stands_on_both_sides_A14(judge: Judge) -> None:
    """A14: several spaces of one side are allowed; elsewhere a player may hold any number of spaces."""
    legal = judge.legal(Table().put(gold_1=0, arena_1=0, forum_1=0, silver_1=1).asked(0))
    assert {"place gold_2", "place gold_3", "place arena_2", "place arena_3", "place forum_2"} <= set(legal)
    assert not [action for action in legal if action.startswith("place silver")]


def test_one_coin_space_a_player_and_the_thief_beside_it_A14(judge: Judge) -> None:
    """A14: Latro is no coin space."""
    legal = judge.legal(Table().coins(0, 1, 1, 1).put(portus_gold=0).asked(0))
    assert [action for action in legal if "portus" in action] == []
    assert "place latro" in legal


def test_a_coin_space_takes_its_coin_at_once_A15(judge: Judge) -> None:
    """A15: with one gold in stock it can then neither be bid nor spent at Servi bottom."""
    table = Table().coins(0, gold=1).coins(1, 1).put(servi_bottom=0, theatrum=0)
    assert [action for action in judge.legal(table.asked(0)) if "portus" in action] == ["place portus_gold"]
    position = judge.play(table.ready(0), "place portus_gold", "pass")
    assert (stock(position, 0), position["portus_coins"]) == ((0, 0, 0), ["gold"])
    assert asked(position) == ("auction", 1)  # not asked at Servi, out of the auction unasked
    assert position["auction"]["out"] == [0]


def test_any_other_free_space_may_be_taken_A16(judge: Judge) -> None:
    """A16: without a coin, even where a coin will be needed."""
    legal = set(judge.legal(Table().asked(0)))
    assert {"place pecunia", "place equi_left", "place servi_bottom", "place forum_1", "place latro"} <= legal
    assert "place portus_bronze" not in legal


def test_a_player_without_an_open_space_is_asked_to_pass_alone_A17(judge: Judge) -> None:
    """A17: five players; the spaces left are silver, and she stands on gold; the coin spaces cost what she has not."""
    table = Table(5).track(0)
    names = [n for n, s in REFEREE.board.spaces.items() if s.area not in ("stadium", "portus")] + ["gold_2", "gold_3"]
    table.put(gold_1=0, **{name: 1 + i // 5 for i, name in enumerate(names[:20])}, **{names[20]: 0})
    position = table.asked(0)
    assert judge.legal(position) == ["pass"]
    after = judge.play(position, "pass")
    assert (after["passed"], asked(after)) == ([0], ("place", 1))


def test_one_with_nothing_left_is_not_asked_A17(judge: Judge) -> None:
    """A17: no follower and no crest; the same seat again, if all others are done."""
    table = Table(3).track(1).put(dolus=1, pecunia=1, equi_left=1, equi_middle=1, equi_right=1)
    assert asked(judge.play(table.asked(0), "place forum_1")) == ("place", 2)
    position = judge.play(table.asked(0), "place forum_1", "pass")
    assert (asked(position), position["passed"]) == (("place", 0), [2])
    assert asked(judge.play(position, "place forum_2")) == ("place", 0)


def test_a_pass_is_final_for_the_round_crest_included_A11(judge: Judge) -> None:
    """A11: who has passed is not asked again, whatever she has left."""
    position = judge.play(Table(3).asked(0), "pass", "place crest", "place crest")
    assert (position["passed"], position["advantage"], asked(position)) == ([0], [1, 2], ("place", 1))
    assert asked(judge.play(position, "place dolus", "place pecunia")) == ("place", 1)


def test_the_crest_ends_nothing_for_its_owner_A12(judge: Judge) -> None:
    """A12: followers may come after it, and it may come after the last follower."""
    assert "place dolus" in judge.legal(Table().track(0).asked(0))
    table = Table().put(forum_1=0, forum_2=0, forum_3=0, forum_4=0, forum_5=0)
    assert judge.legal(table.asked(0)) == ["pass", "place crest"]


def test_last_rounds_dice_are_taken_up_with_the_last_placement(judge: Judge) -> None:
    """A17, A21: Dolus' dice lie there until the next placement ends."""
    position = Table(3).put(dolus=0).run(judge)
    assert (asked(position), len(position["dice"]["dolus"])) == (("place", 0), 2)
    position = judge.play(position, "place forum_1", "pass", "pass")
    assert len(position["dice"]["dolus"]) == 2
    assert judge.play(position, "pass")["dice"]["dolus"] == []


def test_dolus_gives_a_coin_of_the_kind_on_each_die_A21(judge: Judge) -> None:
    """A21: without a question."""
    position = Table().put(dolus=2, forum_1=0).run(judge)
    assert asked(position) == ("forum", 0)
    coins = position["players"][2]["coins"]
    assert sorted(kind for kind, count in coins.items() for _ in range(count)) == sorted(position["dice"]["dolus"])


def test_received_coins_are_not_given_again_A24(judge: Judge) -> None:
    """A24, A22, A23: after `exchange bronze silver` only the own silver, and no bronze; 4 VP once."""
    position = Table().put(pecunia=0).coins(0, 1, 1).run(judge)
    assert judge.legal(position) == [
        "done",
        "exchange bronze gold",
        "exchange bronze silver",
        "exchange silver bronze",
        "exchange silver gold",
    ]
    position = judge.play(position, "exchange bronze silver")
    assert (stock(position, 0), points(position)[0]) == ((0, 2, 0), 4)
    assert position["exchange"] == {"received": {"bronze": 0, "silver": 1, "gold": 0}, "last": "bronze silver"}
    assert judge.legal(position) == ["done", "exchange silver bronze", "exchange silver gold"]
    position = judge.play(position, "exchange silver gold")  # nothing can follow: it ends by itself
    assert (stock(position, 0), points(position)[0]) == ((0, 1, 1), 4)
    assert asked(position) == ("place", 0)


def test_exchanges_keep_the_order_of_the_list_A24(judge: Judge) -> None:
    """A24: the next one is never before the last one made, which may be made again."""
    position = judge.play(Table().put(pecunia=0).coins(0, 2, 2, 0).run(judge), "exchange silver bronze")
    assert judge.legal(position) == ["done", "exchange silver bronze", "exchange silver gold"]


def test_no_points_without_an_exchange_A23(judge: Judge) -> None:
    """A23, A19: she may decline; without a coin she is not asked (A20)."""
    assert points(judge.play(Table().put(pecunia=0).coins(0, 1).run(judge), "done")) == [0] * 4
    assert asked(Table().put(pecunia=0).run(judge)) == ("place", 0)


@pytest.mark.parametrize(("draw", "discard", "second"), [([], ["weapon_3"], True), ([], [], False)])
def test_the_left_spaces_second_card_A25(judge: Judge, draw: list[str], discard: list[str], second: bool) -> None:
    """A25, A51: pile empty, discard not: from the rebuilt pile; both empty: one card for the bronze."""
    table = Table().put(equi_left=0, forum_1=0).coins(0, 1).row("gold_horse_1", "weapon_1", "weapon_2")
    position = table.piles("equi", draw, discard, holder=1).run(judge)
    assert (asked(position), judge.legal(position)) == (("equi", 0), ["buy 1", "pass"])
    position = judge.play(position, "buy 1")
    assert hand(position, 0, "equi") == ({"gold_horse_1": 1, "weapon_3": 1} if second else {"gold_horse_1": 1})
    assert hand(position, 0, "equi_known") == {"gold_horse_1": 1}  # A6: the second is unseen by others
    assert position["equi"]["row"] == [None, "weapon_1", "weapon_2"]
    assert (position["equi"]["draw"], sum(position["equi"]["discard"].values())) == ([], 0)
    assert stock(position, 0) == (0, 0, 0)


def test_who_is_not_asked_at_equi_A25(judge: Judge) -> None:
    """A20, A25: without a bronze in stock, or if no card lies there."""
    table = Table().put(equi_left=0, equi_middle=1, forum_1=2).coins(0, silver=3).coins(1, 3)
    table.row("gold_horse_1", None, "weapon_2").piles("equi", [], [], holder=3)
    assert asked(table.run(judge)) == ("forum", 2)


def test_the_other_spaces_of_equi_sell_one_card_A25(judge: Judge) -> None:
    """A25, A18, A50: left before right; the gap stays until the clean-up, which fills it."""
    table = Table().put(equi_left=2, equi_right=1).coins(1, 1).coins(2, 1).row("weapon_1", "weapon_2", "weapon_3")
    position = table.run(judge)
    assert asked(position) == ("equi", 2)
    position = judge.play(position, "pass")
    assert asked(position) == ("equi", 1)
    top = position["equi"]["draw"][0]
    position = judge.play(position, "buy 1")
    assert (hand(position, 1, "equi"), hand(position, 2, "equi")) == ({"weapon_3": 1}, {})
    assert position["equi"]["row"] == ["weapon_1", "weapon_2", top]


def test_servi_sells_no_more_than_there_are_A26(judge: Judge) -> None:
    """A26, A51: pile 1, discard 1: `buy 2` is the most; the second card comes from the rebuilt pile."""
    table = Table().put(servi_bottom=0, forum_1=0).coins(0, gold=5)
    position = table.piles("slaves", ["slave_1"], ["slave_2"], holder=1).run(judge)
    assert judge.legal(position) == ["buy 1", "buy 2", "pass"]
    position = judge.play(position, "buy 2")
    assert (hand(position, 0), stock(position, 0)) == ({"slave_1": 1, "slave_2": 1}, (0, 0, 3))
    assert (position["slaves"]["draw"], position["slaves"]["discard"]) == ([], {"slave_1": 0, "slave_2": 0})


@pytest.mark.parametrize(
    ("space", "coins", "most"),
    [
        ("servi_top", (5, 0, 0), 1),
        ("servi_middle", (0, 5, 0), 2),
        ("servi_middle", (0, 1, 5), 1),
        ("servi_bottom", (0, 0, 5), 3),
        ("servi_bottom", (5, 5, 2), 2),
        ("servi_bottom", (5, 5, 0), 0),
    ],
)
def test_servi_sells_for_coins_of_its_kind_A26(judge: Judge, space: str, coins: tuple[int, ...], most: int) -> None:
    """A26, A20: not asked if she can buy none."""
    position = Table().put(**{space: 3}).coins(3, *coins).run(judge)
    if most == 0:
        assert asked(position) == ("place", 0)
    else:
        assert asked(position) == ("servi", 3)
        assert judge.legal(position) == [*(f"buy {cards}" for cards in range(1, most + 1)), "pass"]


def test_nobody_can_buy_where_no_card_is_A26(judge: Judge) -> None:
    """A20, A26: pile and discard empty."""
    table = Table().put(servi_top=0).coins(0, 5).piles("slaves", [], [], holder=1)
    assert asked(table.run(judge)) == ("place", 0)


def test_the_blue_dice_go_back_without_fight_and_race_A27(judge: Judge) -> None:
    """A27, A36: area III is over at once."""
    position = Table().put(potentia=1, forum_1=2).run(judge)
    assert (asked(position), position["blue_dice"]) == (("forum", 2), None)
