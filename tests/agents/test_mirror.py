"""Mirror-descent search: it finds wins, averages values, and updates the policy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agents.networks.neural import MirrorAgent
from agents.options import MAX_SIMULATIONS
from agents.registry import make
from agents.search.mirror import Effort, MirrorSearch, Race
from benchmarks.search_gain import Options as Gain
from porta_nigra_env.core.game.game import copied
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.agents.test_guided import SEATS, knows_nothing, nim
from tests.agents.test_network import positions
from tests.toys.kuhn.game import Kuhn
from tests.toys.kuhn.strategy import strategy
from training.expert.options import Options as Expert

SMALL = Effort(worlds=40, candidates=8, plies=20, rows=64)


def likes_the_last(observations: Any, masks: Any) -> tuple[Any, Any]:
    """The last action of all is three times as likely as any other."""
    logits = np.zeros(masks.shape, dtype=np.float32)
    logits[:, -1] = np.log(3.0)
    return logits, np.zeros((len(masks), SEATS), dtype=np.float32)


def left_wins(observations: Any, masks: Any) -> tuple[Any, Any]:
    """The seat on the left of the observer wins."""
    values = np.full((len(masks), SEATS), -0.5, dtype=np.float32)
    values[:, 1] = 1.0
    return np.zeros(masks.shape, dtype=np.float32), values


def a_choice(players: int) -> View:
    env = positions(players, 40)
    return env.view(int(np.flatnonzero(env.action_masks.sum(axis=1) > 2)[0]))


@pytest.mark.parametrize("heap", [2, 3])
def test_what_wins_at_once_is_found(heap: int) -> None:
    for player in (0, 1):
        found = MirrorSearch(nim(heap, player).game, knows_nothing, SMALL, step=20.0).run(nim(heap, player), 1)
        assert found.improved.argmax() == heap - 1
        assert found.values[heap - 1] == 1.0
        assert found.values[0] < 1.0


def test_the_game_is_played_to_its_end_or_judged() -> None:
    """With two left, taking one leaves the last to the other player: by playing on, or by who the network says wins."""

    def other_wins(observations: Any, masks: Any) -> tuple[Any, Any]:
        values = np.full((len(masks), SEATS), 0.25, dtype=np.float32)
        values[:, 1] = -0.75
        return np.zeros(masks.shape, dtype=np.float32), values

    view = nim(2, 0)
    rollout_results = MirrorSearch(view.game, other_wins, SMALL, step=1.0).run(view, 1)
    assert rollout_results.values[:2].tolist() == [-1.0, 1.0]
    judged = MirrorSearch(view.game, other_wins, Effort(10, 8, 0, 64), step=1.0).run(view, 1)
    assert judged.values[:2].tolist() == [-0.75, 1.0]
    assert judged.expected.tolist() == [0.25, -0.75]


def test_values_are_those_of_the_searchers_seat() -> None:
    view = a_choice(3)
    found = MirrorSearch(view.game, left_wins, Effort(8, 200, 0, 256), step=1.0).run(view, 1)
    game = view.game
    for action in view.legal_ids().tolist():
        after = copied(view.state)
        game.kernel.step(game.constants, after, 0, action)
        wins = (int(after[0]["current_player"]) + 1) % 3 == view.player
        assert found.values[action] == (1.0 if wins else -0.5)
    assert found.expected[(view.player + 1) % 3] == 1.0


def test_probabilities_move_as_mirror_descent_says() -> None:
    view = a_choice(2)
    legal = view.legal_ids()

    def improved(step: float, magnet: float) -> Any:
        def knows(observations: Any, masks: Any) -> tuple[Any, Any]:
            logits, values = likes_the_last(observations, masks[:, : legal[-1] + 1])
            whole = np.zeros(masks.shape, dtype=np.float32)
            whole[:, : legal[-1] + 1] = logits
            return whole, values

        return MirrorSearch(view.game, knows, Effort(8, 200, 0, 512), step, magnet).run(view, 1)

    plain = improved(0.0, 0.0).improved
    assert plain[legal[-1]] / plain[legal[0]] == pytest.approx(3.0)
    assert plain.sum() == pytest.approx(1.0)
    drawn = improved(1.0, 1.0).improved
    assert drawn[legal[-1]] / drawn[legal[0]] == pytest.approx(3.0**0.5)
    assert not drawn[view.action_mask == 0].any()


def test_better_results_count_by_the_step() -> None:
    view = nim(3, 0)
    for step in (0.5, 2.0):
        found = MirrorSearch(view.game, knows_nothing, SMALL, step).run(view, 1)
        wanted = np.exp(step * (found.values[2] - found.values[0]))
        assert found.improved[2] / found.improved[0] == pytest.approx(wanted)


def test_only_the_likeliest_are_tried_and_the_others_take_the_mean() -> None:
    view = nim(7, 0)
    found = MirrorSearch(view.game, likes_the_last, Effort(10, 2, 30, 64), step=5.0).run(view, 1)
    assert (found.tried > 0).tolist() == [True, False, True]
    assert found.values[1] == pytest.approx(0.25 * found.values[0] + 0.75 * found.values[2])


def test_without_time_the_network_decides_and_the_clock_is_asked_after_every_batch() -> None:
    view = nim(7, 0)
    search = MirrorSearch(view.game, likes_the_last, Effort(100, 8, 4, 30), step=5.0)
    assert search.run(view, 1, spent=lambda: 1.0).improved == pytest.approx([0.2, 0.2, 0.6])
    alike = MirrorSearch(view.game, knows_nothing, Effort(100, 8, 0, 30), step=5.0)
    clock = iter([0.0, 0.4, 0.8, 1.2])
    assert alike.run(view, 1, spent=lambda: next(clock)).tried.tolist() == [30, 30, 30]


def count(race: Race, results: list[list[float]]) -> None:
    """Results of the second of two seats, in some worlds; the first one gets the opposite."""
    own = np.array(results)
    race.add(np.stack([-own, own], axis=2), False, 1)


def test_what_is_behind_is_given_up_and_keeps_its_distance() -> None:
    race = Race.of(3, 2)
    alike = np.zeros(3)
    count(race, [[0.5, 0.4, -0.5]] * 8)
    race.eliminate(alike, step=10.0)
    # Too few worlds, which all said the same, tell nothing of errors.
    assert race.running.tolist() == [0, 1, 2]
    count(race, [[0.4, 0.5, -0.6]] * 8)
    race.eliminate(alike, step=10.0)
    assert race.running.tolist() == [0, 1]
    count(race, [[-0.5, 0.5]] * 16)
    race.eliminate(alike, step=10.0)
    assert race.running.tolist() == [1]
    assert race.tried.tolist() == [32, 32, 16]
    # The last was 1.0 behind the first, which is at -0.025 in the end.
    assert race.means(alike, 0.0) == pytest.approx([-0.025, 0.475, -1.025])
    assert race.totals[:, 1] == pytest.approx(race.sums)
    assert race.totals[:, 0] == pytest.approx(-race.sums)
    unlikely = Race.of(2, 2)
    count(unlikely, [[0.1, 0.2]] * 16)
    unlikely.eliminate(np.log(np.array([0.9, 0.1])), step=10.0)
    assert unlikely.running.tolist() == [0]


def test_what_chance_may_have_done_counts_less() -> None:
    """By hand: differences of 0.1 with an error of 0.05, and one of -0.3 that is beyond doubt."""
    race, shares = Race.of(3, 2), np.log(np.array([0.6, 0.3, 0.1]))
    count(race, [[0.0, 0.3, -0.3], [0.0, -0.1, -0.3]] * 8)
    assert race.errors(0) == pytest.approx([0.0, 0.05, 0.0], abs=1e-6)
    assert race.means(shares, 0.0) == pytest.approx([0.0, 0.1, -0.3])
    assert race.means(shares, 1.0) == pytest.approx([0.0, 0.05, -0.3])
    assert race.means(shares, 2.0) == pytest.approx([0.0, 0.0, -0.3])
    assert race.means(shares, 3.0) == pytest.approx([0.0, 0.0, -0.3])
    # Eliminated, the last keeps its significant distance from the leader.
    race.eliminate(shares, step=10.0)
    np.testing.assert_allclose(race.behind, [(2, 1, 0.4, 0.05)])
    assert race.means(shares, 2.0) == pytest.approx([0.0, 0.0, -0.3])
    assert race.means(shares, 0.0) == pytest.approx([0.0, 0.1, -0.3])


def test_options_of_the_agent() -> None:
    """The defaults are the best of a sweep (docs/agents.md); with a clock there is no limit of determinizations."""
    game = PortaNigra(2)
    for text, effort in {
        "mirror": Effort(32, 8, 32, 256),
        "mirror:seconds=1": Effort(MAX_SIMULATIONS, 8, 32, 256, deepest=64),
        "mirror:worlds=8,plies=128,doubt=2": Effort(8, 8, 128, 256, doubt=2.0),
    }.items():
        agent = make(text, game)
        assert isinstance(agent, MirrorAgent)
        assert agent.search.effort == effort
    assert (Gain(()).determinizations, Gain(()).rollout_steps) == (32, 32)
    assert (Expert().determinizations, Expert().rollout_steps) == (32, 32)


def test_a_search_of_which_one_action_is_left_is_over() -> None:
    view = nim(3, 0)
    found = MirrorSearch(view.game, knows_nothing, Effort(100_000, 8, 20, 64), step=20.0).run(view, 1)
    assert found.improved.argmax() == 2
    assert found.tried.max() < 1000


def deepened(effort: Effort, seconds_a_ply: float) -> list[int]:
    """The plies of the batches of a search in Nim, for which a clock goes that only counts plies."""
    played: list[int] = []

    class Recorded(MirrorSearch):
        def _roll_out(self, states: Any, actions: Any, uniforms: Any, histories: Any = None) -> tuple[Any, Any]:
            played.append(len(uniforms))
            return super()._roll_out(states, actions, uniforms, histories)

    Recorded(nim(9, 0).game, knows_nothing, effort, step=5.0).run(nim(9, 0), 1, lambda: sum(played) * seconds_a_ply)
    return played


def test_with_time_left_it_begins_anew_with_twice_the_plies() -> None:
    once = Effort(worlds=8, candidates=3, plies=1, rows=24, deepest=64)
    # Nine are taken in nine turns at most: from eight plies after the first action on, playing on tells no more.
    assert deepened(once, 0.0) == [1, 2, 4, 8]
    assert deepened(Effort(8, 3, 1, 24, deepest=4), 0.0) == [1, 2, 4]
    assert deepened(Effort(8, 3, 1, 24), 0.0) == [1]
    # No batch is begun that would take longer than is left: 0.3 are over after two races, the third needs 0.4.
    assert deepened(once, 0.1) == [1, 2, 4]
    assert deepened(once, 0.15) == [1, 2]
    assert deepened(once, 0.4) == [1]
    # An undecided race leaves half of the time to deeper ones.
    many = Effort(worlds=100_000, candidates=3, plies=1, rows=24, deepest=2)
    plies = deepened(many, 0.01)
    assert plies.count(1) == 50
    assert 0 < plies.count(2) <= 25


def test_a_whole_race_counts_however_few_worlds_it_has() -> None:
    """With a heap of nine the network has no value after one ply; finished games have results."""
    view = nim(9, 0)
    for deepest, told in ((1, False), (64, True)):
        search = MirrorSearch(view.game, knows_nothing, Effort(8, 3, 1, 24, deepest), step=5.0)
        assert bool(search.run(view, 1).values.any()) == told


def test_a_race_that_was_broken_off_does_not_count() -> None:
    view = nim(8, 0)
    first = MirrorSearch(view.game, knows_nothing, Effort(40, 8, 2, 24), step=0.1).run(view, 1)
    clock = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0]
    told = iter(clock)
    search = MirrorSearch(view.game, knows_nothing, Effort(40, 8, 2, 24, deepest=4), step=0.1)
    found = search.run(view, 1, lambda: next(told))
    assert list(told) == []
    np.testing.assert_array_equal(found.values, first.values)
    assert found.tried.tolist() == first.tried.tolist() == [40, 40, 40]


def test_many_decisions_side_by_side_are_searched_as_each_alone() -> None:
    """Determinizations and rollouts follow from the seed alone, for any number of rows."""
    heaps, seeds = [9, 2, 7, 3, 8], [1, 2, 3, 4, 5]
    views = [nim(heap, 0) for heap in heaps]
    alone = [
        MirrorSearch(view.game, knows_nothing, Effort(32, 3, 4, 16 * len(view.legal_ids())), step=5.0).run(view, seed)
        for view, seed in zip(views, seeds, strict=True)
    ]
    for rows in (48, 100, 512):
        search = MirrorSearch(views[0].game, knows_nothing, Effort(32, 3, 4, rows), step=5.0)
        assert search.run_all([], []) == []
        for one, other in zip(alone, search.run_all(views, seeds), strict=True):
            np.testing.assert_array_equal(one.values, other.values)
            np.testing.assert_array_equal(one.tried, other.tried)
            np.testing.assert_array_equal(one.improved, other.improved)
            np.testing.assert_array_equal(one.means, other.means)
    # Of a heap of two the better action is clear after the first worlds; of nine none is.
    assert alone[1].tried.tolist() == [16, 16, 0]
    assert alone[0].tried.tolist() == [32, 32, 32]


def test_side_by_side_results_are_those_of_the_seats_that_move() -> None:
    env = positions(3, 40)
    chosen = np.flatnonzero(env.action_masks.sum(axis=1) > 1)
    views = [env.view(int(row)) for row in chosen]
    assert len({view.player for view in views}) > 1
    search = MirrorSearch(env.game, left_wins, Effort(8, 4, 0, 100), step=1.0)
    for view, found in zip(views, search.run_all(views, list(range(len(views)))), strict=True):
        assert found.expected[(view.player + 1) % 3] == 1.0
        again = search.run(view, 1)
        tried = again.tried > 0
        np.testing.assert_array_equal(found.values[tried], again.values[tried])


def test_a_seed_is_an_answer() -> None:
    view = nim(9, 0)
    search = MirrorSearch(view.game, knows_nothing, Effort(16, 4, 30, 64), step=5.0)
    first, again, other = (search.run(view, seed).values for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_kuhn_poker_is_called_with_the_better_cards() -> None:
    """Giving up loses, so a bet is called with every card that may win: the queen and the king."""
    search = MirrorSearch(Kuhn(), knows_nothing, Effort(200, 2, 4, 64), step=5.0)
    bets = strategy(lambda view: search.run(view, 1).improved.astype(np.float32))
    for history in ("b", "pb"):
        assert bets[history, 1] > 0.8
        assert bets[history, 2] > 0.8
