"""The pieces of a component set of Gloria Mundi as numbers, see `core.positions.pieces`."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from porta_nigra_env.core.positions.pieces import ComponentNumbers, Pieces, attribute, bits_of, entries, one_hot, pieces
from porta_nigra_env.games.gloria_mundi.actions import ACTIONS
from porta_nigra_env.games.gloria_mundi.components import names, schema
from porta_nigra_env.games.gloria_mundi.components.load import Components
from porta_nigra_env.games.gloria_mundi.observation import OBSERVATION

_BASES, _STONES = len(names.BASES), len(names.STONES)


@lru_cache(maxsize=1024)
def pieces_of(components: Components) -> ComponentNumbers:
    """Return the numbers of the building cards; an observation holds all that matters of the tracks."""
    return ComponentNumbers([_cards(components.constants[0])])


def _cards(constants: Any) -> Pieces:
    exclusive = bits_of(np.array([constants["exclusive"]]), names.NUM_CARDS)[0]
    on_goth = bits_of(constants["on_goth"], names.NUM_CARDS).T

    def kinds(name: str) -> Any:
        return bits_of(constants[name], _STONES)

    return pieces(
        [
            attribute("card_type", one_hot(constants["card_type"], len(names.TYPES)), "one-hot: type of a card"),
            attribute("card_lies_on", bits_of(constants["lies_on"], _BASES), "base types it may lie on or protects"),
            attribute("card_price", constants["price"], "stones of its price: card, kind", 4.0),
            attribute("card_steps", constants["laurels"], "laurel steps", 4.0),
            attribute("card_pay_form", one_hot(constants["pay_form"], schema.PAY_CARD + 1), "one-hot: left side"),
            attribute("card_pay", constants["pay"], "stones given: card, kind", 4.0),
            attribute("card_pay_kinds", kinds("pay_kinds"), "kinds of stones that may be given: card, kind"),
            attribute("card_pay_count", constants["pay_count"], "stones given in any mix", 4.0),
            attribute("card_gain_form", one_hot(constants["gain_form"], schema.GAIN_PRICE + 1), "one-hot: right side"),
            attribute("card_gain", constants["gain"], "stones of each kind and steps gained: card, gain", 4.0),
            attribute("card_gain_kinds", kinds("gain_kinds"), "kinds of stones that may be taken: card, kind"),
            attribute("card_gain_count", constants["gain_count"], "stones taken in any mix", 4.0),
            attribute(
                "card_per", one_hot(constants["per"], schema.PER_STONE + _STONES), "one-hot: what multiplies the gain"
            ),
            attribute("card_repeat", constants["repeat"], "1 with the printed X"),
            attribute("card_use", kinds("use"), "kinds of stones that a builder takes: card, kind"),
            attribute("card_covers", kinds("covers"), "kinds of stones that those stand for: card, kind"),
            attribute("card_exclusive", exclusive, "1 if it is exclusive"),
            attribute("card_on_goth", on_goth, "symbol that the Goth's province must show: card, type"),
        ],
        [
            *(entries(OBSERVATION[name]) for name in ("owner", "lies_on", "deck", "left", "card")),
            entries(OBSERVATION["forum"], axis=1),
        ],
        [entries(ACTIONS[name]) for name in ("use", "base", "discard", "lose", "wall")],
    )
