"""AIVAT: no bias, no variance with exact values, and clear errors."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from agents import aivat, tournament
from agents.agent import Agent
from agents.arena.matches import Match, Played
from agents.arena.ratings import half_width, share_of_deals
from agents.arena.records import game_of, recorded
from agents.arena.tables import ROUGH
from agents.arena.tournament import arena_of, run
from agents.registry import make, rivals
from agents.review.aivat import (
    ROWS,
    Chance,
    LinearValue,
    Lookahead,
    NetworkValue,
    alternatives,
    coefficients,
    correction,
    correction_of,
    results_now,
    summarize,
    told_apart,
)
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import GAMES, make_game
from tests.agents.conftest import Refuses
from tests.toys.kuhn import game as kuhn
from tests.toys.leduc import game as leduc
from tests.toys.leduc import strategy

Floats = npt.NDArray[np.float64]

#: A multiple of the numbers of actions times those of public cards.
SAMPLES = 24


class Drawing(Agent):
    """Draws from fixed probabilities, all positive, that a digest of the view decides."""

    def drawn(self, view: View) -> npt.NDArray[np.float32]:
        digest = np.frombuffer(hashlib.sha256(view.state.tobytes()).digest()[: len(view.action_mask)], dtype=np.uint8)
        weights = view.action_mask * (0.2 + digest / 255)
        probabilities: npt.NDArray[np.float32] = (weights / weights.sum()).astype(np.float32)
        return probabilities

    def act(self, view: View) -> int:
        raise NotImplementedError


class Toy:
    """A game with all its deals and futures, to be replaced for sampled ones."""

    def __init__(self, game: Game, deals: Sequence[State]) -> None:
        self.game, self.starts, self.agent = game, list(deals), Drawing("drawing", game)

    def futures(self, state: State) -> list[State]:
        return strategy.futures(state) if self.game.name == "leduc" else [state]

    def games(
        self, state: State, actions: tuple[int, ...] = (), weight: float = 1.0
    ) -> Iterator[tuple[State, tuple[int, ...], float]]:
        """Yield the ends of all games from a state, with their actions and probabilities."""
        if state.is_over:
            yield state, actions, weight
            return
        probabilities = self.agent.drawn(state.view())
        for action in state.legal_ids().tolist():
            yield from self.games(
                state.clone().apply_id(action), (*actions, action), weight * float(probabilities[action])
            )

    def expected(self) -> Floats:
        """Return the exact expected win share by seat."""
        ends = [end for deal in self.starts for end in self.games(deal)]
        shares = results_now(self.game, np.concatenate([end.states for end, _, _ in ends]), "wins")
        means: Floats = np.array([weight for _, _, weight in ends]) @ shares / len(self.starts)
        return means


class Exact(Chance):
    """All deals, and all futures of a state in turn."""

    def __init__(self, toy: Toy) -> None:
        super().__init__(toy.game, np.random.default_rng(0))
        self.toy = toy

    def deals(self, count: int) -> States:
        return np.concatenate([deal.states for deal in self.toy.starts])

    def seeds(self, count: int) -> npt.NDArray[np.int64]:
        return np.arange(count)

    def redraw(self, states: States, seeds: npt.NDArray[np.int64]) -> None:
        for row, seed in enumerate(seeds.tolist()):
            found = self.toy.futures(State(self.game, states[row : row + 1].copy()))
            states[row : row + 1] = found[seed % len(found)].states


@cache
def toy(name: str) -> Toy:
    if name == "kuhn":
        return Toy(kuhn.Kuhn(), [kuhn.dealt(cards) for cards in itertools.permutations(kuhn.CARDS, 2)])
    return Toy(leduc.Leduc(), strategy.deals())


def guessed(game: Game) -> Callable[[States], Floats]:
    """Return a value function that knows nothing: digests of the states."""

    def value(states: States) -> Floats:
        digests = [hashlib.sha256(states[row].tobytes()).digest()[: game.num_players] for row in range(len(states))]
        values: Floats = np.array([list(digest) for digest in digests]) / 255
        return values

    return value


def next_card(hands: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Return the least card in no hand, int8 (k,), of hands (k, 2)."""
    free = np.ones((len(hands), leduc.NUM_CARDS), dtype=np.bool_)
    np.put_along_axis(free, hands.astype(np.int64), False, axis=1)
    least: npt.NDArray[np.int8] = free.argmax(axis=1).astype(np.int8)
    return least


