"""The laws that every game keeps, tried on random games.

A law is a function; its docstring is the law as a sentence and the beginning of the error message.  It answers None
where the law holds, and otherwise what it found.  There are laws of a game as such, of the course of a whole game, and
of a position; the last are tried at some positions of every course, its first and last decision and its end among them.
"""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.game import NO_OBSERVATION, NO_TOTALS, Game, IllegalActionError, States
from porta_nigra_env.core.state import State
from porta_nigra_env.core.view import View

#: What a law has found; None where it holds.
Finding = str | None

#: Decisions after which a game is taken for endless.
LIMIT: Final = 20_000
#: Answer of `loops.advance` to an action that is not legal.
REFUSED: Final = -2
#: Most illegal action ids that are tried at a position.
_ILLEGAL_TRIED: Final = 32

# ------------------------------------------------------------------------------------------------ what laws look at


@dataclass(frozen=True)
class Course:
    """A random game: its seed, the ids that were played, and the bytes of the states before, between and after them."""

    game: Game
    seed: int
    actions: tuple[int, ...]
    records: tuple[bytes, ...]

    @property
    def is_stuck(self) -> bool:
        """Whether the game goes on and nothing is legal; a law of positions has the words for it."""
        last = np.frombuffer(self.records[-1], dtype=self.game.dtype)
        return int(last["current_player"][0]) >= 0 and len(self.actions) < LIMIT

    def __str__(self) -> str:
        return f"{_named(self.game)}, seed {self.seed}"


@dataclass(frozen=True)
class Moment:
    """A position of a course, after `ply` decisions."""

    course: Course
    ply: int

    @property
    def game(self) -> Game:
        return self.course.game

    @property
    def record(self) -> bytes:
        """The bytes of the state."""
        return self.course.records[self.ply]

    @property
    def states(self) -> States:
        """A new (1,) array that holds the position."""
        return np.frombuffer(bytearray(self.record), dtype=self.game.dtype)

    @property
    def player(self) -> int:
        """The seat that is asked, -1 when the game is over."""
        return int(self.states["current_player"][0])

    @property
    def seats(self) -> range:
        return range(self.game.num_players)

    @property
    def rng(self) -> random.Random:
        """Random numbers that belong to this position."""
        return random.Random(f"{self.course.seed} {self.ply}")

    def seeds(self, count: int) -> list[int]:
        """Different seeds for determinizations, from the whole range."""
        rng = self.rng
        return [rng.getrandbits(63) for _ in range(count)]

    def __str__(self) -> str:
        return f"{self.course}, ply {self.ply}"


def _named(game: Game) -> str:
    return f"{game.name} v{game.version} with {game.num_players} players"


def _changed(game: Game, states: States, verb: Callable[..., Any], *arguments: int) -> States:
    """A copy of `states` after a verb that writes."""
    twin = states.copy()
    verb(game.tables, twin, 0, *arguments)
    return twin


def _redacted(moment: Moment, player: int) -> States:
    return _changed(moment.game, moment.states, moment.game.kernel.redact, player)


def _determinized(moment: Moment, player: int, seed: int) -> States:
    return _changed(moment.game, moment.states, moment.game.kernel.determinize, player, seed)


def _legal_words(game: Game, states: States, row: int = 0) -> npt.NDArray[np.uint64]:
    """The legality bits, written over ones."""
    words = np.full(game.num_words, ~np.uint64(0))
    game.kernel.legal(game.tables, states, row, words)
    return words


def _legal_ids(game: Game, states: States) -> list[int]:
    """Ids of the legal actions, read from the bits without the machinery that is being checked."""
    number = int.from_bytes(_legal_words(game, states).astype("<u8").tobytes(), "little")
    return [i for i in range(64 * game.num_words) if (number >> i) & 1]


def _observed(game: Game, states: States, player: int, row: int = 0) -> npt.NDArray[np.float32]:
    """An observation, written over not-a-numbers."""
    out = np.full(game.observations.size, np.nan, dtype=np.float32)
    game.kernel.observe(game.tables, states, row, player, out)
    return out


def _revealed(game: Game, states: States, row: int = 0) -> npt.NDArray[np.float32]:
    out = np.full(game.privileged.size, np.nan, dtype=np.float32)
    game.kernel.privileged(game.tables, states, row, out)
    return out


