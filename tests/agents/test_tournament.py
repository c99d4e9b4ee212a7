"""Tournaments: who meets whom, on which cards, files that survive interruptions, reports."""

from __future__ import annotations

import csv
import json
import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import wait
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from agents import program, registry, tournament
from agents.agent import Agent
from agents.arena import matches
from agents.arena.matches import Arena, Match, MatchError, Played, Setup, lineups, rotations, schedule
from agents.arena.report import report
from agents.arena.results import (
    RESULTS,
    TIMES,
    BusyFolderError,
    ForeignFolderError,
    Header,
    Results,
    ResultsError,
    Writer,
    read,
    read_times,
)
from agents.arena.sections import complete, section
from agents.networks.network import Network, Shape, save_network
from agents.players.scripted import ScriptedAgent
from agents.registry import AgentError, Entry
from porta_nigra_env.core.game import Game, States
from porta_nigra_env.core.policy import RANDOM, Policy
from porta_nigra_env.core.view import View
from porta_nigra_env.envs.batch import play_games
from porta_nigra_env.games import make_game
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from tests.envs.probes import HIGHEST, LOWEST
from tests.tenants.kuhn.game import Kuhn


class Asked(Agent):
    """Lowest or highest legal action by the parity of its seed: shows which seed it was given."""

    def act(self, view: View) -> int:
        return int(view.legal_ids()[0 if self.seed % 2 else -1])


class Cheat(Agent):
    """The lowest legal action; it wants the truth, and breaks it."""

    cheats = True

    def act(self, view: View) -> int:
        raise AssertionError("it must be shown the truth")

    def act_on_truth(self, states: States, row: int) -> int:
        assert states["key"][row].any()
        seat = int(states["current_player"][row])
        action = int(View(self.game, states, row, seat).legal_ids()[0])
        states[:] = np.zeros(1, dtype=states.dtype)
        return action


class Broken(Agent):
    """Never a legal action."""

    def act(self, view: View) -> int:
        return -1


class Learned(Agent):
    """The lowest legal action, until its file says otherwise."""

    weights = Path("weights")

    @property
    def fingerprint(self) -> str:
        return self.weights.read_text(encoding="utf-8")

    def act(self, view: View) -> int:
        return int(view.legal_ids()[0])


class Missing(Agent):
    """Can be made in the process that imported this module first, and not by those that play."""

    def __init__(self, name: str, game: Game, seed: int = 0) -> None:
        super().__init__(name, game, seed)
        if seed:
            raise ValueError("its file is gone")

    def act(self, view: View) -> int:
        raise AssertionError("it cannot be made")


class Deadly(Agent):
    """Takes its process with it."""

    def act(self, view: View) -> int:
        os._exit(3)


def _scripted(policy: Policy) -> Callable[[str, Game, int, Mapping[str, Any]], Agent]:
    return lambda text, game, seed, parameters: ScriptedAgent(text, game, policy, seed)


def _outside(kind: type[Agent]) -> Callable[[str, Game, int, Mapping[str, Any]], Agent]:
    return lambda text, game, seed, parameters: kind(text, game, seed)


for _name, _policy in (("probe-lowest", LOWEST), ("probe-highest", HIGHEST)):
    registry.register(Entry(_name, "A compiled policy of the tests.", _scripted(_policy)))
KINDS: dict[str, type[Agent]] = {"asked": Asked, "cheat": Cheat, "broken": Broken}
KINDS |= {"learned": Learned, "missing": Missing, "deadly": Deadly}
for _name, _kind in KINDS.items():
    registry.register(Entry(f"probe-{_name}", "An agent of the tests.", _outside(_kind)))


def porta_nigra(players: int) -> Game:
    """A function of this module: with it, other processes import the agents above."""
    return PortaNigra(players)


def kuhn(players: int) -> Game:
    """Kuhn poker."""
    return Kuhn()


class Sourced(Kuhn):
    """Kuhn poker that says where chips come from."""

    point_sources = ("chips",)

    def points_by_source(self, states: States) -> Any:
        return np.stack([self.totals(states, row) for row in range(len(states))])[:, :, None]


def kuhn_with_sources(players: int) -> Game:
    """Kuhn poker with sources of points."""
    return Sourced()


