"""The sentences of the page are those of Python, in both languages."""

from __future__ import annotations

import random
from typing import Any

import pytest

from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.language import LANGUAGES
from porta_nigra_env.core.narration.narrator import Narrator
from porta_nigra_env.games import GAMES, game_class, make_game

#: Illegal actions whose reasons are compared at each looked-at step, and the share of such steps.
ILLEGAL, LOOKED = 12, 0.1

#: All sentences of a game: for each step its events, and at some steps its actions and reasons.
TOLD = """async ({name, players, seed, actions, looked, language}) => {
  (await import("./say.js")).choose(language);
  const { catalogue, open } = await import("./games.js");
  const { lineOf } = await import("./line.js");
  const entry = (await catalogue()).find((one) => one.name === name);
  const game = await (await open(entry)).speak(), kernel = game.kernel(players), words = game.words(players);
  const line = lineOf(kernel, BigInt(seed), actions), { states } = line;
  const events = (at, seat) => {
    const [before, after] = [at, at + 1].map((one) => kernel.seen(states[one], seat));
    return words.changes(before, after).map((one) => words.clause(one, seat));
  };
  const legal = (state) => kernel.legal(state).map((action) => words.describe(state, kernel.mover(state), action));
  const seats = Array.from({ length: players }, (_, seat) => seat);
  return {
    events: actions.map((_, at) => seats.map((seat) => events(at, seat))),
    looked: looked.map(({ at, illegal }) => ({
      legal: legal(states[at]),
      reasons: illegal.map((action) => words.whyNot(states[at], action)),
    })),
  };
}"""


def python_told(name: str, players: int, seed: int, language: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play a random game; return the page's questions, and Python's answers."""
    game, rng = make_game(name, players), random.Random(seed)
    narrators = {seat: Narrator(game, seat, language) for seat in range(players)}
    state = State(game, game.new_states(seed))
    actions: list[int] = []
    asked: list[dict[str, Any]] = []
    answers: dict[str, Any] = {"events": [], "looked": []}
    while not state.is_over:
        legal, narrator, view = state.legal_ids().tolist(), narrators[state.player], state.view()
        if rng.random() < LOOKED:
            illegal = rng.sample(sorted(set(range(game.actions.size)) - set(legal)), ILLEGAL)
            asked.append({"at": len(actions), "illegal": illegal})
            told = [narrator.describe(view, action) for action in legal]
            reasons = [narrator.why_not(view, action) for action in illegal]
            answers["looked"].append({"legal": told, "reasons": reasons})
        before = state.clone()
        actions.append(rng.choice(legal))
        state.apply_id(actions[-1])
        answers["events"].append([list(map(one.event, state.events(before, seat))) for seat, one in narrators.items()])
    question = {"name": name, "players": players, "seed": str(seed), "language": language}
    return question | {"actions": actions, "looked": asked}, answers


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_the_page_tells_what_python_tells(modules: Any, name: str, language: str) -> None:
    for players in (game_class(name).seats[0], game_class(name).seats[-1]):
        question, answers = python_told(name, players, 7 + players, language)
        told = modules.evaluate(TOLD, question)
        assert sum(len(step["reasons"]) for step in answers["looked"]) > 5 * ILLEGAL
        assert told["looked"] == answers["looked"]
        assert told["events"] == answers["events"]
