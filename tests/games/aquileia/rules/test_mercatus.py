"""The order of the action phase, and I Mercatus (A18 to A27)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS
from tests.games.aquileia.rules.positions import OTHER, Table, after, coins, data_of, effect, gained, legal

pytestmark = pytest.mark.usefixtures("implementation")


def bought(table: Table, *actions: str) -> dict[str, Any]:
    """Return the gains of the buyer, seat 0, after its question; another player waits in the Forum."""
    return gained(table.stand(forum_1=2), "pass", *actions)


# ------------------------------------------------------------------------------------------------ order of spaces


def test_spaces_act_in_their_order_A18() -> None:
    """A18: within Equi from left to right, within Servi from top to bottom, and so on to the Portus."""
    table = Table().stand(
        pecunia=1, equi_left=1, equi_middle=2, servi_top=1, servi_bottom=2, arena_3=0, silver_1=1, theatrum=2,
        forum_2=1, forum_5=2, portus_gold=0,
    )  # fmt: skip
    for seat in range(3):
        table.purse(seat, 9, 9, 9)
    state, seen = table.state().apply("pass"), []
    while state.to_dict()["phase"] != "place":
        seen.append((state.to_dict()["phase"], state.current_player))
        state.apply(next(text for text in ("pass", "done", *state.legal_actions()) if text in state.legal_actions()))
    assert seen == [
        ("pecunia", 1), ("equi", 1), ("equi", 2), ("servi", 1), ("servi", 2), ("arena_prize", 0), ("stadium_prize", 1),
        ("auction", 2), ("auction", 0), ("auction", 1), ("forum", 1), ("forum", 2),
    ]  # fmt: skip


def test_actions_with_a_price_may_be_declined_A19(components: Components) -> None:
    """A19: `pass` or `done`; effects without a price happen automatically."""
    servi = f"servi_{data_of(components)['mercatus']['servi'][0]['name']}"
    table = Table(components).stand(**{servi: 0}, pecunia=1, dolus=2).purse(0, 5, 5, 5).purse(1, 5, 5, 5)
    state = table.state().apply("pass")
    assert state.to_dict()["dice"]["dolus"], "Dolus is not asked"
    assert "done" in state.legal_actions()
    state.apply("done")
    assert (state.to_dict()["phase"], "pass" in state.legal_actions()) == ("servi", True)


@pytest.mark.parametrize("space", ["pecunia", "equi_left", "servi_top", "servi_middle", "theatrum"])
def test_a_question_that_leaves_only_the_refusal_is_not_put_A20(space: str) -> None:
    """A20: in Mercatus and auction the follower goes home, the bidder is out."""
    assert after(Table().poor().stand(**{space: 0}, forum_5=1), "pass")["phase"] == "forum"


def test_a_robbed_holder_who_cannot_pay_is_not_asked_A20() -> None:
    """A20: nor is a holder in the Portus without anything to activate."""
    robbed = 0
    for seed in range(12):
        table = Table().poor().stand(latro=2, portus_gold=0, portus_bronze=1).purse(1, bronze=3)
        position = table.built(0, "workshop_smith").state(seed).apply("pass").to_dict()
        robbed += position["players"][2]["coins"]["gold"]
        assert position["phase"] == "place"
    assert 0 < robbed < 12


# ------------------------------------------------------------------------------------------------ Dolus, Pecunia


def test_dolus_gives_a_coin_of_the_kind_on_each_die_A21(components: Components) -> None:
    """A21: so two of a kind if they are alike."""
    dice = data_of(components)["constants"]["dolus_red_dice"]
    most_alike = set()
    for seed in range(20):
        state = Table(components).stand(dolus=1, forum_1=2).state(seed)
        before = state.to_dict()["players"][1]["coins"]
        position = state.apply("pass").to_dict()
        rolled = Counter(position["dice"]["dolus"])
        assert rolled.total() == dice
        assert {kind: before[kind] + rolled[kind] for kind in KINDS} == position["players"][1]["coins"]
        most_alike.add(max(rolled.values()))
    assert {1, 2} <= most_alike or dice > 2


def test_die_results_follow_the_file_A21(components: Components) -> None:
    """A21: each side of a die is equally likely."""
    faces: Counter[str] = Counter()
    for seed in range(300):
        faces.update(Table(components).stand(dolus=1, forum_1=2).state(seed).apply("pass").to_dict()["dice"]["dolus"])
    die = data_of(components)["die"]
    for kind in KINDS:
        share = die[kind] / sum(die.values())
        assert abs(faces[kind] / faces.total() - share) < 0.06


def test_any_coin_for_one_of_any_other_kind_A22() -> None:
    """A22: the reconstruction of the picture; each exchange at the file's rate."""
    table = Table().stand(pecunia=0, forum_1=2).purse(0, 1, 1, 1)
    state = table.state().apply("pass")
    assert set(legal(state, "exchange")) == {f"exchange {give} {get}" for give in KINDS for get in KINDS if give != get}
    other = Table(OTHER).stand(pecunia=0, forum_1=2).purse(0, 3, 1, 0)
    assert bought(other, "exchange bronze gold")["p0.coins.bronze"] == -3
    state = other.state().apply("pass")
    assert legal(state, "exchange") == ["exchange bronze gold"], "two silver are due for the next one"


