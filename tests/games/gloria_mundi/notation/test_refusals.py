"""Positions that are refused, with the field and the reason, and damaged positions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.positions.position import PositionError
from porta_nigra_env.games.gloria_mundi import text as notation
from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import PHASES, STONES
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.gloria_mundi.components.files import OTHER
from tests.games.gloria_mundi.notation.phases import example, in_phase
from tests.games.gloria_mundi.notation.refusals import EMPTY_HANDS, LATE, LISTS, bases, deck, stones
from tests.games.positions import DROP, Changes, assert_refused, change, damage, damages, play_on

ALL = {f"{group}: {name}": refusal for group, refusals in LISTS.items() for name, refusal in refusals.items()}


@pytest.mark.parametrize("name", ALL)
def test_an_unsafe_position_is_refused_by_its_field(name: str) -> None:
    phase, changes, field, said = ALL[name]
    assert_refused(State, change(in_phase(phase), changes), field, said)


@pytest.mark.parametrize("view", range(3))
def test_a_view_is_refused_as_such(view: int) -> None:
    with pytest.raises(PositionError, match="this is what one seat sees"):
        State.from_dict(State.from_dict(example()).to_dict(view=view))


@pytest.mark.parametrize("position", [None, 3, [], "text", {}])
def test_a_value_of_another_type_is_refused(position: Any) -> None:
    with pytest.raises(PositionError):
        State.from_dict(position)


@pytest.mark.parametrize("value", [10**5_000, "m" * 100_000], ids=["digits", "letters"])
@pytest.mark.parametrize("field", ["format", "components_digest", "phase", "deck", "players", "rng", "turn"])
def test_a_huge_value_is_refused_in_a_short_message(field: str, value: Any) -> None:
    with pytest.raises(PositionError, match=f"^{field}: ") as caught:
        notation.from_dict(load(), {**example(), field: value})
    assert len(str(caught.value)) < 300


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


# ------------------------------------------------------------------------------------------------ accepted positions


# The last ones cannot arise in play, but are safe to play.
GOOD: list[tuple[str, Changes]] = [
    ("activate", {"rng": DROP, "components_digest": load().digest}),
    ("activate", {"forum.1": None, "fire": ["palatium"]}),
    ("activate", {f"players.{seat}.stones": dict.fromkeys(STONES, 9_999) for seat in range(3)}),
    ("activate", {"goth": 6, "tribute": [stones(glory=1)]}),
    ("activate", {"goth": 36, "tribute": []}),
    ("activate", {"active_player": 0, "current_player": 0, "goth": 7, "tribute": [], "activation.left": ["castra"]}),
    ("give", {"activation.give_left": 1}),
    ("give", {"activation.left": []}),
    ("take", {"activation.take_left": 1, "players.1.stones": stones()}),
    ("pay", {"payment.food": 3}),
    ("pay", {"payment.food": 1, "payment.gold": 4}),
    ("pay_tribute", {"payment.food": 0}),
    ("lose", {"current_player": 1}),
    ("lose", {"raid.stones": stones(), "raid.demanded": bases(peace=1)}),
    ("reclaim", {"raid.stones": stones(food=3, gold=2, peace=1, glory=1)}),
    ("over", {"end": "rome", "goth": 37, "tribute": []}),
    ("over", {"players.2.steps": 38, **EMPTY_HANDS}),
    ("play", {**LATE, "players.1.hand": bases(6, 1, 0), "players.1.bare": bases(2, 5, 5)}),
    ("activate", {"deck": deck("activate", "vallum"), "fire": ["vallum"]}),
    ("activate", {"players.1.hand.farm": 6}),
    ("activate", {"players.0.bare.farm": 0}),
    ("activate", {"goth": 4, "tribute": []}),
    ("buy", {"played": "farm", "players.0.bare": bases(0, 1, 1)}),
    ("goth", {"forum.5": None, "fire": [in_phase("goth")["forum"]["5"]]}),
    ("lose", {"tribute": [stones(food=1)]}),
    ("repeat", {"activation.left": ["collegium"]}),
    ("over", {"end": "rome", "players.2.steps": 3}),
]


@pytest.mark.parametrize(("phase", "changes"), GOOD, ids=range(len(GOOD)))
def test_a_safe_position_is_accepted_and_played_to_the_end(phase: str, changes: Changes) -> None:
    play_on(State.from_dict(change(in_phase(phase), changes)), 1)


# ------------------------------------------------------------------------------------------------ any damage at all

WORDS = ("farm", "peace", "food", "foedus", "castra", "vallum", "rome", "hand", "africa", "deck")


@settings(max_examples=300 if COMPILED else 40, deadline=None, suppress_health_check=list(HealthCheck))
@given(phase=st.sampled_from(PHASES), changes=damages(WORDS))
def test_damaged_positions_load_and_can_be_played_or_are_refused(
    phase: str, changes: list[tuple[int, Any, bool]]
) -> None:
    position = damage(in_phase(phase), changes)
    try:
        state = State.from_dict(position)
    except PositionError:
        return
    play_on(state, 2)
