"""Text boards."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.boards import wrapped
from porta_nigra_env.games.porta_nigra.components.load import Components
from porta_nigra_env.games.porta_nigra.components.names import COLOURS, FIXED_SPOTS, ROWS
from porta_nigra_env.games.porta_nigra.text.writing import to_dict

#: One letter for each colour; blue is U because black is B.
LETTERS = dict(zip(COLOURS, "BURYW", strict=True))
LEGEND = "colour, bricks:VP where empty, colour=player x height; Black blUe Red Yellow White"


def _header(position: dict[str, Any], rounds: int) -> list[str]:
    phase, current = position["phase"], position["current_player"]
    asked = "the game is over" if current is None else f"player {current} to decide: {phase.replace('_', ' ')}"
    lines = [
        f"PORTA NIGRA     round {position['round']} of {rounds}, player {position['starting_player']} began; {asked}"
    ]
    early = position["early_end"]
    if early is not None:
        left = ", ".join(map(str, early["final_turns_left"])) or "none"
        lines.append(f"early end       by player {early['player']}; final turns left: {left}")
    split = position["split"]
    if split is not None:
        tens = "" if split["tens"] is None else f", {split['tens']} tens of sesterces chosen"
        lines.append(f"to split        {split['total']}{tens}")
    return lines


def _table(components: Components, position: dict[str, Any]) -> list[str]:
    prices = components.constants["brick_price"][0].tolist()
    shops = [
        f"{colour} {position['market'][colour]} (at {price})" for colour, price in zip(COLOURS, prices, strict=True)
    ]
    counts = []
    for key in ("supply_cards", "building_cards", "honour_cards"):
        draw = position[key]["draw"]
        counts.append(f"{key.split('_')[0]} {draw['count'] if isinstance(draw, dict) else len(draw)}")
    cards = [f"{LETTERS[colour]}-{building}" for building, colour in position["building_cards"]["display"]]
    kinds = position["honour_cards"]["display"]
    honours = [kind + (f" x{kinds.count(kind)}" if kinds.count(kind) > 1 else "") for kind in dict.fromkeys(kinds)]
    return [
        *wrapped("market", [*shops, f"reserve {position['reserve']}"]),
        *wrapped("draw piles", counts),
        *wrapped("building cards", cards),
        *wrapped("honour cards", honours),
    ]


def _spots(components: Components, position: dict[str, Any]) -> list[str]:
    """Return lines of spots: empty as colour, bricks and VP (`R3:10`), an element as owner and height (`p1x3`)."""
    constants, spot = components.constants[0], 0
    lines = [f"{'spots':<16}{LEGEND}"]
    for building, row, size in ROWS:
        cells = []
        for i in range(size):
            colour = LETTERS[COLOURS[int(constants["spot_colour"][spot])]]
            element = position["spots"][building][row][i]
            if element is not None:
                cells.append(f"{colour}=p{element['owner']}x{element['height']}")
            elif spot < FIXED_SPOTS:
                cells.append(f"{colour}{int(constants['spot_bricks'][spot])}:{int(constants['spot_vp'][spot])}")
            else:
                cells.append(f"{colour}?")
            spot += 1
        lines.append(f"{building + ' ' + row:<16}" + "".join(f"{cell:<8}" for cell in cells).rstrip())
    return lines


def _player(position: dict[str, Any], seat: int) -> list[str]:
    player = position["players"][seat]
    mark = ">" if seat == position["current_player"] else " "
    bricks = " ".join(f"{LETTERS[colour]}{count}" for colour, count in player["bricks"].items() if count) or "none"
    owned = [f"{name} {count}" for name, count in player["building_cards"].items() if count]
    owned += [f"final {value}" for value in player["final_cards"]]
    hand, draw = player["hand"], player["draw"]
    shown = f"{hand['count']} hidden" if isinstance(hand, dict) else ", ".join(hand) or "-"
    left = draw["count"] if isinstance(draw, dict) else len(draw)
    lines = wrapped(
        f"{mark} player {seat}",
        [
            *(f"{player['vp']} VP", f"{player['sesterces']} sesterces", f"{player['torches']} torches"),
            *(f"{player['influence']} influence", f"Romans {player['romans']} (+{player['romans_reserve']})"),
            f"bricks {bricks}",
        ],
    )
    lines += wrapped("", [f"builder {player['quarter'] or 'not placed'}", f"hand {shown}", f"draw pile {left}"])
    if player["discard"]:
        lines += wrapped("    played", player["discard"])
    if owned:
        lines += wrapped("    owns", owned)
    turn = position["turn"]
    if turn is not None and seat == position["current_player"]:
        bought = ["honour card bought"] if turn["honour_bought"] else []
        lines += wrapped(f"    {turn['card']}", [f"markers {turn['markers_left']}", *turn["icons_left"], *bought])
    return lines


def board(components: Components, states: npt.NDArray[np.void], row: int = 0, view: int | None = None) -> str:
    """Return the position of ``states[row]`` in lines of at most 100 characters; with `view`, other hands as counts."""
    position = to_dict(components, states, row, view)
    rounds = int(components.constants["rounds"][0][position["num_players"]])
    lines = [*_header(position, rounds), *_table(components, position), "", *_spots(components, position), ""]
    for seat in range(position["num_players"]):
        lines += _player(position, seat)
    return "\n".join(lines)
