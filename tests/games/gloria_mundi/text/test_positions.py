"""Action ids, positions with another component file, views that hide the deck, and boards."""

from __future__ import annotations

from typing import Any

import pytest

from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, PHASES, STONES
from porta_nigra_env.games.gloria_mundi.components.texts import ability_text
from porta_nigra_env.games.gloria_mundi.game import State
from porta_nigra_env.games.gloria_mundi.text import action_texts
from tests.games.gloria_mundi.components.files import OTHER
from tests.games.gloria_mundi.text.cases import example, in_phase, stones
from tests.games.positions import assert_refused, play

FILES = pytest.mark.parametrize("components", ["standard", str(OTHER)], ids=["standard", "other"])


def test_what_has_no_order_is_read_in_any_and_written_in_that_of_the_file() -> None:
    """The fire, and the cards left."""
    position = in_phase("buy")
    position["fire"] = [position["forum"].pop("4"), position["forum"].pop("1")]
    position["forum"].update({"4": None, "1": None})
    position["fire"].sort(key=load().cards.index, reverse=True)
    written = State.from_dict(position).to_dict()
    assert written["fire"] == position["fire"][::-1] == ["curia", "palatium"]
    several = in_phase("exclusive")
    several["phase"], several["activation"]["left"] = "activate", ["legatio"]
    several["players"][2]["buildings"]["concordia"] = "peace"
    several["players"][2]["bare"]["peace"] -= 1
    several["deck"][several["deck"].index("concordia")] = several["forum"]["2"]
    several["forum"]["2"] = None
    orders = []
    for left in (["legatio", "concordia"], ["concordia", "legatio"]):
        several["activation"]["left"] = left
        orders.append(State.from_dict(several).to_dict()["activation"]["left"])
    assert orders == [["legatio", "concordia"]] * 2


def test_the_next_card_of_the_deck_is_its_first() -> None:
    position = in_phase("goth")
    state = State.from_dict(position).apply("goth")
    while state.to_dict()["turn"] == position["turn"]:
        state.apply(state.legal_actions()[0])
    assert state.to_dict()["forum"]["5"] == position["deck"][0]
    assert state.to_dict()["deck"] == position["deck"][1:]


# ------------------------------------------------------------------------------------------------ actions

#: For each kind of action: first word, options, first and last id.
ROWS = [
    ("play", BASES, 0, 2), ("use", "cards", 3, 59), ("base", "cards", 60, 116), ("done", (), 117, 117),
    ("again", (), 118, 118), ("give", STONES, 119, 122), ("discard", "cards", 123, 179), ("take", STONES, 180, 183),
    ("buy", "extras", 184, 189), ("on", BASES, 190, 192),
    ("pay", [f"{stone} {number}" for stone in BASIC for number in range(16)], 193, 240),
    ("tribute", (), 241, 241), ("goth", (), 242, 242), ("lose", BASES, 243, 245), ("lose", "cards", 246, 302),
    ("wall", "cards", 303, 359),
]  # fmt: skip


@FILES
def test_action_ids_stand_in_the_order_of_the_contract(components: str) -> None:
    found = load(components)
    texts = action_texts(found)
    assert len(set(texts)) == len(texts) == 360
    for verb, options, first, last in ROWS:
        listed = getattr(found, options) if isinstance(options, str) else options
        assert list(texts[first : last + 1]) == ([f"{verb} {option}" for option in listed] if listed else [verb])


# ------------------------------------------------------------------------------------------------ views


@FILES
def test_a_view_hides_the_order_of_the_deck_and_nothing_else(components: str) -> None:
    """G43, G44: and it is the same for every seat."""
    for number, state in enumerate(play(State.new(4, 3, components), 3)):
        position = state.to_dict()
        expected = {**position, "deck": {"count": len(position["deck"])}, "rng": None}
        assert [state.to_dict(view=seat) for seat in range(4)] == [expected] * 4
        world = state.determinize(number % 4, number)
        assert world.to_dict(view=0) == expected
        assert sorted(world.to_dict()["deck"]) == sorted(position["deck"])
        assert world.view(1).board() == state.view(1).board() == state.view(0).board()
        assert State.from_dict(world.to_dict()) == world


def test_views_of_different_decks_are_equal() -> None:
    position = example()
    position["deck"].reverse()
    one, other = State.from_dict(example()), State.from_dict(position)
    assert one.to_dict() != other.to_dict()
    assert one.to_dict(view=0) == other.to_dict(view=0)
    assert one.view(0).position() == other.view(0).position()


# ------------------------------------------------------------------------------------------------ boards


@pytest.mark.parametrize("phase", PHASES)
def test_the_board_tells_what_the_position_says(phase: str) -> None:
    position = in_phase(phase)
    board = str(State.from_dict(position))
    lines = board.splitlines()
    asked = "the game is over: africa" if phase == "over" else f"player {position['current_player']} to decide: "
    assert asked + "" * (phase == "over") in lines[0]
    assert f"turn {position['turn']}, player 0 is active" in lines[0]
    for extra, card in position["forum"].items():
        row = next(line for line in lines if line.startswith(f"forum +{extra} "))
        assert row.split()[2] == (card or "-")
    for entry, paid in enumerate(position["tribute"], position["goth"] + 1):
        row = next(line for line in lines if line.startswith("  tribute"))
        assert f"{entry} {load().provinces[entry - 1]}: " in row
        assert all(f"{number} {stone}" in row for stone, number in paid.items() if number)
    texts = {card["name"]: ability_text(card) for card in load().data["building_cards"]}
    for seat, player in enumerate(position["players"]):
        first = next(i for i, line in enumerate(lines) if line[2:].startswith(f"player {seat}"))
        part = "\n".join(lines[first : first + 5])
        mark = ">" if position["current_player"] == seat else "*" if seat == 0 else " "
        assert lines[first].startswith(mark)
        assert f"{player['steps']} of 39 steps" in lines[first]
        assert all(f"{stone} {number}" in lines[first] for stone, number in player["stones"].items())
        for card, base in player["buildings"].items():
            assert f"{player['bare'][base]} bare" in part
            assert f"{card}: {texts[card]}" in part
    assert f"deck            {len(position['deck'])} cards" in board


