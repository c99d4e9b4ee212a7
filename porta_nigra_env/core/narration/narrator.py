"""Sentences about a game: its actions with their effects, its events, its components, and why an action is illegal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from porta_nigra_env.core.batch.loops import NO_ACTION
from porta_nigra_env.core.game.game import NO_OBSERVATION, NO_TOTALS, States, copied
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.events import NONE, Event, Facts
from porta_nigra_env.core.narration.facts import LEFT, SEAT, Fact, Remedy
from porta_nigra_env.core.narration.language import SOURCE, Language, Noun, filled

if TYPE_CHECKING:
    from porta_nigra_env.core.game.game import Game

#: Sampled states in which an action is tried; effects are those on which all agree.
SAMPLES: Final = 4
#: The same for an action that draws something: what the draw changes rarely must not be taken for certain.
DRAWN_SAMPLES: Final = 32
#: Most remedies that are tried together.
MOST_REMEDIES: Final = 3

#: Between effects of an action.
JOIN: Final = "; "
#: The end of a text that shares a clause with others.
WHAT: Final = "{what}"

# Texts of this module, which all games share.
SEAT_NAME: Final = "player {seat}"
EFFECTS: Final = "{action}: {effects}."
PLAIN: Final = "{action}."
DRAWN: Final = "Chance decides the rest."
AND: Final = "{several} and {last}"
WRONG_PHASE: Final = "This is a choice of another phase ({expected}); now: {now}."
GAME_OVER: Final = "The game is over."
NO_REASON: Final = "The rules do not allow this now."
SHARED: Final = (SEAT_NAME, EFFECTS, PLAIN, DRAWN, AND, WRONG_PHASE, GAME_OVER, NO_REASON, LEFT)


class Narrator:
    """Sentences about a game in one language, addressed to one seat.

    Args:
        game: the game; ValueError if it has no narration.
        observer: the seat addressed as "you"; None for onlookers.
        language: one of `language.LANGUAGES`.
        names: the names of the seats; "player 0" and so on by default.
    """

    def __init__(
        self, game: Game, observer: int | None = None, language: str = SOURCE, names: Sequence[str] | None = None
    ) -> None:
        self.facts: Final = Facts(game)
        self.narration: Final = self.facts.narration
        self.game: Final = game
        self.observer: Final = observer
        self.language: Final = Language(language, [self.narration.folder, Path(__file__).parent])
        if names is not None and len(names) != game.num_players:
            raise ValueError(f"names: expected one for each of {game.num_players} seats, not {len(names)}")
        given = names or [self._said(SEAT_NAME, {"seat": seat}) for seat in range(game.num_players)]
        self.names: Final = tuple(given)
        self._sampled: tuple[View, list[States]] | None = None
        self._kinds: Final = {field.name: kind for kind, field in enumerate(game.actions)}

    # -- actions

    def action(self, action: int) -> str:
        """Return the phrase of an action id, without its effects: an imperative without a full stop."""
        field, offset = self.game.actions.find(action)
        phrase = self.narration.phrases[field.name]
        index = np.unravel_index(offset, field.spec.shape) if phrase.axes else ()
        return self._said(phrase.text, self._along(phrase.axes, [int(i) for i in index]))

    def describe(self, view: View, action: int) -> str:
        """Return a sentence: an action that is legal in a view, and the effects that its player knows beforehand."""
        events, drawn = self.effects(view, action)
        mover = self if self.observer == view.player else self._addressing(view.player)
        return self.sentence(action, mover.clauses(events), drawn)

    def sentence(self, action: int, effects: Sequence[str], drawn: bool) -> str:
        """Return the sentence of an action with the clauses of its effects; drawn: whether it draws something."""
        values = {"action": _capital(self.action(action)), "effects": JOIN.join(effects)}
        text = self._said(EFFECTS if effects else PLAIN, values)
        return f"{text} {self.language.text(DRAWN)}" if drawn else text

    def _addressing(self, player: int) -> Narrator:
        return Narrator(self.game, player, self.language.code, self.names)

    def effects(self, view: View, action: int) -> tuple[list[Event], bool]:
        """Return the certain events of a legal action, as its player knows them, and whether something is drawn.

        The action is tried in sampled states.  What differs between them is not certain; what a draw can change is
        named only where nothing is drawn.
        """
        observer, facts, drawn = view.player, self.facts, set[str]()
        old = facts.read(view.state)
        first, certain = old, np.ones(old.shape, dtype=np.bool_)
        for seed in range(DRAWN_SAMPLES):
            if seed >= SAMPLES and not drawn:
                break
            before = self._sample(view, seed)
            state = copied(before)
            self.game.kernel.step(self.game.constants, state, 0, action)
            drawn |= {name for name in self.narration.chance if before[name].tobytes() != state[name].tobytes()}
            new = facts.read(facts.redacted(state, observer))
            first = first if seed else new
            certain &= new == first
        events = facts.told(old, first, certain & (first != old))
        return [event for event in events if self._foreseen(facts.by_kind[event.kind], drawn)], bool(drawn)

    def _sample(self, view: View, seed: int) -> States:
        """Return a state sampled from a view; the actions of one view are tried in the same ones."""
        if self._sampled is None or self._sampled[0] is not view:
            self._sampled = view, []
        found = self._sampled[1]
        if seed == len(found):
            found.append(view.sample(seed))
        return found[seed]

    @staticmethod
    def _foreseen(fact: Fact, drawn: AbstractSet[str]) -> bool:
        """Return True if effects name a fact; drawn: the fields of chance that change."""
        chance = drawn if fact.drawn is True else drawn & set(fact.drawn or ())
        return not fact.aside and not chance

    # -- events

    def event(self, event: Event) -> str:
        """Return an event as a clause: lower case, without a full stop."""
        return "".join(self._parts(event))

    def _parts(self, event: Event) -> tuple[str, str]:
        """Return the clause of an event without the amount or value at its end, and the amount or value, or ""."""
        fact = self.facts.by_kind[event.kind]
        values = self._along(fact.axes, event.index)
        verb = fact.up if event.after > event.before or fact.down is None else fact.down
        if fact.values is not None:
            verb = fact.none if event.after == NONE and fact.none is not None else fact.up
            value = event.before if event.after == NONE else event.after
            values["what"] = self._name(fact.values, value)
        else:
            values["what"] = self._amount(fact, event)
        values |= {"after": str(event.after), "before": str(event.before)}
        addressed = event.seat is not None and event.seat == self.observer
        if event.seat is not None:
            values["seat"] = self.names[event.seat]
        template = self.language.text(verb.you if addressed else verb.seat)
        lead = template.removesuffix(WHAT)
        return filled(lead, values), "" if lead == template else str(values["what"])

    def clauses(self, events: Iterable[Event]) -> list[str]:
        """Return the effects of an action as clauses, with the new amounts where the facts ask for them.

        Effects that differ in amounts only share a clause: ``you get 1 white brick and 2 victory points``.
        """
        shared: dict[str, list[str]] = {}
        for event in events:
            lead, what = self._parts(event)
            if self.facts.by_kind[event.kind].left:
                what = self._said(LEFT, {"text": what, "after": event.after})
            shared.setdefault(lead, []).append(what)
        return [lead + self._listed(whats) for lead, whats in shared.items()]

    def _listed(self, texts: Sequence[str]) -> str:
        *several, last = texts
        return self._said(AND, {"several": ", ".join(several), "last": last}) if several else last

    def _amount(self, fact: Fact, event: Event) -> str:
        number = abs(event.after - event.before)
        if fact.noun is not None:
            return self.language.counted(fact.noun, number, fact.kind)
        if not fact.axes or fact.axes[-1] == SEAT:
            return str(number)
        return self._name(fact.axes[-1], event.index[-1], number)

    # -- reasons and explanations

    def why_not(self, view: View, action: int) -> str:
        """Return sentences that say why an action is not legal in a view of the player to move.

        The position is changed by the fewest `Remedy` that make the action legal; their reasons are the answer.
        ValueError if the action is legal.
        """
        if view.action_mask[action]:
            raise ValueError(f"{self.game.action_texts[action]!r} is legal")
        if int(view.state["current_player"][0]) < 0:
            return self.language.text(GAME_OVER)
        phase = int(view.state["phase"][0])
        phrase = self.narration.phrases[self.game.actions.find(action)[0].name]
        if phrase.phases and self.game.phases[phase] not in phrase.phases:
            texts = dict(zip(self.game.phases, self.narration.phases, strict=True))
            expected = ", ".join(self.language.text(texts[name], "phase") for name in phrase.phases)
            now = self.language.text(self.narration.phases[phase], "phase")
            return self._said(WRONG_PHASE, {"expected": expected, "now": now})
        for count in range(1, MOST_REMEDIES + 1):
            for remedies in itertools.combinations(self.narration.remedies, count):
                if self._legal_with(view.state, view.player, action, remedies):
                    return " ".join(self.language.text(remedy.reason) for remedy in remedies)
        return self.language.text(phrase.otherwise or NO_REASON)

    def _legal_with(self, states: States, player: int, action: int, remedies: Sequence[Remedy]) -> bool:
        game, changed = self.game, copied(states)
        constants, record = game.constants[0], changed[0]
        kind, first, second = self._numbered(action)
        if not all(remedy.change(constants, record, player, kind, first, second) for remedy in remedies):
            return False
        if self.narration.refresh is not None:
            self.narration.refresh(constants, record)
        words, mask = np.zeros(game.num_words, dtype=np.uint64), np.zeros(game.actions.size, dtype=np.int8)
        game.loops.advance(game.constants, changed, 0, NO_ACTION, words, mask, NO_OBSERVATION, NO_TOTALS)
        return bool(mask[action])

    def _numbered(self, action: int) -> tuple[int, int, int]:
        """Return the kind and the first two indices of an action, see `facts.Change`."""
        field, offset = self.game.actions.find(action)
        first, second, *_ = (*np.unravel_index(offset, field.spec.shape), 0)
        return self._kinds[field.name], int(first), int(second)

    def explain(self, component: str) -> str:
        """Return two sentences about a component, with the number of its ruling; ValueError for an unknown one."""
        known = self.narration.explanations
        if component not in known:
            raise ValueError(f"component must be one of {', '.join(known)}, not {component!r}")
        found = known[component]
        text = filled(
            self.language.text(found.text), {name: self._value(value) for name, value in found.values.items()}
        )
        return f"{text} ({found.ruling})"

    def _value(self, value: int | tuple[str, Sequence[int]]) -> str:
        if isinstance(value, int):
            return str(value)
        axis, indices = value
        return ", ".join(self._name(axis, i) for i in indices)

    # -- texts

    def _said(self, template: str, values: Mapping[str, object]) -> str:
        return filled(self.language.text(template), values)

    def _along(self, axes: Sequence[str], index: Sequence[int]) -> dict[str, object]:
        """Return the names along the axes, as values of placeholders."""
        return {name: self._name(name, i) for name, i in zip(axes, index, strict=True)}

    def _name(self, axis: str, i: int, number: int = 1) -> str:
        if axis == SEAT:
            return self.names[i] if i < len(self.names) else self._said(SEAT_NAME, {"seat": i})
        along = self.narration.axes[axis]
        text = along.texts[i]
        if isinstance(text, Noun):
            return self.language.counted(text, number, along.context)
        name = self.language.text(text, along.context)
        return name if number == 1 else f"{number} x {name}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