def _totals(game: Game, states: States, row: int = 0, before: int = 0) -> npt.NDArray[np.int32]:
    totals = np.full(game.num_players, before, dtype=np.int32)
    game.kernel.score(game.tables, states, row, totals)
    return totals


def _look(
    game: Game, states: States
) -> tuple[int, npt.NDArray[np.int8], npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """`loops.inspect` into buffers full of other things: who moves, mask, observation, totals."""
    words = np.full(game.num_words, ~np.uint64(0))
    mask = np.full(game.actions.size, 7, dtype=np.int8)
    observation = np.full(game.observations.size, np.nan, dtype=np.float32)
    totals = np.full(game.num_players, -7, dtype=np.int32)
    player = game.loops.inspect(game.tables, states, 0, words, mask, observation, totals)
    return int(player), mask, observation, totals


def _advance(game: Game, states: States, action: int) -> tuple[int, npt.NDArray[np.int8]]:
    """`loops.advance` on `states`: its answer and the mask."""
    words = np.zeros(game.num_words, dtype=np.uint64)
    mask = np.zeros(game.actions.size, dtype=np.int8)
    answer = game.loops.advance(game.tables, states, 0, action, words, mask, NO_OBSERVATION, NO_TOTALS)
    return int(answer), mask


def _playout(game: Game, states: States, rng: tuple[int, int, int] = (1, 2, 0), limit: int | None = None) -> int:
    """Random play on `states`; returns the decisions made."""
    words = np.zeros(game.num_words, dtype=np.uint64)
    most = LIMIT if limit is None else limit
    return int(game.loops.playout(game.tables, states, 0, words, np.array(rng, dtype=np.int64), most))


def _out_of_bounds(values: npt.NDArray[np.float32], spans: Any) -> Finding:
    high = spans.high()
    wrong = np.flatnonzero(~((values >= 0) & (values <= high)))  # so that not-a-number is wrong, too
    if len(wrong) == 0:
        return None
    span, place = spans.find(int(wrong[0]))
    return f"entry {place} of {span.name} is {values[wrong[0]]}, allowed are 0 to {high[wrong[0]]}"


# ------------------------------------------------------------------------------------------------ laws of a game


def state_is_a_flat_record(game: Game) -> Finding:
    """A state has the signed fields num_players, current_player and key, and holds no references."""
    fields: Mapping[str, Any] = game.dtype.fields or {}
    for name in ("num_players", "current_player", "key"):
        if name not in fields or fields[name][0].base.kind != "i":
            return f"no signed field {name!r}"
    return "a field holds references" if game.dtype.hasobject else None


def texts_are_ids(game: Game) -> Finding:
    """Action texts and action ids translate into each other one to one, and another text is refused."""
    texts = game.action_texts
    if len(texts) != game.actions.size:
        return f"{len(texts)} texts for {game.actions.size} ids"
    for i, text in enumerate(texts):
        if game.action_id(text) != i:
            return f"{text!r} is the text of id {i}, but read as {game.action_id(text)}"
    for text in ("", " ", f"{texts[0]} ", texts[-1].upper() + "?", "no such action"):
        try:
            game.action_id(text)
        except ValueError:
            continue
        return f"{text!r} is read as an action"
    return None


def words_hold_all_actions(game: Game) -> Finding:
    """The legality words have a bit for every action id."""
    bits = 64 * game.num_words
    return None if bits >= game.actions.size else f"{bits} bits for {game.actions.size} ids"


def bounds_are_positive_and_finite(game: Game) -> Finding:
    """Every entry of an observation and of the privileged vector has a finite upper bound above 0."""
    for spans in (game.observations, game.privileged):
        high = spans.high()
        wrong = np.flatnonzero(~(np.isfinite(high) & (high > 0)))
        if len(wrong):
            return f"{spans.find(int(wrong[0]))[0].name} has the bound {high[wrong[0]]}"
    return None


def game_is_copied_whole(game: Game) -> Finding:
    """A game that was copied or pickled is equal to it and has the same tables."""
    for how, twin in (("copy", copy.deepcopy(game)), ("pickle", pickle.loads(pickle.dumps(game)))):
        if twin != game or hash(twin) != hash(game):
            return f"{how}: not equal"
        if twin.tables.tobytes() != game.tables.tobytes() or twin.num_players != game.num_players:
            return f"{how}: other tables or seats"
    return None


# ------------------------------------------------------------------------------------------------ laws of a course


def game_ends(course: Course) -> Finding:
    """Every game comes to an end."""
    return f"still going on after {LIMIT} decisions" if len(course.actions) == LIMIT else None


def same_seed_same_game(course: Course) -> Finding:
    """The same seed and the same actions give the same states, byte for byte."""
    game = course.game
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.tables, states, 0, course.seed, game.num_players)
    for ply, record in enumerate(course.records):
        if states.tobytes() != record:
            return f"other bytes after {ply} decisions"
        if ply < len(course.actions):
            game.kernel.step(game.tables, states, 0, course.actions[ply])
    return None


