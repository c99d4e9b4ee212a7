"""Loops over many games at once, for any game: one compiled call steps all of them.

The functions are templates over the kernel functions and over the chain of compiled policies, `choose_by`. A row is one
game with its bookkeeping. Rows are independent: their results do not depend on the batch size, the order of rows or the
threads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.arrays.rng import decision_seed, later_seed, random_seat, seed_policy_rng
from porta_nigra_env.core.batch import bookkeeping
from porta_nigra_env.core.batch.bookkeeping import ABANDONED, OUTSIDE, Games, Rows, Rules, Scratch
from porta_nigra_env.core.batch.encoding import first_illegal
from porta_nigra_env.core.batch.policy import Policy, chain, distinct
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.raw import in_raw_units
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Replacements, Template
from porta_nigra_env.core.game import contract
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.game.results import margin, outcome, withdraw


class BatchLoops(NamedTuple):
    """The compiled loops of a game with a chain of policies."""

    begin: Callable[..., Any]
    step: Callable[..., Any]
    inspect: Callable[..., Any]
    redact_rows: Callable[..., Any]
    act_rows: Callable[..., Any]
    play: Callable[..., Any]
    privileged: Callable[..., Any]


#: Templates without policies, and templates over a chain of policies.
of_game, of_policies = Template(), Template()


@of_game
def show_row(constants: Any, states: Any, row: int, visible: Any, slot: int) -> None:
    """Write to ``visible[slot]`` the state of a row, redacted for its player to move."""
    copy_row(visible[slot], 0, states, row)
    contract.redact(constants, visible[slot], 0, int(states[row]["current_player"]))


@of_game
def step_row(constants: Any, rows: Rows, row: int, slot: int, action: int) -> None:
    """Apply a legal action, between the moments of a tracker."""
    contract.track(constants, rows.states, row, rows.history, slot, bookkeeping.BEFORE, -1)
    contract.step(constants, rows.states, row, action)
    contract.track(constants, rows.states, row, rows.history, slot, bookkeeping.AFTER, -1)


@of_game
def is_refused(words: Any, action: int) -> bool:
    """Return True if a policy's answer is not a legal action."""
    return action < 0 or action >= 64 * words.shape[0] or not bits.contains(words, action)


# Both loops call the policies themselves: passing all of their arrays once more would slow down steps with opponents.


@of_policies
def decide_inside(constants: Any, rows: Rows, row: int, slot: int) -> int:
    """Let compiled policies act until an outside agent is to move or the game is over; return the player to move.

    slot: of `rows.scratch`.
    """
    states, game, words = rows.states, rows.bookkeeping[row], rows.words[row]
    blank = rows.scratch.shape[0] - 1
    player = int(states[row]["current_player"])
    while player >= 0 and game["players"][player] > OUTSIDE:
        number = int(game["players"][player])
        contract.legal(constants, states, row, words)
        if rows.reads[number]:
            show_row(constants, states, row, rows.scratch, slot)
        visible = rows.scratch[slot if rows.reads[number] else blank]
        function, parameters = int(rows.functions[number]), rows.parameters[number]
        action = contract.choose_by(function, constants, visible, 0, player, words, parameters, game["chance"])
        if is_refused(words, action):
            game["fault"] = number + 1
            return player
        step_row(constants, rows, row, slot, action)
        game["length"] += 1
        player = int(states[row]["current_player"])
    return player


@of_policies
def begin_row(constants: Any, rows: Rows, rules: Rules, row: int, slot: int, fresh: bool) -> int:
    """Begin a game, a new one if `fresh`, and play to the first step of an outside agent; return its seat."""
    game = rows.bookkeeping[row]
    seed, number = int(game["seed"]), int(game["games"])
    if fresh:
        contract.reset(constants, rows.states, row, later_seed(seed, number), rules.players)
    if number == 0:
        seed_policy_rng(game["chance"], seed)
    learner = rules.seat
    if rules.seat == bookkeeping.ROTATE_SEAT:
        learner = (seed % rules.players + number) % rules.players
    elif rules.seat == bookkeeping.RANDOM_SEAT:
        learner = random_seat(seed, number, rules.players)
    game["games"] = number + 1
    game["length"] = 0
    game["learner"] = learner
    game["opening"] = 1
    if game["illegal"] == ABANDONED:
        game["illegal"] = 1
    for seat in range(rules.players):
        offset = seat if rules.by_seat or learner < 0 else (seat - learner) % rules.players
        game["players"][seat] = OUTSIDE if seat == learner else rows.lineups[row, offset]
    contract.points(constants, rows.states, row, rows.before[row])
    contract.track(constants, rows.states, row, rows.history, slot, bookkeeping.BEGIN, -1)
    return decide_inside(constants, rows, row, slot)


