"""The referee alone: worked examples of the rulebooks, every ruling, and the edge decisions of docs/rules.md."""

import copy
import json
import random
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.lockstep.differences import differences

from .referee import BUILDINGS, COLOURS, KEYS, UNORDERED, Position, Referee, RefereeError

HERE = Path(__file__).parent
STANDARD = HERE.parents[3] / "porta_nigra_env" / "games" / "porta_nigra" / "components" / "standard.toml"
COMPONENTS: dict[str, Any] = tomllib.loads(STANDARD.read_text(encoding="utf-8"))
REFEREE = Referee(COMPONENTS)
QUARTER_OF = {shop: building for building, shop in COMPONENTS["board"]["quarter"].items()}
RULES_PAGE = HERE.parents[3] / "docs" / "rules.md"
ACTION_CARDS = [card["name"] for card in COMPONENTS["action_cards"]]


# ------------------------------------------------------------------------------------------------ making positions


def a_player(**changes: Any) -> dict[str, Any]:
    player: dict[str, Any] = {
        "sesterces": 20,
        "torches": 0,
        "influence": 0,
        "romans": 5,
        "romans_reserve": 10,
        "vp": 0,
        "bricks": dict.fromkeys(COLOURS, 0),
        "quarter": QUARTER_OF["red"],
        "hand": ["quarry", "senator"],
        "draw": ["foreman"],
        "discard": [],
        "building_cards": dict.fromkeys(BUILDINGS, 0),
        "final_cards": [],
    }
    player.update(changes)
    player["bricks"] = dict.fromkeys(COLOURS, 0) | player["bricks"]
    player["building_cards"] = dict.fromkeys(BUILDINGS, 0) | player["building_cards"]
    return player


def a_turn(*icons: str, markers: int = 3, card: str = "architect", honour_bought: bool = False) -> dict[str, Any]:
    return {"card": card, "icons_left": list(icons), "markers_left": markers, "honour_bought": honour_bought}


def a_position(*players: dict[str, Any], **changes: Any) -> Position:
    """Phase `main`, seat 0 to act, full market and displays, nothing built; two players unless given."""
    table = [copy.deepcopy(player) for player in players] or [a_player(), a_player()]
    position: Position = {
        "format": "porta_nigra/1",
        "components": "standard",
        "num_players": len(table),
        "phase": "main",
        "current_player": 0,
        "round": 1,
        "starting_player": 0,
        "youngest_first": list(range(len(table))),
        "reserve": 60,
        "market": dict.fromkeys(COLOURS, 3),
        "supply_cards": {"draw": list(range(10)), "discard": []},
        "building_cards": {"display": [], "draw": []},
        "honour_cards": {"display": [], "draw": []},
        "spots": {b: {row: [None] * len(s) for row, s in COMPONENTS["spots"][b].items()} for b in BUILDINGS},
        "players": table,
        "turn": a_turn(),
        "early_end": None,
        "split": None,
        "rng": "opaque",
    }
    position.update(changes)
    position["market"] = dict.fromkeys(COLOURS, 0) | position["market"]
    return position


def put(position: Position, building: str, place: str, owner: int, height: int) -> None:
    position["spots"][building][place[0]][int(place[1:]) - 1] = {"owner": owner, "height": height}


def spot(building: str, row: str, colour: str, bricks: int | None = None) -> str:
    """The first spot of a row with this colour (and number of bricks), as `A4`."""
    for number, printed in enumerate(COMPONENTS["spots"][building][row], start=1):
        if printed == colour or (printed[0] == colour and bricks in (None, printed[1])):
            return f"{row}{number}"
    raise LookupError(building, row, colour, bricks)


def put_on(position: Position, building: str, row: str, colour: str, owner: int, height: int) -> str:
    """Build on the first free spot of this colour and height (Porta Nigra: of this colour); returns the spot."""
    for number, printed in enumerate(COMPONENTS["spots"][building][row], start=1):
        fits = printed == colour if building == "porta_nigra" else printed[:2] == [colour, height]
        if fits and position["spots"][building][row][number - 1] is None:
            put(position, building, f"{row}{number}", owner, height)
            return f"{row}{number}"
    raise LookupError(building, row, colour, height)


def changed(**constants: Any) -> Referee:
    """A referee with other numbers: `constants={"border_cost": 2}` changes single entries of a table."""
    components = copy.deepcopy(COMPONENTS)
    for table, entries in constants.items():
        components[table].update(entries)
    return Referee(components)


def only(position: Position, *verbs: str) -> list[str]:
    """The legal actions that start with one of these words."""
    return [action for action in REFEREE.legal_actions(position) if action.startswith(verbs)]


def example() -> Position:
    position: Position = json.loads((HERE / "position_example.json").read_text(encoding="utf-8"))
    return position


# ---------------------------------------------------------------------------------------------- the contract's example


def test_legal_actions_of_the_example() -> None:
    """R16, R17, R18: 2 sesterces buy nothing (no grey icon on the card), two red bricks fit two spots."""
    assert REFEREE.legal_actions(example()) == [
        "build basilica B3",
        "build city_wall A8",
        "coin",
        "end",
        "take influence",
    ]


def test_apply_leaves_its_input_alone_and_drops_the_random_state() -> None:
    position = example() | {"components_digest": "abc"}
    before = copy.deepcopy(position)
    after = REFEREE.apply(position, "coin")
    assert position == before
    assert set(after) == KEYS
    assert differences(before, after, UNORDERED) == ["players[1].sesterces: 2 != 3", "turn.markers_left: 3 != 2"]


@pytest.mark.parametrize("action", ["buy red via buy_any", "card quarry", "coins", "build basilica B3 x2", ""])
def test_illegal_actions_are_refused(action: str) -> None:
    with pytest.raises(ValueError, match="illegal action"):
        REFEREE.apply(example(), action)


def test_the_example_builds_and_ends() -> None:
    """R15, R21: 9 + 7 VP, no second card in the display; then the played card is discarded and one drawn."""
    position = REFEREE.apply(example(), "build basilica B3")
    player = position["players"][1]
    assert (player["vp"], player["romans"], player["bricks"]["red"], player["sesterces"]) == (16, 2, 0, 2)
    assert player["building_cards"]["basilica"] == 1  # the red basilica card lay in the display
    assert ["basilica", "red"] not in position["building_cards"]["display"]
    after = REFEREE.apply(position, "end")
    player = after["players"][1]
    assert (player["hand"], player["draw"], player["discard"][-1]) == (["quarry", "merchant"], ["senator"], "patron")
    assert (after["phase"], after["current_player"], after["turn"]) == ("choose_card", 2, None)
    assert after["building_cards"]["display"][-1] == ["city_wall", "yellow"]  # R7: appended at the end
    assert len(after["honour_cards"]["display"]) == 14


