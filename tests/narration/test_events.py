"""Events and histories are the changes that a seat sees, read and recorded by independent means."""

from __future__ import annotations

import itertools
import random
from collections import Counter, deque
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.game.state import State
from porta_nigra_env.core.narration.events import Event, EventLog, Facts
from porta_nigra_env.core.narration.facts import Fact, members, named
from porta_nigra_env.core.narration.history import History, decoded
from porta_nigra_env.core.narration.reading import COUNTS, ENTRIES, Source, layout_of, read_all
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import DEFAULT_GAME, GAMES, game_entry, make_game
from tests.toys.kuhn.game import STATE, Kuhn
from tests.toys.leduc.game import Leduc

every_game = pytest.mark.parametrize("game", [make_game(name, max(game_entry(name).seats)) for name in GAMES])


class Wide(Kuhn):
    """Fields beyond the 64th word, two facts that read each field, and a set of fewer members than its field has."""

    dtype = np.dtype([("unused", np.uint8, (520,)), *((name, STATE[name]) for name in STATE.names or ())])

    def narration(self) -> Any:
        table = super().narration()
        twins = [replace(fact, kind=f"{fact.kind}_too") for fact in table.facts]
        odd = Fact("odd", members("length", 1), ("parity",))
        return replace(table, axes={**table.axes, "parity": named(["odd"])}, facts=[*table.facts, *twins, odd])


def positions(game: Any, seed: int, steps: int) -> list[Any]:
    """Return some positions of a random game, with its start and, if it ends in time, its end."""
    state, rng = State(game, game.new_states(seed)), random.Random(seed)
    found = [state.states.copy()]
    for number in range(steps):
        if state.is_over:
            break
        state.apply_id(rng.choice(state.legal_ids().tolist()))
        if number % 9 == 0 or state.is_over:
            found.append(state.states.copy())
    return found


def plainly(record: Any, source: Source) -> list[int]:
    """Return the values of a source, read with numpy."""
    field = record[source.name]
    if source.form == ENTRIES:
        return [int(value) for value in np.ravel(field)]
    if source.form != COUNTS:
        return [int(value) >> member & 1 for value in np.ravel(field) for member in range(source.size)]
    number = int(record[source.counter])
    shown = Counter(np.ravel(field)[: source.total - number if source.total else number].tolist())
    return [shown[kind] for kind in range(source.size)]


def test_all_widths_signs_and_forms_are_read() -> None:
    dtype = np.dtype([("a", "<i8"), ("b", "<u4", (2,)), ("c", "<i2", (2, 2)), ("d", "<i1", (5,)), ("n", "<u1")])
    record = np.zeros(1, dtype=dtype)
    record["a"], record["b"], record["d"], record["n"] = -7, [[0xFFFFFFFF, 6]], [[3, -1, 3, 0, 3]], 3
    record["c"] = [[[-300, 300], [-1, 0]]]
    sources = (
        Source("a"), Source("b"), Source("c"), Source("d"), Source("b", 1, 3), Source("d", 2, 4, "n"),
        Source("d", 2, 4, "n", 5), Source("d", 2, 4, "n", 9),
    )  # fmt: skip
    layout = layout_of(dtype, sources)
    values = np.full(int(layout.starts[-1]), -99)
    read_all(layout.table, record.view(np.uint8), values)
    assert values.tolist() == [
        -7, 0xFFFFFFFF, 6, -300, 300, -1, 0, 3, -1, 3, 0, 3, 1, 1, 1, 0, 1, 1,
        0, 0, 0, 2, 0, 0, 0, 1, 1, 0, 0, 3,
    ]  # fmt: skip
    assert layout.shapes[2:6] == ((2, 2), (5,), (2, 3), (4,))


@every_game
def test_facts_are_read_as_numpy_reads_them(game: Any) -> None:
    facts = Facts(game)
    for states in positions(game, 1, 60):
        expected = [value for fact in facts.narration.facts for value in plainly(states[0], fact.source)]
        assert facts.read(states).tolist() == expected


def test_an_event_has_index_values_and_seat() -> None:
    game = make_game(DEFAULT_GAME, 3)
    facts, before = Facts(game), game.new_states(2)
    after = before.copy()
    after["sesterces"][0, 1] += 3
    after["bricks"][0, 2, 4] += 2
    after["early_player"] = 2
    told = facts.events(before, after, 0)
    coins = int(before["sesterces"][0, 1])
    assert told == [
        Event("sesterces", (1,), coins, coins + 3, 1),
        Event("bricks", (2, 4), 0, 2, 2),
        Event("early_player", (), -1, 2, 2),
    ]
    assert facts.record(told[1]) == {"kind": "bricks", "seat": 2, "brick": "white", "before": 0, "after": 2}
    assert facts.record(told[2]) == {"kind": "early_player", "seat": 2, "before": None, "after": 2}
    back = facts.events(after, before, 0)
    assert [(event.before, event.after) for event in back] == [(event.after, event.before) for event in told]
    assert back[2].seat is None
    assert facts.events(after, after, 0) == []


def test_events_are_redacted_for_their_observer() -> None:
    game = make_game(DEFAULT_GAME, 2)
    facts, states = Facts(game), positions(game, 3, 200)
    for before, after in itertools.pairwise(states):
        for seat in range(2):
            hands = [event for event in facts.events(before, after, seat) if event.kind == "hand"]
            assert all(event.seat == seat for event in hands)
            new, old = int(after["hand"][0, seat]), int(before["hand"][0, seat])
            assert len(hands) == (new ^ old).bit_count()
    with pytest.raises(ValueError, match="player"):
        facts.events(states[0], states[1], 2)


