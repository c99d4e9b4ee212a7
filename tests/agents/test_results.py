"""The folder of a tournament: files that survive interruptions, and remember who played."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections import Counter
from concurrent.futures import wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from agents import registry, tournament
from agents.agent import modules_digest
from agents.arena import executor, playing, program
from agents.arena.executors import Jobs
from agents.arena.matches import Played, Setup, schedule
from agents.arena.playing import Arena, MatchError
from agents.arena.results import RESULTS, TIMES, BusyFolderError, ForeignFolderError, ResultsError, Writer, read
from agents.networks.network import Network, save_network
from agents.registry import make
from agents.scripted import ScriptedAgent
from porta_nigra_env.core.batch.policy import RANDOM, Policy
from porta_nigra_env.games import make_game
from porta_nigra_env.players.network import Shape
from tests.agents.tournaments import FAST, SLOW, Learned, kuhn, kuhn_with_sources, lines, played, porta_nigra
from tests.toys.kuhn.game import Kuhn

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
    save_network(tmp_path / "network", Network(Shape.of(make_game("porta_nigra"), width=8)), [make_game("porta_nigra")])
    setup = Setup(porta_nigra, ("probe-asked", f"network:checkpoint={tmp_path / 'network'}", *FAST.agents), 5)
    # Small tasks, so that there are several of each kind.
    monkeypatch.setattr(playing, "CHUNK", 2)
    monkeypatch.setattr(playing, "SIDE_BY_SIDE", 5)
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
    tasks = arena.batches(schedule(arena.setup, 2, 2))
    monkeypatch.setattr(executor, "wait", lambda running, return_when: wait(running))
    kept: list[Played] = []
    with pytest.raises(MatchError, match="probe-broken"):
        kept.extend(game for done, _ in playing.play_all(arena, tasks, Jobs(4)) for game in done)
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
        (["5", "4:9"], [2, 3], "'4:9', but no game has 4 players"),
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
    # The behaviour of a source counts, not its form.
    files[1].write_text('"""A docstring."""\nfrom __future__ import annotations\n\none = (1)  # a comment\n')
    assert fingerprint(1.0, files[0]) == fingerprint(1.0, files[1])
    assert len({fingerprint(1.0, files[0]), fingerprint(2.0, files[0]), fingerprint(1.0, files[2])}) == 3


def test_fingerprints_of_searches_are_those_of_rollouts_options_and_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ("ismcts:rollout=builder", "ismcts", "ismcts:exploration=0.2", "mirror", "guided", "network")

    def fingerprints() -> list[str]:
        modules_digest.cache_clear()
        return list(Arena(Setup(porta_nigra, texts)).fingerprints(2).values())

    before = fingerprints()
    assert len(set(before)) == len(texts)
    assert before == fingerprints()
    # Another default of an option is another agent of the same string.
    mirror = registry.entries()["mirror"]
    parameters = tuple(replace(one, default=9) if one.name == "plies" else one for one in mirror.parameters)
    with monkeypatch.context() as patched:
        patched.setitem(registry._ENTRIES, "mirror", replace(mirror, parameters=parameters))
        differing = [old != new for old, new in zip(before, fingerprints(), strict=True)]
    assert differing == [text == "mirror" for text in sorted(texts)]


@pytest.mark.parametrize("module", ["agents.networks.neural", "agents.search.mirror", "agents.search.continuation"])
def test_a_changed_search_is_another_agent(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of a tournament is then refused, wherever the search's modules lie."""
    source = Path(sys.modules[module].__file__ or "")
    fingerprint = make("mirror", porta_nigra(2)).fingerprint
    for text, same in (("# a comment\n", True), ("CHANGED = 1\n", False)):
        copy = tmp_path / "copy.py"
        copy.write_text(source.read_text(encoding="utf-8") + text, encoding="utf-8")
        monkeypatch.setattr(sys.modules[module], "__file__", str(copy))
        modules_digest.cache_clear()
        assert (make("mirror", porta_nigra(2)).fingerprint == fingerprint) == same
    monkeypatch.undo()
    modules_digest.cache_clear()


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
    def fingerprints(file: Path) -> list[str]:
        setup = Setup(kuhn, (f"network:checkpoint={file}", f"guided:checkpoint={file},simulations=2"))
        return list(Arena(setup).fingerprints(2).values())

    torch.manual_seed(1)
    first, second = (Network(Shape.of(Kuhn(), width=4)) for _ in range(2))
    for name, network in (("first", first), ("again", first), ("second", second)):
        save_network(tmp_path / name, network, [Kuhn()])
    found = fingerprints(tmp_path / "first")
    assert found == fingerprints(tmp_path / "again")
    assert not set(found) & set(fingerprints(tmp_path / "second"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"schema": 2},
            "line 1: expected the header of a tournament of schema 4, not 2; it was written by another version",
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
        (Setup(kuhn, SLOW.agents, 5, alone="random"), "alone is '', here it is 'random'"),
        (Setup(kuhn_with_sources, SLOW.agents, 5), r"sources is \[\], here it is \['chips'\]"),
    ],
)
def test_a_foreign_folder_is_refused(other: Setup, message: str, tmp_path: Path) -> None:
    played(SLOW, [2], 2, tmp_path)
    before = lines(tmp_path)
    with pytest.raises(ForeignFolderError, match=message):
        played(other, [2], 2, tmp_path)
    assert lines(tmp_path) == before


def test_a_folder_of_other_numbers_of_players_is_refused(tmp_path: Path) -> None:
    setup = Setup(porta_nigra, ("random", "greedy"), 5)
    played(setup, [2], 2, tmp_path)
    before = lines(tmp_path)
    with pytest.raises(ForeignFolderError, match="holds games of 2 players, here they are 2, 3; name another folder"):
        played(setup, [2, 3], 2, tmp_path)
    assert lines(tmp_path) == before


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path) -> None:
    results = played(SLOW, [2], 2, tmp_path)
    before = lines(tmp_path)
    with Writer(tmp_path, results.header, results), pytest.raises(BusyFolderError, match="another process"):
        played(SLOW, [2], 4, tmp_path)
    # Nor after another process has written.
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
        ('{"schema":4,"players"', "{", "line 3: JSON is malformed"),
        ('{"schema":4,"players"', '{"schema":2,"players"', "line 3: expected a game of schema 4, not 2"),
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
    with pytest.raises(ResultsError, match=f"line {len(text) + 1}: it repeats the game of line 2"):
        read(tmp_path)
    (tmp_path / RESULTS).write_text("[]\n", encoding="utf-8")
    with pytest.raises(ResultsError, match="line 1: Expected `object`, got `array`"):
        read(tmp_path)
