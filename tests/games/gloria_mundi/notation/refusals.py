"""Positions that `from_dict` refuses, in groups: phase, changes of its position, field, and part of the message."""

from __future__ import annotations

from typing import Any, Final

from porta_nigra_env.games.gloria_mundi.components.names import PHASES
from tests.games.gloria_mundi.notation.phases import NOTHING, in_phase
from tests.games.positions import DROP, Refusal


def stones(**some: int) -> dict[str, int]:
    """Return stones by kind."""
    return {**NOTHING, **some}


def bases(farm: int = 0, city: int = 0, peace: int = 0) -> dict[str, int]:
    """Return base cards by type."""
    return {"farm": farm, "city": city, "peace": peace}


def deck(phase: str, *more: str) -> list[str]:
    """Return the deck of a phase's position; cards in it are removed, others added."""
    cards: list[str] = in_phase(phase)["deck"]
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

FRAME: Final[dict[str, Refusal]] = {
    "a missing key": ("activate", {"goth": DROP}, "goth", "missing"),
    "an unknown key": ("activate", {"goths": 5}, "goths", "did you mean 'goth'?"),
    "an unknown key of a player": ("activate", {"players.0.money": 1}, "players[0].money", "unknown"),
    "a missing key of a player": ("activate", {"players.2.bare": DROP}, "players[2].bare", "missing"),
    "a missing stone": ("activate", {"players.0.stones.glory": DROP}, "players[0].stones.glory", "missing"),
    "a missing base type": ("activate", {"players.0.hand.farm": DROP}, "players[0].hand.farm", "missing"),
    "a missing place": ("activate", {"forum.0": DROP}, "forum.0", "missing"),
    "an unknown place": ("activate", {"forum.6": None}, "forum.'6'", "unknown"),
    "a missing key of the activation": ("activate", {"activation.card": DROP}, "activation.card", "missing"),
    "a missing key of the purchase": ("place", {"purchase.base": DROP}, "purchase.base", "missing"),
    "glory in a payment": ("pay", {"payment.glory": None}, "payment.glory", "unknown"),
    "a missing demand": ("lose", {"raid.demanded.farm": DROP}, "raid.demanded.farm", "missing"),
    "another format": ("activate", {"format": "gloria_mundi/2"}, "format", "'gloria_mundi/1'"),
    "other components": ("activate", {"components": "mine"}, "components", "no component set called 'mine'"),
    "another digest": ("activate", {"components_digest": "00"}, "components_digest", "no component set"),
    "one player": ("activate", {"num_players": 1}, "num_players", "2..6"),
    "seven players": ("activate", {"num_players": 7}, "num_players", "2..6"),
    "more players than parts": ("activate", {"num_players": 4}, "players", "expected 4 entries, not 3"),
    "an unknown phase": ("activate", {"phase": "activation"}, "phase", "did you mean"),
    "a seat that does not exist": ("activate", {"current_player": 3}, "current_player", "0..2"),
    "an active seat that does not exist": ("activate", {"active_player": 3}, "active_player", "0..2"),
    "no player asked": ("activate", {"current_player": None}, "current_player", "0..2"),
    "no active player": ("over", {"active_player": None}, "active_player", "0..2"),
    "a player asked when over": ("over", {"current_player": 0}, "current_player", "null"),
    "turn 0": ("activate", {"turn": 0}, "turn", "1..52"),
    "turn 53": ("activate", {"turn": 53}, "turn", "1..52"),
    "a fraction": ("activate", {"turn": 9.0}, "turn", "expected an integer"),
    "a boolean": ("activate", {"players.0.steps": True}, "players[0].steps", "expected an integer"),
    "a text for a number": ("activate", {"goth": "5"}, "goth", "expected an integer"),
    "a list for an object": ("activate", {"forum": []}, "forum", "expected an object"),
    "an object for a list": ("activate", {"fire": {}}, "fire", "expected a list"),
    "fewer than no stones": ("activate", {"players.0.stones.food": -1}, "players[0].stones.food", "0..9999"),
    "too many stones": ("activate", {"players.0.stones.food": 10_000}, "players[0].stones.food", "0..9999"),
    "an unknown stone": ("activate", {"players.0.stones.wood": 1}, "players[0].stones.wood", "unknown"),
    "fewer than no steps": ("activate", {"players.0.steps": -1}, "players[0].steps", "0..39"),
    "steps behind Africa": ("activate", {"players.0.steps": 40}, "players[0].steps", "0..39"),
    "fewer than no cards": ("activate", {"players.0.bare.farm": -1}, "players[0].bare.farm", "0..99"),
    "the Goth behind Rome": ("activate", {"goth": 38}, "goth", "0..37"),
    "the Goth before the start": ("activate", {"goth": -1}, "goth", "0..37"),
    "an unknown card": ("activate", {"deck.0": "valum"}, "deck[0]", "did you mean 'vallum'?"),
    "an unknown card in the forum": ("activate", {"forum.4": "farm"}, "forum.4", "no building card"),
    "an unknown card in a display": ("activate", {"players.0.buildings.farm": "farm"}, "players[0].buildings.farm",
                                     "unknown"),
    "an unknown card left": ("activate", {"activation.left.0": "farm"}, "activation.left[0]", "no building card"),
    "an unknown base type": ("activate", {"played": "food"}, "played", "no base type"),
    "a card on no base type": ("activate", {"players.0.buildings.castra": None}, "players[0].buildings.castra",
                               "the name of a base type"),
    "an unknown end": ("over", {"end": "africas"}, "end", "did you mean 'africa'?"),
    "tribute of no province": ("activate", {"tribute.0": None}, "tribute[0]", "expected an object"),
    "too many stones on a province": ("activate", {"tribute.0.gold": 4}, "tribute[0].gold", "0..3"),
    "a place that is none": ("place", {"purchase.place": 6}, "purchase.place", "0..5"),
    "a place as text": ("place", {"purchase.place": "1"}, "purchase.place", "expected an integer"),
    "an amount of 16": ("pay", {"payment.food": 16}, "payment.food", "0..15"),
    "too many stones shared": ("reclaim", {"raid.stones.food": 10_000}, "raid.stones.food", "0..9999"),
    "a random state of text": ("activate", {"rng": "rng"}, "rng", "to_dict"),
    "a random state cut short": ("activate", {"rng": "p1:1.2"}, "rng", "to_dict"),
    "a view": ("activate", {"deck": {"count": 48}}, "deck", "this is what one seat sees"),
}  # fmt: skip