def exact(toy: Toy) -> Callable[[States], Floats]:
    """Return the exact expected win shares."""

    @cache
    def of(record: bytes) -> Floats:
        state = State(toy.game, np.frombuffer(record, dtype=toy.game.dtype).copy())
        ends = [end for future in toy.futures(state) for end in toy.games(future)]
        shares = results_now(toy.game, np.concatenate([end.states for end, _, _ in ends]), "wins")
        values: Floats = np.array([weight for _, _, weight in ends]) @ shares / len(toy.futures(state))
        return values

    def value(states: States) -> Floats:
        # The random key, and an unseen public card, have no effect.
        states = states.copy()
        states["key"], states["counters"] = 1, 0
        if toy.game.name == "leduc":
            unseen = states["round"] == 0
            states["public"][unseen] = next_card(states["cards"][unseen])
        return np.array([of(states[row : row + 1].tobytes()) for row in range(len(states))])

    return value


def terms(toy: Toy, deal: State, actions: Sequence[int], value: Callable[[States], Floats], chance: Chance) -> Floats:
    return correction(toy.game, deal.states, actions, [toy.agent] * 2, value, "wins", SAMPLES, chance)


@pytest.mark.parametrize("name", ["kuhn", pytest.param("leduc", marks=pytest.mark.long)])
def test_no_value_function_changes_the_mean(name: str) -> None:
    """The mean over all deals and all games is the exact one, although the values are nonsense."""
    game, chance = toy(name), Exact(toy(name))
    value, mean, total = guessed(game.game), np.zeros(2), 0.0
    for deal in game.starts:
        for end, actions, weight in game.games(deal):
            corrected = results_now(game.game, end.states, "wins")[0] + terms(game, deal, actions, value, chance)
            mean += weight * corrected / len(game.starts)
            total += weight / len(game.starts)
    assert total == pytest.approx(1, abs=1e-6)
    assert mean == pytest.approx(game.expected(), abs=1e-6)


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_exact_values_leave_no_variance(name: str) -> None:
    game, chance, rng = toy(name), Exact(toy(name)), np.random.default_rng(3)
    value, expected = exact(game), game.expected()
    for index in rng.choice(len(game.starts), size=4, replace=False):
        deal = game.starts[int(index)]
        games = list(game.games(deal))
        for number in rng.choice(len(games), size=min(5, len(games)), replace=False):
            end, actions, _ = games[int(number)]
            result = results_now(game.game, end.states, "wins")[0]
            assert result + terms(game, deal, actions, value, chance) == pytest.approx(expected, abs=1e-6)


def sampled(game: Toy, games: int, value: Callable[[States], Floats]) -> tuple[Floats, Floats]:
    """Return results and terms of games with sampled alternatives, float64 (games, 2)."""
    rng, results, found = np.random.default_rng(7), [], []
    for _ in range(games):
        state = State(game.game, game.game.new_states(int(rng.integers(2**62))))
        deal, actions = state.clone(), list[int]()
        while not state.is_over:
            probabilities = game.agent.drawn(state.view()).astype(np.float64)
            actions.append(int(rng.choice(len(probabilities), p=probabilities / probabilities.sum())))
            state.apply_id(actions[-1])
        results.append(results_now(game.game, state.states, "wins")[0])
        found.append(terms(game, deal, actions, value, Chance(game.game, rng)))
    return np.array(results), np.array(found)


