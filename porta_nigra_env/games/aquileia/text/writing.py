"""Writing of a state record as a position dict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import Record, members, plain_record, rng_text
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.components.load import Components
from porta_nigra_env.games.aquileia.state import (
    ARENA_BLUE_ROLL,
    ARENA_ROLL,
    DOLUS_ROLL,
    KEPT_OPEN,
    LATRO_ROLL,
    STADIUM_BLUE_ROLL,
    STADIUM_ROLL,
)

FORMAT: Final = "aquileia/1"
#: Cards that the first of a race may keep, in the order of a state's numbers.
KEPT: Final = ("open", "drawn")
#: Areas whose followers fight or race, by the first word of the phase.
CONTESTS: Final = {"arena": (names.ARENA,), "stadium": (names.STADIUM_GOLD, names.STADIUM_SILVER)}

States = npt.NDArray[np.void]
Position = dict[str, Any]


def held_spaces(state: Record) -> dict[int, int]:
    """Return the seat on each occupied space, spaces in acting order."""
    standing = enumerate(state["standing"])
    return dict(sorted((space, seat) for seat, bits in standing for space in members(bits)))


def contestants(components: Components, state: Record, contest: str) -> list[int]:
    """Return the seats in a contest ("arena", "stadium"), ascending."""
    areas, of_space = CONTESTS[contest], components.constants["space_area"][0]
    return sorted({seat for space, seat in held_spaces(state).items() if of_space[space] in areas})


def _drawable(cards: Sequence[int], number: int, faces: Sequence[str], view: int | None) -> Any:
    """Return a draw pile, next card first; for a view its size."""
    return {"count": number} if view is not None else [faces[card] for card in cards[len(cards) - number :]]


def _dice(state: Record) -> Position:
    rolls: list[list[int]] = state["dice"]
    faces = [
        [kind for kind, times in zip(names.KINDS, roll, strict=True) for _ in range(times)] if any(roll) else []
        for roll in rolls
    ]
    seats = range(state["num_players"])
    return {
        "dolus": faces[DOLUS_ROLL],
        "arena": {str(seat): faces[ARENA_ROLL + seat] for seat in seats if faces[ARENA_ROLL + seat]},
        "arena_blue": faces[ARENA_BLUE_ROLL],
        "stadium": {str(seat): faces[STADIUM_ROLL + seat] for seat in seats if faces[STADIUM_ROLL + seat]},
        "stadium_blue": faces[STADIUM_BLUE_ROLL],
        "latro": faces[LATRO_ROLL],
    }


def _slave_table(components: Components, cards: Sequence[int]) -> dict[str, int]:
    """Return numbers of slave cards by name, from a list by slaves - 1."""
    return {face: cards[int(face[-1]) - 1] for face in components.slave_faces}


def _equi_table(components: Components, cards: Sequence[int]) -> dict[str, int]:
    return dict(zip(components.equi_faces, cards, strict=False))


def _stadium(components: Components, state: Record, view: int | None) -> Position:
    """Return the stadium cards; a view has only those shown to its seat (A8), and all at the end (A10)."""
    faces, over = components.stadium_faces, state["current_player"] < 0
    past = []
    for past_round, opened in enumerate(state["past_open"]):
        if opened < 0:
            break
        drawn, first, second, kept = (state[f"past_{key}"][past_round] for key in ("drawn", "first", "second", "kept"))
        sees_who = view is None or over or view in (first, second)
        sees_drawn = view is None or over or view == first or (view == second and kept == KEPT_OPEN)
        past.append(
            {
                "open": faces[opened],
                "drawn": faces[drawn] if sees_drawn and drawn >= 0 else None,
                "first": None if first < 0 else first,
                "second": None if second < 0 else second,
                "first_kept": KEPT[kept] if sees_who and kept >= 0 else None,
            }
        )
    opened, cards, left = state["stadium_open"], state["stadium_cards"], state["num_stadium_draw"]
    draw = _drawable(cards, left, faces, view)
    if names.PHASES[state["phase"]] == "stadium_prize" and view == state["current_player"]:
        draw["next"] = faces[cards[len(cards) - left]]
    return {"open": faces[opened] if opened >= 0 else None, "draw": draw, "past": past}


def _players(components: Components, state: Record, view: int | None) -> Iterator[Position]:
    """Yield the players by seat; a view has only the number of cards in other hands."""
    columns = ("vp", "coins", "slaves", "num_slaves", "equi", "num_equi", "equi_known")
    rows = zip(*(state[name] for name in columns), strict=True)
    for seat, (vp, coins, slaves, num_slaves, equi, num_equi, known) in zip(
        range(state["num_players"]), rows, strict=False
    ):
        sees = view in (None, seat)
        yield {
            "vp": vp,
            "coins": dict(zip(names.KINDS, coins, strict=True)),
            "slaves": _slave_table(components, slaves) if sees else {"count": num_slaves},
            "equi": _equi_table(components, equi) if sees else {"count": num_equi},
            "equi_known": _equi_table(components, known),
        }


def _contest(components: Components, state: Record, phase: str) -> Position | None:
    contest = phase.partition("_")[0]
    if contest not in CONTESTS:
        return None
    last, faces = state["last"], components.equi_faces
    played = f"slave_{last + 1}" if last < names.MAX_SLAVES else faces[last - names.MAX_SLAVES]
    return {
        "strength": {str(seat): state["strength"][seat] for seat in contestants(components, state, contest)},
        "last": None if last < 0 else played,
    }


def _auction(components: Components, state: Record) -> Position | None:
    if names.PHASES[state["phase"]] != "auction":
        return None
    theatrum = int(components.constants["area_start"][0][names.THEATRUM])
    bidder = state["bidder"]
    return {
        "card": components.theatre_cards[state["auction_card"]],
        "auctioneer": held_spaces(state)[theatrum],
        "bid": dict(zip(names.KINDS, state["bid"], strict=True)),
        "bidder": None if bidder < 0 else bidder,
        "out": list(members(state["out"])),
    }


def _exchange(components: Components, state: Record) -> Position | None:
    if names.PHASES[state["phase"]] != "pecunia":
        return None
    last = state["last"]
    return {
        "received": dict(zip(names.KINDS, state["received"], strict=True)),
        "last": None if last < 0 else components.exchanges[last],
    }


def to_dict(components: Components, states: States, row: int = 0, view: int | None = None) -> Position:
    """Return the position of ``states[row]`` as a dict of the format aquileia/1.

    With `view`, data hidden from that seat is ``{"count": k}`` or null: other hands, draw piles, unseen stadium cards
    and the random state. Hidden data is never read, so a redacted state gives the same view.
    """
    state = plain_record(states[row])
    players, phase = state["num_players"], names.PHASES[state["phase"]]
    current, owner, builds = (state[name] for name in ("current_player", "blue_owner", "builds_left"))
    first, last = components.constants["area_start"][0][names.PORTUS : names.PORTUS + 2].tolist()
    coin_spaces = components.constants["space_coin"][0][first:last].tolist()
    crests = state["crest"][:players]
    owners = {site: seat for seat, bits in enumerate(state["buildings"]) for site in members(bits)}
    sold = state["theatre_owner"]
    slaves = [f"slave_{number}" for number in range(1, names.MAX_SLAVES + 1)]
    position: Position = {
        "format": FORMAT,
        "components": components.name,
        "num_players": players,
        "phase": phase,
        "current_player": None if current < 0 else current,
        "round": state["round"],
        "starting_player": state["starting_player"],
        "spaces": {components.spaces[space]: seat for space, seat in held_spaces(state).items()},
        "portus_coins": [names.KINDS[kind] for kind in coin_spaces if state["portus_coins"] >> kind & 1],
        "advantage": sorted((seat for seat in range(players) if crests[seat] >= 0), key=crests.__getitem__),
        "passed": list(members(state["passed"])),
        "blue_dice": None if owner < 0 else {"owner": owner, "left": state["blue_left"]},
        "dice": _dice(state),
        "equi": {
            "row": [
                None if card < 0 else components.equi_faces[card]
                for card in state["equi_row"][: components.sizes.equi_spaces]
            ],
            "draw": _drawable(state["equi_cards"], state["num_equi_draw"], components.equi_faces, view),
            "discard": _equi_table(components, state["equi_discard"]),
        },
        "slaves": {
            "draw": _drawable(state["slave_cards"], state["num_slave_draw"], slaves, view),
            "discard": _slave_table(components, state["slave_discard"]),
        },
        "stadium": _stadium(components, state, view),
        "theatre": {
            "draw": _drawable(state["theatre_cards"], state["num_theatre_draw"], components.theatre_cards, view),
            "won": {card: seat for card, seat in zip(components.theatre_cards, sold, strict=False) if seat >= 0},
        },
        "buildings": {components.buildings[site]: owners[site] for site in sorted(owners)},
        "players": list(_players(components, state, view)),
        "contest": _contest(components, state, phase),
        "auction": _auction(components, state),
        "exchange": _exchange(components, state),
        "builds_left": builds if phase == "forum" else None,
        "rng": rng_text(state["key"], state["counters"]) if view is None else None,
    }
    if not components.packaged:
        position["components_digest"] = components.digest
    return position