def test_points_come_once_with_the_first_exchange_A23(components: Components) -> None:
    """A23: none without an exchange."""
    table = Table(components).stand(pecunia=0).purse(0, 6, 6, 6)
    points = data_of(components)["mercatus"]["pecunia_vp"]
    assert gained(table.stand(forum_1=2), "pass", "done") == {}
    first = legal(table.state().apply("pass"), "exchange")[0]
    assert bought(table, first)["p0.vp"] == points
    assert bought(table, first, first)["p0.vp"] == points


def test_received_coins_are_not_given_again_A24() -> None:
    """A24: with 1 bronze and 1 silver, after `exchange bronze silver` only the own silver can still be given."""
    table = Table().stand(pecunia=0, forum_1=2).purse(0, 1, 1)
    state = table.state().apply("pass").apply("exchange bronze silver")
    assert legal(state) == ["done", "exchange silver bronze", "exchange silver gold"]
    assert state.to_dict()["exchange"] == {"received": coins(silver=1), "last": "bronze silver"}
    state.apply("exchange silver gold")
    assert state.to_dict()["phase"] == "forum", "it ends by itself"
    assert state.to_dict()["players"][0]["coins"] == coins(silver=1, gold=1)
    assert state.to_dict()["players"][0]["vp"] == 4


def test_exchanges_are_made_in_the_order_of_the_file_A24() -> None:
    """A24: the next one is never before the last one made, which may be repeated."""
    table = Table().stand(pecunia=0, forum_1=2).purse(0, 2, 2, 2)
    state = table.state().apply("pass").apply("exchange silver gold")
    assert legal(state, "exchange") == ["exchange gold bronze", "exchange gold silver", "exchange silver gold"]
    state.apply("exchange gold silver")
    assert legal(state, "exchange") == ["exchange gold silver"]


def test_an_exchange_moves_the_coins_of_the_file_A22(components: Components) -> None:
    """A22: coins of one kind for coins of another, and points once."""
    mercatus = data_of(components)["mercatus"]
    for swap, name in zip(mercatus["exchanges"], components.exchanges, strict=True):
        table = Table(components).stand(pecunia=0, forum_1=2).purse(0, 9, 9, 9)
        ((given, price),), ((received, coin),) = swap["give"].items(), swap["get"].items()
        points = {"p0.vp": mercatus["pecunia_vp"]} if mercatus["pecunia_vp"] else {}
        expected = {f"p0.coins.{given}": -price, f"p0.coins.{received}": coin, **points}
        assert gained(table, "pass", f"exchange {name}") == expected


# ------------------------------------------------------------------------------------------------ Equi, Servi


def test_an_open_card_for_the_price_A25_A6(components: Components) -> None:
    """A25, A6: the middle space sells its open card, which all players know."""
    table = Table(components).stand(**{f"equi_{data_of(components)['mercatus']['equi'][1]}": 0}).purse(0, 3, 3, 3)
    face = table.position["equi"]["row"][1]
    price = {f"p0.coins.{kind}": -n for kind, n in data_of(components)["mercatus"]["equi_price"].items()}
    assert bought(table, "buy 1") == {**price, f"p0.equi.{face}": 1, f"p0.equi_known.{face}": 1}
    position = after(table, "pass", "buy 1")
    assert position["equi"]["row"][1] is None, "the gap stays until the clean-up"
    assert bought(table, "pass") == {}


def test_the_first_space_gives_the_top_card_too_unseen_A25_A6(components: Components) -> None:
    """A25, A6: both or none, for the same price."""
    table = Table(components).stand(**{f"equi_{data_of(components)['mercatus']['equi'][0]}": 0}).purse(0, 3, 3, 3)
    face, top = table.position["equi"]["row"][0], table.position["equi"]["draw"][0]
    changed = bought(table, "buy 1")
    assert changed[f"p0.equi_known.{face}"] == 1
    assert {path for path in changed if "equi." in path} == {f"p0.equi.{face}", f"p0.equi.{top}"}
    assert sum(change for path, change in changed.items() if "equi." in path) == 2
    assert sum(change for path, change in changed.items() if "equi_known." in path) == 1


