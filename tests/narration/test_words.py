"""Every action, event, reason and component of every game has a text in every language, and its numbers are right."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from babel.messages.pofile import read_po

from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.facts import SEAT
from porta_nigra_env.core.narration.language import LANGUAGES, SOURCE, placeholders
from porta_nigra_env.core.narration.narrator import DRAWN_SAMPLES, NO_REASON, SAMPLES, Narrator
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_entry, make_game
from tests.narration.catalogues import catalogues, merged

every_game = pytest.mark.parametrize("name", GAMES)
every_language = pytest.mark.parametrize("language", LANGUAGES)
#: Random games in the default run, and in the long one.
few = pytest.mark.parametrize("games", [2, pytest.param(300, marks=pytest.mark.long)])
#: The new amount after an effect.
NOW = re.compile(r"\((?:now|jetzt) (-?\d+)\)")
#: Illegal actions that are asked about at a position.
ASKED = 3


def positions(name: str, games: int) -> Iterator[tuple[Game, State, random.Random]]:
    """Yield the positions of random games, with numbers of players in turn; the state may not be changed."""
    seats = sorted(game_entry(name).seats)
    for seed in range(games):
        game, chance = make_game(name, seats[seed % len(seats)]), random.Random(seed)
        state = State(game, game.new_states(seed))
        while not state.is_over:
            yield game, state, chance
            state.apply_id(chance.choice(state.legal_ids().tolist()))


def check_text(text: str) -> None:
    """Assert that a text is complete."""
    assert text
    assert not set("{}") & set(text), text
    assert "  " not in text, text


@every_game
@every_language
def test_every_action_has_a_phrase(name: str, language: str) -> None:
    for players in game_entry(name).seats:
        game = make_game(name, players)
        narrator = Narrator(game, 0, language)
        texts = [narrator.action(action) for action in range(game.actions.size)]
        assert len(set(texts)) == len(texts)
        for text in texts:
            check_text(text)
            assert text[0].islower() or language != SOURCE, text


@every_game
@every_language
def test_every_component_is_explained_in_two_sentences(name: str, language: str) -> None:
    narrator = Narrator(make_game(name), None, language)
    for component in narrator.narration.explanations:
        text = narrator.explain(component)
        check_text(text)
        assert re.search(r"\. \([A-Z]+\d+\)$", text), text
        assert 2 <= text.count(".") <= 4, text
    with pytest.raises(ValueError, match="component must be one of"):
        narrator.explain("nothing")


@every_game
@few
def test_events_and_effects_are_told_and_true(name: str, games: int) -> None:
    """Effects happen, with the amounts that they name; every event has a text in every language."""
    seen: Counter[str] = Counter()
    for game, state, chance in positions(name, games):
        narrators = [Narrator(game, state.player, language) for language in LANGUAGES]
        facts, view = narrators[0].facts, state.view()
        action = chance.choice(state.legal_ids().tolist())
        effects, _ = narrators[0].effects(view, action)
        after = state.clone().apply_id(action)
        events = facts.events(state.states, after.states, state.player)
        assert set(effects) <= set(events), state.action_text(action)
        for narrator in narrators:
            check_text(text := narrator.describe(view, action))
            wanted = [event.after for event in effects if facts.by_kind[event.kind].left]
            assert sorted(map(int, NOW.findall(text))) == sorted(wanted), text
            for event in events:
                check_text(narrator.event(event))
        seen.update(event.kind for event in events)
    assert len(seen) > len(facts.by_kind) / 2


def test_actions_that_draw_are_tried_in_more_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """An effect that a draw changes rarely is not told as certain: few states can agree by chance."""
    tried, sampled, sample = Counter[bool](), list[int](), View.sample

    def counted(view: View, seed: int) -> States:
        sampled.append(seed)
        return sample(view, seed)

    monkeypatch.setattr(View, "sample", counted)
    for game, state, chance in positions("gloria_mundi", 2):
        sampled.clear()
        _, drawn = Narrator(game, state.player).effects(state.view(), chance.choice(state.legal_ids().tolist()))
        assert sampled == list(range(DRAWN_SAMPLES if drawn else SAMPLES))
        tried[drawn] += 1
    assert min(tried[True], tried[False]) > 20


@every_game
@few
def test_reasons_are_particular(name: str, games: int) -> None:
    asked, general = 0, Counter[str]()
    for game, state, chance in positions(name, games):
        narrator, phase = Narrator(game, state.player), game.phases[int(state.states["phase"][0])]
        phrases = narrator.narration.phrases
        fields = [game.actions.find(action)[0].name for action in range(game.actions.size)]
        illegal = [i for i in np.flatnonzero(state.mask == 0).tolist() if phase in phrases[fields[i]].phases]
        for action in chance.sample(illegal, min(ASKED, len(illegal))):
            check_text(reason := narrator.why_not(state.view(), action))
            asked += 1
            general[fields[action]] += reason == NO_REASON
        if chance.random() < 0.05:
            other = next((i for i in range(len(fields)) if phase not in phrases[fields[i]].phases), None)
            if other is not None:
                assert "another phase" in narrator.why_not(state.view(), other)
    assert asked
    assert not +general, asked


@every_game
@every_language
def test_seats_beyond_the_table_and_events_of_nobody_have_texts(name: str, language: str) -> None:
    """A value of every fact can be told to an onlooker."""
    game = make_game(name)
    narrator = Narrator(game, None, language, [f"Player {i}" for i in range(game.num_players)])
    for value in range(int(narrator.facts.layout.starts[-1])):
        fact, index = narrator.facts.place(value)
        sizes = [game.num_players if axis == SEAT else len(narrator.facts.axis(axis).ids) for axis in fact.axes]
        if any(i >= size for i, size in zip(index, sizes, strict=True)):
            continue
        for before, after in ((0, 1), (1, 0)):
            check_text(narrator.event(narrator.facts.event(fact, index, before, after)))


def test_catalogues_are_complete_and_up_to_date() -> None:
    for folder, messages in catalogues():
        for language in set(LANGUAGES) - {SOURCE}:
            file = folder / f"{language}.po"
            text, compiled = merged(file.read_text(encoding="utf-8"), language, messages)
            assert file.read_text(encoding="utf-8") == text, "run python -m tests.architecture catalogues"
            assert file.with_suffix(".mo").read_bytes() == compiled
            with file.open("rb") as stream:
                catalogue = list(read_po(stream, locale=language))
            for message in catalogue[1:]:
                source, translated = (" ".join(_parts(each)) for each in (message.id, message.string))
                assert all(_parts(message.string)), f"not translated: {message.id}"
                assert placeholders(source) == placeholders(translated), message.id


def _parts(text: Any) -> tuple[str, ...]:
    """Return the forms of a text of a catalogue: one, or singular and plural."""
    return tuple(text) if isinstance(text, list | tuple) else (text,)


def test_states_describe_actions_and_reasons() -> None:
    state = State(game := make_game(DEFAULT_GAME), game.new_states(3))
    first = state.legal_actions()[0]
    assert state.describe(first) == state.describe(state.action_id(first))
    assert state.describe(first, "de") != state.describe(first)
    before = state.clone()
    state.apply(first)
    assert state.events(before, 0) != []
    assert "another phase" in state.why_not(first)
    with pytest.raises(ValueError, match="is legal"):
        before.why_not(first)
    with pytest.raises(ValueError, match="not legal now"):
        state.describe(first)
    with pytest.raises(ValueError, match="language must be one of en, de, not 'fr'"):
        before.describe(first, "fr")
    with pytest.raises(ValueError, match="names: expected one for each"):
        Narrator(game, 0, names=["one"])


@every_game
def test_every_source_of_points_has_a_text(name: str) -> None:
    game = make_game(name)
    narration = game.narration()
    assert narration is not None
    assert len(narration.sources) == len(game.point_sources)
