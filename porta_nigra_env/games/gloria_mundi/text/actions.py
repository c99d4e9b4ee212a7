"""Action ids and their texts, one to one."""

from __future__ import annotations

from functools import cache

from porta_nigra_env.games.gloria_mundi.actions import ACTIONS, NUM_AMOUNTS
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.components.names import BASES, BASIC, STONES

#: What stands behind the verb of a span, and the span whose texts begin with another word than its name.
_VERBS = {"lose_bare": "lose"}


@cache
def action_texts(components: Components) -> tuple[str, ...]:
    """The text of every action id, ids ascending; all different."""
    amounts = [f"{stone} {amount}" for stone in BASIC for amount in range(NUM_AMOUNTS)]
    options = {
        "play": BASES,
        "give": STONES,
        "take": STONES,
        "buy": components.extras,
        "on": BASES,
        "pay": amounts,
        "lose_bare": BASES,
        **dict.fromkeys(("use", "base", "discard", "lose", "wall"), components.cards),
    }
    texts: list[str] = []
    for field in ACTIONS:
        verb = _VERBS.get(field.name, field.name)
        texts += [f"{verb} {option}" for option in options[field.name]] if field.name in options else [verb]
    return tuple(texts)
