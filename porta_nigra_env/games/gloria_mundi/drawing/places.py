"""What can be clicked on the table of Gloria Mundi, and which actions are chosen there."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.gloria_mundi.actions import ACTIONS, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, NUM_PLACES, STONES
from porta_nigra_env.games.gloria_mundi.components.texts import card_words

# Indices of the first place of each kind.
HAND: Final = 0
BARE: Final = HAND + len(BASES)
STONE: Final = BARE + len(BASES)
AMOUNT: Final = STONE + len(STONES)
DONE: Final = AMOUNT + NUM_AMOUNTS
AGAIN: Final = DONE + 1
TRIBUTE: Final = AGAIN + 1
GOTH: Final = TRIBUTE + 1
FORUM: Final = GOTH + 1
CARD: Final = FORUM + NUM_PLACES


def places(components: Components) -> dict[str, str]:
    """Names of the places with titles, in the order of their indices."""
    cards = {card["name"]: card for card in components.data["building_cards"]}
    return {
        **{f"hand {base}": f"{base} cards in the hand of the player to move" for base in BASES},
        **{f"bare {base}": f"bare {base} cards of the player to move" for base in BASES},
        **{f"stone {stone}": f"a stone of {stone}" for stone in STONES},
        **{f"amount {amount}": f"{amount} stones" for amount in range(NUM_AMOUNTS)},
        "done": "done",
        "again": "once more",
        "tribute": "pay the tribute",
        "goth": "let the Goth move",
        **{f"forum {extra}": f"place +{extra} of the forum" for extra in components.extras},
        **{f"card {name}": f"{name.replace('_', ' ')}: {'; '.join(card_words(card))}" for name, card in cards.items()},
    }


def action_places(components: Components) -> tuple[tuple[str, ...], ...]:
    """Names of places for every action id, the most specific first."""
    bases, cards = [f"bare {base}" for base in BASES], [f"card {name}" for name in components.cards]
    stones = [f"stone {stone}" for stone in STONES]
    by_field = {
        "play": [f"hand {base}" for base in BASES],
        "done": ["done"],
        "again": ["again"],
        "give": stones,
        "take": stones,
        "buy": [f"forum {extra}" for extra in components.extras],
        "on": bases,
        "pay": [f"amount {amount}" for amount in range(NUM_AMOUNTS)] * (len(STONES) - 1),
        "tribute": ["tribute"],
        "goth": ["goth"],
        "lose_bare": bases,
        **dict.fromkeys(("use", "base", "discard", "lose", "wall"), cards),
    }
    return tuple((name,) for field in ACTIONS for name in by_field[field.name])
