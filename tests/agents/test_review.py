"""Reviews: sums are exact, values of toy games are known, hidden cards do not matter, and blunders are found."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.networks.network import Network, save_network
from agents.networks.neural import evaluator_of
from agents.registry import make
from agents.review.__main__ import main, text
from agents.review.estimates import ENDLESS, QUICK, Baseline, Comparison, Effort, Estimator, baseline
from agents.review.page import html
from agents.review.recording import read_recording
from agents.review.review import STAGES, Review, choice_effect, repeated, review
from benchmarks.review import plant, rank_of
from porta_nigra_env.core.game import playthrough
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import DEFAULT_GAME, make_game
from porta_nigra_env.players.network import Shape
from tests.agents.conftest import Refuses
from tests.agents.test_information import situations, swapped
from tests.toys.dice.game import Dice
from tests.toys.kuhn.game import CARDS, Kuhn, dealt
from tests.toys.nim.game import Nim

SMALL = Effort(samples=6, candidates=3, plies=2)


def drawn(game: Game, seed: int = 0) -> Baseline:
    """Return a network with random weights of some size."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = Network(Shape.of(game, width=16)).eval()
        for layer in (network.policy, network.value):
            torch.nn.init.normal_(layer.weight, std=0.3)
    return Baseline("drawn", network.fingerprint(), evaluator_of(network))


def random_game(game: Game, seed: int) -> list[int]:
    """Return the actions of a random game."""
    state, rng, actions = State(game, game.new_states(seed)), np.random.default_rng(seed), []
    while not state.is_over:
        actions.append(int(rng.choice(state.legal_ids())))
        state.apply_id(actions[-1])
    return actions


def reviewed(game: Game, seed: int, effort: Effort = SMALL) -> Review:
    """Return the review of a random game by a random network."""
    return review(game, seed, random_game(game, seed), drawn(game), effort)


GAMES = [Dice(2), Dice(5), Kuhn(), make_game(DEFAULT_GAME, 3)]


@pytest.mark.parametrize(
    ("game", "effort"), [(game, effort) for game in GAMES for effort in (SMALL, QUICK)][:-1], ids=repr
)
def test_skill_and_luck_add_up_to_the_result(game: Game, effort: Effort) -> None:
    done = reviewed(game, 4, effort)
    state = State(game, game.new_states(4))
    for action in random_game(game, 4):
        state.apply_id(action)
    for number, (seat, result) in enumerate(zip(done.seats, state.returns(), strict=True)):
        before = seat.start
        for step in done.steps:
            own = step.skill if step.seat == number else 0.0
            assert before + own + step.others[number] + step.chance[number] == pytest.approx(
                step.values[number], abs=1e-9
            )
            before = step.values[number]
        assert before == result == seat.result
        assert seat.start + seat.skill + seat.luck == pytest.approx(result, abs=1e-9)
        assert seat.score == state.totals()[number]
    assert all(step.others[step.seat] == 0.0 for step in done.steps)
    assert len(done.steps) < 50 or any(step.skill < 0 for step in done.steps)


def test_the_seed_fixes_the_review() -> None:
    game = Dice(3)
    first, again, other = (reviewed(game, 7, Effort(6, 3, 2, seed)) for seed in (1, 1, 2))
    assert first == again
    assert [step.skill for step in first.steps] != [step.skill for step in other.steps]
    assert [step.values for step in first.steps] == [step.values for step in other.steps]


def solved(observations: Any, masks: Any) -> tuple[Any, Any]:
    """Play Nim perfectly, with exact values: the player who moves from a multiple of four loses."""
    heaps = observations[:, 2:].argmax(axis=1)
    logits = np.where(np.arange(masks.shape[1]) == (heaps % 4 - 1)[:, None], 40.0, 0.0).astype(np.float32)
    own = np.where(heaps % 4 == 0, -1.0, 1.0).astype(np.float32)
    return logits, np.stack([own, -own], axis=1)


def test_exact_values_give_exact_skill_and_no_chance() -> None:
    game = Nim()
    for seed in range(6):
        state, actions, lost = State(game, game.new_states(seed)), random_game(game, seed), []
        for action in actions:
            heap = int(state.states["heap"][0])
            lost.append(-2.0 if heap % 4 and (heap - action - 1) % 4 else 0.0)
            state.apply_id(action)
        done = review(game, seed, actions, Baseline("solved", "", solved), Effort(4, 3, 0))
        assert [step.skill for step in done.steps] == lost
        assert all(step.error == 0.0 and step.chance == [0.0, 0.0] for step in done.steps)
        assert [step.large for step in done.steps] == [loss < 0 for loss in lost]
        for step, loss in zip(done.steps, lost, strict=True):
            assert step.others[1 - step.seat] == -loss
            assert bool(step.better) == (loss < 0)
            assert step.samples == (4 * STAGES[-1] if loss else 4)


