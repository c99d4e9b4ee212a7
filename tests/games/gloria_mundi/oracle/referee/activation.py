"""Phase 3: base cards produce, coloured cards are carried out (G9 to G21)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.gloria_mundi.oracle.referee.cards import PRODUCT, STONES, Amounts, Card
from tests.games.gloria_mundi.oracle.referee.payment import NOTHING
from tests.games.gloria_mundi.oracle.referee.table import Table

# ------------------------------------------------------------------------------------------------ seat after seat


def begin(t: Table) -> None:
    """G9: the active player first."""
    begin_seat(t, t.p["active_player"])


def begin_seat(t: Table, seat: int) -> None:
    """G11: the first decision of a seat."""
    t.p["activation"] = {"left": left_after_production(t, seat), "card": None, "give_left": 0, "take_left": 0}
    if usable_exclusives(t, seat):
        t.ask("exclusive", seat)
    else:
        if exclusive_cards(t, seat):
            t.notes.append("exclusive card alone of its type")
        produce(t, seat)


def exclusive_cards(t: Table, seat: int) -> list[Card]:
    """G19: exclusive cards on base cards of the played type."""
    return [card for card in t.cards_on(seat, t.p["played"]) if card.exclusive]


def usable_exclusives(t: Table, seat: int) -> list[Card]:
    """G11: the same, if there is another base card of the type."""
    return exclusive_cards(t, seat) if t.count(seat, t.p["played"]) >= 2 else []


def left_after_production(t: Table, seat: int) -> list[str]:
    """G11: the cards that get a turn of their own, whether they can be used or not."""
    left = []
    for card in t.cards_on(seat, t.p["played"]):
        if not card.coloured:
            t.notes.append("base card under a red card produces")
        elif card.exclusive:
            continue
        elif "goth" in card.ability and not stands_on(t, card):
            t.notes.append("base card under a Goth card produces")
        else:
            left.append(card.name)
    return t.in_order(left)


def stands_on(t: Table, card: Card) -> bool:
    """G20: whether the province of the Goth shows the symbol, alone or beside others."""
    return t.board.symbols(t.p["goth"])[card.ability["goth"]] > 0


def produce(t: Table, seat: int) -> None:
    """G10, G11: one stone for each base card that has no card left on it."""
    played, left = t.p["played"], t.p["activation"]["left"]
    t.add(t.p["players"][seat]["stones"], PRODUCT[played], t.count(seat, played) - len(left))
    next_card(t, seat)


def next_card(t: Table, seat: int) -> None:
    """The next card left; after the last of them the next seat; after the last of these phase 4 (G9)."""
    if t.p["activation"]["left"]:
        t.ask("activate", seat)
    else:
        finish_seat(t, seat)


def finish_seat(t: Table, seat: int) -> None:
    """The next seat, or phase 4."""
    following = t.left_neighbour(seat)
    if following == t.p["active_player"]:
        t.p["activation"] = None
        t.ask_active("buy")
    else:
        begin_seat(t, following)


# ------------------------------------------------------------------------------------------------ exclusive, activate


def exclusive_choices(t: Table) -> Iterator[str]:
    """G11, G19."""
    yield "done"
    for card in usable_exclusives(t, t.seat):
        yield f"use {card.name}"


def answer_exclusive(t: Table, action: str) -> None:
    """G19: the exclusive card is the player's only action in this phase."""
    seat = t.seat
    if action == "done":
        t.notes.append("exclusive card declined")
        produce(t, seat)
        return
    card = t.board.cards[action.removeprefix("use ")]
    t.notes.append("exclusive card used")
    if len(exclusive_cards(t, seat)) > 1:
        t.notes.append("one of several exclusive cards used")
    t.receive(seat, card.gain, card.gain_steps, t.count(seat, t.p["played"]) - 1)
    finish_seat(t, seat)


def activate_choices(t: Table) -> Iterator[str]:
    """G11, G12."""
    left = t.p["activation"]["left"]
    yield "done"
    for name in left:
        if usable(t, t.board.cards[name]):
            yield f"use {name}"
        else:
            _note_unusable(t, t.board.cards[name])
        if len(left) >= 2:
            yield f"base {name}"


def answer_activate(t: Table, action: str) -> None:
    """A card is dealt with, or all of them."""
    seat, state = t.seat, t.p["activation"]
    word, _, name = action.partition(" ")
    if word == "use":
        state["left"].remove(name)
        state["card"] = name
        _note_use(t, t.board.cards[name])
        carry_out(t, t.board.cards[name])
        return
    gone = state["left"] if word == "done" else [name]
    if word == "base":
        t.notes.append("base card instead of its card")
    elif len(gone) > 1:
        t.notes.append("all base cards instead of their cards")
    t.add(t.me["stones"], PRODUCT[t.p["played"]], len(gone))
    state["left"] = [other for other in state["left"] if other not in gone]
    next_card(t, seat)


def usable(t: Table, card: Card) -> bool:
    """G12: whether the card does something."""
    if card.ability["kind"] == "give":
        return can_give(t, card)
    return multiplier(t, card) >= 1


def multiplier(t: Table, card: Card) -> int:
    """G18: how often a right side is received; 1 where nothing is counted."""
    per, stone = card.ability.get("per"), card.ability.get("per_stone")
    if per == "building":
        return len(t.me["buildings"])
    if per is not None:
        return t.count(t.seat, per)
    if stone is not None:
        count: int = t.me["stones"][stone]
        return count
    return 1


# ------------------------------------------------------------------------------------------------ carrying out a card