# Wherever Porta Nigra is played in compiled code, these three policies are, in this order: they are compiled once.
POLICIES = [HIGHEST, LOWEST, RANDOM]
FAST = Setup(porta_nigra, ("probe-highest", "probe-lowest", "random"), 5)
SLOW = Setup(kuhn, ("probe-asked", "probe-lowest", "random"), 5)


def played(setup: Setup, players: list[int], games: int, folder: Path, jobs: int = 1) -> Results:
    """A tournament in an arena of its own."""
    return tournament.run(Arena(setup), players, games, folder, jobs)


def lines(folder: Path) -> list[str]:
    """The lines of the results, sorted."""
    return sorted((folder / RESULTS).read_text(encoding="utf-8").splitlines())


# -- who meets whom


def test_line_ups_have_as_many_different_agents_as_there_can_be() -> None:
    assert lineups("ABC", 2) == [("A", "B"), ("A", "C"), ("B", "C")]
    assert lineups("BA", 3) == [("A", "A", "B"), ("A", "B", "B")]
    assert lineups("AB", 4) == [("A", "A", "A", "B"), ("A", "A", "B", "B"), ("A", "B", "B", "B")]
    assert lineups("ABC", 4) == [("A", "A", "B", "C"), ("A", "B", "B", "C"), ("A", "B", "C", "C")]
    assert len(lineups("ABCDE", 4)) == 5


def test_rotations_give_everybody_each_seat() -> None:
    assert rotations("ABC") == [("A", "B", "C"), ("B", "C", "A"), ("C", "A", "B")]
    for players in (2, 3, 4):
        for lineup in lineups("ABCDE", players):
            seats = list(zip(*rotations(lineup), strict=True))
            assert all(sorted(seat) == sorted(lineup) for seat in seats)


def test_an_order_that_repeats_itself_is_played_once() -> None:
    """A second game of the same seats on the same cards would be the same game."""
    assert rotations("AA") == [("A", "A")]
    assert rotations("ABAB") == [("A", "B", "A", "B"), ("B", "A", "B", "A")]
    assert schedule("A", 2, 4) == [Match(0, ("A", "A")), Match(1, ("A", "A"))]
    alone = [game(0, "AA", 1, 2)]
    assert complete(alone) == alone


def test_every_line_up_plays_the_same_deals() -> None:
    games = schedule("ABC", 3, 10)
    assert len(games) == len(set(games)) == 4 * 3
    assert {match.deal for match in games} == {0, 1, 2, 3}
    games = schedule("ABC", 2, 3)
    assert Counter(match.deal for match in games) == {0: 6, 1: 6}


def test_games_of_a_deal_share_their_cards() -> None:
    arena = Arena(FAST)
    done, _ = arena.play([Match(3, ("random", "probe-lowest")), Match(3, ("probe-lowest", "random"))])
    assert done[0].seed == done[1].seed == matches.deal_seed(5, 3)
    assert done[0].scores != done[1].scores
    others = {matches.deal_seed(seed, deal) for seed in (0, 1, 5) for deal in range(50)}
    assert len(others) == 150


def test_agents_get_seeds_from_deal_and_seat() -> None:
    seeds = {matches.agent_seed(deal, seat) for deal in range(20) for seat in range(4)}
    assert len(seeds) == 80
    assert matches.agent_seed(2**63 - 1, 3) == matches.agent_seed(2**63 - 1, 3)
    assert all(0 <= seed < 2**63 for seed in seeds)


# -- playing


def test_points_by_source_are_those_of_the_state() -> None:
    states = np.zeros(1, dtype=PortaNigra(2).dtype)
    play_games(PortaNigra(2), POLICIES, [7], [[1, 2]], ends=states)
    sheet = State(PortaNigra(2), states).scores()
    for seat, points in enumerate(PortaNigra(2).points_by_source(states)[0].tolist()):
        by_name = dict(zip(PortaNigra.point_sources, points, strict=True))
        parts = sheet[seat]["majorities"]
        heights = parts.pop("porta_nigra")
        assert by_name["rows"] == sum(sum(rows.values()) for rows in parts.values())
        assert by_name["heights"] == sum(heights.values())
        assert by_name["marker"] == sheet[seat]["vp"]
        assert by_name["sets"] == sheet[seat]["sets"]
        assert by_name["final cards"] == sheet[seat]["final_cards"]
        assert by_name["play area"] == sheet[seat]["play_area"]


