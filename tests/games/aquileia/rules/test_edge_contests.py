"""Edge positions of the fight and the race (A27 to A36)."""

from __future__ import annotations

import pytest

from tests.games.aquileia.oracle.referee import Position
from tests.games.aquileia.rules.judges import Judge
from tests.games.aquileia.rules.positions import Table, asked, faces, hand, points, stock


def strengths(position: Position, **of: int) -> Position:
    """The position with these strengths, `s0=5` for seat 0; they stand where they are."""
    changed = dict(position["contest"]["strength"]) | {seat[1:]: strength for seat, strength in of.items()}
    return position | {"contest": position["contest"] | {"strength": changed}}


# ------------------------------------------------------------------------------------------------ cards


def test_a_fighter_with_horses_only_is_asked_done_alone_A20(judge: Judge) -> None:
    """A20, A29: who holds any slave or equi card is asked; one without any is not."""
    table = Table().put(arena_1=0, arena_2=1, arena_3=2).equi(0, "gold_horse_2").slaves(2, singles=1)
    position = table.run(judge)
    assert (asked(position), judge.legal(position)) == (("arena_cards", 0), ["done"])
    position = judge.play(position, "done")
    assert (asked(position), judge.legal(position)) == (("arena_cards", 2), ["done", "play slave_1"])


def test_a_racer_with_weapons_or_foreign_horses_is_asked_done_alone_A33(judge: Judge) -> None:
    """A33: who holds any equi card is asked, slaves do not count; only horses of the own side can be played."""
    table = Table().put(gold_1=0, gold_2=1, silver_1=2, silver_2=3).slaves(1, singles=2)
    table.equi(0, "weapon_3", "silver_horse_1").equi(2, "silver_horse_1", "silver_horse_2", "gold_horse_1")
    position = table.run(judge)
    assert (asked(position), judge.legal(position)) == (("stadium_cards", 0), ["done"])
    position = judge.play(position, "done")
    assert asked(position) == ("stadium_cards", 2)
    assert judge.legal(position) == ["done", "play silver_horse_1", "play silver_horse_2"]
    position = judge.play(position, "play silver_horse_2")
    assert judge.legal(position) == ["done"]  # not before the last one played; the gold horse stays hers
    assert judge.play(position, "done")["phase"] == "stadium_prize"  # seat 1 and seat 3 hold no equi card


def test_cards_are_played_in_their_order_A29(judge: Judge) -> None:
    """A29, A6: slaves before weapons, weaker before stronger; of equal cards the known one is played first."""
    table = Table().put(arena_1=0, forum_1=1).slaves(0, singles=1, doubles=2)
    table.equi(0, "weapon_1", known=True).equi(0, "weapon_1", "weapon_3", "gold_horse_1")
    position = table.run(judge)
    start = position["contest"]["strength"]["0"]
    assert judge.legal(position) == ["done", *(f"play {f}" for f in ("slave_1", "slave_2", "weapon_1", "weapon_3"))]
    position = judge.play(position, "play slave_2")
    assert judge.legal(position) == ["done", *(f"play {f}" for f in ("slave_2", "weapon_1", "weapon_3"))]
    position = judge.play(position, "play weapon_1")
    assert position["contest"] == {"strength": {"0": start + 3}, "last": "weapon_1"}
    assert (hand(position, 0, "equi")["weapon_1"], hand(position, 0, "equi_known")) == (1, {})
    assert judge.legal(position) == ["done", "play weapon_1", "play weapon_3"]
    position = judge.play(position, "play weapon_3")
    assert judge.legal(position) == ["done"]
    assert (position["slaves"]["discard"]["slave_2"], position["equi"]["discard"]["weapon_3"]) == (1, 1)
    assert position["contest"]["strength"]["0"] == start + 6


