"""What each action is worth, by the phase in which it is offered."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.gloria_mundi.actions import ID, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.names import (
    ACTIVATE,
    BUY,
    DISCARD,
    EXCLUSIVE,
    GIVE,
    GLORY,
    GOTH,
    LOSE,
    NUM_BASIC,
    PAY,
    PAY_TRIBUTE,
    PLACE,
    PLAY,
    RECLAIM,
    REPEAT,
    SEATS,
    TAKE,
)
from porta_nigra_env.games.gloria_mundi.components.schema import PAY_CARD
from porta_nigra_env.games.gloria_mundi.players.valuation.cards import (
    activation_worth,
    gain_worth,
    given_worth,
    later_worth,
    use_worth,
)
from porta_nigra_env.games.gloria_mundi.players.valuation.stocks import one_stone, steps_worth, stones_worth
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
    jit,
)
from porta_nigra_env.games.gloria_mundi.rules.goth import next_empty, reached_space, stones_on
from porta_nigra_env.games.gloria_mundi.rules.table import NUM_BASES, NUM_KINDS, base_cards, buildings_of

FEWEST_PLAYERS = SEATS[0]


@jit
def play_worth(constants: Constants, state: State, player: int, base: int, w: Any) -> float:
    """What everybody's activation brings her."""
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
    """The base type on which a card of her display lies."""
    for base in range(NUM_BASES):
        if (int(state["covered"][player, base]) >> card) & 1:
            return base
    return -1


@jit
def discard_worth(constants: Constants, state: State, player: int, card: int, given: int, turns: Any, w: Any) -> float:
    """What giving up a card for another one's ability brings."""
    kept = later_worth(constants, state, player, given, base_of(state, player, given), turns, w)
    return given_worth(constants, state, player, card, given, w) - kept


@jit
def ability_worth(constants: Constants, state: State, player: int, card: int, turns: Any, w: Any) -> float:
    """A card that is to be used."""
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
def activate_worth(constants: Constants, state: State, player: int, action: int, turns: Any, w: Any) -> float:
    """A card's use beyond the stone of the base card below; 0 for that."""
    if action >= ID.base:
        return -0.001 if action < ID.done else 0.0
    stone = stones_worth(state, player, int(state["played"]), 1.0, w)
    return ability_worth(constants, state, player, action - ID.use, turns, w) - stone


@jit
def exclusive_worth(constants: Constants, state: State, player: int, action: int, w: Any) -> float:
    """An exclusive card, or all that the type brings otherwise."""
    base = int(state["played"])
    if action == ID.done:
        return activation_worth(constants, state, player, base, 0, w)
    # A touch more where both are equal, since `activation_worth` counts this card too.
    return gain_worth(constants, state, player, action - ID.use, float(base_cards(state, player, base) - 1), w) + 0.001


@jit
def price_worth(constants: Constants, state: State, player: int, card: int, extra: int, w: Any) -> float:
    """What a purchase costs: printed stones of their kinds, the extra of the cheapest one."""
    cost = w[WAIT] * extra
    cheapest = one_stone(state, player, GLORY, w) if state["stones"][player, GLORY] > 0 else w[STONE]
    for kind in range(NUM_KINDS):
        cost -= stones_worth(state, player, kind, -float(constants["price"][card, kind]), w)
        if state["stones"][player, kind] > 0:
            cheapest = min(cheapest, one_stone(state, player, kind, w))
    return float(cost + extra * cheapest)


@jit
def buy_worth(constants: Constants, state: State, player: int, action: int, turns: Any, w: Any) -> float:
    """A card by its steps and what it will do, less what is paid."""
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
def pay_worth(state: State, player: int, action: int, w: Any) -> float:
    """An amount: what is paid now has not to be paid with what comes after."""
    kind = (action - ID.pay) // NUM_AMOUNTS
    amount = (action - ID.pay) % NUM_AMOUNTS
    later = one_stone(state, player, GLORY, w)
    for other in range(kind + 1, NUM_BASIC):
        if state["stones"][player, other] > 0:
            later = min(later, one_stone(state, player, other, w))
    return float(stones_worth(state, player, kind, -float(amount), w) + amount * later)


@jit
def base_worth(state: State, player: int, base: int, turns: Any, w: Any) -> float:
    """A base card of the display: what it will produce, and itself."""
    played = turns[1] if base == 0 else turns[2] if base == 1 else turns[3]
    return float(w[BASE_CARD] + played * stones_worth(state, player, base, 1.0, w))


@jit
def loss_worth(constants: Constants, state: State, player: int, action: int, turns: Any, w: Any) -> float:
    """What is lost."""
    if action < ID.lose:
        return -base_worth(state, player, action - ID.lose_bare, turns, w)
    wall = action >= ID.wall
    card = action - (ID.wall if wall else ID.lose)
    base = base_of(state, player, card)
    lost = later_worth(constants, state, player, card, base, turns, w)
    return -lost if wall else -lost - base_worth(state, player, base, turns, w)


@jit
def tribute_worth(constants: Constants, state: State, player: int, w: Any) -> float:
    """Paying: the stones, for the Goth's staying where he is."""
    worth = w[DELAY] + w[CROWD] * (int(state["num_players"]) - FEWEST_PLAYERS)
    space = next_empty(state)
    for kind in range(NUM_BASIC):
        worth += stones_worth(state, player, kind, -float(constants["symbols"][space, kind]), w)
    return float(worth)


@jit
def march_worth(constants: Constants, state: State, player: int, turns: Any, w: Any) -> float:
    """Letting him move: one's share of the tribute, less one's losses; others lose as well, and Rome comes nearer."""
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
def card_worth(constants: Constants, state: State, player: int, phase: int, action: int, turns: Any, w: Any) -> float:
    """A choice in an activation."""
    if phase == ACTIVATE:
        return activate_worth(constants, state, player, action, turns, w)
    if phase == EXCLUSIVE:
        return exclusive_worth(constants, state, player, action, w)
    if phase == REPEAT:
        return 0.0 if action == ID.done else ability_worth(constants, state, player, int(state["card"]), turns, w)
    if phase == GIVE:
        return stones_worth(state, player, action - ID.give, -1.0, w)
    if phase == DISCARD:
        return discard_worth(constants, state, player, int(state["card"]), action - ID.discard, turns, w)
    return stones_worth(state, player, action - ID.take, 1.0, w)


@jit
def action_worth(constants: Constants, state: State, player: int, action: int, turns: Any, w: Any) -> float:
    """What an action is worth; turns: of `cards.turns_to_come`."""
    phase = int(state["phase"])
    if phase == PLAY:
        return play_worth(constants, state, player, action - ID.play, w)
    if EXCLUSIVE <= phase <= TAKE:
        return card_worth(constants, state, player, phase, action, turns, w)
    if phase == BUY:
        return buy_worth(constants, state, player, action, turns, w)
    if phase == PLACE:
        return float(state["bare"][player, action - ID.on])
    if phase in (PAY, PAY_TRIBUTE):
        return pay_worth(state, player, action, w)
    if phase == GOTH:
        return (
            tribute_worth(constants, state, player, w)
            if action == ID.tribute
            else march_worth(constants, state, player, turns, w)
        )
    if phase == LOSE:
        return loss_worth(constants, state, player, action, turns, w)
    return stones_worth(state, player, action - ID.take, 1.0, w)


# The phases of an activation stand together.
assert EXCLUSIVE < TAKE < BUY < RECLAIM
