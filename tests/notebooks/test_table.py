"""The table in a notebook: clicks are carried out in Python, and nothing hidden goes to the front end."""

from __future__ import annotations

import random
import subprocess
import sys
from typing import Any

import pytest

from agents.agent import Agent
from agents.web.notebook import Table
from agents.web.page.products import released
from porta_nigra_env.core.game.game import IllegalActionError
from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.game.view import View
from porta_nigra_env.games import DEFAULT_GAME, game_class, make_game
from tests.notebooks.hosting import ask, begun, sent

WIDGET = "application/vnd.jupyter.widget-view+json"
#: Games in which a choice may stay a secret of its seat.
SECRETIVE = [name for name in released() if game_class(name).secret_choices]


class Listener(Agent):
    """Plays the first legal action, and records its views."""

    def __init__(self, game: Any) -> None:
        super().__init__("listener", game)
        self.given: list[Any] = []

    def act(self, view: View) -> int:
        self.given.append(view)
        return int(view.legal_ids()[0])


def played(name: str, decisions: int, seed: int) -> State:
    """Return the state after some random steps, before the end."""
    policy_rng, state = random.Random(seed), begun(name, seed)
    for _ in range(decisions):
        after = state.clone().apply_id(policy_rng.choice(state.legal_ids().tolist()))
        if after.is_over:
            break
        state = after
    return state


def click(table: Table, action: Any, at: int | None = None) -> list[dict[str, Any]]:
    """Click in the front end; return the answers of Python."""
    return ask(table, {"custom": {"kind": "play", "at": len(table.actions) if at is None else at, "action": action}})


def shown(table: Table) -> tuple[Any, Any]:
    """Return all data that a notebook gets of a table: messages, and the representations beside the widget."""
    data, _ = table._repr_mimebundle_()
    return sent(table), {kind: data[kind] for kind in data if kind != WIDGET}


def test_a_click_plays_and_what_stands_is_sent() -> None:
    state = begun()
    table = Table(state)
    heard: list[tuple[int, int]] = []
    table.on_play(lambda _, seat, action: heard.append((seat, action)))
    action, mover = int(state.legal_ids()[1]), state.player
    answers = click(table, action)
    assert [one["custom"]["kind"] for one in answers if one["custom"]] == ["heard"]
    (changed,) = (one["state"] for one in answers if one["state"])
    assert changed["_stands"]["at"] == 1
    assert [step[:2] for step in changed["_stands"]["log"]] == [[mover, action]]
    assert table.state == state.clone().apply_id(action)
    assert table.actions == (action,)
    assert heard == [(mover, action)]


def test_the_state_that_was_given_and_the_state_that_is_got_are_copies() -> None:
    state = begun()
    table = Table(state)
    table.play(int(state.legal_ids()[0]))
    assert state == begun()
    before = table.state
    table.state.apply_id(int(table.state.legal_ids()[0]))
    assert table.state == before


def test_another_position_can_be_put_on_the_table() -> None:
    table, other = Table(begun()), played(DEFAULT_GAME, 30, seed=3)
    table.play(table.state.legal_actions()[0])
    table.state = other
    assert table.state == other
    assert table.actions == ()
    assert sent(table)[-1]["state"]["_stands"]["log"] == []
    with pytest.raises(ValueError, match="`state` must be of"):
        table.state = State(make_game(DEFAULT_GAME, 3), make_game(DEFAULT_GAME, 3).new_states(1))


@pytest.mark.parametrize("action", [-1, 10**6, 1.0, True, None, "end", [0], {"id": 0}])
def test_what_is_no_legal_action_is_refused_in_words_and_nothing_changes(action: Any) -> None:
    check_refused(Table(begun()), action)


def test_an_action_that_is_not_legal_now_is_refused() -> None:
    table = Table(begun())
    illegal = next(i for i in range(table.game.actions.size) if i not in table.state.legal_ids())
    check_refused(table, illegal)
    with pytest.raises(IllegalActionError):
        table.play(illegal)


def test_a_click_on_what_is_no_longer_there_is_refused() -> None:
    table = Table(begun())
    table.play(int(table.state.legal_ids()[0]))
    check_refused(table, int(table.state.legal_ids()[0]), at=0)


def test_a_seat_that_looks_does_not_play_for_others() -> None:
    state = begun()
    table = Table(state, view=1 - state.player)
    assert sent(table)[0]["state"]["_stands"]["legal"] == []
    check_refused(table, int(state.legal_ids()[0]))
    table.play(int(state.legal_ids()[0]))  # in Python anybody's decision may be made
    assert len(table.actions) == 1


@pytest.mark.parametrize("message", [None, [], "play", {"kind": "other"}, {}])
def test_other_messages_change_nothing(message: Any) -> None:
    table = Table(begun())
    assert ask(table, {"custom": message}) == []
    assert table.state == begun()


def check_refused(table: Table, action: Any, at: int | None = None) -> None:
    """A click is answered by a sentence, and by nothing else."""
    before, actions = table.state, table.actions
    answers = click(table, action, at)
    assert [one["custom"]["kind"] for one in answers] == ["heard", "refused"]
    assert len(answers[-1]["custom"]["why"]) > 10
    assert (table.state, table.actions) == (before, actions)


