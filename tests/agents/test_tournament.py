"""Tournaments: line-ups, deals, and games in one process and in several."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.arena import matches
from agents.arena.matches import (
    Match,
    Setup,
    cyclic_order,
    cyclic_orders,
    lineups,
    lineups_alone,
    order_of_deal,
    rotations,
    schedule,
)
from agents.arena.playing import Arena, MatchError
from agents.arena.results import read_times
from agents.arena.sections import complete
from agents.networks.network import Network, save_network
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.play import play_games
from porta_nigra_env.games.porta_nigra.game import PortaNigra, State
from porta_nigra_env.players.network import Shape
from tests.agents.tournaments import FAST, POLICIES, SLOW, game, kuhn, played, porta_nigra

# -- line-ups


def setup(agents: str) -> Setup:
    """A tournament of agents of one letter."""
    return Setup(kuhn, tuple(agents), 5)


def test_line_ups_have_as_many_different_agents_as_there_can_be() -> None:
    assert lineups("ABC", 2) == [("A", "B"), ("A", "C"), ("B", "C")]
    assert lineups("BA", 3) == [("A", "A", "B"), ("A", "B", "B")]
    assert lineups("AB", 4) == [("A", "A", "A", "B"), ("A", "A", "B", "B"), ("A", "B", "B", "B")]
    assert lineups("ABC", 4) == [("A", "A", "B", "C"), ("A", "B", "B", "C"), ("A", "B", "C", "C")]
    assert len(lineups("ABCDE", 4)) == 5


def test_one_agent_may_sit_alone_among_each_of_the_others() -> None:
    alone = Setup(kuhn, ("B", "A", "C"), 5, alone="B")
    assert lineups_alone("B", "BAC", 3) == [("A", "A", "B"), ("B", "C", "C")]
    assert lineups_alone("B", "BAC", 2) == [("A", "B"), ("B", "C")]
    found = schedule(alone, 4, 8)
    assert len(found) == 2 * 2 * 4
    for deal in (0, 1):
        for other in "AC":
            seats = [one.agents.index("B") for one in found if one.deal == deal and other in one.agents]
            assert sorted(seats) == [0, 1, 2, 3]
    assert all(one.agents.count("B") == 1 for one in found)


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
    assert schedule(setup("A"), 2, 4) == [Match(0, ("A", "A")), Match(1, ("A", "A"))]
    alone = [game(0, "AA", 1, 2)]
    assert complete(alone) == alone


def test_every_line_up_plays_the_same_deals() -> None:
    games = schedule(setup("ABC"), 3, 10)
    assert len(games) == len(set(games)) == 4 * 3
    assert {match.deal for match in games} == {0, 1, 2, 3}
    games = schedule(setup("ABC"), 2, 3)
    assert Counter(match.deal for match in games) == {0: 6, 1: 6}


def test_who_sits_left_of_whom_is_in_balance() -> None:
    """After as many deals as there are orders around the table each has been played once."""
    for players, orders in ((3, 2), (4, 6)):
        games = schedule(setup("ABCDE"), players, 5 * orders * players)
        for lineup in lineups("ABCDE", players):
            own = [match for match in games if set(match.agents) == set(lineup)]
            assert Counter(match.agents for match in own) == dict.fromkeys(itertools.permutations(lineup), 5)
            # In any deal only one, from all seats.
            assert all(len({cyclic_order(one.agents) for one in own if one.deal == deal}) == 1 for deal in range(5))
    # Two agents at four seats: ABAB is met half as often as AABB, as if they took their seats by lot.
    orders_met = Counter(
        cyclic_order(match.agents) for match in schedule(setup("AB"), 4, 8) if sorted(match.agents) == [*"AABB"]
    )
    assert orders_met == {tuple("AABB"): 4, tuple("ABAB"): 2}


def test_orders_are_drawn_by_lot() -> None:
    """Not the same ones first in every tournament and lineup; more games do not change those there are."""
    first = {order_of_deal(seed, ("A", "B", "C"), 0) for seed in range(20)}
    assert first == set(cyclic_orders(("A", "B", "C")))
    few, many = (schedule(setup("ABCD"), 3, games) for games in (9, 30))
    assert many[: len(few)] == few
    assert (
        len({tuple(sorted(seats).index(one) for one in cyclic_order(seats)) for seats in (m.agents for m in few)}) == 2
    )


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
    ends, _ = arena.play_asked(match)
    assert done[0].decisions == ends.lengths[0]
    assert done[0].scores == tuple(arena.game(2).totals(ends.states).tolist())
    # The first decision of each is not measured.
    assert sum(pace.decisions for pace in paces) == ends.lengths[0] - 2
    assert all(pace.seconds > 0 for pace in paces)


def test_an_illegal_answer_names_agent_and_game(tmp_path: Path) -> None:
    with pytest.raises(MatchError, match=r"'probe-broken' .*illegal action -1 on seat 0 in step 0 .*with seed \d+"):
        played(Setup(kuhn, ("probe-broken", "random")), [2], 2, tmp_path)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    """The file of a small network for two and three players."""
    torch.manual_seed(2)
    games: list[Game] = [PortaNigra(2), PortaNigra(3)]
    save_network(tmp_path / "network", Network(Shape.of(games[0], width=8)), games)
    return tmp_path / "network"


def answering_for_many(network: Path) -> Setup:
    """Agents of which one answers for many games, with chance of different kinds."""
    kinds = ("network", "network:temperature=2", "guided:simulations=4,parallel=4")
    texts = [f"{kind}{',' if ':' in kind else ':'}checkpoint={network}" for kind in kinds]
    return Setup(porta_nigra, (*texts, "random"), 5)


@pytest.mark.parametrize("players", [2, 3])
def test_games_side_by_side_are_those_that_are_played_alone(players: int, network: Path) -> None:
    arena = Arena(answering_for_many(network))
    games = [match for match in schedule(arena.setup, players, 2 * players) if set(match.agents) != {"random"}]
    (task,) = arena.batches(games)
    assert len(task) == len(games) > 20
    done, paces = arena.play(task)
    assert {pace.agent for pace in paces} == set(arena.setup.agents)
    for one in done:
        ends, _ = arena.play_asked(one.match)
        assert one.scores == tuple(arena.game(players).totals(ends.states).tolist())
        assert one.decisions == ends.lengths[0]


def test_a_network_decides_in_many_games_at_once(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch has all waiting games; games with other agents are played alone."""
    sizes = []
    forward = Network.forward

    def counted(self: Network, observations: Any) -> Any:
        sizes.append(len(observations))
        return forward(self, observations)

    monkeypatch.setattr(Network, "forward", counted)
    setup = Setup(porta_nigra, (f"network:checkpoint={network}", "probe-lowest"), 5)
    results = played(setup, [2], 24, tmp_path / "games")
    decisions = sum(game.decisions for game in results.games) / 2
    assert max(sizes) >= 12
    assert len(sizes) < decisions / 6
    sizes.clear()
    played(Setup(porta_nigra, (f"network:checkpoint={network}", "probe-asked"), 5), [2], 2, tmp_path / "asked")
    assert not sizes


def test_an_illegal_answer_among_many_games_names_agent_and_game(tmp_path: Path) -> None:
    with pytest.raises(MatchError, match=r"'probe-many' .*illegal action 999 on seat \d in step 2 .*with seed \d+"):
        played(Setup(porta_nigra, ("probe-many", "probe-lowest")), [2], 4, tmp_path)


def test_kuhn_poker_decision_by_decision(tmp_path: Path) -> None:
    results = played(SLOW, [2], 20, tmp_path)
    assert len(results.games) == 3 * 20
    assert all(sum(game.scores) == 0 and 2 <= game.decisions <= 3 for game in results.games)
    assert results.header.sources == []
    times, machines = read_times(tmp_path)
    assert set(times) == {(2, agent) for agent in SLOW.agents}
    assert len(machines) == 1
    # Lowest always passes, and never loses more than the ante.
    lowest = [
        game.scores[game.match.agents.index("probe-lowest")]
        for game in results.games
        if "probe-lowest" in game.match.agents
    ]
    assert min(lowest) == -1