@pytest.mark.parametrize(
    ("name", "games"),
    [
        ("kuhn", 1_000),
        ("leduc", 500),
        *(pytest.param(name, 100_000, marks=pytest.mark.long) for name in ("kuhn", "leduc")),
    ],
)
def test_sampled_alternatives_agree_with_the_exact_mean(name: str, games: int) -> None:
    game = toy(name)
    for value, ratio in ((exact(game), 5.0), (guessed(game.game), 0.0)):
        results, found = sampled(game, games, value)
        corrected = (results + found)[:, 0]
        assert abs(corrected.mean() - game.expected()[0]) < 4 * corrected.std() / games**0.5
        assert results[:, 0].var() > ratio * corrected.var()


def test_all_likely_actions_or_a_fair_sample_of_them_are_alternatives() -> None:
    probabilities = np.array([0, 0.5, 0.25, 0, 0.25], dtype=np.float32)
    actions, weights = alternatives(probabilities, 1, 7, 0.5)
    assert actions.tolist() == [1, 1, 2, 2, 4, 4]
    assert weights.tolist() == [0.25, 0.25, 0.125, 0.125, 0.125, 0.125]
    assert alternatives(None, 3, 4, 0.5).actions.tolist() == [3] * 4
    many = np.full(100, 0.01, dtype=np.float32)
    # Steps of the uniform number that fall inside an action's share, not on its border.
    taken = [alternatives(many, 0, 10, (step + 0.5) / 50).actions for step in range(50)]
    assert np.bincount(np.concatenate(taken), minlength=100).tolist() == [5] * 100


def played(deal: int, places: tuple[int, ...], agents: tuple[str, ...] = ("a", "b")) -> Played:
    return Played(Match(deal, agents), deal, (0, 0), places, 1)


def test_coefficients_come_from_the_other_half_of_the_deals() -> None:
    rng = np.random.default_rng(1)
    results = rng.random((400, 2))
    games = [played(deal, (1, 2)) for deal in range(400)]
    doubled, *_ = summarize(games, results, 0.5 - 2 * (results - 0.5) - 0.5, "points")
    assert doubled.coefficients == pytest.approx((0.5, 0.5))
    assert doubled.ratio > 1e6
    terms = rng.normal(size=(400, 2))
    noise, *_ = summarize(games, results, terms, "points")
    assert noise.coefficients == pytest.approx((0, 0), abs=0.1)
    assert noise.ratio == pytest.approx(1, abs=0.05)
    # The first deal is in the first half: a lucky result changes the coefficient of the second half alone.
    results[0] = 100, 0
    terms[0] = -10, 0
    lucky, *_ = summarize(games, results, terms, "points")
    assert lucky.coefficients[0] == noise.coefficients[0]
    assert lucky.coefficients[1] > 1


def test_results_that_do_not_vary_have_intervals() -> None:
    rng, won = np.random.default_rng(4), np.tile([1.0, 0.0], (40, 1))
    games, terms = [played(deal, (1, 2)) for deal in range(40)], rng.normal(0, 0.1, (40, 2))
    wins = share_of_deals(np.ones(40), np.ones(40))
    assert wins.low < 0.95
    # The raw results do not vary with the terms, so that these count nothing.
    first, last = summarize(games, won, terms, "wins")
    assert (first.raw, first.corrected) == (wins, wins)
    assert last.raw == share_of_deals(np.zeros(40), np.ones(40)) == last.corrected
    assert np.isnan([first.ratio, last.ratio]).all()
    # Two deals: Student's t with one degree of freedom, and no ratio even where results vary.
    two, _ = summarize(games[:2], won[:2], terms[:2], "wins")
    assert two.raw == share_of_deals(np.ones(2), np.ones(2))
    spread = abs(terms[0, 0] - terms[1, 0]) / 2
    assert two.corrected.high - two.corrected.value == pytest.approx(half_width(2) * spread)
    varied, _ = summarize(games[:9], rng.random((9, 2)), terms[:9], "wins")
    assert np.isnan([two.ratio, varied.ratio]).all()
    assert summarize(games[:10], rng.random((10, 2)), terms[:10], "wins")[0].ratio > 0


