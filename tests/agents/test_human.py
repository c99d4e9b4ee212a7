"""A person at the terminal, played by a script."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from agents.human import Quit, TerminalGame, main
from agents.registry import make
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.games import make_game
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from tests.toys.kuhn.game import Kuhn


class Table:
    """A game with scripted lines of the person, and the shown lines."""

    def __init__(self, lines: Iterable[str], game: Game | None = None, seed: int = 7, person: int = 1) -> None:
        self.shown: list[str] = []
        self.lines = iter(lines)
        game = game or PortaNigra(2)
        agents = {seat: make("random", game, seat) for seat in range(game.num_players) if seat != person}
        self.played = TerminalGame(game, seed, person, agents, ask=self.ask, show=self.shown.append)

    def ask(self, prompt: str) -> str:
        for line in self.lines:
            self.shown.append(prompt + line)
            return line
        raise EOFError

    def run(self) -> str:
        with pytest.raises(Quit):
            self.played.play()
        return "\n".join(self.shown)


def test_a_turn_is_typed_and_beginnings_are_enough() -> None:
    table = Table(["place basilica", "card f", "buy red", "legal", "quit"])
    shown = table.run()
    assert "hand" in shown
    state = table.played.state
    assert state.current_player == 1
    assert state.to_dict()["players"][1]["bricks"]["red"] == 1
    assert "buy blue via buy_blue" in shown


def test_wrong_lines_change_nothing() -> None:
    table = Table(["dance", "card foreman", "place", "PLACE BASILICA", "", "hint nobody"])
    before = table.played.state.clone()
    shown = table.run()
    assert table.played.state == before
    assert "'dance' is no action" in shown
    assert "is not legal now" in shown
    assert "that may be place amphitheatre, place basilica" in shown
    assert "takes back your last action" in shown
    assert "there is no agent 'nobody'" in shown


def test_undo_within_a_turn_until_something_new_is_seen() -> None:
    table = Table(["place basilica", "card foreman", "buy red", "undo", "undo", "undo", "undo"])
    before = table.played.state.clone()
    shown = table.run()
    assert table.played.state == before
    assert shown.count("there is nothing to take back") == 1
    # A new hand card is drawn at the end of a turn: there is no way back.
    table = Table(["place basilica", "card foreman", "end", "undo"])
    assert "nothing to take back" in table.run()


def test_hints_come_from_any_agent_and_are_legal() -> None:
    table = Table(["hint", "hint ismcts:simulations=50"])
    shown = table.run()
    legal = table.played.state.legal_actions()
    hints = [line.split(": ", 1)[1] for line in shown.splitlines() if line.startswith(("  random: ", "  ismcts"))]
    assert len(hints) == 2
    assert set(hints) <= set(legal)


def test_a_hint_that_cannot_be_had_ends_no_game(tmp_path: Path) -> None:
    (tmp_path / "damaged").write_bytes(b"damaged")
    table = Table(["hint network:checkpoint=typo", f"hint guided:checkpoint={tmp_path / 'damaged'}", "hint"])
    shown = table.run()
    assert "agent 'network:checkpoint=typo': checkpoint typo: there is no such file" in shown
    assert "not a checkpoint, or a damaged one" in shown
    assert "  random: " in shown


def test_lines_are_completed() -> None:
    played = Table([]).played
    assert played.complete("place b") == ["place basilica"]
    assert played.complete("u") == ["undo"]
    assert set(played.state.legal_actions()) < set(played.complete(""))


def test_a_whole_game_ends_with_its_totals() -> None:
    class First(Table):
        def ask(self, prompt: str) -> str:
            return self.played.state.legal_actions()[0]

    table = First([])
    table.played.play()
    assert table.played.state.is_over
    totals = np.zeros(2, dtype=np.int32)
    game = table.played.state.game
    game.kernel.score(game.constants, table.played.state.states, 0, totals)
    assert f"player 1 (you): {totals[1]}" in table.shown[-1]
    assert sum("wins" in line for line in table.shown[-2:]) == len(table.played.state.winners())


def test_other_games_are_played_too() -> None:
    table = Table(["quit"], Kuhn(), person=0)
    with pytest.raises(Quit):
        table.played.play()
    shown = "\n".join(table.shown)
    assert "KUHN\n" in shown
    assert "cards [0, -1]" in shown


def test_who_sits_where_is_checked() -> None:
    game = PortaNigra(3)
    with pytest.raises(ValueError, match="every seat but the person's"):
        TerminalGame(game, 1, 0, {1: make("random", game)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nobody"], "there is no agent 'nobody'"),
        (["random", "random", "--players", "2"], "name one for all other seats, or 1"),
        (["--seat", "2"], "--seat must be in 0..1"),
        (["--game", "go"], "there is no game 'go'; there are porta_nigra"),
        (["--players", "5"], "num_players must be 2, 3 or 4, not 5"),
        (["--seed", "-1"], "seed"),
        (["--components", "/nowhere.toml"], "nowhere"),
        (["--hints", "random:x=1"], "takes none"),
    ],
)
def test_wrong_arguments(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_the_help_names_the_agents(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert "\n  ismcts " in shown
    assert "\n  builder " in shown
    assert "takes back your last action" in shown


def test_leaving_at_the_end_of_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def gone(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", gone)
    assert main(["random", "--seed", "7", "--seat", "1"]) == 1
    told = capsys.readouterr()
    assert "the game of seed 7 was left" in told.err


def a_game_of_three(seed: int) -> list[str]:
    """Return the lines shown to player 0 in a random game of Aquileia."""
    game, shown, rng = make_game("aquileia", 3), list[str](), np.random.default_rng(seed)
    agents = {seat: make("random", game, seat + seed) for seat in (1, 2)}

    def ask(_: str) -> str:
        return str(rng.choice(playing.state.legal_actions()))

    playing = TerminalGame(game, seed, 0, agents, ask=ask, show=shown.append)
    playing.play()
    return shown


def test_what_others_keep_to_themselves_is_not_printed() -> None:
    """The winner of a race keeps a hidden stadium card (A35)."""
    others = [
        line for seed in range(12) for line in a_game_of_three(seed) if line.startswith(("player 1 (", "player 2 ("))
    ]
    assert not [line for line in others if ": keep " in line]
    assert [line for line in others if "something that you do not see" in line]
