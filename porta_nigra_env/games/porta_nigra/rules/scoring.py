"""The final scoring (R31-R36), valid at any time as if the game ended now."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILDINGS,
    COLOURS,
    FIXED_SPOTS,
    LOWEST_HEIGHT,
    MAX_FINAL_VALUES,
    NUM_HEIGHTS,
    NUM_SPOTS,
    PORTA_NIGRA,
    PORTA_NIGRA_ROW,
    ROW_STARTS,
)
from porta_nigra_env.games.porta_nigra.rules.compiler import jit

NUM_BUILDINGS, NUM_COLOURS = len(BUILDINGS), len(COLOURS)
Sheet = npt.NDArray[np.int32]

#: Columns of a score sheet: sources of points.  Rows A, B ... of the fixed buildings, then the Porta Nigra's heights.
VP_COLUMN, SETS_COLUMN, FINALS_COLUMN, PLAY_AREA_COLUMN, ROWS_COLUMN = range(5)
HEIGHTS_COLUMN = ROWS_COLUMN + PORTA_NIGRA_ROW
NUM_COLUMNS = HEIGHTS_COLUMN + NUM_HEIGHTS

#: An area's claim is (bricks or elements, colour of the best element, its bricks), packed so that larger is better.
CLAIM_COUNT, CLAIM_COLOUR = 1 << 12, 1 << 8


@jit
def add_points(sheet: Sheet, player: int, column: int, points: int) -> None:
    """Add points to a sheet; a sheet of one column holds the total only."""
    sheet[player, column if sheet.shape[1] > 1 else 0] += points


@jit
def score_sets(constants: Constants, state: State, player: int) -> int:
    """Score sets of different buildings (R31): the k-th set holds every building owned at least k times."""
    points = 0
    level = 1
    while True:
        different = 0
        for building in range(NUM_BUILDINGS):
            if state["buildings_owned"][player, building] >= level:
                different += 1
        if different == 0:
            return points
        points += int(constants["set_vp"][different])
        level += 1


@jit
def score_play_area(constants: Constants, state: State, player: int) -> int:
    """Score Romans, influence and torch tokens, bricks of the personal supply and sesterces (R32)."""
    points = int(state["romans"][player]) * int(constants["vp_per_roman"])
    points += int(state["influence"][player]) * int(constants["vp_per_influence"])
    points += int(state["torches"][player]) * int(constants["vp_per_torch"])
    for colour in range(NUM_COLOURS):
        points += int(state["bricks"][player, colour]) * int(constants["vp_per_brick"])
    return points + int(state["sesterces"][player]) // int(constants["sesterces_per_vp"])


@jit
def row_claim(constants: Constants, state: State, player: int, row: int) -> int:
    """Return the claim to a row: bricks, then the most valuable element there (R3, R33); 0 without an element."""
    bricks = 0
    best = 0
    for spot in range(ROW_STARTS[row], ROW_STARTS[row + 1]):
        if state["spot_owner"][spot] == player:
            height = int(state["spot_height"][spot])
            bricks += height
            best = max(best, int(constants["spot_colour"][spot]) * CLAIM_COLOUR + height)
    return bricks * CLAIM_COUNT + best


@jit
def height_claim(constants: Constants, state: State, player: int, height: int) -> int:
    """Return the claim to a height of the Porta Nigra: elements of exactly this height, then the dearest (R34)."""
    if state["built"][player, PORTA_NIGRA] == 0:
        return 0
    elements = 0
    best = 0
    for spot in range(FIXED_SPOTS, NUM_SPOTS):
        if state["spot_owner"][spot] == player and state["spot_height"][spot] == height:
            elements += 1
            best = max(best, int(constants["spot_colour"][spot]) * CLAIM_COLOUR)
    return elements * CLAIM_COUNT + best


@jit
def award(sheet: Sheet, column: int, claims: tuple[int, ...], points: npt.NDArray[np.int32]) -> None:
    """Score first and second rank of an area; an unbroken tie moves all tied to the next rank, the last one (R35).

    claims: one number per seat, 0 without bricks there, which never scores (R33); points: [first, second].
    """
    players = sheet.shape[0]
    barred = 0  # claims at or above this have scored
    for rank in range(2):
        best = 0
        tied = 0
        for player in range(players):
            claim = claims[player]
            if barred > 0 and claim >= barred:
                continue
            if claim > best:
                best = claim
                tied = 1
            elif claim == best:
                tied += 1
        if best == 0:
            return
        given = rank if tied == 1 else rank + 1
        if given < 2:
            for player in range(players):
                if claims[player] == best:
                    add_points(sheet, player, column, int(points[given]))
        if tied > 1:
            return
        barred = best


@jit
def fill_sheet(constants: Constants, state: State, sheet: Sheet) -> None:
    """Write the points of all players by source.  sheet: int32 (players, NUM_COLUMNS), or (players, 1) for totals."""
    players = int(state["num_players"])
    for player in range(players):
        for column in range(sheet.shape[1]):
            sheet[player, column] = 0
        add_points(sheet, player, VP_COLUMN, int(state["vp"][player]))
        add_points(sheet, player, SETS_COLUMN, score_sets(constants, state, player))
        for final in range(MAX_FINAL_VALUES):
            points = int(state["finals_owned"][player, final]) * int(constants["final_vp"][final])
            add_points(sheet, player, FINALS_COLUMN, points)
        add_points(sheet, player, PLAY_AREA_COLUMN, score_play_area(constants, state, player))
    # Seats beyond num_players own nothing, so their claims are 0; `award` never reads them.
    for row in range(PORTA_NIGRA_ROW):
        claims = (
            row_claim(constants, state, 0, row),
            row_claim(constants, state, 1, row),
            row_claim(constants, state, 2, row),
            row_claim(constants, state, 3, row),
        )
        award(sheet, ROWS_COLUMN + row, claims, constants["row_majority"][row])
    for i in range(NUM_HEIGHTS):
        height = LOWEST_HEIGHT + i
        claims = (
            height_claim(constants, state, 0, height),
            height_claim(constants, state, 1, height),
            height_claim(constants, state, 2, height),
            height_claim(constants, state, 3, height),
        )
        award(sheet, HEIGHTS_COLUMN + i, claims, constants["height_majority"][i])