def test_a_coefficient_that_few_deals_support_is_small() -> None:
    rng = np.random.default_rng(2)
    half, slopes = np.arange(40) % 2 == 1, list[float]()
    for _ in range(200):
        terms = rng.normal(size=40)
        slopes += coefficients(rng.normal(size=40) - 0.1 * terms, terms, half)
    assert np.mean([slope == 0 for slope in slopes]) > 0.5
    assert np.abs(slopes).mean() < 0.15


@pytest.mark.parametrize("plies", [1, 7, 10_000])
def test_values_count_after_steps_of_the_network(plies: int) -> None:
    """The same as one game at a time, for more states than one batch holds."""
    game = make_game("porta_nigra", 2)
    network, agent = NetworkValue(game, "network"), make("network", game)
    start = [game.new_states(seed) for seed in range(3)]
    found = Lookahead(network, network, plies)(np.concatenate([start[row % 3] for row in range(ROWS + 2)]))
    for row, states in enumerate(start):
        state = State(game, states.copy())
        for _ in range(plies):
            if not state.is_over:
                state.apply_id(agent.act(state.view(state.current_player)))
        expected = results_now(game, state.states, "wins") if state.is_over else network(state.states)
        assert found[row::3] == pytest.approx(np.repeat(expected, len(found[row::3]), axis=0), abs=1e-5)


def test_agents_play_on_themselves_and_the_network_for_slow_ones() -> None:
    game = make_game("porta_nigra", 2)
    other = f"network:checkpoint={game.networks()[2].with_name('two_players.safetensors')}"
    slow = "mirror:worlds=2,plies=2", "network:temperature=1"
    names = ["network", other, "builder", *slow]
    network, states = NetworkValue(game, "network"), np.concatenate([game.new_states(seed) for seed in range(3)])
    agents, ahead = {name: make(name, game) for name in names}, Lookahead(network, network, 60)
    for seats in (("network", other), (other, "builder"), ("builder", slow[0]), (slow[1], other)):
        found = ahead.at([agents[name] for name in seats])(states)
        for row, values in enumerate(found):
            state = State(game, states[row : row + 1].copy())
            for _ in range(60):
                name = seats[state.player]
                state.apply_id(agents["network" if name in slow else name].act(state.view()))
            assert values == pytest.approx(network(state.states)[0], abs=1e-5)