def test_asked_and_compiled_agents_without_chance_play_the_same_game() -> None:
    arena = Arena(FAST)
    match = Match(2, ("probe-highest", "probe-lowest"))
    done, paces = arena.play([match])
    states, decisions, _ = arena.play_asked(match)
    assert done[0].decisions == decisions
    totals = np.zeros(2, dtype=np.int32)
    arena.game(2).kernel.score(arena.game(2).tables, states, 0, totals)
    assert done[0].scores == tuple(totals.tolist())
    # The first decision of each is not measured.
    assert sum(pace.decisions for pace in paces) == decisions - 2
    assert all(pace.seconds > 0 for pace in paces)


def test_agents_that_cheat_are_shown_a_copy_of_the_truth() -> None:
    arena = Arena(Setup(kuhn, ("probe-cheat", "probe-lowest"), 1))
    for seats in rotations(("probe-cheat", "probe-lowest")):
        done, _ = arena.play([Match(0, seats)])
        assert sorted(done[0].scores) == [-1, 1]
        assert done[0].decisions == 2


def test_an_illegal_answer_names_agent_and_game(tmp_path: Path) -> None:
    with pytest.raises(MatchError, match=r"'probe-broken' .*illegal action -1 on seat 0 in decision 0 .*with seed \d+"):
        played(Setup(kuhn, ("probe-broken", "random")), [2], 2, tmp_path)


def test_kuhn_poker_decision_by_decision(tmp_path: Path) -> None:
    results = played(SLOW, [2], 20, tmp_path)
    assert len(results.games) == 3 * 20
    assert all(sum(game.scores) == 0 and 2 <= game.decisions <= 3 for game in results.games)
    assert results.header.sources == []
    times, machines = read_times(tmp_path)
    assert set(times) == {(2, agent) for agent in SLOW.agents}
    assert len(machines) == 1
    # Lowest is "pass" always: whoever plays it against itself would never give more than the ante.
    lowest = [
        game.scores[game.match.agents.index("probe-lowest")]
        for game in results.games
        if "probe-lowest" in game.match.agents
    ]
    assert min(lowest) == -1


# -- files


