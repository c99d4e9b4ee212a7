"""History: the last events that each seat has seen, as tokens, recorded by compiled code.

A token is int16 (4,): ``[1 + entry, before, after, 1 + actor]``, or zeros for none.  An entry is a value of a fact, see
`vocabulary`; the actor is the seat whose action was the cause.  Seats count from the observer, so tokens mean the same
for every seat.  They are the events of `events.Facts.events`, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.batch.batch import Tracker
from porta_nigra_env.core.batch.bookkeeping import AFTER, BEFORE, BEGIN, END, SHOW
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game import contract
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.narration.events import Event, Facts
from porta_nigra_env.core.narration.facts import SEAT
from porta_nigra_env.core.narration.reading import COUNTS, SIZE, SOURCES, START, kind_at, listed, place_of

#: Numbers of a token.
TOKEN: Final = 4
#: Bytes of a word, in which states are compared.
_WORD: Final = 8
_LIMITS: Final = np.iinfo(np.int16)
_LOW, _HIGH = int(_LIMITS.min), int(_LIMITS.max)
_INT16: Final = np.uint64((1 << 16) - 1)
#: Who sees a change: every seat, the one it belongs to, or what redacted states tell.
EVERYONE, OWNER_ONLY, SOME = range(3)
_SEEN_BY: Final = {"all": EVERYONE, "owner": OWNER_ONLY, "some": SOME}
#: Columns of `Memory.parts`: the first value; bits above the number, bits of the word besides it, and its sign;
#: members of a bit set, 0 for one number, and -1 for a number of the list VALUE; the seat that the value belongs to
#: or -1; values of each seat; whether values are seats; who sees it.
VALUE, ABOVE, BESIDES, SIGNED, MEMBERS, OWNER, STRIDE, SEATED, SEEN_BY = range(9)
#: Columns of `Memory.of_bytes`.
FIRST, LAST, LEFT = range(3)
#: Bits of a change, a uint64: a value before and after a step, its part, and its entry above all, so that numbers sort.
_OLD, _NEW, _PART, _ENTRY = (np.uint64(bit) for bit in (0, 16, 32, 48))

_NONE, _ONE, _EIGHT = np.uint64(0), np.uint64(1), np.uint64(8)
#: The lowest bits of the bytes after the first one.
_BYTES: Final = tuple(_ONE << np.uint64(8 * i) for i in range(1, _WORD))
#: Bits of a token.
_BEFORE, _AFTER, _CAUSE = (np.uint64(bit) for bit in (16, 32, 48))

template = Template()


#: Arrays of `Memory` that are views of others.
_VIEWS: Final = ("words", "record", "earlier_words", "earlier_record", "seen_words", "seen_record")


class Memory(NamedTuple):
    """The arrays of n histories of N events.

    slots: of scratch, one for each thread; words: uint64 of a state; parts: the numbers in each word.
    """

    events: Any  # uint64 (n, players, N), rings by seat; four int16 of a token in each word
    heads: Any  # int64 (n, players), the place of the next event
    shown: Any  # uint64 (n, N), of the player to move, the latest one last
    finals: Any  # uint64 (n, N), of the learner at the end of the game that ended last
    words: Any  # (n, words), the memory of the states
    record: Any  # uint8 (n, itemsize), the same
    earlier: Any  # (slots, 1) of the game's dtype, the state before a step
    earlier_words: Any  # (slots, words), the same
    earlier_record: Any  # uint8 (slots, itemsize), the same
    seen: Any  # (slots, 2, 1) of the game's dtype, both states as a seat sees them
    seen_words: Any  # (slots, 2, words), the same
    seen_record: Any  # uint8 (slots, 2, itemsize), the same
    changes: Any  # int64 (slots, kinds), scratch: how often each kind of a list left or came; zeros between steps
    found: Any  # uint64 (slots, values), scratch: the changes, by entry
    counted: Any  # bool (slots, lists), scratch: lists that may have changed
    table: Any  # `reading.Layout.table`
    parts: Any  # int16 (parts, 9), by number; narrow, so that the tables stay in the nearest cache
    of_bytes: Any  # int16 (itemsize, 3), the range of each byte's number in `parts`, and the bytes up to its end
    lists: Any  # int64 (lists,), the facts of `reading.COUNTS`
    list_parts: Any  # int64 (lists,), a part that describes the values of each list
    veils: Any  # int64, the words whose change shows or hides values


@template
def number(word: int, part: Any) -> int:
    """Return the number of a part in its word."""
    above, besides = np.uint64(word) << np.uint64(part[ABOVE]), part[BESIDES]
    return int(np.int64(above) >> np.int64(besides) if part[SIGNED] else np.int64(above >> np.uint64(besides)))


@template
def clipped(value: int) -> Any:
    """Return the 16 bits of a number in a token."""
    return np.uint64(min(max(value, _LOW), _HIGH) & int(_INT16))


@template
def insert(found: Any, count: int, entry: int, old: int, new: int, part: int) -> int:
    """Insert a change into `found`, ordered by entry; return the new number of changes."""
    change = np.uint64(entry) << _ENTRY | np.uint64(part) << _PART | clipped(new) << _NEW | clipped(old) << _OLD
    at = count
    while at > 0 and found[at - 1] > change:
        found[at] = found[at - 1]
        at -= 1
    found[at] = change
    return count + 1


@template
def find_part(parts: Any, i: int, counted: Any, found: Any, count: int, old: int, new: int) -> int:
    """Insert the changed values of part `i` of a word into `found`; return the new number of entries."""
    before, after, value = number(old, parts[i]), number(new, parts[i]), parts[i, VALUE]
    if parts[i, MEMBERS] < 0:
        counted[value] = True
    elif parts[i, MEMBERS] == 0:
        count = insert(found, count, value, before, after, i)
    else:
        for member in range(parts[i, MEMBERS]):
            if ((before ^ after) >> member) & 1:
                count = insert(found, count, value + member, (before >> member) & 1, (after >> member) & 1, i)
    return count


# Arrays are passed one by one here: passing all of a memory takes longer than the work.


@template
def find_parts(parts: Any, of_bytes: Any, counted: Any, found: Any, old: Any, new: Any) -> int:
    """Insert the changed numbers between two states, given as words, into `found`; return their number."""
    count = 0
    for word in range(old.shape[0]):
        changed, byte = old[word] ^ new[word], _WORD * word
        while changed != _NONE:
            empty, lowest = 0, changed & (~changed + _ONE)
            for start in _BYTES:
                empty += lowest >= start
            changed >>= np.uint64(8 * empty)
            byte += empty
            for i in range(of_bytes[byte, FIRST], of_bytes[byte, LAST]):
                count = find_part(parts, i, counted, found, count, old[word], new[word])
            left = of_bytes[byte, LEFT]
            changed = changed >> _EIGHT >> np.uint64(8 * (left - 1))
            byte += left
    return count


@template
def find_counts(
    table: Any, fact: int, changes: Any, found: Any, count: int, old_record: Any, new_record: Any, part: int
) -> int:
    """Insert the changed counts of a list into `found`; return the new number of entries."""
    before, after = listed(table, fact, old_record), listed(table, fact, new_record)
    same, size = 0, table[fact, SIZE]
    while same < min(before, after):
        if kind_at(table, fact, old_record, same) != kind_at(table, fact, new_record, same):
            break
        same += 1
    for i in range(same, before):
        kind = kind_at(table, fact, old_record, i)
        if 0 <= kind < size:  # hidden cards have no kind
            changes[kind] -= 1
    for i in range(same, after):
        kind = kind_at(table, fact, new_record, i)
        if 0 <= kind < size:
            changes[kind] += 1
    for kind in range(size):
        if changes[kind] != 0:
            old = 0
            for i in range(before):
                old += kind_at(table, fact, old_record, i) == kind
            count = insert(found, count, table[fact, START] + kind, old, old + changes[kind], part)
            changes[kind] = 0
    return count


@template
def find_all(memory: Memory, slot: int, old: Any, new: Any, old_record: Any, new_record: Any, every: bool) -> int:
    """Find the changed values between two states, given as words and as bytes; return their number.

    every: True if all lists are compared, False if those with changed bytes only.
    """
    counted, found = memory.counted[slot], memory.found[slot]
    counted[:] = every
    count = find_parts(memory.parts, memory.of_bytes, counted, found, old, new)
    for i in range(counted.shape[0]):
        if counted[i]:
            changes, part = memory.changes[slot], memory.list_parts[i]
            count = find_counts(memory.table, memory.lists[i], changes, found, count, old_record, new_record, part)
    return count


@template
def clockwise(seat: int, observer: int, players: int) -> int:
    """Return the number of a seat that counts from the observer."""
    return int(seat - observer if seat >= observer else seat - observer + players)


@template
def turned(value: Any, seat: int, players: int) -> Any:
    """Return the 16 bits of a value that is a seat, or negative, as `clockwise`."""
    number = int(np.int16(value))
    return clipped(clockwise(number, seat, players) if number >= 0 else number)


@template
def append(events: Any, heads: Any, parts: Any, found: Any, count: int, seats: Any, actor: int, every: bool) -> None:
    """Append the changes that seats have seen, of an action of `actor`, to their rings.

    seats: the first one, and the one after the last; every: True if they have seen all changes, False if owners alone
    have seen some.
    """
    players, length = events.shape
    for i in range(count):
        entry, old, new = int(found[i] >> _ENTRY), found[i] >> _OLD & _INT16, found[i] >> _NEW & _INT16
        part = parts[found[i] >> _PART & _INT16]
        owner = int(part[OWNER])
        for seat in range(seats[0], seats[1]):
            seen, before, after = 1 + entry, old, new
            if owner >= 0:
                if not every and part[SEEN_BY] == OWNER_ONLY and owner != seat:
                    continue
                seen += (clockwise(owner, seat, players) - owner) * part[STRIDE]
            if part[SEATED]:
                before, after = turned(old, seat, players), turned(new, seat, players)
            cause = np.uint64(1 + clockwise(actor, seat, players))
            head = heads[seat]
            events[seat, head] = np.uint64(seen) | before << _BEFORE | after << _AFTER | cause << _CAUSE
            heads[seat] = head + 1 if head + 1 < length else 0


@template
def is_veiled(memory: Memory, slot: int, row: int, count: int, over: bool) -> bool:
    """Return True if redacted states have to be compared to know who has seen which change."""
    for change in memory.found[slot, :count]:
        if memory.parts[change >> _PART & _INT16, SEEN_BY] == SOME:
            return True
    for word in memory.veils:
        if memory.earlier_words[slot, word] != memory.words[row, word]:
            return True
    return over


@template
def compare(constants: Any, states: Any, row: int, memory: Memory, slot: int) -> None:
    """Append the events of a step to the histories of all seats."""
    players, found, over = memory.heads.shape[1], memory.found[slot], int(states[row]["current_player"]) < 0
    old, new, actor = memory.earlier_words[slot], memory.words[row], int(memory.earlier[slot, 0]["current_player"])
    count = find_all(memory, slot, old, new, memory.earlier_record[slot], memory.record[row], False)
    events, heads, parts = memory.events[row], memory.heads[row], memory.parts
    if not is_veiled(memory, slot, row, count, over):
        append(events, heads, parts, found, count, (0, players), actor, False)
        return
    seen, words, record = memory.seen[slot], memory.seen_words[slot], memory.seen_record[slot]
    for seat in range(players):
        copy_row(seen[0], 0, memory.earlier[slot], 0)
        copy_row(seen[1], 0, states, row)
        contract.redact(constants, seen[0], 0, seat)
        contract.redact(constants, seen[1], 0, seat)
        count = find_all(memory, slot, words[0], words[1], record[0], record[1], True)
        append(events, heads, parts, found, count, (seat, seat + 1), actor, True)


@template
def unroll(memory: Memory, row: int, seat: int, out: Any) -> None:
    """Write the history of a seat to `out`, uint64 (N,): the latest event last, zeros before the first one."""
    ring, head = memory.events[row, seat], memory.heads[row, seat]
    # Views from the first element on are copied in blocks.
    older = ring[head:]
    for i in range(older.shape[0]):
        out[i] = older[i]
    newer = out[older.shape[0] :]
    for i in range(newer.shape[0]):
        newer[i] = ring[i]


@template
def track(constants: Any, states: Any, row: int, memory: Memory, slot: int, moment: int, seat: int) -> None:
    """Keep the histories of a row; `moment` is one of `core.batch.bookkeeping`."""
    if moment == BEFORE:
        copy_row(memory.earlier[slot], 0, states, row)
    elif moment == AFTER:
        compare(constants, states, row, memory, slot)
    elif moment == BEGIN:
        memory.heads[row] = 0
        memory.events[row] = 0
    elif moment == SHOW:
        unroll(memory, row, max(seat, 0), memory.shown[row])
    elif moment == END and seat >= 0:
        unroll(memory, row, seat, memory.finals[row])


_COMPILED: dict[Kernel, Tracker] = {}


def tracker_of(game: Game) -> Tracker:
    """Return the tracker that records a game's histories."""
    if game.kernel not in _COMPILED:
        sources = (*SOURCES, Path(__file__))
        jit = compiler(*game.sources, *sources, inline=True)
        compiled = template.specialize(game.name, game.kernel.replacements, jit)
        _COMPILED[game.kernel] = Tracker(compiled[track], sources)
    return _COMPILED[game.kernel]


