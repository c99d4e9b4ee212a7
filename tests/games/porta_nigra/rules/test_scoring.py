"""The final scoring: sets, play area, majorities, ties, winners (R2, R3, R31 to R36)."""

from __future__ import annotations

from functools import cache
from itertools import permutations, product

import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components, from_data, load
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS
from tests.games.porta_nigra.rules.positions import Table, data_of, new_game

pytestmark = pytest.mark.usefixtures("rules")

Counts = tuple[int, int, int, int]


def majorities(table: Table, building: str, area: str) -> list[int]:
    """Return the points of each seat for a row or a height."""
    return [scores["majorities"][building][area] for scores in table.state().scores()]


def areas(components: Components) -> list[tuple[str, str, int, int]]:
    """The rows of buildings with printed spots: building, row, first and second place."""
    return [
        (building, row, *points)
        for building in BUILDINGS[:-1]
        for row, points in data_of(components)["majorities"][building].items()
    ]


# ------------------------------------------------------------------------------------------------ sets


@cache
def best_sets(counts: Counts, points: tuple[int, ...]) -> int:
    """The most points any division into sets of different buildings gives."""
    best = 0
    for chosen in product((0, 1), repeat=4):
        left = tuple(count - taken for count, taken in zip(counts, chosen, strict=True))
        if any(chosen) and min(left) >= 0:
            best = max(best, points[sum(chosen)] + best_sets((left[0], left[1], left[2], left[3]), points))
    return best


def owning(components: Components | str, counts: Counts) -> Table:
    """Let seat 0 own these numbers of building cards."""
    table = Table(components, players=4)
    for building, count in zip(BUILDINGS, counts, strict=True):
        for place in range(count):
            table.own_building(0, building, builder=place % 4)
    return table


@pytest.mark.parametrize(
    "counts",
    [(0, 0, 0, 0), (1, 0, 0, 0), (0, 2, 0, 0), (1, 1, 0, 1), (2, 1, 1, 0), (1, 1, 1, 1), (2, 2, 2, 1), (3, 0, 1, 2)],
)
def test_sets_are_formed_largest_first_R31(components: Components, counts: Counts) -> None:
    """R31: the first set holds all buildings owned at all, the next one those owned twice, and so on."""
    points = data_of(components)["constants"]["set_vp"]
    sizes = [sum(count > level for count in counts) for level in range(max(counts))]
    scores = owning(components, counts).state().scores()
    assert scores[0]["sets"] == sum(points[size] for size in sizes)
    assert [sheet["sets"] for sheet in scores[1:]] == [0, 0, 0]


def test_the_largest_set_first_is_the_best_division_R31() -> None:
    """R31: with the printed points no other division brings more."""
    points = tuple(data_of(load("standard"))["constants"]["set_vp"])
    for counts in product(range(4), repeat=4):
        sizes = [sum(count > level for count in counts) for level in range(max(counts))]
        assert sum(points[size] for size in sizes) == best_sets(counts, points)
    for counts in ((2, 1, 1, 1), (2, 2, 1, 0), (3, 1, 1, 0)):
        assert owning("standard", counts).state().scores()[0]["sets"] == best_sets(counts, points)


# ------------------------------------------------------------------------------------------------ the play area


def test_final_scoring_cards_still_owned_count_R32(components: Components) -> None:
    """R32: their values; one that was given up for another is worth nothing."""
    for card in data_of(components)["honour_cards"]:
        if "final_vp" in card:
            scores = Table(components, 3).own_final(1, card["final_vp"], builder=2).state().scores()
            assert [sheet["final_cards"] for sheet in scores] == [0, card["final_vp"], 0]


@pytest.mark.parametrize("what", ["romans", "influence", "torches", "bricks", "sesterces"])
def test_each_thing_in_the_play_area_counts_R32(components: Components, what: str) -> None:
    """R32: for each amount from 0 to a few: so much each, sesterces only in full groups."""
    worth = data_of(components)["constants"]["play_area_vp"]
    for amount in range(2 * worth["sesterces_per_vp"] + 1):
        table = Table(components).give(sesterces=0, torches=0, influence=0).romans(play=0)
        if what == "romans":
            table.romans(play=amount)
        elif what == "bricks":
            table.bricks(**{COLOURS[amount % 5]: amount, COLOURS[(amount + 1) % 5]: 1})
        else:
            table.give(**{what: amount})
        expected = {
            "romans": amount * worth["roman"],
            "influence": amount * worth["influence"],
            "torches": amount * worth["torch"],
            "bricks": (amount + 1) * worth["brick"],
            "sesterces": amount // worth["sesterces_per_vp"],
        }[what]
        assert table.state().scores()[0]["play_area"] == expected


