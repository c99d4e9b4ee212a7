"""Replays in a notebook: valid and invalid texts, and messages between Python and the front end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import traitlets

from agents.web.notebook import Replay
from porta_nigra_env.core.game.state import State
from porta_nigra_env.games import DEFAULT_GAME, make_game
from tests.notebooks.hosting import ask, sent

GOLDEN = Path(__file__).parents[1] / "games" / DEFAULT_GAME / "golden"
TEXT = (GOLDEN / "random_2_players_seed_1.txt").read_text(encoding="utf-8")


def test_a_playthrough_is_replayed() -> None:
    replay = Replay(TEXT)
    game = make_game(DEFAULT_GAME, 2)
    state = State(game, game.new_states(1))
    assert replay.state == state
    for action in replay.actions[:30]:
        state.apply_id(action)
    replay.at = 30
    assert replay.state == state
    replay.at = len(replay.actions)
    assert replay.state.is_over


def test_a_seed_and_its_actions_are_replayed() -> None:
    whole = Replay(TEXT)
    texts = [whole.game.action_texts[action] for action in whole.actions[:20]]
    replay = Replay.of(whole.game, 1, texts, at=20, view=1)
    assert replay.actions == whole.actions[:20]
    assert (replay.at, replay.view) == (20, 1)
    whole.at = 20
    assert replay.state == whole.state


def test_a_game_that_breaks_off_is_replayed_so_far() -> None:
    assert len(Replay(TEXT[: TEXT.index("\n50  player")] + "\n").actions) == 49


def test_a_text_without_its_seed_takes_one() -> None:
    text = TEXT.replace("seed 1", "seed unknown")
    assert Replay(text, seed=1).actions == Replay(TEXT).actions


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: "hello", "not a playthrough"),
        (lambda text: text.replace("seed 1", "seed 2"), "seed: no known seed starts this playthrough"),
        (lambda text: text.replace("_v0,", "_v9,"), r"line \d+:\n  says"),
        (lambda text: text.replace(f"{DEFAULT_GAME}_v0", "chess_v0"), "not 'chess'"),
        (lambda text: text.replace("tables       ", "tables       0"), r"line \d+:\n  says"),
        (lambda text: text.replace("  place basilica  ", "  place nowhere  "), "is no action"),
        (lambda text: text.replace("\n7  player", "\n7  player 9", 1), r"line \d+: cannot be read"),
    ],
)
def test_a_text_that_cannot_be_is_refused_in_words(change: Callable[[str], str], says: str) -> None:
    assert change(TEXT) != TEXT
    with pytest.raises(ValueError, match=says):
        Replay(change(TEXT))


def test_an_action_that_is_not_legal_is_named_with_its_place() -> None:
    replay = Replay(TEXT)
    with pytest.raises(ValueError, match="actions: step 3: "):
        Replay.of(replay.game, 1, [*replay.actions[:2], replay.actions[0]])


@pytest.mark.parametrize(("name", "value"), [("at", -1), ("at", 10_000), ("view", 2), ("view", -1)])
def test_a_place_or_seat_that_there_is_not_is_refused(name: str, value: int) -> None:
    replay = Replay(TEXT, at=3)
    with pytest.raises((ValueError, traitlets.TraitError), match=name if name == "at" else "player"):
        setattr(replay, name, value)
    assert (replay.at, replay.view) == (3, None)


def test_what_is_looked_at_in_the_front_end_is_known_in_python() -> None:
    replay = Replay(TEXT)
    ask(replay, {"state": {"at": 12, "view": 1}})
    assert (replay.at, replay.view) == (12, 1)


def test_the_picture_is_of_the_place_and_the_view() -> None:
    replay = Replay(TEXT, at=40, view=0)
    data, _ = replay._repr_mimebundle_()
    assert data["image/svg+xml"] == replay.state.svg(view=0)
    assert data["text/plain"] == replay.state.board(view=0)


def test_the_whole_game_is_in_what_was_saved() -> None:
    replay = Replay(TEXT)
    (opened,) = sent(replay)
    assert opened["state"]["_link"].startswith(f"#replay?g={DEFAULT_GAME}.0")
