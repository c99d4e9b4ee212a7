"""The amounts that the kernel offers in a payment, against a search over all payments, impossible positions too."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.gloria_mundi.components.names import BASIC, PAY, PAY_TRIBUTE, STONES
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State
from porta_nigra_env.games.gloria_mundi.rules.kernel import find_options
from porta_nigra_env.games.gloria_mundi.rules.payment import ALL_KINDS
from tests.games.gloria_mundi.oracle.referee.payment import Builder, payments
from tests.games.gloria_mundi.policies import OTHER

POSITIONS = 600 if COMPILED else 150


def wanted(paid: list[int], stock: list[int], fitting: Sequence[tuple[int, ...]]) -> int:
    """The amounts of the first basic kind that is not fixed, as bits, with which some payment can be completed."""
    asked = len(paid)
    return sum(
        {
            1 << one[asked]
            for one in fitting
            if list(one[:asked]) == paid and all(need <= have for need, have in zip(one, stock, strict=True))
        }
    )


def builders_of(game: GloriaMundi, cards: list[int]) -> tuple[Builder, ...]:
    """Builders as the search wants them."""
    constants = game.constants[0]

    def kinds(members: int) -> tuple[str, ...]:
        return tuple(stone for kind, stone in enumerate(STONES) if members >> kind & 1)

    return tuple(
        (kinds(int(constants["use"][card])), kinds(int(constants["covers"][card])), bool(constants["repeat"][card]))
        for card in cards
    )


def any_position(game: GloriaMundi, rng: random.Random) -> tuple[np.ndarray, list[int], list[int]]:
    """Return a state before an amount, the amounts fixed, and the stock."""
    states = State.new(game.num_players, 1, game.components).states.copy()
    paid = [rng.randrange(4) for _ in range(rng.randrange(len(BASIC)))]
    stock = [rng.randrange(6) for _ in STONES]
    states["current_player"], states["stones"][0, 0] = 0, stock
    states["paid"][0] = [*paid, *[-1] * (len(BASIC) - len(paid))]
    return states, paid, stock


@pytest.mark.parametrize("components", ["standard", OTHER], ids=["standard", "other"])
def test_amounts_of_a_purchase_are_those_of_a_search_G26(components: str) -> None:
    """G24 to G27: with up to three builders, from the stock."""
    game, rng = GloriaMundi(2, components), random.Random(26)
    constants = game.constants[0]
    owned = [card for card in range(57) if int(constants["builders"]) >> card & 1]
    none_fit = 0
    for _ in range(POSITIONS):
        states, paid, stock = any_position(game, rng)
        place, builders = rng.randrange(6), rng.sample(owned, rng.randrange(min(3, len(owned)) + 1))
        card = rng.choice([one for one in range(57) if one not in builders])
        states["phase"], states["place"], states["base"] = PAY, place, 0
        states["forum"][0, place] = card
        states["covered"][0, 0, 1] = sum(1 << one for one in builders)
        find_options(game.constants, states, 0)
        price = tuple(int(amount) for amount in constants["price"][card])
        assert sum(price) == int(constants["printed"][card, ALL_KINDS])
        fitting = payments(price, int(constants["extra"][place]), builders_of(game, builders))
        assert int(states["options"][0]) == wanted(paid, stock, fitting)
        none_fit += int(states["options"][0]) == 0
    assert 0 < none_fit < POSITIONS


def test_amounts_of_a_tribute_are_those_of_a_search_G30() -> None:
    game, rng = GloriaMundi(2), random.Random(30)
    for _ in range(POSITIONS):
        states, paid, stock = any_position(game, rng)
        goth = rng.randrange(int(game.constants["provinces"][0]))
        states["phase"], states["goth"] = PAY_TRIBUTE, goth
        find_options(game.constants, states, 0)
        symbols = (*(int(count) for count in game.constants["symbols"][0][goth + 1]), 0)
        assert int(states["options"][0]) == wanted(paid, stock, payments(symbols, 0, ()))
