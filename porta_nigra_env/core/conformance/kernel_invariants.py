"""Invariants of the kernel functions at a position: results, bounds and side effects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.layout import LARGEST_BYTE
from porta_nigra_env.core.batch.batch import shown
from porta_nigra_env.core.conformance.moments import (
    POSITION_INVARIANTS,
    Finding,
    Moment,
    inspected,
    legal_ids,
    legal_words,
    observed,
    out_of_bounds,
    places_of,
    points_of,
    privileged_of,
    rounds_of,
    totals_of,
)
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View


def kernel_calls(game: Game, states: States, row: int, moment: Moment) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield every kernel function as a call on `row`, by name; those that write come last."""
    kernel, constants, seed = game.kernel, game.constants, moment.seeds(1)[0]
    yield "legal", partial(legal_words, game, states, row)
    yield "score", partial(totals_of, game, states, row)
    yield "rank", partial(places_of, game, states, row)
    yield "points", partial(points_of, game, states, row)
    yield "rounds", partial(rounds_of, game, states, row)
    yield "privileged", partial(privileged_of, game, states, row)
    for seat in moment.seats:
        yield f"observe for {seat}", partial(observed, game, states, seat, row)
    if moment.ply < len(moment.episode.actions):
        yield "step", partial(kernel.step, constants, states, row, moment.episode.actions[moment.ply])
    for seat in moment.seats:
        yield f"redact for {seat}", partial(kernel.redact, constants, states, row, seat)
        yield f"determinize for {seat}", partial(kernel.determinize, constants, states, row, seat, seed)
    yield "reset", partial(kernel.reset, constants, states, row, seed, game.num_players)


def bytes_of(result: npt.NDArray[Any] | int | None) -> bytes:
    """Return the result of a call of `kernel_calls` as bytes, for comparison."""
    return result.tobytes() if isinstance(result, np.ndarray) else repr(result).encode()


@POSITION_INVARIANTS.add
def current_player_is_a_seat(moment: Moment) -> Finding:
    """The number of players is constant, and the current player is a seat, or -1 when the game is over."""
    state = moment.states[0]
    if int(state["num_players"]) != moment.game.num_players:
        return f"num_players is {state['num_players']}"
    if not -1 <= moment.player < moment.game.num_players:
        return f"current_player is {moment.player}"
    over = moment.ply == len(moment.episode.actions)
    return None if over or moment.player >= 0 else "the game was over before its last step"


@POSITION_INVARIANTS.add
def legal_actions_exist_until_the_end(moment: Moment) -> Finding:
    """A legal action exists until the game is over, and none afterwards."""
    legal = len(legal_ids(moment.game, moment.states))
    return None if (legal > 0) == (moment.player >= 0) else f"{legal} legal actions, current player {moment.player}"


@POSITION_INVARIANTS.add
def constants_are_read_only(moment: Moment) -> Finding:
    """No kernel function writes into the constants."""
    game = moment.game
    before = game.constants.tobytes()
    states = moment.states
    for name, call in kernel_calls(game, states, 0, moment):
        states[:] = moment.states
        call()
        if game.constants.tobytes() != before:
            return f"{name} did"
    return None


@POSITION_INVARIANTS.add
def rows_are_independent(moment: Moment) -> Finding:
    """A kernel function reads and writes only its row of a batch."""
    game, size = moment.game, moment.game.dtype.itemsize
    other = b"\xa5" * size
    batch = np.frombuffer(bytearray(3 * size), dtype=game.dtype)
    alone = moment.states
    for (name, call), (_, call_alone) in zip(
        kernel_calls(game, batch, 1, moment), kernel_calls(game, alone, 0, moment), strict=True
    ):
        batch[:] = np.frombuffer(other + moment.record + other, dtype=game.dtype)
        alone[:] = moment.states
        same = bytes_of(call()) == bytes_of(call_alone())
        result = batch.tobytes()
        if result[:size] != other or result[2 * size :] != other:
            return f"{name} wrote into another row"
        if not same or result[size : 2 * size] != alone.tobytes():
            return f"{name} gives different results in rows 0 and 1 of a batch"
    return None


@POSITION_INVARIANTS.add
def reading_changes_nothing(moment: Moment) -> Finding:
    """Reading a position as a vector, as text or through a view does not change it."""
    game, states = moment.game, moment.states
    reads: list[tuple[str, Callable[[], Any]]] = [
        (name, call)
        for name, call in kernel_calls(game, states, 0, moment)
        if not name.startswith(("step", "redact", "determinize", "reset"))
    ]
    reads.append(("inspect", partial(inspected, game, states)))
    for view in (None, *moment.seats):
        reads.append((f"position with view {view}", partial(game.position, states, 0, view)))
        reads.append((f"board with view {view}", partial(game.board, states, 0, view)))
    reads.extend((f"View for {seat}", partial(View, game, states, 0, seat)) for seat in moment.seats)
    for name, call in reads:
        call()
        if states.tobytes() != moment.record:
            return f"{name} did"
    return None