def test_agents_answer_from_their_views_alone() -> None:
    game = make_game(DEFAULT_GAME, 3)
    state = State(game, game.new_states(5))
    agent = Listener(game)
    table = Table(state, players={0: agent, 2: "greedy"})
    assert table.view == 1
    for _ in range(20):
        assert table.state.player == 1
        click(table, int(table.state.legal_ids()[0]))
    assert len(agent.given) > 5
    for view in agent.given:
        assert isinstance(view, View)
        assert view.player == 0
    replayed = state.clone()
    for action in table.actions:
        replayed.apply_id(action)
    assert replayed == table.state


def test_a_failing_agent_is_reported_and_its_step_can_be_played_by_hand() -> None:
    class Broken(Listener):
        def act(self, view: View) -> int:
            raise RuntimeError("out of order")

    state = begun()
    table = Table(state, players={1 - state.player: Broken(state.game)})
    answers: list[dict[str, Any]] = []
    while table.state.player == state.player:
        answers = click(table, int(table.state.legal_ids()[0]))
    # The exception's text may be the secret of a seat, and is not shown.
    told = "Python has raised RuntimeError; the table shows the last step that succeeded"
    assert answers[-1]["custom"] == {"kind": "refused", "why": told}
    decisions = len(table.actions)
    with pytest.raises(RuntimeError, match="out of order"):
        table.play(int(table.state.legal_ids()[0]))
    assert len(table.actions) == decisions + 1


def test_agents_may_play_all_seats() -> None:
    table = Table(begun(), players={0: "greedy", 1: "random"}, seed=1)
    assert table.state.is_over
    assert sent(table)[-1]["state"]["_stands"]["mover"] == -1


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"players": {7: "greedy"}}, "player must be a seat"),
        ({"players": {0: "nobody"}}, "there is no agent 'nobody'"),
        ({"view": 9}, "player must be a seat"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_what_cannot_be_is_refused_with_its_name(how: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Table(begun(), **how)


def test_an_agent_of_another_game_does_not_sit_down() -> None:
    with pytest.raises(ValueError, match="players: listener plays"):
        Table(begun(), players={0: Listener(make_game(DEFAULT_GAME, 3))})


@pytest.mark.parametrize("name", released())
def test_states_that_a_seat_cannot_tell_apart_send_the_same_bytes(name: str) -> None:
    policy_rng, compared = random.Random(1), 0
    for decisions in (0, 5, 20, 45):
        state = played(name, decisions, seed=decisions + 1)
        seat = policy_rng.randrange(state.num_players)
        twin = state.determinize(seat, seed=decisions)
        assert twin != state
        tables = [Table(one, view=seat) for one in (state, twin)]
        for _ in range(12):
            one, other = (table.state for table in tables)
            if one.is_over or one.view(seat).state.tobytes() != other.view(seat).state.tobytes():
                break
            assert shown(tables[0]) == shown(tables[1])
            compared += 1
            both = sorted(set(one.legal_ids().tolist()) & set(other.legal_ids().tolist()))
            if not both:
                break
            action = policy_rng.choice(both)
            for table in tables:
                table.play(action)
    assert compared > 8


@pytest.mark.parametrize("name", SECRETIVE)
def test_a_secret_choice_of_another_seat_is_not_sent(name: str) -> None:
    found = 0
    for seed in range(40):
        state = played(name, 8 + 2 * seed, seed)
        legal = state.legal_ids().tolist()
        other = (state.player + 1) % state.num_players
        if len(legal) < 2 or state.game.told(legal[0], other, state.player) is not None:
            continue
        tables = [Table(state, view=other) for _ in range(2)]
        for table, action in zip(tables, (legal[0], legal[-1]), strict=True):
            table.play(action)
        assert tables[0].actions != tables[1].actions
        assert [step[:2] for step in sent(tables[0])[-1]["state"]["_stands"]["log"]] == [[state.player, None]]
        if len({table.state.view(other).state.tobytes() for table in tables}) == 1 and not tables[0].state.is_over:
            assert shown(tables[0]) == shown(tables[1])
            found += 1
    assert found > 0


def test_at_the_end_everything_is_shown() -> None:
    table = Table(begun(), view=0)
    while not table.state.is_over:
        table.play(int(table.state.legal_ids()[0]))
    everything = Table(table.state)
    assert sent(table)[-1]["state"]["_stands"]["state"] == sent(everything)[0]["state"]["_stands"]["state"]


def test_beside_the_widget_there_is_a_picture_and_a_text_of_the_same_view() -> None:
    state = played(DEFAULT_GAME, 25, seed=2)
    data, _ = Table(state, view=1)._repr_mimebundle_()
    assert data[WIDGET]["model_id"]
    assert data["image/svg+xml"] == state.svg(view=1)
    assert data["text/plain"] == state.board(view=1)


def test_without_anywidget_the_error_names_the_command_that_installs_it() -> None:
    program = "import sys; sys.modules['anywidget'] = None; import agents.web.notebook"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "ModuleNotFoundError: anywidget is not installed: make .venv/dev in the checkout" in done.stderr
