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

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays.rng import MASK32, seed_key
from porta_nigra_env.core.batch.loops import compile_loops
from porta_nigra_env.core.game import state
from porta_nigra_env.core.game.game import Game, Position, States, check_seed
from porta_nigra_env.core.positions.position import Json, integer, listed, mapping, refuse
from tests.toys.dice.kernel import CONSTANTS, GAME, KERNEL, SOURCES, is_bidding, jit
from tests.toys.dice.state import (
    ACTION_LAYOUT,
    ACTIONS,
    COINS,
    HIGHEST_BID,
    MAX_PLAYERS,
    MOST,
    OBSERVATION,
    PRIVILEGED,
    ROUNDS,
    SIDES,
    STATE,
    THROWS,
)

FORMAT = "dice/1"
#: Counted fields of a player in a position, and their upper bounds.
COUNTED = {"coins": COINS, "pot_points": ROUNDS * SIDES, "cup_points": ROUNDS * MOST}


def player_dict(state: np.void, seat: int, is_open: bool) -> Json:
    """Return a player of a position; `is_open`: cup and closed fist are visible."""
    is_running, bidding = state["current_player"] >= 0, is_bidding(state)
    has_bid = is_running and (not bidding or seat < state["current_player"])
    return {
        **{name: int(state[name][seat]) for name in COUNTED},
        "bid": None if not has_bid else int(state["bids"][seat]) if is_open or not bidding else {"count": 1},
        "cup": None if not is_running else int(state["cup"][seat]) if is_open else {"count": 1},
        "thrown": [int(eyes) for eyes in state["thrown"][seat] if eyes],
    }


def shown(value: Any) -> str:
    """Return a bid or a cup for the board."""
    return "?" if isinstance(value, dict) else "-" if value is None else str(value)


def read_player(state: np.void, seat: int, given: object, field: str) -> None:
    """Check a player of a position and write it to the record, whose round and current player are already set."""
    player = mapping(given, field, (*COUNTED, "bid", "cup", "thrown"))
    for name, most in COUNTED.items():
        state[name][seat] = integer(player[name], f"{field}.{name}", 0, most)
    thrown = listed(player["thrown"], f"{field}.thrown", lambda eyes, where: integer(eyes, where, 1, SIDES), 0, THROWS)
    state["thrown"][seat][: len(thrown)] = thrown
    if state["current_player"] < 0:
        if player["bid"] is not None or player["cup"] is not None or thrown:
            refuse(field, "the game is over: bid and cup must be null, and nothing is thrown")
        return
    state["cup"][seat] = integer(player["cup"], f"{field}.cup", 1, SIDES)
    if player["bid"] is not None:
        state["bids"][seat] = integer(player["bid"], f"{field}.bid", 0, HIGHEST_BID)


def check_turn(state: np.void, players: int) -> None:
    """Check that bids and throws agree with the current player.

    Either all seats below it have bid, or all seats have; no seat after it has thrown.
    """
    current = int(state["current_player"])
    for seat in range(players):
        if is_bidding(state):
            if (state["bids"][seat] >= 0) != (seat < current):
                refuse(
                    f"players[{seat}].bid",
                    f"player {current} is to move, so exactly the seats below {current} have bid",
                )
            if state["bids"][seat] > state["coins"][seat]:
                refuse(f"players[{seat}].bid", f"must be at most the player's {state['coins'][seat]} coins")
        elif state["bids"][seat] < 0:
            refuse(f"players[{seat}].bid", "missing, though the last seat has bid")
        thrown = int((state["thrown"][seat] > 0).sum())
        if thrown and (is_bidding(state) or seat > current or (seat == current and thrown == THROWS)):
            refuse(
                f"players[{seat}].thrown", f"it is player {current}'s turn to {'bid' if is_bidding(state) else 'throw'}"
            )


def read_rng(state: np.void, given: object, seed: int) -> None:
    """Write the random state of a position, or seed a new one if it has none."""
    if given is None:
        seed_key(state["key"], state["counters"], seed, GAME)
        return
    numbers = listed(given, "rng", lambda number, where: integer(number, where, 0, MASK32), 5, 5)
    state["key"], state["counters"] = numbers[:2], numbers[2:]


class Dice(Game):
    """Cups and coins; immutable."""

    name = "dice"
    version = 0
    seats = tuple(range(2, MAX_PLAYERS + 1))
    point_sources = ("pots", "cups", "cups on the table")
    secret_choices = ("bid",)
    dtype = STATE
    num_words = 1
    phases = ("bid", "throw")
    position_format = FORMAT
    kernel = KERNEL
    loops = compile_loops("dice", KERNEL, jit)
    sources = SOURCES
    constants = CONSTANTS
    actions = ACTION_LAYOUT
    observations = OBSERVATION
    privileged = PRIVILEGED
    action_texts = ACTIONS

    def position(self, states: States, row: int = 0, view: int | None = None) -> Position:
        s = states[row]
        current = int(s["current_player"])
        return {
            "format": FORMAT,
            "num_players": self.num_players,
            "current_player": None if current < 0 else current,
            "round": int(s["round"]),
            "pot": int(s["pot"]),
            "players": [player_dict(s, seat, view in (None, seat)) for seat in range(self.num_players)],
            "rng": {"count": 0} if view is not None else [*s["key"].tolist(), *s["counters"].tolist()],
        }

    def load_position(self, position: Mapping[str, Any], seed: int = 0) -> States:
        given = mapping(
            position, "", ("format", "num_players", "current_player", "round", "pot", "players"), optional=("rng",)
        )
        if given["format"] != FORMAT:
            refuse("format", f"expected {FORMAT!r}")
        players = integer(given["num_players"], "num_players", self.num_players, self.num_players)
        states = np.zeros(1, dtype=STATE)
        s = states[0]
        s["num_players"], s["bids"] = players, -1
        is_over = given["current_player"] is None
        s["current_player"] = -1 if is_over else integer(given["current_player"], "current_player", 0, players - 1)
        s["round"] = integer(given["round"], "round", ROUNDS if is_over else 1, ROUNDS)
        s["pot"] = integer(given["pot"], "pot", 0 if is_over else 1, 0 if is_over else SIDES)
        for seat, player in enumerate(listed(given["players"], "players", lambda player, _: player, players, players)):
            read_player(s, seat, player, f"players[{seat}]")
        if not is_over:
            check_turn(s, players)
        read_rng(s, given.get("rng"), check_seed(seed))
        return states

    def board(self, states: States, row: int = 0, view: int | None = None) -> str:
        position = self.position(states, row, view)
        current = position["current_player"]
        asked = "over" if current is None else f"pot {position['pot']}, player {current} to decide"
        lines = [f"CUPS AND COINS  round {position['round']} of {ROUNDS}, {asked}"]
        for seat, player in enumerate(position["players"]):
            dice = " ".join(map(str, player["thrown"]))
            hand = f"bid {shown(player['bid'])}  cup {shown(player['cup'])}  {dice}".rstrip()
            gained = player["pot_points"] + player["cup_points"]
            lines.append(f"player {seat}  {gained:>2} points  {player['coins']} coins  {hand}")
        return "\n".join(lines)

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
