"""The positions of Gloria Mundi in tests: one of each phase, refused changes and accepted ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import PHASES, STONES
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.positions import DROP, Changes, Position, PositionCases, Refusal, wrong

# ------------------------------------------------------------------------------------------------ phases
# The example: three players in turn 9; player 0 is active and played peace, player 1 may use foedus.

RICH: Final = {"food": 5, "gold": 5, "peace": 5, "glory": 2}
NOTHING: Final = {"food": 0, "gold": 0, "peace": 0, "glory": 0}


def swap(position: Position, one: str, other: str) -> None:
    """Let two building cards change their places, in place."""
    text = (
        json.dumps(position).replace(f'"{one}"', '"*"').replace(f'"{other}"', f'"{one}"').replace('"*"', f'"{other}"')
    )
    position.update(json.loads(text))


def build(position: Position, seat: int, card: str, base: str) -> None:
    """Lay a card of the deck on a bare base card; the card on place +1, then +2, of the forum goes into the deck."""
    extra = "1" if position["forum"]["1"] else "2"
    swap(position, card, position["forum"][extra])
    position["forum"][extra] = None
    position["players"][seat]["bare"][base] -= 1
    position["players"][seat]["buildings"][card] = base


def _ask(position: Position, seat: int) -> None:
    """Nothing is being carried out; a seat that is rich is asked."""
    position.update(current_player=seat, activation=None)
    position["players"][seat]["stones"] = dict(RICH)


def city_turn(position: Position) -> None:
    """Player 0 has played a city instead of the peace card."""
    active = position["players"][0]
    active["hand"].update(city=4, peace=5)
    active["bare"].update(city=2, peace=0)
    position["played"] = "city"


def _play(position: Position) -> None:
    """Player 0 has still to play."""
    _ask(position, 0)
    position["played"] = None
    position["players"][0]["hand"]["peace"] = 5
    position["players"][0]["bare"]["peace"] = 0


def _exclusive(position: Position) -> None:
    """Player 2 has an exclusive card and another one on peace."""
    swap(position, "faber", "templum_vestae")
    build(position, 2, "legatio", "peace")
    position["current_player"] = 2
    position["activation"]["left"] = ["legatio"]


def _within(card: str, **left: int) -> Callable[[Position], None]:
    """Player 1 carries out a peace card."""

    def change(position: Position) -> None:
        swap(position, "foedus", card)
        position["activation"].update(left=[], card=card, **left)

    return change


def _give(position: Position) -> None:
    """Player 1 carries out circus in a city turn."""
    city_turn(position)
    build(position, 1, "circus", "city")
    position["activation"].update(left=[], card="circus", give_left=2)


def _discard(position: Position) -> None:
    """Player 2 carries out fabrica in a city turn, with two other building cards."""
    city_turn(position)
    swap(position, "argentaria", "fabrica")
    build(position, 2, "legatio", "peace")
    position["current_player"] = 2
    position["activation"].update(left=[], card="fabrica")


def _place(position: Position) -> None:
    """Player 0 buys a builder."""
    _ask(position, 0)
    swap(position, "mensor", position["forum"]["1"])
    position["purchase"] = {"place": 1, "base": None}


def _pay(position: Position) -> None:
    """Player 0 pays vicus."""
    _ask(position, 0)
    position["purchase"] = {"place": 3, "base": "city"}
    position["payment"] = {"food": None, "gold": None, "peace": None}


def _pay_tribute(position: Position) -> None:
    """Tribute lies on 6 to 8; player 0 pays for 9, a farm and a city."""
    _ask(position, 0)
    position["tribute"].append({"food": 0, "gold": 0, "peace": 0, "glory": 1})
    position["payment"] = {"food": None, "gold": None, "peace": None}


def _lose(position: Position) -> None:
    """The Goth has moved from 5 to 7, over a city and to peace."""
    _ask(position, 0)
    position.update(goth=7, tribute=[])
    demanded = {"farm": 0, "city": 1, "peace": 1}
    position["raid"] = {"demanded": demanded, "stones": {"food": 0, "gold": 1, "peace": 0, "glory": 1}}


def _reclaim(position: Position) -> None:
    """The losses are complete; player 1 takes the first stone."""
    _lose(position)
    position["raid"]["demanded"] = {"farm": 0, "city": 0, "peace": 0}
    position["current_player"] = 1


def _over(position: Position) -> None:
    """Player 2 has reached Africa while the others' cards were still to be activated."""
    position.update(current_player=None, played=None, activation=None, end="africa")
    position["players"][2]["steps"] = 39


