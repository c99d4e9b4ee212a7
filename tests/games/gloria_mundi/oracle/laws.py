"""What holds of every position: the contract's list of refusals, written down a second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from tests.games.gloria_mundi.oracle.referee import BASES, KEYS, STONES, Position, Referee
from tests.games.gloria_mundi.oracle.referee.activation import can_give, stands_on
from tests.games.gloria_mundi.oracle.referee.buying import bases_for, due
from tests.games.gloria_mundi.oracle.referee.cards import BASIC, Card
from tests.games.gloria_mundi.oracle.referee.judge import POINTS
from tests.games.gloria_mundi.oracle.referee.table import MOST_STONES, Table
from tests.lockstep.differences import UNRULED

PHASES: Final = (*POINTS, "over")
CARRIED_OUT: Final = ("repeat", "give", "discard", "take")
ACTIVATION: Final = ("exclusive", "activate", *CARRIED_OUT)
FORUM_FILLED: Final = ("play", *ACTIVATION, "buy", "place", "pay")
RAID: Final = ("lose", "reclaim")
ENDS: Final = ("rome", "hand", "africa", "deck")
ACTIVE_ONLY: Final = ("play", "buy", "place", "pay", "goth", "pay_tribute")
#: Fields that are not null in these phases only.
GIVEN: Final = {
    "activation": ACTIVATION,
    "purchase": ("place", "pay"),
    "payment": ("pay", "pay_tribute"),
    "raid": RAID,
    "end": ("over",),
}


def complaints(referee: Referee, p: Any) -> list[str]:
    """Everything that is wrong with a position; empty for a lawful one."""
    for part in (_keys, _shapes, _frame, _cards, _base_cards, _tracks, _decision):
        found = list(part(referee, p))
        if found:  # what follows reads fields that have been looked at
            return found
    if p["phase"] == "over":
        return []
    legal = referee.legal_actions(p)
    return [] if len(legal) >= 2 else [f"phase: {legal} alone is legal (G5)"]


# ------------------------------------------------------------------------------------------------ shapes


def _is_count(value: object, most: int = MOST_STONES) -> bool:
    return type(value) is int and 0 <= value <= most


def _counts(value: object, keys: tuple[str, ...]) -> bool:
    return isinstance(value, dict) and set(value) == set(keys) and all(_is_count(count) for count in value.values())


def _keys(referee: Referee, p: Any) -> Iterator[str]:
    if not isinstance(p, dict) or set(p) - UNRULED != KEYS:
        yield "keys"
        return
    if p["format"] != "gloria_mundi/1" or p["components"] != referee.board.components["name"]:
        yield "format, components"
    players = p["num_players"]
    if type(players) is not int or not 2 <= players <= 6:
        yield f"num_players: {players}"
        return
    if not isinstance(p["players"], list) or len(p["players"]) != players:
        yield "players"
    if p["phase"] not in PHASES:
        yield f"phase: {p['phase']}"


def _shapes(referee: Referee, p: Any) -> Iterator[str]:
    board, last = referee.board, p["num_players"] - 1
    known = board.cards
    constants, dealt = board.components["constants"], board.hands(p["num_players"])
    turns = 1 + p["num_players"] * sum(dealt[base] - constants["start_display"][base] for base in BASES)
    for field, fits in (
        ("active_player", _is_count(p["active_player"], last)),
        ("current_player", p["current_player"] is None or _is_count(p["current_player"], last)),
        ("turn", _is_count(p["turn"], turns) and p["turn"] > 0),
        ("goth", _is_count(p["goth"], board.rome)),
        ("deck", _is_cards(p["deck"], known)),
        ("fire", _is_cards(p["fire"], known)),
        ("forum", _is_forum(p["forum"], board.places, known)),
        ("tribute", isinstance(p["tribute"], list) and all(_counts(entry, STONES) for entry in p["tribute"])),
        ("played", p["played"] is None or p["played"] in BASES),
        ("end", p["end"] is None or p["end"] in ENDS),
        ("activation", p["activation"] is None or _is_activation(p["activation"], known)),
        ("purchase", p["purchase"] is None or _is_purchase(p["purchase"], board.extras)),
        ("payment", p["payment"] is None or _is_payment(p["payment"])),
        ("raid", p["raid"] is None or _is_raid(p["raid"])),
    ):
        if not fits:
            yield f"{field}: {p[field]!r}"
    for seat, player in enumerate(p["players"]):
        if not _is_player(player, board.escape, known):
            yield f"players[{seat}]: {player!r}"


def _is_cards(value: object, known: dict[str, Card]) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) and name in known for name in value)


def _is_forum(value: object, places: list[str], known: dict[str, Card]) -> bool:
    if not isinstance(value, dict) or set(value) != set(places):
        return False
    return all(name is None or (isinstance(name, str) and name in known) for name in value.values())


def _is_activation(value: object, known: dict[str, Card]) -> bool:
    if not isinstance(value, dict) or set(value) != {"left", "card", "give_left", "take_left"}:
        return False
    card = value["card"] is None or (isinstance(value["card"], str) and value["card"] in known)
    return card and _is_cards(value["left"], known) and _is_count(value["give_left"]) and _is_count(value["take_left"])


def _is_purchase(value: object, extras: list[int]) -> bool:
    if not isinstance(value, dict) or set(value) != {"place", "base"} or type(value["place"]) is not int:
        return False
    return value["place"] in extras and (value["base"] is None or value["base"] in BASES)


def _is_payment(value: object) -> bool:
    if not isinstance(value, dict) or set(value) != set(BASIC):
        return False
    return all(amount is None or _is_count(amount) for amount in value.values())


def _is_raid(value: object) -> bool:
    if not isinstance(value, dict) or set(value) != {"demanded", "stones"}:
        return False
    return _counts(value["demanded"], BASES) and _counts(value["stones"], STONES)


def _is_player(value: object, escape: int, known: dict[str, Card]) -> bool:
    if not isinstance(value, dict) or set(value) != {"steps", "stones", "hand", "bare", "buildings"}:
        return False
    buildings = value["buildings"]
    covered = isinstance(buildings, dict) and all(name in known and base in BASES for name, base in buildings.items())
    counts = _counts(value["stones"], STONES) and _counts(value["hand"], BASES) and _counts(value["bare"], BASES)
    return covered and counts and _is_count(value["steps"], escape)


# ------------------------------------------------------------------------------------------------ laws


def _frame(referee: Referee, p: Position) -> Iterator[str]:
    """Refusals 9 and 12, but for the number of legal actions."""
    phase = p["phase"]
    if (p["current_player"] is None) != (phase == "over"):
        yield "current_player: null exactly when over"
    if (p["played"] is None) != (phase in ("play", "over")):
        yield f"played: {p['played']} in {phase}"
    for field, phases in GIVEN.items():
        if (p[field] is not None) != (phase in phases):
            yield f"{field}: given or null in {phase}"
    if phase in ACTIVE_ONLY and p["current_player"] != p["active_player"]:
        yield f"current_player: another than the active one in {phase}"


def _cards(referee: Referee, p: Position) -> Iterator[str]:
    """Refusals 1 and 2."""
    board = referee.board
    found = Counter([*p["deck"], *p["fire"], *(card for card in p["forum"].values() if card is not None)])
    for seat, player in enumerate(p["players"]):
        found.update(list(player["buildings"]))
        for name, base in player["buildings"].items():
            if base not in board.cards[name].lies_on:
                yield f"players[{seat}].buildings.{name}: on {base} (G23)"
    wrong = [name for name in board.cards if found[name] != 1]
    if wrong:
        yield f"{wrong}: not exactly once"
    size = len(board.cards) - board.start_cards - p["turn"]
    if len(p["deck"]) != (size + 1 if p["end"] == "deck" else size) or (p["end"] == "deck" and p["deck"]):
        yield f"deck: {len(p['deck'])} cards"
    if p["phase"] in FORUM_FILLED and p["forum"][board.places[0]] is None:
        yield "forum: this turn's card is missing"


def _base_cards(referee: Referee, p: Position) -> Iterator[str]:
    """Refusals 3, 4 and 5."""
    board, players = referee.board, p["num_players"]
    dealt, shown = board.hands(players), board.components["constants"]["start_display"]
    t, lost = Table(board, p), Counter[str]()
    for seat, player in enumerate(p["players"]):
        for base in BASES:
            owned = player["hand"][base] + t.count(seat, base)
            if player["hand"][base] > dealt[base] - shown[base] or owned > dealt[base]:
                yield f"players[{seat}]: {base} cards"
            lost[base] += dealt[base] - owned
        played = sum(dealt[base] - shown[base] - player["hand"][base] for base in BASES)
        if played != turns_had(p, seat):
            yield f"players[{seat}].hand: {played} base cards played in {turns_had(p, seat)} turns"
    for base in BASES:
        demanded = p["raid"]["demanded"][base] if p["raid"] else 0
        if lost[base] + demanded > entered(referee, p, base):
            yield f"{base}: {lost[base]} lost, {demanded} demanded"
    if p["played"] is not None:
        base, hand = p["played"], p["players"][p["active_player"]]["hand"]
        if hand[base] == dealt[base] - shown[base]:
            yield f"played: no {base} has been played"
        if p["phase"] not in RAID and t.count(p["active_player"], base) == 0:
            yield f"played: no {base} is shown"


def turns_had(p: Position, seat: int) -> int:
    """How many base cards a seat has played (refusal 3)."""
    players = p["num_players"]
    first = (p["active_player"] - p["turn"] + 1) % players
    whole = p["phase"] != "play" and p["end"] not in ("hand", "deck")
    turns = p["turn"] if whole else p["turn"] - 1
    return len(range((seat - first) % players, turns, players))


def entered(referee: Referee, p: Position, base: str) -> int:
    """Symbols of a type on the provinces up to the Goth."""
    return sum(referee.board.symbols(space)[base] for space in range(1, p["goth"] + 1))


def _tracks(referee: Referee, p: Position) -> Iterator[str]:
    """Refusals 6, 7 and 8."""
    board, phase, goth, end = referee.board, p["phase"], p["goth"], p["end"]
    arrived = sum(player["steps"] == board.escape for player in p["players"])
    if arrived != (end == "africa"):
        yield f"players: {arrived} in Africa"
    in_rome = goth == board.rome
    if (in_rome and phase not in RAID and end != "rome") or (end == "rome" and not in_rome):
        yield f"goth: {goth} in {phase}"
    if end == "hand" and any(p["players"][p["active_player"]]["hand"].values()):
        yield "end: hand"
    if p["tribute"] and (phase in RAID or len(p["tribute"]) > board.rome - 1 - goth):
        yield "tribute: more than provinces ahead, or in a raid"
        return
    for number, stones in enumerate(p["tribute"]):
        symbols = board.symbols(goth + 1 + number)
        asked = dict(zip(BASIC, (symbols[base] for base in BASES), strict=True))
        if any(stones[stone] > asked[stone] for stone in BASIC) or sum(stones.values()) != sum(asked.values()):
            yield f"tribute[{number}]: {stones} for {asked}"
    if p["raid"] is not None:
        if sum(p["raid"]["stones"].values()) > sum(entered(referee, p, base) for base in BASES):
            yield "raid.stones: more than symbols"
        if any(p["raid"]["demanded"].values()) != (phase == "lose"):
            yield f"raid.demanded: {p['raid']['demanded']} in {phase}"


def _decision(referee: Referee, p: Position) -> Iterator[str]:
    """Refusals 10 and 11."""
    t = Table(referee.board, p)
    if p["activation"] is not None:
        yield from _activation(t)
    if p["phase"] == "pay_tribute" and p["goth"] + len(p["tribute"]) + 1 >= referee.board.rome:
        yield "phase: no province left"
        return
    if p["purchase"] is not None:
        yield from _purchase(t)
    if p["payment"] is not None:
        amounts = [p["payment"][stone] for stone in BASIC]
        fixed = next((place for place, amount in enumerate(amounts) if amount is None), len(amounts))
        if fixed == len(amounts) or any(amount is not None for amount in amounts[fixed:]):
            yield f"payment: {amounts}"


def own_turn(t: Table, name: str) -> bool:
    """Whether a card of the current player gets a turn of its own (G11)."""
    card = t.board.cards[name]
    if t.me["buildings"].get(name) != t.p["played"] or not card.coloured or card.exclusive:
        return False
    return "goth" not in card.ability or stands_on(t, card)


def _activation(t: Table) -> Iterator[str]:
    state, phase = t.p["activation"], t.p["phase"]
    left, name = state["left"], state["card"]
    if len(set(left)) < len(left) or not all(own_turn(t, other) for other in left):
        yield f"activation.left: {left}"
    if phase == "exclusive" and len(left) != sum(own_turn(t, other) for other in t.me["buildings"]):
        yield "activation.left: not all"
    if (name is not None) != (phase in CARRIED_OUT):
        yield f"activation.card: {name} in {phase}"
        return
    if name is None:
        if state["give_left"] or state["take_left"]:
            yield "activation: nothing is given or taken"
        return
    card = t.board.cards[name]
    if name in left or not own_turn(t, name):
        yield f"activation.card: {name}"
        return
    leads = {"give": "pay_choose", "take": "choose", "discard": "pay_card"}
    if phase == "repeat":
        if not card.repeat or not can_give(t, card):
            yield f"activation.card: {name} cannot be repeated"
    elif leads[phase] not in card.ability:
        yield f"activation.card: {name} does not lead to {phase}"
        return
    for field, asked, count in (("give_left", "give", "pay_count"), ("take_left", "take", "count")):
        if (phase == asked and not 1 <= state[field] <= card.ability[count]) or (phase != asked and state[field]):
            yield f"activation.{field}: {state[field]} in {phase}"
    if phase == "give" and state["give_left"] > sum(t.me["stones"][stone] for stone in card.ability["pay_choose"]):
        yield "activation.give_left: more than she has"


def _purchase(t: Table) -> Iterator[str]:
    purchase, phase = t.p["purchase"], t.p["phase"]
    place = str(purchase["place"])
    name = t.p["forum"][place]
    if name is None:
        yield "purchase.place: empty"
        return
    bases = bases_for(t, t.board.cards[name])
    if not bases or not due(t, place).payable(t.me["stones"]):
        yield f"purchase: {name} cannot be placed or paid"
    if (purchase["base"] is not None) != (phase == "pay") or (phase == "pay" and purchase["base"] not in bases):
        yield f"purchase.base: {purchase['base']} in {phase}"
