"""The compiled value of an action for the scripted players: a weighted sum of its gains (`WEIGHTS`)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components import names, schema
from porta_nigra_env.games.gloria_mundi.components.names import FARM, GLORY, NUM_BASIC, PEACE, SEATS, STEPS
from porta_nigra_env.games.gloria_mundi.rules.abilities import can_give, times
from porta_nigra_env.games.gloria_mundi.rules.compiler import SOURCES
from porta_nigra_env.games.gloria_mundi.rules.goth import next_empty, reached_space, stones_on
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, base_cards, buildings_of

Weights = npt.NDArray[np.float64]
#: `turns_to_come`.
Turns = tuple[float, float, float, float]

jit = compiler(*SOURCES, Path(__file__))

# The quaestor's weights are hand-made weights after 150 generations of
# `python -m training.tune --game gloria_mundi --generations 150 --population 20 --deals 100 --seed 2`.  Against the
# hand-made weights they win 54.6 % at two players, 33.1 % at three, 28.2 % at four, 24.5 % at five and 18.9 % at six
# (2,000 deals; even: 50, 33, 25, 20, 17).
#: Name, greedy weight, quaestor's weight, meaning.  A weight is the number of steps that one unit is worth, or a factor
#: of steps, unless the meaning says otherwise.
WEIGHTS: Final = (
    ("stone", 0.2, 0.31, "a basic stone while there are few of the kind"),
    ("glory", 0.3, 0.418, "a glory stone while there are few"),
    ("enough", 6.0, 3.858, "number of stones of a kind that are few"),
    ("surplus", 0.4, 0.117, "fraction of a stone's worth beyond that number"),
    ("africa", 100.0, 106.6, "reaching Africa"),
    ("laurel", 1.0, 0.856, "factor of the laurel steps of a card bought"),
    ("rival", 0.0, 0.901, "factor of the others' mean gain"),
    ("later", 0.0, 1.597, "factor of the value a card adds to future activations"),
    ("repeat", 0.0, -0.126, "relative value that the printed X adds to an ability"),
    ("pace", 1.5, 0.391, "expected turns per space of the Goth"),
    ("wall", 0.0, 0.126, "a wall, per expected turn"),
    ("base", 0.3, 1.469, "a base card in the display, in addition to its production"),
    ("wait", 0.0, 0.143, "each stone of the extra, in addition to its worth"),
    ("share", 1.0, 1.578, "factor of the own share of the tribute"),
    ("delay", 0.3, -4.304, "keeping the Goth where it is"),
    ("crowd", 0.0, 8.97, "the same, per player beyond two"),
    ("march", 0.0, 0.387, "factor of the others' losses in a march"),
    ("haste", 0.0, 1.313, "per step of a lead, times the fraction of the way to Rome that the Goth moves"),
)
(
    STONE, GLORY_STONE, ENOUGH, SURPLUS, AFRICA, LAUREL, RIVAL, LATER, AGAIN, PACE, WALLS, BASE_CARD, WAIT, SHARE,
    DELAY, CROWD, MARCH, HASTE,
) = range(len(WEIGHTS))  # fmt: skip

FEWEST_PLAYERS = SEATS[0]
#: Larger than the stock of any kind.
NONE_AT_ALL = 1_000_000.0


@jit
def stock_worth(kind: int, stones: float, w: Weights) -> float:
    """Return the worth of a stock of one kind: few stones count in full, the others for less."""
    few = min(stones, w[ENOUGH])
    single = w[GLORY_STONE] if kind == GLORY else w[STONE]
    return float(single * (few + w[SURPLUS] * (stones - few)))


@jit
def stones_worth(state: State, seat: int, kind: int, change: float, w: Weights) -> float:
    """Return the worth of a change of a stock, which does not fall below 0."""
    stones = float(state["stones"][seat, kind])
    return stock_worth(kind, max(0.0, stones + change), w) - stock_worth(kind, stones, w)


@jit
def steps_worth(constants: Constants, state: State, seat: int, steps: int, w: Weights) -> float:
    """Return the worth of steps, with the bonus for Africa."""
    missing = int(constants["escape_steps"]) - int(state["steps"][seat])
    if steps >= missing:
        return float(missing + w[AFRICA])
    return float(steps)


@jit
def choice_worth(state: State, seat: int, kinds: int, count: int, w: Weights) -> float:
    """Return the worth of the best stones gained (count > 0) or the cheapest given (< 0), all of one kind."""
    best = -NONE_AT_ALL
    for kind in range(NUM_KINDS):
        if (kinds >> kind) & 1 and (count > 0 or int(state["stones"][seat, kind]) >= -count):
            best = max(best, stones_worth(state, seat, kind, float(count), w))
    if best == -NONE_AT_ALL:
        # No kind has enough: a mix, at the price of a scarce stone.
        best = count * w[STONE]
    return float(best)


@jit
def stone_cost(state: State, seat: int, kind: int, w: Weights) -> float:
    """Return the cost of one stone less."""
    return -stones_worth(state, seat, kind, -1.0, w)


# ------------------------------------------------------------------------------------------------ cards


@jit
def turns_to_come(constants: Constants, state: State, player: int, w: Weights) -> Turns:
    """Return the expected number of turns, then that of the turns in which each base type is played."""
    farms = cities = peaces = 0
    for seat in range(int(state["num_players"])):
        farms += int(state["hand"][seat, 0])
        cities += int(state["hand"][seat, 1])
        peaces += int(state["hand"][seat, 2])
    hands = farms + cities + peaces
    if hands == 0:
        return 0.0, 0.0, 0.0, 0.0
    turns = min(float(hands), w[PACE] * (int(constants["provinces"]) + 1 - next_empty(state)))
    return turns, turns * farms / hands, turns * cities / hands, turns * peaces / hands


@jit
def gain_worth(constants: Constants, state: State, seat: int, card: int, count: float, w: Weights) -> float:
    """Return the worth of the named gains of a card, `count` times."""
    worth = (
        steps_worth(constants, state, seat, int(count * int(constants["gain"][card, STEPS])), w)
        if constants["gain"][card, STEPS] > 0
        else 0.0
    )
    for kind in range(NUM_KINDS):
        if constants["gain"][card, kind] > 0:
            worth += stones_worth(state, seat, kind, count * int(constants["gain"][card, kind]), w)
    return float(worth)


@jit
def use_worth(constants: Constants, state: State, seat: int, card: int, w: Weights) -> float:
    """Return the worth of one use of a non-exclusive card now, without a card that is given up for it."""
    worth = 0.0
    form = int(constants["gain_form"][card])
    if form == schema.GAIN_NAMED:
        worth += gain_worth(constants, state, seat, card, float(times(constants, state, seat, card)), w)
    elif form == schema.GAIN_CHOICE:
        worth += choice_worth(state, seat, int(constants["gain_kinds"][card]), int(constants["gain_count"][card]), w)
    form = int(constants["pay_form"][card])
    if form == schema.PAY_STONES:
        for kind in range(NUM_KINDS):
            worth += stones_worth(state, seat, kind, -float(constants["pay"][card, kind]), w)
    elif form == schema.PAY_CHOICE:
        worth += choice_worth(state, seat, int(constants["pay_kinds"][card]), -int(constants["pay_count"][card]), w)
    return float(worth)


@jit
def given_worth(constants: Constants, state: State, seat: int, card: int, given: int, w: Weights) -> float:
    """Return the worth of a card's right side for the card `given` up."""
    form = int(constants["gain_form"][card])
    if form == schema.GAIN_LAURELS:
        return steps_worth(constants, state, seat, int(constants["laurels"][given]), w)
    if form in (schema.GAIN_NAMED, schema.GAIN_CHOICE):
        return 0.0
    worth = 0.0
    for kind in range(NUM_KINDS):
        worth += stones_worth(state, seat, kind, float(constants["price"][given, kind]), w)
    return worth