STEPS: Final[dict[str, Callable[[Position], None]]] = {
    "play": _play,
    "exclusive": _exclusive,
    "activate": lambda position: None,
    "repeat": _within("collegium"),
    "give": _give,
    "discard": _discard,
    "take": _within("ara_pacis", take_left=3),
    "buy": lambda position: _ask(position, 0),
    "place": _place,
    "pay": _pay,
    "goth": lambda position: _ask(position, 0),
    "pay_tribute": _pay_tribute,
    "lose": _lose,
    "reclaim": _reclaim,
    "over": _over,
}


# ------------------------------------------------------------------------------------------------ refused changes


def _in_phase(phase: str) -> Position:
    return PositionCases(State, STEPS, (), (), (), (), ()).in_phase(phase)


def stones(**some: int) -> dict[str, int]:
    """Return stones by kind."""
    return {**NOTHING, **some}


def bases(farm: int = 0, city: int = 0, peace: int = 0) -> dict[str, int]:
    """Return base cards by type."""
    return {"farm": farm, "city": city, "peace": peace}


def deck(phase: str, *more: str) -> list[str]:
    """Return the deck of a phase's position; cards in it are removed, others added."""
    cards: list[str] = _in_phase(phase)["deck"]
    return [card for card in cards if card not in more] + [card for card in more if card not in cards]


#: Turn 31 of the position `play`: player 1 is active, all players have seven farms in hand and have lost nothing.
LATE: Final[dict[str, Any]] = {
    "turn": 31, "active_player": 1, "current_player": 1,
    "deck": deck("play")[:26], "fire": deck("play")[26:],
    **{f"players.{seat}.hand": bases(farm=7) for seat in range(3)},
    "players.0.bare": bases(1, 6, 5), "players.1.bare": bases(1, 6, 5), "players.2.bare": bases(1, 5, 5),
}  # fmt: skip
#: The end of a game in which nothing was lost: player 1 has to play in turn 52.
EMPTY_HANDS: Final[dict[str, Any]] = {
    "end": "hand", "turn": 52, "active_player": 1, "deck": deck("over")[:5], "fire": deck("over")[5:],
    **{f"players.{seat}.hand": bases() for seat in range(3)},
    "players.0.bare": bases(8, 6, 5), "players.1.bare": bases(8, 6, 5), "players.2.bare": bases(8, 5, 5),
}  # fmt: skip

#: Phases in which a field is not null, and one of them.
_GIVEN: Final = {
    "played": (PHASES[1:-1], "activate"),
    "activation": (("exclusive", "activate", "repeat", "give", "discard", "take"), "activate"),
    "purchase": (("place", "pay"), "pay"),
    "payment": (("pay", "pay_tribute"), "pay"),
    "raid": (("lose", "reclaim"), "lose"),
    "end": (("over",), "over"),
}