@pytest.mark.parametrize("setup", [FAST, SLOW], ids=["compiled", "asked"])
def test_a_resumed_run_equals_an_uninterrupted_one(setup: Setup, tmp_path: Path) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    played(setup, [2], 12, whole)
    data = (whole / RESULTS).read_bytes()
    cut.mkdir()
    # In the middle of the header, of a line, and before the end of a line.
    for size in (10, len(data) // 2, data.index(b"\n") + 1, len(data) - 1):
        (cut / RESULTS).write_bytes(data[:size])
        results = played(setup, [2], 12, cut)
        assert lines(cut) == lines(whole)
        assert len(results.games) == len(lines(whole)) - 1


def test_more_games_are_added(tmp_path: Path) -> None:
    played(SLOW, [2], 4, tmp_path / "grown")
    played(SLOW, [2], 10, tmp_path / "grown")
    played(SLOW, [2], 10, tmp_path / "whole")
    assert lines(tmp_path / "grown") == lines(tmp_path / "whole")
    before = (tmp_path / "grown" / TIMES).read_bytes()
    played(SLOW, [2], 10, tmp_path / "grown")
    assert (tmp_path / "grown" / TIMES).read_bytes() == before


def test_a_bar_shows_how_many_games_there_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Games of an earlier call count."""
    tournament.run(Arena(SLOW), [2], 4, tmp_path, progress=True)
    assert "12/12" in capsys.readouterr().err
    tournament.run(Arena(SLOW), [2], 10, tmp_path, progress=True)
    shown = capsys.readouterr().err
    assert "12/30" in shown
    assert "30/30" in shown


def test_jobs_do_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = Setup(porta_nigra, ("probe-asked", *FAST.agents), 5)
    # Small tasks, so that there are several compiled ones.
    monkeypatch.setattr(matches, "CHUNK", 2)
    played(setup, [2], 4, tmp_path / "one", jobs=1)
    played(setup, [2], 4, tmp_path / "two", jobs=2)
    assert lines(tmp_path / "one") == lines(tmp_path / "two")
    assert not multiprocessing.active_children()


def test_an_error_in_another_process_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(MatchError, match="probe-broken"):
        played(Setup(kuhn, ("probe-broken", "random")), [2], 20, tmp_path, jobs=2)


def test_what_was_played_before_an_error_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games that ended together with one that failed."""
    arena = Arena(Setup(kuhn, ("probe-broken", "probe-lowest", "random"), 5))
    tasks = arena.batches(schedule(arena.setup.agents, 2, 2))
    monkeypatch.setattr(matches, "wait", lambda running, return_when: wait(running))
    kept: list[Played] = []
    with pytest.raises(MatchError, match="probe-broken"):
        kept.extend(game for done, _ in matches.play_all(arena, tasks, jobs=4) for game in done)
    assert len(kept) == 2
    assert not multiprocessing.active_children()


@pytest.mark.parametrize(
    ("agent", "jobs", "message"),
    [
        ("probe-missing", 1, "an agent cannot be made any more: .*its file is gone"),
        ("probe-missing", 2, "an agent cannot be made any more: .*its file is gone"),
        ("probe-deadly", 2, "a process that played has died"),
    ],
)
def test_agents_that_fail_while_they_play_are_told(agent: str, jobs: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(MatchError, match=message):
        played(Setup(kuhn, (agent, "probe-lowest")), [2], 4, tmp_path, jobs=jobs)
    assert read(tmp_path) is not None


def test_more_games_of_one_number_of_players(tmp_path: Path) -> None:
    setup = Setup(porta_nigra, FAST.agents[:2], 5)
    grown, whole = Arena(setup), Arena(setup)
    tournament.run(grown, [2, 3], {2: 2, 3: 3}, tmp_path / "grown")
    tournament.run(grown, [2, 3], {2: 6, 3: 3}, tmp_path / "grown")
    results = tournament.run(whole, [2, 3], {2: 6, 3: 3}, tmp_path / "whole")
    assert lines(tmp_path / "grown") == lines(tmp_path / "whole")
    assert Counter(len(game.scores) for game in results.games) == {2: 6, 3: 2 * 3}


@pytest.mark.parametrize(
    ("texts", "players", "found"),
    [
        (["300"], [2, 3], {2: 300, 3: 300}),
        (["300", "2:1000"], [2, 3, 4], {2: 1000, 3: 300, 4: 300}),
        (["3:9", "2:8"], [2, 3], {2: 8, 3: 9}),
        (["3:9"], [2, 3], "there is none for 2 players"),
        (["5", "4:9"], [2, 3], "'4:9', but nobody plays with 4 players"),
        (["5", "6"], [2], "'6' is given beside another one"),
        (["2:5", "2:6"], [2], "'2:6' is given beside another one"),
        (["0"], [2], "must be at least 1, not 0"),
        (["2:"], [2], "must be N or P:N, not '2:'"),
        (["many"], [2], "must be N or P:N, not 'many'"),
    ],
)
def test_games_for_each_number_of_players(texts: list[str], players: list[int], found: dict[int, int] | str) -> None:
    if isinstance(found, dict):
        assert program.games_of(texts, players) == found
    else:
        with pytest.raises(ValueError, match=found):
            program.games_of(texts, players)


# -- who played


def test_fingerprints_are_those_of_weights_and_sources(tmp_path: Path) -> None:
    files = [tmp_path / name / "source.py" for name in ("here", "there", "other")]
    for file, text in zip(files, ("one = 1\n", "one = 1\r\n", "one = 2\n"), strict=True):
        file.parent.mkdir()
        file.write_bytes(text.encode())

    def fingerprint(weight: float, source: Path) -> str:
        policy = Policy("p", RANDOM.choose, np.array([weight]), reads_state=False, sources=(source,))
        return ScriptedAgent("p", Kuhn(), policy).fingerprint

    assert fingerprint(1.0, files[0]) == fingerprint(1.0, files[1])
    # What a source does counts, not how it is written or where its modules lie.
    files[1].write_text('"""A docstring."""\nimport os\nfrom here import there\n\none = (1)  # a comment\n')
    assert fingerprint(1.0, files[0]) == fingerprint(1.0, files[1])
    assert len({fingerprint(1.0, files[0]), fingerprint(2.0, files[0]), fingerprint(1.0, files[2])}) == 3
    assert Asked("asked", Kuhn()).fingerprint == ""


def test_searches_have_the_fingerprint_of_their_rollouts() -> None:
    found = Arena(Setup(porta_nigra, ("builder", "ismcts:rollout=builder", "ismcts", "flat", "random"))).fingerprints(2)
    assert found["ismcts:rollout=builder"] == found["builder"] != found["random"]
    assert found["ismcts"] == found["flat"] == found["random"]


def test_a_folder_of_another_agent_of_the_same_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "weights"
    monkeypatch.setattr(Learned, "weights", weights)
    weights.write_text("young")
    setup = Setup(kuhn, ("probe-learned", "random"), 5)
    results = played(setup, [2], 2, tmp_path / "games")
    assert results.header.fingerprints["2"]["probe-learned"] == "young"
    weights.write_text("old")
    with pytest.raises(
        ForeignFolderError, match=r"games of another probe-learned: .* at 2 players .* 'young', here 'old'"
    ):
        played(setup, [2], 4, tmp_path / "games")
    weights.write_text("young")
    assert len(played(setup, [2], 4, tmp_path / "games").games) == 4


def test_a_network_is_known_by_its_weights_wherever_its_file_lies(tmp_path: Path) -> None:
    def fingerprints(file: Path) -> set[str]:
        setup = Setup(kuhn, (f"network:checkpoint={file}", f"guided:checkpoint={file},simulations=2"))
        return set(Arena(setup).fingerprints(2).values())

    torch.manual_seed(1)
    first, second = (Network(Shape.of(Kuhn(), width=4)) for _ in range(2))
    for name, network in (("first", first), ("again", first), ("second", second)):
        save_network(tmp_path / name, network, [Kuhn()])
    found = fingerprints(tmp_path / "first")
    assert len(found) == 1
    assert found == fingerprints(tmp_path / "again")
    assert found != fingerprints(tmp_path / "second")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"schema": 2},
            "line 1: expected the header of a tournament of schema 3, not 2; it was written by another version",
        ),
        ({"fingerprints": {}}, "line 1: fingerprints must have one for each agent and number of players"),
        ({"fingerprints": {"2": ["random"]}}, r"line 1: Expected `object`, got `array` - at `\$\.fingerprints"),
    ],
)
def test_headers_without_fingerprints_are_refused(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    results = played(SLOW, [2], 2, tmp_path)
    (tmp_path / RESULTS).write_text(json.dumps(msgspec.to_builtins(results.header) | change) + "\n")
    with pytest.raises(ResultsError, match=message):
        read(tmp_path)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (Setup(kuhn, SLOW.agents, 6), "seed is 5, here it is 6"),
        (
            Setup(kuhn, ("probe-asked", "random"), 5),
            r"agents is \['probe-asked', 'probe-lowest', 'random'\], here it is",
        ),
        (Setup(porta_nigra, SLOW.agents, 5), "game is 'kuhn_v0', here it is 'porta_nigra_v0'"),
        (Setup(kuhn_with_sources, SLOW.agents, 5), r"sources is \[\], here it is \['chips'\]"),
    ],
)
def test_a_foreign_folder_is_refused(other: Setup, message: str, tmp_path: Path) -> None:
    played(SLOW, [2], 2, tmp_path)
    before = lines(tmp_path)
    with pytest.raises(ForeignFolderError, match=message):
        played(other, [2], 2, tmp_path)
    assert lines(tmp_path) == before


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    results = played(SLOW, [2], 2, tmp_path)
    before = lines(tmp_path)
    with Writer(tmp_path, results.header, results), pytest.raises(BusyFolderError, match="another process"):
        played(SLOW, [2], 4, tmp_path)
    # Nor after somebody else has written.
    played(SLOW, [2], 4, tmp_path)
    with pytest.raises(BusyFolderError):
        Writer(tmp_path, results.header, results)
    assert set(before) < set(lines(tmp_path))