@jit
def later_worth(constants: Constants, state: State, seat: int, card: int, base: int, turns: Turns, w: Weights) -> float:
    """Return the worth a card on a base type adds to future turns, beyond the stone of the base card below."""
    if w[LATER] == 0.0:
        return 0.0
    if (int(constants["red"]) >> card) & 1:
        return float(w[WALLS] * turns[0]) if (int(constants["walls"]) >> card) & 1 else 0.0
    played = turns[1] if base == FARM else turns[3] if base == PEACE else turns[2]
    stone = stock_worth(base, 1.0, w)
    if (int(constants["exclusive"]) >> card) & 1:
        cards = base_cards(state, seat, base)
        worth = gain_worth(constants, state, seat, card, float(cards), w) - stone * cards
    elif constants["pay_form"][card] == schema.PAY_CARD:
        worth = 0.0
    else:
        worth = use_worth(constants, state, seat, card, w)
        for symbol in range(NUM_BASES):
            if (int(constants["on_goth"][symbol]) >> card) & 1:
                worth *= symbol_share(constants, state, symbol)
        worth *= 1.0 + w[AGAIN] * int(constants["repeat"][card])
    return float(w[LATER] * played * max(0.0, worth - stone))


@jit
def symbol_share(constants: Constants, state: State, symbol: int) -> float:
    """Return the fraction of the spaces from the Goth on that show a symbol."""
    shown = spaces = 0
    for space in range(int(state["goth"]), int(constants["provinces"]) + 1):
        spaces += 1
        shown += (int(constants["symbol_set"][space]) >> symbol) & 1
    return shown / max(1, spaces)


