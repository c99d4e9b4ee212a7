"""A search with open hands: it knows every hand and no future chance, and values actions by them."""

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
from tests.toys.kuhn.game import Kuhn
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
    return kind(view.game, lambda *_: None, EFFORT, 1.0)._determinize(view, 5, 0, 16)  # type: ignore[arg-type]


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


def untrained(game: Game) -> Network:
    """Return an untrained network that predicts outcomes."""
    torch.manual_seed(1)
    made = Network(Shape.of(game, 16, 1))
    made.reward = "outcome"
    return made


def test_only_an_open_search_knows_who_has_the_better_card() -> None:
    """In Kuhn poker, the queen wins every showdown against the jack and none against the king."""
    game, found = Kuhn(), {}
    evaluate = evaluator(untrained(game), "float32")
    for seed in range(20):
        states = game.new_states(seed)
        mover = int(states["current_player"][0])
        if states["cards"][0, mover] != 1:
            continue
        view = OpenView(game, states, 0)
        for kind in (OpenHandSearch, MirrorSearch):
            values = kind(game, evaluate, EFFORT, 1.0).run(view, 7).values
            found[kind, int(states["cards"][0, 1 - mover])] = float(values[1])
    assert found[OpenHandSearch, 0] > found[MirrorSearch, 0] > found[OpenHandSearch, 2]
    # The two views are equal, so the closed search cannot tell them apart.
    assert found[MirrorSearch, 0] == found[MirrorSearch, 2]


def test_open_hands_are_worth_nothing_where_nothing_is_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In Nim both searches are the same, and each deal is won from one of its two seats."""
    monkeypatch.setitem(GAMES, "nim", GameEntry("tests.toys.nim.game", "Nim", (2,)))
    game, file = make_game("nim"), tmp_path / "network.safetensors"
    save_network(file, untrained(game), [game])
    options = words("--game nim --games 20 --determinizations 16 --candidates 2 --rollout-steps 4 --seed 3")
    assert main([*options, "--network", str(file), "--json", str(tmp_path / "figures.json")]) == 0
    (found,) = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))["results"].values()
    assert found["wins"][0] == 0.5
    assert found["margin"] == [0.0, 0.0, 0.0]
    assert found["guessed"] == 1.0
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