def test_a_log_has_the_events_since_the_last_own_action() -> None:
    game = Kuhn()
    state, log = State(game, game.new_states(5)), EventLog(game, [0, 1])
    log.begin(state.states)
    kinds: list[list[list[str]]] = []
    for action in (0, 1, 1):
        actor = state.player
        state.apply_id(action)
        twin = log.clone()
        log.update(state.states, actor)
        kinds.append([[record["kind"] for record in log.records(seat)] for seat in range(2)])
        assert twin.records(0) != log.records(0)
        twin.update(state.states, actor)
        assert [twin.records(seat) for seat in range(2)] == [log.records(seat) for seat in range(2)]
    step = ["chosen", "mover"]
    assert kinds == [[step, step], [step * 2, step], [["card", *step], [*step, "card", *step]]]
    assert [[one["seat"] for one in log.records(seat) if one["kind"] == "card"] for seat in range(2)] == [[1], [0]]
    log.begin(state.states)
    assert log.records(0) == log.records(1) == []
    log.update(state.states, 0)
    assert log.records(0) == []


@pytest.mark.parametrize(
    "game", [*(make_game(name, max(game_entry(name).seats)) for name in GAMES), Kuhn(), Leduc(), Wide()]
)
def test_a_history_records_any_change(game: Any) -> None:
    """Positions far apart differ in most fields, at the end of a game in hidden ones too."""
    facts, rng = Facts(game), random.Random(1)
    states = [one for seed in range(2) for one in positions(game, seed, 400)]
    for _ in range(16):
        before, after = rng.choice(states), rng.choice(states)
        actor = int(before["current_player"][0])
        if actor < 0:
            continue
        history = History(game, int(facts.layout.starts[-1]))
        history.begin(before)
        history.update(after)
        for seat in range(game.num_players):
            tokens = history.tokens(seat)
            events = facts.events(before, after, seat)
            assert decoded(facts, tokens, seat) == events
            told = tokens[tokens[:, 0] > 0]
            assert (told[:, 3] == 1 + (actor - seat) % game.num_players).all()
            assert (tokens[: len(tokens) - len(told)] == 0).all()


@every_game
def test_a_history_notices_that_cards_become_known(game: Any) -> None:
    """A change of what all know shows values that stay as they are."""
    facts = Facts(game)
    found = [one for seed in range(3) for one in positions(game, seed, 150)]
    for name in facts.narration.veils:
        shown = 0
        for before in found:
            for other in found:
                after = before.copy()
                after[name] = np.minimum(before[name.removesuffix("_known")], other[name])
                history = History(game, int(facts.layout.starts[-1]))
                history.begin(before)
                history.update(after)
                events = facts.events(before, after, 0)
                shown += bool(events)
                assert decoded(facts, history.tokens(0), 0) == events
            if shown > 3:
                break
        assert shown


def test_large_numbers_are_clipped() -> None:
    game = make_game(DEFAULT_GAME, 2)
    before = game.new_states(1)
    after = before.copy()
    field = next(name for name in ("sesterces", "vp") if before.dtype[name].base.itemsize > 1)
    after[field][0, 1] = np.iinfo(before.dtype[field].base).max
    history = History(game, 3)
    history.begin(before)
    history.update(after)
    assert history.tokens(0)[-1, 2] == min(2**15 - 1, int(after[field][0, 1]))


def test_a_ring_keeps_the_latest_events() -> None:
    game = make_game(DEFAULT_GAME, 2)
    facts, history, rng = Facts(game), History(game, 5), random.Random(4)
    state = State(game, game.new_states(4))
    history.begin(state.states)
    seen = [deque[Event](maxlen=5), deque[Event](maxlen=5)]
    for _ in range(25):
        before = state.states.copy()
        state.apply_id(rng.choice(state.legal_ids().tolist()))
        history.update(state.states)
        for seat in range(2):
            seen[seat].extend(facts.events(before, state.states, seat))
            assert decoded(facts, history.tokens(seat), seat) == list(seen[seat])
    twin = history.clone()
    history.begin(state.states)
    assert not history.tokens(0).any()
    assert twin.tokens(0).any()
    history.update(state.states)
    assert not history.tokens(1).any()


@pytest.mark.parametrize("mode", ["same_step", "next_step"])
def test_a_batch_forgets_at_the_start_of_a_game(mode: str) -> None:
    game, rng = Kuhn(), np.random.default_rng(1)
    facts, env = Facts(game), BatchEnv(game, 4, history=9, autoreset_mode=mode)
    env.reset(seed=3)
    starts = 0
    told: list[list[list[Event]]] = [[[], []] for _ in range(4)]
    for _ in range(25):
        before, current = env.states.copy(), env.current_player.copy()
        env.step([int(rng.choice(np.flatnonzero(mask))) if mask.any() else 0 for mask in env.action_masks])
        for row in range(4):
            begun = current[row] < 0 or (mode == "same_step" and env.terminated[row])
            starts += begun
            for seat in range(2):
                new = [] if begun else facts.events(before[row : row + 1], env.states[row : row + 1], seat)
                told[row][seat] = [] if begun else told[row][seat] + new
            if env.current_player[row] >= 0:
                assert decoded(facts, env.histories[row], env.current_player[row]) == told[row][env.current_player[row]]
    assert starts > 3