@of_game
def end_row(constants: Any, rows: Rows, rules: Rules, row: int) -> None:
    """Write the totals, ranks and rewards of a finished game; see `envs.rewards`."""
    totals, places, rewards = rows.totals[row], rows.places[row], rows.rewards[row]
    contract.score(constants, rows.states, row, totals)
    contract.rank(constants, rows.states, row, totals, places)
    game = rows.bookkeeping[row]
    rows.ended[row] = True
    contract.track(constants, rows.states, row, rows.history, 0, bookkeeping.END, int(game["learner"]))
    game["last_length"] = game["length"]
    game["last_learner"] = game["learner"]
    game["illegal"] = 0
    for seat in range(rules.players):
        if rules.reward == bookkeeping.OUTCOME:
            rewards[seat] += outcome(places, seat)
        elif rules.reward == bookkeeping.MARGIN:
            rewards[seat] += margin(totals, seat)
        else:
            rewards[seat] += int(totals[seat]) - int(rows.before[row, seat])
    if rows.finals.shape[1] > 0 and game["learner"] >= 0:
        contract.observe(constants, rows.states, row, int(game["learner"]), rows.finals[row])


@of_game
def abandon_row(constants: Any, rows: Rows, rules: Rules, row: int) -> None:
    """End a game after an illegal action; totals are those of the position, and the offending player is ranked last.

    The state keeps its player to move: games show hidden cards in a state that is over.
    """
    states, game, player = rows.states, rows.bookkeeping[row], int(rows.current[row])
    rows.ended[row] = True
    rows.rewards[row, player] = rules.illegal
    contract.track(constants, states, row, rows.history, 0, bookkeeping.END, int(game["learner"]))
    if rows.finals.shape[1] > 0 and game["learner"] >= 0:
        contract.observe(constants, states, row, int(game["learner"]), rows.finals[row])
    contract.score(constants, states, row, rows.totals[row])
    contract.rank(constants, states, row, rows.totals[row], rows.places[row])
    withdraw(rows.places[row], player)
    game["last_length"] = game["length"]
    game["last_learner"] = game["learner"]
    game["illegal"] = ABANDONED


@of_game
def inspect_row(constants: Any, rows: Rows, row: int) -> None:
    """Write the player to move, its legal actions and its observation.

    When the game is over there are no legal actions; the observation is then the learner's, or zeros without one.
    """
    game = rows.bookkeeping[row]
    player = -1 if game["illegal"] == ABANDONED else int(rows.states[row]["current_player"])
    rows.current[row] = player
    words = rows.words[row]
    if player >= 0:
        contract.legal(constants, rows.states, row, words)
    else:
        for i in range(words.shape[0]):
            words[i] = 0
    if rows.masks.shape[1] > 0:
        bits.unpack(words, rows.masks[row])
    if player < 0:
        player = int(game["learner"])
    contract.track(constants, rows.states, row, rows.history, 0, bookkeeping.SHOW, player)
    if rows.observations.shape[1] > 0:
        if player >= 0:
            contract.show(constants, rows.states, row, player, rows.observations[row])
        else:
            for i in range(rows.observations.shape[1]):
                rows.observations[row, i] = 0


@of_policies
def act_row(constants: Any, rows: Rows, rules: Rules, row: int, slot: int, action: int, fresh: bool) -> bool:
    """Apply a legal action and the following steps of compiled policies; return True if the next game is to begin.

    Rewards are updated, except for points of a game's opening: those count for its first step.
    """
    states, game = rows.states, rows.bookkeeping[row]
    step_row(constants, rows, row, slot, action)
    game["length"] += 1
    if fresh:
        game["opening"] = 0
    player = int(states[row]["current_player"])
    if player >= 0 and game["players"][player] > OUTSIDE:
        player = decide_inside(constants, rows, row, slot)
    if player < 0:
        end_row(constants, rows, rules, row)
        return rules.autoreset == bookkeeping.SAME_STEP
    if rules.reward == bookkeeping.POINTS and game["opening"] == 0:
        now = rows.points[slot]
        contract.points(constants, states, row, now)
        for seat in range(rules.players):
            rows.rewards[row, seat] += int(now[seat]) - int(rows.before[row, seat])
            rows.before[row, seat] = now[seat]
    return False