def test_another_component_set_is_another_tournament(tmp_path: Path) -> None:
    played(FAST, [2], 2, tmp_path)
    other = Path(__file__).parents[1] / "games" / "porta_nigra" / "components" / "other.toml"
    setup = Setup(partial(make_game, "porta_nigra", components=str(other)), FAST.agents, FAST.seed)
    with pytest.raises(ForeignFolderError, match=r"its tables is .* here it is"):
        played(setup, [2], 2, tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('{"schema":3,"players"', "{", "line 3: JSON is malformed"),
        ('{"schema":3,"players"', '{"schema":2,"players"', "line 3: expected a game of schema 3, not 2"),
        ('"decisions"', '"choices"', "line 3: Object missing required field `decisions`"),
        ('"agents":["', '"agents":["x', "line 3: agents must be 2 of"),
        ('"agents":["', '"agents":["random","', "line 3: agents must be 2 values"),
        ('"scores":[', '"scores":[1.5,', r"line 3: Expected `int`, got `float` - at `\$\.scores"),
        ('"places":[', '"places":[1,', "line 3: places must be 2 values"),
        ('"players":2', '"players":[2]', r"line 3: Expected `int`, got `array` - at `\$\.players`"),
        ('"players":2', '"players":9', "line 3: agents must be 9 values"),
    ],
)
def test_lines_that_cannot_be_read_are_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    played(SLOW, [2], 2, tmp_path)
    text = (tmp_path / RESULTS).read_text(encoding="utf-8").splitlines(keepends=True)
    text[2] = text[2].replace(old, new, 1)
    (tmp_path / RESULTS).write_text("".join(text), encoding="utf-8")
    with pytest.raises(ResultsError, match=f"{RESULTS} {message}"):
        read(tmp_path)


