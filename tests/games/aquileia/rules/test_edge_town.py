"""Edge positions of Theatrum, Forum, Portus, the clean-up and the end (A37 to A55)."""

from __future__ import annotations

import pytest

from tests.games.aquileia.oracle.referee import Position
from tests.games.aquileia.rules.judges import Judge
from tests.games.aquileia.rules.positions import Table, asked, faces, hand, points, stock, until

WORKSHOPS = ("workshop_potter", "workshop_baker", "workshop_weaver")  # 2, 3 and 3 VP


# ------------------------------------------------------------------------------------------------ Theatrum


def test_nobody_has_a_coin_A37(judge: Judge) -> None:
    """A37, A20: nobody is asked, the auctioneer gets the card free."""
    position = Table().put(theatrum=2, forum_1=0).theatre("white_blue").run(judge)
    assert (asked(position), position["theatre"]["won"]) == (("forum", 0), {"white_blue": 2})


def test_nobody_opens_A37(judge: Judge) -> None:
    """A37: all decline: free for the auctioneer."""
    table = Table(3).put(theatrum=2).coins(0, 1).coins(1, 0, 1).coins(2, 0, 0, 1).theatre("white_blue")
    position = table.run(judge)
    for seat in (2, 0, 1):
        assert (asked(position), judge.legal(position)[-1]) == (("auction", seat), "pass")
        position = judge.play(position, "pass")
    assert position["theatre"]["won"] == {"white_blue": 2}
    assert [stock(position, seat) for seat in range(3)] == [(1, 0, 0), (0, 1, 0), (0, 0, 1)]


def test_the_last_one_opens_with_one_coin_A37(judge: Judge) -> None:
    """A37, A40: the auctioneer passes, the last one opens and wins at once; the coin goes to the auctioneer."""
    table = Table().put(theatrum=1).coins(1, 1).coins(2, 1).coins(3, 1).coins(0, 0, 0, 2).theatre("white_blue")
    position = judge.play(table.run(judge), "pass", "pass", "pass")
    assert (asked(position), position["auction"]["out"]) == (("auction", 0), [1, 2, 3])
    assert judge.legal(position) == ["bid gold", "pass"]
    position = judge.play(position, "bid gold")
    assert position["theatre"]["won"] == {"white_blue": 0}
    assert (stock(position, 0), stock(position, 1)) == ((0, 0, 1), (1, 0, 1))


def test_the_auctioneer_raises_again_and_pays_the_bank_A38(judge: Judge) -> None:
    """A38, A40: clockwise from the standing bidder; her own bid goes to the bank."""
    table = Table(3).put(theatrum=0).coins(0, 2, 1).coins(1, 1, 1).coins(2, 5).theatre("white_blue")
    position = judge.play(table.run(judge), "bid bronze")
    assert (asked(position), judge.legal(position)) == (("auction", 1), ["bid silver", "pass"])
    position = judge.play(position, "bid silver")
    assert asked(position) == ("auction", 0)  # seat 2 has no silver: out unasked
    assert (position["auction"]["out"], position["auction"]["bidder"]) == ([2], 1)
    position = judge.play(position, "bid bronze")  # seat 1 has no second bronze, nor a coin more: out unasked
    assert position["theatre"]["won"] == {"white_blue": 0}
    assert [stock(position, seat) for seat in range(3)] == [(0, 0, 0), (1, 1, 0), (5, 0, 0)]


def test_a_bidder_out_of_one_kind_drops_out_unasked_in_the_middle_A38(judge: Judge) -> None:
    """A38, A39: no coin stands for another, however many she has."""
    table = Table().put(theatrum=0).coins(0, 3).coins(1, 2, 2).coins(2, 0, 9, 9).coins(3, 3)
    position = judge.play(table.run(judge), "bid bronze", "bid silver")
    assert position["auction"] is None  # seat 2 has no bronze; seats 3 and 0 have no silver
    assert (stock(position, 0), stock(position, 1)) == ((4, 1, 0), (1, 1, 0))


def test_in_the_opening_who_has_no_coin_is_out_when_her_turn_comes_A37(judge: Judge) -> None:
    """A37, A20: and not before."""
    position = Table().put(theatrum=3).coins(1, 1).coins(2, 1).run(judge)
    assert (asked(position), position["auction"]["out"]) == (("auction", 1), [0, 3])
    position = judge.play(position, "bid bronze")
    assert position["auction"] is None  # seat 2 has but one coin
    assert position["theatre"]["won"][next(iter(position["theatre"]["won"]))] == 1
    assert stock(position, 3) == (1, 0, 0)