@of_policies
def begin_rows(
    constants: Any, rows: Rows, rules: Rules, first: int, last: int, slot: int, chosen: Any, fresh: bool
) -> None:
    """Begin games in the rows of ``first..last-1`` selected by `chosen`, bool (n,).

    If `fresh`, the games are new; otherwise they start from the positions in `states`. A game that compiled policies
    end before an outside agent is to move stays over.
    """
    for row in range(first, last):
        if chosen[row]:
            rows.bookkeeping[row]["fault"] = 0
            rows.ended[row] = False
            for seat in range(rules.players):
                rows.rewards[row, seat] = 0.0
            if begin_row(constants, rows, rules, row, slot, fresh) < 0:
                end_row(constants, rows, rules, row)
            inspect_row(constants, rows, row)


@of_policies
def step_rows(
    constants: Any, rows: Rows, rules: Rules, first: int, last: int, slot: int, actions: Any, chosen: Any, fresh: bool
) -> int:
    """Apply the action of every row and play to the next step of an outside agent; return -1.

    Rows whose game is over ignore their action. By strict rules the first row with an illegal action is returned and
    nothing changes; otherwise an illegal action ends its game.
    With ``fresh=False`` the step resumes in the `chosen` rows only, after the legal answer of an outside agent other
    than the learner. With ``fresh=True`` all rows move and `chosen` is not read.
    """
    if fresh and rules.strict:
        illegal = first_illegal(rows.words, rows.current, actions, first, last)
        if illegal >= 0:
            return illegal
    for row in range(first, last):
        if fresh:
            rows.ended[row] = False
            for seat in range(rules.players):
                rows.rewards[row, seat] = 0.0
        elif not chosen[row]:
            continue
        begins = rows.current[row] < 0 and rules.autoreset != bookkeeping.DISABLED
        if rows.current[row] >= 0:
            if not rules.strict and first_illegal(rows.words, rows.current, actions, row, row + 1) >= 0:
                abandon_row(constants, rows, rules, row)
                begins = rules.autoreset == bookkeeping.SAME_STEP
            else:
                begins = act_row(constants, rows, rules, row, slot, int(actions[row]), fresh)
        if begins:
            begin_row(constants, rows, rules, row, slot, True)
        inspect_row(constants, rows, row)
    return -1


@of_game
def inspect_rows(constants: Any, rows: Rows, first: int, last: int) -> None:
    """Fill all outputs derived from the states."""
    for row in range(first, last):
        inspect_row(constants, rows, row)


@of_game
def redact_rows(constants: Any, states: Any, rows: Any, players: Any, out: Any) -> None:
    """Write to ``out[i]`` the state of row ``rows[i]``, redacted for seat ``players[i]``."""
    for i in range(rows.shape[0]):
        copy_row(out, i, states, int(rows[i]))
        contract.redact(constants, out, i, int(players[i]))


@of_game
def privileged_rows(constants: Any, states: Any, first: int, last: int, out: Any) -> None:
    """Write to ``out[row]``, float32, the privileged vector of each row, including hidden cards."""
    for row in range(first, last):
        contract.privileged(constants, states, row, out[row])


@of_policies
def act_rows(
    constants: Any, states: Any, infosets: Any, seats: Any, seeds: Any, words: Any, parameters: Any, rng: Any, out: Any
) -> None:
    """Write the actions of the chain's first policy in redacted states, each with a freshly seeded policy RNG.

    states: (k, 1) redacted; infosets: the same memory as uint8 (k, itemsize); seats: int8 (k,), the observing seats.
    seeds: int64 (k,), of the policy; words: uint64 (num_words,) and rng: int64 (3,), scratch.
    parameters: float64 (m,); out: int64 (k,), the actions.
    """
    for i in range(states.shape[0]):
        seed_policy_rng(rng, decision_seed(infosets[i], int(seeds[i])))
        contract.legal(constants, states[i], 0, words)
        out[i] = contract.choose_by(0, constants, states[i], 0, int(seats[i]), words, parameters, rng)


