"""Areas II and III: the fight in the Arena and the race in the Stadium (A28 to A36)."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.aquileia.oracle.referee.board import Space
from tests.games.aquileia.oracle.referee.table import Table


def entrants(t: Table, area: str) -> list[int]:
    """Return the seats with a follower there, in turn order."""
    there = {holder for name, holder in t.p["spaces"].items() if t.board.spaces[name].area == area}
    return [seat for seat in t.turn_order() if seat in there]


def own_spaces(t: Table, area: str, seat: int) -> list[Space]:
    """A player's spaces in an area."""
    spaces = [t.board.spaces[name] for name, holder in t.p["spaces"].items() if holder == seat]
    return [space for space in spaces if space.area == area]


def counting_kind(t: Table, area: str, seat: int) -> str:
    """Return the kind that counts on dice, which is that of the prizes (A35): in the Stadium the own side's."""
    kind: str = t.board.components["arena"]["coin"] if area == "arena" else own_spaces(t, area, seat)[0].kind
    return kind


def counting_cards(t: Table, area: str, seat: int) -> dict[str, int]:
    """Return the playable cards with their strength, in the order of playing (A29, A33)."""
    return t.board.fighting if area == "arena" else t.board.racing[own_spaces(t, area, seat)[0].kind]


def holds_a_card(t: Table, area: str, seat: int) -> bool:
    """A29, A33: any card of the decks that are played from, whether it counts or not."""
    player = t.p["players"][seat]
    return any(player["equi"].values()) or (area == "arena" and any(player["slaves"].values()))


def contest(t: Table, space: Space) -> bool:
    """A28: first all throw, in turn order."""
    area, strength = space.area, {}
    for seat in entrants(t, area):
        faces = t.chance.dice(area, t.board.constants["contest_red_dice"], seat)
        t.p["dice"][area][str(seat)] = faces
        on_board = sum(own.strength for own in own_spaces(t, area, seat))
        strength[str(seat)] = on_board + faces.count(counting_kind(t, area, seat))
    t.p["contest"] = {"strength": strength, "last": None}
    return _ask_for_cards(t, area, entrants(t, area))


# ------------------------------------------------------------------------------------------------ cards


def _ask_for_cards(t: Table, area: str, waiting: list[int]) -> bool:
    """The next in turn order who holds a card; after all of them the blue dice."""
    t.p["contest"]["last"] = None
    for seat in waiting:
        if holds_a_card(t, area, seat):
            return t.ask(f"{area}_cards", seat)
    return _blue_dice(t, area)


def cards(t: Table) -> Iterator[str]:
    """A29, A33: a card that counts and does not come before the last one played, or `done`."""
    area = t.p["phase"].removesuffix("_cards")
    faces = list(counting_cards(t, area, t.seat))
    last = t.p["contest"]["last"]
    held = {**t.me["slaves"], **t.me["equi"]}
    for face in faces if last is None else faces[faces.index(last) :]:
        if held[face] > 0:
            yield f"play {face}"
    yield "done"


def answer_cards(t: Table, action: str) -> bool:
    """One card, or no more."""
    area = t.p["phase"].removesuffix("_cards")
    if action != "done":
        face = action.removeprefix("play ")
        if face in t.board.slaves:
            t.discard_slaves(t.seat, [face])
        else:
            t.discard_equi(t.seat, face)
        t.p["contest"]["strength"][str(t.seat)] += counting_cards(t, area, t.seat)[face]
        if holds_a_card(t, area, t.seat):
            t.p["contest"]["last"] = face
            return True  # asked again
    order = entrants(t, area)  # A18: one completes it before the next begins
    return _ask_for_cards(t, area, order[order.index(t.seat) + 1 :])


# ------------------------------------------------------------------------------------------------ blue dice


def _throw_blue(t: Table, area: str, count: int) -> None:
    blue = t.p["blue_dice"]
    faces = t.chance.dice(f"{area}_blue", count)
    t.p["dice"][f"{area}_blue"] = faces
    t.p["contest"]["strength"][str(blue["owner"])] += faces.count(counting_kind(t, area, blue["owner"]))
    blue["left"] -= count


def _blue_dice(t: Table, area: str) -> bool:
    blue = t.p["blue_dice"]
    takes_part = blue is not None and str(blue["owner"]) in t.p["contest"]["strength"]
    if area == "arena":
        if takes_part:
            return t.ask("arena_dice", blue["owner"])  # A30
        return _prizes(t, area)
    if takes_part and blue["left"] > 0:
        _throw_blue(t, area, blue["left"])  # A34: all that are left, unasked
    t.p["blue_dice"] = None  # A27: with any racers
    return _prizes(t, area)


def dice(t: Table) -> Iterator[str]:
    """A30: how many of the blue dice."""
    for count in range(t.p["blue_dice"]["left"] + 1):
        yield f"dice {count}"


def answer_dice(t: Table, action: str) -> bool:
    """A30: all at once; the rest stays for the race."""
    _throw_blue(t, "arena", int(action.removeprefix("dice ")))
    return _prizes(t, "arena")


# ------------------------------------------------------------------------------------------------ prizes


def ranking(t: Table) -> list[int]:
    """A31: strength, then the crest nearer to place 1, a placed one before an unplaced one, then turn order."""
    crests: list[int] = t.p["advantage"]
    seats = [seat for seat in t.turn_order() if str(seat) in t.p["contest"]["strength"]]  # the sort below is stable
    return sorted(
        seats,
        key=lambda seat: (
            -t.p["contest"]["strength"][str(seat)],
            crests.index(seat) if seat in crests else len(crests),
        ),
    )


def _prizes(t: Table, area: str) -> bool:
    """A32, A35: coins for the first places, before the question."""
    order = ranking(t)
    for seat, coins in zip(order, t.board.components[area]["prizes"], strict=False):  # further places get nothing
        t.receive(seat, {counting_kind(t, area, seat): coins})
    t.p["contest"]["last"] = None
    return t.ask(f"{area}_prize", order[0])


def arena_prizes(t: Table) -> Iterator[str]:
    """A32: both always, slave card or not."""
    yield "take points"
    yield "take slave"


def answer_arena_prize(t: Table, action: str) -> bool:
    """A32: the second gets the other prize, points by its own strength."""
    first, *others = ranking(t)
    second = others[0] if others else None  # a single fighter: the other half is lost
    scorer, slaver = (first, second) if action == "take points" else (second, first)
    if scorer is not None:
        points = t.board.components["arena"]["vp_per_strength"] * t.p["contest"]["strength"][str(scorer)]
        t.p["players"][scorer]["vp"] += points
    if slaver is not None:
        t.draw_slave(slaver)
    t.p["contest"] = None
    return t.go_home("arena")


def stadium_prizes(t: Table) -> Iterator[str]:
    """A35."""
    yield "keep open"
    yield "keep drawn"


def answer_stadium_prize(t: Table, action: str) -> bool:
    """A35, A36: the second gets the other card; without one it leaves the game."""
    order = ranking(t)
    leave(t, order[0], order[1] if len(order) > 1 else None, action.removeprefix("keep "))
    t.p["contest"] = None
    return t.go_home("stadium")


def leave(t: Table, first: int | None, second: int | None, kept: str | None) -> None:
    """A36: two cards a round leave the board, with any owners."""
    stadium = t.p["stadium"]
    drawn = stadium["draw"].pop(0)
    stadium["past"].append(
        {"open": stadium["open"], "drawn": drawn, "first": first, "second": second, "first_kept": kept}
    )
    stadium["open"] = None
