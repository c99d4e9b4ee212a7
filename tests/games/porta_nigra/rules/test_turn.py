"""A turn: builder, card, icons, torches, the way, purchases (R10 to R17)."""

from __future__ import annotations

from collections import Counter

import pytest

from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import BUILDINGS, COLOURS
from tests.games.porta_nigra.rules.positions import Table, data_of, effect, legal, load_game, new_game

pytestmark = pytest.mark.usefixtures("rules")

SHOPS = COLOURS[:-1]
TAKES = ("influence", "torch", "coins_3", "coins_4", "coins_5")


def gain(icon: str) -> tuple[str, int]:
    """Return the gain of an icon."""
    if icon == "influence":
        return "influence", 1
    return ("torches", 1) if icon == "torch" else ("sesterces", int(icon[-1]))


# ------------------------------------------------------------------------------------------------ the builder


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_builder_is_placed_in_each_players_first_turn_after_the_refill_R10(
    components: Components, players: int
) -> None:
    """R10: any quarter, free, before the card; no player is asked again in the second turn."""
    below = data_of(components)["constants"]["market_refill_below"]
    for building in BUILDINGS:
        state = new_game(players, 8, components)
        for turn in range(2 * players):
            assert sum(state.to_dict()["market"].values()) >= below
            if turn < players:
                assert state.to_dict()["phase"] == "place_builder"
                assert state.legal_actions() == [f"place {name}" for name in sorted(BUILDINGS)]
                seat = state.current_player
                assert effect(state, f"place {building}") == {"phase": "choose_card", f"p{seat}.quarter": building}
                state.apply(f"place {building}")
            assert legal(state) == legal(state, "card ")
            state.apply(legal(state, "card ")[0]).apply("end")


def test_the_builder_is_placed_only_when_the_own_first_turn_comes_R10() -> None:
    """R10: the starting player's choice places no other builder."""
    state = new_game(3, 4)
    first = state.current_player
    state.apply("place city_wall")
    for seat, player in enumerate(state.to_dict()["players"]):
        assert player["quarter"] == ("city_wall" if seat == first else None)


# ------------------------------------------------------------------------------------------------ playing a card


def test_playing_a_card_lays_out_its_icons_and_markers(components: Components) -> None:
    """Each card of the deck brings the torches and icons of the component file."""
    for card in data_of(components)["action_cards"]:
        table = Table(components)
        name = card["name"]
        me = table.me
        if name not in me["hand"]:
            me["draw"][me["draw"].index(name)], me["hand"][0] = me["hand"][0], name
        hand = sorted(set(me["hand"]) - {name})
        state = table.state()
        assert f"card {name}" in legal(state, "card ")
        after = state.apply(f"card {name}").to_dict()
        assert after["phase"] == "main"
        assert sorted(after["players"][0]["hand"]) == hand
        turn = after["turn"]
        assert (turn["card"], turn["markers_left"], turn["honour_bought"]) == (name, card["torches"], False)
        assert sorted(turn["icons_left"]) == sorted(card["icons"])


def test_only_a_card_of_the_hand_can_be_played(components: Components) -> None:
    table = Table(components)
    assert legal(table) == sorted(f"card {name}" for name in table.me["hand"])
    assert legal(table.hand(0, 1)) == [f"card {table.deck()[0]}"]


def test_influence_actions_are_open_from_the_card_to_the_end_of_the_turn_R11(components: Components) -> None:
    """R11: with no torch and no icon left too, and between icons; not before the card is played."""
    table = Table(components).give(influence=20, torches=0, sesterces=90).bricks(white=8)
    honour = table.honour("gains")
    table.show_honour(honour["name"])
    assert legal(table) == legal(table, "card ")
    influence_actions = {"roman", f"honour {honour['name']}", "build city_wall A1 by influence"}
    table.play()
    spent = table.state()
    assert influence_actions < set(legal(spent))
    assert set(legal(spent, "buy", "take", "coin")) == set()

    state = Table(components).give(influence=20, sesterces=90).bricks(white=8).play("torch", "build", markers=2).state()
    state.apply("take torch").apply("roman").apply("build city_wall A2").apply("build city_wall A1 by influence")
    assert "roman" in legal(state)
    assert "end" in legal(state)