@POSITION_INVARIANTS.add
def observation_is_in_bounds(moment: Moment) -> Finding:
    """An observation overwrites its whole buffer and stays within the bounds of its fields."""
    for seat in moment.seats:
        finding = out_of_bounds(observed(moment.game, moment.states, seat), moment.game.observations)
        if finding:
            return f"seat {seat}: {finding}"
    return None


@POSITION_INVARIANTS.add
def privileged_vector_is_in_bounds(moment: Moment) -> Finding:
    """The privileged vector overwrites its whole buffer and stays within the bounds of its fields."""
    return out_of_bounds(privileged_of(moment.game, moment.states), moment.game.privileged)


@POSITION_INVARIANTS.add
def totals_are_overwritten(moment: Moment) -> Finding:
    """Every total is written and does not depend on the old contents of the buffer."""
    values = [totals_of(moment.game, moment.states, before=before).tolist() for before in (0, -(2**31), 77)]
    return None if values[0] == values[1] == values[2] else f"{values[0]}, over other values {values[1]}"


@POSITION_INVARIANTS.add
def rank_does_not_write_totals(moment: Moment) -> Finding:
    """Ranking does not change the totals."""
    game, states = moment.game, moment.states
    totals, places = totals_of(game, states), np.zeros(game.num_players, dtype=np.int8)
    game.kernel.rank(game.constants, states, 0, totals, places)
    return None if totals.tolist() == totals_of(game, states).tolist() else f"totals are {totals.tolist()} after it"


@POSITION_INVARIANTS.add
def ranks_are_consistent(moment: Moment) -> Finding:
    """Every rank is written: one more than the number of better seats, for any old contents of the buffer."""
    values = [places_of(moment.game, moment.states, before=before).tolist() for before in (0, -1, 77)]
    if not values[0] == values[1] == values[2]:
        return f"{values[0]}, over other values {values[1]}"
    wanted = [1 + sum(other < place for other in values[0]) for place in values[0]]
    return None if values[0] == wanted else f"places {values[0]}, counted {wanted}"


@POSITION_INVARIANTS.add
def sources_add_up(moment: Moment) -> Finding:
    """Points by source have a column for every source and add up to the totals if the game has sources."""
    game, states = moment.game, moment.states
    values, wanted = game.points_by_source(states), (1, game.num_players, len(game.point_sources))
    if values.shape != wanted:
        return f"shape {values.shape}, expected {wanted}"
    sums, totals = values[0].sum(axis=1).tolist(), totals_of(game, states).tolist()
    return None if not game.point_sources or sums == totals else f"{sums} by source, totals {totals}"


@POSITION_INVARIANTS.add
def mask_matches_legal_actions(moment: Moment) -> Finding:
    """Legality bits, mask, view and action strings contain the same actions."""
    game, states = moment.game, moment.states
    legal = legal_ids(game, states)
    if legal and legal[-1] >= game.actions.size:
        return f"id {legal[-1]} is legal but not among {game.actions.size} ids"
    player, mask, observation, totals = inspected(game, states)
    if player != moment.player:
        return f"inspect names player {player}, not {moment.player}"
    if not set(mask.tolist()) <= {0, 1} or np.flatnonzero(mask).tolist() != legal:
        return f"mask {np.flatnonzero(mask).tolist()[:20]}, bits {legal[:20]}"
    if player >= 0 and observation.tobytes() != observed(game, states, player).tobytes():
        return "inspect and observe differ"
    if totals.tobytes() != totals_of(game, states).tobytes():
        return "inspect and score differ"
    for seat in moment.seats:
        wanted = legal if seat == player else []
        view = View(game, states, 0, seat)
        if view.legal_ids().tolist() != wanted:
            return f"the view of seat {seat} names {view.legal_actions()[:20]}"
    texts = State(game, states).legal_actions()
    return None if texts == sorted(game.action_texts[i] for i in legal) else f"action strings {texts[:20]}"


@POSITION_INVARIANTS.add
def raw_quantities_match_the_observation(moment: Moment) -> Finding:
    """Observations as uint8 are float32 times the scales, at most 255, if the game has them."""
    game, states = moment.game, moment.states
    try:
        show = shown(game, raw=True)
    except ValueError:
        return None
    for seat in moment.seats:
        raw = np.full(game.observations.size, 77, dtype=np.uint8)
        show(game.constants, states, 0, seat, raw)
        wanted = np.minimum(np.rint(observed(game, states, seat) * game.observations.scales()), LARGEST_BYTE)
        if (raw != wanted).any():
            i = int((raw != wanted).argmax())
            return f"player {seat}, {game.observations.find(i)[0].name}: {raw[i]}, expected {wanted[i]:.0f}"
    return None


@POSITION_INVARIANTS.add
def perft_counts_the_legal_actions(moment: Moment) -> Finding:
    """Perft of depth 1 is the number of legal actions, or 1 when the game is over."""
    game = moment.game
    states = np.frombuffer(bytearray(2 * moment.record), dtype=game.dtype)
    words = np.zeros((2, game.num_words), dtype=np.uint64)
    leaves = int(game.loops.perft(game.constants, states, words, 1))
    wanted = len(legal_ids(game, moment.states)) if moment.player >= 0 else 1
    return None if leaves == wanted else f"{leaves} leaves, {wanted} actions"
