"""Seats for kaggle-environments: the environment, and the functions of its language-model harness.

`register` adds the environment to the library.  `get_legal_moves`, `generate_prompt` and `parse_response` are the three
functions of a harness; they need only an observation, not the library.  An observation holds the texts of one seat.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from agents.seats.answers import LONGEST, read_answer
from agents.seats.local import LIVE, LocalTable, Terms
from porta_nigra_env.core.game.game import new_seed
from porta_nigra_env.games import GAMES, game_entry, make_game

#: Statuses of the library.
ACTIVE: Final = "ACTIVE"
INACTIVE: Final = "INACTIVE"
DONE: Final = "DONE"
#: Asks for the form of an answer that `parse_response` reads.
FORM: Final = 'End your answer with a JSON object: {"action": "..."}'


# -- the harness


def get_legal_moves(observation: Mapping[str, Any]) -> dict[int, str]:
    """Return the action strings of the legal actions by id."""
    return dict(zip(observation["legalActions"], observation["legalActionStrings"], strict=True))


def generate_prompt(
    observation: Mapping[str, Any],
    move_history: Sequence[str],
    previous_response: str | None = None,
    previous_action: str | None = None,
) -> str:
    """Return the prompt of a decision; after an answer that named no legal action, with a word about it.

    The text of the seat has the events since its last decision, so the history is not needed.
    """
    parts = [str(observation["rules"]), str(observation["observationString"]), FORM]
    if previous_response is not None:
        named = "an action" if previous_action is None else repr(previous_action)
        parts.append(f"Your last answer named {named} that is not legal.  Choose one of the legal actions.")
    return "\n".join(parts)


def parse_response(response: str, legal_action_strings: Sequence[str]) -> dict[str, Any]:
    """Return the keywords of the library's `ParseResult`: the legal action that an answer names, and its text."""
    text = read_answer(response)
    by_text = {one.casefold(): one for one in legal_action_strings}
    found = by_text.get(text.casefold())
    matching = [one for folded, one in by_text.items() if text and folded.startswith(text.casefold())]
    return {"legal_action": found or (matching[0] if len(matching) == 1 else None), "raw_action": text or None}


class Harness:
    """The three functions as an object for `kaggle_environments.core_harness.create_agent_fn`."""

    def get_legal_moves(self, observation: Mapping[str, Any]) -> dict[int, str]:
        return get_legal_moves(observation)

    def make_prompt(
        self,
        observation: Mapping[str, Any],
        move_history: list[str],
        previous_response: str | None = None,
        previous_action: str | None = None,
    ) -> str:
        return generate_prompt(observation, move_history, previous_response, previous_action)

    def parse_response(
        self, response: str, legal_action_strings: Sequence[str] | None, *, observation: Mapping[str, Any]
    ) -> Any:
        """Return the library's `ParseResult`."""
        result = import_module("kaggle_environments.core_harness").ParseResult
        return result(**parse_response(response, legal_action_strings or []))


# -- the environment

#: The tables of running episodes, by environment.
_TABLES: Final[weakref.WeakKeyDictionary[Any, LocalTable]] = weakref.WeakKeyDictionary()


