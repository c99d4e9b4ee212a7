"""A search with open hands: it knows every hand and no future chance, and wins by what it knows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.networks.network import Network, save_network
from agents.review.aivat import told_apart
from agents.search.mirror import Effort, MirrorSearch
from benchmarks.hidden_information import OpenHandSearch, OpenView, guessed, main
from benchmarks.search_gain import evaluator
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import GAMES, GameEntry, make_game
from porta_nigra_env.players.network import Shape
from tests.training.small import words

EFFORT = Effort(worlds=16, candidates=2, plies=2, rows=32)


def positions(game: Game, count: int) -> list[States]:
    """Return states of random games, each (1,), with a player to move."""
    rng, found = np.random.default_rng(3), list[States]()
    while len(found) < count:
        state = State(game, game.new_states(len(found)))
        for _ in range(int(rng.integers(20, 120))):
            if state.is_over:
                break
            state.apply_id(int(rng.choice(state.legal_ids())))
        if not state.is_over:
            found.append(state.states.copy())
    return found


def sampled(kind: type[MirrorSearch], view: View) -> States:
    """Return 16 sampled states of a search, (16,)."""
    return kind(view.game, lambda *_: None, EFFORT, 1.0)._determinize(view, 5, 0, 16)  # type: ignore[arg-type,return-value]


@pytest.mark.parametrize("name", GAMES)
def test_open_samples_keep_every_view_and_change_the_future(name: str) -> None:
    game = make_game(name)
    futures = 0
    for states in positions(game, 6):
        view = OpenView(game, states, 0)
        found = sampled(OpenHandSearch, view)
        assert not told_apart(game, np.repeat(states, 16), found).any()
        # The order of a pile or the key: no two samples have the same future.
        assert len({state.tobytes() for state in found}) == 16
        futures += sum(state.tobytes() == states[0].tobytes() for state in found)
        assert view.truth.tobytes() == states.tobytes()
    assert futures == 0


@pytest.mark.parametrize(("name", "hides"), [("porta_nigra", True), ("aquileia", True), ("gloria_mundi", False)])
def test_closed_samples_differ_in_what_others_see(name: str, hides: bool) -> None:
    game, apart, known = make_game(name), 0, 0
    for states in positions(game, 6):
        view = OpenView(game, states, 0)
        found = sampled(MirrorSearch, view)
        apart += int(told_apart(game, np.repeat(states, 16), found).sum())
        known += sum(guessed(view, seed) for seed in range(16))
        for row in range(16):
            assert View(game, found, row, view.player).state.tobytes() == view.state.tobytes()
    assert (apart > 0) == hides
    assert (known < 96) == hides


def test_an_open_hand_search_needs_the_true_state() -> None:
    (states,) = positions(make_game("porta_nigra"), 1)
    view = View(make_game("porta_nigra"), states, 0, int(states["current_player"][0]))
    with pytest.raises(TypeError, match="needs an OpenView, not View"):
        sampled(OpenHandSearch, view)


def test_open_hands_win_in_kuhn_poker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the other card decides, its knowledge is worth a lot; one of two possible cards is the true one."""
    monkeypatch.setitem(GAMES, "kuhn", GameEntry("tests.toys.kuhn.game", "Kuhn", (2,)))
    game, file = make_game("kuhn"), tmp_path / "network.safetensors"
    torch.manual_seed(1)
    made = Network(Shape.of(game, 16, 1))
    made.reward = "outcome"
    save_network(file, made, [game])
    figures = []
    for name in ("one.json", "two.json"):
        options = words("--game kuhn --games 240 --determinizations 16 --candidates 2 --rollout-steps 4 --seed 3")
        assert main([*options, "--network", str(file), "--json", str(tmp_path / name)]) == 0
        figures.append(json.loads((tmp_path / name).read_text(encoding="utf-8"))["results"])
    assert figures[0] == figures[1]
    (found,) = figures[0].values()
    assert found["wins"][1] > 0.5
    assert found["margin"][1] > 0.0
    assert 0.4 < found["guessed"] < 0.6
    assert "open wins" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--games 3", "--games must be at least 8, not 3"),
        ("--players 7", "--players: num_players must be 2, 3 or 4, not 7"),
        ("--candidates 1", "--candidates must be at least 2, not 1"),
        ("--rollout-steps -1", "--rollout-steps must be at least 0, not -1"),
        ("--network nowhere", "there is no such file"),
        ("--seed -1", "seed must be in"),
    ],
)
def test_wrong_options(options: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words(options))
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_the_evaluator_is_the_network() -> None:
    game = make_game("porta_nigra")
    torch.manual_seed(2)
    network = Network(Shape.of(game, 16, 1))
    view = View(game, game.new_states(1), 0, 0)
    logits, values = evaluator(network, "float32")(view.observation[None], view.action_mask[None])
    assert logits.shape == (1, game.actions.size)
    assert values.shape[0] == 1
