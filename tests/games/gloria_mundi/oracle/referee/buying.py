"""Phases 1, 2 and 4: the forum, the base card, buying (G6 to G8, G22 to G28)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.gloria_mundi.oracle.referee import activation
from tests.games.gloria_mundi.oracle.referee.cards import BASES, BASIC, Card
from tests.games.gloria_mundi.oracle.referee.payment import NOT_FIXED, Builder, Due, amounts_left, builder, fixed
from tests.games.gloria_mundi.oracle.referee.table import Table

# ------------------------------------------------------------------------------------------------ phases 1 and 2


def reveal(t: Table) -> None:
    """G6: a new card on the first place; those before the first gap move on, off the last place to the fire."""
    new, *t.p["deck"] = t.p["deck"]
    forum = t.p["forum"]
    for number, place in enumerate(t.board.places):
        forum[place], new = new, forum[place]
        if new is None:
            if any(forum[later] for later in t.board.places[number + 1 :]):
                t.notes.append("gap in the forum closed")
            return
    t.notes.append("six cards pushed")
    t.burn(new)


def begin_turn(t: Table) -> None:
    """Phases 1 and 2 up to the choice of a base card (G7, G8)."""
    if not t.p["deck"]:
        t.end("deck")
    reveal(t)
    player = t.p["players"][t.p["active_player"]]
    if not any(player["hand"].values()):
        t.end("hand")
    t.ask_active("play")


def play_choices(t: Table) -> Iterator[str]:
    """Phase 2."""
    for base in BASES:
        if t.me["hand"][base]:
            yield f"play {base}"


def answer_play(t: Table, action: str) -> None:
    """The base card is laid down bare; its type is the played one."""
    base = action.removeprefix("play ")
    t.me["hand"][base] -= 1
    t.me["bare"][base] += 1
    t.p["played"] = base
    activation.begin(t)


# ------------------------------------------------------------------------------------------------ phase 4


def builders(t: Table) -> tuple[Builder, ...]:
    """G25: all builders in the display of the buyer."""
    cards = t.board.cards
    return tuple(builder(cards[name]) for name in t.in_order(t.me["buildings"]) if cards[name].type == "builder")


def due(t: Table, place: str) -> Due:
    """G24: printed price and extra of the card on a place."""
    card = t.board.cards[t.p["forum"][place]]
    return Due(card.price, int(place), builders(t))


def bases_for(t: Table, card: Card) -> list[str]:
    """G23: the types it may lie on and of which there is a bare base card."""
    return [base for base in card.lies_on if t.me["bare"][base]]


def buy_choices(t: Table) -> Iterator[str]:
    """G22: cards that can be both placed and paid."""
    yield "done"
    stock, helpers = t.me["stones"], builders(t)
    rich = sum(stock.values())
    for place in t.board.places:
        name = t.p["forum"][place]
        if name is None:
            continue
        card = t.board.cards[name]
        if sum(card.price) + int(place) > rich:
            continue
        if not Due(card.price, int(place), helpers).payable(stock):
            _note_too_dear(t, card, int(place))
        elif bases_for(t, card):
            yield f"buy {place}"
        else:
            t.notes.append("no base card to lay it on")


def answer_buy(t: Table, action: str) -> None:
    """G22, G23: the card, then the base type."""
    if action == "done":
        t.ask_active("goth")
        return
    t.p["purchase"] = {"place": int(action.removeprefix("buy ")), "base": None}
    t.ask_active("place")


def place_choices(t: Table) -> Iterator[str]:
    """G23."""
    bases = bases_for(t, t.board.cards[t.p["forum"][str(t.p["purchase"]["place"])]])
    if len(bases) > 1:
        t.notes.append("base card to choose for a builder")
    for base in bases:
        yield f"on {base}"


def answer_place(t: Table, action: str) -> None:
    """G23: the base type; then the payment."""
    t.p["purchase"] = {"place": t.p["purchase"]["place"], "base": action.removeprefix("on ")}
    t.p["payment"] = dict(NOT_FIXED)
    t.ask_active("pay")


def pay_choices(t: Table) -> list[str]:
    """G26."""
    return amounts_left(due(t, str(t.p["purchase"]["place"])), t.me["stones"], t.p["payment"])


def answer_pay(t: Table, action: str) -> None:
    """G23, G28: once it is paid, the card leaves the forum, covers its base card, and gives its steps."""
    place, base = str(t.p["purchase"]["place"]), t.p["purchase"]["base"]
    helpers = builders(t)
    paid = fixed(due(t, place), t.me["stones"], t.p["payment"], action)
    if paid is None:
        return
    card = t.board.cards[t.p["forum"][place]]
    _note_payment(t, card, int(place), helpers, paid)
    t.p["forum"][place] = t.p["purchase"] = t.p["payment"] = None
    t.me["bare"][base] -= 1
    t.me["buildings"][card.name] = base
    t.ask_active("goth")
    t.walk(t.seat, card.steps)


def _note_too_dear(t: Table, card: Card, extra: int) -> None:
    """Why as many stones as are due do not pay a card."""
    t.notes.append("as many stones as due, but no payment fits")
    helpers, stock = builders(t), t.me["stones"]
    if card.type == "builder" and Due(card.price, extra, (*helpers, builder(card))).payable(stock):
        t.notes.append("builder does not help with its own price")
    for one in helpers:
        for other in helpers:
            chained = (one[0], other[1], True)
            if set(one[1]) & set(other[0]) and Due(card.price, extra, (*helpers, chained)).payable(stock):
                t.notes.append("no chain of builders")
                return


def _note_payment(t: Table, card: Card, extra: int, helpers: tuple[Builder, ...], paid: tuple[int, ...]) -> None:
    """Note the reason why a payment fits."""
    stock = dict(zip((*BASIC, "glory"), paid, strict=True))
    if paid[3] > card.price[3]:
        t.notes.append("glory paid as a joker or for the extra")
    if card.price[3]:
        t.notes.append("card with printed glory bought")
    t.notes.append(f"{card.type if card.type in ('builder', 'wall') else 'coloured card'} bought")
    if not helpers or Due(card.price, extra).payable(stock):
        return
    for unlimited, what in ((True, "builders with X"), (False, "builders without X")):
        if not Due(card.price, extra, tuple(h for h in helpers if h[2] != unlimited)).payable(stock):
            t.notes.append(f"paid with {what}")
    if not any(Due(card.price, extra, (helper,)).payable(stock) for helper in helpers):
        t.notes.append("paid with several builders")
    if card.price[3] > paid[3]:
        t.notes.append("printed glory covered by way of a builder")
