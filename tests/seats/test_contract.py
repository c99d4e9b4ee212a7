"""The contract of seats: answers, prompts, news, forfeits, results."""

from __future__ import annotations

import json
import random

import pytest

from agents.ladders import published_ratings
from agents.seats import prompt as texts
from agents.seats import tokens
from agents.seats.answers import AnswerError, chosen, read_answer
from agents.seats.local import LIVE, LocalTable, Terms, replayed
from agents.seats.text_loop import TextLoop
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.seats.conformance import ids, reader
from tests.seats.doors import Clock
from tests.toys.nim.game import Nim

every_game = pytest.mark.parametrize("name", GAMES)


def after_steps(game: Game, count: int, seed: int = 7) -> State:
    """Return a state after random steps."""
    state, rng = State(game, game.new_states(seed)), random.Random(seed)
    for _ in range(count):
        state.apply_id(rng.choice(state.legal_ids().tolist()))
    return state


def finished(table: LocalTable) -> LocalTable:
    while not table.is_over:
        assert table.act(table.mover, reader(1)(table.prompt(table.mover))).action is not None
    return table


# ------------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("end", "end"),
        ("  `End.` ", "end"),
        ("I think a lot.\n\nend", "end"),
        ("Final Answer: end\n", "end"),
        ("Action: coin\nno, Action: end", "end"),
        ('{"action": "coin"} or rather {"action": "end"}', "end"),
        ('```json\n{"move": 49}\n```', "49"),
        ("49 end: End your turn: then something is drawn.", "49 end: End your turn: then something is drawn"),
        ("", ""),
        ('{"action": true}', '{"action": true}'),
    ],
)
def test_the_action_is_found_in_an_answer(text: str, action: str) -> None:
    assert read_answer(text).casefold() == action.casefold()


@every_game
def test_every_legal_action_is_named_by_id_string_and_line(name: str) -> None:
    for steps in (0, 5, 60):
        view = after_steps(make_game(name), steps).view()
        for one in texts.choices(view):
            for answer in (
                one.action,
                str(one.action),
                one.text,
                one.text.upper(),
                f"{one.action} {one.text}: {one.sentence}",
            ):
                assert chosen(view, answer) == one.action


def test_a_beginning_or_words_are_enough_if_one_action_has_them() -> None:
    view = after_steps(make_game(DEFAULT_GAME), 0).view()
    legal = [one.text for one in texts.choices(view)]
    assert chosen(view, legal[0][:-1]) == view.game.action_id(legal[0])
    assert chosen(view, legal[0].split()[-1]) == view.game.action_id(legal[0])
    with pytest.raises(AnswerError, match="may be"):
        chosen(view, legal[0].split()[0])
    with pytest.raises(AnswerError, match="not bool"):
        chosen(view, True)


@every_game
def test_an_illegal_action_is_refused_with_the_reason_of_the_narration(name: str) -> None:
    state = after_steps(make_game(name), 30)
    for language in ("en", "de"):
        illegal = next(i for i in range(state.game.actions.size) if not state.mask[i])
        with pytest.raises(AnswerError) as refused:
            chosen(state.view(), illegal, language)
        assert state.why_not(illegal, language) in str(refused.value)


# ------------------------------------------------------------------------------------------------ prompts


@every_game
def test_a_prompt_has_the_board_the_news_and_a_sentence_for_each_action(name: str) -> None:
    state = after_steps(make_game(name), 40)
    view = state.view()
    text = texts.prompt(view, ["a line of news"], tokens=10**6)
    assert view.board() in text
    assert "a line of news" in text
    for action in view.legal_ids().tolist():
        assert f"{action} {state.game.action_texts[action]}: {state.describe(action)}" in text


@every_game
@pytest.mark.parametrize("language", ["en", "de"])
def test_a_prompt_keeps_its_budget_and_names_all_actions(name: str, language: str) -> None:
    game = make_game(name)
    for steps in range(0, 120, 7):
        state = after_steps(game, steps)
        if state.is_over:
            break
        news = [f"line {number} of news" for number in range(300)]
        for budget in (1500, 1900):
            text = texts.prompt(state.view(), news, language, tokens=budget)
            assert sorted(map(int, ids(text))) == state.legal_ids().tolist()
            least = texts.tokens_of(texts.prompt(state.view(), [], language, tokens=0))
            assert texts.tokens_of(text) <= max(budget, least + 20)
            if least + 200 < budget:
                assert news[-1] in text
                assert news[0] not in text


