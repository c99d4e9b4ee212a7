"""Rounds, interim scoring, the next starting player, and the early end (R27 to R30)."""

from __future__ import annotations

from collections import Counter

import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import COLOURS
from tests.games.porta_nigra.rules.positions import Played, Table, data_of, effect, legal, new_game

pytestmark = pytest.mark.usefixtures("rules")


def built(table: Table, seat: int, bricks: int) -> Table:
    """Build elements of exactly `bricks` bricks for a seat (0, or enough for the free spots)."""
    while bricks > 0:
        spots = [s for s in table.spots() if not s.startswith("porta_nigra") and table.height(s) <= bricks]
        spot = max(spots, key=lambda state: table.height(state) != bricks - 1 and table.height(state))
        table.put(spot, seat)
        bricks -= table.height(spot)
    return table


def before_the_split(components: Components | str, players: int, starter: int = 0, **bricks: int) -> Table:
    """Return a table with the last card of the round in play; `p1=7` gives seat 1 seven bricks built."""
    table = Table(components, players)
    for seat in range(players):
        built(table, seat, bricks.get(f"p{seat}", 0))
    return table.set(starting_player=starter).last_turn((starter - 1) % players)


def split_all(state: Played, sesterces: int = 0) -> Played:
    """Let every player take the same number of sesterces and the rest as VP."""
    while state.to_dict()["phase"] == "split_tens":
        state.apply("tens 0").apply(f"units {sesterces}")
    return state


# ------------------------------------------------------------------------------------------------ the round's end


@pytest.mark.parametrize("players", [2, 3])
def test_a_round_ends_when_all_cards_are_played_R27(components: Components, players: int) -> None:
    """R27: with one card left anywhere it continues, and the seats without a card are passed over."""
    state = Table(components, players).last_turn(0).state().apply("end")
    assert state.to_dict()["phase"] == "split_tens"
    last = f"p{players - 1}"
    state = Table(components, players).last_turn(0, **{last: 1}).state().apply("end")
    position = state.to_dict()
    assert (position["phase"], position["current_player"]) == ("choose_card", players - 1)
    assert state.apply(legal(state)[0]).apply("end").to_dict()["phase"] == "split_tens"


@pytest.mark.parametrize("starter", [0, 1, 2])
def test_all_players_split_in_turn_order_R27(components: Components, starter: int) -> None:
    """R27: from the starting player on; a player is asked even when the total is 0."""
    state = before_the_split(components, 3, starter, p1=6).state().apply("end")
    multiplier = data_of(components)["constants"]["interim_multiplier"]["3"]
    order = [(starter + place) % 3 for place in range(3)]
    for place, seat in enumerate(order):
        position = state.to_dict()
        total = 6 * multiplier if seat == 1 else 0
        assert (position["phase"], position["current_player"]) == ("split_tens", seat)
        assert position["split"] == {"total": total, "tens": None, "players_left": order[place + 1 :]}
        if total == 0:
            assert legal(state) == ["tens 0"]
            assert legal(state.apply("tens 0")) == ["units 0"]
            state.apply("units 0")
        else:
            state.apply("tens 0").apply("units 4")
    assert state.to_dict()["phase"] == "appoint"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_total_is_bricks_times_the_multiplier_R27(components: Components, players: int) -> None:
    """R27: all bricks of all buildings, one's own only."""
    table = Table(components, players).last_turn(players - 1)
    if table.constants["rounds"][str(players)] == 1:
        assert table.state().apply("end").is_over
        return
    table = Table(components, players)
    for spot in ("basilica A2", "amphitheatre B1", "amphitheatre C3", "city_wall A3"):
        table.put(spot, 0)
    table.put("porta_nigra A4", 0, table.constants["porta_nigra_max_height"]).put("city_wall A1", 1)
    bricks = sum(table.height(s) for s in ("basilica A2", "amphitheatre B1", "amphitheatre C3", "city_wall A3"))
    bricks += table.constants["porta_nigra_max_height"]
    state = table.set(starting_player=0).last_turn(players - 1).state().apply("end")
    assert state.to_dict()["split"]["total"] == bricks * table.constants["interim_multiplier"][str(players)]