def test_everything_in_the_play_area_adds_up_R32() -> None:
    """R32: 2 Romans, 3 influence, 1 torch, 4 bricks, 8 sesterces; the Romans of the reserve are worth nothing."""
    table = Table("standard").give(sesterces=8, torches=1, influence=3, vp=11).romans(play=2).bricks(red=3, white=1)
    scores = table.state().scores()[0]
    assert scores["play_area"] == 2 + 3 + 1 + 4 + 2
    assert scores["total"] == 11 + 12
    assert table.me["romans_reserve"] == 13


# ------------------------------------------------------------------------------------------------ rows


def test_first_and_second_of_each_row_by_bricks_R33(components: Components) -> None:
    """R33: most bricks, second most bricks; a player without bricks there gets nothing."""
    for building, row, first, second in areas(components):
        for seats in permutations(range(3)):
            table = Table(components, 3)
            spots = sorted(
                table.spots(f"{building} {row}"),
                key=lambda state: (table.height(state), -table.price(table.colour(state))),
            )
            for spot in spots[1:3]:
                table.put(spot, seats[0])
            table.put(spots[0], seats[1])
            expected = [0, 0, 0]
            expected[seats[0]], expected[seats[1]] = first, second
            assert majorities(table, building, row) == expected


def test_a_sole_builder_is_first_and_no_player_second_R33(components: Components) -> None:
    """R33: no player scores without a brick in the row."""
    for building, row, first, _ in areas(components):
        table = Table(components, 4)
        table.put(table.spots(f"{building} {row}")[2], 1)
        assert majorities(table, building, row) == [0, first, 0, 0]
        for other, letter, *_ in areas(components):
            if (other, letter) != (building, row):
                assert majorities(table, other, letter) == [0, 0, 0, 0]


def test_one_brick_more_beats_any_colour_R33(components: Components) -> None:
    """R33: in every row that allows it: one brick more of cheaper colours beats the dearest element."""
    tried = 0
    for building, row, first, second in areas(components):
        plan = Table(components)
        spots = plan.spots(f"{building} {row}")
        dearest = max(spots, key=lambda state: (plan.price(plan.colour(state)), plan.height(state)))
        others = [spot for spot in spots if plan.colour(spot) != plan.colour(dearest)]
        for spot_a, spot_b in product(others, others):
            more = plan.height(spot_a) + (plan.height(spot_b) if spot_a != spot_b else 0)
            if more == plan.height(dearest) + 1:
                table = Table(components).put(dearest, 0)
                for spot in {spot_a, spot_b}:
                    table.put(spot, 1)
                assert majorities(table, building, row) == [second, first]
                tried += 1
    assert tried > 0


def test_a_third_player_gets_nothing_R33() -> None:
    """R33: 6, 4 and 2 bricks in the city wall."""
    table = Table("standard", 3)
    for spot, owner in (("A3", 2), ("A5", 2), ("A2", 0), ("A4", 0), ("A10", 1)):
        table.put(f"city_wall {spot}", owner)
    assert majorities(table, "city_wall", "A") == [10, 0, 20]


def test_the_points_of_the_amphitheatre_R2() -> None:
    """R2: row A gives 15 and 7, as the German table has it, not 15 and 5."""
    expected = {"A": [15, 7], "B": [10, 5], "C": [5, 2]}
    for row, points in expected.items():
        table = Table("standard").put(f"amphitheatre {row}1", 0).put(f"amphitheatre {row}5", 1)
        assert majorities(table, "amphitheatre", row) == points[::-1]


def test_a_tie_goes_to_the_dearer_element_R3() -> None:
    """R3: 3 + 2 bricks each: a white element of 2 beats a yellow one of 3, with any other elements."""
    table = Table("standard")
    for spot, owner in (("A10", 0), ("A1", 0), ("A9", 1), ("A4", 1)):
        table.put(f"city_wall {spot}", owner)
    assert [table.colour(f"city_wall {spot}") for spot in ("A10", "A1", "A9", "A4")] == [
        "white",
        "black",
        "yellow",
        "yellow",
    ]
    assert majorities(table, "city_wall", "A") == [20, 10]