def test_order_of_produced_lists() -> None:
    """Edge: hand by the component file, icons by their names' order, final cards ascending."""
    position = a_position(
        a_player(hand=["merchant", "senator", "architect"], final_cards=[56, 30]),
        a_player(),
        turn=a_turn("coins_5", "build", "buy_any", "buy_white", "torch", "influence", "buy_black"),
    )
    after = REFEREE.apply(position, "coin")
    assert after["players"][0]["hand"] == ["architect", "senator", "merchant"]
    assert after["players"][0]["final_cards"] == [30, 56]
    assert after["turn"]["icons_left"] == [
        "buy_black", "buy_white", "buy_any", "build", "influence", "torch", "coins_5",
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------- the rules page


def test_the_rules_page_prints_the_component_file() -> None:
    """The tables of docs/rules.md are those of the standard file; R1 and R2 with the German numbers."""
    page = RULES_PAGE.read_text(encoding="utf-8")
    for building, rows in COMPONENTS["spots"].items():
        for row, spots in rows.items():
            printed = [s if isinstance(s, str) else f"{s[0]} {s[1]} ({s[2]})" for s in spots]
            for start in range(0, len(printed), 5):
                assert f" | {', '.join(printed[start : start + 5])} |" in page, (building, row, start)
    for card in COMPONENTS["action_cards"]:
        assert f"| {card['torches']} | {' '.join(card['icons'])} |" in page, card["name"]
    for card in COMPONENTS["honour_cards"]:
        assert f"| {card['name']} | {card['copies']} | {card['cost']} |" in page
    for (first, second), area in [
        (COMPONENTS["majorities"]["amphitheatre"]["A"], "Amphitheatre A"),
        *((COMPONENTS["majorities"]["porta_nigra"][height], height) for height in "345678"),
    ]:
        assert f"| {area} | {first} | {second} |" in page
    assert COMPONENTS["rewards"]["porta_nigra"] == {"influence": 1, "romans": 2}


def test_the_rules_page_states_every_ruling_once() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    assert [number for number in range(1, 40) if page.count(f"**R{number}**") == 1] == list(range(1, 37))


# ----------------------------------------------------------------------------------------------------------- setup


def new_game(referee: Referee, num_players: int, rng: random.Random) -> Position:
    """A hand-made start, refilled by the words of R7."""
    parts, constants = referee.components, referee.constants

    def shuffled(cards: list[Any]) -> list[Any]:
        return rng.sample(cards, len(cards))

    position = a_position(*[a_player() for _ in range(num_players)])
    position["starting_player"] = position["current_player"] = rng.randrange(num_players)
    position["youngest_first"] = shuffled(list(range(num_players)))
    position.update(phase="place_builder", turn=None, market=dict.fromkeys(COLOURS, 0))
    supply = shuffled(list(range(len(parts["supply_cards"]))))
    used: list[int] = []
    while sum(position["market"].values()) < constants["market_refill_to"]:
        used.append(supply.pop(0))
        for shop in parts["supply_cards"][used[-1]]["shops"]:
            position["market"][shop] += 1
    position["reserve"] = constants["bricks_total"] - sum(position["market"].values())
    position["supply_cards"] = {"draw": supply, "discard": used}
    buildings = shuffled([[b, c] for b in BUILDINGS for c in COLOURS])
    honours = shuffled([card["name"] for card in parts["honour_cards"] for _ in range(card["copies"])])
    position["building_cards"] = {"display": buildings[:6], "draw": buildings[6:]}
    position["honour_cards"] = {"display": honours[:14], "draw": honours[14:]}
    for player in position["players"]:
        deck = shuffled([c["name"] for c in parts["action_cards"] if c.get("max_players", 4) >= num_players])
        player.update(quarter=None, torches=1, hand=deck[:2], draw=deck[2:])
        player["romans_reserve"] = constants["romans_per_player"] - 5
    return position


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_a_right_start_passes(num_players: int) -> None:
    """R6, R7: any starting player, any order of ages, the market filled to at least 14."""
    for seed in range(5):
        REFEREE.check_start(new_game(REFEREE, num_players, random.Random(seed)))


def wrong_starts() -> dict[str, Any]:
    def one_brick_too_many(p: Position) -> None:
        p["market"]["red"] += 1
        p["reserve"] -= 1

    def card_twice(p: Position) -> None:
        p["players"][1]["draw"][0] = p["players"][1]["draw"][1]

    def pile_not_as_the_market_says(p: Position) -> None:
        p["supply_cards"]["draw"].insert(0, p["supply_cards"]["discard"].pop())

    return {
        "market.red": one_brick_too_many,
        "players[1].hand": card_twice,
        "supply_cards.draw": pile_not_as_the_market_says,
        "players[0].vp": lambda p: p["players"][0].update(vp=1),
        "players[0].quarter": lambda p: p["players"][0].update(quarter="basilica"),
        "hand": lambda p: p["players"][0]["hand"].append(p["players"][0]["draw"].pop(0)),
        "supply_cards": lambda p: p["supply_cards"]["draw"].pop(),
        "building_cards": lambda p: p["building_cards"]["draw"].pop(),
        "building_cards.display": lambda p: p["building_cards"]["draw"].insert(0, p["building_cards"]["display"].pop()),
        "honour_cards": lambda p: p["honour_cards"]["draw"].append("crown_porta_nigra"),
        "starting_player": lambda p: p.update(starting_player=3),
        "current_player": lambda p: p.update(current_player=(p["current_player"] + 1) % 3),
        "youngest_first": lambda p: p.update(youngest_first=[0, 0, 1]),
        "spots.city_wall": lambda p: put(p, "city_wall", "A1", 0, 3),
        "phase": lambda p: p.update(phase="choose_card"),
        "keys": lambda p: p.update(surprise=1),
        "round": lambda p: p.update(round=2),
        "num_players": lambda p: p.update(num_players=5),
        "components": lambda p: p.update(components="other"),
    }


@pytest.mark.parametrize("field", wrong_starts())
def test_a_wrong_start_is_named(field: str) -> None:
    """R6, R7: whatever setup fixes is checked, and the message names the field."""
    position = new_game(REFEREE, 3, random.Random(1))
    wrong_starts()[field](position)
    with pytest.raises(RefereeError) as error:
        REFEREE.check_start(position)
    assert field in str(error.value)


def test_four_players_leave_a_card_in_the_box() -> None:
    """Rulebook page 3: the "2 or 3 players only" card is in nobody's deck in a game of 4."""
    position = new_game(REFEREE, 4, random.Random(0))
    assert all(len(p["hand"]) + len(p["draw"]) == len(ACTION_CARDS) - 1 for p in position["players"])
    position["players"][0]["draw"][0] = "apprentice"
    with pytest.raises(RefereeError, match=r"players\[0\]"):
        REFEREE.check_start(position)


# ------------------------------------------------------------------------------------------------------- the refill


def supply_card(*shops: str) -> int:
    return next(i for i, card in enumerate(COMPONENTS["supply_cards"]) if sorted(card["shops"]) == sorted(shops))


def a_card_with(bricks: int, *taken: int) -> int:
    cards = enumerate(COMPONENTS["supply_cards"])
    return next(i for i, card in cards if len(card["shops"]) == bricks and i not in taken)


def test_refill_worked_example() -> None:
    """R7, page 3: 5 bricks, then cards of 4, 3 and 4 make 9, 12 and 16; no further card."""
    first = supply_card("white", "yellow", "red", "blue")
    second, third = a_card_with(3), a_card_with(4, first)
    rest = [i for i in range(10) if i not in (first, second, third)]
    position = a_position(
        market={"black": 5}, reserve=40, supply_cards={"draw": [first, second, third, *rest[:2]], "discard": rest[2:]}
    )
    after = REFEREE.apply(position, "end")
    assert sum(after["market"].values()) == 16
    assert after["reserve"] == 40 - 11
    assert after["supply_cards"] == {"draw": rest[:2], "discard": [*rest[2:], first, second, third]}


def test_no_refill_with_seven_bricks() -> None:
    """R7: only fewer than 7 are refilled."""
    after = REFEREE.apply(a_position(market={"black": 7}), "end")
    assert sum(after["market"].values()) == 7
    assert after["supply_cards"]["discard"] == []


def test_short_reserve_serves_dearest_shops_first() -> None:
    """R8: white, yellow, red, blue, black; with an empty reserve no further card is drawn."""
    card = supply_card("white", "red", "blue", "black")
    rest = [i for i in range(10) if i != card]
    position = a_position(market={"black": 2}, reserve=2, supply_cards={"draw": [card, *rest], "discard": []})
    after = REFEREE.apply(position, "end")
    assert after["market"] == {"black": 2, "blue": 0, "red": 1, "yellow": 0, "white": 1}
    assert (after["reserve"], after["supply_cards"]["discard"]) == (0, [card])
    assert REFEREE.apply(a_position(market={"red": 1}, reserve=0), "end")["supply_cards"]["discard"] == []


def needing_a_reshuffle() -> tuple[Position, list[int]]:
    """One supply card of 3 or 4 bricks left where at least 8 bricks are missing."""
    last = a_card_with(4)
    others = [i for i in range(10) if i != last]
    return a_position(market={"black": 6}, supply_cards={"draw": [last], "discard": others}), [*others, last]


def with_supply(order: list[int], used: int) -> Position:
    return a_position(supply_cards={"discard": order[:used], "draw": order[used:]})


def test_reshuffle_reads_the_new_order_from_the_outcome() -> None:
    """R7: the card used earlier in this refill is shuffled in too; used cards lie in the new discard pile."""
    position, cards = needing_a_reshuffle()
    order = cards[::-1]  # the card just used comes up again
    after = REFEREE.apply(position, "end", with_supply(order, 1))
    assert after["supply_cards"] == {"draw": order[1:], "discard": order[:1]}
    assert sum(after["market"].values()) == 14


def test_reshuffle_needs_an_outcome() -> None:
    """R7: chance decides."""
    with pytest.raises(ValueError, match="outcome"):
        REFEREE.apply(needing_a_reshuffle()[0], "end")


@pytest.mark.parametrize("used", [0, 2, 10])
def test_reshuffle_with_too_few_or_too_many_cards_used(used: int) -> None:
    """R7: exactly as many as needed."""
    position, cards = needing_a_reshuffle()
    with pytest.raises(RefereeError, match="supply_cards"):
        REFEREE.apply(position, "end", with_supply(cards[::-1], used))


def test_reshuffle_must_be_of_all_cards() -> None:
    """R7: a permutation of all the supply cards."""
    position, cards = needing_a_reshuffle()
    with pytest.raises(RefereeError, match="supply_cards"):
        REFEREE.apply(position, "end", with_supply([cards[0], *cards[:-1]], 1))


def test_no_reshuffle_before_a_card_is_needed() -> None:
    """R7: a pile used up by the last card of a refill stays empty."""
    last = a_card_with(4)
    others = [i for i in range(10) if i != last]
    position = a_position(
        market={"black": 6}, reserve=4, supply_cards={"draw": [last], "discard": others}
    )  # the reserve ends the refill
    assert REFEREE.apply(position, "end")["supply_cards"] == {"draw": [], "discard": [*others, last]}


def test_displays_are_refilled_at_their_end_while_the_decks_last() -> None:
    """R7, R9: new cards are appended; an empty deck is not renewed."""
    display = [["basilica", c] for c in COLOURS]
    position = a_position(
        building_cards={"display": display[:4], "draw": [["city_wall", "red"]]},
        honour_cards={"display": ["four_points"] * 13, "draw": ["final_30", "final_42"]},
    )
    after = REFEREE.apply(position, "end")
    assert after["building_cards"] == {"display": [*display[:4], ["city_wall", "red"]], "draw": []}
    assert after["honour_cards"] == {"display": ["four_points"] * 13 + ["final_30"], "draw": ["final_42"]}


# ----------------------------------------------------------------------------------------------------------- a turn


def test_builder_is_placed_free_before_the_card() -> None:
    """R10: any quarter; then the card is chosen."""
    position = a_position(a_player(quarter=None), a_player(quarter=None), phase="place_builder", turn=None)
    assert REFEREE.legal_actions(position) == [f"place {b}" for b in sorted(BUILDINGS)]
    after = REFEREE.apply(position, "place city_wall")
    assert (after["players"][0]["quarter"], after["players"][0]["sesterces"]) == ("city_wall", 20)
    assert after["phase"] == "choose_card"
    assert REFEREE.legal_actions(after) == ["card quarry", "card senator"]
    done = REFEREE.apply(REFEREE.apply(after, "card quarry"), "end")
    assert (done["phase"], done["current_player"]) == ("place_builder", 1)


def test_a_chosen_card_leaves_the_hand() -> None:
    """R12: its torches are the action markers."""
    after = REFEREE.apply(a_position(phase="choose_card", turn=None), "card senator")
    card = next(c for c in COMPONENTS["action_cards"] if c["name"] == "senator")
    assert after["players"][0]["hand"] == ["quarry"]
    assert after["turn"]["card"] == "senator"
    assert after["turn"]["markers_left"] == card["torches"]
    assert Counter(after["turn"]["icons_left"]) == Counter(card["icons"])
    assert after["turn"]["honour_bought"] is False
    assert after["players"][0]["discard"] == []


def test_influence_actions_wait_for_the_card() -> None:
    """R11: at any time of the turn, in the environment once the card is played."""
    rich = a_player(influence=9)
    before = a_position(rich, a_player(), phase="choose_card", turn=None)
    assert only(before, "roman") == []
    assert only(a_position(rich, a_player(), turn=a_turn(markers=0)), "roman") == ["roman"]


def test_markers_before_torch_tokens() -> None:
    """R12: markers first; tokens allow more actions than the card's torches."""
    position = a_position(a_player(torches=1), a_player(), turn=a_turn("coins_3", "coins_4", markers=1))
    once = REFEREE.apply(position, "take coins_4")
    assert (once["turn"]["markers_left"], once["players"][0]["torches"], once["players"][0]["sesterces"]) == (0, 1, 24)
    twice = REFEREE.apply(once, "take coins_3")
    assert (twice["players"][0]["torches"], twice["players"][0]["sesterces"]) == (0, 27)
    assert REFEREE.legal_actions(twice) == ["end"]


def test_an_icon_shown_twice_is_used_twice() -> None:
    """R13: and offered once in the list."""
    position = a_position(turn=a_turn("buy_any", "buy_any"))
    assert only(position, "buy white") == ["buy white via buy_any"]
    once = REFEREE.apply(position, "buy white via buy_any")
    assert once["turn"]["icons_left"] == ["buy_any"]
    twice = REFEREE.apply(once, "buy white via buy_any")
    assert twice["turn"]["icons_left"] == []
    assert only(twice, "buy") == []


def test_torches_to_coins() -> None:
    """R14, R12: any number of times, markers first."""
    position = a_position(a_player(torches=2), a_player(), turn=a_turn(markers=1))
    for markers, torches, sesterces in [(0, 2, 21), (0, 1, 22), (0, 0, 23)]:
        position = REFEREE.apply(position, "coin")
        player = position["players"][0]
        assert (position["turn"]["markers_left"], player["torches"], player["sesterces"]) == (
            markers,
            torches,
            sesterces,
        )
    assert REFEREE.legal_actions(position) == ["end"]


def test_a_torch_for_the_last_torch() -> None:
    """R14: legal, to no effect but the used icon."""
    position = a_position(a_player(torches=1), a_player(), turn=a_turn("torch", markers=0))
    after = REFEREE.apply(position, "take torch")
    assert (after["players"][0]["torches"], after["turn"]["icons_left"]) == (1, [])


def test_tokens_never_run_out() -> None:
    """R4: neither torch nor influence tokens are counted."""
    position = a_position(a_player(torches=18, influence=16), a_player(), turn=a_turn("torch", "influence"))
    after = REFEREE.apply(REFEREE.apply(position, "take torch"), "take influence")
    assert (after["players"][0]["torches"], after["players"][0]["influence"]) == (19, 17)


def test_a_turn_may_end_at_once() -> None:
    """R15: unused markers are lost; the next player's turn begins."""
    after = REFEREE.apply(a_position(turn=a_turn("build", markers=3)), "end")
    assert (after["turn"], after["current_player"], after["phase"]) == (None, 1, "choose_card")
    assert after["players"][0]["torches"] == 0
    assert after["players"][0]["discard"] == ["architect"]
    assert (after["players"][0]["hand"], after["players"][0]["draw"]) == (["quarry", "senator", "foreman"], [])


# ---------------------------------------------------------------------------------------------------------- buying


def test_way_from_red_to_black_quarter() -> None:
    """R16, page 5: two borders clockwise, 2 sesterces, and 1 for the black brick."""
    after = REFEREE.apply(a_position(turn=a_turn("buy_black")), "buy black via buy_black")
    player = after["players"][0]
    assert (player["sesterces"], player["quarter"], player["bricks"]["black"]) == (17, QUARTER_OF["black"], 1)
    assert (after["market"]["black"], after["turn"]["markers_left"], after["turn"]["icons_left"]) == (2, 2, [])


def test_no_way_counter_clockwise() -> None:
    """R16: from red to blue it is three borders."""
    after = REFEREE.apply(a_position(turn=a_turn("buy_blue")), "buy blue via buy_blue")
    assert after["players"][0]["sesterces"] == 20 - 3 - 2


def test_white_is_bought_from_anywhere() -> None:
    """R16: the builder stays."""
    after = REFEREE.apply(a_position(turn=a_turn("buy_white")), "buy white via buy_white")
    assert (after["players"][0]["sesterces"], after["players"][0]["quarter"]) == (15, QUARTER_OF["red"])


def test_way_and_brick_must_be_affordable_together() -> None:
    """R16: black from the red quarter costs 2 + 1."""
    turn = a_turn("buy_black")
    assert only(a_position(a_player(sesterces=2), a_player(), turn=turn), "buy") == []
    assert only(a_position(a_player(sesterces=3), a_player(), turn=turn), "buy") == ["buy black via buy_black"]


def test_no_marker_no_icon() -> None:
    """R12: an icon needs a marker or a token."""
    assert REFEREE.legal_actions(a_position(turn=a_turn("buy_red", "build", "torch", markers=0))) == ["end"]


def test_icon_of_an_empty_shop_is_grey() -> None:
    """R17, page 5: with an empty black shop the black icon buys any other colour, way and all."""
    position = a_position(market={"red": 4, "white": 4}, turn=a_turn("buy_black"))
    assert only(position, "buy") == ["buy red via buy_black", "buy white via buy_black"]
    after = REFEREE.apply(position, "buy red via buy_black")
    assert (after["players"][0]["sesterces"], after["players"][0]["bricks"]["red"]) == (17, 1)
    assert after["turn"]["icons_left"] == []
    white = a_position(market={"black": 9}, turn=a_turn("buy_white"))
    assert only(white, "buy") == ["buy black via buy_white"]


def test_icon_of_a_stocked_shop_stays_coloured() -> None:
    """R17: even if the player cannot afford that shop's brick."""
    position = a_position(a_player(sesterces=3), a_player(), turn=a_turn("buy_white"))
    assert only(position, "buy") == []


def test_the_player_chooses_the_icon() -> None:
    """R17: a red brick through the red or the grey icon; each leaves the other."""
    position = a_position(market={"red": 9}, turn=a_turn("buy_red", "buy_any", "buy_blue"))
    assert only(position, "buy") == ["buy red via buy_any", "buy red via buy_blue", "buy red via buy_red"]
    assert REFEREE.apply(position, "buy red via buy_any")["turn"]["icons_left"] == ["buy_blue", "buy_red"]


# -------------------------------------------------------------------------------------------------------- building


def test_basilica_worked_example() -> None:
    """R21, R5, page 6: 2 bricks there, 2 yellow on the 9 VP spot: card and one reward; the next one at 6."""
    position = a_position(
        a_player(bricks={"yellow": 2, "red": 2}, quarter=QUARTER_OF["blue"]),
        a_player(),
        building_cards={"display": [["city_wall", "yellow"], ["basilica", "yellow"]], "draw": []},
        turn=a_turn("build"),
    )
    put_on(position, "basilica", "A", "blue", 0, 2)
    place = spot("basilica", "A", "yellow", 2)
    after = REFEREE.apply(position, f"build basilica {place}")
    player = after["players"][0]
    assert player["vp"] == 9
    assert (player["sesterces"], player["quarter"]) == (19, "basilica")
    assert player["building_cards"]["basilica"] == 1
    assert after["building_cards"]["display"] == [["city_wall", "yellow"]]
    assert (player["torches"], player["romans"], player["romans_reserve"]) == (1, 5, 9)
    assert player["bricks"]["yellow"] == 0
    again = REFEREE.apply(after | {"turn": a_turn("build")}, f"build basilica {spot('basilica', 'B', 'red', 2)}")
    assert (again["players"][0]["torches"], again["players"][0]["romans_reserve"]) == (2, 8)


def test_basilica_reward_example_of_its_page() -> None:
    """R21, page 10: 2 blue in row A, then 2 red in row B: one reward for the third brick."""
    position = a_position(a_player(bricks={"red": 2}), a_player(), turn=a_turn("build"))
    put_on(position, "basilica", "A", "blue", 0, 2)
    after = REFEREE.apply(position, f"build basilica {spot('basilica', 'B', 'red', 2)}")
    assert (after["players"][0]["torches"], after["players"][0]["romans"]) == (1, 5)


def test_porta_nigra_worked_example() -> None:
    """R1, R19, R20, R21, R34, page 11: 6 yellow and 1 white make 28 VP and 10 bricks there: two rewards."""
    position = a_position(
        a_player(bricks={"yellow": 6, "white": 1}, quarter="porta_nigra"),
        a_player(),
        building_cards={"display": [["basilica", "yellow"]], "draw": []},
        turn=a_turn("build"),
    )
    put_on(position, "porta_nigra", "A", "black", 0, 3)
    place = spot("porta_nigra", "A", "yellow")
    after = REFEREE.apply(position, f"build porta_nigra {place} x7")
    player = after["players"][0]
    assert player["vp"] == 28
    assert (player["romans"], player["romans_reserve"], player["influence"]) == (5 - 1 + 4, 6, 2)
    assert sum(player["bricks"].values()) == 0
    points = REFEREE.scores(after)[0]["majorities"]["porta_nigra"]
    assert points == {"3": 12, "4": 0, "5": 0, "6": 0, "7": 30, "8": 0}


def test_red_spot_takes_white_substitutes() -> None:
    """R19, page 6: the amphitheatre's 3 red may be 1 red and 2 white; they count as red in every respect."""
    position = a_position(
        a_player(bricks={"red": 1, "white": 2}, quarter="amphitheatre"),
        a_player(),
        building_cards={"display": [["amphitheatre", "white"], ["amphitheatre", "red"]], "draw": []},
        turn=a_turn("build"),
    )
    after = REFEREE.apply(position, f"build amphitheatre {spot('amphitheatre', 'A', 'red', 3)}")
    assert after["building_cards"]["display"] == [["amphitheatre", "white"]]
    assert sum(after["players"][0]["bricks"].values()) == 0
    assert after["players"][0]["vp"] == 10


def test_coloured_bricks_go_first() -> None:
    """R18: white ones only for what is missing."""
    position = a_position(a_player(bricks={"red": 2, "white": 2}), a_player(), turn=a_turn("build"))
    after = REFEREE.apply(position, f"build basilica {spot('basilica', 'A', 'red', 3)}")
    assert (after["players"][0]["bricks"]["red"], after["players"][0]["bricks"]["white"]) == (0, 1)


def test_white_spots_take_white_only() -> None:
    """R19: two yellow do not make a white element."""
    place = f"build basilica {spot('basilica', 'B', 'white', 2)}"
    poor = a_position(a_player(bricks={"yellow": 9, "white": 1}), a_player(), turn=a_turn("build"))
    assert place not in REFEREE.legal_actions(poor)
    poor["players"][0]["bricks"]["white"] = 2
    assert place in REFEREE.legal_actions(poor)


def test_what_a_build_needs() -> None:
    """R18: a Roman, an empty spot, the bricks, the way."""
    place = spot("basilica", "B", "red", 2)
    action = f"build basilica {place}"
    player = a_player(bricks={"red": 2}, quarter=QUARTER_OF["blue"], sesterces=1)
    assert action in REFEREE.legal_actions(a_position(player, a_player(), turn=a_turn("build")))
    for lack in ({"romans": 0}, {"bricks": {"red": 1}}, {"sesterces": 0}):
        short = a_player(**(player | lack))
        assert action not in REFEREE.legal_actions(a_position(short, a_player(), turn=a_turn("build")))
    taken = a_position(player, a_player(), turn=a_turn("build"))
    put(taken, "basilica", place, 1, 2)
    assert action not in REFEREE.legal_actions(taken)


def test_heights_of_the_porta_nigra() -> None:
    """R20: 3 to 8 bricks; the player chooses."""
    place = spot("porta_nigra", "A", "blue")
    position = a_position(a_player(bricks={"blue": 5, "white": 9}), a_player(), turn=a_turn("build"))
    builds = only(position, f"build porta_nigra {place} ")
    assert builds == [f"build porta_nigra {place} x{h}" for h in range(3, 9)]
    position["players"][0]["bricks"]["white"] = 0
    assert only(position, f"build porta_nigra {place} ") == [f"build porta_nigra {place} x{h}" for h in (3, 4, 5)]
    after = REFEREE.apply(position, f"build porta_nigra {place} x4")
    assert after["players"][0]["vp"] == 8


def test_a_reward_never_pays_for_its_own_build() -> None:
    """R21: the amphitheatre's 5 sesterces come after the way is paid."""
    place = spot("amphitheatre", "A", "red", 3)
    player = a_player(bricks={"red": 3}, sesterces=2)  # red to blue quarter: 3 borders
    assert only(a_position(player, a_player(), turn=a_turn("build")), "build amphitheatre") == []
    player["sesterces"] = 3
    after = REFEREE.apply(a_position(player, a_player(), turn=a_turn("build")), f"build amphitheatre {place}")
    assert after["players"][0]["sesterces"] == 5


def test_rewards_as_long_as_the_reserves_last() -> None:
    """R21, R8: Romans from the own reserve, bricks from the general one."""
    position = a_position(
        a_player(bricks={"black": 6}, quarter="porta_nigra", romans_reserve=3), a_player(), turn=a_turn("build")
    )
    after = REFEREE.apply(position, f"build porta_nigra {spot('porta_nigra', 'A', 'black')} x6")
    player = after["players"][0]
    assert (player["romans"], player["romans_reserve"], player["influence"]) == (5 - 1 + 3, 0, 2)
    wall = a_position(a_player(bricks={"red": 3}, quarter="city_wall"), a_player(), turn=a_turn("build"), reserve=1)
    place = spot("city_wall", "A", "red", 3)
    first = REFEREE.apply(wall, f"build city_wall {place}")
    assert (first["players"][0]["bricks"]["white"], first["reserve"]) == (1, 0)
    none = REFEREE.apply(wall | {"reserve": 0}, f"build city_wall {place}")
    assert none["players"][0]["bricks"]["white"] == 0


def test_several_rewards_one_after_the_other() -> None:
    """R21, R8, edge: with 3 bricks left two rewards of 1 black and 1 white give 2 white and 1 black."""
    referee = changed(rewards={"porta_nigra": {"black_bricks": 1, "white_bricks": 1}})
    player = a_player(bricks={"black": 6}, quarter="porta_nigra")
    position = a_position(player, a_player(), turn=a_turn("build"), reserve=3)
    after = referee.apply(position, f"build porta_nigra {spot('porta_nigra', 'A', 'black')} x6")
    assert (after["players"][0]["bricks"]["black"], after["players"][0]["bricks"]["white"]) == (1, 2)


def test_row_c_never_gives_a_card() -> None:
    """R22: the amphitheatre's row C."""
    position = a_position(
        a_player(bricks={"red": 1}, quarter="amphitheatre"),
        a_player(),
        building_cards={"display": [["amphitheatre", "red"]], "draw": []},
        turn=a_turn("build"),
    )
    after = REFEREE.apply(position, f"build amphitheatre {spot('amphitheatre', 'C', 'red', 1)}")
    assert after["players"][0]["building_cards"]["amphitheatre"] == 0
    assert after["building_cards"]["display"] == [["amphitheatre", "red"]]


def test_build_by_influence() -> None:
    """R23: the same action for 2 influence; no icon, no marker."""
    place = spot("basilica", "B", "red", 2)
    position = a_position(a_player(bricks={"red": 2}, influence=2), a_player(), turn=a_turn("build", markers=0))
    assert only(position, f"build basilica {place}") == [f"build basilica {place} by influence"]
    after = REFEREE.apply(position, f"build basilica {place} by influence")
    assert (after["players"][0]["influence"], after["turn"]["icons_left"]) == (0, ["build"])
    assert after["players"][0]["vp"] == 7


def test_porta_nigra_by_influence() -> None:
    """R23, R20: height and influence together."""
    place = spot("porta_nigra", "A", "white")
    player = a_player(bricks={"white": 3}, influence=3, quarter="porta_nigra")
    position = a_position(player, a_player(), turn=a_turn())
    after = REFEREE.apply(position, f"build porta_nigra {place} x3 by influence")
    assert (after["players"][0]["vp"], after["players"][0]["influence"]) == (15, 3 - 2 + 1)


def test_roman_for_influence() -> None:
    """R23: needs a Roman in the own reserve."""
    position = a_position(a_player(influence=3), a_player())
    after = REFEREE.apply(position, "roman")
    player = after["players"][0]
    assert (player["influence"], player["romans"], player["romans_reserve"]) == (1, 6, 9)
    assert only(after, "roman") == []
    assert only(a_position(a_player(influence=3, romans_reserve=0), a_player()), "roman") == []


# ----------------------------------------------------------------------------------------------------- honour cards


def with_honours(player: dict[str, Any], *names: str, **changes: Any) -> Position:
    return a_position(player, a_player(), honour_cards={"display": list(names), "draw": []}, **changes)


def test_one_honour_card_a_turn() -> None:
    """R24, R9: paid, gone from the display, and no second one."""
    position = with_honours(a_player(influence=9), "four_points", "two_torches", "four_points", "fifteen_points")
    assert only(position, "honour") == ["honour fifteen_points", "honour four_points", "honour two_torches"]
    after = REFEREE.apply(position, "honour four_points")
    assert after["honour_cards"]["display"] == ["two_torches", "four_points", "fifteen_points"]
    assert (after["players"][0]["vp"], after["players"][0]["influence"]) == (4, 8)
    assert after["turn"]["honour_bought"] is True
    assert only(after, "honour") == []


def test_honour_cards_need_their_whole_cost() -> None:
    """R24: influence, building cards, final card."""
    names = ("fifteen_points", "final_30", "final_42")
    cards = dict.fromkeys(BUILDINGS, 1)
    assert only(with_honours(a_player(influence=2), *names), "honour") == []
    full = a_player(influence=2, building_cards=cards, final_cards=[30])
    assert only(with_honours(full, *names), "honour") == ["honour final_30", "honour final_42"]
    three = a_player(influence=3, building_cards=cards | {"city_wall": 0}, final_cards=[56])
    assert only(with_honours(three, *names), "honour") == ["honour fifteen_points"]


def test_effects_as_far_as_possible() -> None:
    """R24, R8: without Romans in the reserve and with one brick left the card gives what there is."""
    position = with_honours(a_player(influence=1, romans_reserve=0), "red_brick_and_roman", reserve=0)
    after = REFEREE.apply(position, "honour red_brick_and_roman")
    assert (after["players"][0]["romans"], after["players"][0]["bricks"]["red"]) == (5, 0)
    short = with_honours(a_player(influence=1), "black_and_blue_brick", reserve=1)
    bricks = REFEREE.apply(short, "honour black_and_blue_brick")["players"][0]["bricks"]
    assert (bricks["blue"], bricks["black"]) == (1, 0)


def test_final_30_takes_one_card_of_each_building() -> None:
    """R25: substitutes are building cards in every respect."""
    cards = {"basilica": 2, "amphitheatre": 1, "city_wall": 1, "porta_nigra": 0}
    position = with_honours(a_player(influence=4, building_cards=cards), "substitute_porta_nigra", "final_30")
    assert only(position, "honour") == ["honour substitute_porta_nigra"]
    after = REFEREE.apply(position, "honour substitute_porta_nigra")
    assert after["players"][0]["building_cards"]["porta_nigra"] == 1
    bought = REFEREE.apply(after | {"turn": a_turn()}, "honour final_30")
    player = bought["players"][0]
    assert player["building_cards"] == {"basilica": 1, "amphitheatre": 0, "city_wall": 0, "porta_nigra": 0}
    assert (player["final_cards"], player["influence"]) == ([30], 0)


def test_final_cards_replace_one_another() -> None:
    """R24, R9: 42 costs a 30, 56 costs a 42; one copy goes."""
    position = with_honours(a_player(influence=2, final_cards=[30, 30]), "final_42", "final_56")
    after = REFEREE.apply(position, "honour final_42")
    assert after["players"][0]["final_cards"] == [30, 42]
    assert only(after | {"turn": a_turn()}, "honour") == ["honour final_56"]
    last = REFEREE.apply(after | {"turn": a_turn()}, "honour final_56")
    assert last["players"][0]["final_cards"] == [30, 56]


def crown_position(*heights: int, **changes: Any) -> Position:
    position = with_honours(a_player(influence=1), "crown_porta_nigra", **changes)
    for number, height in enumerate(heights, start=1):
        put(position, "porta_nigra", f"A{number}", 0, height)
    put(position, "porta_nigra", "A9", 1, 3)
    return position


def test_crown() -> None:
    """R26: one's own element below height 8, no VP, the reward triggers, the height counts."""
    position = REFEREE.apply(crown_position(3, 8), "honour crown_porta_nigra")
    assert position["phase"] == "crown"
    assert position["turn"]["honour_bought"] is True
    assert position["honour_cards"]["display"] == []
    assert REFEREE.legal_actions(position) == ["crown A1"]  # asked even though it is the only one
    after = REFEREE.apply(position, "crown A1")
    player = after["players"][0]
    assert after["phase"] == "main"
    assert after["spots"]["porta_nigra"]["A"][0] == {"owner": 0, "height": 4}
    assert (player["vp"], after["reserve"]) == (0, 59)
    assert (player["influence"], player["romans"]) == (1, 7)  # the 12th brick
    assert REFEREE.scores(after)[0]["majorities"]["porta_nigra"]["4"] == 15
    assert REFEREE.scores(after)[0]["majorities"]["porta_nigra"]["3"] == 0


@pytest.mark.parametrize("position", [crown_position(8), crown_position(), crown_position(3, reserve=0)])
def test_crown_without_effect(position: Position) -> None:
    """R26: no target or an empty reserve: the card is bought, nothing happens."""
    after = REFEREE.apply(position, "honour crown_porta_nigra")
    assert (after["phase"], after["reserve"]) == ("main", position["reserve"])
    assert after["players"][0]["influence"] == 0


# ------------------------------------------------------------------------------------------- next player, early end


def test_next_seat_with_a_card() -> None:
    """Edge: clockwise, seats without a card are passed over."""
    position = a_position(a_player(), a_player(hand=[], draw=[]), a_player(), current_player=0)
    assert REFEREE.apply(position, "end")["current_player"] == 2


def last_turn(num_players: int, **changes: Any) -> Position:
    """The last card of the round is being played by the last seat."""
    players = [a_player(hand=[], draw=[]) for _ in range(num_players)]
    return a_position(*players, current_player=num_players - 1, **changes)


def test_early_end_by_the_fifteenth_element() -> None:
    """R29: 5 VP at once, she goes on, every other player has one more turn."""
    place = spot("basilica", "B", "red", 2)
    builder = a_player(romans=1, romans_reserve=0, bricks={"red": 2})
    position = a_position(a_player(), builder, a_player(), current_player=1, turn=a_turn("build", "coins_3"))
    after = REFEREE.apply(position, f"build basilica {place}")
    assert after["players"][1]["vp"] == 7 + 5
    assert after["early_end"] == {"player": 1, "final_turns_left": [2, 0]}
    assert (after["phase"], after["current_player"]) == ("main", 1)
    more = REFEREE.apply(after, "take coins_3")
    assert (more["players"][1]["vp"], more["early_end"]) == (12, after["early_end"])  # once a game
    second = REFEREE.apply(more, "end")
    assert (second["current_player"], second["early_end"]["final_turns_left"]) == (2, [2, 0])
    third = REFEREE.apply(REFEREE.apply(second, "card quarry"), "end")
    assert (third["current_player"], third["early_end"]["final_turns_left"]) == (0, [0])
    over = REFEREE.apply(REFEREE.apply(third, "card quarry"), "end")
    assert (over["phase"], over["current_player"], over["turn"], over["split"]) == ("over", None, None, None)
    assert over["early_end"] == {"player": 1, "final_turns_left": []}
    assert over["round"] == 1
    assert over["players"][0]["hand"] == ["senator", "foreman"]  # the card after the last turn is still drawn
    assert REFEREE.legal_actions(over) == []


def test_a_reward_roman_prevents_the_fifteenth() -> None:
    """R29, R21: rewards are part of the action; with a Roman left it was not the fifteenth."""
    builder = a_player(romans=1, romans_reserve=1, bricks={"red": 3})
    position = a_position(builder, a_player(), turn=a_turn("build"))
    after = REFEREE.apply(position, f"build basilica {spot('basilica', 'A', 'red', 3)}")
    assert (after["players"][0]["romans"], after["early_end"]) == (1, None)


def test_early_end_by_the_last_brick() -> None:
    """R29: reserve and market both empty."""
    position = a_position(market={"red": 1}, reserve=0, turn=a_turn("buy_red"))
    after = REFEREE.apply(position, "buy red via buy_red")
    assert (after["players"][0]["vp"], after["early_end"]) == (5, {"player": 0, "final_turns_left": [1]})
    still = a_position(market={"red": 1}, reserve=1, turn=a_turn("buy_red"))
    assert REFEREE.apply(still, "buy red via buy_red")["early_end"] is None


def test_early_end_by_a_crowning_brick() -> None:
    """R29, R26: tested after the brick, not at the purchase."""
    position = REFEREE.apply(crown_position(3, market={}, reserve=1), "honour crown_porta_nigra")
    assert position["early_end"] is None
    after = REFEREE.apply(position, "crown A1")
    assert after["early_end"] == {"player": 0, "final_turns_left": [1]}
    assert after["players"][0]["vp"] == 5


def test_early_end_by_a_reward_brick() -> None:
    """R29: rewards included."""
    player = a_player(bricks={"red": 3}, quarter="city_wall")
    position = a_position(player, a_player(), market={}, reserve=1, turn=a_turn("build"))
    after = REFEREE.apply(position, f"build city_wall {spot('city_wall', 'A', 'red', 3)}")
    assert after["early_end"] == {"player": 0, "final_turns_left": [1]}
    assert after["players"][0]["vp"] == 9 + 5


def test_the_last_final_turn_is_the_last_card_of_the_round() -> None:
    """R30: the game is over without interim scoring."""
    after = REFEREE.apply(last_turn(2, early_end={"player": 0, "final_turns_left": [1]}), "end")
    assert (after["phase"], after["early_end"]["final_turns_left"]) == ("over", [])


def test_the_round_ends_before_all_final_turns() -> None:
    """R30: interim scoring of all, a new round, and only those with a final turn play, clockwise."""
    position = last_turn(4, early_end={"player": 3, "final_turns_left": [0, 1, 2]})
    position["starting_player"] = 2
    after = REFEREE.apply(position, "end")
    assert (after["phase"], after["current_player"]) == ("split_tens", 2)
    for seat in (2, 3, 0, 1):
        assert after["current_player"] == seat
        assert after["early_end"]["final_turns_left"] == [0, 1, 2]
        after = REFEREE.apply(REFEREE.apply(after, "tens 0"), "units 0")
    assert after["phase"] == "appoint"
    outcome = dealt(after, 4)
    new = REFEREE.apply(after, "appoint 3", outcome)  # the appointee has no turn left
    assert (new["round"], new["starting_player"], new["current_player"]) == (2, 3, 0)
    assert new["early_end"]["final_turns_left"] == [0, 1, 2]
    other = REFEREE.apply(after, "appoint 2", outcome)
    assert (other["starting_player"], other["current_player"]) == (2, 2)
    assert other["early_end"]["final_turns_left"] == [2, 0, 1]
    name = other["players"][2]["hand"][0]
    turn = REFEREE.apply(REFEREE.apply(other, f"card {name}"), "end")
    assert turn["current_player"] == 0  # seat 3 is passed over
    assert turn["early_end"]["final_turns_left"] == [0, 1]


def test_the_last_round_ends_early() -> None:
    """R30: the game simply ends; the list is left as it is."""
    position = last_turn(3, early_end={"player": 2, "final_turns_left": [0, 1]}, round=2)
    after = REFEREE.apply(position, "end")
    assert (after["phase"], after["early_end"]["final_turns_left"]) == ("over", [0, 1])
    assert after["round"] == 2


# ---------------------------------------------------------------------------------------- round end, interim scoring


@pytest.mark.parametrize(("num_players", "rounds"), [(2, 3), (3, 2), (4, 2)])
def test_number_of_rounds(num_players: int, rounds: int) -> None:
    """R27: interim scoring after every round but the last."""
    for number in range(1, rounds + 1):
        after = REFEREE.apply(last_turn(num_players, round=number), "end")
        assert after["phase"] == ("over" if number == rounds else "split_tens")
        assert after["round"] == number


def test_interim_worked_example() -> None:
    """R27, page 7: 4 players, 10 bricks make 20: 15 VP and 5 sesterces."""
    position = last_turn(4, starting_player=0)
    put_on(position, "basilica", "A", "red", 0, 3)
    put(position, "porta_nigra", "A1", 0, 7)  # crowning bricks count
    after = REFEREE.apply(position, "end")
    assert (after["phase"], after["current_player"], after["turn"]) == ("split_tens", 0, None)
    assert after["split"] == {"total": 20, "tens": None, "players_left": [1, 2, 3]}
    assert REFEREE.legal_actions(after) == ["tens 0", "tens 1", "tens 2"]
    units = REFEREE.apply(after, "tens 0")
    assert (units["phase"], units["split"]["tens"]) == ("split_units", 0)
    assert REFEREE.legal_actions(units) == [f"units {k}" for k in range(10)]
    done = REFEREE.apply(units, "units 5")
    assert (done["players"][0]["vp"], done["players"][0]["sesterces"]) == (15, 25)
    assert (done["phase"], done["current_player"]) == ("split_tens", 1)
    assert done["split"] == {"total": 0, "tens": None, "players_left": [2, 3]}
    assert REFEREE.legal_actions(done) == ["tens 0"]  # R27: asked even for nothing
    assert REFEREE.legal_actions(REFEREE.apply(done, "tens 0")) == ["units 0"]
    assert REFEREE.legal_actions(REFEREE.apply(after, "tens 2")) == ["units 0"]


def test_two_players_do_not_double() -> None:
    """R27: multiplier 1."""
    position = last_turn(2)
    put_on(position, "basilica", "A", "red", 0, 3)
    assert REFEREE.apply(position, "end")["split"]["total"] == 3


def after_splits(position: Position) -> Position:
    while position["phase"] != "appoint":
        position = REFEREE.apply(position, REFEREE.legal_actions(position)[0])
    return position


@pytest.mark.parametrize(("points", "appoints"), [([3, 2, 4], 1), ([2, 9, 2], 2), ([1, 1, 1], 2), ([0, 1, 1], 0)])
def test_fewest_points_appoint(points: list[int], appoints: int) -> None:
    """R28: of several the youngest; the final scoring cards do not count."""
    position = last_turn(3, youngest_first=[2, 0, 1])
    for player, vp in zip(position["players"], points, strict=True):
        player.update(vp=vp, final_cards=[56] if vp < 2 else [])
    after = after_splits(REFEREE.apply(position, "end"))
    assert (after["current_player"], after["split"], after["round"]) == (appoints, None, 1)
    assert REFEREE.legal_actions(after) == ["appoint 0", "appoint 1", "appoint 2"]


def dealt(position: Position, num_players: int, seed: int = 0) -> Position:
    """A possible outcome of `appoint`: new decks, the supply cards as they are."""
    rng = random.Random(seed)
    outcome = copy.deepcopy(position)
    names = [c["name"] for c in COMPONENTS["action_cards"] if c.get("max_players", 4) >= num_players]
    for player in outcome["players"]:
        deck = rng.sample(names, len(names))
        player.update(hand=deck[:2], draw=deck[2:], discard=[])
    return outcome


def test_a_new_round() -> None:
    """R28, R7: round and starting player change, new hands, then the first turn's refill."""
    position = after_splits(REFEREE.apply(last_turn(4, market={"red": 1}), "end"))
    outcome = dealt(position, 4)
    after = REFEREE.apply(position, "appoint 2", outcome)
    assert (after["round"], after["starting_player"], after["current_player"]) == (2, 2, 2)
    assert (after["phase"], after["turn"], after["split"]) == ("choose_card", None, None)
    assert sum(after["market"].values()) >= 14
    for ours, theirs in zip(after["players"], outcome["players"], strict=True):
        assert sorted(ours["hand"]) == sorted(theirs["hand"])
        assert (ours["draw"], ours["discard"]) == (theirs["draw"], [])


def test_appoint_checks_what_was_dealt() -> None:
    """R28: two cards in hand and the whole deck, nothing else; and chance needs an outcome."""
    position = after_splits(REFEREE.apply(last_turn(2), "end"))
    with pytest.raises(ValueError, match="outcome"):
        REFEREE.apply(position, "appoint 0")
    three = dealt(position, 2)
    three["players"][1]["hand"].append(three["players"][1]["draw"].pop())
    with pytest.raises(RefereeError, match=r"players\[1\]\.hand"):
        REFEREE.apply(position, "appoint 0", three)
    twice = dealt(position, 2)
    twice["players"][0]["draw"][0] = twice["players"][0]["draw"][1]
    with pytest.raises(RefereeError, match=r"players\[0\]\.draw"):
        REFEREE.apply(position, "appoint 0", twice)


def test_appoint_with_a_reshuffle() -> None:
    """R7: both kinds of chance in one action."""
    position = after_splits(REFEREE.apply(last_turn(2), "end"))
    needing, cards = needing_a_reshuffle()
    position.update(market=needing["market"], supply_cards=needing["supply_cards"])
    outcome = dealt(position, 2) | {"supply_cards": {"discard": cards[-1:], "draw": cards[:-1]}}
    after = REFEREE.apply(position, "appoint 1", outcome)
    assert after["supply_cards"] == outcome["supply_cards"]


# --------------------------------------------------------------------------------------------------- final scoring


def final(*players: dict[str, Any]) -> Position:
    return a_position(*players, phase="over", current_player=None, turn=None)


def nothing(**changes: Any) -> dict[str, Any]:
    return a_player(**({"sesterces": 0, "romans": 0} | changes))


def majority(position: Position, building: str, area: str) -> list[int]:
    return [sheet["majorities"][building][area] for sheet in REFEREE.scores(position)]


@pytest.mark.parametrize(
    ("counts", "points"),
    [((0, 0, 0, 0), 0), ((2, 1, 1, 0), 14), ((1, 1, 1, 1), 20), ((3, 0, 0, 0), 6), ((3, 2, 1, 1), 20 + 6 + 2)],
)
def test_sets(counts: tuple[int, ...], points: int) -> None:
    """R31, page 9: 3 + 1 cards make 12 + 2; the largest set first."""
    player = nothing(building_cards=dict(zip(BUILDINGS, counts, strict=True)))
    assert REFEREE.scores(final(player, nothing()))[0]["sets"] == points


def test_play_area() -> None:
    """R32: 1 VP each, and 1 per full 3 sesterces; the Romans of the reserve do not count."""
    player = a_player(
        sesterces=8, torches=2, influence=3, romans=4, romans_reserve=7, vp=11, final_cards=[30, 42],
        bricks={"black": 1, "white": 2},
    )  # fmt: skip
    sheet = REFEREE.scores(final(player, nothing()))[0]
    assert (sheet["vp"], sheet["sets"], sheet["final_cards"], sheet["play_area"]) == (11, 0, 72, 2 + 2 + 3 + 4 + 3)
    assert sheet["total"] == 11 + 72 + 14
    assert sheet["majorities"] == {
        "basilica": {"A": 0, "B": 0},
        "amphitheatre": {"A": 0, "B": 0, "C": 0},
        "city_wall": {"A": 0},
        "porta_nigra": {"3": 0, "4": 0, "5": 0, "6": 0, "7": 0, "8": 0},
    }


def test_basilica_majorities_worked_example() -> None:
    """R3, R33, page 10: 4 white beat 2 yellow + 2 blue; row B has one builder, nobody is second; 12 and 18."""
    position = final(nothing(), nothing())
    put_on(position, "basilica", "A", "white", 0, 4)
    put_on(position, "basilica", "A", "yellow", 1, 2)
    put_on(position, "basilica", "A", "blue", 1, 2)
    put_on(position, "basilica", "B", "red", 1, 2)
    assert majority(position, "basilica", "A") == [12, 6]
    assert majority(position, "basilica", "B") == [0, 12]
    assert [sheet["total"] for sheet in REFEREE.scores(position)] == [12, 18]
    assert REFEREE.winners(position) == [1]


def test_amphitheatre_majority_worked_example() -> None:
    """R2, R3, page 10: 3 yellow beat 3 red, 15 and 7."""
    position = final(nothing(), nothing())
    put_on(position, "amphitheatre", "A", "red", 0, 3)
    put_on(position, "amphitheatre", "A", "yellow", 1, 3)
    assert majority(position, "amphitheatre", "A") == [7, 15]


def test_only_the_best_element_breaks_a_tie() -> None:
    """R3: dearer colour first, then more bricks of it; the other elements do not matter."""
    position = final(nothing(), nothing(), nothing())
    put_on(position, "city_wall", "A", "white", 0, 2)
    put_on(position, "city_wall", "A", "black", 0, 3)
    put_on(position, "city_wall", "A", "white", 1, 3)
    put_on(position, "city_wall", "A", "black", 1, 2)
    assert majority(position, "city_wall", "A") == [10, 20, 0]
    position = final(nothing(), nothing())
    put_on(position, "city_wall", "A", "yellow", 0, 3)
    put_on(position, "city_wall", "A", "red", 0, 2)
    put_on(position, "city_wall", "A", "white", 1, 2)
    put_on(position, "city_wall", "A", "black", 1, 3)
    assert majority(position, "city_wall", "A") == [10, 20]


def test_bricks_before_ties_and_nothing_for_nothing() -> None:
    """R33: more bricks beat dearer ones; who has none there never scores."""
    position = final(nothing(), nothing(), nothing(), nothing())
    put_on(position, "amphitheatre", "B", "black", 2, 2)
    put_on(position, "amphitheatre", "B", "blue", 2, 2)
    put_on(position, "amphitheatre", "B", "white", 1, 2)
    put_on(position, "amphitheatre", "B", "red", 3, 2)
    assert majority(position, "amphitheatre", "B") == [0, 5, 10, 0]
    assert majority(position, "amphitheatre", "C") == [0, 0, 0, 0]


def test_porta_nigra_counts_elements_of_a_height() -> None:
    """R34: two black ones beat one white one; ties by the elements of that height only."""
    position = final(nothing(), nothing(), nothing())
    put_on(position, "porta_nigra", "A", "black", 0, 3)
    put_on(position, "porta_nigra", "A", "black", 0, 3)
    put_on(position, "porta_nigra", "A", "white", 1, 3)
    put_on(position, "porta_nigra", "A", "yellow", 0, 5)
    put_on(position, "porta_nigra", "A", "red", 1, 5)
    assert majority(position, "porta_nigra", "3") == [12, 6, 0]
    assert majority(position, "porta_nigra", "5") == [19, 9, 0]
    assert majority(position, "porta_nigra", "8") == [0, 0, 0]


def test_unbreakable_tie_for_first() -> None:
    """R35: the tied take second's points, a third player nothing."""
    position = final(nothing(), nothing(), nothing())
    put_on(position, "porta_nigra", "A", "yellow", 0, 4)
    put_on(position, "porta_nigra", "A", "yellow", 2, 4)
    put_on(position, "porta_nigra", "A", "black", 1, 4)
    assert majority(position, "porta_nigra", "4") == [7, 0, 7]


def test_unbreakable_tie_for_second() -> None:
    """R35: the tied take nothing."""
    position = final(nothing(), nothing(), nothing())
    put_on(position, "porta_nigra", "A", "blue", 0, 6)
    put_on(position, "porta_nigra", "A", "blue", 2, 6)
    put_on(position, "porta_nigra", "A", "white", 1, 6)
    assert majority(position, "porta_nigra", "6") == [0, 24, 0]


def test_unbreakable_tie_in_another_building() -> None:
    """R35: in any building; here with a component file that has the same spot twice."""
    components = copy.deepcopy(COMPONENTS)
    components["spots"]["basilica"]["A"] = [["red", 3, 9], ["red", 3, 9], ["blue", 3, 9]]
    position = final(nothing(), nothing(), nothing())
    position["spots"]["basilica"]["A"] = [{"owner": seat, "height": 3} for seat in range(3)]
    sheets = Referee(components).scores(position)
    assert [sheet["majorities"]["basilica"]["A"] for sheet in sheets] == [6, 6, 0]


def test_winners() -> None:
    """R36: a tie has several winners; before the end there is none."""
    players = [nothing(vp=7), nothing(vp=9), nothing(vp=6, sesterces=11)]
    assert REFEREE.winners(final(*players)) == [1, 2]
    assert REFEREE.winners(a_position(*players)) == []
    assert [sheet["total"] for sheet in REFEREE.scores(a_position(*players))] == [7, 9, 9]


# ------------------------------------------------------------------------------------- other numbers, whole games


def test_the_numbers_come_from_the_component_file() -> None:
    """R7, R14, R16, R23: nothing depends on a particular value."""
    referee = changed(
        constants={
            "border_cost": 3, "torch_to_sesterces": 2, "influence_cost_roman": 5, "market_refill_below": 99,
            "market_refill_to": 17, "building_display": 2, "honour_purchases_per_turn": 0, "set_vp": [0, 1, 1, 1, 1],
        }
    )  # fmt: skip
    position = a_position(a_player(influence=4), a_player(), turn=a_turn("buy_black"))
    position["honour_cards"]["display"] = ["four_points"]
    assert "roman" not in referee.legal_actions(position)
    assert "honour four_points" not in referee.legal_actions(position)
    assert referee.apply(position, "coin")["players"][0]["sesterces"] == 22
    assert referee.apply(position, "buy black via buy_black")["players"][0]["sesterces"] == 20 - 6 - 1
    position["building_cards"]["draw"] = [["basilica", c] for c in COLOURS]
    after = referee.apply(position, "end")
    assert len(after["building_cards"]["display"]) == 2
    assert sum(after["market"].values()) >= 17


def apply_with_chance(referee: Referee, position: Position, action: str, rng: random.Random) -> Position:
    """Play an action; where chance decides, try made-up outcomes: exactly one number of used cards can be right."""
    order = rng.sample(range(10), 10)
    outcome = copy.deepcopy(position)
    if action.startswith("appoint"):
        outcome = dealt(position, position["num_players"], rng.randrange(1000))
    elif action != "end":
        return referee.apply(position, action)
    accepted = []
    for used in range(11):
        outcome["supply_cards"] = {"discard": order[:used], "draw": order[used:]}
        try:
            accepted.append(referee.apply(position, action, outcome))
        except RefereeError:
            continue
    assert len(accepted) in (1, 11)  # 11: no reshuffle, the outcome's piles are not looked at
    return accepted[0]


def check_sums(referee: Referee, position: Position) -> None:
    """Bricks, Romans and cards are neither made nor lost (R9: but bought honour cards leave the game)."""
    constants, everybody = referee.constants, position["players"]
    elements = [e for rows in position["spots"].values() for row in rows.values() for e in row if e]
    bricks = position["reserve"] + sum(position["market"].values()) + sum(e["height"] for e in elements)
    assert bricks + sum(sum(p["bricks"].values()) for p in everybody) == constants["bricks_total"]
    supply = position["supply_cards"]
    assert sorted(supply["draw"] + supply["discard"]) == list(range(10))
    for seat, player in enumerate(everybody):
        placed = sum(1 for e in elements if e["owner"] == seat)
        assert player["romans"] + player["romans_reserve"] + placed == constants["romans_per_player"]
        in_play = [position["turn"]["card"]] if position["turn"] and seat == position["current_player"] else []
        cards = player["hand"] + player["draw"] + player["discard"] + in_play
        assert len(cards) == len(set(cards)) == (7 if position["num_players"] == 4 else 8)
        numbers = [player[k] for k in ("sesterces", "torches", "influence", "romans", "romans_reserve", "vp")]
        assert min([*numbers, *player["bricks"].values(), *player["building_cards"].values()]) >= 0


@pytest.mark.parametrize(
    ("num_players", "seed", "constants"),
    [
        (2, 1, {}),
        (3, 2, {}),
        (4, 3, {}),
        (2, 4, {"bricks_total": 30}),
        (3, 5, {"bricks_total": 40}),
        (4, 6, {"romans_per_player": 6}),
        (2, 7, {"romans_per_player": 5, "bricks_total": 60}),
    ],
)
def test_whole_games(num_players: int, seed: int, constants: dict[str, int]) -> None:
    """R27 to R30: random games end, keep their sums, and early ends happen where bricks or Romans are few."""
    referee, rng = changed(constants=constants), random.Random(seed)
    position = new_game(referee, num_players, rng)
    referee.check_start(position)
    for _ in range(3000):
        legal = referee.legal_actions(position)
        if not legal:
            break
        assert legal == sorted(set(legal))
        builds = [a for a in legal if a.startswith(("build", "crown"))]
        useful = [a for a in legal if a not in ("end", "coin", "roman")]
        action = rng.choice(builds or useful or legal) if rng.random() < 0.85 else rng.choice(legal)
        position = apply_with_chance(referee, position, action, rng)
        check_sums(referee, position)
    assert position["phase"] == "over"
    assert set(position) == KEYS
    assert (position["early_end"] is not None) or not constants
    totals = [sheet["total"] for sheet in referee.scores(position)]
    assert [totals[seat] for seat in referee.winners(position)] == [max(totals)] * len(referee.winners(position))