def test_bid_coins_stay_in_stock_until_the_end_A40(judge: Judge) -> None:
    """A40: only the winner pays, and she may bid all she has."""
    table = Table(3).put(theatrum=2).coins(2, 1, 1, 1).coins(0, 2, 2, 2)
    position = judge.play(table.run(judge), "bid gold")
    assert stock(position, 2) == (1, 1, 1)
    position = judge.play(position, "bid silver")
    assert (asked(position), judge.legal(position)) == (("auction", 2), ["bid bronze", "pass"])
    position = judge.play(position, "bid bronze", "pass")
    assert [stock(position, seat) for seat in range(3)] == [(2, 2, 2), (0, 0, 0), (0, 0, 0)]


# ------------------------------------------------------------------------------------------------ Forum


def test_with_all_houses_built_pass_alone_A41(judge: Judge) -> None:
    """A41, A20: the holder is asked all the same; with eight houses she builds her ninth."""
    sites = [f"villa_{colour}_{value}" for colour in ("white", "blue") for value in (4, 6, 8, 10)]
    table = Table().put(forum_1=0).build(0, *sites).coins(0, 1, 1)
    assert judge.legal(table.run(judge)) == ["build workshop_baker", "pass"]
    position = table.build(0, "villa_purple_4").run(judge)
    assert (asked(position), judge.legal(position)) == (("forum", 0), ["pass"])


def test_each_site_takes_one_house_A41(judge: Judge) -> None:
    """A41, A43: whoever built it."""
    table = Table().put(forum_1=0).coins(0, 1, 1).build(3, "workshop_baker")
    assert judge.legal(table.run(judge)) == ["pass"]


@pytest.mark.parametrize(
    ("due", "singles", "doubles", "paid"),
    [
        (1, 1, 1, (1, 0)),
        (1, 0, 1, (0, 1)),
        (2, 2, 1, (0, 1)),
        (2, 2, 0, (2, 0)),
        (2, 1, 1, (0, 1)),
        (3, 3, 3, (1, 1)),
        (3, 0, 3, (0, 2)),
        (3, 3, 0, (3, 0)),
        (3, 1, 2, (1, 1)),
    ],
)
def test_slaves_are_paid_by_rule_A44(judge: Judge, due: int, singles: int, doubles: int, paid: tuple[int, int]) -> None:
    """A44, A45: least surplus, then most doubles; paid cards go to the discard."""
    name, coins = {
        1: ("workshop_smith", (2, 0, 0)),
        2: ("villa_purple_8", (2, 2, 0)),
        3: ("villa_blue_10", (2, 2, 1)),
    }[due]
    table = Table().put(forum_1=0, forum_2=1).coins(0, *coins).slaves(0, singles, doubles)
    position = judge.play(table.run(judge), f"build {name}")
    left = {"slave_1": singles - paid[0], "slave_2": doubles - paid[1]}
    assert position["players"][0]["slaves"] == left
    assert position["slaves"]["discard"] == {"slave_1": paid[0], "slave_2": paid[1]}
    assert (stock(position, 0), points(position)[0]) == ((0, 0, 0), 0)


def test_too_few_slaves_or_one_coin_short_A43(judge: Judge) -> None:
    """A43: the coins kind by kind, the slaves at least."""
    legal = judge.legal(Table().put(forum_1=0).coins(0, 9, 1, 9).slaves(0, singles=1).run(judge))
    assert {"build villa_yellow_4", "build workshop_baker", "build workshop_smith"} <= set(legal)
    assert not {"build villa_blue_10", "build villa_yellow_6", "build workshop_glassblower"} & set(legal)


@pytest.mark.parametrize(("space", "value"), [("forum_1", 0), ("forum_2", 2), ("forum_4", 0), ("forum_5", 2)])
def test_two_spaces_score_the_value_of_any_building_A42(judge: Judge, space: str, value: int) -> None:
    """A42: of a money house, too."""
    table = Table().put(**{space: 0}).coins(0, gold=1).slaves(0, singles=1)
    assert points(judge.play(table.run(judge), "build money_house_bronze_silver"))[0] == value


def test_space_three_builds_up_to_two_and_a_pass_gives_up_the_rest_A43(judge: Judge) -> None:
    """A43, A46: the second is a new question with what is left."""
    table = Table().put(forum_3=0, forum_4=1).coins(0, 2, 2)
    position = table.run(judge)
    assert (position["builds_left"], asked(judge.play(position, "pass"))) == (2, ("forum", 1))
    position = judge.play(position, "build workshop_baker")
    assert (asked(position), position["builds_left"], judge.legal(position)) == (("forum", 0), 1, ["pass"])
    assert asked(judge.play(position, "pass")) == ("forum", 1)