def test_of_one_colour_the_element_of_more_bricks_wins_R3() -> None:
    """R3: 3 red and 2 black beat 2 red and 3 black."""
    for strong, weak in ((0, 1), (1, 0)):
        table = Table("standard")
        for spot, owner in (("A3", strong), ("A6", strong), ("A8", weak), ("A1", weak)):
            table.put(f"city_wall {spot}", owner)
        points = [0, 0]
        points[strong], points[weak] = 20, 10
        assert majorities(table, "city_wall", "A") == points


def test_only_the_best_element_counts_R3() -> None:
    """R3: 3 white and 2 black against 2 white and 3 yellow: the sum of values would say otherwise."""
    table = Table("standard")
    for spot, owner in (("A5", 0), ("A6", 0), ("A10", 1), ("A9", 1)):
        table.put(f"city_wall {spot}", owner)
    assert 3 * 5 + 2 * 1 < 2 * 5 + 3 * 4
    assert majorities(table, "city_wall", "A") == [20, 10]


def test_only_elements_of_the_scored_row_break_its_tie_R3() -> None:
    """R3: white elsewhere in the building does not help."""
    table = Table("standard").put("basilica A3", 0).put("basilica A1", 1).put("basilica B5", 1)
    assert majorities(table, "basilica", "A") == [12, 6]


def test_a_tie_for_second_is_broken_in_the_same_way_R3() -> None:
    """R3: the dearer element is second, the other gets nothing."""
    table = Table("standard", 3).put("amphitheatre A4", 2).put("amphitheatre A5", 2)
    table.put("amphitheatre A1", 0).put("amphitheatre A2", 1)
    assert majorities(table, "amphitheatre", "A") == [0, 7, 15]


@cache
def level_wall() -> Components:
    """A set whose city wall has ten equal spots: there ties in a row can be unbreakable."""
    data = load("standard").data
    data["name"] = "level_wall"
    data["spots"]["city_wall"]["A"] = [["red", 2, 6]] * 10
    return from_data(data, "level_wall")


