"""Leduc poker (Southey and others, "Bayes' Bluff: Opponent Modelling in Poker", 2005) as a toy game.

The deck holds jack, queen and king in two suits.  Two players hold one card each and pay an ante of 1.  Actions are
`fold` (only after a raise), `call` (a check without a raise) and `raise`.  A raise adds 2 chips in the first round of
bets and 4 in the second; a round allows two raises.  Between the rounds a public card is shown.  The holder of a card
of its rank has a pair and wins the showdown, else the higher card wins; equal ranks split the pot.

The public card is in the state from the deal on, as the draw pile of one card.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.core.arrays.rng import REDRAW_PURPOSE, random_below, seed_key
from porta_nigra_env.core.batch.loops import Loops, compile_loops
from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.game.contract import Constants
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.facts import SEAT, Axis, Fact, Narration, Phrase, entries, named, plain
from porta_nigra_env.core.positions.position import refuse
from tests.toys.plain import PlainGame

SOURCES: Final = (*CORE_SOURCES, Path(__file__))
jit = compiler(*SOURCES)

#: Cards by number: ranks in ascending order, in each the suits.
CARDS: Final = ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
CARD_TEXTS: Final = [f"{rank} of {suit}" for rank in ("jack", "queen", "king") for suit in ("spades", "hearts")]
NUM_CARDS, NUM_RANKS = len(CARDS), 3
ACTIONS: Final = ("fold", "call", "raise")
FOLD, CALL, RAISE = range(3)
#: Raises and steps of a round, at most.
RAISES, STEPS = 2, 4
HANDS_STREAM, PUBLIC_STREAM = 0, 1
GAME_PURPOSE, DETERMINIZE_PURPOSE = 1, 2  # the first is `tests.toys.plain.GAME`

STATE: Final = np.dtype(
    [
        ("key", np.int64, (2,)),
        ("counters", np.int32, (2,)),
        ("num_players", np.int8),
        ("current_player", np.int8),  # -1 when over
        ("cards", np.int8, (2,)),  # -1 if unknown in a redacted state
        ("public", np.int8),  # hidden in round 0; -1 if unknown in a redacted state
        ("round", np.int8),  # 0 or 1; 1 from the moment at which the public card is shown
        ("paid", np.int8, (2,)),  # chips, with the ante
        ("history", np.int8, (2, STEPS)),  # by round; -1 beyond its steps
    ]
)
OBSERVATION: Final = Layout(
    [
        FieldSpec("seat", (2,), "one-hot: the observer's seat"),
        FieldSpec("card", (NUM_CARDS,), "one-hot: its card"),
        FieldSpec("public", (NUM_CARDS,), "one-hot: the public card once it is shown"),
        FieldSpec("history", (2, STEPS, len(ACTIONS)), "one-hot: round, step, action"),
    ]
)
CARD_START, PUBLIC_START, HISTORY_START = (OBSERVATION[name].start for name in ("card", "public", "history"))
PRIVILEGED: Final = Layout(
    [*(field.spec for field in OBSERVATION), FieldSpec("cards", (3, NUM_CARDS), "one-hot: seat or public, card")]
)
CARDS_START: Final = OBSERVATION.size
ACTION_LAYOUT: Final = Layout([FieldSpec("move", (len(ACTIONS),), "fold, call (or check), raise")])


@jit
def draw(state: Any, stream: int) -> int:
    """Return a random card that is neither in a hand nor the public card; -1 stands for no card."""
    left = NUM_CARDS
    for card in range(NUM_CARDS):
        if card == state["cards"][0] or card == state["cards"][1] or card == state["public"]:
            left -= 1
    skip = random_below(state["key"], state["counters"], stream, left)
    drawn = -1
    for card in range(NUM_CARDS):
        if card != state["cards"][0] and card != state["cards"][1] and card != state["public"]:
            if skip == 0:
                drawn = card
            skip -= 1
    return drawn


@jit
def count(state: Any, action: int) -> int:
    """Return how often an action was chosen in the current round; -1 counts the steps to come."""
    number = 0
    for i in range(STEPS):
        if state["history"][int(state["round"])][i] == action:
            number += 1
    return number


@jit
def reset(constants: Constants, states: Any, row: int, seed: int, num_players: int) -> None:
    """Deal a card to each seat, and draw the public card."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, GAME_PURPOSE)
    s["num_players"] = num_players
    s["current_player"] = 0
    s["cards"][0] = s["cards"][1] = s["public"] = -1
    s["cards"][0] = draw(s, HANDS_STREAM)
    s["cards"][1] = draw(s, HANDS_STREAM)
    s["public"] = draw(s, PUBLIC_STREAM)
    s["round"] = 0
    for i in range(2):
        s["paid"][i] = 1
        for j in range(STEPS):
            s["history"][i][j] = -1