def reset_overwrites_everything(course: Course) -> Finding:
    """A new game does not depend on what stood in the record before."""
    game = course.game
    for before in (course.records[-1], b"\xff" * game.dtype.itemsize, b"\x5a" * game.dtype.itemsize):
        states = np.frombuffer(bytearray(before), dtype=game.dtype)
        game.kernel.reset(game.tables, states, 0, course.seed, game.num_players)
        if states.tobytes() != course.records[0]:
            kept = [
                name
                for name in game.dtype.names or ()
                if states[name].tobytes() != np.frombuffer(course.records[0], dtype=game.dtype)[name].tobytes()
            ]
            return f"kept something in {', '.join(kept)}"
    return None


def seeds_make_games(course: Course) -> Finding:
    """Different seeds give different states, in the whole range of seeds."""
    game = course.game
    states = np.zeros(1, dtype=game.dtype)
    for other in (course.seed + 1, course.seed + 2**32, course.seed + 2**62):
        game.kernel.reset(game.tables, states, 0, other, game.num_players)
        if states.tobytes() == course.records[0]:
            return f"seed {other} gives the same state"
    return None


def playout_is_a_game(course: Course) -> Finding:
    """A playout ends, counts its decisions, stops at its limit, and is a function of its rng."""
    game = course.game
    if course.is_stuck:
        return None  # a playout would carry out an action that does not exist
    ends = []
    for _ in range(2):
        states = np.frombuffer(bytearray(course.records[0]), dtype=game.dtype)
        decisions = _playout(game, states, (course.seed & 0xFFFFFFFF, 5, 0))
        if int(states["current_player"][0]) >= 0:
            return f"no end after {decisions} decisions"
        ends.append((decisions, states.tobytes()))
    if ends[0] != ends[1]:
        return "the same rng gave two games"
    states = np.frombuffer(bytearray(course.records[0]), dtype=game.dtype)
    for number in range(ends[0][0]):
        if _playout(game, states, (course.seed & 0xFFFFFFFF, 5, number), 1) != 1:
            return "a limit of one decision is not kept"
    return None if states.tobytes() == ends[0][1] else "decision by decision it is another game"


# ------------------------------------------------------------------------------------------------ laws of a position