def test_a_game_that_stands_there_twice_is_named(tmp_path: Path) -> None:
    played(SLOW, [2], 2, tmp_path)
    text = (tmp_path / RESULTS).read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / RESULTS).write_text("".join([*text, text[1]]), encoding="utf-8")
    with pytest.raises(ResultsError, match=f"line {len(text) + 1}: the same game stands in line 2"):
        read(tmp_path)
    (tmp_path / RESULTS).write_text("[]\n", encoding="utf-8")
    with pytest.raises(ResultsError, match="line 1: Expected `object`, got `array`"):
        read(tmp_path)


# -- reports


def game(deal: int, agents: str, *scores: int) -> Played:
    """A game as if it had been played."""
    places = tuple(1 + sum(other > score for other in scores) for score in scores)
    return Played(Match(deal, tuple(agents)), deal, scores, places, 10, tuple((score, 0) for score in scores))


def test_a_section_by_hand() -> None:
    games = [
        game(0, "AB", 30, 20), game(0, "BA", 20, 25),
        game(1, "AB", 10, 20), game(1, "BA", 15, 15),
        game(2, "AB", 50, 10),
    ]  # fmt: skip
    found = section(games, ["A", "B"], 2, "B", ["all", "none"], {(2, "A"): 1.5})
    assert found is not None
    assert (found.games, found.deals, found.left_out, found.bounded) == (4, 2, 1, False)
    a, b = found.standings
    assert (a.agent, b.agent, a.seats, b.seats) == ("A", "B", 4, 4)
    # A has 1 + 1 + 0 + 1/2 of 4.
    assert a.win.value == pytest.approx(0.625)
    assert b.win.value == pytest.approx(0.375)
    assert a.place.value == pytest.approx((1 + 1 + 2 + 1.5) / 4)
    assert a.score.value == pytest.approx((30 + 25 + 10 + 15) / 4)
    assert a.margin.value == pytest.approx((10 + 5 - 10 + 0) / 4)
    assert b.margin.value == pytest.approx(-a.margin.value)
    assert a.rating.value == pytest.approx(400 * np.log10(5 / 3), abs=1e-4)
    assert b.rating == pytest.approx((0, 0, 0))
    assert a.ahead == pytest.approx(a.rating)
    assert b.ahead is None
    assert (a.equal, b.equal) == (False, True)
    assert (a.ms, b.ms) == (1.5, None)
    assert a.sources == {"all": pytest.approx(20), "none": 0}
    duel = found.duels[0][1]
    assert duel is not None
    assert duel.value == pytest.approx(0.625)
    assert found.duels[0][0] is None


