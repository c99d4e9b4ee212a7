"""Loops over many games at once, for any game: one compiled call for a decision in each of them.

The functions are templates like those of `core.loops`: the verbs and `choose`, the chain of compiled policies, are
stand-ins which `bind_batch` replaces.  A row is one game with its bookkeeping; rows never look at each other, so that
their results do not depend on the size of the batch, on the order of rows or on threads.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core import bits, policy
from porta_nigra_env.core.game import Game
from porta_nigra_env.core.jit import bind, compiler
from porta_nigra_env.core.policy import Policy
from porta_nigra_env.core.rng import chance_below, decision_seed, later_seed, random_seat, seed_chance

_ZERO, _ONE = np.uint64(0), np.uint64(1)

#: Most seats a game may have.
MAX_SEATS: Final = 8

#: Who plays a seat: a compiled policy by its number, or somebody outside the compiled loop.  The learner is OUTSIDE,
#: and further agents that are asked from Python count down from OUTSIDE - 1.
OUTSIDE: Final = -1

#: The learner's seat: a number, every seat, the next one in each game, or a random one for each game.
EVERY_SEAT: Final = -1
ROTATE_SEAT: Final = -2
RANDOM_SEAT: Final = -3

#: The reward of an illegal action that ends its game: no result of scheme OUTCOME is worse.
ILLEGAL_REWARD: Final = -1.0

#: What rewards are (`envs.rewards.REWARDS`).
OUTCOME, MARGIN, POINTS = range(3)

#: What follows a game that has ended (`gymnasium.vector.AutoresetMode`).
NEXT_STEP, SAME_STEP, DISABLED = range(3)

#: The bookkeeping of a row, beside its state.
BOOK: Final = np.dtype(
    [
        ("seed", np.int64),  # of the row's first game; later ones follow from it (`rng.later_seed`)
        ("games", np.int64),  # games begun
        ("chance", np.int64, (3,)),  # chance of the compiled policies (`rng.chance_below`)
        ("length", np.int32),  # decisions made in the running game, or in the one that has ended
        ("last_length", np.int32),  # decisions of the game that ended last
        ("learner", np.int8),  # the learner's seat in the running game, or EVERY_SEAT
        ("last_learner", np.int8),  # the same in the game that ended last
        ("players", np.int8, (MAX_SEATS,)),  # who plays each seat of the running game
        ("fault", np.int8),  # 1 + the number of a policy that answered with an illegal action
        ("illegal", np.int8),  # 1 if the game that ended last did so by an illegal action
    ],
    align=True,
)


class Rows(NamedTuple):
    """The arrays of a batch of n games; those with (0) may have length zero there, for what nobody wants.

    states: (n,) of the game's dtype.
    book: (n,) of BOOK.
    words: uint64 (n, num_words), the legal actions as bit sets.
    masks: int8 (n, num_actions or 0), the same as zeros and ones.
    observations: float32 (n, observation_size or 0), of the player to move.
    finals: float32 (n, observation_size or 0), the learner's last sight of the game that ended last.
    rewards: float32 (n, players), gained since somebody outside was asked last.
    current: int8 (n,), the player to move, -1 when the game is over.
    ended: bool (n,), whether a game has ended in this step.
    scores: int32 (n, players), the totals of the game that ended last.
    before: int32 (n, players), points at the last settlement.
    points: the points gained so far, (n, players or more), a view into `states`; (0, 0) in games without.
    lineups: int8 (n, players), who plays in games to come: seats, or places from the learner's left on.
    parameters: float64 (policies, k) of the compiled policies.
    reads: bool (policies,), whether they want a redacted state.
    scratch: (slots,) of the game's dtype; a thread writes to its own slot.
    """

    states: Any
    book: Any
    words: Any
    masks: Any
    observations: Any
    finals: Any
    rewards: Any
    current: Any
    ended: Any
    scores: Any
    before: Any
    points: Any
    lineups: Any
    parameters: Any
    reads: Any
    scratch: Any


class Rules(NamedTuple):
    """How a batch is played; every number is one of the constants of this module.

    by_seat: 1 if `lineups` names seats, 0 if it names places from the learner's left on.
    strict: 1 if actions are checked before the step, 0 if an illegal one ends its game.
    """

    players: int
    reward: int
    autoreset: int
    seat: int
    by_seat: int
    strict: int


@policy.jit
def check(words: Any, current: Any, actions: Any, first: int, last: int) -> int:
    """The first row whose action is not in its set; -1 if all are.  Rows whose game is over are not looked at."""
    members = 64 * words.shape[1]
    for row in range(first, last):
        action = int(actions[row])
        if current[row] >= 0:
            if action < 0 or action >= members:
                return row
            if (words[row, action >> 6] >> np.uint64(action & 63)) & _ONE == _ZERO:
                return row
    return -1


class BatchLoops(NamedTuple):
    """The compiled loops of a game with a chain of policies."""

    begin: Callable[..., Any]
    step: Callable[..., Any]
    look: Callable[..., Any]
    hide: Callable[..., Any]
    answer: Callable[..., Any]
    play: Callable[..., Any]
    reveal: Callable[..., Any]


# Stand-ins, replaced by `bind_batch`; calling one of them is a mistake in this module.
def choose(*_: Any) -> Any:
    raise NotImplementedError("stand-in for a game's verb")


reset = step = legal = observe = score = redact = reveal = choose
decide_inside = seat_row = begin_row = end_row = abandon_row = look_row = choose

# Between compiled functions every array is an argument of its own: a tuple of arrays would be copied, and each of its
# members counted as referenced anew, at every call (200 ns a row).  Only the outermost loops take `Rows`.


def _decide_inside(
    tables: Any, states: Any, book: Any, row: int, words: Any, parameters: Any, reads: Any, scratch: Any, slot: int
) -> int:
    """Let compiled policies decide until somebody outside is asked or the game is over; returns who is to move.

    words: the row's own set, overwritten.
    """
    player = int(states[row]["current_player"])
    while player >= 0 and book[row]["players"][player] > OUTSIDE:
        number = int(book[row]["players"][player])
        legal(tables, states, row, words)
        if reads[number]:
            scratch[slot] = states[row]
            redact(tables, scratch, slot, player)
        action = choose(number, tables, scratch, slot, player, words, parameters[number], book[row]["chance"])
        if action < 0 or action >= 64 * words.shape[0] or not bits.contains(words, action):
            book[row]["fault"] = number + 1
            return player
        step(tables, states, row, action)
        book[row]["length"] += 1
        player = int(states[row]["current_player"])
    return player


def _seat_row(states: Any, book: Any, row: int, lineups: Any, points: Any, before: Any, rules: Rules) -> None:
    """Seat the players of the game that begins in a row, and remember the points it begins with."""
    seed, number = int(book[row]["seed"]), int(book[row]["games"])
    if number == 0:
        seed_chance(book[row]["chance"], seed)
    learner = rules.seat
    if rules.seat == ROTATE_SEAT:
        learner = (seed + number) % rules.players
    elif rules.seat == RANDOM_SEAT:
        learner = random_seat(seed, number, rules.players)
    book[row]["games"] = number + 1
    book[row]["length"] = 0
    book[row]["learner"] = learner
    for seat in range(rules.players):
        place = seat if rules.by_seat or learner < 0 else (seat - learner) % rules.players
        book[row]["players"][seat] = OUTSIDE if seat == learner else lineups[row, place]
        before[row, seat] = points[row, seat] if points.shape[0] > 0 else 0


def _begin_row(
    tables: Any,
    states: Any,
    book: Any,
    row: int,
    lineups: Any,
    points: Any,
    before: Any,
    words: Any,
    parameters: Any,
    reads: Any,
    scratch: Any,
    slot: int,
    rules: Rules,
    fresh: bool,
) -> int:
    """Begin a game, a new one if `fresh`, and play to the first decision that is asked outside; returns whose."""
    if fresh:
        seed = later_seed(int(book[row]["seed"]), int(book[row]["games"]))
        reset(tables, states, row, seed, rules.players)
    seat_row(states, book, row, lineups, points, before, rules)
    return decide_inside(tables, states, book, row, words, parameters, reads, scratch, slot)  # type: ignore[no-any-return]


def _end_row(
    tables: Any, states: Any, book: Any, row: int, scores: Any, rewards: Any, before: Any, finals: Any, rules: Rules
) -> None:
    """The totals of a game that is over, and what they are worth; see `envs.rewards`.

    scores, rewards, before: those of the row, (players,).
    """
    players = rules.players
    score(tables, states, row, scores)
    book[row]["last_length"] = book[row]["length"]
    book[row]["last_learner"] = book[row]["learner"]
    book[row]["illegal"] = 0
    if rules.reward == OUTCOME:
        best = scores[0]
        for seat in range(1, players):
            best = max(best, scores[seat])
        winners = 0
        for seat in range(players):
            if scores[seat] == best:
                winners += 1
        for seat in range(players):
            share = 1.0 / winners if scores[seat] == best else 0.0
            rewards[seat] += (players * share - 1.0) / (players - 1)
    elif rules.reward == MARGIN:
        total = 0
        for seat in range(players):
            total += int(scores[seat])
        for seat in range(players):
            rewards[seat] += int(scores[seat]) - (total - int(scores[seat])) / (players - 1)
    else:
        for seat in range(players):
            rewards[seat] += int(scores[seat]) - int(before[seat])
    if finals.shape[1] > 0 and book[row]["learner"] >= 0:
        observe(tables, states, row, int(book[row]["learner"]), finals[row])


def _abandon_row(tables: Any, states: Any, book: Any, row: int, scores: Any, finals: Any) -> None:
    """End a game in which an illegal action was wanted; the totals are those of the position."""
    if finals.shape[1] > 0 and book[row]["learner"] >= 0:
        observe(tables, states, row, int(book[row]["learner"]), finals[row])
    score(tables, states, row, scores)
    book[row]["last_length"] = book[row]["length"]
    book[row]["last_learner"] = book[row]["learner"]
    book[row]["illegal"] = 1
    states[row]["current_player"] = -1


def _look_row(
    tables: Any, states: Any, book: Any, row: int, words: Any, masks: Any, observations: Any, current: Any
) -> None:
    """Who is to move, her legal actions and her observation.

    When the game is over there are no legal actions; the observation is then the learner's, or zeros without one.
    """
    player = int(states[row]["current_player"])
    current[row] = player
    if player >= 0:
        legal(tables, states, row, words[row])
    else:
        words[row, :] = 0
    if masks.shape[1] > 0:
        bits.unpack(words[row], masks[row])
    if observations.shape[1] > 0:
        if player < 0:
            player = int(book[row]["learner"])
        if player >= 0:
            observe(tables, states, row, player, observations[row])
        else:
            observations[row, :] = 0


def _begin(tables: Any, rows: Rows, rules: Rules, first: int, last: int, slot: int, chosen: Any, fresh: bool) -> None:
    """Begin games in the rows of ``first..last-1`` that are chosen (bool (n,)): new ones, or, unless `fresh`, from the
    positions that stand in `states`.  A game that compiled policies end before anybody outside is asked stays over.
    """
    states, book, words, current = rows.states, rows.book, rows.words, rows.current
    masks, observations, rewards, finals = rows.masks, rows.observations, rows.rewards, rows.finals
    points, before, ended, scores, lineups = rows.points, rows.before, rows.ended, rows.scores, rows.lineups
    parameters, reads, scratch = rows.parameters, rows.reads, rows.scratch
    for row in range(first, last):
        if chosen[row]:
            book[row]["fault"] = 0
            ended[row] = False
            rewards[row, :] = 0
            player = begin_row(
                tables, states, book, row, lineups, points, before, words[row],
                parameters, reads, scratch, slot, rules, fresh,
            )  # fmt: skip
            if player < 0:
                ended[row] = True
                end_row(tables, states, book, row, scores[row], rewards[row], before[row], finals, rules)
            look_row(tables, states, book, row, words, masks, observations, current)


def _step(
    tables: Any, rows: Rows, rules: Rules, first: int, last: int, slot: int, actions: Any, chosen: Any, fresh: bool
) -> None:
    """Carry out the action of every row, and what follows up to the next decision that is asked outside.

    Every action has to be in the set `words` of its row (`check`), unless the rules are not strict: then an illegal one
    ends its game.  Rows whose game is over do not look at their action.
    With ``fresh=False`` the step goes on in the `chosen` rows only, where an agent outside, who is not the learner,
    has answered; with ``fresh=True`` all rows move, and `chosen` is not read.
    """
    states, book, words, current = rows.states, rows.book, rows.words, rows.current
    masks, observations, rewards, finals = rows.masks, rows.observations, rows.rewards, rows.finals
    points, before, ended, scores, lineups = rows.points, rows.before, rows.ended, rows.scores, rows.lineups
    parameters, reads, scratch = rows.parameters, rows.reads, rows.scratch
    for row in range(first, last):
        if fresh:
            ended[row] = False
            rewards[row, :] = 0
        elif not chosen[row]:
            continue
        begins = current[row] < 0 and rules.autoreset != DISABLED
        if current[row] >= 0 and not rules.strict and check(words, current, actions, row, row + 1) >= 0:
            ended[row] = True
            rewards[row, current[row]] = ILLEGAL_REWARD
            abandon_row(tables, states, book, row, scores[row], finals)
            begins = rules.autoreset == SAME_STEP
        elif current[row] >= 0:
            step(tables, states, row, int(actions[row]))
            book[row]["length"] += 1
            player = int(states[row]["current_player"])
            if player >= 0 and book[row]["players"][player] > OUTSIDE:
                player = decide_inside(tables, states, book, row, words[row], parameters, reads, scratch, slot)
            if player < 0:
                ended[row] = True
                end_row(tables, states, book, row, scores[row], rewards[row], before[row], finals, rules)
                begins = rules.autoreset == SAME_STEP
            elif rules.reward == POINTS and points.shape[0] > 0:
                for seat in range(rules.players):
                    rewards[row, seat] += int(points[row, seat]) - int(before[row, seat])
                    before[row, seat] = points[row, seat]
        if begins:
            begin_row(
                tables, states, book, row, lineups, points, before, words[row],
                parameters, reads, scratch, slot, rules, True,
            )  # fmt: skip
        look_row(tables, states, book, row, words, masks, observations, current)


def _look(tables: Any, rows: Rows, first: int, last: int) -> None:
    """Fill everything that follows from the states."""
    states, book, words, current = rows.states, rows.book, rows.words, rows.current
    masks, observations = rows.masks, rows.observations
    for row in range(first, last):
        look_row(tables, states, book, row, words, masks, observations, current)


def _hide(tables: Any, states: Any, rows: Any, players: Any, out: Any) -> None:
    """``out[i]`` becomes the state of row ``rows[i]``, redacted for seat ``players[i]``."""
    for i in range(rows.shape[0]):
        out[i] = states[rows[i]]
        redact(tables, out, i, int(players[i]))


def _reveal(tables: Any, states: Any, first: int, last: int, out: Any) -> None:
    """``out[row]``, float32, becomes the privileged vector of each row: everything, hidden cards included."""
    for row in range(first, last):
        reveal(tables, states, row, out[row])


def _answer(
    tables: Any, states: Any, sights: Any, seats: Any, seed: int, words: Any, parameters: Any, chance: Any, actions: Any
) -> None:
    """What the first policy of the chain answers to redacted states, each time with chance of its own.

    states: (k,) redacted; sights: the same memory as uint8 (k, itemsize); seats: int8 (k,), who looks; seed: of the
    policy; words: uint64 (num_words,) and chance: int64 (3,), scratch; parameters: float64 (m,); actions: int64 (k,).
    """
    for i in range(states.shape[0]):
        seed_chance(chance, decision_seed(sights[i], seed))
        legal(tables, states, i, words)
        actions[i] = choose(0, tables, states, i, int(seats[i]), words, parameters, chance)


def _play(
    tables: Any,
    states: Any,
    first: int,
    last: int,
    seeds: Any,
    chance: Any,
    lineups: Any,
    words: Any,
    parameters: Any,
    reads: Any,
    players: int,
    limit: int,
    scores: Any,
    lengths: Any,
    ends: Any,
) -> int:
    """Play whole games of compiled policies: game i of ``first..last-1`` from ``seeds[i]``, who sits where from
    ``lineups[i]``.

    states: (2,) of the game's dtype, the game and its redacted copy; chance: int64 (3,) and words: uint64 (num_words,),
    scratch; seeds: int64 (n,); lineups: int8 (n, players); scores: int32 (n, players); lengths: int32 (n,), decisions;
    ends: (n,) of the game's dtype, the final states, or (0,).  A game still running after `limit` decisions is scored
    as it stands.  Returns -1; or the game in which a policy answered with an illegal action, whose number
    ``lengths`` then has in its place.
    """
    for game in range(first, last):
        reset(tables, states, 0, int(seeds[game]), players)
        seed_chance(chance, int(seeds[game]))
        decisions = 0
        player = int(states[0]["current_player"])
        while player >= 0 and decisions < limit:
            number = int(lineups[game, player])
            legal(tables, states, 0, words)
            if reads[number]:
                states[1] = states[0]
                redact(tables, states, 1, player)
            action = choose(number, tables, states, 1, player, words, parameters[number], chance)
            if action < 0 or action >= 64 * words.shape[0] or not bits.contains(words, action):
                lengths[game] = number
                return game
            step(tables, states, 0, action)
            decisions += 1
            player = int(states[0]["current_player"])
        lengths[game] = decisions
        score(tables, states, 0, scores[game])
        if ends.shape[0]:
            ends[game] = states[0]
    return -1


_BOUND: dict[tuple[Any, ...], BatchLoops] = {}


def bind_batch(game: Game, policies: Sequence[Policy]) -> BatchLoops:
    """The loops of this module, compiled over a game's verbs and a chain of at least one policy.

    Bound once for each game and set of policies; compiled code is cached on disk, whatever the parameters are.
    """
    key = (game.kernel, tuple(one.choose for one in policies))
    if key in _BOUND:
        return _BOUND[key]
    jit = compiler(*game.sources, *dict.fromkeys(path for one in policies for path in one.sources))
    # A digest, since the name of a compiled function is that of a file in the cache.
    chosen = " ".join(f"{one.choose.__module__}.{one.choose.__name__}" for one in policies)
    names = f"{game.name}_{hashlib.sha256(chosen.encode()).hexdigest()[:16]}"
    kernel = game.kernel
    verbs: dict[str, Any] = {
        "reset": kernel.reset,
        "step": kernel.step,
        "legal": kernel.legal,
        "observe": kernel.observe,
        "score": kernel.score,
        "redact": kernel.redact,
        "reveal": kernel.privileged,
        "choose": policy.chain(names, policies, jit),
    }
    for name, template in (
        ("decide_inside", _decide_inside),
        ("seat_row", _seat_row),
        ("begin_row", _begin_row),
        ("end_row", _end_row),
        ("abandon_row", _abandon_row),
        ("look_row", _look_row),
    ):
        verbs[name] = bind(template, names, verbs, jit)
    bound = BatchLoops(
        *(bind(template, names, verbs, jit) for template in (_begin, _step, _look, _hide, _answer, _play, _reveal))
    )
    _BOUND[key] = bound
    return bound


@policy.jit
def sample(words: Any, current: Any, chance: Any, actions: Any, first: int, last: int) -> None:
    """A uniformly random legal action for each row that is asked, 0 for the others.

    chance: int64 (n, 3) of `core.rng.chance_below`; actions: any integer array (n,).
    """
    for row in range(first, last):
        if current[row] >= 0:
            actions[row] = bits.select(words[row], chance_below(chance[row], bits.count(words[row])))
        else:
            actions[row] = 0


@policy.jit
def to_bytes(observations: Any, scales: Any, out: Any, first: int, last: int) -> None:
    """Observations as raw quantities: uint8, each entry times its part's scale; larger ones than 255 become 255.

    observations: float32 (n, size); scales: float32 (size,); out: uint8 (n, size).
    """
    for row in range(first, last):
        for i in range(out.shape[1]):
            out[row, i] = int(min(observations[row, i] * scales[i] + np.float32(0.5), np.float32(255)))


@policy.jit
def to_halves(observations: Any, patterns: Any, out: Any, first: int, last: int) -> None:
    """Observations as float16, rounded to nearest, ties to even (numpy's cast does one number at a time).

    observations: float32 (n, size), not negative; patterns: the same memory as int32; out: float16 as uint16 (n, size).
    """
    for row in range(first, last):
        for i in range(out.shape[1]):
            pattern = int(patterns[row, i])
            # Exponents count from 127 in float32 and from 15 in float16, which has 13 bits less behind the point.
            normal = (pattern - (112 << 23) + 0xFFF + ((pattern >> 13) & 1)) >> 13
            small = int(np.rint(observations[row, i] * np.float32(1 << 24)))
            out[row, i] = min(normal, 0x7C00) if pattern >= 113 << 23 else small
