"""Valid games pass every invariant, and every invariant detects a mistake."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

from porta_nigra_env.core.arrays.layout import FieldSpec, Layout
from porta_nigra_env.core.batch import loops
from porta_nigra_env.core.batch.loops import NO_ACTION, Loops
from porta_nigra_env.core.compile import records
from porta_nigra_env.core.compile.cache import COMPILED
from porta_nigra_env.core.conformance.check import INVARIANTS, check_game, chosen_plies, violations
from porta_nigra_env.core.conformance.moments import EPISODE_INVARIANTS, GAME_INVARIANTS, POSITION_INVARIANTS
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.narration.facts import SEAT
from porta_nigra_env.games import GAMES as LISTED
from porta_nigra_env.games import game_entry, make_game
from tests.toys.kuhn.game import KERNEL as COMPILED_KERNEL
from tests.toys.kuhn.game import Kuhn, narration
from tests.toys.leduc.game import Leduc

KUHN = Kuhn()
# Mistakes are made in interpreted functions: compiled ones could write outside their arrays without an IndexError.
KERNEL = Kernel(*(getattr(function, "py_func", function) for function in COMPILED_KERNEL))


def interpreted_loops(name: str, kernel: Kernel) -> Loops:
    """Return the loops over an interpreted kernel, with a plain replacement of `copy_row`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loops, "copy_row", records.plain_copy)
        return loops.compile_loops(name, kernel, lambda function: function)


LOOPS = interpreted_loops("kuhn", KERNEL)

#: Every listed game with every number of players, and two toy games; the dice game has a separate test.
GAMES: dict[str, Callable[[], Game]] = {
    "kuhn": Kuhn,
    "leduc": Leduc,
    **{f"{name}-{players}": partial(make_game, name, players) for name in LISTED for players in game_entry(name).seats},
}


@pytest.mark.parametrize("name", GAMES)
def test_every_game_satisfies_all_invariants(name: str) -> None:
    is_small = name in ("kuhn", "leduc")
    games = 20 if is_small else 4 if COMPILED else 1
    report = check_game(GAMES[name](), games=games, positions=12 if COMPILED or is_small else 4)
    assert set(report.checks) == set(INVARIANTS)
    assert report.games == games
    assert report.steps >= 2 * games
    assert report.positions >= 3 * games
    assert min(report.checks.values()) > 0
    assert str(games) in str(report)


def test_a_game_over_the_limit_is_reported() -> None:
    with pytest.raises(AssertionError, match="not over after 1 steps"):
        check_game(KUHN, games=1, limit=1)


# ------------------------------------------------------------------------------------------------ mistakes

Function = Callable[..., Any]


class Mistake(NamedTuple):
    """A mistake in a game and the invariant that must detect it.

    Attributes:
        invariant: name of the invariant.
        functions: replacements of kernel functions; the interpreted loops use them.
        loops: replacements of loops.
        others: replacements of other attributes.
    """

    invariant: str
    functions: Mapping[str, Function] = MappingProxyType({})
    loops: Mapping[str, Function] = MappingProxyType({})
    others: Mapping[str, Any] = MappingProxyType({})