def test_who_beats_whom_with_three_players_and_two_seats() -> None:
    games = [game(0, "AAB", 30, 20, 20), game(0, "ABA", 5, 4, 3), game(0, "BAA", 9, 8, 7)]
    games += [game(0, "ABB", 9, 8, 7), game(0, "BBA", 9, 8, 10), game(0, "BAB", 9, 10, 8)]
    found = section(games, ["A", "B"], 3, "A")
    assert found is not None
    duels = {
        (one.agent, other.agent): duel
        for one, row in zip(found.standings, found.duels, strict=True)
        for other, duel in zip(found.standings, row, strict=True)
    }
    duel = duels["A", "B"]
    assert duel is not None
    # 1 + 1/2, 1 + 0, 0 + 0, and 2 each in the second lineup: 8.5 of 12.
    assert duel.value == pytest.approx(8.5 / 12)
    by_agent = {one.agent: one for one in found.standings}
    assert by_agent["A"].win.value == pytest.approx(5 / 9)
    assert by_agent["B"].win.value == pytest.approx(1 / 9)
    assert by_agent["A"].seats == by_agent["B"].seats == 9


def test_only_whole_deals_count() -> None:
    games = [game(0, "AAB", 1, 2, 3), game(0, "ABA", 1, 2, 3), game(0, "BAA", 1, 2, 3), game(0, "ABB", 1, 2, 3)]
    assert complete(games) == games[:3]
    assert section(games[:2], ["A", "B"], 3, "A") is None


def test_equal_agents_are_called_equal_and_others_are_not() -> None:
    rng = np.random.default_rng(2)
    games = []
    for deal in range(200):
        for lineup in lineups("ABC", 2):
            for seats in rotations(lineup):
                games.append(game(deal, "".join(seats), *(int(rng.normal(60 if s == "A" else 50, 10)) for s in seats)))
    found = section(games, ["A", "B", "C"], 2, "C")
    assert found is not None
    assert found.standings[0].agent == "A"
    assert [one.equal for one in found.standings] == [False, False, True]
    first, second, last = found.standings
    assert first.ahead is not None
    assert second.ahead is not None
    assert last.ahead is None
    assert first.ahead.value == pytest.approx(first.rating.value - second.rating.value)
    assert first.ahead.low > 0 > second.ahead.low