def test_players_tell_states_apart_by_what_they_see() -> None:
    game = make_game("porta_nigra", 2)
    states, chance = np.repeat(game.new_states(1), 2), Chance(game, np.random.default_rng(1))
    redrawn = states.copy()
    chance.redraw(redrawn, chance.seeds(2))
    assert told_apart(game, states, redrawn).tolist() == [False, False]
    redrawn[1] = game.new_states(2)[0]
    assert told_apart(game, states, redrawn).tolist() == [False, True]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return two tournaments on different deals."""
    made = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("other")
    for seed, folder in enumerate(made):
        run(arena_of(["network:temperature=1", "builder", "random"], seed, record=True), [2], 6, folder)
    return made


@pytest.mark.parametrize(
    "name", ["porta_nigra", *(pytest.param(name, marks=pytest.mark.long) for name in list(GAMES)[1:])]
)
def test_terms_of_real_games_have_the_mean_zero(name: str, tmp_path: Path) -> None:
    run(arena_of(["random", rivals(name)[0]], 1, name, record=True), [3], 24, tmp_path)
    header, games = recorded(tmp_path)
    game = game_of(header, 3)
    value = LinearValue.fit(game, games[:12], "margin")
    found = np.array([correction_of(game, one, value, "margin", 4, 1) for one in games[12:]])
    assert found.std() > 0
    assert np.abs(found.mean(axis=0)).max() < 4 * found.std() / len(found) ** 0.5


QUICK = ("--samples", "4", "--plies", "3")


def test_the_program_names_baseline_and_digest(
    folders: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = folders
    file = tmp_path / "figures.json"
    assert aivat.main([str(one), "--json", str(file), *QUICK]) == 0
    first, times = capsys.readouterr().out.split("2 players: ")
    assert times.startswith("a game took")
    figures = json.loads(file.read_text())
    assert figures["baselines"]["2"][0] == "network after 3 steps of the agents, network for slow ones"
    assert len(figures["baselines"]["2"][1]) == 64
    assert [row["agent"] for row in figures["rows"]] == ["builder", "network:temperature=1", "random"]
    assert aivat.main([str(one), *QUICK, "--jobs", "2"]) == 0
    # All but the times.
    texts = (first, capsys.readouterr().out)
    one_job, two_jobs = ([line.split("|")[:-2] for line in text.splitlines() if line.startswith("|")] for text in texts)
    assert one_job == two_jobs
    assert aivat.main([str(one), *QUICK, "--baseline", "linear", "--fit", str(other), "--measure", "points"]) == 0
    assert "raw points" in capsys.readouterr().out


def test_a_tournament_corrects_its_own_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games"
    assert tournament.main(["network", "random", "--games", "2", "--aivat", "network", "--out", str(out)]) == 0
    report, correction = capsys.readouterr().out.split("| players | agent")
    assert "corrected wins" in correction
    # One deal: the same share as in the report, no ratio, and the caution.
    row = next(line.split("|") for line in correction.splitlines() if "network" in line)
    assert row[4].strip() == "100.0 [0.6, 100.0]"
    assert row[4].strip() in report
    assert row[6].strip() == row[7].strip() == ""
    assert ROUGH in report
    assert f"2 players, 1 deals. {ROUGH}" in correction
    assert all(game.actions for game in recorded(out)[1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--aivat", "builder"], "--aivat: 'builder' estimates no results"),
        (["--aivat", "network", "--sprt", "elo1=5"], "--sprt takes no"),
    ],
)
def test_a_tournament_refuses_an_unusable_baseline(refuses: Refuses, options: list[str], message: str) -> None:
    refuses(tournament.main, ["network", "random", *options, "--out", "games"], message)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--samples", "1"], "--samples must be at least 2"),
        (["--plies", "-1"], "--plies must be at least 0"),
        (["--measure", "margin"], "a network predicts results"),
        (["--baseline", "linear"], "needs --fit FOLDER"),
        (["--baseline", "builder"], "--baseline: 'builder' estimates no results"),
        (["--json", "none/figures.json"], "--json: none/figures.json must be a file in an existing folder"),
    ],
)
def test_unusable_options_are_refused(
    folders: tuple[Path, Path], refuses: Refuses, options: list[str], message: str
) -> None:
    refuses(aivat.main, [str(folders[0]), *options], message)


def test_a_linear_baseline_never_sees_its_own_games(folders: tuple[Path, Path], refuses: Refuses) -> None:
    one, _ = folders
    refuses(aivat.main, [str(one), "--baseline", "linear", "--fit", str(one)], "of another tournament")


def test_only_agents_that_draw_have_probabilities() -> None:
    game = make_game("porta_nigra", 2)
    view = State(game, game.new_states(1)).view()
    for name, draws in (("random", True), ("builder", False), ("network", False), ("network:temperature=1", True)):
        drawn = make(name, game).drawn(view)
        assert (drawn is not None) == draws
        if drawn is not None:
            assert drawn.sum() == pytest.approx(1, abs=1e-5)
            assert not drawn[view.action_mask == 0].any()