def test_with_the_last_card_played_she_is_done_A29(judge: Judge) -> None:
    """A29, A33: the next is asked at once."""
    table = Table().put(arena_1=0, arena_2=1).slaves(0, singles=1).slaves(1, singles=1)
    assert asked(judge.play(table.run(judge), "play slave_1")) == ("arena_cards", 1)


def test_all_fighters_throw_before_the_first_is_asked_A28(judge: Judge) -> None:
    """A28, A18: in turn order from the starting player; strength is spaces and bronze."""
    table = Table(5, start=3).put(arena_1=0, arena_2=4, arena_3=0).slaves(0, singles=1).slaves(4, singles=1)
    position = table.run(judge)
    assert asked(position) == ("arena_cards", 4)
    bronze = {seat: faces(position, "arena", seat)["bronze"] for seat in (0, 4)}
    assert position["contest"]["strength"] == {"0": 3 + bronze[0], "4": 1 + bronze[4]}
    assert all(faces(position, "arena", seat).total() == 3 for seat in (0, 4))


# ------------------------------------------------------------------------------------------------ rank


@pytest.mark.parametrize(
    ("crests", "order"),
    [
        ((1, 2, 0), [1, 0, 3]),  # both placed: the nearer to place 1
        ((3,), [3, 1, 0]),  # one placed before the unplaced; then turn order
        ((), [1, 3, 0]),  # none placed: turn order, from seat 1 on
        ((2, 0), [0, 1, 3]),
    ],
)
def test_three_ways_of_breaking_a_tie_A31(judge: Judge, crests: tuple[int, ...], order: list[int]) -> None:
    """A31: strength; the crest; a placed one before an unplaced one; turn order."""
    table = Table(start=1).put(arena_1=0, arena_2=1, arena_3=3, potentia=0).track(*crests)
    position = strengths(table.run(judge), s0=6, s1=6, s3=6)
    assert asked(position) == ("arena_dice", 0)
    position = judge.play(position, "dice 0")
    assert asked(position) == ("arena_prize", order[0])
    assert [stock(position, seat)[0] for seat in order] == [3, 2, 1]
    assert points(judge.play(position, "take slave"))[order[1]] == 12


def test_strength_comes_before_crests_A31(judge: Judge) -> None:
    """A31: the stronger one wins from the last place of the track."""
    table = Table().put(gold_1=0, silver_3=1).track(0, 1).equi(0, "weapon_1")
    position = judge.play(strengths(table.run(judge), s0=3, s1=5), "done")
    assert asked(position) == ("stadium_prize", 1)
    assert (stock(position, 1), stock(position, 0)) == ((0, 3, 0), (0, 0, 2))


def test_ties_in_a_race_are_broken_alike_A35(judge: Judge) -> None:
    """A35, A31: the crest nearer to place 1; a fourth racer gets nothing."""
    table = Table(5).put(gold_1=0, silver_1=1, gold_2=2, silver_2=4).track(4, 3, 2).equi(4, "weapon_1")
    position = judge.play(strengths(table.run(judge), s0=7, s1=7, s2=7, s4=7), "done")
    assert asked(position) == ("stadium_prize", 4)
    assert [stock(position, seat) for seat in range(5)] == [(0, 0, 1), (0, 0, 0), (0, 0, 2), (0, 0, 0), (0, 3, 0)]


# ------------------------------------------------------------------------------------------------ prizes


def test_a_single_fighter_chooses_and_the_other_half_is_lost_A32(judge: Judge) -> None:
    """A32: 3 bronze before the question."""
    position = Table().put(arena_3=2, forum_1=0).run(judge)
    assert (asked(position), stock(position, 2)) == (("arena_prize", 2), (3, 0, 0))
    strength, top = position["contest"]["strength"]["2"], position["slaves"]["draw"][0]
    scored, drew = judge.play(position, "take points"), judge.play(position, "take slave")
    assert (points(scored)[2], hand(scored, 2)) == (2 * strength, {})
    assert (points(drew)[2], hand(drew, 2)) == (0, {top: 1})
    assert scored["slaves"]["draw"] == position["slaves"]["draw"]


