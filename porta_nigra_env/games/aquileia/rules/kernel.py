"""The kernel: dispatch of legality and effect to the chapters by phase, and the kernel functions over batches."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.contract import Constants, State, Words
from porta_nigra_env.core.game.record_kernel import Records, compile_kernel
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.rules import arena, forum, mercatus, placement, portus, stadium, theatrum
from porta_nigra_env.games.aquileia.rules.compiler import jit
from porta_nigra_env.games.aquileia.rules.determinize import determinize_record, redact_record, redraw_record
from porta_nigra_env.games.aquileia.rules.observe import observe_record, privileged_record
from porta_nigra_env.games.aquileia.rules.reset import reset_record
from porta_nigra_env.games.aquileia.rules.rounds import proceed
from porta_nigra_env.games.aquileia.rules.scoring import colour_counted, fill_sheet
from porta_nigra_env.games.aquileia.rules.table import acting_space, send_home


@jit
def legal_contest(constants: Constants, state: State, seat: int, phase: int, words: Words) -> None:
    """Fill the legal actions of a fight or a race."""
    if phase == names.ARENA_CARDS:
        arena.legal_arena_cards(constants, state, seat, words)
    elif phase == names.STADIUM_CARDS:
        stadium.legal_stadium_cards(constants, state, seat, words)
    elif phase == names.ARENA_DICE:
        arena.legal_arena_dice(constants, state, words)
    elif phase == names.ARENA_PRIZE:
        arena.legal_arena_prize(constants, words)
    else:
        stadium.legal_stadium_prize(constants, words)


@jit
def legal_follower(constants: Constants, state: State, seat: int, phase: int, words: Words) -> None:
    """Fill the legal actions of the follower on the acting space."""
    if phase == names.FORUM_PHASE:
        forum.legal_forum(constants, state, seat, words)
    elif phase == names.AUCTION:
        theatrum.legal_auction(constants, state, seat, words)
    elif phase == names.PECUNIA_PHASE:
        mercatus.legal_pecunia(constants, state, seat, words)
    elif phase == names.EQUI_PHASE:
        mercatus.legal_equi(constants, words)
    elif phase == names.SERVI_PHASE:
        mercatus.legal_servi(constants, state, seat, words)
    else:
        portus.legal_portus(constants, words)


@jit
def legal_record(constants: Constants, state: State, words: Words) -> None:
    """Fill the set of legal actions; it is empty when the game is over."""
    for i in range(words.shape[0]):
        words[i] = np.uint64(0)
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == names.PLACE:
        placement.legal_placement(constants, state, seat, words)
    elif names.ARENA_CARDS <= phase <= names.STADIUM_PRIZE:
        legal_contest(constants, state, seat, phase, words)
    elif phase != names.OVER:
        legal_follower(constants, state, seat, phase, words)


@jit
def step_contest(constants: Constants, state: State, seat: int, phase: int, action: int) -> bool:
    """Carry out an action of a fight or a race."""
    if phase == names.ARENA_CARDS:
        return arena.step_arena_cards(constants, state, seat, action)
    if phase == names.ARENA_DICE:
        return arena.step_arena_dice(constants, state, seat, action)
    if phase == names.ARENA_PRIZE:
        return arena.step_arena_prize(constants, state, seat, action)
    if phase == names.STADIUM_CARDS:
        return stadium.step_stadium_cards(constants, state, seat, action)
    return stadium.step_stadium_prize(constants, state, seat, action)


@jit
def step_follower(constants: Constants, state: State, seat: int, phase: int, action: int) -> bool:
    """Carry out an action of the acting follower, and send the follower home when its turn is complete."""
    if phase == names.FORUM_PHASE:
        waits = forum.step_forum(constants, state, seat, action)
    elif phase == names.AUCTION:
        waits = theatrum.step_auction(constants, state, seat, action)
    elif phase == names.PECUNIA_PHASE:
        waits = mercatus.step_pecunia(constants, state, seat, action)
    elif phase == names.EQUI_PHASE:
        waits = mercatus.step_equi(constants, state, seat, action)
    elif phase == names.SERVI_PHASE:
        waits = mercatus.step_servi(constants, state, seat, action)
    else:
        waits = portus.step_portus(constants, state, seat, action)
    if not waits:
        send_home(state, 1 << acting_space(state))
    return waits


@jit
def step_record(constants: Constants, state: State, action: int) -> None:
    """Carry out a legal action and all automatic consequences up to the next question."""
    phase, seat = int(state["phase"]), int(state["current_player"])
    if phase == names.PLACE:
        waits = placement.step_placement(constants, state, seat, action)
    elif names.ARENA_CARDS <= phase <= names.STADIUM_PRIZE:
        waits = step_contest(constants, state, seat, phase, action)
    else:
        waits = step_follower(constants, state, seat, phase, action)
    if not waits:
        proceed(constants, state)


KERNEL, score_sheet = compile_kernel(
    "aquileia",
    Records(
        reset=reset_record,
        step=step_record,
        legal=legal_record,
        observe=observe_record,
        determinize=determinize_record,
        redact=redact_record,
        redraw=redraw_record,
        privileged=privileged_record,
        sheet=fill_sheet,
    ),
    jit,
)


@jit
def theatre_colour(
    constants: npt.NDArray[np.void], states: npt.NDArray[np.void], row: int, seat: int, card: int
) -> int:
    """Return the colour for which a theatre card would count in the hands of a seat (A54)."""
    return colour_counted(constants[0], states[row], seat, card)