# ------------------------------------------------------------------------------------------------ Portus


def thrown(judge: Judge, position: Position, one: str, other: str) -> Position:
    """The last pass, with these dice for the thief."""
    dice = sorted([one, other])
    return until(judge, position, "pass", lambda after: sorted(faces(after, "latro").elements()) == dice)


def test_the_thief_takes_her_own_coin_A47(judge: Judge) -> None:
    """A47, A48: and is asked to pay again, if she has something to activate."""
    table = Table().put(latro=0, portus_silver=0).build(0, "workshop_potter")
    position = thrown(judge, table.ready(0), "silver", "gold")
    assert (asked(position), stock(position, 0), position["portus_coins"]) == (("portus", 0), (0, 1, 0), [])
    assert judge.legal(position) == ["activate", "pass"]
    assert (points(judge.play(position, "activate"))[0], points(judge.play(position, "pass"))[0]) == (2, 0)


def test_two_dice_alike_take_one_coin_A47(judge: Judge) -> None:
    """A47: only coins that lie there."""
    table = Table().put(latro=0, portus_silver=1, portus_gold=2).build(1, "workshop_potter")
    position = thrown(judge, table.ready(0), "silver", "silver")
    assert (stock(position, 0), stock(position, 1), points(position)[1]) == ((0, 1, 0), (0, 0, 0), 0)
    position = thrown(judge, table.ready(0), "bronze", "bronze")
    assert (stock(position, 0), points(position)[1]) == ((0, 0, 0), 2)


def test_a_thief_throws_even_if_no_coin_lies_there_A47(judge: Judge) -> None:
    """A47."""
    position = Table().put(latro=0).run(judge)
    assert (len(position["dice"]["latro"]), stock(position, 0)) == (2, (0, 0, 0))


@pytest.mark.parametrize(("houses", "coins"), [([], 3), (["villa_blue_4"], 3), (["workshop_potter"], 0)])
def test_a_robbed_holder_who_is_not_asked_A48(judge: Judge, houses: list[str], coins: int) -> None:
    """A48, A20: nothing to activate, or no such coin: home."""
    table = Table().put(latro=0, portus_gold=1).coins(1, 5, 5, coins).build(1, *houses)
    position = thrown(judge, table.ready(0), "gold", "gold")
    assert (asked(position), stock(position, 1), points(position)[1]) == (("place", 0), (5, 5, coins), 0)


def test_an_unrobbed_holder_without_buildings_pays_all_the_same_A48(judge: Judge) -> None:
    """A48: the coin that lies there goes to the bank without a question."""
    position = Table().put(portus_gold=1).coins(1, 1, 1, 1).run(judge)
    assert (asked(position), stock(position, 1), position["portus_coins"]) == (("place", 0), (1, 1, 1), [])


def test_all_workshops_and_money_houses_pay_A49(judge: Judge) -> None:
    """A49: no choice; those of others do not."""
    table = Table().put(portus_bronze=1).build(1, *WORKSHOPS, "money_house_bronze_silver", "money_house_all_coins")
    position = table.build(2, "workshop_smith", "money_house_silver_gold").run(judge)
    assert (points(position), stock(position, 1)) == ([0, 8, 0, 0], (2, 2, 1))


def test_the_payment_precedes_the_payout_A48(judge: Judge) -> None:
    """A48: a robbed holder without the coin cannot pay with what her money house would give."""
    table = Table().put(latro=0, portus_silver=1).build(1, "money_house_bronze_silver")
    assert asked(thrown(judge, table.ready(0), "silver", "silver")) == ("place", 0)
    position = thrown(judge, table.coins(1, 0, 1).ready(0), "silver", "silver")
    assert asked(position) == ("portus", 1)
    assert stock(judge.play(position, "activate"), 1) == (1, 1, 0)


# ------------------------------------------------------------------------------------------------ clean-up, end


def test_nobody_placed_a_crest_A50(judge: Judge) -> None:
    """A50: the starting player stays; else the crest on place 1 names the next one, and all crests come back."""
    position = Table(start=2).run(judge)
    assert (position["starting_player"], asked(position), position["round"]) == (2, ("place", 2), 2)
    position = Table(start=2).track(3, 0).run(judge)
    assert (position["starting_player"], asked(position), position["advantage"]) == (3, ("place", 3), [])


