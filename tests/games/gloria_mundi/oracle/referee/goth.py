"""Phase 5: tribute, or the Goth moves, base cards are lost and tribute is reclaimed (G29 to G38)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.gloria_mundi.oracle.referee import buying
from tests.games.gloria_mundi.oracle.referee.cards import BASES, STONES
from tests.games.gloria_mundi.oracle.referee.payment import NOT_FIXED, Due, amounts_left, fixed
from tests.games.gloria_mundi.oracle.referee.table import Table


def next_empty(t: Table) -> int:
    """G29: the first space ahead of the Goth without stones."""
    goth: int = t.p["goth"]
    return goth + 1 + len(t.p["tribute"])


def tribute_due(t: Table) -> Due:
    """G30: for each symbol one stone of its kind."""
    shown = t.board.symbols(next_empty(t))
    return Due((shown["farm"], shown["city"], shown["peace"], 0))


def goth_choices(t: Table) -> Iterator[str]:
    """G29: he moves, or tribute is paid if it can be."""
    yield "goth"
    if next_empty(t) < t.board.rome:
        if tribute_due(t).payable(t.me["stones"]):
            yield "tribute"
        else:
            t.notes.append("tribute cannot be paid")
    else:
        t.notes.append("Rome is the next empty space")


def answer_goth(t: Table, action: str) -> None:
    """G30: the payment; or G31: how far he goes."""
    if action == "tribute":
        t.p["payment"] = dict(NOT_FIXED)
        t.ask_active("pay_tribute")
        return
    p, board = t.p, t.board
    start, tribute = p["goth"], p["tribute"]
    if next_empty(t) == board.rome:
        p["goth"] = board.rome
    else:
        p["goth"] = start + max(1, len(tribute))
    entered = range(start + 1, p["goth"] + 1)
    symbols = [board.symbols(space) for space in entered]
    p["raid"] = {
        "demanded": {base: sum(shown[base] for shown in symbols) for base in BASES},
        "stones": {stone: sum(lying[stone] for lying in tribute) for stone in STONES},
    }
    p["tribute"] = []
    _note_move(t, len(tribute))
    t.ask_active("lose")
    find_loser(t)


def pay_tribute_choices(t: Table) -> list[str]:
    """G26, G30."""
    return amounts_left(tribute_due(t), t.me["stones"], t.p["payment"])


def answer_pay_tribute(t: Table, action: str) -> None:
    """G30: the stones lie on the province, the turn is over."""
    paid = fixed(tribute_due(t), t.me["stones"], t.p["payment"], action)
    if paid is None:
        return
    if paid[3]:
        t.notes.append("tribute with glory")
    t.p["tribute"] = [*t.p["tribute"], dict(zip(STONES, paid, strict=True))]
    t.p["payment"] = None
    end_turn(t)


# ------------------------------------------------------------------------------------------------ losing


def find_loser(t: Table) -> None:
    """G33: the first seat from the one to be asked on that has a base card of a demanded type."""
    demanded = t.p["raid"]["demanded"]
    seat, active = t.seat, t.p["active_player"]
    if any(demanded.values()):
        for _ in range(t.p["num_players"]):
            if any(demanded[base] and t.count(seat, base) for base in BASES):
                t.ask("lose", seat)
                return
            t.notes.append("player skipped")
            if sum(t.p["raid"]["stones"].values()) > (seat - active) % t.p["num_players"]:
                t.notes.append("player skipped shares the tribute")
            seat = t.left_neighbour(seat)
        t.notes.append("nobody has what is demanded")
        t.p["raid"]["demanded"] = dict.fromkeys(BASES, 0)
    t.ask_active("reclaim")
    reclaim(t)


def lose_choices(t: Table) -> Iterator[str]:
    """G33, G34, G35."""
    demanded = t.p["raid"]["demanded"]
    for base in BASES:
        if demanded[base] and t.me["bare"][base]:
            yield f"lose {base}"
    for name, base in t.me["buildings"].items():
        if demanded[base]:
            yield f"lose {name}"
            if t.board.cards[name].type == "wall":
                yield f"wall {name}"


def answer_lose(t: Table, action: str) -> None:
    """G34, G35, G36: the base card, the building card with it, or the wall alone."""
    player, demanded = t.me, t.p["raid"]["demanded"]
    word, _, name = action.partition(" ")
    if name in player["buildings"]:
        _note_loss(t, word, name)
        base = player["buildings"].pop(name)
        t.burn(name)
        if word == "wall":
            player["bare"][base] += 1
    else:
        base = name
        player["bare"][base] -= 1
    demanded[base] -= 1
    t.p["current_player"] = t.left_neighbour(t.seat)
    find_loser(t)


# ------------------------------------------------------------------------------------------------ reclaiming


def reclaim(t: Table) -> None:
    """G37: as long as tribute lies there; G38: then the game is over if the Goth is in Rome, else the turn."""
    if any(t.p["raid"]["stones"].values()):
        t.p["phase"] = "reclaim"
        return
    if t.p["goth"] == t.board.rome:
        t.end("rome")
    t.p["raid"] = None
    end_turn(t)


def reclaim_choices(t: Table) -> Iterator[str]:
    """G37."""
    for stone in STONES:
        if t.p["raid"]["stones"][stone]:
            yield f"take {stone}"


def answer_reclaim(t: Table, action: str) -> None:
    """G37: one stone; then the next player takes one."""
    stone = action.removeprefix("take ")
    t.p["raid"]["stones"][stone] -= 1
    t.add(t.me["stones"], stone, 1)
    t.notes.append("tribute shared")
    t.p["current_player"] = t.left_neighbour(t.seat)
    reclaim(t)


def end_turn(t: Table) -> None:
    """The left neighbour is the active player."""
    t.p["active_player"] = t.left_neighbour(t.p["active_player"])
    t.p["turn"] += 1
    t.p["played"] = None
    buying.begin_turn(t)


# ------------------------------------------------------------------------------------------------ notes


def _note_move(t: Table, paid: int) -> None:
    p = t.p
    if p["goth"] == t.board.rome:
        t.notes.append(
            "the Goth goes to Rome over provinces" if paid else "the Goth enters Rome from the last province"
        )
    elif paid:
        t.notes.append("the Goth goes over one province with tribute" if paid == 1 else "the Goth goes over several")
    if sum(p["raid"]["demanded"].values()) == p["num_players"]:
        t.notes.append("as many symbols as players")
    elif sum(p["raid"]["demanded"].values()) > p["num_players"]:
        t.notes.append("more symbols than players")


def _note_loss(t: Table, word: str, name: str) -> None:
    demanded, base = t.p["raid"]["demanded"], t.me["buildings"][name]
    wall = t.board.cards[name].type == "wall"
    if word == "wall":
        others = any(demanded[other] and other != base and t.count(t.seat, other) for other in BASES)
        t.notes.append("wall instead of another type" if others else "wall instead of its base card")
    elif wall:
        t.notes.append("wall lost with its base card")
    elif t.me["bare"][base]:
        t.notes.append("covered card lost while a bare one stays")