@jit
def activation_worth(constants: Constants, state: State, seat: int, base: int, more: int, w: Weights) -> float:
    """Return the gain of a player when a base type is played, with `more` base cards of it in the display."""
    cards = base_cards(state, seat, base) + more
    produced = stones_worth(state, seat, base, float(cards), w)
    stone = produced / cards if cards > 0 else 0.0
    worth, alone = produced, 0.0
    goth = int(state["goth"])
    left = np.uint64(int(state["covered"][seat, base]) & ~int(constants["red"]))
    while left != np.uint64(0):
        card = bits.lowest(left)
        left &= left - np.uint64(1)
        if (int(constants["exclusive"]) >> card) & 1:
            alone = max(alone, gain_worth(constants, state, seat, card, float(cards - 1), w))
        elif (
            constants["pay_form"][card] != schema.PAY_CARD
            and can_give(constants, state, seat, card)
            and works(constants, card, goth)
        ):
            worth += max(0.0, use_worth(constants, state, seat, card, w) - stone)
    return max(worth, alone)


@jit
def works(constants: Constants, card: int, goth: int) -> bool:
    """Return whether the Goth's space has the symbol that the card asks for, if any."""
    for symbol in range(NUM_BASES):
        if (int(constants["on_goth"][symbol]) >> card) & 1:
            return bool((int(constants["symbol_set"][goth]) >> symbol) & 1)
    return True


# ------------------------------------------------------------------------------------------------ actions


@jit
def play_worth(constants: Constants, state: State, player: int, base: int, w: Weights) -> float:
    """Return the worth of a base card: the own activation less a fraction of the others' gains."""
    worth = activation_worth(constants, state, player, base, 1, w)
    players = int(state["num_players"])
    if w[RIVAL] != 0.0:
        others = 0.0
        for seat in range(players):
            if seat != player:
                others += activation_worth(constants, state, seat, base, 0, w)
        worth -= w[RIVAL] * others / (players - 1)
    return float(worth)


@jit
def base_of(state: State, player: int, card: int) -> int:
    """Return the base type below a card of a display, -1 if it is not there."""
    for base in range(NUM_BASES):
        if (int(state["covered"][player, base]) >> card) & 1:
            return base
    return -1


@jit
def discard_worth(
    constants: Constants, state: State, player: int, card: int, given: int, turns: Turns, w: Weights
) -> float:
    """Return the worth of giving up a card for the ability of another."""
    kept = later_worth(constants, state, player, given, base_of(state, player, given), turns, w)
    return given_worth(constants, state, player, card, given, w) - kept