def test_influence_actions_are_for_ones_own_turn_R11(components: Components) -> None:
    """R11: another player's tokens open nothing."""
    table = Table(components).give(1, influence=50).play()
    assert legal(table, "roman", "honour", "build") == []


# ------------------------------------------------------------------------------------------------ torches and icons


@pytest.mark.parametrize("icon", TAKES)
def test_markers_are_used_before_torch_tokens_R12(components: Components, icon: str) -> None:
    """R12: an icon costs a marker while one is left, then a token."""
    what, amount = gain(icon)
    table = Table(components, 2, 1).play(icon, markers=1).give(torches=3)
    assert effect(table, f"take {icon}") == {f"p1.{what}": amount, "turn.icons_left": [], "turn.markers_left": -1}
    table = Table(components, 2, 1).play(icon, markers=0).give(torches=3)
    expected = Counter({f"p1.{what}": amount})
    expected["p1.torches"] -= 1
    changed = {key: change for key, change in expected.items() if change}
    assert effect(table, f"take {icon}") == {**changed, "turn.icons_left": []}


def test_purchases_builds_and_forfeits_use_markers_first_R12(components: Components) -> None:
    """R12: the same for buying, building and taking a coin."""
    for markers, path in ((1, "turn.markers_left"), (0, "p0.torches")):
        table = Table(components).give(torches=2, sesterces=50).bricks(white=8).play("buy_any", markers=markers)
        other = {"turn.markers_left", "p0.torches"} - {path}
        for action in ("buy white via buy_any", "coin"):
            changed = effect(table, action)
            assert changed[path] == -1
            assert not other & set(changed)
        table = Table(components).give(torches=2, sesterces=50).bricks(white=8).play("build", markers=markers)
        changed = effect(table, "build city_wall A1")
        assert changed[path] == -1
        assert changed["turn.icons_left"] == []


def test_without_markers_and_tokens_no_icon_can_be_used_R12(components: Components) -> None:
    """R12: one marker or one token opens the icons, none closes them."""
    icons = ("buy_red", "torch", "build")
    for markers, torches in ((1, 0), (0, 1)):
        table = Table(components).give(torches=torches, sesterces=90).bricks(white=8).play(*icons, markers=markers)
        assert {action.split()[0] for action in legal(table)} == {"buy", "take", "build", "coin", "end"}
    table = Table(components).give(torches=0, sesterces=90).bricks(white=8).play(*icons)
    assert legal(table) == ["end"]


def test_each_icon_can_be_used_once_R13(components: Components) -> None:
    """R13: after its use an icon is gone, however many torches are left; icons not on the card cannot be used."""
    for card in data_of(components)["action_cards"]:
        table = Table(components).give(torches=9, sesterces=90).bricks(white=8).romans(play=2)
        state = table.play(*card["icons"], markers=card["torches"], card=card["name"]).state()
        assert {action.split()[1] for action in legal(state, "take ")} == {i for i in card["icons"] if i in TAKES}
        used_up = {action.split()[-1] for action in legal(state, "buy ")}
        assert used_up == {icon for icon in card["icons"] if icon.startswith("buy")}
        assert bool(legal(state, "build ")) == ("build" in card["icons"])
        for icon in set(card["icons"]):
            if icon in TAKES:
                once = [icon] * card["icons"].count(icon)
                after = state.clone()
                for _ in once:
                    after.apply(f"take {icon}")
                assert f"take {icon}" not in legal(after)


def test_an_icon_shown_twice_can_be_used_twice_R13(components: Components) -> None:
    """R13: for every icon that a card shows several times: as often as it stands there, and not once more."""
    tried = 0
    for card in data_of(components)["action_cards"]:
        for icon, times in Counter(card["icons"]).items():
            if times < 2:
                continue
            tried += 1
            table = Table(components).give(torches=9, sesterces=200).bricks(white=20).romans(play=4)
            state = table.play(*card["icons"], markers=card["torches"], card=card["name"]).state()
            for use in range(times):
                actions = [a for a in legal(state) if a.split()[-1] == icon]
                actions = actions or [a for a in legal(state) if a.startswith(f"{icon} city_wall")]
                assert actions, f"{card['name']}: {icon} cannot be used for the {use + 1}th time"
                state.apply(actions[0])
            assert not [a for a in legal(state) if a.split()[-1] == icon or a.split()[0] == icon]
            assert state.to_dict()["turn"]["icons_left"].count(icon) == 0
    assert tried > 0