def test_any_card_may_be_the_second_one_A25(components: Components) -> None:
    """A25: the top card of the pile, of any type."""
    for face in components.equi_faces:
        table = Table(components).stand(**{f"equi_{data_of(components)['mercatus']['equi'][0]}": 0}).purse(0, 3, 3, 3)
        pool = table.position["equi"]["draw"] + table.position["equi"]["row"]
        pool.remove(face)
        places = len(table.position["equi"]["row"])
        table.position["equi"].update(row=pool[-places:], draw=[face, *pool[:-places]])
        before = table.state().to_dict()["players"][0]["equi"][face]
        bought_too = table.position["equi"]["row"][0] == face
        position = after(table.stand(forum_1=2), "pass", "buy 1")
        assert position["players"][0]["equi"][face] == before + 1 + bought_too
        assert position["equi"]["draw"] == pool[:-places]


def test_the_second_card_comes_from_the_rebuilt_pile_A25_A51() -> None:
    """A25, A51: pile empty, discard not; with both empty, one card for the bronze."""
    table = Table().stand(equi_left=0).pile("equi", 0)
    face = table.position["equi"]["row"][0]
    changed = bought(table, "buy 1")
    assert sum(change for path, change in changed.items() if path.startswith("p0.equi.")) == 2
    position = after(table, "pass", "buy 1")
    assert sum(position["equi"]["discard"].values()) == 0
    assert len(position["equi"]["draw"]) == 13
    table = Table().stand(equi_left=0).pile("equi", 0, discarded=False)
    assert bought(table, "buy 1") == {"p0.coins.bronze": -1, f"p0.equi.{face}": 1, f"p0.equi_known.{face}": 1}


def test_no_question_for_a_gap_or_without_the_price_A25() -> None:
    """A25: without a bronze in stock, or if no card lies there."""
    table = Table().stand(equi_left=0).purse(0, silver=5, gold=5)
    assert bought(table) == {}
    table = Table().stand(equi_middle=0, forum_1=2).pile("equi", 0, discarded=False)
    state = table.state()
    row = table.position["equi"]["row"]
    table.player(2)["equi"][row[1]] += 1
    row[1] = None
    state = table.state().apply("pass")
    assert state.to_dict()["phase"] == "forum"


def test_slave_cards_for_a_coin_each_A26(components: Components) -> None:
    """A26: up to the limit of the space, and never more than the coins of the stock."""
    for servi in data_of(components)["mercatus"]["servi"]:
        space, kind, most = f"servi_{servi['name']}", servi["coin"], servi["max"]
        rich = Table(components).stand(**{space: 0}).poor().purse(0, **{kind: 9})
        assert legal(rich.stand(forum_1=2).state().apply("pass"), "buy") == [f"buy {n}" for n in range(1, most + 1)]
        assert bought(rich, "pass") == {}
        changed = bought(rich, f"buy {most}")
        assert changed[f"p0.coins.{kind}"] == -most
        assert sum(change for path, change in changed.items() if ".slaves." in path) == most
        poor = Table(components).stand(**{space: 0}).poor().purse(0, **{kind: 1})
        assert legal(poor.stand(forum_1=2).state().apply("pass"), "buy") == ["buy 1"]


def test_pile_and_discard_limit_what_can_be_bought_A26() -> None:
    """A26: pile 1, discard 1: `buy 2` is the most with any coins; the second card is the discard's."""
    table = Table().stand(servi_bottom=0, forum_1=2).purse(0, gold=9).slaves(2, 11, 9).pile("slaves", 1)
    state = table.state().apply("pass")
    assert legal(state, "buy") == ["buy 1", "buy 2"]
    assert gained(state, "buy 2") == {"p0.coins.gold": -2, "p0.slaves.slave_2": 2}
    none = Table().stand(servi_bottom=0).purse(0, gold=9).pile("slaves", 0, discarded=False)
    assert bought(none) == {}, "not asked if that is none"


# ------------------------------------------------------------------------------------------------ Potentia


def test_potentia_gives_the_blue_dice_until_the_race_A27(components: Components) -> None:
    """A27: to the holder, with any racers; they return when they would be rolled."""
    dice = data_of(components)["constants"]["blue_dice"]
    table = Table(components).stand(potentia=1, gold_1=2, silver_1=0).equi(2, components.equi_faces[0])
    state = table.state().apply("pass")
    assert state.to_dict()["blue_dice"] == {"owner": 1, "left": dice}
    state.apply("done")
    assert (state.to_dict()["phase"], state.to_dict()["blue_dice"]) == ("stadium_prize", None)
    assert state.to_dict()["dice"]["stadium_blue"] == [], "its owner does not race"


def test_without_a_race_the_blue_dice_go_back_when_area_three_is_over_A27() -> None:
    """A27: after the fight, or at once."""
    table = Table().stand(potentia=1, arena_1=1, forum_1=2)
    state = table.state().apply("pass")
    assert state.to_dict()["phase"] == "arena_dice"
    state.apply("dice 1")
    assert state.to_dict()["blue_dice"] == {"owner": 1, "left": 3}
    assert state.apply("take points").to_dict()["blue_dice"] is None
    assert effect(Table().stand(potentia=1, forum_1=2), "pass").get("blue_dice") is None