def _verbs(game: Game, states: States, row: int, moment: Moment) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every verb as a call on `row`, by name; those that write come last."""
    kernel, tables, seed = game.kernel, game.tables, moment.seeds(1)[0]
    yield "legal", partial(_legal_words, game, states, row)
    yield "score", partial(_totals, game, states, row)
    yield "reveal", partial(_revealed, game, states, row)
    for seat in moment.seats:
        yield f"observe for {seat}", partial(_observed, game, states, seat, row)
    if moment.ply < len(moment.course.actions):
        yield "step", partial(kernel.step, tables, states, row, moment.course.actions[moment.ply])
    for seat in moment.seats:
        yield f"redact for {seat}", partial(kernel.redact, tables, states, row, seat)
        yield f"determinize for {seat}", partial(kernel.determinize, tables, states, row, seat, seed)
    yield "reset", partial(kernel.reset, tables, states, row, seed, game.num_players)


def _bytes(result: npt.NDArray[Any] | None) -> bytes:
    return b"" if result is None else result.tobytes()


def tables_are_only_read(moment: Moment) -> Finding:
    """No verb writes into the tables."""
    game = moment.game
    before = game.tables.tobytes()
    states = moment.states
    for name, call in _verbs(game, states, 0, moment):
        states[:] = moment.states
        call()
        if game.tables.tobytes() != before:
            return f"{name} did"
    return None


def row_stands_alone(moment: Moment) -> Finding:
    """A verb reads and writes its own row of a batch only."""
    game, size = moment.game, moment.game.dtype.itemsize
    other = b"\xa5" * size
    batch = np.frombuffer(bytearray(3 * size), dtype=game.dtype)
    alone = moment.states
    for (name, call), (_, call_alone) in zip(
        _verbs(game, batch, 1, moment), _verbs(game, alone, 0, moment), strict=True
    ):
        batch[:] = np.frombuffer(other + moment.record + other, dtype=game.dtype)
        alone[:] = moment.states
        same = _bytes(call()) == _bytes(call_alone())
        found = batch.tobytes()
        if found[:size] != other or found[2 * size :] != other:
            return f"{name} wrote into a row beside its own"
        if not same or found[size : 2 * size] != alone.tobytes():
            return f"{name} does not do in row 1 of a batch what it does in row 0"
    return None


def looking_changes_nothing(moment: Moment) -> Finding:
    """Looking at a position, as a vector, as text or through a view, does not change it."""
    game, states = moment.game, moment.states
    looks: list[tuple[str, Callable[[], Any]]] = [
        (name, call)
        for name, call in _verbs(game, states, 0, moment)
        if name.startswith(("legal", "score", "reveal", "observe"))
    ]
    looks.append(("look", partial(_look, game, states)))
    for view in (None, *moment.seats):
        looks.append((f"position with view {view}", partial(game.position, states, 0, view)))
        looks.append((f"board with view {view}", partial(game.board, states, 0, view)))
    looks.extend((f"View for {seat}", partial(View, game, states, 0, seat)) for seat in moment.seats)
    for name, call in looks:
        call()
        if states.tobytes() != moment.record:
            return f"{name} did"
    return None


def somebody_is_asked(moment: Moment) -> Finding:
    """The number of players stays, and who is asked is one of their seats, or nobody when the game is over."""
    state = moment.states[0]
    if int(state["num_players"]) != moment.game.num_players:
        return f"num_players is {state['num_players']}"
    if not -1 <= moment.player < moment.game.num_players:
        return f"current_player is {moment.player}"
    over = moment.ply == len(moment.course.actions)
    return None if over or moment.player >= 0 else "the game was over before its last decision"


def something_is_legal_until_the_end(moment: Moment) -> Finding:
    """There is a legal action until the game is over, and none after that."""
    legal = len(_legal_ids(moment.game, moment.states))
    return None if (legal > 0) == (moment.player >= 0) else f"{legal} legal actions, {moment.player} is asked"


def mask_is_legality(moment: Moment) -> Finding:
    """Legality bits, mask, view and texts name the same actions."""
    game, states = moment.game, moment.states
    legal = _legal_ids(game, states)
    if legal and legal[-1] >= game.actions.size:
        return f"id {legal[-1]} is legal but not among {game.actions.size} ids"
    player, mask, observation, totals = _look(game, states)
    if player != moment.player:
        return f"look names player {player}, not {moment.player}"
    if not set(mask.tolist()) <= {0, 1} or np.flatnonzero(mask).tolist() != legal:
        return f"mask {np.flatnonzero(mask).tolist()[:20]}, bits {legal[:20]}"
    if player >= 0 and observation.tobytes() != _observed(game, states, player).tobytes():
        return "look and observe differ"
    if totals.tobytes() != _totals(game, states).tobytes():
        return "look and score differ"
    for seat in moment.seats:
        wanted = legal if seat == player else []
        view = View(game, states, 0, seat)
        if view.legal_ids().tolist() != wanted:
            return f"the view of seat {seat} names {view.legal_actions()[:20]}"
    texts = State(game, states).legal_actions()
    return None if texts == sorted(game.action_texts[i] for i in legal) else f"texts {texts[:20]}"


def one_step_counts_the_legal_actions(moment: Moment) -> Finding:
    """Perft of depth 1 is the number of legal actions, and 1 when the game is over."""
    game = moment.game
    states = np.frombuffer(bytearray(2 * moment.record), dtype=game.dtype)
    words = np.zeros((2, game.num_words), dtype=np.uint64)
    leaves = int(game.loops.perft(game.tables, states, words, 1))
    wanted = len(_legal_ids(game, moment.states)) if moment.player >= 0 else 1
    return None if leaves == wanted else f"{leaves} leaves, {wanted} actions"


def observation_is_in_bounds(moment: Moment) -> Finding:
    """An observation overwrites its whole buffer and stays within the bounds of its spans."""
    for seat in moment.seats:
        found = _out_of_bounds(_observed(moment.game, moment.states, seat), moment.game.observations)
        if found:
            return f"seat {seat}: {found}"
    return None


def privileged_vector_is_in_bounds(moment: Moment) -> Finding:
    """The privileged vector overwrites its whole buffer and stays within the bounds of its spans."""
    return _out_of_bounds(_revealed(moment.game, moment.states), moment.game.privileged)


def totals_are_overwritten(moment: Moment) -> Finding:
    """Every seat's total is written, whatever stood there before."""
    found = [_totals(moment.game, moment.states, before=before).tolist() for before in (0, -(2**31), 77)]
    return None if found[0] == found[1] == found[2] else f"{found[0]}, over other values {found[1]}"