@jit
def ability_worth(constants: Constants, state: State, player: int, card: int, turns: Turns, w: Weights) -> float:
    """Return the worth of using a card, with the best card given up for it."""
    worth = use_worth(constants, state, player, card, w)
    if constants["pay_form"][card] != schema.PAY_CARD:
        return worth
    best = -1.0
    others = buildings_of(state, player) & ~(1 << card)
    for given in range(constants["card_type"].shape[0]):
        if (others >> given) & 1:
            best = max(best, discard_worth(constants, state, player, card, given, turns, w))
    return worth + best


@jit
def activate_worth(constants: Constants, state: State, player: int, action: int, turns: Turns, w: Weights) -> float:
    """Return the worth of a card's use beyond the stone of the base card below it."""
    if action >= ID.base:
        return -0.001 if action < ID.done else 0.0
    stone = stones_worth(state, player, int(state["played"]), 1.0, w)
    return ability_worth(constants, state, player, action - ID.use, turns, w) - stone


@jit
def exclusive_worth(constants: Constants, state: State, player: int, action: int, w: Weights) -> float:
    """Return the worth of an exclusive card, or of all other cards of the type."""
    base = int(state["played"])
    if action == ID.done:
        return activation_worth(constants, state, player, base, 0, w)
    # The bonus breaks ties: `activation_worth` counts this card too.
    return gain_worth(constants, state, player, action - ID.use, float(base_cards(state, player, base) - 1), w) + 0.001


@jit
def price_worth(constants: Constants, state: State, player: int, card: int, extra: int, w: Weights) -> float:
    """Return the cost of a purchase: the printed stones, and the extra in the cheapest kind."""
    cost = w[WAIT] * extra
    cheapest = stone_cost(state, player, GLORY, w) if state["stones"][player, GLORY] > 0 else w[STONE]
    for kind in range(NUM_KINDS):
        cost -= stones_worth(state, player, kind, -float(constants["price"][card, kind]), w)
        if state["stones"][player, kind] > 0:
            cheapest = min(cheapest, stone_cost(state, player, kind, w))
    return float(cost + extra * cheapest)


@jit
def buy_worth(constants: Constants, state: State, player: int, action: int, turns: Turns, w: Weights) -> float:
    """Return the worth of a card by its steps and future use, less its cost."""
    if action == ID.done:
        return 0.0
    place = action - ID.buy
    card = int(state["forum"][place])
    base = 0
    while (int(constants["lies_on"][card]) >> base) & 1 == 0:
        base += 1
    worth = w[LAUREL] * steps_worth(constants, state, player, int(constants["laurels"][card]), w)
    worth += later_worth(constants, state, player, card, base, turns, w)
    return float(worth - price_worth(constants, state, player, card, int(constants["extra"][place]), w))


@jit
def pay_worth(state: State, player: int, action: int, w: Weights) -> float:
    """Return the worth of an amount: its cost less the cost of paying as much with later kinds."""
    kind = (action - ID.pay) // NUM_AMOUNTS
    amount = (action - ID.pay) % NUM_AMOUNTS
    later = stone_cost(state, player, GLORY, w)
    for other in range(kind + 1, NUM_BASIC):
        if state["stones"][player, other] > 0:
            later = min(later, stone_cost(state, player, other, w))
    return float(stones_worth(state, player, kind, -float(amount), w) + amount * later)


@jit
def base_worth(state: State, player: int, base: int, turns: Turns, w: Weights) -> float:
    """Return the worth of a base card in the display, with its future production."""
    played = turns[1] if base == 0 else turns[2] if base == 1 else turns[3]
    return float(w[BASE_CARD] + played * stones_worth(state, player, base, 1.0, w))


@jit
def loss_worth(constants: Constants, state: State, player: int, action: int, turns: Turns, w: Weights) -> float:
    """Return the worth of a loss."""
    if action < ID.lose:
        return -base_worth(state, player, action - ID.lose_bare, turns, w)
    wall = action >= ID.wall
    card = action - (ID.wall if wall else ID.lose)
    base = base_of(state, player, card)
    lost = later_worth(constants, state, player, card, base, turns, w)
    return -lost if wall else -lost - base_worth(state, player, base, turns, w)