BUILDING_CARDS: Final[dict[str, Refusal]] = {
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
                         **in_phase("activate")["forum"], "1": None}},
        "players[0].buildings.vallum", "must not lie on city (G23)"),
}  # fmt: skip

HANDS: Final[dict[str, Refusal]] = {
    "hand and display larger than dealt": ("activate", {"players.1.bare.farm": 2}, "players[1].hand.farm",
                                           "7 in hand and 2 in the display are more than dealt; give at most 8"),
    "a covered card more than dealt": (
        "activate", {"players.1.bare.peace": 1, "players.1.hand": bases(7, 2, 5)},
        "players[1].hand.peace", "more than dealt"),
    "a turn without its base card": ("activate", {"turn": 10}, "turn", "must be at most 9 with 9 base cards played"),
}  # fmt: skip

ENDS: Final[dict[str, Refusal]] = {
    "a Roman in Africa": ("activate", {"players.1.steps": 39}, "players[1].steps", "G21"),
    **{
        f"the Goth in Rome in {phase}": (phase, {"goth": 37, "tribute": []}, "goth", "must be less than 37")
        for phase in PHASES if phase not in ("lose", "reclaim", "over")
    },
}  # fmt: skip

TRIBUTE: Final[dict[str, Refusal]] = {
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
}  # fmt: skip

DEMANDS: Final[dict[str, Refusal]] = {
    "something demanded while sharing": (
        "reclaim", {"raid.demanded": bases(peace=1)},
        "raid.demanded.peace", "must be at most 0 in phase reclaim"),
    "more demanded than symbols": ("lose", {"raid.demanded.farm": 4}, "raid.demanded.farm", "must be at most 3"),
}  # fmt: skip

ASKED: Final[dict[str, Refusal]] = {
    f"another than the active player in {phase}": (phase, {"current_player": 1}, "current_player", "the active player")
    for phase in ("play", "buy", "place", "pay", "goth", "pay_tribute")
}  # fmt: skip

ACTIVATIONS: Final[dict[str, Refusal]] = {
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
    "fewer than no stones to give": ("give", {"activation.give_left": -1}, "activation.give_left", "0..9"),
}  # fmt: skip

PURCHASES: Final[dict[str, Refusal]] = {
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

DECISIONS: Final[dict[str, Refusal]] = {
    **{
        f"{key} in {phase}": (phase, {key: in_phase(other)[key]}, key, f"must be null in phase {phase}")
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

LISTS: Final = {
    "single fields": FRAME, "building cards": BUILDING_CARDS, "hands": HANDS, "ends": ENDS, "tribute": TRIBUTE,
    "demands": DEMANDS, "current player": ASKED, "activations": ACTIVATIONS, "purchases": PURCHASES,
    "decisions": DECISIONS,
}  # fmt: skip