def test_a_prompt_without_a_decision_says_whose_turn_it_is() -> None:
    state = after_steps(make_game(DEFAULT_GAME), 3)
    text = texts.prompt(state.view(1 - state.player), names=["Ada", "Bob"])
    assert f"It is the turn of {('Ada', 'Bob')[state.player]}." in text
    with pytest.raises(ValueError, match="names: expected one for each of 2 seats, not 1"):
        texts.prompt(state.view(), names=["Ada"])


@every_game
def test_rules_name_every_component_and_every_action(name: str) -> None:
    game = make_game(name)
    for language in ("en", "de"):
        text = texts.rules(game, language)
        narration = game.narration()
        assert narration is not None
        assert all(component.replace("_", " ") in text for component in narration.explanations)
        assert all(f"`{game.action_texts[field.start]}`" in text for field in game.actions if field.size)


def test_a_game_without_narration_has_seats_too() -> None:
    table = LocalTable(Nim(), [LIVE, "random"], 3)
    assert finished(table).report().startswith("The game is over.\n1. player ")
    assert "## Actions" in table.rules()


# ------------------------------------------------------------------------------------------------ news


@every_game
def test_news_tell_every_action_of_others_that_is_no_secret(name: str) -> None:
    game = make_game(name)
    table, rng = LocalTable(game, [LIVE] * game.num_players, 5), random.Random(1)
    told: dict[int, list[str]] = {seat: [] for seat in table.live}
    while not table.is_over:
        seat = table.mover
        listed = [
            part for line in table.events(seat) for part in line.partition(": ")[2].partition(" - ")[0].split(", ")
        ]
        assert listed == told[seat]
        action = rng.choice(table.view(seat).legal_ids().tolist())
        table.act(seat, action)
        told[seat] = []
        for each, lines in told.items():
            known = game.told(action, to=each, by=seat)
            lines.append("an action that you do not see" if known is None else game.action_texts[known])


def test_a_table_forgets_what_all_seats_have_answered_to() -> None:
    game = make_game(DEFAULT_GAME)
    table = LocalTable(game, [LIVE, "random"], 5)
    longest = 0
    while not table.is_over:
        table.act(0, int(table.view(0).legal_ids()[0]))
        longest = max(longest, len(table._news._turns))
    assert longest <= 4
    assert len(table.actions) > 50


# ------------------------------------------------------------------------------------------------ tables


def test_answers_at_another_seats_turn_are_refused_and_not_counted() -> None:
    table = LocalTable(make_game(DEFAULT_GAME), [LIVE, LIVE], 5, Terms(retries=0))
    other = 1 - table.mover
    for _ in range(3):
        assert table.act(other, "end").reason == f"It is the turn of player {table.mover}."
    assert not table.forfeits
    with pytest.raises(ValueError, match="player"):
        table.act(2, "end")


def test_the_first_forfeit_ends_last() -> None:
    game = make_game(DEFAULT_GAME, 4)
    table = LocalTable(game, [LIVE] * 4, 5, Terms(fallback="builder"))
    table.forfeit(2)
    table.forfeit(0, "time")
    table.forfeit(2, "time")
    result = finished(table).result()
    assert (result.places[2], result.places[0]) == (4, 3)
    assert sorted(result.places[seat] for seat in (1, 3)) == [1, 2]
    assert result.forfeits == {2: "left", 0: "time"}
    assert result.score(2) == 0.0
    assert sum(result.returns) == pytest.approx(0)
    assert "forfeited: no time left" in table.report()


@every_game
def test_results_and_replays(name: str) -> None:
    game = make_game(name)
    table = finished(LocalTable(game, [LIVE, *["random"] * (game.num_players - 1)], 9, names=None))
    replay = json.loads(json.dumps(table.replay()))
    end = replayed(game, replay)
    result = table.result()
    assert list(result.places) == end.places().tolist()
    assert list(result.totals) == end.totals().tolist()
    if game.point_sources:
        assert [sum(sources.values()) for sources in result.sources] == list(result.totals)
    for field, value in (("format", "x"), ("seed", "10"), ("actions", replay["actions"][1:]), ("players", 9)):
        if field != "seed":
            with pytest.raises(ValueError, match=r"replay: "):
                replayed(game, {**replay, field: value})
        else:
            assert replay["seed"] == "9"