@pytest.mark.parametrize(
    ("elements", "points"),
    [
        ((1, 1, 0, 0), (10, 10, 0, 0)),
        ((1, 1, 1, 0), (10, 10, 10, 0)),
        ((1, 1, 1, 1), (10, 10, 10, 10)),
        ((2, 2, 1, 0), (10, 10, 0, 0)),
        ((2, 1, 1, 0), (20, 0, 0, 0)),
        ((2, 1, 1, 1), (20, 0, 0, 0)),
        ((1, 3, 2, 1), (0, 20, 10, 0)),
        ((3, 1, 1, 0), (20, 0, 0, 0)),
        ((3, 3, 2, 2), (10, 10, 0, 0)),
        ((4, 3, 2, 1), (20, 10, 0, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
    ],
)
def test_unbreakable_ties_in_a_row_R35(elements: tuple[int, ...], points: tuple[int, ...]) -> None:
    """R35: tied for first: all take second's points; tied for second: nothing; no player behind them moves up."""
    for seats in ((0, 1, 2, 3), (3, 1, 0, 2)):
        table = Table(level_wall(), 4)
        expected = [0] * 4
        for seat, count, gained in zip(seats, elements, points, strict=True):
            for _ in range(count):
                table.put(table.spots("city_wall")[0], seat)
            expected[seat] = gained
        assert majorities(table, "city_wall", "A") == expected


# ------------------------------------------------------------------------------------------------ the Porta Nigra


def towers(components: Components | str, players: int, *elements: tuple[int, int, int]) -> Table:
    """Elements of the Porta Nigra as (spot number, owner, height)."""
    table = Table(components, players)
    for place, owner, height in elements:
        table.put(f"porta_nigra A{place}", owner, height)
    return table


def test_each_height_of_the_porta_nigra_is_scored_by_itself_R34(components: Components) -> None:
    """R34: first place of exactly that height, and of no other."""
    for height, (first, _) in data_of(components)["majorities"]["porta_nigra"].items():
        scores = towers(components, 3, (4, 1, int(height))).state().scores()
        nothing = dict.fromkeys(data_of(components)["majorities"]["porta_nigra"], 0)
        assert [sheet["majorities"]["porta_nigra"] for sheet in scores] == [
            nothing, nothing | {height: first}, nothing,
        ]  # fmt: skip


def test_the_number_of_elements_counts_not_their_bricks_or_colours_R34(components: Components) -> None:
    """R34: two cheap ones beat the dearest one of the same height; higher ones are of no use there."""
    plan = Table(components)
    order = sorted(range(1, 10), key=lambda place: plan.price(plan.colour(f"porta_nigra A{place}")))
    low, high = plan.constants["porta_nigra_min_height"], plan.constants["porta_nigra_max_height"]
    table = towers(components, 2, (order[0], 0, low), (order[1], 0, low), (order[8], 1, low), (order[7], 1, high))
    first, second = table.data["majorities"]["porta_nigra"][str(low)]
    assert majorities(table, "porta_nigra", str(low)) == [first, second]
    assert majorities(table, "porta_nigra", str(high)) == [0, table.data["majorities"]["porta_nigra"][str(high)][0]]


def test_a_tie_at_a_height_goes_to_the_dearer_element_of_that_height_R34() -> None:
    """R34: yellow beats red at height 4; a white element of height 5 does not help."""
    table = towers("standard", 2, (3, 0, 4), (5, 0, 5), (4, 1, 4))
    assert [table.colour(f"porta_nigra A{place}") for place in (3, 5, 4)] == ["red", "white", "yellow"]
    assert majorities(table, "porta_nigra", "4") == [7, 15]
    assert majorities(table, "porta_nigra", "5") == [19, 0]


def test_only_the_best_of_several_elements_of_a_height_counts_R34() -> None:
    """R34 with R3: white and black against yellow and yellow, two each."""
    table = towers("standard", 2, (5, 0, 3), (1, 0, 3), (4, 1, 3), (9, 1, 3))
    assert majorities(table, "porta_nigra", "3") == [12, 6]


@pytest.mark.parametrize("height", [3, 4, 5, 6, 7, 8])
def test_unbreakable_ties_in_the_porta_nigra_R35(height: int) -> None:
    """R35: both black elements: second's points for both; the third, with a dearer one elsewhere, moves up nowhere."""
    first, second = data_of(load("standard"))["majorities"]["porta_nigra"][str(height)]
    area = str(height)
    assert majorities(towers("standard", 2, (1, 0, height), (6, 1, height)), "porta_nigra", area) == [second, second]
    table = towers("standard", 3, (4, 0, height), (9, 1, height), (1, 2, height))
    assert majorities(table, "porta_nigra", area) == [second, second, 0]
    table = towers("standard", 3, (1, 0, height), (6, 1, height), (4, 2, height))
    assert majorities(table, "porta_nigra", area) == [0, 0, first]
    table = towers("standard", 4, (5, 3, height), (1, 0, height), (6, 1, height), (2, 2, height))
    assert majorities(table, "porta_nigra", area) == [0, 0, second, first]


# ------------------------------------------------------------------------------------------------ who wins


@pytest.mark.parametrize(
    ("points", "winners", "returns"),
    [
        ((5, 4), [0], [1.0, -1.0]),
        ((4, 4), [0, 1], [0.0, 0.0]),
        ((1, 4, 3), [1], [-0.5, 1.0, -0.5]),
        ((4, 1, 4), [0, 2], [0.25, -0.5, 0.25]),
        ((4, 4, 4), [0, 1, 2], [0.0, 0.0, 0.0]),
        ((9, 9, 8, 9), [0, 1, 3], [1 / 9, 1 / 9, -1 / 3, 1 / 9]),
    ],
)
def test_most_points_win_and_a_tie_has_several_winners_R36(
    components: Components, points: tuple[int, ...], winners: list[int], returns: list[float]
) -> None:
    """R36: no tie-break of any kind, by age or turn order."""
    table = Table(components, len(points)).over()
    for seat, vp in enumerate(points):
        table.give(seat, vp=vp)
    state = table.state()
    assert state.is_over
    assert state.winners() == winners
    assert state.returns() == pytest.approx(returns, abs=1e-12)
    assert sum(state.returns()) == pytest.approx(0.0, abs=1e-12)


def test_the_final_scoring_decides_not_the_marker_R36(components: Components) -> None:
    """R36: the total wins."""
    table = Table(components).over().give(0, vp=10).give(1, vp=0).put("porta_nigra A4", 1)
    scores = table.state().scores()
    assert scores[1]["total"] > scores[0]["total"]
    assert table.state().winners() == [1]


def test_there_is_no_winner_before_the_end_R36(components: Components) -> None:
    """R36: no winners and no returns before the end, although the scores can be read."""
    state = new_game(3, 1, components)
    assert (state.winners(), state.returns()) == ([], [0.0, 0.0, 0.0])
    assert all(sheet["total"] > 0 for sheet in state.scores())