@jit
def tribute_worth(constants: Constants, state: State, player: int, w: Weights) -> float:
    """Return the worth of paying tribute: the delay of the Goth less the stones."""
    worth = w[DELAY] + w[CROWD] * (int(state["num_players"]) - FEWEST_PLAYERS)
    space = next_empty(state)
    for kind in range(NUM_BASIC):
        worth += stones_worth(state, player, kind, -float(constants["symbols"][space, kind]), w)
    return float(worth)


@jit
def march_worth(constants: Constants, state: State, player: int, turns: Turns, w: Weights) -> float:
    """Return the worth of a march: the share of the tribute less the own losses, plus a fraction of the others'."""
    players, goth, reached = int(state["num_players"]), int(state["goth"]), reached_space(constants, state)
    shared = 0
    for space in range(goth + 1, next_empty(state)):
        for kind in range(NUM_KINDS):
            shared += stones_on(constants, state, space, kind)
    worth = w[SHARE] * w[STONE] * ((shared + players - 1) // players)
    demand, dear = 0, 0.0
    for base in range(NUM_BASES):
        demanded = int(constants["symbols_to"][reached, base]) - int(constants["symbols_to"][goth, base])
        demand += demanded
        dear += demanded * base_worth(state, player, base, turns, w)
    if demand > 0:
        own = (demand + players - 1) // players
        worth -= own * dear / demand
        worth += w[MARCH] * (demand - own) * dear / demand / (players - 1)
    if w[HASTE] != 0.0:
        ahead = 1_000
        for seat in range(players):
            if seat != player:
                ahead = min(ahead, int(state["steps"][player]) - int(state["steps"][seat]))
        worth += w[HASTE] * ahead * (reached - goth) / (int(constants["provinces"]) + 1 - goth)
    return float(worth)


@jit
def card_worth(
    constants: Constants, state: State, player: int, phase: int, action: int, turns: Turns, w: Weights
) -> float:
    """Return the worth of an action in an activation."""
    if phase == names.ACTIVATE:
        return activate_worth(constants, state, player, action, turns, w)
    if phase == names.EXCLUSIVE:
        return exclusive_worth(constants, state, player, action, w)
    if phase == names.REPEAT:
        return 0.0 if action == ID.done else ability_worth(constants, state, player, int(state["card"]), turns, w)
    if phase == names.GIVE:
        return stones_worth(state, player, action - ID.give, -1.0, w)
    if phase == names.DISCARD:
        return discard_worth(constants, state, player, int(state["card"]), action - ID.discard, turns, w)
    return stones_worth(state, player, action - ID.take, 1.0, w)


@jit
def action_worth(constants: Constants, state: State, player: int, action: int, turns: Turns, w: Weights) -> float:
    """Return the worth of an action; turns: `turns_to_come`."""
    phase = int(state["phase"])
    if phase == names.PLAY:
        return play_worth(constants, state, player, action - ID.play, w)
    if names.EXCLUSIVE <= phase <= names.TAKE:
        return card_worth(constants, state, player, phase, action, turns, w)
    if phase == names.BUY:
        return buy_worth(constants, state, player, action, turns, w)
    if phase == names.PLACE:
        return float(state["bare"][player, action - ID.on])
    if phase in (names.PAY, names.PAY_TRIBUTE):
        return pay_worth(state, player, action, w)
    if phase == names.GOTH:
        return (
            tribute_worth(constants, state, player, w)
            if action == ID.tribute
            else march_worth(constants, state, player, turns, w)
        )
    if phase == names.LOSE:
        return loss_worth(constants, state, player, action, turns, w)
    return stones_worth(state, player, action - ID.take, 1.0, w)


# The phases of an activation stand together.
assert names.EXCLUSIVE < names.TAKE < names.BUY < names.RECLAIM
