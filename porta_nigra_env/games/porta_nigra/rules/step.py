"""One decision: what each action id does (R10-R30)."""

from __future__ import annotations

from typing import Any

from porta_nigra_env.games.porta_nigra.actions import (
    APPOINT,
    BUILD,
    BUILD_PORTA_NIGRA,
    BUY,
    CARD,
    COIN,
    CROWN,
    END,
    HONOUR,
    INFLUENCE_BUILD,
    INFLUENCE_BUILD_PORTA_NIGRA,
    PLACE,
    ROMAN,
    TAKE,
    UNITS,
)
from porta_nigra_env.games.porta_nigra.components.names import (
    BUILD_ICON,
    CHOOSE_CARD,
    COINS_3,
    COLOURS,
    CROWN_PHASE,
    FIXED_SPOTS,
    INFLUENCE_ICON,
    LOWEST_HEIGHT,
    MAIN,
    PORTA_NIGRA_SPOTS,
    SPLIT_UNITS,
    TORCH_ICON,
    WHITE,
)
from porta_nigra_env.games.porta_nigra.rules.building import build, crown
from porta_nigra_env.games.porta_nigra.rules.cards import pay_torch, play_card, use_icon
from porta_nigra_env.games.porta_nigra.rules.compiler import jit
from porta_nigra_env.games.porta_nigra.rules.honours import buy_honour
from porta_nigra_env.games.porta_nigra.rules.turn import appoint, check_early_end, end_turn, split

NUM_COLOURS = len(COLOURS)
#: What the coin icons give; the amount is the icon's name.
SMALLEST_COINS = 3


@jit
def buy(t: Any, s: Any, player: int, icon: int, colour: int) -> None:
    """Move if needed, pay way and brick, take the brick (R16, R17); white never moves the builder."""
    quarter = int(s["quarter"][player])
    s["sesterces"][player] -= t["way_to_shop"][quarter, colour] + t["brick_price"][colour]
    if colour != WHITE:
        s["quarter"][player] = t["quarter_of_shop"][colour]
    s["market"][colour] -= 1
    s["bricks"][player, colour] += 1
    use_icon(s, player, icon)


@jit
def take(s: Any, player: int, icon: int) -> None:
    """Use an influence, torch or coin icon; the icon is paid before it gives (R14)."""
    use_icon(s, player, icon)
    if icon == INFLUENCE_ICON:
        s["influence"][player] += 1
    elif icon == TORCH_ICON:
        s["torches"][player] += 1
    else:
        s["sesterces"][player] += SMALLEST_COINS + icon - COINS_3


@jit
def build_on(t: Any, s: Any, player: int, choice: int) -> None:
    """Build on a fixed spot (choice below FIXED_SPOTS), or in the Porta Nigra: pairs, height by height."""
    if choice < FIXED_SPOTS:
        build(t, s, player, choice, int(t["spot_bricks"][choice]))
    else:
        pair = choice - FIXED_SPOTS
        spot = FIXED_SPOTS + pair % PORTA_NIGRA_SPOTS
        build(t, s, player, spot, LOWEST_HEIGHT + pair // PORTA_NIGRA_SPOTS)


@jit
def step_turn(t: Any, s: Any, player: int, action: int) -> None:
    """A complete action within a turn; the early end is tested after it (R29)."""
    if action < TAKE:
        buy(t, s, player, (action - BUY) // NUM_COLOURS, (action - BUY) % NUM_COLOURS)
    elif action < ROMAN:
        take(s, player, INFLUENCE_ICON + action - TAKE)
    elif action == ROMAN:
        s["influence"][player] -= t["influence_cost_roman"]
        s["romans"][player] += 1
        s["romans_reserve"][player] -= 1
    elif action == COIN:
        pay_torch(s, player)
        s["sesterces"][player] += t["torch_to_sesterces"]
    elif action < INFLUENCE_BUILD:
        use_icon(s, player, BUILD_ICON)
        build_on(t, s, player, action - BUILD)
    elif action < CROWN:
        s["influence"][player] -= t["influence_cost_build"]
        build_on(t, s, player, action - INFLUENCE_BUILD)
    elif action < UNITS:
        crown(t, s, player, action - CROWN)
        s["phase"] = MAIN
    elif buy_honour(t, s, player, action - HONOUR):
        s["phase"] = CROWN_PHASE
    check_early_end(t, s)


@jit
def step_record(t: Any, s: Any, action: int) -> None:
    """Carry out a legal action, chance and refill included, up to the next decision."""
    player = int(s["current_player"])
    if action < CARD:
        s["quarter"][player] = action - PLACE
        s["phase"] = CHOOSE_CARD
    elif action < BUY:
        play_card(t, s, player, action - CARD)
        s["phase"] = MAIN
    elif action == END:
        end_turn(t, s)
    elif UNITS <= action < APPOINT:
        split(t, s, 10 * int(s["split_tens"]) + action - UNITS)
    elif APPOINT <= action < HONOUR:
        appoint(t, s, action - APPOINT)
    elif action >= int(t["tens_start"]):
        s["split_tens"] = action - int(t["tens_start"])
        s["phase"] = SPLIT_UNITS
    else:
        step_turn(t, s, player, action)


# The two build spans of each kind lie side by side, which `build_on` relies on.
assert BUILD_PORTA_NIGRA == BUILD + FIXED_SPOTS
assert INFLUENCE_BUILD_PORTA_NIGRA == INFLUENCE_BUILD + FIXED_SPOTS
