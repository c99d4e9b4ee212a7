"""What every action is worth, by the question that is asked, and the choice of the best one."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.aquileia.actions import TAKE_POINTS
from porta_nigra_env.games.aquileia.components.names import (
    ARENA,
    ARENA_CARDS,
    ARENA_DICE,
    ARENA_PRIZE,
    AUCTION,
    EQUI,
    EQUI_PHASE,
    FORUM_PHASE,
    KINDS,
    MAX_SLAVES,
    MAX_STADIUM_CARDS,
    PECUNIA_PHASE,
    PLACE,
    SERVI_PHASE,
    STADIUM_CARDS,
    STADIUM_PRIZE,
)
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
from porta_nigra_env.games.aquileia.players.valuation.weights import RIVAL, SLAVE, jit
from porta_nigra_env.games.aquileia.rules.contest import ranked, takes_part
from porta_nigra_env.games.aquileia.rules.stadium import stadium_spaces
from porta_nigra_env.games.aquileia.rules.table import NUM_KINDS, acting_space, holder_of


@jit
def placed(t: Any, s: Any, player: int, action: int, colours: Any, w: Any) -> float:
    """A follower or the crest; nothing for the pass."""
    if action < int(t["num_spaces"]):
        return float(space_worth(t, s, player, action, colours, w))
    return float(crest_worth(t, s, player, w)) if action == int(t["crest_id"]) else 0.0


@jit
def exchanged(t: Any, s: Any, player: int, number: int, colours: Any, w: Any) -> float:
    """Coins for others; the first exchange has points."""
    after = with_more(own_means(s, player), int(t["exchange_give"][number]), -float(t["exchange_give_coins"][number]))
    after = with_more(after, int(t["exchange_get"][number]), float(t["exchange_get_coins"][number]))
    return float(change(t, s, player, after, colours, w) + (t["pecunia_vp"] if s["last"] < 0 else 0))


@jit
def played(t: Any, s: Any, player: int, action: int, colours: Any, w: Any) -> float:
    """A card in a contest: alone, or with all that may follow it, whichever is better."""
    area = ARENA if s["phase"] == ARENA_CARDS else side_of(t, s, player)
    now = s["strength"][player] + blue_strength(t, s, player)
    without = contest_worth(t, s, player, area, now, w)
    first = action - int(t["play_equi_start"])
    strength = 0
    price = 0.0
    slaves = 0
    alone = 0.0
    if area == ARENA and first < 0:
        face = 0 if action == int(t["play_slave"][0]) else MAX_SLAVES - 1
        slaves = face + 1
        alone = contest_worth(t, s, player, area, now + slaves, w) - without
        alone += change(t, s, player, with_more(own_means(s, player), 3, float(-slaves)), colours, w)
        slaves = 0
        for one in range(face, MAX_SLAVES):
            slaves += (one + 1) * int(s["slaves"][player, one])
    for face in range(max(first, 0), int(t["num_equi_faces"])):
        if t["equi_group"][face] == group_of(area):
            if face == first:
                alone = contest_worth(t, s, player, area, now + t["equi_strength"][face], w) - without
                alone -= equi_worth(t, s, face, w)
            strength += int(s["equi"][player, face]) * int(t["equi_strength"][face])
            price += s["equi"][player, face] * equi_worth(t, s, face, w)
    every = contest_worth(t, s, player, area, now + strength + slaves, w) - without - price
    if slaves > 0:
        every += change(t, s, player, with_more(own_means(s, player), 3, float(-slaves)), colours, w)
    return float(max(alone, every))


@jit
def rolled(t: Any, s: Any, player: int, dice: int, w: Any) -> float:
    """So many blue dice in the fight, and the others in the race."""
    worth = contest_worth(t, s, player, ARENA, s["strength"][player] + dice / len(KINDS), w)
    if takes_part(s, player, stadium_spaces(t)):
        worth += prospect(t, s, player, side_of(t, s, player), -dice / len(KINDS), w)
    return float(worth)


@jit
def won(t: Any, s: Any, player: int, choice: int, colours: Any, w: Any) -> float:
    """The points or the slave card of the first, less a part of what the second gets."""
    second = ranked(s, 1, int(t["area_spaces"][ARENA]))
    slave = change(t, s, player, with_more(own_means(s, player), 3, slaves_of_card(t)), colours, w)
    if choice == TAKE_POINTS:
        worth = float(s["strength"][player] * t["vp_per_strength"])
        return worth if second < 0 else float(worth - w[RIVAL] * w[SLAVE] * season(t, s))
    if second < 0:
        return float(slave)
    return float(slave - w[RIVAL] * s["strength"][second] * t["vp_per_strength"])


@jit
def kept(t: Any, s: Any, player: int, choice: int, w: Any) -> float:
    """The open or the drawn stadium card, less a part of what the other one brings the second."""
    shown = int(s["stadium_open"])
    drawn = int(s["stadium_cards"][MAX_STADIUM_CARDS - int(s["num_stadium_draw"])])
    own, given = (shown, drawn) if choice == 0 else (drawn, shown)
    worth = stadium_worth(t, s, player, own, w)
    second = ranked(s, 1, stadium_spaces(t))
    return float(worth - w[RIVAL] * stadium_worth(t, s, second, given, w)) if second >= 0 else float(worth)


@jit
def bid(t: Any, s: Any, player: int, action: int, colours: Any, w: Any) -> float:
    """One coin more for the theatre card; the pass of an auctioneer may bring her the standing bid."""
    price = own_means(s, player)
    if action == int(t["pass_id"]):
        if s["bidder"] < 0 or holder_of(s, acting_space(s)) != player:
            return 0.0
        for kind in range(NUM_KINDS):
            price = with_more(price, kind, float(s["bid"][kind]))
        return float(change(t, s, player, price, colours, w))
    for kind in range(NUM_KINDS):
        price = with_more(price, kind, -float(s["bid"][kind]))
    price = with_more(price, action - int(t["bid_start"]), -1.0)
    worth = theatre_worth(t, s, player, int(s["auction_card"]), w)
    return float(worth + change(t, s, player, price, colours, w))


@jit
def built(t: Any, s: Any, player: int, building: int, colours: Any, w: Any) -> float:
    """A building less its price, and less the plans that it crosses."""
    after = own_means(s, player)
    before = means_worth(t, s, player, after, 0, colours, w)
    for kind in range(NUM_KINDS):
        after = with_more(after, kind, -float(t["building_cost"][building, kind]))
    after = with_more(after, 3, -float(t["building_slaves"][building]))
    worth = building_worth(t, s, building, colours, w)
    if t["space_value"][acting_space(s)] > 0:
        worth += t["building_value"][building]
    return float(worth + means_worth(t, s, player, after, 1 << building, colours, w) - before)


@jit
def action_worth(t: Any, s: Any, player: int, action: int, colours: Any, w: Any) -> float:
    """What an action is worth to its player in victory points; to decline is worth nothing."""
    phase = int(s["phase"])
    if phase == PLACE:
        return float(placed(t, s, player, action, colours, w))
    if phase == AUCTION:
        return float(bid(t, s, player, action, colours, w))
    if phase == ARENA_DICE:
        return float(rolled(t, s, player, action - int(t["dice_start"]), w))
    if action == int(t["pass_id"]) or action == int(t["done_id"]):
        return 0.0
    if phase == PECUNIA_PHASE:
        return float(exchanged(t, s, player, action - int(t["exchange_start"]), colours, w))
    if phase == EQUI_PHASE:
        return float(equi_bought(t, s, player, acting_space(s) - int(t["area_start"][EQUI]), colours, w))
    if phase == SERVI_PHASE:
        cards = action - int(t["buy_start"]) + 1
        return float(slaves_bought(t, s, player, acting_space(s), cards, colours, w))
    if phase in (ARENA_CARDS, STADIUM_CARDS):
        return float(played(t, s, player, action, colours, w))
    if phase == ARENA_PRIZE:
        return float(won(t, s, player, action - int(t["take_start"]), colours, w))
    if phase == STADIUM_PRIZE:
        return float(kept(t, s, player, action - int(t["keep_start"]), w))
    if phase == FORUM_PHASE:
        return float(built(t, s, player, action - int(t["build_start"]), colours, w))
    return float(activated(t, s, player, int(t["space_coin"][acting_space(s)]), w))