def test_crowning_bricks_count_in_the_interim_scoring_R27(components: Components) -> None:
    """R27: the brick of a crown is built like any other."""
    table = Table(components).put("porta_nigra A1", 0)
    card = table.honour("porta_nigra_brick")
    table.show_honour(card["name"]).last_turn(0).give(influence=card["cost"])
    table.set(starting_player=0)
    low, multiplier = table.constants["porta_nigra_min_height"], table.constants["interim_multiplier"]["2"]
    state = table.state().apply(f"honour {card['name']}").apply("crown A1").apply("end")
    assert state.to_dict()["split"]["total"] == (low + 1) * multiplier


@pytest.mark.parametrize("total", [0, 1, 9, 10, 11, 19, 20, 21])
def test_any_split_of_the_total_is_possible_and_no_other_R27(total: int) -> None:
    """R27: every amount of sesterces from 0 to the total can be taken, in one way; the rest is VP, exactly."""
    table = before_the_split("standard", 2, p0=total)  # two players: one point for each brick
    state = table.state().apply("end")
    player = table.player(0)
    amounts = []
    for tens in legal(state):
        halfway = state.clone().apply(tens)
        assert halfway.to_dict()["split"]["tens"] == int(tens.split()[1])
        for units in legal(halfway):
            after = halfway.clone().apply(units).to_dict()["players"][0]
            sesterces = after["sesterces"] - player["sesterces"]
            amounts.append(sesterces)
            assert sesterces == 10 * int(tens.split()[1]) + int(units.split()[1])
            assert after["vp"] - player["vp"] == total - sesterces
    assert sorted(amounts) == list(range(total + 1))


def test_a_split_changes_nothing_but_points_and_coins_R27(components: Components) -> None:
    """R27: no refill, no new cards: only the player's points and purse, and whose decision it is."""
    table = before_the_split(components, 2, 1, p1=6).market()
    state = table.state().apply("end")
    total = 6 * table.constants["interim_multiplier"]["2"]
    assert effect(state, "tens 0") == {"phase": "split_units", "split.tens": 0}
    assert effect(state, "tens 0", "units 2") == {
        "current_player": 0,
        "p1.sesterces": 2,
        "p1.vp": total - 2,
        "split.total": -total,
        "split.players_left": [],
    }


@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games_have_their_number_of_rounds_R27(components: Components, players: int) -> None:
    """R27: an interim scoring of all players after every round but the last, with all cards played each round."""
    rounds = data_of(components)["constants"]["rounds"][str(players)]
    state = new_game(players, 5, components)
    played, decisions = Counter[int](), Counter[str]()
    while not state.is_over:
        position = state.to_dict()
        decisions[position["phase"]] += 1
        if position["phase"] == "choose_card":
            played[position["round"]] += 1
        # No player buys or builds, so there is no early end.
        action = "end" if position["phase"] == "main" else legal(state)[0]
        state.apply(action)
    cards = 7 if players == 4 else 8
    assert played == dict.fromkeys(range(1, rounds + 1), cards * players)
    assert decisions["split_tens"] == decisions["split_units"] == players * (rounds - 1)
    assert decisions["appoint"] == rounds - 1
    assert state.to_dict()["round"] == rounds


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_round_ends_the_game_R27(components: Components, players: int) -> None:
    """R27: without interim scoring, and the marker is left alone."""
    rounds = data_of(components)["constants"]["rounds"][str(players)]
    table = before_the_split(components, players, p0=6).set(round=rounds)
    changed = effect(table, "end")
    assert changed["phase"] == "over"
    assert changed["current_player"] is None
    assert not [path for path in changed if path.endswith((".vp", ".sesterces"))]
    assert not [path for path in changed if path.startswith("market")]
    if rounds > 1:
        assert effect(table.set(round=rounds - 1), "end")["phase"] == "split_tens"


# ------------------------------------------------------------------------------------------------ appointing


