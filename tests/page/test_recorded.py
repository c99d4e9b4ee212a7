"""Sample games and puzzles: they can be replayed, and their answers follow from what the player to move knows."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents.arena.tournament import arena_of, run
from agents.registry import make
from agents.review.estimates import Estimator, baseline
from agents.web.page import puzzles, samples
from agents.web.page.links import Linked, link, read_link
from agents.web.page.puzzles import CHOICES, CLEAR, FINE, Lead, lead_of
from agents.web.page.recorded import puzzles_of, samples_of
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, GAMES, make_game
from tests.page.fixtures import Opened
from tests.page.playing import expected, phrase, seen_by, shown
from tests.page.test_access import check_access
from tests.parameters import first_by_default

#: Milliseconds of a day.
DAY_MS = 86_400_000


def state_at(linked: Linked) -> State:
    """Return the state after the actions of a link; illegal ones raise an error."""
    state = State(linked.game, linked.game.new_states(linked.seed))
    for action in linked.actions:
        state.apply_id(action)
    return state


@pytest.mark.parametrize("name", GAMES)
def test_sample_games_come_to_their_results(name: str) -> None:
    found = samples_of(name)
    assert 2 <= len(found) <= 3
    for sample in found:
        state = state_at(read_link(sample["link"]))
        assert state.is_over
        assert state.totals().tolist() == sample["scores"]
        assert len(sample["agents"]) == state.num_players
        assert {"network", "mirror"} <= set(sample["agents"])


@pytest.mark.parametrize("name", GAMES)
def test_puzzles_are_positions_with_a_legal_best_action(name: str) -> None:
    found = puzzles_of(name)
    assert len(found) >= 10
    assert len({puzzle["link"] for puzzle in found}) == len(found)
    for puzzle in found:
        linked = read_link(puzzle["link"])
        state = state_at(linked)
        # A link of the position alone: the rest of the game is not in it.
        assert linked.at == len(linked.actions)
        assert linked.view == state.player
        assert len(state.legal_ids()) >= CHOICES
        assert puzzle["best"] in state.legal_ids()
        assert puzzle["lead"] >= max(0.05, CLEAR * puzzle["error"])


@pytest.mark.parametrize("name", GAMES)
def test_an_answer_follows_from_what_the_mover_knows(name: str) -> None:
    """The lead is the same in another state that the player to move cannot tell from the true one."""
    puzzle = puzzles_of(name)[0]
    state = state_at(read_link(puzzle["link"]))
    game, seat = state.game, state.player
    states = seen_by(state, seat)
    game.kernel.determinize(game.constants, states, 0, seat, 12345)
    assert states.tobytes() != state.states.tobytes()
    view = State(game, states).view()
    estimator = Estimator(game, baseline("network", game).evaluator, FINE)
    lead = lead_of(estimator.try_all(view, view.legal_ids().astype(np.int64)), seat)
    assert lead.best == puzzle["best"]
    assert lead.lead == pytest.approx(puzzle["lead"], abs=0.01)


def test_commands_write_games_of_recorded_tournaments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: dict[str, Any] = {}

    def keep(name: str, kind: str, commands: Any, rows: Any) -> Path:
        written[kind] = (name, commands, rows)
        return tmp_path / f"{kind}.toml"

    for module in (samples, puzzles):
        monkeypatch.setattr(module, "write", keep)
    monkeypatch.setattr(puzzles.Finder, "puzzle", lambda *_: puzzles.Puzzle("#replay?", 1, 0.2, 0.01))
    run(arena_of(("greedy", "random"), 3, record=True), [2], 2, tmp_path)
    assert samples.main([str(tmp_path), "--number", "1"]) == 0
    name, commands, (row,) = written["samples"]
    assert (name, row["agents"]) == (DEFAULT_GAME, samples.read_folders([tmp_path])[0].games[1].match.agents)
    assert commands[0].startswith(f"python -m agents.tournament greedy random --game {DEFAULT_GAME} --players 2")
    assert state_at(read_link(row["link"])).totals().tolist() == list(row["scores"])
    assert puzzles.main([str(tmp_path), "--count", "1"]) == 0
    assert len(written["puzzles"][2]) == 1
    for program, bad, says in (
        (samples, ["--number", "2"], "--number must be in 0..1, not 2"),
        (puzzles, ["--count", "0"], "count"),
        (puzzles, ["--lead", "1"], "--lead must be above 0 and below 1, not 1"),
    ):
        check_refused(program, [str(tmp_path), *bad], says)
    check_refused(samples, [str(tmp_path / "none")], "there are no recorded games")


def check_refused(program: Any, argv: list[str], says: str) -> None:
    """A command line exits with 2 and says why."""
    import contextlib
    import io

    said = io.StringIO()
    with pytest.raises(SystemExit) as stopped, contextlib.redirect_stderr(said):
        program.main(argv)
    assert stopped.value.code == 2
    assert says in said.getvalue()


def test_a_finder_finds_a_puzzle_again_and_takes_no_equal_actions() -> None:
    puzzle = puzzles_of(DEFAULT_GAME)[0]
    linked, best = read_link(puzzle["link"]), puzzle["best"]
    state = state_at(linked)
    other = next(one for one in state.legal_ids().tolist() if one != best)
    agent = make("mirror", linked.game)
    found = puzzles.Finder(linked.game, agent, 0.05).proved(state, other)
    assert found is not None
    assert (found.best, round(found.lead, 2)) == (best, round(puzzle["lead"], 2))
    assert puzzles.Finder(linked.game, agent, 0.9).proved(state, other) is None


def test_a_position_is_a_puzzle_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of one deal can begin alike."""
    linked = read_link(samples_of(DEFAULT_GAME)[0]["link"])
    finder = puzzles.Finder(linked.game, make("mirror", linked.game), 0.05)
    # Few positions have twelve actions.
    monkeypatch.setattr(puzzles, "CHOICES", 12)
    monkeypatch.setattr(finder, "_is_clear", lambda lead: True)
    monkeypatch.setattr(finder, "proved", lambda *_: Lead(0, 1, 0.2, 0.01))
    played: Any = SimpleNamespace(seed=linked.seed, actions=linked.actions)
    first, second = finder.puzzle(played), finder.puzzle(played)
    assert first is not None
    assert second is not None
    assert first.link != second.link


