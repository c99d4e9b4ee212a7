"""The positions of Gloria Mundi in tests: one of each phase, refused changes and accepted ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final

from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import PHASES, STONES
from porta_nigra_env.games.gloria_mundi.game import State
from tests.games.positions import DROP, Changes, Position, PositionCases, Refusal

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
    return PositionCases(State, STEPS, (), (), {}, (), ()).in_phase(phase)


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

REFUSED: Final[dict[str, Refusal]] = {
    "an unknown phase": ("activate", {"phase": "activation"}, "phase", "did you mean"),
    "an active seat that does not exist": ("activate", {"active_player": 3}, "active_player", "0..2"),
    "turn 53": ("activate", {"turn": 53}, "turn", "1..52"),
    "too many stones": ("activate", {"players.0.stones.food": 10_000}, "players[0].stones.food", "0..9999"),
    "steps behind Africa": ("activate", {"players.0.steps": 40}, "players[0].steps", "0..39"),
    "the Goth behind Rome": ("activate", {"goth": 38}, "goth", "0..37"),
    "an unknown card": ("activate", {"deck.0": "valum"}, "deck[0]", "did you mean 'vallum'?"),
    "an unknown card in the forum": ("activate", {"forum.4": "farm"}, "forum.4", "no building card"),
    "an unknown card left": ("activate", {"activation.left.0": "farm"}, "activation.left[0]", "no building card"),
    "an unknown base type": ("activate", {"played": "food"}, "played", "no base type"),
    "a card on no base type": ("activate", {"players.0.buildings.castra": None}, "players[0].buildings.castra",
                               "the name of a base type"),
    "an unknown end": ("over", {"end": "africas"}, "end", "did you mean 'africa'?"),
    "too many stones on a province": ("activate", {"tribute.0.gold": 4}, "tribute[0].gold", "0..3"),
    "a place that is none": ("place", {"purchase.place": 6}, "purchase.place", "0..5"),
    "an amount of 16": ("pay", {"payment.food": 16}, "payment.food", "0..15"),
    "too many stones shared": ("reclaim", {"raid.stones.food": 10_000}, "raid.stones.food", "0..9999"),
    # building cards
    "a card twice in the deck": ("activate", {"deck.0": "agger"}, "deck[1]", "agger lies in deck[0] already"),
    "a card in deck and forum": ("activate", {"forum.4": "vallum"}, "forum.4", "deck[0]"),
    "a card in forum and fire": ("activate", {"fire": ["augures"]}, "fire[0]", "forum.5"),
    "a card twice in the fire": ("activate", {"forum.1": None, "fire": ["palatium", "palatium"]}, "fire[1]", "fire[0]"),
    "a card in two displays": ("activate", {"players.0.buildings.foedus": "peace"}, "players[1].buildings.foedus",
                               "players[0].buildings.foedus"),
    "a card nowhere": ("activate", {"forum.1": None}, "deck", "palatium is missing"),
    "a coloured card on another type": ("activate", {"players.1.buildings.foedus": "city"},
                                        "players[1].buildings.foedus", "G23"),
    "a wall on another type": (
        "activate", {"forum.1": "vallum", "deck.0": "palatium",
                     "players.0.buildings": {"castra": "peace", "vallum": "city"}, "forum": {
                         **_in_phase("activate")["forum"], "1": None}},
        "players[0].buildings.vallum", "must not lie on city (G23)"),
    # hands
    "hand and display larger than dealt": ("activate", {"players.1.bare.farm": 2}, "players[1].hand.farm",
                                           "7 in hand and 2 in the display are more than dealt; give at most 8"),
    "a covered card more than dealt": (
        "activate", {"players.1.bare.peace": 1, "players.1.hand": bases(7, 2, 5)},
        "players[1].hand.peace", "more than dealt"),
    "a turn without its base card": ("activate", {"turn": 10}, "turn", "must be at most 9 with 9 base cards played"),
    # ends
    "a Roman in Africa": ("activate", {"players.1.steps": 39}, "players[1].steps", "G21"),
    **{
        f"the Goth in Rome in {phase}": (phase, {"goth": 37, "tribute": []}, "goth", "must be less than 37")
        for phase in PHASES if phase not in ("lose", "reclaim", "over")
    },
    # tribute
    "tribute in Rome": (
        "activate", {"goth": 36, "tribute": [stones(food=1), stones(food=1)]},
        "tribute", "but 0 are ahead"),
    "tribute on more provinces than there are": (
        "activate", {"goth": 35, "tribute": [stones(food=1, peace=1), stones(food=1)]}, "tribute", "but 1 are ahead"),
    "tribute at end rome": ("over", {"end": "rome", "goth": 37, "players.2.steps": 3}, "tribute", "but 0 are ahead"),
    "a stone of another symbol": ("activate", {"tribute.0": stones(food=1)}, "tribute[0].food", "at most 0"),
    "a stone too many of a symbol": ("activate", {"tribute.1": stones(peace=2)}, "tribute[1].peace", "at most 1"),
    "a stone too few": ("activate", {"tribute.0": stones()}, "tribute[0]", "must have 1 stones"),
    "glory too much": ("activate", {"tribute.0": stones(gold=1, glory=1)}, "tribute[0]", "must have 1 stones"),
    "more stones shared than symbols": ("reclaim", {"raid.stones": stones(food=8)},
        "raid.stones", "must be at most 7 in all"),
    "more stones to be shared than symbols": ("lose", {"raid.stones": stones(glory=8)},
        "raid.stones", "must be at most 7 in all"),
    # demands
    "something demanded while sharing": (
        "reclaim", {"raid.demanded": bases(peace=1)},
        "raid.demanded.peace", "must be at most 0 in phase reclaim"),
    "more demanded than symbols": ("lose", {"raid.demanded.farm": 4}, "raid.demanded.farm", "must be at most 3"),
    # asked
    **{
        f"another than the active player in {phase}": (
            phase, {"current_player": 1}, "current_player", "the active player")
        for phase in ("play", "buy", "place", "pay", "goth", "pay_tribute")
    },
    # activations
    "a card left twice": ("activate", {"activation.left": ["foedus", "foedus"]}, "activation.left", "twice"),
    "a card left of another player": ("activate", {"activation.left": ["castra"]},
        "activation.left[0]", "gets no activation"),
    "a card left of another type": ("discard", {"activation.left": ["legatio"]},
        "activation.left[0]", "gets no activation"),
    "a red card left": ("exclusive", {"activation.left": ["legatio", "faber"]}, "activation.left", "must be legatio"),
    "a builder left": ("activate", {"current_player": 2, "activation.left": ["faber"]},
        "activation.left[0]", "gets no activation"),
    "an exclusive card left": ("exclusive", {"activation.left": ["legatio", "templum_vestae"]},
        "activation.left", "must be legatio"),
    "a Goth card left without its symbol": (
        "activate", {"current_player": 0, "activation.left": ["castra"]}, "activation.left[0]", "gets no activation"),
    "a card missing in exclusive": ("exclusive", {"activation.left": []}, "activation.left", "must be legatio"),
    "no card in repeat": ("repeat", {"activation.card": None}, "activation.card", "must not be null"),
    "no card in take": ("take", {"activation.card": None}, "activation.card", "must not be null"),
    "a card in activate": ("activate", {"activation.card": "foedus"}, "activation.card", "must be null"),
    "a card in exclusive": ("exclusive", {"activation.card": "legatio"}, "activation.card", "must be null"),
    "a card of another player": (
        "take", {"activation.card": "castra"},
        "activation.card", "castra gets no activation by player 1"),
    "a card of the forum": (
        "repeat", {"activation.card": "augures"},
        "activation.card", "augures gets no activation by player 1"),
    "a red card carried out": (
        "discard", {"activation.card": "faber"},
        "activation.card", "faber gets no activation by player 2"),
    "no printed X": ("activate", {"phase": "repeat", "activation.left": [], "activation.card": "foedus"},
                     "activation.card", "cannot be repeated"),
    "no choice on the left": ("take", {"phase": "give"}, "activation.card", "no choice on its left side"),
    "no choice on the right": ("give", {"phase": "take"}, "activation.card", "no choice on its right side"),
    "no card given up": ("give", {"phase": "discard"}, "activation.card", "gives up no building card"),
    "nothing to repeat with": ("repeat", {"players.1.stones.peace": 0}, "activation.card", "cannot be repeated"),
    "more to give than the card says": ("give", {"activation.give_left": 4}, "activation.give_left", "1..3"),
    "nothing to give": ("give", {"activation.give_left": 0}, "activation.give_left", "1..3"),
    "more to give than the stock": (
        "give", {"players.1.stones": stones(food=1, glory=9)}, "activation.give_left", "1..1"),
    "more to take than the card says": ("take", {"activation.take_left": 4}, "activation.take_left", "1..3"),
    "nothing to take": ("take", {"activation.take_left": 0}, "activation.take_left", "1..3"),
    "stones to give in take": ("take", {"activation.give_left": 1}, "activation.give_left", "0..0"),
    "stones to take in give": ("give", {"activation.take_left": 1}, "activation.take_left", "0..0"),
    "stones to give in activate": ("activate", {"activation.give_left": 1}, "activation.give_left", "0..0"),
    "stones to take in repeat": ("repeat", {"activation.take_left": 1}, "activation.take_left", "0..0"),
    # purchases
    "an empty place": ("place", {"purchase.place": 0}, "purchase.place", "forum.0 is empty"),
    "a card without a base": (
        "pay", {"players.0.bare.city": 0, "goth": 7, "tribute": []}, "purchase.place", "cannot lay down or pay vicus"),
    "a card too dear": ("pay", {"players.0.stones": stones(food=7)}, "purchase.place", "cannot lay down or pay vicus"),
    "a card too dear to be placed": (
        "place", {"players.0.stones": stones(food=3)},
        "purchase.place", "cannot lay down or pay mensor"),
    "a base while it is asked for": ("place", {"purchase.base": "city"}, "purchase.base", "must be null"),
    "no base while paying": ("pay", {"purchase.base": None}, "purchase.base", "must not be null"),
    "a base of another type": ("pay", {"purchase.base": "farm"}, "purchase.base", "no bare farm for vicus"),
    "a base that is not bare": (
        "place", {"phase": "pay", "purchase.base": "peace", "players.0.bare.peace": 0, "players.2.bare.peace": 3,
                  "payment": {"food": None, "gold": None, "peace": None}},
        "purchase.base", "no bare peace"),
    "gold fixed before food": ("pay", {"payment.gold": 2}, "payment", "must be null from"),
    "peace fixed before gold": ("pay", {"payment.food": 3, "payment.peace": 1}, "payment", "must be null from"),
    "nothing to be asked": ("pay", {"payment": {"food": 3, "gold": 3, "peace": 2}}, "payment", "must be null from"),
    "tribute fixed out of order": ("pay_tribute", {"payment.peace": 0}, "payment", "must be null from"),
    "nothing of a tribute to be asked": ("pay_tribute", {"payment": {"food": 0, "gold": 0, "peace": 0}},
        "payment", "must be null from"),
    "tribute before Rome": ("pay_tribute", {"goth": 36, "tribute": []}, "phase", "1 legal actions"),
    # decisions
    **{
        f"{key} in {phase}": (phase, {key: _in_phase(other)[key]}, key, f"must be null in phase {phase}")
        for key, (phases, other) in _GIVEN.items() for phase in PHASES if phase not in phases
    },
    **{
        f"no {key} in {phase}": (phase, {key: None}, key, f"must not be null in phase {phase}")
        for key, (phases, _) in _GIVEN.items() for phase in phases
    },
    "a single type in hand": ("play", LATE, "phase", "1 legal actions in phase play"),
    "cards that are not exclusive": (
        "activate", {"phase": "exclusive"}, "phase", "1 legal actions in phase exclusive"),
    "an exclusive card alone on its type": (
        "exclusive", {"players.2.bare": bases(), "fire": ["legatio"], "activation.left": [],
                      "players.2.buildings": {"templum_vestae": "peace", "argentaria": "city"}, "goth": 10,
                      "tribute": []},
        "phase", "1 legal actions in phase exclusive"),
    "nothing left": ("activate", {"activation.left": []}, "phase", "1 legal actions in phase activate"),
    "one card left that cannot be used": (
        "repeat", {"phase": "activate", "activation.left": ["collegium"], "activation.card": None,
                   "players.1.stones": stones(gold=3)}, "phase", "1 legal actions"),
    "one kind to give": (
        "give", {"players.1.stones": stones(food=3, glory=1)},
        "phase", "1 legal actions in phase give"),
    "one card to give up": (
        "discard", {"players.2.buildings": {"fabrica": "city", "faber": "peace"}, "players.2.bare.peace": 2,
                    "fire": ["legatio"]}, "phase", "1 legal actions in phase discard"),
    "nothing that could be bought": ("buy", {"players.0.stones": stones()}, "phase", "1 legal actions in phase buy"),
    "one base to lie on": (
        "place", {"players.0.bare": bases(1, 0, 0), "goth": 7, "tribute": []},
        "phase", "1 legal actions in phase place"),
    "one amount that fits": ("pay", {"players.0.stones": stones(food=2, gold=1, peace=5)}, "phase",
                             "1 legal actions in phase pay"),
    "amounts that no payment completes": ("pay", {"payment.food": 6}, "phase", "0 legal actions in phase pay"),
    "a tribute that cannot be paid": (
        "goth", {"players.0.stones": stones(gold=5)},
        "phase", "1 legal actions in phase goth"),
    "a tribute before Rome": ("goth", {"goth": 36, "tribute": []}, "phase", "1 legal actions in phase goth"),
    "a tribute of stones beyond the stock": ("pay_tribute", {"players.0.stones": stones(peace=9)}, "phase",
                                             "0 legal actions in phase pay_tribute"),
    "a tribute with one way to pay": ("pay_tribute", {"players.0.stones": stones(food=1, gold=1)}, "phase",
                                      "1 legal actions in phase pay_tribute"),
    "one base card to lose": ("lose", {"raid.demanded": bases(city=1)}, "phase", "1 legal actions in phase lose"),
    "nothing demanded": ("lose", {"raid.demanded": bases()}, "phase", "0 legal actions in phase lose"),
    "nothing to lose": (
        "lose", {"raid.demanded": bases(city=1), "players.0.bare.city": 0, "players.1.bare.city": 4},
        "phase", "0 legal actions in phase lose"),
    "one kind to share": ("reclaim", {"raid.stones": stones(gold=2)}, "phase", "1 legal actions in phase reclaim"),
    "nothing to share": ("reclaim", {"raid.stones": stones()}, "phase", "0 legal actions in phase reclaim"),
}  # fmt: skip

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
