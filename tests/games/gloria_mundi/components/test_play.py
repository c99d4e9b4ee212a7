"""A file of unusual abilities is playable: every card is bought and used."""

from __future__ import annotations

import random
from collections import Counter

from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.games.gloria_mundi.components.load import load
from porta_nigra_env.games.gloria_mundi.components.names import BASES
from porta_nigra_env.games.gloria_mundi.game import GloriaMundi, State
from tests.games.component_files import Data
from tests.games.gloria_mundi.components.files import OTHER

#: First words of the actions that eager players prefer.
EAGER = ("use", "again", "buy", "wall", "tribute")
GAMES = 60 if COMPILED else 2


def played(players: int, seed: int) -> Counter[str]:
    """The actions of a game of eager players, and the cards that were bought."""
    state, rng = State.new(players, seed, str(OTHER)), random.Random(seed)
    counted: Counter[str] = Counter()
    while not state.is_over:
        legal = state.legal_actions()
        eager = [action for action in legal if action.split()[0] in EAGER]
        action = rng.choice(eager if eager and rng.random() < 0.8 else legal)
        counted[action] += 1
        if action.startswith("buy"):
            counted[f"bought {state.to_dict()['forum'][action.split()[1]]}"] += 1
        state.apply(action)
    return counted


def wanted(card: Data) -> list[str]:
    """Return the events required of a card: bought, used if coloured, given up if a wall."""
    kinds = {**dict.fromkeys(BASES, ("bought", "use")), "wall": ("bought", "wall"), "builder": ("bought",)}
    return [f"{kind} {card['name']}" for kind in kinds[card["type"]]]


def test_every_card_of_the_second_file_is_bought_and_used() -> None:
    counted: Counter[str] = Counter()
    for players in GloriaMundi.seats:
        for seed in range(GAMES):
            counted += played(players, seed)
    events = [event for card in load(OTHER).data["building_cards"] for event in wanted(card)]
    missing = [event for event in events if not counted[event]]
    # A handful of interpreted games meets a part of them.
    assert len(missing) <= (0 if COMPILED else 3 * len(events) // 4), missing