def test_a_link_is_read_as_it_was_written() -> None:
    game = make_game(DEFAULT_GAME)
    written = link(game, 7, [3, 258], at=1, view=0)
    found = read_link(written)
    assert (found.game.name, found.seed, found.actions, found.at, found.view) == (game.name, 7, (3, 258), 1, 0)
    for broken in (
        written.replace("s=7", "s=8"),
        written.replace("c=", "c=0"),
        written.replace("&a=", "&b="),
        "#replay",
    ):
        with pytest.raises(ValueError, match="link: "):
            read_link(broken)


def test_sample_games_open_in_replay_with_their_players(open_page: Opened) -> None:
    page = open_page(f"#replay?game={DEFAULT_GAME}")
    page.wait_for_selector(".samples li")
    wanted = samples_of(DEFAULT_GAME)
    assert page.locator(".samples li").count() == len(wanted)
    page.click(".samples a >> nth=0")
    page.wait_for_selector(".transport")
    page.keyboard.press("End")
    page.wait_for_selector("text=The end")
    seats = page.locator(".seat").all_inner_texts()
    for seat, agent, score in zip(seats, wanted[0]["agents"], wanted[0]["scores"], strict=True):
        assert agent in seat
        assert str(score) in seat


@pytest.mark.parametrize("width", first_by_default([390, 1440]))
def test_a_puzzle_shows_what_the_mover_knows_and_tells_values(open_page: Opened, width: int) -> None:
    found = puzzles_of(DEFAULT_GAME)
    number = len(found) + 1
    day = f"Date.now = () => {(1000 * len(found) + 1) * DAY_MS + 5}"
    page = open_page("#play", width=width, script=day)
    page.click("text=What would you do?")
    page.wait_for_selector(".puzzle >> text=The puzzle of the day")
    puzzle = found[number % len(found)]
    state = state_at(read_link(puzzle["link"]))
    assert shown(page) == expected(state, state.player)
    assert sorted(
        page.eval_on_selector_all(".option", "all => all.map((one) => Number(one.dataset.action))")
    ) == sorted(state.legal_ids().tolist())
    # Cards that are gone are pale on purpose; on a phone they are folded away.
    if width < 600:
        check_access(page, width)
    best, other = puzzle["best"], next(one for one in state.legal_ids().tolist() if one != puzzle["best"])
    page.click(f".option[data-action='{other}']")
    page.wait_for_selector(".puzzle .bar")
    text = page.inner_text(".puzzle")
    assert f"You chose: {phrase(state.game, other)}." in text
    assert f"the best action, “{phrase(state.game, best)}”, wins with" in text
    assert page.locator(".option").count() == 0
    page.click(".puzzle >> text=Another puzzle")
    page.wait_for_selector(f".puzzle >> text=Puzzle 3 of {len(found)}")
    page.go_back()
    page.wait_for_selector(".puzzle >> text=The puzzle of the day")
    page.click(f".option[data-action='{best}']")
    page.wait_for_selector(".puzzle .bar.chosen")
    assert "That is the best action." in page.inner_text(".puzzle")
    page.click(".puzzle >> text=Study")
    page.wait_for_selector(".transport")
    assert shown(page) == expected(state, state.player)


def test_an_answer_is_german(open_page: Opened) -> None:
    page = open_page(f"#puzzle?game={DEFAULT_GAME}&n=0", script="localStorage.setItem('language', '\"de\"')")
    best = puzzles_of(DEFAULT_GAME)[0]["best"]
    page.wait_for_selector(".option")
    page.locator(f".option:not([data-action='{best}'])").first.click()
    page.wait_for_selector(".puzzle .bar")
    left = re.findall(r"\b(?:the|best|wins|with|action|here|that|more)\b", page.inner_text(".puzzle"))
    assert left == []