@jit
def step(constants: Constants, states: Any, row: int, action: int) -> None:
    """Carry out a fold, a call or a raise."""
    s = states[row]
    player, round_ = int(s["current_player"]), int(s["round"])
    length = STEPS - count(s, -1)
    s["history"][round_][length] = action
    if action != FOLD:
        stake = int(s["paid"][1 - player])
        s["paid"][player] = stake + (2 + 2 * round_ if action == RAISE else 0)
    if action == FOLD or (action == CALL and length > 0 and round_ == 1):
        s["current_player"] = -1
    elif action == CALL and length > 0:
        s["round"] = 1
        s["current_player"] = 0
    else:
        s["current_player"] = 1 - player


@jit
def legal(constants: Constants, states: Any, row: int, words: Any) -> None:
    """Allow a call always, a fold after a raise, and a raise up to the limit."""
    s = states[row]
    words[0] = np.uint64(0)
    if s["current_player"] < 0:
        return
    bits.add(words, CALL)
    if s["paid"][0] != s["paid"][1]:
        bits.add(words, FOLD)
    if count(s, RAISE) < RAISES:
        bits.add(words, RAISE)


@jit
def observe(constants: Constants, states: Any, row: int, player: int, out: Any) -> None:
    """Write seat, own card, public card if shown, and history."""
    s = states[row]
    for i in range(out.shape[0]):
        out[i] = 0.0
    out[player] = 1.0
    out[CARD_START + int(s["cards"][player])] = 1.0
    if s["round"] > 0:
        out[PUBLIC_START + int(s["public"])] = 1.0
    for i in range(2):
        for j in range(STEPS):
            if s["history"][i][j] >= 0:
                out[HISTORY_START + 3 * (STEPS * i + j) + int(s["history"][i][j])] = 1.0


@jit
def redact(constants: Constants, states: Any, row: int, player: int) -> None:
    """Clear the other card before a showdown, the public card before it is shown, and the random key."""
    s = states[row]
    # Unequal payments at the end mean that the seat with the lower one folded.
    if s["current_player"] >= 0 or s["paid"][0] != s["paid"][1]:
        s["cards"][1 - player] = -1
    if s["round"] == 0:
        s["public"] = -1
    for i in range(2):
        s["key"][i] = 0
        s["counters"][i] = 0


@jit
def determinize(constants: Constants, states: Any, row: int, player: int, seed: int) -> None:
    """Sample the other card and the public card, where they are unknown, from the cards that the player cannot see."""
    s = states[row]
    redact(constants, states, row, player)
    seed_key(s["key"], s["counters"], seed, DETERMINIZE_PURPOSE)
    if s["cards"][1 - player] < 0:
        s["cards"][1 - player] = draw(s, HANDS_STREAM)
    if s["public"] < 0:
        s["public"] = draw(s, PUBLIC_STREAM)


@jit
def redraw(constants: Constants, states: Any, row: int, seed: int) -> None:
    """Reseed, and draw the public card again unless it has been shown; hands stay."""
    s = states[row]
    seed_key(s["key"], s["counters"], seed, REDRAW_PURPOSE)
    if s["round"] == 0:
        s["public"] = -1
        s["public"] = draw(s, PUBLIC_STREAM)


@jit
def strength(state: Any, player: int) -> int:
    """Return the value of a hand at a showdown: its rank, and more than any rank for a pair."""
    rank = int(state["cards"][player]) // 2
    return rank + NUM_RANKS if rank == int(state["public"]) // 2 else rank


