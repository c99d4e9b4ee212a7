"""Places on the drawn table that a player may click; `actions.KINDS` names the place of each action."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.games.gloria_mundi.actions import NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, NUM_PLACES, STONES
from porta_nigra_env.games.gloria_mundi.components.texts import card_words

# Indices of the first place of each group.
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
    """Return the title of every place by name, in the order of the indices."""
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