@cache
def _tables(game: Game) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of `Memory` that describe the facts of a game."""
    facts, dtype = Facts(game), game.dtype
    parts: dict[tuple[int, int], list[list[int]]] = {}
    described: list[list[int]] = []
    lists: list[int] = []
    for number, fact in enumerate(facts.narration.facts):
        if fact.source.form == COUNTS:
            for name in (fact.source.name, fact.source.counter):
                for place, width, _ in _numbers(dtype, name):
                    part = [len(lists), *_bits(place, width), 0, -1, -1, 0, 0, 0]
                    parts.setdefault((place, width), []).append(part)
            lists.append(number)
            described.append([0, 0, 0, 0, 0, -1, 0, 0, _SEEN_BY[fact.seen_by]])
        else:
            for place, width, part in _parts(facts, number):
                parts.setdefault((place, width), []).append(part)
    of_bytes, flat = np.tile(np.array([0, 0, 1], dtype=np.int16), (dtype.itemsize, 1)), list[list[int]]()
    for (place, width), each in parts.items():
        of_bytes[place : place + width] = [(len(flat), len(flat) + len(each), width - i) for i in range(width)]
        flat += each
    veils = {place // _WORD for name in facts.narration.veils for place, *_ in _numbers(dtype, name)}
    return {
        "table": facts.layout.table,
        "parts": np.array(flat + described, dtype=np.int16).reshape(-1, 9),
        "of_bytes": of_bytes,
        "lists": np.array(lists, dtype=np.int64),
        "list_parts": np.arange(len(flat), len(flat) + len(lists), dtype=np.int64),
        "veils": np.array(sorted(veils), dtype=np.int64),
    }


def _parts(facts: Facts, number: int) -> Iterator[tuple[int, int, list[int]]]:
    """Yield byte, width and part of each number of a fact of ENTRIES or MEMBERS."""
    fact, players, shape = facts.narration.facts[number], facts.game.num_players, facts.layout.shapes[number]
    start, size, seats = int(facts.layout.starts[number]), fact.source.size, int(fact.values == SEAT)
    stride = int(np.prod(shape[1:], dtype=np.int64)) if SEAT in fact.axes else 0
    for i, (place, width, signed) in enumerate(_numbers(facts.game.dtype, fact.source.name)):
        owner = i * max(size, 1) // stride if stride else players
        seat, value = owner if owner < players else -1, start + i * max(size, 1)
        seen_by = _SEEN_BY[fact.seen_by]
        yield place, width, [value, *_bits(place, width), int(signed), size, seat, stride, seats, seen_by]


def _bits(place: int, width: int) -> tuple[int, int]:
    """Return the columns ABOVE and BESIDES of a number of `width` bytes."""
    return 8 * (_WORD - place % _WORD - width), 8 * (_WORD - width)


def _numbers(dtype: np.dtype[Any], name: str) -> Iterator[tuple[int, int, bool]]:
    """Yield byte, width and signedness of each number of a field."""
    at, base = place_of(dtype, name)
    for place in range(at, at + dtype[name].itemsize, base.itemsize):
        yield place, base.itemsize, base.kind == "i"


def tokens_of(events: npt.NDArray[np.uint64]) -> npt.NDArray[np.int16]:
    """Return the tokens in an array of words, int16 (..., N, TOKEN), without a copy."""
    return events.view(np.int16).reshape(*events.shape, TOKEN)


def remember(memory: Memory, chosen: npt.NDArray[np.bool_], tokens: npt.NDArray[np.int16]) -> None:
    """Set the histories of the rows `chosen`, a mask (n,), to tokens, int16 (k, players, N, TOKEN)."""
    memory.events[chosen], memory.heads[chosen] = np.ascontiguousarray(tokens).view(np.uint64)[..., 0], 0


def rebound(memory: Memory, states: States) -> Memory:
    """Return a copied memory whose words and bytes are again those of its arrays; states: of the copy."""
    count, slots, size = len(states), len(memory.earlier), states.dtype.itemsize
    return memory._replace(
        words=states.view(np.uint64).reshape(count, -1),
        record=states.view(np.uint8).reshape(count, size),
        earlier_words=memory.earlier.view(np.uint64).reshape(slots, -1),
        earlier_record=memory.earlier.view(np.uint8).reshape(slots, size),
        seen_words=memory.seen.view(np.uint64).reshape(slots, 2, -1),
        seen_record=memory.seen.view(np.uint8).reshape(slots, 2, size),
    )


def new_memory(game: Game, states: States, length: int, slots: int) -> Memory:
    """Return the memory of the games in a state array (n,), with `length` events for each seat.

    ValueError for a game without narration.
    """
    count, players, tables = len(states), game.num_players, _tables(game)
    values = len(_retold(game).first)
    memory = Memory(
        events=np.zeros((count, players, length), dtype=np.uint64),
        heads=np.zeros((count, players), dtype=np.int64),
        shown=np.zeros((count, length), dtype=np.uint64),
        finals=np.zeros((count, length), dtype=np.uint64),
        earlier=np.zeros((slots, 1), game.dtype),
        seen=np.zeros((slots, 2, 1), game.dtype),
        changes=np.zeros((slots, values), dtype=np.int64),
        found=np.zeros((slots, values + 1), dtype=np.uint64),
        counted=np.zeros((slots, len(tables["lists"])), dtype=np.bool_),
        **dict.fromkeys(_VIEWS),
        **tables,
    )
    return rebound(memory, states)


def check_history(game: Game, length: int) -> int:
    """Return the option `history` of an environment; ValueError unless it is at least 0, and 0 without narration."""
    if isinstance(length, bool) or not isinstance(length, int | np.integer) or length < 0:
        raise ValueError(f"history must be a number of events, 0 for none, not {length!r}")
    if length and game.narration() is None:
        raise ValueError(f"history: {game.name} has no narration, so its steps have no events")
    if length and game.dtype.itemsize % _WORD:
        raise ValueError(f"history: the size of {game.name}'s state dtype must be a multiple of {_WORD} (`align=True`)")
    return int(length)


def check_tokens(game: Game, tokens: npt.NDArray[np.int16]) -> None:
    """Raise ValueError unless entries and actors of tokens are those of a game."""
    for column, name, limit in ((0, "entry", len(_retold(game).first)), (3, "actor", game.num_players)):
        found = tokens[..., column]
        if found.size and (found.min() < 0 or found.max() > limit):
            raise ValueError(f"histories: an {name} must be in 0..{limit}, not {found.min()}..{found.max()}")


def vocabulary(game: Game) -> list[str]:
    """Return the name of each entry of a token, by its number less 1; seats count from the observer, clockwise."""
    facts = Facts(game)

    def name(axis: str, i: int) -> str:
        ids = () if axis == SEAT else facts.axis(axis).ids
        return ids[i] if i < len(ids) else f"{axis}+{i}"

    places = map(facts.place, range(int(facts.layout.starts[-1])))
    return [" ".join([fact.kind, *map(name, fact.axes, index)]) for fact, index in places]


class Retold(NamedTuple):
    """Values of each entry of a vocabulary, to count seats from another observer; see `retell`.

    Attributes:
        first: int64, the entry of the same place for the observer; stride: values of each seat, 0 without seats.
        seated: whether values are seats; public: whether every seat sees all changes.
    """

    first: npt.NDArray[np.int64]
    stride: npt.NDArray[np.int64]
    seated: npt.NDArray[np.bool_]
    public: npt.NDArray[np.bool_]


@cache
def _retold(game: Game) -> Retold:
    facts = Facts(game)
    rows = []
    for fact, shape in zip(facts.narration.facts, facts.layout.shapes, strict=True):
        size = int(np.prod(shape, dtype=np.int64))
        stride = size // shape[0] if SEAT in fact.axes else 0
        rows += [(i % stride if stride else i, stride, fact.values == SEAT, fact.seen_by == "all") for i in range(size)]
    starts = facts.layout.starts
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    columns[0] += np.repeat(starts[:-1], np.diff(starts))
    return Retold(*columns)


def retell(game: Game, tokens: npt.NDArray[np.int16], observer: int) -> npt.NDArray[np.int16]:
    """Return what an observer knows about the histories of all seats, int16 (players, N, 4).

    The observer's is complete.  The others' have the events that every seat sees: what the others alone have seen is
    missing, and what the observer alone has seen is left out.

    Args:
        game: the game.
        tokens: int16 (N, 4), the history of the observer.
        observer: a seat.
    """
    table, players = _retold(game), game.num_players
    known = tokens[(tokens[:, 0] > 0) & table.public[tokens[:, 0] - 1]].astype(np.int64)
    entry = known[:, 0] - 1
    first, stride, seated = table.first[entry], table.stride[entry], table.seated[entry]
    result = np.zeros((players, *tokens.shape), dtype=np.int16)
    for seat in range(players):
        if seat == observer:
            result[seat] = tokens
            continue
        shift, told = observer - seat, known.copy()
        owners = (entry - first) // np.maximum(stride, 1)
        told[:, 0] = 1 + first + np.where(stride > 0, (owners + shift) % players * stride, entry - first)
        for column in (1, 2):
            values = known[:, column]
            told[:, column] = np.where(seated & (values >= 0), (values + shift) % players, values)
        told[:, 3] = 1 + (known[:, 3] - 1 + shift) % players
        result[seat, len(tokens) - len(told) :] = told
    return result


def decoded(facts: Facts, tokens: npt.NDArray[np.int16], observer: int) -> list[Event]:
    """Return the events of the tokens of an observer, int16 (N, 4); values beyond int16 stay clipped."""
    players = facts.game.num_players

    def seat(value: int) -> int:
        return (value + observer) % players if 0 <= value < players else value

    events = []
    for entry, before, after, _ in tokens[tokens[:, 0] > 0].tolist():
        fact, index = facts.place(entry - 1)
        if SEAT in fact.axes:
            index = (seat(index[0]), *index[1:])
        values = map(seat, (before, after)) if fact.values == SEAT else (before, after)
        events.append(facts.event(fact, index, *values))
    return events


class History:
    """The histories of one game's seats, for environments with a single game.

    Args:
        length: the number of events of each seat.
    """

    def __init__(self, game: Game, length: int) -> None:
        self.game: Final = game
        self._fill(length)

    def _fill(self, length: int) -> None:
        self._states = np.zeros(1, dtype=self.game.dtype)
        self._memory = new_memory(self.game, self._states, length, 1)

    def begin(self, states: States) -> None:
        """Begin a game: forget all events."""
        self._track(BEGIN)
        self._states.view(np.uint8)[:] = states.view(np.uint8)

    def update(self, states: States) -> None:
        """Record a step, after it; states: (1,)."""
        self._track(BEFORE)
        self._states.view(np.uint8)[:] = states.view(np.uint8)
        self._track(AFTER)

    def tokens(self, seat: int) -> npt.NDArray[np.int16]:
        """Return the last events that a seat has seen, int16 (length, 4), the latest one last, in a new array."""
        self._track(SHOW, seat)
        return np.array(tokens_of(self._memory.shown)[0])

    def clone(self) -> History:
        """Return an independent copy."""
        twin = object.__new__(History)
        twin.__setstate__(self.__getstate__())
        return twin

    def __getstate__(self) -> dict[str, Any]:
        memory = self._memory
        return {"game": self.game, "states": self._states, "events": memory.events[0], "heads": memory.heads[0]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.game = state["game"]  # type: ignore[misc]  # final after this
        self._fill(state["events"].shape[-1])
        self._states[:] = state["states"]
        self._memory.events[0], self._memory.heads[0] = state["events"], state["heads"]

    def _track(self, moment: int, seat: int = -1) -> None:
        tracker_of(self.game).track(self.game.constants, self._states, 0, self._memory, 0, moment, seat)