@jit
def score(constants: Constants, states: Any, row: int, totals: Any) -> None:
    """Write the chips won; 0 before the end."""
    s = states[row]
    totals[0] = totals[1] = 0
    if s["current_player"] >= 0:
        return
    won = int(s["paid"][0]) - int(s["paid"][1])  # its sign names the seat that did not fold
    if won == 0:
        won = strength(s, 0) - strength(s, 1)
    stake = min(int(s["paid"][0]), int(s["paid"][1]))
    if won != 0:
        totals[0] = stake if won > 0 else -stake
        totals[1] = -totals[0]


@jit
def privileged(constants: Constants, states: Any, row: int, out: Any) -> None:
    """Write the observation of seat 0 and all cards."""
    s = states[row]
    observe(constants, states, row, 0, out)
    for player in range(2):
        out[CARDS_START + NUM_CARDS * player + int(s["cards"][player])] = 1.0
    out[CARDS_START + NUM_CARDS * 2 + int(s["public"])] = 1.0


KERNEL: Final = Kernel(reset, step, legal, observe, determinize, score, redact, privileged, redraw=redraw)
LOOPS: Final[Loops] = compile_loops("leduc", KERNEL, jit)
CONSTANTS: Final = np.zeros(1, dtype=[("ante", np.int8)])
CONSTANTS.flags.writeable = False


def narration() -> Narration:
    """Return the words of the game, in English only."""
    return Narration(
        folder=Path(__file__).parent,
        axes={
            "card": Axis(CARDS, CARD_TEXTS),
            "move": named(ACTIONS),
            "round": named(["first", "second"]),
            "step": named(["first", "second", "third", "fourth"]),
        },
        phrases={"move": Phrase("{move}", ("move",))},
        phases=("choose",),
        facts=(
            Fact("card", entries("cards"), (SEAT,), values="card", seen_by="owner", up=plain("{seat} shows {what}")),
            Fact(
                "public",
                entries("public"),
                values="card",
                seen_by="some",
                drawn=True,
                up=plain("the public card is {what}"),
            ),
            Fact(
                "chosen",
                entries("history"),
                ("round", "step"),
                values="move",
                up=plain("the {step} move of the {round} round is {what}"),
            ),
            Fact("mover", entries("current_player"), values=SEAT, up=plain("{seat} moves"), none=plain("the end")),
        ),
        silent={"paid": "follows from the moves", "round": "follows from the moves", "key": "", "counters": ""},
        chance=("round",),  # a new round shows the public card
        veils=("round",),
    )


class Leduc(PlainGame):
    """Leduc poker; immutable."""

    name = "leduc"
    version = 0
    seats = (2,)
    dtype = STATE
    num_words = 1
    phases = ("move",)
    position_format = "leduc/1"
    kernel = KERNEL
    loops = LOOPS
    sources = SOURCES
    constants = CONSTANTS
    actions = ACTION_LAYOUT
    observations = OBSERVATION
    privileged = PRIVILEGED
    action_texts = ACTIONS

    def narration(self) -> Narration:
        return narration()

    def check_state(self, state: np.void) -> None:
        cards = [*state["cards"].tolist(), int(state["public"])]
        if len({*cards}) < 3 or not all(0 <= card < NUM_CARDS for card in cards):
            refuse("cards", f"expected three different ones in 0..{NUM_CARDS - 1} with the public one, not {cards}")
        played = LeducState(self, self.new_states(0))
        for action in state["history"][state["history"] >= 0].tolist():
            if action not in played.legal_ids():
                refuse("history", f"{action} is not legal after {played.states['history'][0].tolist()}")
            played.apply_id(action)
        for name in ("history", "round", "paid", "current_player"):
            if state[name].tolist() != played.states[name][0].tolist():
                refuse(name, f"expected {played.states[name][0].tolist()} after the history")


class LeducState(State):
    """One game of Leduc poker."""

    __slots__ = ()

    game_class = Leduc


def dealt(cards: Sequence[str], history: str = "", seed: int = 0) -> LeducState:
    """Return the state after a deal and a history of the letters f, c and r.

    cards: those of both seats, and the public card.
    """
    states = Leduc().new_states(seed)
    *hands, public = (CARDS.index(card) for card in cards)
    states["cards"], states["public"] = hands, public
    state = LeducState(Leduc(), states)
    for letter in history:
        state.apply_id("fcr".index(letter))
    return state