def determinization_is_seeded(moment: Moment) -> Finding:
    """The same seed gives the same determinization."""
    for seat in moment.seats:
        for seed in moment.seeds(2):
            if _determinized(moment, seat, seed).tobytes() != _determinized(moment, seat, seed).tobytes():
                return f"seat {seat}, seed {seed}: two results"
    return None


def determinization_reseeds(moment: Moment) -> Finding:
    """A determinization gets a new random key, a function of its seed and not of the true key."""
    true_key = moment.states["key"].tobytes()
    for seat in moment.seats:
        seeds = moment.seeds(4)
        keys = [_determinized(moment, seat, seed)["key"].tobytes() for seed in seeds]
        if true_key in keys:
            return f"seat {seat}: the true key stays"
        if len(set(keys)) < len(seeds):
            return f"seat {seat}: {len(seeds)} seeds gave {len(set(keys))} keys"
        redacted = _redacted(moment, seat)
        if _changed(moment.game, redacted, moment.game.kernel.determinize, seat, seeds[0])["key"].tobytes() != keys[0]:
            return f"seat {seat}: the new key depends on the true one"
    return None


def redacted_is_enough_to_look(moment: Moment) -> Finding:
    """A redacted state gives its player the observation, and if she is asked the legal actions, of the true one."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        redacted = _redacted(moment, seat)
        if _observed(game, redacted, seat).tobytes() != _observed(game, states, seat).tobytes():
            return f"seat {seat}: another observation"
        if seat == moment.player and _legal_ids(game, redacted) != _legal_ids(game, states):
            return f"seat {seat}: other legal actions"
    return None


def redacted_is_enough_to_sample(moment: Moment) -> Finding:
    """A redacted state gives its player the same determinizations as the true one."""
    game = moment.game
    for seat in moment.seats:
        redacted = _redacted(moment, seat)
        for seed in moment.seeds(3):
            sampled = _changed(game, redacted, game.kernel.determinize, seat, seed)
            if sampled.tobytes() != _determinized(moment, seat, seed).tobytes():
                return f"seat {seat}, seed {seed}: another state"
            if View(game, moment.states, 0, seat).sample(seed).tobytes() != sampled.tobytes():
                return f"seat {seat}, seed {seed}: the view samples another state"
    return None


def redaction_is_one_for_all(moment: Moment) -> Finding:
    """All states that a player cannot tell apart have one and the same redacted state, itself among them."""
    game = moment.game
    for seat in moment.seats:
        redacted = _redacted(moment, seat)
        if _changed(game, redacted, game.kernel.redact, seat).tobytes() != redacted.tobytes():
            return f"seat {seat}: redacting twice changes it again"
        for seed in moment.seeds(3):
            twin = _determinized(moment, seat, seed)
            again = _changed(game, twin, game.kernel.redact, seat)
            if again.tobytes() != redacted.tobytes():
                names = [name for name in game.dtype.names or () if again[name].tobytes() != redacted[name].tobytes()]
                return f"seat {seat}, seed {seed}: after determinizing it differs in {', '.join(names)}"
    return None


def determinization_keeps_what_is_known(moment: Moment) -> Finding:
    """A determinization has the player's observation, the same seat asked, and if it is hers the same legal actions."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        for seed in moment.seeds(3):
            twin = _determinized(moment, seat, seed)
            if _observed(game, twin, seat).tobytes() != _observed(game, states, seat).tobytes():
                return f"seat {seat}, seed {seed}: another observation"
            if int(twin["current_player"][0]) != moment.player:
                return f"seat {seat}, seed {seed}: another seat is asked"
            if seat == moment.player and _legal_ids(game, twin) != _legal_ids(game, states):
                return f"seat {seat}, seed {seed}: other legal actions"
    return None