REFUSED: Final[list[Refusal]] = [
    wrong("activate", "phase", "activation", "did you mean"),
    wrong("activate", "active_player", 3, "0..2"),
    wrong("activate", "turn", 53, "1..52"),
    wrong("activate", "players.0.stones.food", 10_000, "0..9999"),
    wrong("activate", "players.0.steps", 40, "0..39"),
    wrong("activate", "goth", 38, "0..37"),
    wrong("activate", "deck.0", "valum", "did you mean 'vallum'?"),
    ("activate", {"forum.4": "farm"}, "forum.4", "no building card"),
    wrong("activate", "activation.left.0", "farm", "no building card"),
    wrong("activate", "played", "food", "no base type"),
    wrong("activate", "players.0.buildings.castra", None, "the name of a base type"),
    wrong("over", "end", "africas", "did you mean 'africa'?"),
    wrong("activate", "tribute.0.gold", 4, "0..3"),
    wrong("place", "purchase.place", 6, "0..5"),
    wrong("pay", "payment.food", 16, "0..15"),
    wrong("reclaim", "raid.stones.food", 10_000, "0..9999"),
    # building cards
    ("activate", {"deck.0": "agger"}, "deck[1]", "agger lies in deck[0] already"),
    ("activate", {"forum.4": "vallum"}, "forum.4", "deck[0]"),
    ("activate", {"fire": ["augures"]}, "fire[0]", "forum.5"),
    ("activate", {"forum.1": None, "fire": ["palatium", "palatium"]}, "fire[1]", "fire[0]"),
    ("activate", {"players.0.buildings.foedus": "peace"},
     "players[1].buildings.foedus", "players[0].buildings.foedus"),
    ("activate", {"forum.1": None}, "deck", "palatium is missing"),
    wrong("activate", "players.1.buildings.foedus", "city", "G23"),
    ("activate", {"forum.1": "vallum", "deck.0": "palatium", "players.0.buildings": {"castra": "peace",
     "vallum": "city"}, "forum": {**_in_phase("activate")["forum"], "1": None}},
     "players[0].buildings.vallum", "must not lie on city (G23)"),
    # hands
    ("activate", {"players.1.bare.farm": 2},
     "players[1].hand.farm", "7 in hand and 2 in the display are more than dealt; give at most 8"),
    ("activate", {"players.1.bare.peace": 1, "players.1.hand": bases(7, 2, 5)},
     "players[1].hand.peace", "more than dealt"),
    wrong("activate", "turn", 10, "must be at most 9 with 9 base cards played"),
    # ends
    wrong("activate", "players.1.steps", 39, "G21"),
    *((phase, {"goth": 37, "tribute": []}, "goth", "must be less than 37")
     for phase in PHASES if phase not in ("lose", "reclaim", "over")),
    # tribute
    ("activate", {"goth": 36, "tribute": [stones(food=1), stones(food=1)]}, "tribute", "but 0 are ahead"),
    ("activate", {"goth": 35, "tribute": [stones(food=1, peace=1), stones(food=1)]}, "tribute", "but 1 are ahead"),
    ("over", {"end": "rome", "goth": 37, "players.2.steps": 3}, "tribute", "but 0 are ahead"),
    ("activate", {"tribute.0": stones(food=1)}, "tribute[0].food", "at most 0"),
    ("activate", {"tribute.1": stones(peace=2)}, "tribute[1].peace", "at most 1"),
    wrong("activate", "tribute.0", stones(), "must have 1 stones"),
    wrong("activate", "tribute.0", stones(gold=1, glory=1), "must have 1 stones"),
    wrong("reclaim", "raid.stones", stones(food=8), "must be at most 7 in all"),
    wrong("lose", "raid.stones", stones(glory=8), "must be at most 7 in all"),
    # demands
    ("reclaim", {"raid.demanded": bases(peace=1)}, "raid.demanded.peace", "must be at most 0 in phase reclaim"),
    wrong("lose", "raid.demanded.farm", 4, "must be at most 3"),
    # asked
    *((phase, {"current_player": 1}, "current_player", "the active player")
     for phase in ("play", "buy", "place", "pay", "goth", "pay_tribute")),
    # activations
    wrong("activate", "activation.left", ["foedus", "foedus"], "twice"),
    ("activate", {"activation.left": ["castra"]}, "activation.left[0]", "gets no activation"),
    ("discard", {"activation.left": ["legatio"]}, "activation.left[0]", "gets no activation"),
    wrong("exclusive", "activation.left", ["legatio", "faber"], "must be legatio"),
    ("activate", {"current_player": 2, "activation.left": ["faber"]}, "activation.left[0]", "gets no activation"),
    wrong("exclusive", "activation.left", ["legatio", "templum_vestae"], "must be legatio"),
    ("activate", {"current_player": 0, "activation.left": ["castra"]}, "activation.left[0]", "gets no activation"),
    wrong("exclusive", "activation.left", [], "must be legatio"),
    wrong("repeat", "activation.card", None, "must not be null"),
    wrong("take", "activation.card", None, "must not be null"),
    wrong("activate", "activation.card", "foedus", "must be null"),
    wrong("exclusive", "activation.card", "legatio", "must be null"),
    wrong("take", "activation.card", "castra", "castra gets no activation by player 1"),
    wrong("repeat", "activation.card", "augures", "augures gets no activation by player 1"),
    wrong("discard", "activation.card", "faber", "faber gets no activation by player 2"),
    ("activate", {"phase": "repeat", "activation.left": [], "activation.card": "foedus"},
     "activation.card", "cannot be repeated"),
    ("take", {"phase": "give"}, "activation.card", "no choice on its left side"),
    ("give", {"phase": "take"}, "activation.card", "no choice on its right side"),
    ("give", {"phase": "discard"}, "activation.card", "gives up no building card"),
    ("repeat", {"players.1.stones.peace": 0}, "activation.card", "cannot be repeated"),
    wrong("give", "activation.give_left", 4, "1..3"),
    wrong("give", "activation.give_left", 0, "1..3"),
    ("give", {"players.1.stones": stones(food=1, glory=9)}, "activation.give_left", "1..1"),
    wrong("take", "activation.take_left", 4, "1..3"),
    wrong("take", "activation.take_left", 0, "1..3"),
    wrong("take", "activation.give_left", 1, "0..0"),
    wrong("give", "activation.take_left", 1, "0..0"),
    wrong("activate", "activation.give_left", 1, "0..0"),
    wrong("repeat", "activation.take_left", 1, "0..0"),
    # purchases
    wrong("place", "purchase.place", 0, "forum.0 is empty"),
    ("pay", {"players.0.bare.city": 0, "goth": 7, "tribute": []}, "purchase.place", "cannot lay down or pay vicus"),
    ("pay", {"players.0.stones": stones(food=7)}, "purchase.place", "cannot lay down or pay vicus"),
    ("place", {"players.0.stones": stones(food=3)}, "purchase.place", "cannot lay down or pay mensor"),
    wrong("place", "purchase.base", "city", "must be null"),
    wrong("pay", "purchase.base", None, "must not be null"),
    wrong("pay", "purchase.base", "farm", "no bare farm for vicus"),
    ("place", {"phase": "pay", "purchase.base": "peace", "players.0.bare.peace": 0, "players.2.bare.peace": 3,
     "payment": {"food": None, "gold": None, "peace": None}},
     "purchase.base", "no bare peace"),
    ("pay", {"payment.gold": 2}, "payment", "must be null from"),
    ("pay", {"payment.food": 3, "payment.peace": 1}, "payment", "must be null from"),
    wrong("pay", "payment", {"food": 3, "gold": 3, "peace": 2}, "must be null from"),
    ("pay_tribute", {"payment.peace": 0}, "payment", "must be null from"),
    wrong("pay_tribute", "payment", {"food": 0, "gold": 0, "peace": 0}, "must be null from"),
    ("pay_tribute", {"goth": 36, "tribute": []}, "phase", "1 legal actions"),
    # decisions
    *((phase, {key: _in_phase(other)[key]}, key, f"must be null in phase {phase}")
     for key, (phases, other) in _GIVEN.items() for phase in PHASES if phase not in phases),
    *((phase, {key: None}, key, f"must not be null in phase {phase}")
     for key, (phases, _) in _GIVEN.items() for phase in phases),
    ("play", LATE, "phase", "1 legal actions in phase play"),
    wrong("activate", "phase", "exclusive", "1 legal actions in phase exclusive"),
    ("exclusive", {"players.2.bare": bases(), "fire": ["legatio"], "activation.left": [],
     "players.2.buildings": {"templum_vestae": "peace", "argentaria": "city"}, "goth": 10, "tribute": []},
     "phase", "1 legal actions in phase exclusive"),
    ("activate", {"activation.left": []}, "phase", "1 legal actions in phase activate"),
    ("repeat", {"phase": "activate", "activation.left": ["collegium"], "activation.card": None,
     "players.1.stones": stones(gold=3)},
     "phase", "1 legal actions"),
    ("give", {"players.1.stones": stones(food=3, glory=1)}, "phase", "1 legal actions in phase give"),
    ("discard", {"players.2.buildings": {"fabrica": "city", "faber": "peace"}, "players.2.bare.peace": 2,
     "fire": ["legatio"]},
     "phase", "1 legal actions in phase discard"),
    ("buy", {"players.0.stones": stones()}, "phase", "1 legal actions in phase buy"),
    ("place", {"players.0.bare": bases(1, 0, 0), "goth": 7, "tribute": []},
     "phase", "1 legal actions in phase place"),
    ("pay", {"players.0.stones": stones(food=2, gold=1, peace=5)}, "phase", "1 legal actions in phase pay"),
    ("pay", {"payment.food": 6}, "phase", "0 legal actions in phase pay"),
    # 1 food would do.
    ("pay", {"players.0.stones": stones(food=1, gold=3, peace=5, glory=1), "payment.food": 0},
     "phase", "0 legal actions in phase pay"),
    ("goth", {"players.0.stones": stones(gold=5)}, "phase", "1 legal actions in phase goth"),
    ("goth", {"goth": 36, "tribute": []}, "phase", "1 legal actions in phase goth"),
    ("pay_tribute", {"players.0.stones": stones(peace=9)}, "phase", "0 legal actions in phase pay_tribute"),
    ("pay_tribute", {"players.0.stones": stones(food=1, gold=1)}, "phase", "1 legal actions in phase pay_tribute"),
    ("lose", {"raid.demanded": bases(city=1)}, "phase", "1 legal actions in phase lose"),
    ("lose", {"raid.demanded": bases()}, "phase", "0 legal actions in phase lose"),
    ("lose", {"raid.demanded": bases(city=1), "players.0.bare.city": 0, "players.1.bare.city": 4},
     "phase", "0 legal actions in phase lose"),
    ("reclaim", {"raid.stones": stones(gold=2)}, "phase", "1 legal actions in phase reclaim"),
    ("reclaim", {"raid.stones": stones()}, "phase", "0 legal actions in phase reclaim"),
]  # fmt: skip

# ------------------------------------------------------------------------------------------------ accepted changes

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
    ("goth", {"forum.5": None, "fire": [_in_phase("goth")["forum"]["5"]]}),
    ("lose", {"tribute": [stones(food=1)]}),
    ("repeat", {"activation.left": ["collegium"]}),
    ("over", {"end": "rome", "players.2.steps": 3}),
]

CASES: Final = PositionCases(
    state_class=State,
    steps=STEPS,
    legal=["done", "use foedus"],
    common=("play", "buy", "pay", "goth", "lose", "over"),
    refused=REFUSED,
    good=GOOD,
    words=("farm", "peace", "food", "foedus", "castra", "vallum", "rome", "hand", "africa", "deck"),
)
example, in_phase = CASES.example, CASES.in_phase