def specification(name: str) -> dict[str, Any]:
    """Return the specification of the environment of a game."""
    seats = game_entry(name).seats
    title = name.replace("_", " ").title()
    texts = {"type": "string", "default": ""}
    return {
        "name": name,
        "title": title,
        "description": f"{title}: a board game with hidden information, in texts",
        "version": f"{game_entry(name).version}.0.0",
        "agents": list(seats),
        "configuration": {
            "seed": {"description": "Seed of the game.", "type": ["integer", "null"], "minimum": 0, "default": None},
            "language": {"description": "Language of the texts: en or de.", "type": "string", "default": "en"},
            "retries": {"description": "Refused answers at a decision that are forgiven.", "type": "integer",
                        "minimum": 0, "default": 3},
            "episodeSteps": {"description": "Largest number of steps.", "type": "integer", "default": 100000},
            "actTimeout": 60,
        },
        "reward": {"description": "1 for a sole winner, -1/(n-1) for each other seat.", "type": ["number", "null"],
                   "default": 0},
        "observation": {
            "playerId": {"description": "The seat.", "type": "integer", "defaults": list(range(max(seats)))},
            "currentPlayer": {"description": "The seat to move; -1 at the end.", "type": "integer", "default": -1},
            "isTerminal": {"description": "Whether the game is over.", "type": "boolean", "default": False},
            "observationString": {"description": "The text of a decision.", **texts},
            "rules": {"description": "The rules in short.", **texts},
            "refused": {"description": "Why the last answer was refused.", **texts},
            "legalActions": {"description": "Ids of the legal actions.", "type": "array", "default": []},
            "legalActionStrings": {"description": "Their action strings.", "type": "array", "default": []},
            "remainingOverageTime": 600,
        },
        "action": {"description": 'An id, an action string, or an object with "submission".',
                   "type": ["integer", "string", "object", "null"], "default": None},
    }  # fmt: skip


def interpreter(state: Sequence[Any], environment: Any) -> Sequence[Any]:
    """Play the answer of the seat to move; fill in the observations.

    A seat whose agent failed or ran out of time in the library forfeits (`agents.seats.local.Terms`).
    """
    configuration = environment.configuration
    if environment.done or environment not in _TABLES:
        seed = new_seed() if configuration.seed is None else configuration.seed
        configuration.seed = seed
        terms = Terms(language=configuration.language, retries=configuration.retries)
        game = make_game(environment.name, len(state))
        _TABLES[environment] = LocalTable(game, [LIVE] * len(state), seed, terms)
        refused = ""
    else:
        table = _TABLES[environment]
        seat = table.mover
        if state[seat].status not in (ACTIVE, INACTIVE):
            refused = ""
            table.forfeit(seat, "time" if state[seat].status == "TIMEOUT" else "left")
        else:
            refused = table.act(seat, answer_of(state[seat].action)).reason
    _show(state, _TABLES[environment], refused)
    return state


def answer_of(action: Any) -> str | int:
    """Return the answer in an action of the library; "" for none."""
    if isinstance(action, Mapping):
        action = action.get("submission")
    return action if isinstance(action, str | int) and not isinstance(action, bool) else ""


def _show(state: Sequence[Any], table: LocalTable, refused: str) -> None:
    result = table.result() if table.is_over else None
    rules = table.rules()
    for seat, each in enumerate(state):
        moves = seat == table.mover
        legal = table.view(seat).legal_ids().tolist() if moves else []
        each.observation.update(
            playerId=seat, currentPlayer=table.mover, isTerminal=table.is_over, rules=rules,
            observationString=table.prompt(seat) if moves else table.report() if table.is_over else "",
            refused=refused[-LONGEST:] if moves else "", legalActions=legal,
            legalActionStrings=[table.game.action_texts[action] for action in legal],
        )  # fmt: skip
        each.status = DONE if table.is_over or seat in table.forfeits else ACTIVE if moves else INACTIVE
        if result is not None:
            each.reward = result.returns[seat]
    if result is not None:
        # The library writes the info of seats into its replay.
        state[0].info["replay"] = table.replay()


def renderer(state: Sequence[Any], environment: Any) -> str:
    """Return the text of the seat to move, or the result."""
    texts = [each.observation.observationString for each in state if each.observation.observationString]
    return str(texts[0]) if texts else ""


def register(games: Sequence[str] = ()) -> None:
    """Add the environments of games to kaggle_environments, all by default. Raises ImportError without the library."""
    library = import_module("kaggle_environments")
    for name in games or GAMES:
        parts = {"specification": specification(name), "interpreter": interpreter, "renderer": renderer}
        library.register(name, {**parts, "html_renderer": lambda: "", "agents": {"random": random_agent}})


def random_agent(observation: Any, configuration: Any) -> int | None:
    """Return a legal action, the same one for the same text."""
    legal = observation["legalActions"]
    return legal[len(observation["observationString"]) % len(legal)] if legal else None