@pytest.mark.parametrize(
    ("points", "ages", "appoints"),
    [
        ((5, 4, 6), [0, 2, 1], 1),
        ((5, 6, 4), [0, 1, 2], 2),
        ((4, 4, 5), [0, 1, 2], 0),
        ((4, 4, 5), [1, 2, 0], 1),
        ((4, 4, 5), [2, 1, 0], 1),
        ((4, 5, 4), [1, 2, 0], 2),
        ((7, 7, 7), [2, 0, 1], 2),
        ((7, 7, 7), [1, 0, 2], 1),
        ((3, 4, 4), [2, 1, 0], 0),
    ],
)
def test_the_fewest_points_appoint_and_the_youngest_of_a_tie_R28(
    components: Components, points: tuple[int, ...], ages: list[int], appoints: int
) -> None:
    """R28: the marker decides; of those tied the youngest, however young the others are."""
    table = before_the_split(components, 3).set(youngest_first=ages)
    for seat, vp in enumerate(points):
        table.give(seat, vp=vp)
    state = split_all(table.state().apply("end"))
    assert state.to_dict()["phase"] == "appoint"
    assert state.current_player == appoints
    assert legal(state) == ["appoint 0", "appoint 1", "appoint 2"]


def test_points_of_the_interim_scoring_count_for_appointing_R28(components: Components) -> None:
    """R28: a player who takes coins instead of points may fall behind."""
    table = before_the_split(components, 2, p0=6).give(1, vp=1)
    total = 6 * table.constants["interim_multiplier"]["2"]
    state = table.state().apply("end")
    coins = state.clone().apply(f"tens {total // 10}").apply(f"units {total % 10}")
    assert split_all(coins).current_player == 0
    assert split_all(state).current_player == 1


@pytest.mark.parametrize("appointee", [0, 1, 2])
def test_the_appointee_begins_the_new_round_R28(components: Components, appointee: int) -> None:
    """R28: anybody, the appointing player included; all get new hands of their whole deck, the market is refilled."""
    table = before_the_split(components, 3).market(black=1)
    state = split_all(table.state().apply("end"))
    old = state.to_dict()
    assert (old["round"], old["starting_player"]) == (1, 0)
    assert old["market"] == dict.fromkeys(COLOURS, 0) | {"black": 1}
    assert [player["hand"] + player["draw"] for player in old["players"]] == [[], [], []]
    position = state.apply(f"appoint {appointee}").to_dict()
    assert (position["round"], position["starting_player"]) == (2, appointee)
    assert (position["phase"], position["current_player"]) == ("choose_card", appointee)
    assert sum(position["market"].values()) >= table.constants["market_refill_to"]
    for player in position["players"]:
        assert len(player["hand"]) == table.constants["hand_size"]
        assert sorted(player["hand"] + player["draw"]) == sorted(table.deck())
        assert player["discard"] == []


def test_new_hands_are_random_R28(components: Components) -> None:
    """R28: every player's deck is shuffled, each by itself."""
    state = split_all(before_the_split(components, 2).state().apply("end"))
    decks = [
        [player["draw"] for player in state.determinize(0, seed).apply("appoint 0").to_dict()["players"]]
        for seed in range(30)
    ]
    assert len({str(draws) for draws in decks}) == 30
    assert sum(draws[0] == draws[1] for draws in decks) < 3


# ------------------------------------------------------------------------------------------------ the early end


def bonus(components: Components | str) -> int:
    return int(Table(components).constants["early_end_bonus_vp"])


@pytest.mark.parametrize(("reserve", "market", "early"), [(0, 1, True), (1, 1, False), (0, 2, False), (1, 2, False)])
def test_the_last_brick_of_reserve_and_market_brings_the_early_end_R29(
    components: Components, reserve: int, market: int, early: bool
) -> None:
    """R29: both have to be empty; the bonus comes at once."""
    table = Table(components, 2, 1).market(black=market).give(sesterces=90).play("buy_any", markers=1).reserve(reserve)
    changed = effect(table, "buy black via buy_any")
    assert changed.get("p1.vp", 0) == (bonus(components) if early else 0)
    assert changed.get("early_end.player") == (1 if early else None)
    assert changed.get("early_end.final_turns_left") == ([0] if early else None)


@pytest.mark.parametrize(("play", "reserve", "early"), [(1, 0, True), (2, 0, False), (1, 1, False)])
def test_the_last_element_brings_the_early_end_R29(
    components: Components, play: int, reserve: int, early: bool
) -> None:
    """R29: the fifteenth: no Roman is left in the play area nor in the reserve."""
    table = Table(components, players=3).romans(play, reserve, avoid=("city_wall",))
    spot = min(table.spots("city_wall"), key=table.height)
    table.bricks(**{table.colour(spot): table.height(spot)}).hide_building("city_wall", table.colour(spot))
    table.give(sesterces=90).play("build", markers=1)
    changed = effect(table, f"build {spot}")
    reward = 0
    if table.height(spot) >= table.constants["reward_every_bricks"]:
        reward = table.data["rewards"]["city_wall"].get("vp", 0)
    assert changed["p0.vp"] == table.points(spot) + reward + (bonus(components) if early else 0)
    assert changed.get("early_end.final_turns_left") == ([1, 2] if early else None)