def test_torches_can_be_turned_into_coins_as_long_as_any_is_left_R14(components: Components) -> None:
    """R14: two markers and three tokens make five times the coins of one; then all are used."""
    table = Table(components, 3, 2).play("torch", markers=2).give(torches=3)
    each = table.constants["torch_to_sesterces"]
    state = table.state()
    for used in range(1, 6):
        state.apply("coin")
        position = state.to_dict()
        assert position["players"][2]["sesterces"] == table.constants["start_sesterces"] + used * each
        assert position["turn"]["markers_left"] == max(0, 2 - used)
        assert position["players"][2]["torches"] == min(3, 5 - used)
        assert position["turn"]["icons_left"] == ["torch"]
    assert "coin" not in legal(state)
    assert legal(state) == ["end"]


def test_a_torch_can_be_taken_with_the_last_token_R14(components: Components) -> None:
    """R14: to no effect but the used icon; and then the token is there for another icon."""
    table = Table(components).give(torches=1).play("torch")
    assert effect(table, "take torch") == {"turn.icons_left": []}
    assert "coin" in legal(table.state().apply("take torch"))


def test_a_turn_may_end_at_any_time_after_the_card_R15(components: Components) -> None:
    """R15: at once or after any action; not before the card is played."""
    table = Table(components)
    assert "end" not in legal(table)
    state = table.state().apply(legal(table)[0])
    assert "end" in legal(state)
    state = Table(components).play("torch", "build", markers=2).state()
    for action in ("take torch", "coin", "coin"):
        assert "end" in legal(state)
        state.apply(action)
    assert "end" in legal(state)


def test_unused_markers_are_lost_and_tokens_kept_R15(components: Components) -> None:
    """R15: the card goes to the discard pile, one card is drawn, the markers are lost."""
    table = Table(components, 3, 1).give(torches=4).play("torch", markers=2)
    me, card = table.me, table.position["turn"]["card"]
    drawn, sesterces = me["draw"][0], me["sesterces"]
    after = table.state().apply("end").to_dict()
    player = after["players"][1]
    assert after["turn"] is None
    assert (player["torches"], player["sesterces"]) == (4, sesterces)
    assert player["discard"] == [card]
    assert player["hand"] == sorted([*me["hand"], drawn], key=table.components.card_names.index)
    assert player["draw"] == me["draw"][1:]
    following = load_game(after).apply(f"card {after['players'][1]['hand'][0]}").to_dict()
    torches = {card["name"]: card["torches"] for card in table.data["action_cards"]}
    assert following["turn"]["markers_left"] == torches[after["players"][2]["hand"][0]]


def test_with_an_empty_draw_pile_the_hand_gets_smaller(components: Components) -> None:
    """No card is drawn, and the last card can only be played."""
    table = Table(components).hand(1, 2).hand(0, 2)
    state = table.state()
    state.apply(legal(state, "card ")[0]).apply("end").apply(legal(state, "card ")[0]).apply("end")
    assert [len(player["hand"]) for player in state.to_dict()["players"]] == [1, 1]
    assert len(legal(state)) == 1
    assert legal(state)[0].startswith("card ")


def test_turns_go_clockwise(components: Components) -> None:
    table = Table(components, players=4, seat=2)
    state = table.state()
    seats = []
    for _ in range(6):
        seats.append(state.current_player)
        state.apply(legal(state, "card ")[0]).apply("end")
    assert seats == [2, 3, 0, 1, 2, 3]


# ------------------------------------------------------------------------------------------------ the way


