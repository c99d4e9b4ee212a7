"""The worth of every action, by phase."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
from porta_nigra_env.games.aquileia.actions import TAKE_POINTS
from porta_nigra_env.games.aquileia.components import names
from porta_nigra_env.games.aquileia.players.valuation.contests import (
    blue_strength,
    contest_worth,
    group_of,
    prospect,
    side_of,
)
from porta_nigra_env.games.aquileia.players.valuation.means import (
    building_worth,
    equi_worth,
    means_worth,
    own_means,
    season,
    stadium_worth,
    theatre_worth,
    with_more,
)
from porta_nigra_env.games.aquileia.players.valuation.spaces import (
    activated,
    change,
    crest_worth,
    equi_bought,
    slaves_bought,
    slaves_of_card,
    space_worth,
)
from porta_nigra_env.games.aquileia.players.valuation.weights import RIVAL, SLAVE, Colours, Weights, jit
from porta_nigra_env.games.aquileia.rules.contest import ranked, takes_part
from porta_nigra_env.games.aquileia.rules.stadium import stadium_spaces
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, holder_of


@jit
def placed(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Value a follower or the crest; a pass is worth 0."""
    if action < int(constants["num_spaces"]):
        return space_worth(constants, state, player, action, colours, w)
    return crest_worth(constants, state, player, w) if action == int(constants["crest_id"]) else 0.0


@jit
def exchanged(constants: Constants, state: State, player: int, number: int, colours: Colours, w: Weights) -> float:
    """Value an exchange; the first one scores points."""
    after = with_more(
        own_means(state, player),
        int(constants["exchange_give"][number]),
        -float(constants["exchange_give_coins"][number]),
    )
    after = with_more(after, int(constants["exchange_get"][number]), float(constants["exchange_get_coins"][number]))
    return float(
        change(constants, state, player, after, colours, w) + (constants["pecunia_vp"] if state["last"] < 0 else 0)
    )


