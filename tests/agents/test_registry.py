"""Agents that are entered nowhere: named by their import path, on every command line and in every process."""

from __future__ import annotations

import pickle
import re
from functools import partial
from pathlib import Path

import pytest

from agents import registry, tournament
from agents.arena.matches import Setup
from agents.arena.playing import Arena
from agents.arena.results import RESULTS
from agents.registry import AgentError, make
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import GAMES, game_class, make_game
from tests.agents.own import First
from tests.games.scripted import printed
from tests.toys.kuhn.game import Kuhn

OWN = "tests.agents.own"


def test_an_import_path_is_an_agent() -> None:
    game = Kuhn()
    agent = make(f"{OWN}:First:behind=1", game, 5)
    assert isinstance(agent, First)
    assert (agent.name, agent.seed, agent.behind) == (f"{OWN}:First:behind=1", 5, 1)
    view = View(game, game.new_states(3), 0, 0)
    assert agent.act(view) == 1
    assert make(f"{OWN}:First", game).act(view) == 0
    assert make(f"{OWN}:First:last=true,behind=0", game).act(view) == 1
    assert pickle.loads(pickle.dumps(agent)).act(view) == 1
    assert view.action_mask[make(f"{OWN}:drawn:weight=0.5", game).act(view)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere.at_all:First", "nowhere.at_all cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        (f"{OWN}:Second", f"{OWN} has no Second"),
        (f"{OWN}:NOT_CALLABLE", "it must be a class or function of (name, game, seed), not 3"),
        (f"{OWN}:number", "it must make an agents.agent.Agent, not 3"),
        (f"{OWN}:drawn", "it cannot be called with (name, game, seed) and {}: missing a required argument: 'weight'"),
        (f"{OWN}:drawn:weight=-1", "weight must not be negative, not -1.0"),
        (f"{OWN}:drawn:weight=much", "weight must be a number, not 'much'"),
        (f"{OWN}:First:depth=3", "'depth=3' is no parameter of the form key=value; it takes behind, last"),
        (f"{OWN}:First:behind=1,behind=2", "behind is given twice"),
        ("nobody", "there is no agent 'nobody'"),
        ("random:x", "it takes none"),
    ],
)
def test_what_is_no_agent(text: str, message: str) -> None:
    with pytest.raises(AgentError, match=re.escape(message)):
        make(text, Kuhn())


def test_other_processes_import_it(tmp_path: Path) -> None:
    """With jobs the same games as without, in processes that know nothing but the text."""
    setup = Setup(partial(make_game, next(iter(GAMES))), (f"{OWN}:First", f"{OWN}:First:last=true"), 5)
    for name, jobs in (("one", 1), ("two", 2)):
        tournament.run(Arena(setup), [2], 4, tmp_path / name, jobs)
    one, two = (sorted((tmp_path / name / RESULTS).read_text().splitlines()) for name in ("one", "two"))
    assert one == two


def test_it_plays_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert tournament.main(["random", f"{OWN}:First", "--games", "2", "--out", str(tmp_path)]) == 0
    assert f"| {OWN}:First " in capsys.readouterr().out


def test_best_is_the_recommended_agent() -> None:
    for name in GAMES:
        game = make_game(name)
        best, known = make("best", game, 3), make(registry.recommended(game), game, 3)
        assert (type(best), best.name, best.seed, best.options) == (type(known), "best", 3, known.options)
        assert pickle.loads(pickle.dumps(best)).options == known.options
    # Without a network for the components, a search plays.
    (file,) = (Path(__file__).parents[1] / "games" / "aquileia" / "components").glob("*.toml")
    other = make_game("aquileia", components=file)
    assert registry.recommended(other) == "ismcts:seconds=1,rollout=patrician"
    assert registry.recommended(Kuhn()) == "ismcts:seconds=1,rollout=random"
    game = Kuhn()
    assert make("best", game).act(View(game, game.new_states(3), 0, 0)) in (0, 1)


def test_the_agents_of_a_game_are_those_of_its_package() -> None:
    known = registry.entries()
    for game in GAMES:
        own = {entry.name for entry in known.values() if entry.games is not None and game in entry.games}
        assert own == set(game_class(game).policies()) - {"random"}, game
    assert known["random"].games is None


def test_the_table_of_agents_imports_no_registry() -> None:
    program = "import sys, agents.builtin; print('agents.registry' in sys.modules)"
    assert printed(program, compiled=True) == "False\n"
