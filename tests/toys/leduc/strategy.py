"""Exact values and exploitability of policies in Leduc poker, by enumeration of deals and histories."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from tests.toys.leduc.game import CARDS, NUM_CARDS, dealt

#: Probabilities of the actions, float32 (num_actions,), at a view of the player to move.
Policy: TypeAlias = Callable[[View], npt.NDArray[np.float32]]
#: Probabilities with the sum 1, float64 (num_actions,).
Table: TypeAlias = Callable[[View], npt.NDArray[np.float64]]
Values: TypeAlias = npt.NDArray[np.float64]


def uniform(view: View) -> npt.NDArray[np.float32]:
    """Return equal probabilities of the legal actions."""
    mask = view.action_mask.astype(np.float32)
    probabilities: npt.NDArray[np.float32] = mask / mask.sum()
    return probabilities


def tabulated(policy: Policy) -> Table:
    """Return the policy in float64; it is asked once for each information state."""
    known: dict[bytes, npt.NDArray[np.float64]] = {}

    def table(view: View) -> npt.NDArray[np.float64]:
        key = view.state.tobytes()
        if key not in known:
            probabilities = np.asarray(policy(view), dtype=np.float64)
            known[key] = probabilities / probabilities.sum()
        return known[key]

    return table


def deals() -> list[State]:
    """Return the states after all 120 deals of two hands and a public card."""
    return [dealt(cards) for cards in itertools.permutations(CARDS, 3)]


def futures(state: State) -> list[State]:
    """Return the state with each public card that can come, all equally likely; only itself once a card is shown."""
    record = state.states[0]
    if record["round"] > 0:
        return [state]
    found = []
    for card in {*range(NUM_CARDS)} - {*record["cards"].tolist()}:
        twin = state.clone()
        twin.states["public"] = card
        found.append(twin)
    return found


def result(state: State, chips: bool) -> Values:
    """Return the result of a finished game by seat: chips won, or 1, -1 and 0 for a win, a loss and a draw."""
    return np.array(state.totals() if chips else state.returns(), dtype=np.float64)


def _value(state: State, tables: Sequence[Table], chips: bool) -> Values:
    """Return the expected result with the public card that the state holds."""
    if state.is_over:
        return result(state, chips)
    value = np.zeros(2)
    for action, probability in enumerate(tables[state.player](state.view())):
        if probability > 0:
            value += probability * _value(state.clone().apply_id(action), tables, chips)
    return value


def exact_value(state: State, policies: Sequence[Policy], *, chips: bool = False) -> Values:
    """Return the exact expected result by seat, float64 (2,), from a state with known hands.

    It is the mean over the public cards that can come: one that the state holds has no effect before it is shown.

    Args:
        state: a state of Leduc poker; it is not changed.
        policies: one for each seat; a positive probability of an illegal action raises IllegalActionError.
        chips: if true, count the chips won; otherwise 1 for a win, -1 for a loss, 0 for a draw.
    """
    tables = [tabulated(policy) for policy in policies]
    values: Values = np.mean([_value(future, tables, chips) for future in futures(state)], axis=0)
    return values


def expected(policies: Sequence[Policy], *, chips: bool = False) -> Values:
    """Return the exact expected result by seat, float64 (2,), of a new game; arguments as for `exact_value`."""
    tables = [tabulated(policy) for policy in policies]
    values: Values = np.mean([_value(deal, tables, chips) for deal in deals()], axis=0)
    return values


def best_response(policy: Policy, seat: int, *, chips: bool = False) -> float:
    """Return the expected result of `seat` with the best answer to a policy of the other seat."""
    table = tabulated(policy)

    def best(nodes: list[tuple[State, float]]) -> float:
        """Return the sum of the best values of states, times their weights, in one information state of `seat`."""
        mover = nodes[0][0].current_player
        if mover is None:
            return float(sum(weight * result(state, chips)[seat] for state, weight in nodes))
        after = defaultdict(list)
        for state, weight in nodes:
            probabilities = state.mask if mover == seat else table(state.view())
            for action in np.flatnonzero(probabilities).tolist():
                after[action].append((state.clone().apply_id(action), weight * float(probabilities[action])))
        values = [by_information(children) for children in after.values()]
        return max(values) if mover == seat else sum(values)

    def by_information(nodes: list[tuple[State, float]]) -> float:
        groups = defaultdict(list)
        for state, weight in nodes:
            groups[state.view(seat).state.tobytes()].append((state, weight))
        return sum(best(group) for group in groups.values())

    roots = deals()
    return by_information([(deal, 1 / len(roots)) for deal in roots])


def exploitability(policies: Sequence[Policy], *, chips: bool = False) -> float:
    """Return the mean result of the best responses of both seats to the policies; 0 in equilibrium."""
    return (best_response(policies[1], 0, chips=chips) + best_response(policies[0], 1, chips=chips)) / 2