@pytest.mark.parametrize(
    ("phase", "told"),
    [
        ("exclusive", "cards left      legatio"),
        ("repeat", "carried out     collegium  give 1 peace, get 1 gold, any number of times"),
        ("give", "carried out     circus  give 3 of food/gold/peace, get 2 steps  2 to give"),
        ("take", "carried out     ara_pacis  give 1 glory, get 3 of food/gold/peace  3 to take"),
        ("place", "purchase        mensor  +1"),
        ("pay", "purchase        vicus  +3  on city"),
        ("pay", "payment         food ?  gold ?  peace ?"),
        ("lose", "raid            demanded city 1  peace 1  to be shared 1 gold, 1 glory"),
        ("reclaim", "raid            demanded none  to be shared 1 gold, 1 glory"),
    ],
)
def test_the_board_tells_each_pending_decision(phase: str, told: str) -> None:
    assert told in str(State.from_dict(in_phase(phase))).splitlines()


def test_the_board_tells_where_the_goth_is() -> None:
    position = in_phase("buy")
    assert "Goth            on 5 F of 36" in str(State.from_dict(position)).splitlines()
    assert "Goth            at the start" in str(State.new(2, 1)).splitlines()
    over = in_phase("over")
    over.update(end="rome", goth=37, tribute=[])
    assert "Goth            in Rome" in str(State.from_dict(over)).splitlines()


@pytest.mark.parametrize(
    ("card", "text"),
    [
        ("mill", "get 2 glory, 1 step"), ("mint", "get 3 of gold/glory"),
        ("forge", "give 1 food, 1 peace, get 2 of gold/glory, any number of times"),
        ("barter", "give 2 of gold/peace, get 3 of food/glory, any number of times"),
        ("quarry", "give another building card, get its price, any number of times"),
        ("archive", "give another building card, get its laurel steps"), ("vineyard", "1 gold, 1 step for each city"),
        ("senate", "1 glory for each building card"), ("shrine", "2 food for each stone of peace"),
        ("circle", "2 food, 1 glory for each other city, exclusive"),
        ("omen", "3 peace, 1 step if the Goth is on city"),
        ("surveyor", "buying: food/gold/peace/glory for peace, any number"),
        ("orator", "buying: glory for food/gold, once"), ("dike", "wall of city"),
    ],
)  # fmt: skip
def test_abilities_read_like_sentences(card: str, text: str) -> None:
    cards: dict[str, Any] = {one["name"]: one for one in load(OTHER).data["building_cards"]}
    assert ability_text(cards[card]) == text


# ------------------------------------------------------------------------------------------------ with another file


def other_position(**changes: Any) -> dict[str, Any]:
    """Return the first position of a game of four with the second component file, changed."""
    return {**State.new(4, 1, str(OTHER)).to_dict(), **changes}


def test_no_turn_is_later_than_the_base_cards_last() -> None:
    """One base card is played in each turn."""
    assert_refused(State, other_position(turn=2), "turn", "must be at most 1")
    assert_refused(State, other_position(turn=66), "turn", "1..65")


def test_an_unknown_place_is_refused() -> None:
    position = other_position(phase="place", played="farm", purchase={"place": 5, "base": None})
    assert_refused(State, position, "purchase.place", "must be one of 7, 6, 4, 3, 2, 1, not 5")


def test_tribute_of_a_province_of_three_symbols() -> None:
    """G30: one stone for each symbol, of its kind or glory; province 3 has three cities."""
    for gold in range(4):
        position = other_position(goth=2, tribute=[stones(gold=gold, glory=3 - gold)])
        assert State.from_dict(position).to_dict() == position
    too_few = other_position(goth=2, tribute=[stones(gold=2)])
    assert_refused(State, too_few, "tribute[0]", "must have 3 stones, one for each symbol of province 3")
    assert_refused(State, other_position(goth=2, tribute=[stones(gold=2, food=1)]), "tribute[0].food", "at most 0")


def with_buildings(*cards: str) -> dict[str, Any]:
    """Return the first turn of that game: a peace card is played, these cards of the deck lie on peace."""
    position = other_position()
    seat = position["active_player"]
    player, deck, forum = position["players"][seat], position["deck"], position["forum"]
    for extra, card in zip(("6", "4"), cards, strict=False):
        deck[deck.index(card)], forum[extra] = forum[extra], None
        player["buildings"][card] = "peace"
    player["hand"]["peace"] -= 1
    player["bare"]["peace"] += 1 - len(cards)
    activation = {"left": [], "card": cards[0], "give_left": 0, "take_left": 0}
    return {**position, "phase": "repeat", "played": "peace", "activation": activation}


def test_giving_up_cards_is_repeated_while_another_is_left() -> None:
    """G14, G17: ruin gives up building cards, with the printed X."""
    assert State.from_dict(with_buildings("ruin", "spring")).legal_actions() == ["again", "done"]
    assert_refused(State, with_buildings("ruin"), "activation.card", "ruin cannot be repeated")
