"""Levels of the network for people: even steps of strength, which the page offers and the worker plays."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from agents import tournament
from agents.arena.results import read
from agents.arena.sections import section
from agents.web.page.rules import data_of
from porta_nigra_env.games import DEFAULT_GAME, GAMES
from tests.page.test_review import AGENTS

#: Elo points between neighbouring levels, at least and at most; and the rating of greedy.
LEAST, MOST, GREEDY = 140, 260, 1500
#: Shares of steps in which the worker plays the network's best action, by level, in a game that the best action leads.
CHOSEN = (
    f"async ([name, levels]) => {{\n{AGENTS}"
    + """
    const same = Array(levels).fill(0);
    let [state, steps] = [kernel.start(7n), 0];
    for (let mover = kernel.mover(state); mover >= 0; mover = kernel.mover(state)) {
        const seen = kernel.seen(state, mover);
        const ask = (level) => players.choose({ state: seen, agent: { agent: "network", level } }, still);
        const best = await ask(undefined);
        for (let level = 1; level <= levels; level += 1) same[level - 1] += (await ask(level)) === best;
        state = kernel.after(state, best);
        steps += 1;
    }
    return same.map((count) => count / steps);
}"""
)


def levels_of(name: str) -> dict[str, Any]:
    return data_of(name, "levels")


@pytest.mark.parametrize("name", GAMES)
def test_levels_rise_evenly_from_below_greedy_to_the_network(name: str) -> None:
    data = levels_of(name)
    ratings = [level["rating"] for level in data["level"]]
    temperatures = [level["temperature"] for level in data["level"]]
    assert len(ratings) == 8
    assert all(LEAST <= after - before <= MOST for before, after in itertools.pairwise(ratings))
    assert temperatures == sorted(set(temperatures), reverse=True)
    assert temperatures[-1] == 0
    assert ratings[0] < GREEDY


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", GAMES)
def test_neighbouring_levels_are_as_far_apart_as_their_ratings_say(name: str, tmp_path: Path) -> None:
    """Other deals than those that the levels were chosen on; the mark of 200 points and 60 of it."""
    data = levels_of(name)
    agents = [f"network:temperature={level['temperature']}" for level in data["level"]]
    agents[-1] = "network"
    command = ["--game", name, "--players", str(data["players"]), "--games", "60", "--seed", "29"]
    assert tournament.main([*agents, *command, "--out", str(tmp_path)]) == 0
    results = read(tmp_path)
    assert results is not None
    found = section(results.games, results.header.agents, data["players"])
    assert found is not None
    ratings = [found.standing(agent).rating for agent in agents]
    for before, after in itertools.pairwise(ratings):
        slack = after.high - after.low
        assert LEAST - slack <= after.value - before.value <= MOST + slack


def test_a_new_player_meets_level_two_and_keeps_the_last_choice(open_page: Any) -> None:
    page = open_page()
    page.wait_for_selector("form")
    slider = page.get_by_label("Level")
    assert (slider.input_value(), slider.get_attribute("max")) == ("2", "8")
    slider.fill("5")
    assert page.inner_text(".slider output") == "5 of 8"
    assert page.evaluate("localStorage.getItem('level')") == "5"
    page.reload()
    page.wait_for_selector("form")
    assert page.get_by_label("Level").input_value() == "5"


def test_lower_levels_play_the_best_action_less_often(open_page: Any) -> None:
    page = open_page()
    page.wait_for_selector("form")
    shares = page.evaluate(CHOSEN, [DEFAULT_GAME, len(levels_of(DEFAULT_GAME)["level"])])
    assert shares[-1] == 1
    assert shares[0] < 0.6
    assert all(after > before - 0.05 for before, after in itertools.pairwise(shares))


def test_the_catalogue_has_the_temperatures(site: dict[str, bytes]) -> None:
    for entry in json.loads(site["games.json"]):
        assert entry["levels"] == [level["temperature"] for level in levels_of(entry["name"])["level"]]
