"""V Forum: building and paying slaves (A41 to A46)."""

from __future__ import annotations

from typing import Any

import pytest

from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.components.names import KINDS
from tests.games.aquileia.rules.positions import Table, after, data_of, effect, gained, legal

pytestmark = pytest.mark.usefixtures("implementation")


def site(table: Table, space: str, seat: int = 0) -> Table:
    """Ask a seat's follower on a Forum space; another one waits in the Portus."""
    number = int(space[-1]) - 1
    builds = table.data["forum"]["spaces"][number]["builds"]
    return table.asked("forum", seat, builds_left=builds).stand(**{space: seat}, latro=1)


def affordable(building: dict[str, Any], coins: dict[str, int], slaves: int) -> bool:
    """Return True if coins and slaves cover the cost."""
    cost = building["cost"]
    return all(coins[kind] >= cost.get(kind, 0) for kind in KINDS) and slaves >= cost.get("slaves", 0)


@pytest.mark.parametrize(("purse", "doubles"), [((9, 9, 9), 5), ((2, 2, 1), 1), ((1, 1, 1), 0), ((0, 0, 0), 1)])
def test_affordable_free_sites_can_be_built_A43(
    components: Components, purse: tuple[int, int, int], doubles: int
) -> None:
    """A43: the site is free, the stock covers the coins, the cards show at least the slaves."""
    buildings = data_of(components)["forum"]["buildings"]
    table = site(
        Table(components).purse(0, *purse).slaves(0, doubles=doubles).built(2, buildings[0]["name"]), "forum_1"
    )
    coins = table.player(0)["coins"]
    wanted = [f"build {site['name']}" for site in buildings[1:] if affordable(site, coins, 2 * doubles)]
    assert legal(table) == sorted([*wanted, "pass"])