def can_give(t: Table, card: Card) -> bool:
    """G12, G13: whether the whole left side can be given."""
    ability, stock = card.ability, t.me["stones"]
    if "pay_card" in ability:
        return len(t.me["buildings"]) > 1
    if "pay_choose" in ability:
        enough: bool = sum(stock[stone] for stone in ability["pay_choose"]) >= ability["pay_count"]
        return enough
    return all(stock[stone] >= amount for stone, amount in ability["pay"].items())


def carry_out(t: Table, card: Card) -> None:
    """G13: the left side, as far as nothing is to be chosen there."""
    ability, state = card.ability, t.p["activation"]
    if "pay_card" in ability:
        t.ask("discard", t.seat)
    elif "pay_choose" in ability:
        state["give_left"] = ability["pay_count"]
        t.ask("give", t.seat)
    else:
        for stone, amount in ability.get("pay", {}).items():
            t.me["stones"][stone] -= amount
        right_side(t, card)


def right_side(t: Table, card: Card, given: Card | None = None) -> None:
    """G13, G17, G18: the right side, after the left side has been given."""
    ability, seat = card.ability, t.seat
    if "choose" in ability:
        t.p["activation"]["take_left"] = ability["count"]
        t.ask("take", seat)
        return
    if "gain_card" in ability:
        assert given is not None
        by_price = ability["gain_card"] == "price"
        stones: Amounts = given.price if by_price else NOTHING
        t.receive(seat, stones, 0 if by_price else given.steps)
    else:
        t.receive(seat, card.gain, card.gain_steps, multiplier(t, card))
    after_card(t, card)


def after_card(t: Table, card: Card) -> None:
    """G14: once more, if X is printed and the left side can be given again; else the card is finished."""
    if card.repeat and can_give(t, card):
        t.ask("repeat", t.seat)
        return
    if card.repeat:
        t.notes.append("repetition ended by itself")
    t.p["activation"]["card"] = None
    next_card(t, t.seat)


def in_hand(t: Table) -> Card:
    """The card being carried out."""
    return t.board.cards[t.p["activation"]["card"]]


def give_choices(t: Table) -> Iterator[str]:
    """G16."""
    for stone in in_hand(t).ability["pay_choose"]:
        if t.me["stones"][stone] > 0:
            yield f"give {stone}"


def answer_give(t: Table, action: str) -> None:
    """G16: stone by stone."""
    state = t.p["activation"]
    t.me["stones"][action.removeprefix("give ")] -= 1
    state["give_left"] -= 1
    if state["give_left"] == 0:
        right_side(t, in_hand(t))


def discard_choices(t: Table) -> Iterator[str]:
    """G17: any other building card of the display."""
    for name in t.me["buildings"]:
        if name != t.p["activation"]["card"]:
            yield f"discard {name}"


def answer_discard(t: Table, action: str) -> None:
    """G17: the base card is bare; it produces now if its card was still left."""
    name, state, player = action.removeprefix("discard "), t.p["activation"], t.me
    given = t.board.cards[name]
    base = player["buildings"].pop(name)
    player["bare"][base] += 1
    t.burn(name)
    if name in state["left"]:
        state["left"].remove(name)
        t.add(player["stones"], PRODUCT[base], 1)
        t.notes.append("card left discarded")
    elif given.coloured:
        t.notes.append("card used, exclusive or of another type discarded")
    else:
        t.notes.append("red card discarded")
    right_side(t, in_hand(t), given)


def take_choices(t: Table) -> Iterator[str]:
    """G16."""
    for stone in in_hand(t).ability["choose"]:
        yield f"take {stone}"


def answer_take(t: Table, action: str) -> None:
    """G16: stone by stone."""
    state = t.p["activation"]
    t.add(t.me["stones"], action.removeprefix("take "), 1)
    state["take_left"] -= 1
    if state["take_left"] == 0:
        after_card(t, in_hand(t))


def repeat_choices(t: Table) -> Iterator[str]:
    """G14."""
    yield from ("again", "done")


def answer_repeat(t: Table, action: str) -> None:
    """G14: the same once more, or enough."""
    if action == "again":
        t.notes.append("repeated with another card" if "pay_card" in in_hand(t).ability else "repeated")
        carry_out(t, in_hand(t))
    else:
        t.p["activation"]["card"] = None
        next_card(t, t.seat)


# ------------------------------------------------------------------------------------------------ notes


def _note_use(t: Table, card: Card) -> None:
    """Note the sides of the ability."""
    ability = card.ability
    left = next((key for key in ("pay", "pay_choose", "pay_card", "per_stone", "per", "goth") if key in ability), "")
    if left == "per":
        left = "per building" if ability["per"] == "building" else "per base type"
    right = ability.get("gain_card", "choose" if "choose" in ability else "gain")
    t.notes.append(f"used: {f'{left} -> ' if left else ''}{right}{', X' if card.repeat else ''}")
    if left == "goth" and sum(t.board.symbols(t.p["goth"]).values()) > t.board.symbols(t.p["goth"])[ability["goth"]]:
        t.notes.append("Goth card on a province with other symbols beside")
    if "per_stone" in ability and ability["per_stone"] in STONES and card.gain[STONES.index(ability["per_stone"])]:
        t.notes.append("stones counted before they are gained")


def _note_unusable(t: Table, card: Card) -> None:
    """Note the reason why a card left cannot be used."""
    ability, stock = card.ability, t.me["stones"]
    if ability["kind"] == "have":
        t.notes.append("nothing to count")
    elif "pay" in ability and stock["glory"] >= sum(ability["pay"].values()):
        t.notes.append("glory is no joker in abilities")
    elif "pay_card" in ability:
        t.notes.append("no other building card to give")
