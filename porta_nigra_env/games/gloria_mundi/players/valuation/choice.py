"""The worth of each action, by phase."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components import names
from porta_nigra_env.games.gloria_mundi.components.names import GLORY, NUM_BASIC, SEATS
from porta_nigra_env.games.gloria_mundi.components.schema import PAY_CARD
from porta_nigra_env.games.gloria_mundi.players.valuation.cards import (
    activation_worth,
    gain_worth,
    given_worth,
    later_worth,
    use_worth,
)
from porta_nigra_env.games.gloria_mundi.players.valuation.weights import (
    BASE_CARD,
    CROWD,
    DELAY,
    HASTE,
    LAUREL,
    MARCH,
    RIVAL,
    SHARE,
    STONE,
    WAIT,
    Turns,
    Weights,
    jit,
    steps_worth,
    stone_cost,
    stones_worth,
)
from porta_nigra_env.games.gloria_mundi.rules.goth import next_empty, reached_space, stones_on
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, base_cards, buildings_of

FEWEST_PLAYERS = SEATS[0]


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
    if constants["pay_form"][card] != PAY_CARD:
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
    """Return the worth of an action; turns: `cards.turns_to_come`."""
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
