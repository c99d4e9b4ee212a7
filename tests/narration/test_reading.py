"""A reader that knows only English sentences and positions finds every number of the sentences true."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import GAMES, game_entry, make_game
from tests.narration.reader import DIGITS, Reader

few = pytest.mark.parametrize("games", [5, pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(7200)])])


def changes(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, int]]:
    """Yield the path and the difference of each number that differs between two objects of positions."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() & after.keys():
            yield from changes(before[key], after[key], f"{path} {key}".strip())
    elif isinstance(before, int) and isinstance(after, int) and before != after:
        yield path, after - before


@pytest.mark.parametrize("name", GAMES)
@few
def test_sentences_and_events_tell_true_numbers(name: str, games: int) -> None:
    """Every number is understood and true; every changed number of a player is told by an event with the change."""
    reader, seats = Reader(import_module(f"tests.games.{name}.sentences").GRAMMAR), sorted(game_entry(name).seats)
    for seed in range(games):
        game, chance = make_game(name, seats[seed % len(seats)]), random.Random(seed)
        state = State(game, game.new_states(seed))
        narrators = [Narrator(game, seat) for seat in range(game.num_players)]
        while not state.is_over:
            action, player, start = chance.choice(state.legal_ids().tolist()), state.player, state.clone()
            sentence = state.describe(action)
            if chance.random() < 0.01:
                reason = state.why_not(int(chance.choice((state.mask == 0).nonzero()[0])))
                assert not DIGITS.search(reason), reason
            state.apply_id(action)
            reader.sentence(sentence, player, start.to_dict(view=player), state.to_dict(view=player))
            observer = chance.randrange(game.num_players)
            before, after = (each.to_dict(view=observer) for each in (start, state))
            claims = [
                claim
                for event in state.events(start, observer)
                for claim in reader.clause(narrators[observer].event(event), observer, before, after)
            ]
            told = {(claim.seat, claim.difference(before, after)) for claim in claims}
            for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
                missing = [each for each in changes(old, new) if (seat, each[1]) not in told]
                assert all(re.fullmatch(reader.grammar.follows, path) for path, _ in missing), (sentence, missing)
        assert not reader.tally.wrong, (seed, sorted(set(reader.tally.wrong)))
        assert not reader.tally.unknown, (seed, sorted(set(reader.tally.unknown)))
    tally = reader.tally
    print(f"{name}: {games} games, {tally.clauses} clauses, {tally.numbers} numbers, {tally.untold} not in positions")


@pytest.mark.parametrize("name", GAMES)
def test_a_changed_number_of_a_sentence_is_found(name: str) -> None:
    """The reader notices a wrong number wherever it notices any."""
    game, chance, changed = make_game(name), random.Random(1), 0
    grammar, state = import_module(f"tests.games.{name}.sentences").GRAMMAR, State(game, game.new_states(1))
    while not state.is_over:
        action, player, start = chance.choice(state.legal_ids().tolist()), state.player, state.clone()
        phrase, colon, effects = state.describe(action).partition(": ")
        numbers = list(DIGITS.finditer(effects))
        state.apply_id(action)
        if numbers:
            reader, one = Reader(grammar), chance.choice(numbers)
            wrong = f"{effects[: one.start()]}{int(one[0]) + 1}{effects[one.end() :]}"
            reader.sentence(phrase + colon + wrong, player, start.to_dict(view=player), state.to_dict(view=player))
            changed += 1
            assert reader.tally.wrong or reader.tally.unknown or reader.tally.untold, wrong
    assert changed > 20