def determinization_keeps_the_result(moment: Moment) -> Finding:
    """When the game is over, everybody knows the totals: a determinization has the same."""
    game = moment.game
    if moment.player >= 0:
        return None
    for seat in moment.seats:
        for seed in moment.seeds(3):
            found = _totals(game, _determinized(moment, seat, seed)).tolist()
            if found != _totals(game, moment.states).tolist():
                return f"seat {seat}, seed {seed}: {found}, truly {_totals(game, moment.states).tolist()}"
    return None


def determinization_plays_to_the_end(moment: Moment) -> Finding:
    """A determinization can be played to the end, and it is a position like any other."""
    game = moment.game
    for seat in moment.seats:
        seed = moment.seeds(1)[0]
        twin = _determinized(moment, seat, seed)
        if game.load_position(game.position(twin)).tobytes() != twin.tobytes():
            return f"seat {seat}, seed {seed}: as a position it is another"
        decisions = _playout(game, twin)
        if int(twin["current_player"][0]) >= 0:
            return f"seat {seat}, seed {seed}: no end after {decisions} decisions"
    return None


def position_round_trips(moment: Moment) -> Finding:
    """A position written as a dict, or as JSON, and read again is the same state, byte for byte."""
    game = moment.game
    position = game.position(moment.states)
    through_json = json.loads(json.dumps(position, allow_nan=False))
    if through_json != position:
        return "JSON changes it"
    for how, given in (("dict", position), ("JSON", through_json)):
        # The seed is for positions without a random state; here it must not matter.
        found = game.load_position(given, seed=moment.seeds(1)[0])
        if found.shape != (1,) or found.dtype != game.dtype:
            return f"{how}: shape {found.shape}, dtype {found.dtype}"
        if found.tobytes() != moment.record:
            names = [name for name in game.dtype.names or () if found[name].tobytes() != moment.states[name].tobytes()]
            return f"{how}: differs in {', '.join(names)}"
    return None


def views_show_no_more(moment: Moment) -> Finding:
    """The position and the board as a player sees them are the same for all states that she cannot tell apart."""
    game, states = moment.game, moment.states
    for seat in moment.seats:
        seen = game.position(states, 0, seat), game.board(states, 0, seat)
        json.dumps(seen[0], allow_nan=False)
        twins = [("redacted", _redacted(moment, seat))]
        twins += [(f"seed {seed}", _determinized(moment, seat, seed)) for seed in moment.seeds(3)]
        for how, twin in twins:
            if game.position(twin, 0, seat) != seen[0]:
                return f"seat {seat}, {how}: another position"
            if game.board(twin, 0, seat) != seen[1]:
                return f"seat {seat}, {how}: another board"
        view = View(game, states, 0, seat)
        if view.position() != seen[0] or view.board() != seen[1]:
            return f"seat {seat}: the view differs"
    return None


def illegal_is_refused(moment: Moment) -> Finding:
    """An action that is not legal is refused and leaves no trace."""
    game = moment.game
    legal = set(_legal_ids(game, moment.states))
    illegal = [i for i in range(game.actions.size) if i not in legal]
    if len(illegal) > _ILLEGAL_TRIED:
        illegal = moment.rng.sample(illegal, _ILLEGAL_TRIED)
    for action in (*illegal, -1, game.actions.size, 64 * game.num_words, -(2**40), 2**40):
        states = moment.states
        answer, _ = _advance(game, states, action)
        if answer != REFUSED:
            return f"action {action} was answered with {answer}"
        if states.tobytes() != moment.record:
            return f"action {action} was refused but changed the state"
    return None


