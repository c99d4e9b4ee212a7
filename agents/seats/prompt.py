"""The text of a decision: what a seat sees, what happened since it acted last, and its legal actions.

It needs a `View` and the lines of `agents.seats.news`, so it holds nothing that the seat may not know.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import Final

from porta_nigra_env.core import narration
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.view import View
from porta_nigra_env.core.narration.language import SOURCE, Language, filled
from porta_nigra_env.core.narration.narrator import DRAWN, GAME_OVER, JOIN, SEAT_NAME, Narrator

#: Tokens of a prompt for a game, and for each of its seats.
BASE: Final = 500
EACH: Final = 500

# Texts of this package; ``de.po`` in this folder translates them.
TITLE: Final = "{game} for {players} players. You are {you}, seat {seat}."
SINCE: Final = "Since your last decision:"
EARLIER: Final = "(earlier events are left out)"
SEEN: Final = "What you see:"
CHOICES: Final = "Your legal actions, each with its id:"
EACH_DOES: Final = "each of these: {effects}"
ANSWER: Final = "Answer with one action or its id."
NOT_YOUR_TURN: Final = "It is the turn of {seat}."
HIDDEN: Final = "an action that you do not see"
YOU: Final = "you"
COMPONENTS: Final = "Components"
ACTIONS: Final = "Actions"
RANGE: Final = "ids {first} to {last}: `{one}` to `{other}`"
SINGLE: Final = "id {first}: `{one}`"
REFUSED: Final = "Refused: {reason} Refused answers left: {left}."
SEATED: Final = "Seats"
RATED: Final = "rated {rating} on the published ladder"
FORFEITED: Final = "This seat has forfeited the game."
#: Why a seat forfeited.
FORFEITS: Final = {
    "answers": "forfeited: too many refused answers",
    "time": "forfeited: no time left",
    "left": "forfeited: left the game",
}
TEXTS: Final = (
    TITLE, SINCE, EARLIER, SEEN, CHOICES, EACH_DOES, ANSWER, NOT_YOUR_TURN, GAME_OVER, HIDDEN, YOU, COMPONENTS,
    ACTIONS, RANGE, SINGLE, REFUSED, SEATED, RATED, FORFEITED, *FORFEITS.values(),
)  # fmt: skip

_WORDS: Final = re.compile(r"[^\W\d_]+|\d+|_|[^\w\s]|\n\s*| {2,}")


@dataclass(frozen=True)
class Choice:
    """A legal action: its id, its field, its action string, a sentence with its effects, and the effects alone."""

    action: int
    field: str
    text: str
    sentence: str
    effects: tuple[str, ...] = ()


@lru_cache(maxsize=1024)
def narrator_of(game: Game, seat: int, language: str, names: tuple[str, ...] | None) -> Narrator | None:
    """Return the narrator of a seat; None for a game without narration."""
    return None if game.narration() is None else Narrator(game, seat, language, names)


@lru_cache(maxsize=8)
def language_of(code: str) -> Language:
    """Return the texts of this package in a language; ValueError for an unknown one."""
    return Language(code, [Path(__file__).parent, Path(narration.__file__).parent])


def said(language: str, text: str, **values: object) -> str:
    """Return a text of this package in a language."""
    return filled(language_of(language).text(text), values)


def seat_names(game: Game, language: str, names: Sequence[str] | None) -> tuple[str, ...]:
    """Return the names of the seats, by default those of the narration; ValueError for too few or too many."""
    if names is not None and len(names) != game.num_players:
        raise ValueError(f"names: expected one for each of {game.num_players} seats, not {len(names)}")
    narrator = narrator_of(game, 0, language, None)
    plain = [SEAT_NAME.format(seat=seat) for seat in range(game.num_players)] if narrator is None else narrator.names
    return tuple(plain if names is None else names)


def title_of(game: Game) -> str:
    """Return the name of a game for people."""
    return game.name.replace("_", " ").title()


def choices(view: View, language: str = SOURCE, names: tuple[str, ...] | None = None) -> list[Choice]:
    """Return the legal actions of a view, by id; [] when another seat is to move."""
    narrator = narrator_of(view.game, view.player, language, names)
    return [_choice(view, action, narrator) for action in view.legal_ids().tolist()]


def _choice(view: View, action: int, narrator: Narrator | None) -> Choice:
    text, field = view.game.action_texts[action], view.game.actions.find(action)[0].name
    if narrator is None:
        return Choice(action, field, text, text)
    events, drawn = narrator.effects(view, action)
    effects = narrator.clauses(events)
    sentence = narrator.sentence(action, effects, drawn)
    if drawn:
        effects.append(narrator.language.text(DRAWN).removesuffix("."))
    return Choice(action, field, text, sentence, tuple(effects))


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text: a letter counts two ninths of a token, rounded up for each word.

    Prompts measured with cl100k_base have 0.89 to 1.12 times the estimate.
    """
    return sum(map(_tokens_of_word, _WORDS.findall(text)))


@lru_cache(maxsize=1 << 14)
def _tokens_of_word(word: str) -> int:
    if word.isdecimal():
        return math.ceil(len(word) / 3)
    return math.ceil(2 * len(word) / 9) if word.isalpha() else 1