def test_a_building_costs_coins_slaves_and_a_house_A46(components: Components) -> None:
    """A46: exactly the coins, slave cards to the discard; the space that says so scores the value at once."""
    data = data_of(components)
    for number, space in enumerate(data["forum"]["spaces"], 1):
        for building in data["forum"]["buildings"]:
            table = site(Table(components).purse(0, 9, 9, 9).slaves(0, doubles=5), f"forum_{number}")
            changed = gained(table, f"build {building['name']}")
            cost = building["cost"]
            coins = {f"p0.coins.{kind}": -cost[kind] for kind in KINDS if kind in cost}
            cards = -(-cost.get("slaves", 0) // 2)
            wanted = coins | ({"p0.slaves.slave_2": -cards} if cards else {})
            if space["value"] and building["value"]:
                wanted["p0.vp"] = building["value"]
            assert changed == wanted
            assert effect(table, f"build {building['name']}")[f"buildings.{building['name']}"] == 0


def test_a_site_takes_one_house_of_the_whole_game_A41(components: Components) -> None:
    """A41: any space may build any kind of building, but each only once."""
    buildings = [building["name"] for building in data_of(components)["forum"]["buildings"]]
    table = site(Table(components).purse(0, 9, 9, 9).slaves(0, doubles=5).built(1, *buildings[:3]), "forum_1")
    assert legal(table, "build") == sorted(f"build {name}" for name in buildings[3:])


def test_with_all_houses_built_pass_alone_is_left_A41(components: Components) -> None:
    """A41: a player without houses is asked and can only pass."""
    houses = data_of(components)["constants"]["houses_per_player"]
    buildings = [building["name"] for building in data_of(components)["forum"]["buildings"]][:houses]
    table = site(Table(components).purse(0, 9, 9, 9).slaves(0, doubles=5).built(0, *buildings), "forum_1")
    assert legal(table) == ["pass"]
    del table.position["buildings"][buildings[0]]
    assert len(legal(table)) > 1


def test_values_are_the_files_A42(components: Components) -> None:
    """A42: for all three kinds of buildings; nothing is computed."""
    scoring = next(n for n, space in enumerate(data_of(components)["forum"]["spaces"], 1) if space["value"])
    for kind in ("villa", "workshop", "money_house"):
        building = next(entry for entry in data_of(components)["forum"]["buildings"] if entry["kind"] == kind)
        table = site(Table(components).purse(0, 9, 9, 9).slaves(0, doubles=5), f"forum_{scoring}")
        assert gained(table, f"build {building['name']}").get("p0.vp", 0) == building["value"]


def test_the_holder_is_always_asked_A43_A20() -> None:
    """A43, A20: even if nothing can be built; `pass` gives up the rest."""
    state = Table().poor().stand(forum_3=0, forum_4=1).state().apply("pass")
    assert (state.current_player, legal(state), state.to_dict()["builds_left"]) == (0, ["pass"], 2)
    state.apply("pass")
    assert (state.current_player, state.to_dict()["builds_left"]) == (1, 1)


def test_a_space_asks_as_often_as_it_builds_A46() -> None:
    """A46: the second building of space 3 is a new question with the remaining means."""
    table = site(Table().purse(0, 1, 1, 1), "forum_3")
    state = table.state().apply("build workshop_potter")
    assert (state.current_player, state.to_dict()["builds_left"], legal(state)) == (0, 1, ["pass"])
    rich = site(Table().purse(0, 2, 2, 2), "forum_3").state().apply("build workshop_potter")
    assert legal(rich, "build") == ["build workshop_baker"]
    assert rich.apply("build workshop_baker").to_dict()["phase"] != "forum"


#: Slaves due, singles, doubles in hand; singles and doubles paid.
PAYMENTS = [
    (1, 1, 1, 1, 0), (1, 0, 1, 0, 1), (1, 2, 0, 1, 0),
    (2, 2, 1, 0, 1), (2, 1, 1, 0, 1), (2, 2, 0, 2, 0), (2, 0, 1, 0, 1), (2, 1, 2, 0, 1),
    (3, 2, 2, 1, 1), (3, 0, 2, 0, 2), (3, 3, 0, 3, 0), (3, 1, 1, 1, 1), (3, 3, 1, 1, 1),
    (3, 3, 3, 1, 1), (3, 1, 2, 1, 1),
]  # fmt: skip


@pytest.mark.parametrize(("due", "singles", "doubles", "paid_singles", "paid_doubles"), PAYMENTS)
def test_slaves_are_paid_by_rule_A44(
    due: int, singles: int, doubles: int, paid_singles: int, paid_doubles: int
) -> None:
    """A44: as few surplus slaves as possible, and among those payments as many doubles as possible."""
    building = {1: "villa_white_4", 2: "villa_white_6", 3: "villa_white_10"}[due]
    table = site(Table().purse(0, 9, 9, 9).slaves(0, singles, doubles), "forum_1")
    changed = effect(table, f"build {building}")
    assert changed.get("p0.slaves.slave_1", 0) == -paid_singles == -changed.get("slaves.discard.slave_1", 0)
    assert changed.get("p0.slaves.slave_2", 0) == -paid_doubles == -changed.get("slaves.discard.slave_2", 0)


def test_a_card_pays_for_one_building_only_A45() -> None:
    """A45: a surplus slave is lost, also on space 3; the two slaves of one double never serve two buildings."""
    table = site(Table().purse(0, 9, 9, 9).slaves(0, doubles=1), "forum_3")
    state = table.state().apply("build villa_blue_4")
    assert state.to_dict()["players"][0]["slaves"]["slave_2"] == 0
    assert "build villa_white_4" not in state.legal_actions()


def test_the_worked_building() -> None:
    """A41 to A46: Livia builds the blue villa of 10, and owning doubles only pays two cards and scores 10."""
    table = (
        Table(players=4)
        .stand(forum_2=3, forum_3=1, forum_5=3)
        .purse(3, 2, 2, 1)
        .slaves(3, doubles=2)
        .built(1, "villa_white_4")
    )
    state = table.state().apply("pass")
    assert state.current_player == 3, "space 1 is empty"
    assert gained(state, "build villa_blue_10") == {
        "p3.coins.bronze": -2, "p3.coins.silver": -2, "p3.coins.gold": -1, "p3.slaves.slave_2": -2, "p3.vp": 10,
    }  # fmt: skip
    position = after(state, "build villa_blue_10")
    assert (position["current_player"], position["builds_left"]) == (1, 2)