def test_opponents_play_like_their_agents_and_show_their_ratings() -> None:
    game = make_game(DEFAULT_GAME)
    ratings = published_ratings(game)
    assert "builder" in ratings
    assert f"builder, rated {round(ratings['builder'])}" in LocalTable(game, [LIVE, "builder"], 1).rules()
    assert published_ratings(Nim()) == {}


def test_a_clock_counts_only_the_seat_to_move() -> None:
    clock = Clock()
    table = LocalTable(make_game(DEFAULT_GAME), [LIVE, LIVE], 5, Terms(seconds=10), clock=clock)
    first = table.mover
    clock.wait(3)
    table.act(first, "no action")
    assert (table.seconds_left(first), table.seconds_left(1 - first)) == (7, 10)
    clock.wait(2)
    table.act(first, int(table.view(first).legal_ids()[0]))
    clock.wait(1)
    assert table.seconds_left(first) == (5 if table.mover != first else 4)
    assert not table.forfeits


def test_many_games_at_once_do_not_touch_each_other() -> None:
    game = make_game(DEFAULT_GAME)
    tables = [LocalTable(game, [LIVE, "builder"], seed % 500) for seed in range(1000)]
    choose = [random.Random(seed % 500) for seed in range(1000)]
    for _ in range(10):
        for table, rng in zip(tables, choose, strict=True):
            table.act(0, rng.choice(table.view(0).legal_ids().tolist()))
    assert all(one.actions == other.actions for one, other in zip(tables[:500], tables[500:], strict=True))
    assert len({tuple(table.actions) for table in tables}) > 450


@pytest.mark.parametrize(
    ("seats", "terms", "message"),
    [
        ([LIVE], {}, "seats: 2 are needed, not 1"),
        (["random", "random"], {}, 'at least one must be "live"'),
        ([LIVE, "nobody"], {}, "there is no agent 'nobody'"),
        ([LIVE, LIVE], {"retries": -1}, "retries must be 0 or more, not -1"),
        ([LIVE, LIVE], {"seconds": 0}, "seconds must be a number above 0"),
        ([LIVE, LIVE], {"language": "fr"}, "language must be one of en, de"),
        ([LIVE, LIVE], {"fallback": "nobody"}, "there is no agent 'nobody'"),
    ],
)
def test_invalid_tables_are_refused(seats: list[str], terms: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LocalTable(make_game(DEFAULT_GAME), seats, 1, Terms(**terms))  # type: ignore[arg-type]


def test_the_loop_refuses_to_play_on_and_closes_unfinished_games() -> None:
    loop = TextLoop(opponents={1: "random"})
    with pytest.raises(ValueError, match="call `reset` first"):
        loop.get_observation()
    with pytest.raises(ValueError, match="there is no seat 7 among 2 players"):
        TextLoop(opponents={7: "random"}).reset(2)
    loop.reset(2, seed=3)
    rewards, info = loop.close()
    assert (rewards, info[0]["forfeited"]) == ({0: -1.0}, "left")
    assert loop.get_observation()[0] == -1
    with pytest.raises(ValueError, match="the game is over"):
        loop.step("end")


def test_tokens_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [DEFAULT_GAME, "--players", "2", "--deals", "1", "--tokenizer", "estimate", "--agent", "random"]
    assert tokens.main(arguments) == 0
    *_, line = capsys.readouterr().out.splitlines()
    name, players, prompts, median, _, most, budget, rules = line.split()
    assert (name, players, budget) == (DEFAULT_GAME, "2", "1500")
    assert 0 < int(median) <= int(most) <= 1500 < int(rules)
    assert int(prompts) > 50
    for wrong, message in (
        ("--deals=0", "--deals must be at least 1, not 0"),
        ("--tokenizer=none", "--tokenizer none"),
    ):
        with pytest.raises(SystemExit):
            tokens.main([wrong])
        assert message in capsys.readouterr().err