def test_the_report_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = ["probe-highest", "probe-lowest", "random"]
    command = [*agents, "--players", "2", "3", "--games", "6", "--out", str(tmp_path), "--seed", "3"]
    assert tournament.main(command) == 0
    shown = capsys.readouterr()
    assert shown.out.count("| probe-highest ") == 6
    assert "24/24" in shown.err
    for name in ("standings.csv", "head_to_head.csv", "report.md", "report.html"):
        assert (tmp_path / name).stat().st_size > 0
    for players in (2, 3):
        for name in ("ratings", "head_to_head", "sources"):
            assert (tmp_path / f"{name}_{players}.png").read_bytes().startswith(b"\x89PNG")
    assert not list(tmp_path.glob("*.partial"))
    page = (tmp_path / "report.md").read_text(encoding="utf-8")
    for agent in agents:
        assert len(re.findall(rf"^\|(?: \d +\|)? {agent} ", page, re.MULTILINE)) == 6
    assert "sesterces" not in page
    assert all(source in page for source in PortaNigra.point_sources)
    with (tmp_path / "standings.csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == 6
    for line in table:
        assert float(line["win_low"]) <= float(line["win"]) <= float(line["win_high"])
        parts = [float(line[name]) for name in line if name.startswith("points_")]
        assert sum(parts) == pytest.approx(float(line["score"]))
    assert all(float(line["rating"]) == 0 for line in table if line["agent"] == "random")

    files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert tournament.main(["--report", str(tmp_path)]) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == files
    assert tournament.main(["--report", str(tmp_path), "--anchor", "probe-lowest"]) == 0
    assert "probe-lowest is 0 by definition" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_report_does_not_depend_on_the_order_of_lines(tmp_path: Path) -> None:
    results = played(SLOW, [2], 10, tmp_path)
    turned = Results(results.header, results.games[::-1], results.size)
    assert report(results).markdown() == report(turned).markdown()


def test_names_are_escaped() -> None:
    agents = ["a|b", "<c>"]
    fingerprints = {"2": dict.fromkeys(agents, "")}
    header = Header(3, "g_v0", {}, [2], agents, fingerprints, 0, [])
    games = [Played(Match(0, seats), 1, (2, 1), (1, 2), 5) for seats in (("a|b", "<c>"), ("<c>", "a|b"))]
    made = report(Results(header, games, 0))
    assert "<td>&lt;c&gt;</td>" in made.html()
    assert "<td>a|b</td>" in made.html()
    assert r"| a\|b " in made.markdown()


# -- the command line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "--out FOLDER is needed"),
        (["random", "--out", "x"], "at least two agents"),
        (["random", "nobody", "--out", "x"], "there is no agent 'nobody'"),
        (["random", "random:depth=2", "--out", "x"], "'depth=2' is no parameter"),
        (["random", "random", "--out", "x"], "random is given twice"),
        (["random", "probe-lowest", "--out", "x", "--players", "5"], "num_players must be 2, 3 or 4, not 5"),
        (["random", "probe-lowest", "--out", "x", "--players", "2", "2"], "2 is given twice"),
        (["random", "probe-lowest", "--out", "x", "--games", "0"], "must be at least 1, not 0"),
        (["random", "probe-lowest", "--out", "x", "--jobs", "0"], "--jobs must be at least 1, not 0"),
        (
            ["random", "probe-lowest", "--out", "x", "--game", "chess"],
            "there is no game 'chess'; there are porta_nigra",
        ),
        (["random", "probe-lowest", "--out", "x", "--jobs", "no"], "invalid literal for int() with base 10: 'no'"),
        (["random", "probe-lowest", "--out", "x", "--seed", "-1"], "seed must be in"),
        (["random", "probe-lowest", "--out", "x", "--anchor", "greedy"], "--anchor must be one of"),
        (["random", "probe-lowest", "--out", "x", "--components", "nowhere.toml"], "nowhere.toml"),
        (["random", "--report", "x"], "--report takes no agents"),
        (["--report", "nowhere"], "there are no results in nowhere"),
    ],
)
def test_arguments_that_cannot_be_used(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stopped:
        tournament.main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_foreign_or_damaged_folder_at_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(SLOW, [2], 2, tmp_path)
    with pytest.raises(SystemExit) as stopped:
        tournament.main(["random", "probe-lowest", "--out", str(tmp_path)])
    assert stopped.value.code == 2
    assert "game is 'kuhn_v0', here it is 'porta_nigra_v0'" in capsys.readouterr().err
    with (tmp_path / RESULTS).open("a", encoding="utf-8") as file:
        file.write("nonsense\n")
    assert tournament.main(["--report", str(tmp_path)]) == 1
    assert "line 8: JSON is malformed" in capsys.readouterr().err


def test_agents_are_read_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="nobody"):
        played(Setup(kuhn, ("nobody", "random")), [2], 2, tmp_path)
    assert not list(tmp_path.iterdir())


def test_lines_tell_what_was_played(tmp_path: Path) -> None:
    played(FAST, [2], 2, tmp_path)
    first, line, *rest = (json.loads(text) for text in (tmp_path / RESULTS).read_text(encoding="utf-8").splitlines())
    assert len(rest) == 3 * 2 - 1
    assert (first["game"], first["seed"], first["agents"]) == ("porta_nigra_v0", 5, list(FAST.agents))
    assert list(line) == ["schema", "players", "deal", "seed", "agents", "scores", "places", "decisions", "sources"]
    assert [sum(points) for points in line["sources"]] == line["scores"]
    assert line["places"] == [1 + sum(other > score for other in line["scores"]) for score in line["scores"]]