def test_both_conditions_at_once_bring_one_bonus_R29() -> None:
    """R29: the fifteenth element's reward takes the last brick of the reserve, while the market is empty."""
    table = Table("standard").romans(1, 0, avoid=("city_wall",)).market().bricks(white=3).play("build", markers=1)
    changed = effect(table.give(sesterces=9).reserve(1), "build city_wall A3")
    assert changed["reserve"] == -1
    assert changed["p0.vp"] == 9 + 5
    assert changed["early_end.player"] == 0


def test_the_early_end_is_tested_after_the_rewards_R29() -> None:
    """R29: the reward of the city wall takes the last brick; without the reward nothing happens."""
    for spot, bricks, early in (("city_wall A3", 3, True), ("city_wall A2", 2, False)):
        table = Table("standard").market().bricks(white=bricks).give(sesterces=9).play("build", markers=1).reserve(1)
        changed = effect(table, f"build {spot}")
        assert ("early_end.player" in changed) == early
        assert changed["p0.vp"] == table.points(spot) + (5 if early else 0)


def test_a_crown_can_bring_the_early_end_R29(components: Components) -> None:
    """R29: not when the card is bought, but when its brick, the last one, is placed."""
    table = Table(components).put("porta_nigra A1", 0).market()
    card = table.honour("porta_nigra_brick")
    table.show_honour(card["name"]).play().give(influence=card["cost"]).reserve(1)
    state = table.state().apply(f"honour {card['name']}")
    assert (state.to_dict()["phase"], state.to_dict()["early_end"]) == ("crown", None)
    changed = effect(state, "crown A1")
    assert changed["early_end.player"] == 0
    assert changed["p0.vp"] >= bonus(components)


def test_an_honour_card_can_bring_the_early_end_R29(components: Components) -> None:
    """R29: its bricks come out of the reserve."""
    card = next(
        card for card in data_of(components)["honour_cards"] if any("_brick" in key for key in card.get("gains", {}))
    )
    for reserve, early in ((1, True), (9, False)):
        table = Table(components).market().show_honour(card["name"]).play().give(influence=card["cost"])
        changed = effect(table.reserve(reserve), f"honour {card['name']}")
        assert ("early_end.player" in changed) == early


def test_a_market_that_is_empty_for_a_moment_is_no_early_end_R29(components: Components) -> None:
    """R29: with bricks in the reserve the next refill fills it again."""
    table = Table(components).market(white=1).give(sesterces=90).play("buy_any", markers=1)
    state = table.state().apply("buy white via buy_any")
    assert state.to_dict()["early_end"] is None
    assert state.apply("end").to_dict()["early_end"] is None


def test_the_bonus_comes_once_a_game_R29() -> None:
    """R29: neither the same player's second condition nor another player's brings it again."""
    table = Table("standard").romans(1, 0, avoid=("city_wall",), seat=1).market(black=1)
    table.give(sesterces=9).play("buy_any", markers=1).give(1, sesterces=99).bricks(1, white=3).reserve(0)
    table.position["players"][1]["hand"] = ["architect"]
    table.position["players"][1]["draw"] = [c for c in table.deck() if c != "architect"]
    state = table.state().apply("buy black via buy_any")
    assert state.to_dict()["players"][0]["vp"] == 5
    state.apply("end").apply("card architect").apply("build city_wall A3")
    position = state.to_dict()
    assert position["players"][1]["romans"] + position["players"][1]["romans_reserve"] == 0
    assert position["players"][1]["vp"] == 9
    assert position["early_end"] == {"player": 0, "final_turns_left": [1]}