def test_a_row_with_gaps_and_no_cards_left_A50(judge: Judge) -> None:
    """A50, A51: a gap stays a gap; with one card left the first from the left is filled."""
    table = Table().row(None, "weapon_3", None)
    assert table.piles("equi", [], [], holder=1).run(judge)["equi"]["row"] == [None, "weapon_3", None]
    table = Table().put(equi_left=0, equi_right=0).coins(0, 2).row("weapon_1", "weapon_3", "weapon_2")
    table.piles("equi", ["gold_horse_1"], ["gold_horse_2"], holder=1)
    position = judge.play(table.run(judge), "buy 1", "buy 1")
    assert position["equi"]["row"] == ["gold_horse_2", "weapon_3", None]
    assert (position["equi"]["draw"], sum(position["equi"]["discard"].values())) == ([], 0)


def test_the_row_is_filled_from_left_to_right_A50(judge: Judge) -> None:
    """A50, A51: cards left in it stay; the pile first, then the rebuilt one."""
    table = Table().put(equi_middle=0, equi_right=0).coins(0, 2).row("weapon_1", "weapon_3", "weapon_2")
    table.piles("equi", ["gold_horse_1"], ["gold_horse_2"], holder=1)
    position = judge.play(table.run(judge), "buy 1", "buy 1")
    assert position["equi"]["row"] == ["weapon_1", "gold_horse_1", "gold_horse_2"]


def test_the_next_stadium_card_is_opened_A50(judge: Judge) -> None:
    """A50: the one after the two of this round."""
    table = Table().stadium("white", "laurel_3")
    following = table.position["stadium"]["draw"][1]
    assert table.run(judge)["stadium"]["open"] == following


def test_after_the_sixth_action_phase_nothing_of_the_clean_up_happens_A53(judge: Judge) -> None:
    """A53: starting player, crests, the gap in the row and the dice stay."""
    table = Table(round=6).track(3, 1).put(equi_middle=0, latro=2).coins(0, 1).row("weapon_1", "weapon_3", "weapon_2")
    position = judge.play(table.run(judge), "buy 1")
    assert (position["phase"], position["current_player"], judge.legal(position)) == ("over", None, [])
    assert (position["round"], position["starting_player"], position["advantage"]) == (6, 0, [3, 1])
    assert position["equi"]["row"] == ["weapon_1", None, "weapon_2"]
    assert (position["stadium"]["open"], position["stadium"]["draw"]) == (None, [])
    assert len(position["dice"]["latro"]) == 2


@pytest.mark.parametrize(
    ("sites", "colour", "villas"),
    [
        ([], "blue", {}),
        (["villa_blue_6", "villa_yellow_6"], "blue", {"blue": 6}),
        (["villa_blue_6", "villa_yellow_8"], "yellow", {"yellow": 8}),
        (["villa_blue_10", "villa_yellow_8", "villa_yellow_4"], "yellow", {"yellow": 12}),
    ],
)
def test_a_theatre_card_counts_for_the_better_colour_A54(
    judge: Judge, sites: list[str], colour: str, villas: dict[str, int]
) -> None:
    """A54: in a tie for the one named first."""
    table = Table(round=2).build(1, *sites).theatre("white_blue", blue_yellow=1)
    sheet = judge.scores(table.asked(0))[1]
    assert sheet["theatre"] == {"blue_yellow": colour}
    assert sheet["villas"] == dict.fromkeys(("white", "blue", "yellow", "purple"), 0) | villas
    assert sheet["total"] == sum(villas.values())


def test_most_points_win_and_a_tie_has_several_winners_A55(judge: Judge) -> None:
    """A55, A54: laurels are added at the end; before it nobody has won."""
    table = Table(round=6).put(forum_1=0).stadium("white", "blue")
    table.past(open="laurel_10", drawn="laurel_7", first=1, second=2, first_kept="drawn")
    for seat, vp in enumerate((0, 8, 5, 15)):
        table.position["players"][seat]["vp"] = vp
    position = table.run(judge)
    assert judge.winners(position) == []
    position = judge.play(position, "pass")
    assert [sheet["total"] for sheet in judge.scores(position)] == [0, 15, 15, 15]
    assert judge.winners(position) == [1, 2, 3]


def test_coins_and_cards_are_worth_nothing_A54(judge: Judge) -> None:
    """A54: nothing else counts; A52: there are more coins than in the box."""
    table = Table().coins(0, 500, 500, 500).slaves(0, 3, 3).equi(0, "weapon_3").build(0, "workshop_smith")
    assert [sheet["total"] for sheet in judge.scores(table.asked(0))] == [0] * 4
    assert hand(table.asked(0), 0) == {"slave_1": 3, "slave_2": 3}