@pytest.mark.parametrize("building", BUILDINGS)
@pytest.mark.parametrize("colour", SHOPS)
def test_way_and_brick_are_paid_together_R16(components: Components, building: str, colour: str) -> None:
    """R16: the shortest clockwise way at the price of a border each, then the brick; the builder stands there after."""
    table = Table(components, 3, 1).play("buy_any", markers=1)
    quarter = table.quarter_of(colour)
    price = table.way(building, quarter) + table.price(colour)
    table.give(quarter=building, sesterces=price)
    expected = {
        "p1.sesterces": -price,
        f"p1.bricks.{colour}": 1,
        f"market.{colour}": -1,
        "turn.icons_left": [],
        "turn.markers_left": -1,
        "p1.quarter": quarter,
    }
    if quarter == building:
        del expected["p1.quarter"]
    assert effect(table, f"buy {colour} via buy_any") == expected
    assert f"buy {colour} via buy_any" not in legal(table.give(sesterces=price - 1))


@pytest.mark.parametrize("building", BUILDINGS)
def test_white_is_bought_from_every_quarter_without_moving_R16(components: Components, building: str) -> None:
    """R16: no way to pay, and the builder stays."""
    table = Table(components, 4, 3).play("buy_white", markers=1)
    price = table.price("white")
    table.give(quarter=building, sesterces=price)
    assert effect(table, "buy white via buy_white") == {
        "p3.sesterces": -price,
        "p3.bricks.white": 1,
        "market.white": -1,
        "turn.icons_left": [],
        "turn.markers_left": -1,
    }
    assert legal(table.give(sesterces=price - 1), "buy") == []


@pytest.mark.parametrize("start", BUILDINGS)
@pytest.mark.parametrize("target", BUILDINGS)
def test_the_way_to_a_spot_has_to_be_paid_R16(components: Components, start: str, target: str) -> None:
    """R16: building moves the builder too: with the price of the way it is possible, with one coin less it is not."""
    table = Table(components, 2, 1).play("build", markers=1)
    way = table.way(start, target)
    spot = min(table.spots(target), key=table.height)
    table.bricks(**{table.colour(spot): table.height(spot)}).give(quarter=start, sesterces=way)
    action = table.build_text(spot)
    changed = effect(table, action)
    assert changed.get("p1.quarter", start) == target
    reward = 0
    if table.height(spot) >= table.constants["reward_every_bricks"]:
        reward = table.data["rewards"][target].get("sesterces", 0)
    assert changed.get("p1.sesterces", 0) == reward - way
    if way > 0:
        assert action not in legal(table.give(sesterces=way - 1))


def test_the_builder_moves_only_to_buy_or_to_build_R16(components: Components) -> None:
    """R16: there is no move by itself, and nothing else moves him."""
    table = Table(components).give(influence=9, sesterces=90, torches=5)
    honour = table.honour("gains")
    table.show_honour(honour["name"]).play("torch", "build", markers=2)
    kinds = {action.split()[0] for action in legal(table)}
    assert kinds <= {"take", "coin", "end", "roman", "honour"}
    assert "p0.quarter" not in effect(table, "take torch", "coin", "roman", f"honour {honour['name']}", "end")


def test_the_way_starts_where_the_last_action_ended_R16(components: Components) -> None:
    """R16: two purchases in a row: going round the board costs less than twice the way from the beginning."""
    ring = data_of(components)["board"]["shop_ring"]
    table = Table(components)
    start = table.quarter_of(ring[0])
    table.give(quarter=start, sesterces=90).play("buy_any", "buy_any", markers=2, card=table.card("buy_any", "buy_any"))
    border = table.constants["border_cost"]
    first, second = ring[1], ring[3]
    changed = effect(table, f"buy {first} via buy_any", f"buy {second} via buy_any")
    assert changed["p0.sesterces"] == -(3 * border + table.price(first) + table.price(second))
    changed = effect(table, f"buy {second} via buy_any", f"buy {first} via buy_any")
    assert changed["p0.sesterces"] == -(5 * border + table.price(first) + table.price(second))


# ------------------------------------------------------------------------------------------------ colours of icons


@pytest.mark.parametrize("colour", COLOURS)
def test_a_coloured_icon_buys_its_own_colour_while_its_shop_is_stocked_R17(components: Components, colour: str) -> None:
    """R17: with one brick left in the shop, that brick and no other."""
    stock = dict.fromkeys(COLOURS, 2) | {colour: 1}
    table = Table(components).market(**stock).give(sesterces=90).play(f"buy_{colour}", markers=1)
    assert legal(table, "buy") == [f"buy {colour} via buy_{colour}"]