def advance_is_step_and_look(moment: Moment) -> Finding:
    """To advance by a legal action is to step and to look, and it changes the state."""
    game = moment.game
    legal = _legal_ids(game, moment.states)
    for action in legal if len(legal) <= _ILLEGAL_TRIED else moment.rng.sample(legal, _ILLEGAL_TRIED):
        stepped, advanced = moment.states, moment.states
        game.kernel.step(game.tables, stepped, 0, action)
        answer, mask = _advance(game, advanced, action)
        if stepped.tobytes() == moment.record:
            return f"action {action} changes nothing"
        if advanced.tobytes() != stepped.tobytes():
            return f"action {action}: two states"
        if answer != int(stepped["current_player"][0]) or np.flatnonzero(mask).tolist() != _legal_ids(game, stepped):
            return f"action {action}: answer {answer}, mask {np.flatnonzero(mask).tolist()[:20]}"
    return None


def states_are_values(moment: Moment) -> Finding:
    """States are equal, and hash equally, exactly as long as their bytes are; copies and pickles are independent."""
    game = moment.game
    state = State(game, moment.states)
    ways: tuple[tuple[str, Callable[[State], State]], ...] = (
        ("clone", lambda one: one.clone()),
        ("copy", copy.copy),
        ("deepcopy", copy.deepcopy),
        ("pickle", lambda one: pickle.loads(pickle.dumps(one))),
    )
    for name, way in ways:
        twin = way(state)
        if not (twin == state and hash(twin) == hash(state) and twin.current_player == state.current_player):
            return f"{name}: not equal"
        if state.is_over:
            continue
        twin.apply_id(state.legal_ids()[0])
        if twin == state or state.states.tobytes() != moment.record:
            return f"{name}: not independent"
        if way(twin) != twin or way(twin).legal_ids() != twin.legal_ids():
            return f"{name}: not equal after a decision"
    return None


def state_refuses_by_name(moment: Moment) -> Finding:
    """A state refuses what is illegal with an error, and has winners and a zero-sum result exactly when it is over."""
    game = moment.game
    state = State(game, moment.states)
    legal = set(state.legal_ids())
    for action in (*[i for i in range(game.actions.size) if i not in legal][:3], -1, game.actions.size):
        try:
            state.apply_id(action)
        except IllegalActionError:
            if state.states.tobytes() == moment.record:
                continue
        return f"action {action} was not refused"
    returns, winners = state.returns(), state.winners()
    # When all seats win together everybody gets 0.
    if state.is_over != bool(winners) or any(returns) != (state.is_over and len(winners) < game.num_players):
        return f"winners {winners}, returns {returns}"
    return None if abs(sum(returns)) < 1e-9 else f"returns {returns}"


GAME_LAWS: Final[tuple[Callable[[Game], Finding], ...]] = (
    state_is_a_flat_record,
    texts_are_ids,
    words_hold_all_actions,
    bounds_are_positive_and_finite,
    game_is_copied_whole,
)
COURSE_LAWS: Final[tuple[Callable[[Course], Finding], ...]] = (
    game_ends,
    same_seed_same_game,
    reset_overwrites_everything,
    seeds_make_games,
    playout_is_a_game,
)
POSITION_LAWS: Final[tuple[Callable[[Moment], Finding], ...]] = (
    somebody_is_asked,
    something_is_legal_until_the_end,
    tables_are_only_read,
    row_stands_alone,
    looking_changes_nothing,
    observation_is_in_bounds,
    privileged_vector_is_in_bounds,
    totals_are_overwritten,
    mask_is_legality,
    one_step_counts_the_legal_actions,
    determinization_is_seeded,
    determinization_reseeds,
    redacted_is_enough_to_look,
    redacted_is_enough_to_sample,
    determinization_keeps_what_is_known,
    determinization_keeps_the_result,
    position_round_trips,
    determinization_plays_to_the_end,
    redaction_is_one_for_all,
    views_show_no_more,
    illegal_is_refused,
    advance_is_step_and_look,
    states_are_values,
    state_refuses_by_name,
)
#: Names of all laws, in the order in which they are tried.
LAWS: Final = tuple(law.__name__ for law in (*GAME_LAWS, *COURSE_LAWS, *POSITION_LAWS))