class Wrong(Kuhn):
    """Kuhn poker with a named mistake."""

    def __init__(self, mistake: str) -> None:
        super().__init__()
        _, functions, wrong_loops, others = MISTAKES[mistake]
        self.mistake = mistake
        kernel = KERNEL._replace(**functions)
        bound = interpreted_loops(f"kuhn_{mistake}", kernel)._replace(**wrong_loops)
        # Instance attributes override the class attributes of Kuhn.
        replaced = {"kernel": kernel, "loops": bound, **others}
        for name, value in replaced.items():
            setattr(self, name, value() if name == "constants" else value)

    def narration(self) -> Any:
        """Return None: histories are recorded by compiled code, which cannot call interpreted kernel functions."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrong) and other.mistake == self.mistake

    def __hash__(self) -> int:
        return hash(self.mistake)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.mistake == "cannot_be_pickled":
            raise TypeError("this game cannot be pickled")
        return (Kuhn, ()) if self.mistake == "pickled_as_another" else (Wrong, (self.mistake,))


def change_after(name: str, change: Callable[..., None]) -> dict[str, Function]:
    """Return a kernel function of Kuhn that then calls ``change(state, ...)``."""

    def wrong(constants: Any, states: Any, row: int, *arguments: Any) -> None:
        getattr(KERNEL, name)(constants, states, row, *arguments)
        change(states[row], *arguments)

    return {name: wrong}


def keep_field(name: str, field: str) -> dict[str, Function]:
    """Return a kernel function of Kuhn that does not change one field."""

    def wrong(constants: Any, states: Any, row: int, *arguments: Any) -> None:
        before = states[row][field].copy()
        getattr(KERNEL, name)(constants, states, row, *arguments)
        states[row][field] = before

    return {name: wrong}


def add(state: Any, field: str, amount: Any) -> None:
    state[field] = state[field] + amount


def narrated(**changes: Any) -> dict[str, Any]:
    """Return a changed narration, and the compiled kernel that its histories need."""
    return {"narration": lambda: dataclasses.replace(narration(), **changes), "kernel": COMPILED_KERNEL}


#: The facts of Kuhn poker as if a move were secret.
_SECRET = tuple(
    dataclasses.replace(fact, axes=(SEAT,), seen_by="owner") if fact.kind == "chosen" else fact
    for fact in narration().facts
)

_COUNTER = itertools.count()


def _play_for_ever(state: Any, action: int) -> None:
    if state["current_player"] < 0:
        state["current_player"] = 0
        state["history"] = -1
        state["length"] = 0


def _write_constants(constants: Any, states: Any, row: int, totals: Any) -> None:
    KERNEL.score(constants, states, row, totals)
    constants[0]["ante"] ^= 1


def _step_beside(constants: Any, states: Any, row: int, action: int) -> None:
    KERNEL.step(constants, states, row, action)
    states[(row + 1) % len(states)]["history"][2] = action


def _observe_the_first_row(constants: Any, states: Any, row: int, player: int, out: Any) -> None:
    KERNEL.observe(constants, states, row, player, out)
    out[0] = 1.0 - max(0, int(states[0]["current_player"]))


def _observe_partly(constants: Any, states: Any, row: int, player: int, out: Any) -> None:
    last = out[-1]
    KERNEL.observe(constants, states, row, player, out)
    out[-1] = last


def _score_on_top(constants: Any, states: Any, row: int, totals: Any) -> None:
    before = totals.copy()
    KERNEL.score(constants, states, row, totals)
    totals += before // 7


def _write_the_totals(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    KERNEL.rank(constants, states, row, totals, places)
    totals[0] += 1


def _rank_from_zero(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    KERNEL.rank(constants, states, row, totals, places)
    places -= 1


def _skip_a_place(constants: Any, states: Any, row: int, totals: Any, places: Any) -> None:
    KERNEL.rank(constants, states, row, totals, places)
    places[places == 2] = 3


def _redact_only_the_key(constants: Any, states: Any, row: int, player: int) -> None:
    cards = states[row]["cards"].copy()
    KERNEL.redact(constants, states, row, player)
    states[row]["cards"] = cards


def _forget_the_last_choice(state: Any, player: int) -> None:
    if state["length"] == 1 and player == 1:
        state["history"][0] = 0


def _redraw_at_the_end(state: Any, player: int, seed: int) -> None:
    if state["current_player"] < 0:
        own = int(state["cards"][player])
        state["cards"][1 - player] = (own + 1 + seed % 2) % 3


def advance(change: Callable[[Any, int], int]) -> dict[str, Function]:
    """Return `loops.advance` of the action that `change` returns."""

    def wrong(constants: Any, states: Any, row: int, action: int, *outputs: Any) -> int:
        return int(LOOPS.advance(constants, states, row, change(states[row], action), *outputs))

    return {"advance": wrong}


def _advance_after_the_end(constants: Any, states: Any, row: int, action: int, *outputs: Any) -> int:
    if states[row]["current_player"] < 0:
        return -1
    return int(LOOPS.advance(constants, states, row, action, *outputs))


def _refuse_after_a_change(state: Any, action: int) -> int:
    add(state, "counters", [0, 1])
    return action


def _play_by_a_counter(constants: Any, states: Any, row: int, words: Any, policy_rng: Any, limit: int) -> int:
    policy_rng[0] = next(_COUNTER)
    return int(LOOPS.playout(constants, states, row, words, policy_rng, limit))


def _unsigned(dtype: np.dtype[np.void]) -> np.dtype[np.void]:
    return np.dtype([(name, np.uint64, (2,)) if name == "key" else (name, dtype[name]) for name in dtype.names or ()])


MISTAKES: dict[str, Mistake] = {
    # of the game object
    "unsigned_key": Mistake("state_is_a_flat_record", others={"dtype": _unsigned(KUHN.dtype)}),
    "seats_descend": Mistake("seats_ascend", others={"seats": (3, 2)}),
    "seats_of_others": Mistake("seats_ascend", others={"seats": (3, 4)}),
    "alone": Mistake("seats_ascend", others={"seats": (1, 2)}),
    "one_string_for_two_ids": Mistake("action_strings_match_ids", others={"action_texts": ("pass", "pass")}),
    "an_action_string_is_missing": Mistake("action_strings_match_ids", others={"action_texts": ("pass",)}),
    "reads_anything": Mistake("action_strings_match_ids", others={"action_id": lambda text: int(text == "bet")}),
    "more_ids_than_bits": Mistake(
        "words_hold_all_actions", others={"actions": Layout([FieldSpec("move", (65,), "too many")])}
    ),
    "no_upper_bound": Mistake(
        "bounds_are_positive_and_finite",
        others={"privileged": Layout([FieldSpec("cards", (2,), "", high=float("inf"))])},
    ),
    "secret_choices_of_another": Mistake("secret_choices_are_fields", others={"secret_choices": ("keep",)}),
    "pickled_as_another": Mistake("game_copies_are_equal"),
    # of episodes
    "endless": Mistake("game_ends", change_after("step", _play_for_ever)),
    "not_deterministic": Mistake(
        "same_seed_same_game",
        {
            "reset": lambda constants, states, row, seed, players: KERNEL.reset(
                constants, states, row, next(_COUNTER), players
            )
        },
    ),
    "reset_keeps_a_field": Mistake("reset_overwrites_everything", keep_field("reset", "history")),
    "seed_of_32_bits": Mistake(
        "seeds_give_different_games",
        {
            "reset": lambda constants, states, row, seed, players: KERNEL.reset(
                constants, states, row, seed % 2**32, players
            )
        },
    ),
    "playout_without_a_limit": Mistake(
        "playout_is_deterministic_and_limited",
        loops={"playout": lambda *arguments: int(LOOPS.playout(*arguments[:-1], 100))},
    ),
    "rounds_fall": Mistake(
        "rounds_never_fall", {"rounds": lambda constants, states, row: 1 - int(states[row]["length"]) % 2}
    ),
    "rounds_begin_late": Mistake(
        "rounds_never_fall", {"rounds": lambda constants, states, row: 2 + int(states[row]["length"])}
    ),
    # of positions
    "number_of_players_changes": Mistake(
        "current_player_is_a_seat", change_after("step", lambda state, action: add(state, "num_players", 1))
    ),
    "mask_empty": Mistake(
        "legal_actions_exist_until_the_end",
        change_after("legal", lambda state, words: np.put(words, 0, 0 if state["length"] > 0 else words[0])),
    ),
    "legal_after_the_end": Mistake(
        "legal_actions_exist_until_the_end", change_after("legal", lambda state, words: np.put(words, 0, 3))
    ),
    "constants_written": Mistake(
        "constants_are_read_only", {"score": _write_constants}, others={"constants": KUHN.constants.copy}
    ),
    "neighbour_row_written": Mistake("rows_are_independent", {"step": _step_beside}),
    "another_row_read": Mistake("rows_are_independent", {"observe": _observe_the_first_row}),
    "observe_changes_the_state": Mistake(
        "reading_changes_nothing", change_after("observe", lambda state, player, out: add(state, "counters", [0, 1]))
    ),
    "loops_of_another_game": Mistake(
        "mask_matches_legal_actions",
        change_after("legal", lambda state, words: np.put(words, 0, words[0] & np.uint64(2))),
        others={"loops": LOOPS},
    ),
    "playout_with_another_rng": Mistake("playout_is_deterministic_and_limited", loops={"playout": _play_by_a_counter}),
    "perft_counts_nothing": Mistake("perft_counts_the_legal_actions", loops={"perft": lambda *_: 0}),
    "observation_out_of_bounds": Mistake(
        "observation_is_in_bounds", change_after("observe", lambda state, player, out: np.put(out, 0, 2.0))
    ),
    "observation_scaled_without_a_unit": Mistake(
        "raw_quantities_match_the_observation",
        change_after("observe", lambda state, player, out: out.__setitem__(0, out[0] * 0.75)),
    ),
    "observation_not_overwritten": Mistake("observation_is_in_bounds", {"observe": _observe_partly}),
    "privileged_out_of_bounds": Mistake(
        "privileged_vector_is_in_bounds", change_after("privileged", lambda state, out: np.put(out, 0, -1.0))
    ),
    "totals_added_up": Mistake("totals_are_overwritten", {"score": _score_on_top}),
    "rank_writes_the_totals": Mistake("rank_does_not_write_totals", {"rank": _write_the_totals}),
    "places_from_zero": Mistake("ranks_are_consistent", {"rank": _rank_from_zero}),
    "places_not_overwritten": Mistake(
        "ranks_are_consistent",
        {"rank": lambda constants, states, row, totals, places: np.putmask(places, totals == totals.max(), 1)},
    ),
    "a_rank_is_skipped": Mistake("ranks_are_consistent", {"rank": _skip_a_place}),
    "source_without_points": Mistake("sources_add_up", others={"point_sources": ("chips",)}),
    "sources_without_names": Mistake(
        "sources_add_up", others={"points_by_source": lambda states: np.zeros((len(states), 2, 3), dtype=np.int32)}
    ),
    "points_reveal_cards": Mistake(
        "points_are_public", {"points": lambda constants, states, row, points: np.copyto(points, states[row]["cards"])}
    ),
    "points_added_up": Mistake(
        "points_are_public",
        {"points": lambda constants, states, row, points: np.add(points, states[row]["length"], out=points)},
    ),
    "rounds_reveal_the_key": Mistake(
        "rounds_are_public", {"rounds": lambda constants, states, row: int(states[row]["key"].any())}
    ),
    "places_by_hidden_cards": Mistake(
        "result_is_public",
        {"rank": lambda c, states, row, totals, places: KERNEL.rank(c, states, row, states[row]["cards"], places)},
    ),
    "determinize_by_a_counter": Mistake(
        "determinization_is_seeded",
        {
            "determinize": lambda c, states, row, player, seed: KERNEL.determinize(
                c, states, row, player, next(_COUNTER)
            )
        },
    ),
    "determinize_is_identity": Mistake("determinization_reseeds", {"determinize": lambda *_: None}),
    "determinize_keeps_the_key": Mistake("determinization_reseeds", keep_field("determinize", "key")),
    "redraw_is_identity": Mistake("redrawing_reseeds", {"redraw": lambda *_: None}),
    "redraw_is_a_determinization": Mistake(
        "redrawing_keeps_what_players_know",
        {"redraw": lambda c, states, row, seed: KERNEL.determinize(c, states, row, 0, seed)},
    ),
    "observation_leaks": Mistake(
        "redacted_state_gives_the_observation",
        change_after("observe", lambda state, player, out: np.put(out, -1, state["cards"][1 - player] / 2)),
    ),
    "determinize_keeps_hidden_cards": Mistake(
        "redacted_state_gives_the_determinizations", keep_field("determinize", "cards")
    ),
    "redact_leaves_cards": Mistake("indistinguishable_states_redact_equally", {"redact": _redact_only_the_key}),
    "determinize_changes_the_own_card": Mistake(
        "determinization_keeps_known_information",
        change_after(
            "determinize", lambda state, player, seed: np.put(state["cards"], player, 3 - state["cards"].sum())
        ),
    ),
    "determinize_changes_the_result": Mistake("result_is_public", change_after("determinize", _redraw_at_the_end)),
    "determinize_leaves_a_card_unknown": Mistake(
        "determinization_plays_to_the_end",
        change_after("determinize", lambda state, player, seed: np.put(state["cards"], 1 - player, -1)),
    ),
    "redact_hides_an_open_choice": Mistake(
        "choices_are_visible_or_secret", change_after("redact", _forget_the_last_choice)
    ),
    "position_forgets_the_random_state": Mistake(
        "position_round_trips", others={"position": lambda *arguments: {**KUHN.position(*arguments), "rng": None}}
    ),
    "position_is_not_json": Mistake(
        "position_round_trips",
        others={"position": lambda *arguments: {**KUHN.position(*arguments), "num_players": np.int8(2)}},
    ),
    "position_shows_hidden_cards": Mistake(
        "views_hide_information",
        others={
            "position": lambda states, row=0, view=None: {
                **KUHN.position(states, row, view),
                "cards": KUHN.position(states, row)["cards"],
            }
        },
    ),
    "board_shows_hidden_cards": Mistake(
        "views_hide_information", others={"board": lambda states, row=0, view=None: KUHN.board(states, row)}
    ),
    "illegal_is_accepted": Mistake(
        "illegal_is_refused", loops=advance(lambda state, action: action if action == NO_ACTION else action % 2)
    ),
    "refused_action_changes_the_state": Mistake("illegal_is_refused", loops=advance(_refuse_after_a_change)),
    "advance_plays_another_action": Mistake(
        "advance_is_step_and_inspect", loops=advance(lambda state, action: 1 - action if action in (0, 1) else action)
    ),
    "cannot_be_pickled": Mistake("states_are_values"),
    "illegal_is_accepted_by_name": Mistake("state_refuses_illegal_actions", loops={"advance": _advance_after_the_end}),
    "narration_forgets_a_field": Mistake(
        "events_tell_every_visible_change", others=narrated(silent={"key": "random key"})
    ),
    "move_is_secret": Mistake("histories_hold_the_events", others=narrated(facts=_SECRET)),
}


#: Mistakes that violate several invariants, of which another one is checked first.
PRECEDED = {
    "more_ids_than_bits",
    "determinize_by_a_counter",
    "determinize_changes_the_result",
    "cannot_be_pickled",
    "illegal_is_accepted_by_name",
    "mask_empty",
    "number_of_players_changes",
    "redact_hides_an_open_choice",
}


#: A game of Kuhn poker has at most three steps.
ENDLESS = 30


@pytest.mark.parametrize("name", MISTAKES)
def test_every_mistake_violates_its_invariant(name: str) -> None:
    game = Wrong(name)
    invariant = MISTAKES[name].invariant
    games = 0 if invariant in {game_invariant.__name__ for game_invariant in GAME_INVARIANTS} else 6
    violated = list(dict.fromkeys(violation.invariant for violation in violations(game, games=games, limit=ENDLESS)))
    assert invariant in violated
    # The first violation makes the message, so it should name the actual mistake.
    assert violated[0] == invariant or name in PRECEDED, violated
    untouched = Wrong(name)
    with pytest.raises(AssertionError, match=rf"\({violated[0]}\)"):
        check_game(untouched, games=6, limit=ENDLESS)


def test_there_is_a_mistake_for_every_invariant() -> None:
    assert {mistake.invariant for mistake in MISTAKES.values()} == set(INVARIANTS)


def test_a_violation_names_invariant_game_seed_and_ply() -> None:
    game = Wrong("position_shows_hidden_cards")
    with pytest.raises(AssertionError) as caught:
        check_game(game, games=1, seed=5)
    message = str(caught.value)
    assert message.startswith("The position and the board of a view are the same for all states")
    for part in ("views_hide_information", "kuhn v0 with 2 players", "seed 5", "ply 0", "seat "):
        assert part in message


def test_an_error_of_a_game_is_a_violation() -> None:
    game: Any = Wrong("reads_anything")
    game.position = lambda *_: 1 / 0
    findings = {violation.invariant: violation.finding for violation in violations(game, games=1)}
    assert findings["position_round_trips"] == "ZeroDivisionError: division by zero"


def test_every_invariant_is_a_sentence() -> None:
    for invariant in (*GAME_INVARIANTS, *EPISODE_INVARIANTS, *POSITION_INVARIANTS):
        text = (invariant.__doc__ or "").split("\n\n")[0]
        assert text.endswith(".")
        assert text[0].isupper()
        assert "\n" not in text


def test_plies_are_spread_and_include_both_ends() -> None:
    assert chosen_plies(2, 12) == [0, 1, 2]
    plies = chosen_plies(300, 12)
    assert {0, 299, 300} <= set(plies)
    assert 12 <= len(plies) <= 14
    assert max(right - left for left, right in itertools.pairwise(plies)) <= 28


@pytest.mark.parametrize("arguments", [{"games": 0}, {"positions": 2}])
def test_too_few_games_or_positions_are_refused(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="`games` must be at least 1 and `positions` at least 3"):
        check_game(KUHN, **arguments)