def test_the_second_scores_her_own_strength_A32(judge: Judge) -> None:
    """A32: the first takes the slave card."""
    table = Table().put(arena_1=0, arena_2=1, arena_3=2, potentia=0, forum_1=0)
    position = judge.play(strengths(table.run(judge), s0=3, s1=9, s2=5), "dice 0", "take slave")
    assert points(position) == [0, 0, 10, 0]
    assert sum(hand(position, 1).values()) == 1
    assert position["spaces"] == {"forum_1": 0}


@pytest.mark.parametrize("choice", ["take points", "take slave"])
def test_no_slave_card_anywhere_A32(judge: Judge, choice: str) -> None:
    """A32, A51: none is received, both choices stay legal."""
    table = Table().put(arena_1=0, arena_2=1, forum_1=3).piles("slaves", [], [], holder=3)
    position = table.run(judge)
    assert judge.legal(position) == ["take points", "take slave"]
    first, strength = position["current_player"], position["contest"]["strength"]
    scorer = first if choice == "take points" else 1 - first
    position = judge.play(position, choice)
    assert points(position)[scorer] == 2 * strength[str(scorer)]
    assert (hand(position, 0), hand(position, 1), asked(position)) == ({}, {}, ("forum", 3))


def test_the_slave_card_of_the_prize_can_come_from_the_rebuilt_pile_A51(judge: Judge) -> None:
    """A51, A32: rebuilt only when a card is needed."""
    table = Table().put(arena_1=0, forum_1=3).piles("slaves", [], ["slave_2"], holder=3)
    position = table.run(judge)
    assert position["slaves"] == {"draw": [], "discard": {"slave_1": 0, "slave_2": 1}}
    assert hand(judge.play(position, "take slave"), 0) == {"slave_2": 1}
    assert judge.play(position, "take points")["slaves"] == position["slaves"]


# ------------------------------------------------------------------------------------------------ blue dice


def test_the_owner_of_the_blue_dice_says_how_many_she_throws_A30(judge: Judge) -> None:
    """A30: 0 to 4, after all cards; the rest stays for the race."""
    table = Table().put(arena_1=0, arena_2=1, potentia=1, silver_1=1).slaves(0, singles=1).equi(1, "weapon_1")
    position = table.run(judge)
    assert asked(position) == ("arena_cards", 0)
    position = judge.play(position, "play slave_1", "done")
    assert (asked(position), judge.legal(position)) == (("arena_dice", 1), [f"dice {n}" for n in range(5)])
    before = position["contest"]["strength"]["1"]
    position = judge.play(position, "dice 3")
    thrown = faces(position, "arena_blue")
    assert (thrown.total(), position["blue_dice"]) == (3, {"owner": 1, "left": 1})
    assert position["contest"]["strength"]["1"] == before + thrown["bronze"]


def test_who_does_not_fight_keeps_all_four_for_the_race_A34(judge: Judge) -> None:
    """A34: all that are left, unasked, after all cards."""
    table = Table().put(arena_1=0, potentia=1, silver_1=1, gold_1=2).equi(1, "weapon_1")
    position = table.run(judge)
    assert asked(position) == ("arena_prize", 0)  # nobody is asked for blue dice
    position = judge.play(position, "take points")
    assert (asked(position), position["blue_dice"]) == (("stadium_cards", 1), {"owner": 1, "left": 4})
    before = position["contest"]["strength"]["1"]
    position = judge.play(position, "done")
    thrown = faces(position, "stadium_blue")
    assert (thrown.total(), position["blue_dice"]) == (4, None)
    assert position["contest"]["strength"]["1"] == before + thrown["silver"]