def test_the_same_player_gets_the_bonus_once_R29() -> None:
    """R29: first the last brick, then the fifteenth element in the same turn."""
    table = Table("standard").romans(1, 0, avoid=("city_wall",)).market(black=1).give(sesterces=99)
    table.bricks(black=3).reserve(0).play("buy_any", "build", markers=2)
    state = table.state().apply("buy black via buy_any").apply("build city_wall A1")
    assert state.to_dict()["players"][0]["vp"] == 5 + 3


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_every_other_player_has_one_full_turn_R29(components: Components, seat: int) -> None:
    """R29: the player finishes the turn, the others play clockwise, with refill and any card, the game ends."""
    table = Table(components, players=4, seat=seat).romans(1, 0, avoid=("city_wall",))
    spot = min(table.spots("city_wall"), key=table.height)
    table.bricks(white=table.height(spot)).give(sesterces=90, torches=2).play("build", markers=1)
    state = table.state().apply(f"build {spot}")
    others = [(seat + place) % 4 for place in (1, 2, 3)]
    assert state.to_dict()["early_end"] == {"player": seat, "final_turns_left": others}
    assert state.current_player == seat
    state.apply("coin").apply("end")
    for place, other in enumerate(others):
        assert state.current_player == other
        assert state.to_dict()["early_end"]["final_turns_left"] == others[place:]
        state.apply(legal(state, "card ")[0]).apply("coin").apply("end")
    assert state.is_over
    assert state.to_dict()["early_end"] == {"player": seat, "final_turns_left": []}


def test_final_turns_begin_with_a_refill_R29() -> None:
    """R29: a full turn: the market of the last element's early end is filled up as ever."""
    table = Table("standard").romans(1, 0, avoid=("city_wall",)).market(red=1).bricks(white=2).play("build", markers=1)
    state = table.give(sesterces=9).state().apply("build city_wall A2").apply("end")
    assert sum(state.to_dict()["market"].values()) >= 14


# ------------------------------------------------------------------------------------------------ across a round's end


def final_turns_pending(
    components: Components | str, players: int, early: int, left: list[int], seat: int, **hands: int
) -> Table:
    """Return a table after the early end: `seat` has played its last card of round 1; `left` have a final turn."""
    table = Table(components, players).romans(0, 0, seat=early)
    return table.last_turn(seat, **hands).early(early, *left)


def test_a_round_that_ends_before_the_final_turns_is_followed_by_another_R30(components: Components) -> None:
    """R30: interim scoring of all players, an appointment, new hands for all; then only the final turns left."""
    table = final_turns_pending(components, 3, early=1, left=[2, 0], seat=2)
    table.set(starting_player=0)
    state = table.state().apply("end")
    asked = []
    while state.to_dict()["phase"] == "split_tens":
        asked.append(state.current_player)
        assert state.to_dict()["early_end"] == {"player": 1, "final_turns_left": [0]}
        state.apply("tens 0").apply("units 0")
    assert asked == [0, 1, 2]
    state.apply("appoint 0")
    position = state.to_dict()
    assert (position["round"], position["current_player"], position["phase"]) == (2, 0, "choose_card")
    for player in position["players"]:
        assert len(player["hand"]) == table.constants["hand_size"]
    state.apply(legal(state)[0]).apply("end")
    assert state.is_over
    position = state.to_dict()
    assert [len(position["players"][seat]["discard"]) for seat in range(3)] == [1, 0, 0]


def test_the_trigger_may_be_the_last_card_of_a_round_R30() -> None:
    """R30: all others have their final turns in the next round."""
    table = Table("standard", 3).romans(1, 0, avoid=("city_wall",)).bricks(white=2).give(sesterces=9)
    table.last_turn(0).set(starting_player=1)
    table.position["turn"] |= {"card": "architect", "icons_left": ["build"], "markers_left": 1}
    state = split_all(table.state().apply("build city_wall A2").apply("end"))
    assert state.to_dict()["early_end"] == {"player": 0, "final_turns_left": [1, 2]}
    state.apply("appoint 2")
    assert state.to_dict()["early_end"] == {"player": 0, "final_turns_left": [2, 1]}
    for seat in (2, 1):
        assert state.current_player == seat
        state.apply(legal(state)[0]).apply("end")
    assert state.is_over


def test_final_turns_are_resorted_from_the_appointee_R30(components: Components) -> None:
    """R30: clockwise from the appointee, with or without a final turn left."""
    players = 4 if data_of(components)["constants"]["rounds"]["4"] > 1 else 3
    early = players - 1
    for appointee in range(players):
        table = final_turns_pending(components, players, early=early, left=list(range(early)), seat=early)
        state = split_all(table.state().apply("end")).apply(f"appoint {appointee}")
        order = [seat % players for seat in range(appointee, appointee + players) if seat % players != early]
        assert state.to_dict()["starting_player"] == appointee
        assert state.to_dict()["early_end"] == {"player": early, "final_turns_left": order}
        for seat in order:
            assert state.current_player == seat
            state.apply(legal(state)[0]).apply("end")
        assert state.is_over