@of_policies
def play_games(constants: Any, games: Games, scratch: Scratch, players: int, first: int, last: int) -> int:
    """Play the games ``first..last-1`` to their ends, or to the limit.

    Returns -1, or the index of a game in which a policy returned an illegal action; its ``lengths`` entry is then the
    number of that policy.
    """
    states, words, policy_rng = scratch.states, scratch.words, scratch.policy_rng
    blank = scratch.visible.shape[0] - 1
    for game in range(first, last):
        if games.starts.shape[0]:
            copy_row(states, 0, games.starts, game)
        else:
            contract.reset(constants, states, 0, int(games.seeds[game]), players)
        seed_policy_rng(policy_rng, int(games.seeds[game]))
        decisions = 0
        player = int(states[0]["current_player"])
        while player >= 0 and decisions < games.limit[0]:
            number = int(games.lineups[game, player])
            contract.legal(constants, states, 0, words)
            if games.reads[number]:
                show_row(constants, states, 0, scratch.visible, 0)
            visible = scratch.visible[0 if games.reads[number] else blank]
            function, parameters = int(games.functions[number]), games.parameters[number]
            action = contract.choose_by(function, constants, visible, 0, player, words, parameters, policy_rng)
            if is_refused(words, action):
                games.lengths[game] = number
                return game
            contract.step(constants, states, 0, action)
            decisions += 1
            player = int(states[0]["current_player"])
        games.lengths[game] = decisions
        contract.score(constants, states, 0, games.totals[game])
        contract.rank(constants, states, 0, games.totals[game], games.places[game])
        if games.ends.shape[0]:
            copy_row(games.ends, game, states, 0)
    return -1


class Tracker(NamedTuple):
    """Observer of the games of a batch: a function in place of `core.game.contract.track`, and its sources."""

    track: Callable[..., Any]
    sources: tuple[Path, ...]


def nothing(constants: Any, states: Any, row: int, memory: Any, slot: int, moment: int, seat: int) -> None:
    """Track nothing."""


_GAMES: dict[tuple[Kernel, Callable[..., Any] | None, bool], Replacements] = {}
_COMPILED: dict[tuple[Any, ...], BatchLoops] = {}


@cache
def _in_raw_units(observe: Callable[..., Any], sources: tuple[Path, ...]) -> Callable[..., Any]:
    result: Callable[..., Any] = in_raw_units(observe, compiler(*sources))
    return result


def shown(game: Game, raw: bool) -> Callable[..., Any]:
    """Return a game's function for `core.game.contract.show`.

    Raises:
        ValueError: the function `observe` divides by scales, so no copy of it shows raw quantities.
    """
    observe = game.kernel.observe
    show = _in_raw_units(observe, game.sources) if raw else observe
    if raw and show is observe and (game.observations.scales() != 1).any():
        raise ValueError(
            f"observations: 'uint8' is not available for {game.name}: its function `observe` must multiply by the "
            "units of core.arrays.layout.units"
        )
    return show


def compile_batch(
    game: Game, policies: Sequence[Policy], tracker: Tracker | None = None, raw: bool = False
) -> BatchLoops:
    """Return the loops of this module over a game's kernel functions, at least one policy, and a tracker.

    raw: true to show raw quantities; `Rows.observations` is then uint8.

    They are specialized once for each game and set of functions `Policy.choose`, whose policies differ in parameters
    only. Compiled code is cached on disk.

    Raises:
        ValueError: a policy is made for another game, or the game's kernel cannot show raw quantities.
    """
    for policy in policies:
        policy.check_plays(game.name)
    functions = distinct(policies)
    track = None if tracker is None else tracker.track
    key = (game.kernel, track, raw, tuple(policy.choose for policy in functions))
    if key in _COMPILED:
        return _COMPILED[key]
    sources = (*game.sources, *(() if tracker is None else tracker.sources))
    own = game.kernel, track, raw
    if own not in _GAMES:
        jit = compiler(*sources, inline=True)
        of_kernel = {
            **game.kernel.replacements, contract.show: shown(game, raw), contract.track: track or jit(nothing)
        }  # fmt: skip
        _GAMES[own] = of_game.specialize(game.name, of_kernel, jit)
    # Calls between the loops would copy their many arrays to the stack: a tenth of a step with observations.
    paths = dict.fromkeys(path for policy in functions for path in policy.sources)
    jit = compiler(*sources, *paths, inline=True)
    replacements = {**_GAMES[own], contract.choose_by: chain(game.name, functions, jit)}
    compiled = of_policies.specialize(game.name, replacements, jit)
    loops = (begin_rows, step_rows, inspect_rows, redact_rows, act_rows, play_games, privileged_rows)
    _COMPILED[key] = BatchLoops(*(compiled[function] for function in loops))
    return _COMPILED[key]