def passes(observations: Any, masks: Any) -> tuple[Any, Any]:
    """Every player passes in Kuhn poker after the first step, which is even; values are never asked for."""
    logits = np.zeros(masks.shape, dtype=np.float32)
    logits[:, 0] = np.where(observations[:, 5:].any(axis=1), 40.0, 0.0)
    return logits, np.full((len(masks), 2), np.nan, dtype=np.float32)


@pytest.mark.parametrize(("card", "loss"), [("jack", -2.0), ("queen", -1.0), ("king", 0.0)])
def test_a_pass_of_kuhn_poker_costs_the_expected_result(card: str, loss: float) -> None:
    """A bet wins at once against a player who always passes; a pass wins against the lower card."""
    other = next(one for one in CARDS if one != card)
    found = Estimator(Kuhn(), passes, Effort(400, 2, 5)).compare(dealt([card, other]).view(), 0)
    effect, error = choice_effect(found.results, 0)
    assert effect[0] == pytest.approx(loss, abs=4 * error)
    assert effect[1] == -effect[0]
    # Results of -1 and 1 with equal shares have the variance 1.
    assert error == pytest.approx(0.05 if card == "queen" else 0.0, rel=0.05)


def first_estimate(skill: float, share: float) -> Comparison:
    """Return an estimate of a pass in Kuhn poker by values that are certain."""
    results = np.zeros((8, 2, 2)) + np.array([[skill, -skill], [0.0, 0.0]])
    return Comparison(np.array([0, 1]), results, np.array([share, 1 - share]))


@pytest.mark.parametrize(
    ("card", "skill", "share", "loss", "samples"),
    [
        # Rollouts refute a loss by values, and find one that values miss where the network hardly knows the action.
        ("king", -0.6, 0.9, 0.0, 100),
        ("jack", 0.0, 0.01, -2.0, 200),
        # Nothing else is in doubt: the network's own choice has no loss, another one that by values.
        ("jack", -0.05, 0.9, 0.0, 8),
        ("jack", -0.05, 0.1, -0.05, 8),
    ],
)
def test_rollouts_decide_about_doubtful_steps(card: str, skill: float, share: float, loss: float, samples: int) -> None:
    other = next(one for one in CARDS if one != card)
    rollouts = [Estimator(Kuhn(), passes, Effort(size, 2, ENDLESS)) for size in (100, 200)]
    found = repeated(rollouts, dealt([card, other]).view(), first_estimate(skill, share))
    assert choice_effect(found.results, 0)[0][0] == pytest.approx(loss)
    assert len(found.results) == samples


def test_games_have_their_typical_length() -> None:
    """Without bets, a game of Kuhn poker has two steps."""
    assert Estimator(Kuhn(), passes, Effort(10, plies=ENDLESS)).typical_length() == 2