def test_an_appointee_without_a_final_turn_does_not_play_R30(components: Components) -> None:
    """R30: a player without a final turn is the starting player all the same."""
    for appointee, first in ((1, 0), (2, 0), (0, 0)):
        table = final_turns_pending(components, 3, early=1, left=[2, 0], seat=2)
        state = split_all(table.state().apply("end")).apply(f"appoint {appointee}")
        assert state.to_dict()["starting_player"] == appointee
        assert state.current_player == first
        position = state.to_dict()
        assert position["early_end"]["final_turns_left"] == [0]
        assert state.apply(legal(state)[0]).apply("end").is_over


def test_the_fewest_points_of_all_appoint_R30(components: Components) -> None:
    """R30: also the player who triggered the early end and has no turn left."""
    table = final_turns_pending(components, 3, early=1, left=[2, 0], seat=2)
    table.give(0, vp=60).give(1, vp=0).give(2, vp=61)
    state = table.state().apply("end")
    while state.to_dict()["phase"] == "split_tens":
        total = state.to_dict()["split"]["total"]
        state.apply(f"tens {total // 10}").apply(f"units {total % 10}")
    assert state.current_player == 1


def test_passed_over_seats_have_no_refill_and_keep_their_cards_R30(components: Components) -> None:
    """R30: the only refill of the new round comes with the first final turn."""
    table = final_turns_pending(components, 3, early=0, left=[1, 2], seat=0).market(black=1, white=1)
    state = split_all(table.state().apply("end"))
    assert sum(state.to_dict()["market"].values()) == 2
    state.apply("appoint 0")
    position = state.to_dict()
    assert position["current_player"] == 1
    assert sum(position["market"].values()) >= table.constants["market_refill_to"]
    assert position["players"][0]["discard"] == []


def test_a_last_final_turn_that_is_the_last_card_of_a_round_ends_the_game_R30(components: Components) -> None:
    """R30: no interim scoring, although the round is over too; with a final turn left there is one."""
    table = final_turns_pending(components, 3, early=1, left=[0], seat=0)
    changed = effect(table, "end")
    assert (changed["phase"], changed["current_player"]) == ("over", None)
    assert not [path for path in changed if path.endswith((".vp", ".sesterces"))]
    table = final_turns_pending(components, 3, early=1, left=[0, 2], seat=0)
    assert effect(table, "end")["phase"] == "split_tens"


def test_final_turns_that_end_within_a_round_end_the_game_R30(components: Components) -> None:
    """R30: cards left in the hands of others do not matter."""
    table = final_turns_pending(components, 3, early=1, left=[0], seat=0, p1=1, p2=2)
    assert effect(table, "end")["phase"] == "over"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_last_round_may_cut_final_turns_short_R30(components: Components, players: int) -> None:
    """R30: the game simply ends, and those who had no turn any more get none."""
    rounds = data_of(components)["constants"]["rounds"][str(players)]
    left = list(range(players - 1))
    table = final_turns_pending(components, players, early=players - 1, left=left, seat=players - 1)
    table.set(round=rounds)
    changed = effect(table, "end")
    assert (changed["phase"], changed["current_player"]) == ("over", None)
    state = table.state().apply("end")
    assert state.to_dict()["early_end"]["final_turns_left"] == left
    assert state.winners()


def test_observations_show_the_early_end_from_the_seat_of_the_observer_R29() -> None:
    """R29: who triggered it, and who still has a final turn, the next one most."""
    state = final_turns_pending("standard", 3, early=1, left=[2, 0], seat=2).engine_state()
    fields = state.game.observations
    for seat in range(3):
        seen = state.observation(seat)
        early, turns = seen[fields["early_end"].slice].tolist(), seen[fields["final_turns"].slice].tolist()
        assert early == [float(index == (1 - seat) % 3) for index in range(4)]
        assert turns == [{(2 - seat) % 3: 1.0, -seat % 3: 0.75}.get(index, 0.0) for index in range(4)]
