"""The door for kaggle-environments passes the checks of seats; `make test-door-kaggle` runs this."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import kaggle_environments
import pytest
from kaggle_environments.core_harness import ParseResult

from agents.seats import kaggle_door
from agents.seats.local import LIVE, TERMS, Terms, replayed
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.seats import conformance, transcripts
from tests.seats.conformance import reader

kaggle_door.register()
every_game = pytest.mark.parametrize("name", GAMES)


class KagglePlay:
    def __init__(self, environment: Any) -> None:
        self.environment = environment
        self.table = kaggle_door._TABLES[environment]

    def ask(self) -> tuple[int, str]:
        for seat, each in enumerate(self.environment.state):
            if each.status == "ACTIVE":
                assert all(one.observation.observationString == "" for one in self.environment.state if one is not each)
                return seat, str(each.observation.observationString)
        return -1, str(self.environment.render(mode="ansi"))

    def answer(self, text: str) -> str:
        seat = self.ask()[0]
        self.environment.step(
            [{"submission": text} if one == seat else None for one in range(len(self.environment.state))]
        )
        if seat in self.table.forfeits:
            return "forfeited"
        return str(self.environment.state[seat].observation.refused)

    def result(self) -> dict[str, Any]:
        replay = json.loads(json.dumps(self.environment.toJSON()))["steps"][-1][0]["info"]["replay"]
        result: dict[str, Any] = replay["result"]
        assert [each.reward for each in self.environment.state] == result["returns"]
        return result

    def state(self) -> State:
        return self.table._state.clone()

    def replace(self, state: State) -> None:
        self.table._state = state
        kaggle_door._show(self.environment.state, self.table, "")

    def shown(self, seat: int) -> str:
        each = self.environment.state[seat]
        return json.dumps([each.observation, each.status, each.reward, each.info])


class KaggleDoor:
    name, forfeits, seconds = "kaggle", True, 0.0
    asks, answers = "observation.observationString", '{{"submission": {!r}}}'

    def begin(self, game: Game, seats: Sequence[str], seed: int, terms: Terms = TERMS) -> KagglePlay:
        assert set(seats) == {LIVE}, "agents of the library play here"
        configuration = {"seed": seed, "retries": terms.retries, "language": terms.language}
        environment = kaggle_environments.make(game.name, configuration=configuration)
        environment.reset(game.num_players)
        return KagglePlay(environment)


@every_game
def test_a_program_that_reads_only_the_texts_plays_whole_games(name: str) -> None:
    conformance.check_reading(KaggleDoor(), make_game(name), LIVE)


@every_game
def test_the_same_seed_and_answers_give_the_same_bytes(name: str) -> None:
    conformance.check_repeatable(KaggleDoor(), make_game(name), LIVE)


def test_wrong_answers_are_refused_and_forfeit() -> None:
    conformance.check_refusals(KaggleDoor(), make_game(DEFAULT_GAME))
    conformance.check_forfeits(KaggleDoor(), make_game(DEFAULT_GAME, 3))
    conformance.check_reconnection(KaggleDoor(), make_game(DEFAULT_GAME))


@every_game
def test_two_worlds_that_a_seat_cannot_tell_apart_look_the_same(name: str) -> None:
    conformance.check_worlds(KaggleDoor(), make_game(name), 1)


@every_game
def test_the_library_runs_its_agents_and_the_replay_is_the_game(name: str) -> None:
    game = make_game(name)
    environment = kaggle_environments.make(name, configuration={"seed": 5})
    environment.run(["random"] * game.num_players)
    replay = environment.toJSON()["steps"][-1][0]["info"]["replay"]
    assert replayed(game, replay).places().tolist() == replay["result"]["places"]


def test_an_agent_that_fails_forfeits() -> None:
    def failing(observation: Any, configuration: Any) -> int:
        raise RuntimeError

    environment = kaggle_environments.make(DEFAULT_GAME, configuration={"seed": 5})
    environment.run([failing, "random"])
    assert environment.toJSON()["rewards"] == [-1, 1]
    assert environment.state[0].info["replay"]["result"]["forfeits"] == {"0": "left"}


def test_the_three_functions_of_a_harness() -> None:
    play = KaggleDoor().begin(make_game(DEFAULT_GAME), [LIVE, LIVE], 9)
    seat, text = play.ask()
    observation, harness = play.environment.state[seat].observation, kaggle_door.Harness()
    legal = harness.get_legal_moves(observation)
    assert list(legal) == play.state().legal_ids().tolist()
    prompt = harness.make_prompt(observation, [])
    assert text in prompt
    assert "not legal" in harness.make_prompt(observation, [], "I do not know", "fly")
    first = next(iter(legal.values()))
    parsed = harness.parse_response(f'I say {{"action": "{first}"}}', list(legal.values()), observation=observation)
    assert parsed == ParseResult(legal_action=first, raw_action=first)
    assert harness.parse_response("fly", list(legal.values()), observation=observation).legal_action is None
    assert play.answer(reader(1)(prompt)) == ""


def test_the_transcripts_are_up_to_date() -> None:
    transcripts.check(KaggleDoor())