@pytest.mark.parametrize("colour", COLOURS)
def test_the_icon_of_an_empty_shop_buys_any_colour_R17(components: Components, colour: str) -> None:
    """R17: it is the grey icon in every respect: every other stocked shop, moving the builder, or white without."""
    stock = dict.fromkeys(COLOURS, 1) | {colour: 0}
    table = Table(components).market(**stock).give(sesterces=90).play(f"buy_{colour}", markers=1)
    others = [other for other in COLOURS if other != colour]
    assert legal(table, "buy") == sorted(f"buy {other} via buy_{colour}" for other in others)
    for other in others:
        changed = effect(table, f"buy {other} via buy_{colour}")
        way = 0 if other == "white" else table.way("basilica", table.quarter_of(other))
        assert changed["p0.sesterces"] == -way - table.price(other)
        assert changed[f"p0.bricks.{other}"] == 1
        assert changed[f"market.{other}"] == -1
        assert changed["turn.icons_left"] == []


@pytest.mark.parametrize("colour", COLOURS)
def test_a_stocked_shop_that_is_too_dear_does_not_turn_its_icon_grey_R17(components: Components, colour: str) -> None:
    """R17: one coin short of way and price: nothing can be bought, although a cheaper shop is at hand."""
    table = Table(components).play(f"buy_{colour}", markers=1)
    cheap = "black" if colour != "black" else "blue"
    table.give(quarter=table.quarter_of(cheap))
    way = 0 if colour == "white" else table.way(table.me["quarter"], table.quarter_of(colour))
    table.give(sesterces=table.price(colour) + way - 1)
    assert legal(table, "buy") == []
    assert legal(table.give(sesterces=table.price(colour) + way), "buy") == [f"buy {colour} via buy_{colour}"]


def test_which_icon_is_used_is_the_players_choice_R17(components: Components) -> None:
    """R17: own colour or grey icon, and each covers itself only."""
    card = next(
        card
        for card in data_of(components)["action_cards"]
        if "buy_any" in card["icons"] and any(f"buy_{colour}" in card["icons"] for colour in COLOURS)
    )
    own = next(icon for icon in card["icons"] if icon.startswith("buy_") and icon != "buy_any")
    colour = own.removeprefix("buy_")
    table = Table(components).give(sesterces=90).play("buy_any", own, markers=2, card=card["name"])
    assert {f"buy {colour} via buy_any", f"buy {colour} via {own}"} <= set(legal(table, "buy"))
    assert effect(table, f"buy {colour} via buy_any")["turn.icons_left"] == [own]
    assert effect(table, f"buy {colour} via {own}")["turn.icons_left"] == ["buy_any"]


def test_an_icon_turns_grey_in_the_turn_in_which_its_shop_is_emptied_R17(components: Components) -> None:
    """R17: the last brick of the shop is bought with another icon, and the coloured icon is grey at once."""
    card = next(
        card
        for card in data_of(components)["action_cards"]
        if "buy_any" in card["icons"] and any(f"buy_{colour}" in card["icons"] for colour in COLOURS)
    )
    own = next(icon for icon in card["icons"] if icon.startswith("buy_") and icon != "buy_any")
    colour = own.removeprefix("buy_")
    other = next(other for other in COLOURS if other != colour)
    table = Table(components).give(sesterces=90).market(**{colour: 1, other: 2})
    state = table.play("buy_any", own, markers=2, card=card["name"]).state()
    assert f"buy {other} via {own}" not in legal(state)
    state.apply(f"buy {colour} via buy_any")
    assert legal(state, "buy") == [f"buy {other} via {own}"]


def test_from_empty_shops_nothing_can_be_bought_R17(components: Components) -> None:
    """R17: a grey icon needs a brick too."""
    table = Table(components).market().give(sesterces=90).play("buy_any", markers=1)
    assert legal(table, "buy") == []
    table = Table(components).market(yellow=1).give(sesterces=90).play("buy_any", markers=1)
    assert legal(table, "buy") == ["buy yellow via buy_any"]
