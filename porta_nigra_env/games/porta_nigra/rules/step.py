"""One decision: what each action id does (R10-R30)."""

from __future__ import annotations

from porta_nigra_env.core.game.contract import Constants, State
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
def buy(constants: Constants, state: State, player: int, icon: int, colour: int) -> None:
    """Move if needed, pay way and brick, take the brick (R16, R17); white never moves the builder."""
    quarter = int(state["quarter"][player])
    state["sesterces"][player] -= constants["way_to_shop"][quarter, colour] + constants["brick_price"][colour]
    if colour != WHITE:
        state["quarter"][player] = constants["quarter_of_shop"][colour]
    state["market"][colour] -= 1
    state["bricks"][player, colour] += 1
    use_icon(state, player, icon)


@jit
def take(state: State, player: int, icon: int) -> None:
    """Use an influence, torch or coin icon; the icon is paid before it gives (R14)."""
    use_icon(state, player, icon)
    if icon == INFLUENCE_ICON:
        state["influence"][player] += 1
    elif icon == TORCH_ICON:
        state["torches"][player] += 1
    else:
        state["sesterces"][player] += SMALLEST_COINS + icon - COINS_3


@jit
def build_on(constants: Constants, state: State, player: int, choice: int) -> None:
    """Build on a fixed spot (choice below FIXED_SPOTS), or in the Porta Nigra: pairs, height by height."""
    if choice < FIXED_SPOTS:
        build(constants, state, player, choice, int(constants["spot_bricks"][choice]))
    else:
        pair = choice - FIXED_SPOTS
        spot = FIXED_SPOTS + pair % PORTA_NIGRA_SPOTS
        build(constants, state, player, spot, LOWEST_HEIGHT + pair // PORTA_NIGRA_SPOTS)


@jit
def step_turn(constants: Constants, state: State, player: int, action: int) -> None:
    """A complete action within a turn; the early end is tested after it (R29)."""
    if action < TAKE:
        buy(constants, state, player, (action - BUY) // NUM_COLOURS, (action - BUY) % NUM_COLOURS)
    elif action < ROMAN:
        take(state, player, INFLUENCE_ICON + action - TAKE)
    elif action == ROMAN:
        state["influence"][player] -= constants["influence_cost_roman"]
        state["romans"][player] += 1
        state["romans_reserve"][player] -= 1
    elif action == COIN:
        pay_torch(state, player)
        state["sesterces"][player] += constants["torch_to_sesterces"]
    elif action < INFLUENCE_BUILD:
        use_icon(state, player, BUILD_ICON)
        build_on(constants, state, player, action - BUILD)
    elif action < CROWN:
        state["influence"][player] -= constants["influence_cost_build"]
        build_on(constants, state, player, action - INFLUENCE_BUILD)
    elif action < UNITS:
        crown(constants, state, player, action - CROWN)
        state["phase"] = MAIN
    elif buy_honour(constants, state, player, action - HONOUR):
        state["phase"] = CROWN_PHASE
    check_early_end(constants, state)


@jit
def step_record(constants: Constants, state: State, action: int) -> None:
    """Carry out a legal action, chance and refill included, up to the next decision."""
    player = int(state["current_player"])
    if action < CARD:
        state["quarter"][player] = action - PLACE
        state["phase"] = CHOOSE_CARD
    elif action < BUY:
        play_card(constants, state, player, action - CARD)
        state["phase"] = MAIN
    elif action == END:
        end_turn(constants, state)
    elif UNITS <= action < APPOINT:
        split(constants, state, 10 * int(state["split_tens"]) + action - UNITS)
    elif APPOINT <= action < HONOUR:
        appoint(constants, state, action - APPOINT)
    elif action >= int(constants["tens_start"]):
        state["split_tens"] = action - int(constants["tens_start"])
        state["phase"] = SPLIT_UNITS
    else:
        step_turn(constants, state, player, action)


# The two build spans of each kind lie side by side, which `build_on` relies on.
assert BUILD_PORTA_NIGRA == BUILD + FIXED_SPOTS
assert INFLUENCE_BUILD_PORTA_NIGRA == INFLUENCE_BUILD + FIXED_SPOTS