def prompt(
    view: View,
    events: Sequence[str] = (),
    language: str = SOURCE,
    names: Sequence[str] | None = None,
    tokens: int | None = None,
) -> str:
    """Return the text of a decision.

    Lists become shorter where the text would exceed the budget.  Legal actions lose their sentences, then their
    effects, the longest list first.  Events lose the oldest lines.

    Args:
        view: of the seat that decides.
        events: lines about what happened since its last decision (`agents.seats.news`), the newest last.
        language: one of `core.narration.language.LANGUAGES`.
        names: of the seats.
        tokens: the budget, by the estimate of `tokens_of`; by default 500, and 500 for each seat.

    Raises:
        ValueError: an unknown language, or too few or too many names.
    """
    game, player = view.game, view.player
    called = seat_names(game, language, names)
    mover = int(view.state["current_player"][0])
    head = said(language, TITLE, game=title_of(game), players=game.num_players, you=called[player], seat=player)
    board = [said(language, SEEN), view.board()]
    fixed = [head, *board, *(said(language, text) for text in (SINCE, EARLIER, CHOICES, ANSWER))]
    left = (BASE + EACH * game.num_players if tokens is None else tokens) - sum(tokens_of(text) + 1 for text in fixed)
    if mover != player:
        end = [said(language, GAME_OVER) if mover < 0 else said(language, NOT_YOUR_TURN, seat=called[mover])]
    else:
        # Events keep a quarter of the remaining budget.
        kept = min(left // 4, sum(tokens_of(line) + 1 for line in events))
        legal = fitting(choices(view, language, None if names is None else called), left - kept, language)
        left -= sum(tokens_of(line) + 1 for line in legal)
        end = [said(language, CHOICES), *legal, said(language, ANSWER)]
    happened = newest(events, left, language)
    return "\n".join([head, *([said(language, SINCE), *happened] if happened else []), *board, *end])


def newest(lines: Sequence[str], tokens: int, language: str = SOURCE) -> list[str]:
    """Return the last lines that fit into a budget, and a note where some are left out."""
    kept, left = 0, tokens
    for line in reversed(lines):
        left -= tokens_of(line) + 1
        if left < 0:
            break
        kept += 1
    shown = list(lines[len(lines) - kept :])
    return shown if kept == len(lines) else [said(language, EARLIER), *shown]


# -- legal actions within a budget


def fitting(legal: Sequence[Choice], tokens: int, language: str = SOURCE) -> list[str]:
    """Return the lines of the legal actions, shortened group by group until they fit into a budget.

    The actions of a field are a group.  Its forms are sentences; the effects that not all of them have;
    and action strings, first with the effects that all of them have.
    """
    groups = [list(group) for _, group in groupby(legal, lambda one: one.field)]
    forms = [[list(form) for form in _forms(group, language)] for group in groups]
    sizes = [[sum(tokens_of(line) + 1 for line in form) for form in each] for each in forms]
    chosen = [0] * len(groups)
    while sum(size[i] for size, i in zip(sizes, chosen, strict=True)) > tokens:
        shrinkable = [number for number, form in enumerate(chosen) if form + 1 < len(forms[number])]
        if not shrinkable:
            break
        chosen[max(shrinkable, key=lambda number: sizes[number][chosen[number]])] += 1
    return [line for each, i in zip(forms, chosen, strict=True) for line in each[i]]


def _forms(group: Sequence[Choice], language: str) -> Iterator[list[str]]:
    """Yield the forms of a group, the longest first."""
    yield [
        f"{one.action} {one.text}: {one.sentence}" if one.sentence != one.text else f"{one.action} {one.text}"
        for one in group
    ]
    if len(group) == 1:
        yield [f"{group[0].action} {group[0].text}"]
        return
    shared = [effect for effect in group[0].effects if all(effect in one.effects for one in group)]
    each = [said(language, EACH_DOES, effects=JOIN.join(shared))] if shared else []
    head, names = _pattern(group)
    rest = [JOIN.join(effect for effect in one.effects if effect not in shared) for one in group]
    lines = zip(group, names, rest, strict=True)
    yield [f"{head}:", *each, *(f"{one.action} {name}{': ' if more else ''}{more}" for one, name, more in lines)]
    listed = ", ".join(f"{one.action} {name}" for one, name in zip(group, names, strict=True))
    yield [f"{head}: {listed}", *each]
    yield [f"{head}: {listed}"]


def _pattern(group: Sequence[Choice]) -> tuple[str, list[str]]:
    """Return the words that all action strings begin and end with, around "...", and the words between."""
    words = [one.text.split() for one in group]
    shortest = min(map(len, words))
    first = next((i for i in range(shortest) if len({each[i] for each in words}) > 1), shortest)
    first = min(first, shortest - 1)
    last = next((i for i in range(shortest - first) if len({each[-1 - i] for each in words}) > 1), 0)
    last = min(last, shortest - first - 1)
    middle = [" ".join(each[first : len(each) - last]) for each in words]
    return " ".join([*words[0][:first], "...", *words[0][len(words[0]) - last :]]), middle


# -- rules


@lru_cache(maxsize=64)
def rules(game: Game, language: str = SOURCE) -> str:
    """Return the rules in short as Markdown: the aim, the components with their rulings, and the action strings."""
    narrator = narrator_of(game, 0, language, None)
    lines = [f"# {title_of(game)}", "", *([game.about, ""] if game.about else [])]
    if narrator is not None and narrator.narration.explanations:
        lines += [f"## {said(language, COMPONENTS)}", ""]
        alike: dict[str, list[str]] = {}
        for name in narrator.narration.explanations:
            alike.setdefault(narrator.explain(name), []).append(name.replace("_", " "))
        lines += [*(f"- {', '.join(names)}: {text}" for text, names in alike.items()), ""]
    lines += [f"## {said(language, ACTIONS)}", ""]
    for field in game.actions:
        if field.size:
            first, last = field.start, field.stop - 1
            text = RANGE if last > first else SINGLE
            one, other = game.action_texts[first], game.action_texts[last]
            lines.append(f"- {said(language, text, first=first, last=last, one=one, other=other)} ({field.spec.doc})")
    return "\n".join(lines) + "\n"