def test_blue_dice_used_up_in_the_fight_A34(judge: Judge) -> None:
    """A34, A30: none are left for the race."""
    table = Table().put(arena_1=0, potentia=0, silver_1=0).equi(0, "weapon_1")
    position = judge.play(table.run(judge), "done", "dice 4")
    assert position["blue_dice"] == {"owner": 0, "left": 0}
    position = judge.play(position, "take points", "done")
    assert (asked(position), position["dice"]["stadium_blue"]) == (("stadium_prize", 0), [])
    assert len(position["dice"]["arena_blue"]) == 4


def test_blue_dice_of_one_who_neither_fights_nor_races_A34(judge: Judge) -> None:
    """A34, A27: they do nothing, and go back when they would be thrown."""
    table = Table().put(arena_1=0, potentia=3, silver_1=1).equi(1, "weapon_1")
    position = judge.play(table.run(judge), "take points")
    assert position["blue_dice"] == {"owner": 3, "left": 4}
    position = judge.play(position, "done")
    assert (asked(position), position["blue_dice"], position["dice"]["stadium_blue"]) == (
        ("stadium_prize", 1),
        None,
        [],
    )


# ------------------------------------------------------------------------------------------------ stadium cards


@pytest.mark.parametrize(("kept", "laurels"), [("open", 10), ("drawn", 7)])
def test_one_racer_and_the_card_she_does_not_keep_leaves_the_game_A36(judge: Judge, kept: str, laurels: int) -> None:
    """A36, A35."""
    position = Table().put(gold_1=2, forum_1=0).stadium("laurel_10", "laurel_7").run(judge)
    assert (asked(position), judge.legal(position)) == (("stadium_prize", 2), ["keep drawn", "keep open"])
    position = judge.play(position, f"keep {kept}")
    entry = {"open": "laurel_10", "drawn": "laurel_7", "first": 2, "second": None, "first_kept": kept}
    assert (position["stadium"]["past"], position["stadium"]["open"]) == ([entry], None)
    assert [sheet["laurels"] for sheet in judge.scores(position)] == [0, 0, laurels, 0]


@pytest.mark.parametrize(("kept", "laurels"), [("open", [10, 7]), ("drawn", [7, 10])])
def test_the_second_gets_the_other_card_A35(judge: Judge, kept: str, laurels: list[int]) -> None:
    """A35: whatever the first keeps."""
    table = Table().put(gold_3=0, silver_1=1, forum_1=0).stadium("laurel_10", "laurel_7").equi(0, "weapon_1")
    position = judge.play(strengths(table.run(judge), s0=9), "done", f"keep {kept}")
    assert [sheet["laurels"] for sheet in judge.scores(position)] == [*laurels, 0, 0]


def test_without_a_racer_both_cards_leave_after_the_fight_A36(judge: Judge) -> None:
    """A36: as soon as no follower stands in Mercatus or Arena any more, before anything of Theatrum."""
    position = Table().put(arena_1=0, theatrum=1).coins(1, 1).stadium("white", "laurel_3").run(judge)
    assert (position["stadium"]["open"], position["stadium"]["past"]) == ("white", [])
    position = judge.play(position, "take points")
    assert asked(position) == ("auction", 1)
    entry = {"open": "white", "drawn": "laurel_3", "first": None, "second": None, "first_kept": None}
    assert (position["stadium"]["past"], position["stadium"]["open"]) == ([entry], None)


def test_without_any_follower_both_cards_leave_too_A36(judge: Judge) -> None:
    """A36, A50: nobody stands anywhere: the round ends with the last pass."""
    position = Table(3).stadium("white", "laurel_3").run(judge)
    assert (asked(position), position["round"]) == (("place", 0), 2)
    assert position["stadium"]["past"][0]["first"] is None
    assert len(position["stadium"]["draw"]) == 9


def test_mercatus_is_waited_for_before_the_cards_leave_A36(judge: Judge) -> None:
    """A36: a follower at Servi still stands there while its holder is asked."""
    table = Table().put(servi_top=1, forum_1=0).coins(1, 1)
    position = table.run(judge)
    assert position["stadium"]["open"] is not None
    assert judge.play(position, "pass")["stadium"]["open"] is None