def test_noise_makes_no_losses() -> None:
    """Equal actions with independent noise lose nothing in the mean, though one of them looks best."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=(400, 12, 9, 2))
    effects = np.array([choice_effect(one, 0)[0][0] for one in noise])
    errors = np.array([choice_effect(one, 0)[1] for one in noise])
    assert abs(effects.mean()) < 4 * effects.std() / 20
    assert noise.mean(axis=1)[:, :, 0].max(axis=1).mean() > 0.3
    # Errors are those that occur, in the square mean.
    assert (errors**2).mean() == pytest.approx((effects**2).mean(), rel=0.25)


def test_skill_does_not_depend_on_hidden_cards() -> None:
    """Seat 0 cannot tell the two deals apart: bytes of its skill are equal, though results and luck differ."""
    game, network = Kuhn(), drawn(Kuhn())
    seeds = {tuple(game.new_states(seed)["cards"][0].tolist()): seed for seed in range(60)}
    for low, high in (((0, 1), (0, 2)), ((1, 0), (1, 2)), ((2, 0), (2, 1))):
        for actions in ((0, 0), (0, 1, 1), (1, 1)):
            one, two = (review(game, seeds[cards], actions, network, SMALL) for cards in (low, high))
            skill = [[(step.skill, step.error, step.better) for step in done.steps[::2]] for done in (one, two)]
            assert repr(skill[0]) == repr(skill[1])
            assert one.steps[0].chance != two.steps[0].chance


def test_estimates_do_not_depend_on_hidden_cards_or_on_other_steps() -> None:
    env, rows = situations(DEFAULT_GAME, 2)
    game, network = env.game, drawn(env.game)
    views = [env.view(row) for row in rows]
    hidden = [View(game, swapped(game, env.states, row, view.player, 9), 0, view.player)
              for row, view in zip(rows, views, strict=True)]  # fmt: skip
    one, two = (Estimator(game, network.evaluator, SMALL) for _ in range(2))
    answers = [one.compare(view, int(view.legal_ids()[0])) for view in views]
    for view, answer in reversed(list(zip(hidden, answers, strict=True))):
        again = two.compare(view, int(view.legal_ids()[0]))
        assert again.actions.tobytes() == answer.actions.tobytes()
        assert again.results.tobytes() == answer.results.tobytes()


def test_a_planted_blunder_is_the_costliest_step() -> None:
    """The published network against itself; `python -m benchmarks review` counts many games."""
    game = make_game(DEFAULT_GAME, 2)
    agent, network = make("network", game), baseline("network", game)
    blunder = plant(agent, network, 4, 0.5, samples=24)
    assert blunder is not None
    done = review(game, 4, blunder.actions, network, Effort(samples=16))
    assert rank_of(done, blunder.number) == 1, done.costliest()
    assert done.steps[blunder.number - 1].large


# -- files and the command line


@pytest.fixture(scope="module")
def game_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the playthrough of a random game next to a small network for it."""
    folder, game = tmp_path_factory.mktemp("review"), make_game(DEFAULT_GAME, 2)
    actions = iter(random_game(game, 5))
    state = State(game, game.new_states(5))
    (folder / "game.txt").write_text(playthrough.record(state, lambda now: now.action_text(next(actions)), "seed 5"))
    save_network(folder / "network", Network(Shape.of(game, width=8)), [game])
    return folder / "game.txt"


@pytest.fixture(scope="module")
def written(game_file: Path) -> tuple[str, str, str]:
    """Return what the program writes and prints: JSON, page and text."""
    files = [game_file.parent / name for name in ("review.json", "review.html")]
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert main(arguments(game_file, "--json", str(files[0]), "--html", str(files[1]))) == 0
    return files[0].read_text(encoding="utf-8"), files[1].read_text(encoding="utf-8"), printed.getvalue()


def arguments(game_file: Path, *more: str) -> list[str]:
    small = ["--samples", "4", "--candidates", "2", "--plies", "0"]
    return [str(game_file), "--network", f"network:checkpoint={game_file.parent / 'network'}", *small, *more]