@jit
def played(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Value a card in a contest: alone or with all later cards, the better of the two."""
    area = names.ARENA if state["phase"] == names.ARENA_CARDS else side_of(constants, state, player)
    now = state["strength"][player] + blue_strength(constants, state, player)
    without = contest_worth(constants, state, player, area, now, w)
    first = action - int(constants["play_equi_start"])
    strength = 0
    price = 0.0
    slaves = 0
    alone = 0.0
    if area == names.ARENA and first < 0:
        face = 0 if action == int(constants["play_slave"][0]) else names.MAX_SLAVES - 1
        slaves = face + 1
        alone = contest_worth(constants, state, player, area, now + slaves, w) - without
        alone += change(constants, state, player, with_more(own_means(state, player), 3, float(-slaves)), colours, w)
        slaves = 0
        for played_face in range(face, names.MAX_SLAVES):
            slaves += (played_face + 1) * int(state["slaves"][player, played_face])
    for face in range(max(first, 0), int(constants["num_equi_faces"])):
        if constants["equi_group"][face] == group_of(area):
            if face == first:
                alone = (
                    contest_worth(constants, state, player, area, now + constants["equi_strength"][face], w) - without
                )
                alone -= equi_worth(constants, state, face, w)
            strength += int(state["equi"][player, face]) * int(constants["equi_strength"][face])
            price += state["equi"][player, face] * equi_worth(constants, state, face, w)
    every = contest_worth(constants, state, player, area, now + strength + slaves, w) - without - price
    if slaves > 0:
        every += change(constants, state, player, with_more(own_means(state, player), 3, float(-slaves)), colours, w)
    return float(max(alone, every))


@jit
def rolled(constants: Constants, state: State, player: int, dice: int, w: Weights) -> float:
    """Value a number of blue dice in the fight and the remaining ones in the race."""
    worth = contest_worth(constants, state, player, names.ARENA, state["strength"][player] + dice / len(names.KINDS), w)
    if takes_part(state, player, stadium_spaces(constants)):
        worth += prospect(constants, state, player, side_of(constants, state, player), -dice / len(names.KINDS), w)
    return float(worth)


@jit
def won(constants: Constants, state: State, player: int, choice: int, colours: Colours, w: Weights) -> float:
    """Value the first player's prize, less a share of the second player's gain."""
    second = ranked(state, 1, int(constants["area_spaces"][names.ARENA]))
    slave = change(
        constants, state, player, with_more(own_means(state, player), 3, slaves_of_card(constants)), colours, w
    )
    if choice == TAKE_POINTS:
        worth = float(state["strength"][player] * constants["vp_per_strength"])
        return worth if second < 0 else float(worth - w[RIVAL] * w[SLAVE] * season(constants, state))
    if second < 0:
        return float(slave)
    return float(slave - w[RIVAL] * state["strength"][second] * constants["vp_per_strength"])


@jit
def kept(constants: Constants, state: State, player: int, choice: int, w: Weights) -> float:
    """Value the kept stadium card, less a share of the second player's gain."""
    shown = int(state["stadium_open"])
    drawn = int(state["stadium_cards"][names.MAX_STADIUM_CARDS - int(state["num_stadium_draw"])])
    own, given = (shown, drawn) if choice == 0 else (drawn, shown)
    worth = stadium_worth(constants, state, player, own, w)
    second = ranked(state, 1, stadium_spaces(constants))
    return float(worth - w[RIVAL] * stadium_worth(constants, state, second, given, w)) if second >= 0 else float(worth)


@jit
def bid(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Value one more coin for the theatre card, or a pass: an auctioneer may receive the standing bid."""
    price = own_means(state, player)
    if action == int(constants["pass_id"]):
        if state["bidder"] < 0 or holder_of(state, acting_space(state)) != player:
            return 0.0
        for kind in range(NUM_KINDS):
            price = with_more(price, kind, float(state["bid"][kind]))
        return change(constants, state, player, price, colours, w)
    for kind in range(NUM_KINDS):
        price = with_more(price, kind, -float(state["bid"][kind]))
    price = with_more(price, action - int(constants["bid_start"]), -1.0)
    worth = theatre_worth(constants, state, player, int(state["auction_card"]), w)
    return float(worth + change(constants, state, player, price, colours, w))


@jit
def built(constants: Constants, state: State, player: int, building: int, colours: Colours, w: Weights) -> float:
    """Value a building less its price and the plans it thwarts."""
    after = own_means(state, player)
    before = means_worth(constants, state, player, after, 0, colours, w)
    for kind in range(NUM_KINDS):
        after = with_more(after, kind, -float(constants["building_cost"][building, kind]))
    after = with_more(after, 3, -float(constants["building_slaves"][building]))
    worth = building_worth(constants, state, building, colours, w)
    if constants["space_value"][acting_space(state)] > 0:
        worth += constants["building_value"][building]
    return float(worth + means_worth(constants, state, player, after, 1 << building, colours, w) - before)


@jit
def action_worth(constants: Constants, state: State, player: int, action: int, colours: Colours, w: Weights) -> float:
    """Return the worth of an action to its player in victory points; to decline is worth 0."""
    phase = int(state["phase"])
    if phase == names.PLACE:
        return placed(constants, state, player, action, colours, w)
    if phase == names.AUCTION:
        return bid(constants, state, player, action, colours, w)
    if phase == names.ARENA_DICE:
        return rolled(constants, state, player, action - int(constants["dice_start"]), w)
    if action == int(constants["pass_id"]) or action == int(constants["done_id"]):
        return 0.0
    if phase == names.PECUNIA_PHASE:
        return exchanged(constants, state, player, action - int(constants["exchange_start"]), colours, w)
    if phase == names.EQUI_PHASE:
        return equi_bought(
            constants, state, player, acting_space(state) - int(constants["area_start"][names.EQUI]), colours, w
        )
    if phase == names.SERVI_PHASE:
        cards = action - int(constants["buy_start"]) + 1
        return slaves_bought(constants, state, player, acting_space(state), cards, colours, w)
    if phase in (names.ARENA_CARDS, names.STADIUM_CARDS):
        return played(constants, state, player, action, colours, w)
    if phase == names.ARENA_PRIZE:
        return won(constants, state, player, action - int(constants["take_start"]), colours, w)
    if phase == names.STADIUM_PRIZE:
        return kept(constants, state, player, action - int(constants["keep_start"]), w)
    if phase == names.FORUM_PHASE:
        return built(constants, state, player, action - int(constants["build_start"]), colours, w)
    return activated(constants, state, player, int(constants["space_coin"][acting_space(state)]), w)
