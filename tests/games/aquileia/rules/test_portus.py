"""VI Portus: Latro, coins, activations (A47 to A49)."""

from __future__ import annotations

from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS
from porta_nigra_env.games.aquileia.game import State
from tests.games.aquileia.rules.positions import Table, after, data_of, gained, legal

pytestmark = pytest.mark.usefixtures("implementation")


def rolled(table: Table, *faces: str) -> State:
    """Return the state after the placement whose Latro has this roll."""
    for seed in range(200):
        state = table.state(seed).apply("pass")
        if state.to_dict()["dice"]["latro"] == list(faces):
            return state
    raise LookupError(f"no seed rolls {faces}")


def robbed(table: Table, kind: str, seat: int) -> Table:
    """The question of a robbed holder on the coin space of this kind."""
    table.asked("portus", seat).stand(**{f"portus_{kind}": seat})
    table.position["portus_coins"] = []
    return table


def test_latro_takes_the_coin_of_each_kind_rolled_A47() -> None:
    """A47: into the stock; only coins that lie there."""
    table = Table(players=4).poor().stand(latro=1, portus_bronze=3, portus_silver=0)
    position = rolled(table, "bronze", "gold").to_dict()
    assert position["players"][1]["coins"] == {"bronze": 1, "silver": 0, "gold": 0}


def test_two_dice_alike_take_one_coin_A47() -> None:
    """A47: there is no second one."""
    table = Table().poor().stand(latro=1, portus_silver=0)
    assert rolled(table, "silver", "silver").to_dict()["players"][1]["coins"]["silver"] == 1


def test_the_thief_takes_an_own_coin_too_A47() -> None:
    """A47: it returns to the stock, and the thief is robbed like any player."""
    table = Table().poor().stand(latro=1, portus_silver=1).built(1, "workshop_smith")
    state = rolled(table, "silver", "silver")
    assert (state.to_dict()["phase"], state.current_player) == ("portus", 1)
    assert state.to_dict()["portus_coins"] == []
    assert gained(state, "activate") == {"p1.coins.silver": -1, "p1.vp": 4}


def test_dice_are_thrown_even_if_no_coin_lies_there_A47(components: Components) -> None:
    """A47: as many as the file says."""
    position = after(Table(components).stand(latro=1), "pass")
    assert len(position["dice"]["latro"]) == data_of(components)["constants"]["latro_red_dice"]


def test_a_coin_that_still_lies_there_pays_by_itself_A48(components: Components) -> None:
    """A48: the holder activates, with any buildings; the coin goes to the bank."""
    kind = data_of(components)["portus"]["spaces"][0]
    shop = next(entry for entry in data_of(components)["forum"]["buildings"] if entry["kind"] == "workshop")
    table = Table(components).stand(**{f"portus_{kind}": 1}).built(1, shop["name"])
    assert gained(table, "pass") == {"p1.vp": shop["vp"]}
    assert gained(Table(components).stand(**{f"portus_{kind}": 1}), "pass") == {}, "she pays all the same"
    assert after(table, "pass")["portus_coins"] == []


def test_a_robbed_holder_may_pay_again_A48() -> None:
    """A48: from stock; the payment precedes the payout."""
    table = robbed(Table().poor().purse(2, silver=1).built(2, "money_house_silver_gold"), "silver", 2)
    assert legal(table) == ["activate", "pass"]
    assert gained(table, "activate") == {"p2.coins.gold": 1}
    assert gained(table, "pass") == {}
    assert after(table, "pass")["phase"] == "place"


def test_a_robbed_holder_without_such_a_coin_or_active_building_goes_home_A48() -> None:
    """A48: unasked; villas activate nothing."""
    for coin, *built in ((0, "workshop_smith"), (0, "money_house_silver_gold"), (3, "villa_blue_4"), (3,)):
        table = Table().poor().stand(latro=1, portus_gold=0).purse(0, gold=coin).built(0, *built)
        state = rolled(table, "gold", "gold")
        assert state.to_dict()["phase"] == "place"
        assert state.to_dict()["players"][0]["vp"] == 0


def activation(data: dict[str, Any], built: list[str]) -> dict[str, int]:
    """Return the yield of the buildings in one activation."""
    totals: dict[str, int] = {}
    for building in data["forum"]["buildings"]:
        if building["name"] in built:
            gains = {f"coins.{kind}": amount for kind, amount in building.get("pays", {}).items()}
            for what, amount in (gains | {"vp": building.get("vp", 0)}).items():
                totals[what] = totals.get(what, 0) + amount
    return {what: amount for what, amount in totals.items() if amount}


def test_all_workshops_and_money_houses_give_A49(components: Components) -> None:
    """A49: no choice, once for each activation; villas give nothing."""
    data = data_of(components)
    built = [building["name"] for building in data["forum"]["buildings"]][: data["constants"]["houses_per_player"]]
    built[-2:] = [building["name"] for building in data["forum"]["buildings"]][-2:]
    kind = data["portus"]["spaces"][-1]
    table = Table(components).stand(**{f"portus_{kind}": 1}).built(1, *built)
    assert gained(table, "pass") == {f"p1.{what}": amount for what, amount in activation(data, built).items()}


def test_the_worked_harbour() -> None:
    """A47 to A49: Lisa steals bronze and gold; Livia pays again; Stefan's silver lies there; Chico has no gold."""
    table = Table(players=4).stand(latro=1, portus_bronze=3, portus_silver=0, portus_gold=2).poor().purse(3, bronze=1)
    table.built(3, "money_house_silver_gold", "workshop_smith").built(0, "workshop_goldsmith").built(
        2, "workshop_baker"
    )
    state = rolled(table, "bronze", "gold")
    assert state.to_dict()["players"][1]["coins"] == {"bronze": 1, "silver": 0, "gold": 1}
    assert (state.to_dict()["phase"], state.current_player) == ("portus", 3)
    assert gained(state, "activate") == {
        "p3.coins.bronze": -1, "p3.coins.silver": 1, "p3.coins.gold": 1, "p3.vp": 4, "p0.vp": 5,
    }  # fmt: skip


def test_coins_lie_by_kind_whatever_the_order_of_the_spaces_A48(components: Components) -> None:
    """A48: each space has the coin of its name."""
    spaces = data_of(components)["portus"]["spaces"]
    assert set(spaces) <= set(KINDS)
    for kind in spaces:
        table = Table(components).stand(**{f"portus_{kind}": 0, "forum_1": 1})
        assert after(table, "pass")["portus_coins"] == [kind]


def test_dice_that_lie_there_are_taken_up_before_a_roll_A47() -> None:
    """A47: a position may hold a roll that is still to come; it counts for nothing."""
    table = Table().poor().asked("forum", 0, builds_left=1).stand(forum_5=0, latro=1, portus_gold=2)
    table.position["dice"]["latro"] = ["gold", "gold"]
    for seed in range(6):
        position = table.state(seed).apply("pass").to_dict()
        assert len(position["dice"]["latro"]) == 2
        assert position["players"][1]["coins"]["gold"] == ("gold" in position["dice"]["latro"])