class Reader(HTMLParser):
    """Collects tags, their attributes, and ids."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def test_the_program_writes_and_prints_the_same(game_file: Path, written: tuple[str, str, str]) -> None:
    text_of_json, _, out = written
    content = json.loads(text_of_json)
    recording = read_recording(game_file)
    assert len(content["steps"]) == len(recording.actions)
    assert [step["action"] for step in content["steps"]] == [
        recording.game.action_texts[action] for action in recording.actions
    ]
    assert content["schema"] == 2
    assert content["seed"] == 5
    for seat in content["seats"]:
        assert seat["start"] + seat["skill"] + seat["others"] + seat["chance"] == pytest.approx(
            seat["result"], abs=1e-9
        )
        assert f"{seat['skill']:+.3f} ± {seat['error']:.3f}" in out


def test_the_page_stands_alone(game_file: Path, written: tuple[str, str, str]) -> None:
    page = written[1]
    reader = Reader(page)
    names = [tag for tag, _ in reader.tags]
    assert not {"script", "img", "iframe", "object", "base"} & set(names)
    assert "//" not in page
    assert "url(" not in page
    assert "@import" not in page
    links = [found["href"] or "" for _, found in reader.tags if "href" in found]
    ids = {found.get("id") for _, found in reader.tags}
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    assert len(ids - {None}) == len(read_recording(game_file).actions)
    assert "prefers-color-scheme: dark" in page
    assert "width=device-width" in page
    assert names.count("polyline") == 3 + 3 * 2


def test_names_are_escaped_and_all_lines_lie_inside_the_chart() -> None:
    game = Dice(3)
    done = review(game, 4, random_game(game, 4), drawn(game), SMALL, ["<b>", "A & B", ""])
    page = html(done)
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    for points in re.findall(r'points="([^"]+)"', page):
        pairs = [tuple(map(float, pair.split(","))) for pair in points.split()]
        assert all(0 <= x <= 360 and 0 <= y <= 150 for x, y in pairs)
    assert "1 A & B" in text(done)


def test_the_costliest_steps_are_clear_losses_in_order() -> None:
    done = reviewed(make_game(DEFAULT_GAME, 2), 11)
    costly = done.costliest(3)
    assert len(costly) == 3
    assert costly == sorted(costly, key=lambda step: step.skill)
    left = [step for step in done.steps if step not in costly and not step.close]
    assert all(step.skill >= costly[-1].skill for step in left)
    assert all(abs(step.skill) >= 2 * step.error and step.skill < 0 for step in costly)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--samples", "3"], "--samples must be at least 4, not 3"),
        (["--candidates", "0"], "--candidates must be at least 1, not 0"),
        (["--plies", "-1"], "--plies must be at least 0, not -1"),
        (["--seed", "-1"], "seed must be in 0..2**63-1, not -1"),
        (["--json", "nowhere/a.json"], "--json: nowhere/a.json must be a file in an existing folder"),
        (["--html", "."], "--html: . must be a file in an existing folder"),
        (["--number", "0"], "--number names a game of a tournament's folder"),
        (["--network", "random"], "--network: 'random' estimates no results; name network"),
        (["--network", "network:checkpoint=none"], "checkpoint none: there is no such file"),
        (["--components", "none.toml"], "none.toml"),
    ],
)
def test_wrong_options(more: list[str], message: str, game_file: Path, refuses: Refuses) -> None:
    refuses(main, arguments(game_file, *more), message)


def test_wrong_files(game_file: Path, refuses: Refuses, tmp_path_factory: pytest.TempPathFactory) -> None:
    whole, folder = game_file.read_text(encoding="utf-8"), tmp_path_factory.mktemp("wrong")
    moves = [line for line in whole.splitlines() if "  player " in line]
    cases = {
        "empty": ("", "not a playthrough"),
        "unseeded": (whole.replace("# seed 5", ""), "no known seed starts this playthrough"),
        "short": ("\n".join(itertools.takewhile(lambda line: line != moves[-1], whole.splitlines())), "breaks off"),
        "other": (whole.replace(moves[3], moves[3].replace(" legal", "1 legal")), "says"),
        "unknown": (whole.replace("porta_nigra_v0", "noughts_v0"), "there is no game 'noughts'"),
    }
    for name, (content, message) in cases.items():
        (folder / name).write_text(content, encoding="utf-8")
        refuses(main, arguments(folder / name, "--network", "network"), message)
    refuses(main, [str(folder / "missing")], "No such file")
    refuses(main, [str(folder)], "there are no recorded games; play with --record")


def test_values_are_in_the_view_of_the_mover() -> None:
    """After enough plies the rollouts wait for the mover, or for the end of the game."""
    game, asked = Dice(4), []

    def noting(observations: Any, masks: Any) -> tuple[Any, Any]:
        asked.append(len(observations))
        return np.zeros(masks.shape, dtype=np.float32), np.tile(np.arange(4) / 10, (len(masks), 1))

    state = State(game, game.new_states(2))
    mover, ids = state.player, state.legal_ids()
    found = Estimator(game, noting, Effort(5, 4, 3)).try_all(state.view(), ids[:2])
    # Values are in order of play from their observer: any other one would give other results by seat.
    assert np.allclose(found.results, np.roll(np.arange(4) / 10, mover), atol=1e-6)
    assert asked[:4] == [10] * 4


def test_actions_that_the_network_never_plays_are_not_tried() -> None:
    def never_bets(observations: Any, masks: Any) -> tuple[Any, Any]:
        return np.tile(np.array([8, 0], dtype=np.float32), (len(masks), 1)), np.zeros((len(masks), 2))

    view = dealt(["queen", "jack"]).view()
    estimator = Estimator(Kuhn(), never_bets, SMALL)
    assert estimator.compare(view, 0).actions.tolist() == [0]
    assert estimator.compare(view, 1).actions.tolist() == [1, 0]


def test_a_game_must_be_over() -> None:
    game = Dice(2)
    with pytest.raises(ValueError, match="the game is not over after 3 steps"):
        review(game, 1, random_game(game, 1)[:3], drawn(game), SMALL)
