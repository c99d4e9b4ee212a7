"""Cups and coins: a dice game for two to six players with sealed bids and open throws.

Every player begins with 6 coins.  In each of three rounds, an open die sets the value of the pot, and every player
throws a hidden die under a cup.  Then, in the order of the seats,

1. every player puts 0 to 3 coins into a closed fist.  When all fists are opened, the highest unique bid is paid and
   wins the pot: as many points as its die shows;
2. every player throws up to three more open dice, one by one, and may stop at any time.

At the end of the round the cups are lifted: a player whose dice sum to at most 10 gets the sum in points.  After the
third round the most points win.  Coins break ties; further ties share the rank.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.game import state
from porta_nigra_env.core.game.game import States
from tests.toys.dice.kernel import CONSTANTS, KERNEL, SOURCES, jit
from tests.toys.dice.state import ACTION_LAYOUT, ACTIONS, MAX_PLAYERS, OBSERVATION, PRIVILEGED, STATE
from tests.toys.plain import PlainGame


class Dice(PlainGame):
    """Cups and coins; immutable."""

    name = "dice"
    version = 0
    seats = tuple(range(2, MAX_PLAYERS + 1))
    point_sources = ("pots", "cups", "cups on the table")
    secret_choices = ("bid",)
    dtype = STATE
    num_words = 1
    phases = ("bid", "throw")
    position_format = "dice/1"
    kernel = KERNEL
    loops = compile_loops("dice", KERNEL, jit)
    sources = SOURCES
    constants = CONSTANTS
    actions = ACTION_LAYOUT
    observations = OBSERVATION
    privileged = PRIVILEGED
    action_texts = ACTIONS

    def points_by_source(self, states: States) -> npt.NDArray[np.int32]:
        points = np.zeros((len(states), self.num_players, len(self.point_sources)), dtype=np.int32)
        for row in range(len(states)):
            gained = [states[row][name][: self.num_players] for name in ("pot_points", "cup_points")]
            points[row, :, 0], points[row, :, 1] = gained
            points[row, :, 2] = self.totals(states, row) - gained[0] - gained[1]
        return points


class State(state.State):
    """One game of cups and coins.

    >>> state = State.new(num_players=3, seed=1)
    >>> state.apply("bid 2").legal_actions()
    ['bid 0', 'bid 1', 'bid 2', 'bid 3']
    """

    __slots__ = ()

    game_class = Dice