# ------------------------------------------------------------------------------------------------ trying them


@dataclass(frozen=True)
class Breach:
    """A law that does not hold: its name, its sentence, where it was tried and what was found."""

    law: str
    sentence: str
    where: str
    found: str

    def __str__(self) -> str:
        return f"{self.sentence}  Not so ({self.law}) in {self.where}: {self.found}"


@dataclass
class Report:
    """What `check_game` has looked at: games, decisions in them, positions, and how often each law was tried."""

    game: str
    games: int = 0
    decisions: int = 0
    positions: int = 0
    checks: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return (
            f"{self.game}: {len(self.checks)} laws tried {self.checks.total()} times on {self.positions} positions "
            f"of {self.games} games ({self.decisions} decisions)"
        )


def play_course(game: Game, seed: int) -> Course:
    """A game of random decisions by the bare verbs; it stops at the end, at LIMIT, or where nothing is legal."""
    rng = random.Random(seed)
    states = np.zeros(1, dtype=game.dtype)
    game.kernel.reset(game.tables, states, 0, seed, game.num_players)
    actions: list[int] = []
    records = [states.tobytes()]
    while int(states["current_player"][0]) >= 0 and len(actions) < LIMIT:
        legal = [i for i in _legal_ids(game, states) if i < game.actions.size]
        if not legal:
            break
        actions.append(rng.choice(legal))
        game.kernel.step(game.tables, states, 0, actions[-1])
        records.append(states.tobytes())
    return Course(game, seed, tuple(actions), tuple(records))


def chosen_plies(last: int, count: int) -> list[int]:
    """About `count` plies out of 0..last, spread evenly; the first, the last and the one before it are among them."""
    if last < count:
        return list(range(last + 1))
    return sorted({round(i * last / (count - 1)) for i in range(count)} | {0, last - 1, last})


def _tried(law: Callable[[Any], Finding], subject: Any, where: str, report: Report) -> Iterator[Breach]:
    report.checks[law.__name__] += 1
    try:
        found = law(subject)
    except Exception as error:  # whatever a game raises is a finding
        found = f"{type(error).__name__}: {error}"
    if found is not None:
        yield Breach(law.__name__, " ".join((law.__doc__ or "").split()), where, found)


def breaches(
    game: Game, games: int = 20, seed: int = 0, positions: int = 12, report: Report | None = None
) -> Iterator[Breach]:
    """Every breach of a law in `games` random games, as they are found; see `check_game`.

    After a first breach the compiled verbs of an unlawful game may write outside their arrays: run such a game
    interpreted, or stop there.
    """
    report = Report(_named(game)) if report is None else report
    for game_law in GAME_LAWS:
        yield from _tried(game_law, game, _named(game), report)
    for number in range(seed, seed + games):
        try:
            course = play_course(game, number)
        except Exception as error:
            yield Breach(game_ends.__name__, str(game_ends.__doc__), f"{_named(game)}, seed {number}", repr(error))
            continue
        report.games += 1
        report.decisions += len(course.actions)
        for course_law in COURSE_LAWS:
            yield from _tried(course_law, course, str(course), report)
        for ply in chosen_plies(len(course.actions), positions):
            moment = Moment(course, ply)
            report.positions += 1
            for position_law in POSITION_LAWS:
                yield from _tried(position_law, moment, str(moment), report)


def check_game(game: Game, games: int = 20, seed: int = 0, positions: int = 12) -> Report:
    """Try every law on random games.

    Args:
        game: the game.
        games: how many games are played, with the seeds ``seed, seed + 1, ...``.
        seed: the first seed.
        positions: at how many positions of a game, about, the laws of positions are tried; at least 3.

    Returns:
        What was looked at.

    Raises:
        AssertionError: the first breach: the law, the game, seed and ply, and what was found.
        ValueError: no games, or fewer than 3 positions.
    """
    if games < 1 or positions < 3:
        raise ValueError(f"at least 1 game and 3 positions are needed, not {games} and {positions}")
    report = Report(_named(game))
    for breach in breaches(game, games, seed, positions, report):
        raise AssertionError(str(breach))
    return report
