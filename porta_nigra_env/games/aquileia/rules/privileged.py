"""The privileged vector, in the layout of `observation.privileged_layout`."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.components.names import (
    MAX_EQUI_FACES,
    MAX_SLAVES,
    MAX_STADIUM_CARDS,
    MAX_THEATRE_CARDS,
)
from porta_nigra_env.games.aquileia.observation import PART, UNIT
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.observe import observe_record
from porta_nigra_env.games.aquileia.rules.scoring import owner_of_drawn, owner_of_open


@jit
def write_order(cards: Any, drawable: int, start: int, most: int, out: Any) -> None:
    """(face + 1) / most of a draw pile's cards, next first."""
    for place in range(drawable):
        out[start + place] = (int(cards[cards.shape[0] - drawable + place]) + 1) / most


@jit
def write_owner(constants: Constants, owner: int, face: int, out: Any) -> None:
    """A stadium card that a player has."""
    if owner >= 0:
        out[constants["at"][PART.hand_stadium] + int(constants["num_stadium_faces"]) * owner + face] += (
            UNIT.hand_stadium
        )


@jit
def privileged_record(constants: Constants, state: State, out: Any) -> None:
    """The observation of seat 0, then all hands and the order of all draw piles.  out: float32 (privileged_size,)."""
    observe_record(constants, state, 0, out)
    at, faces = constants["at"], int(constants["num_equi_faces"])
    for seat in range(int(state["num_players"])):
        for face in range(MAX_SLAVES):
            out[at[PART.hand_slaves] + MAX_SLAVES * seat + face] = int(state["slaves"][seat, face]) * UNIT.hand_slaves
        for face in range(faces):
            out[at[PART.hand_equi] + faces * seat + face] = int(state["equi"][seat, face]) * UNIT.hand_equi
    for past in range(int(constants["rounds"])):
        write_owner(constants, owner_of_open(state, past), int(state["past_open"][past]), out)
        write_owner(constants, owner_of_drawn(state, past), int(state["past_drawn"][past]), out)
    write_order(state["slave_cards"], int(state["num_slave_draw"]), int(at[PART.slave_order]), MAX_SLAVES, out)
    write_order(state["equi_cards"], int(state["num_equi_draw"]), int(at[PART.equi_order]), MAX_EQUI_FACES, out)
    write_order(
        state["stadium_cards"], int(state["num_stadium_draw"]), int(at[PART.stadium_order]), MAX_STADIUM_CARDS, out
    )
    write_order(
        state["theatre_cards"], int(state["num_theatre_draw"]), int(at[PART.theatre_order]), MAX_THEATRE_CARDS, out
    )
