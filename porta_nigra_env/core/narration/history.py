"""History: the last events that each seat has seen, as tokens, recorded by compiled code.

A token is int16 (4,): ``[1 + entry, before, after, 1 + actor]``, or zeros for none.  An entry is a value of a fact, see
`vocabulary`; the actor is the seat whose action was the cause.  Seats count from the observer, so tokens mean the same
for every seat.  They are the events of `events.Facts.events`, in the same order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.arrays import bits
from porta_nigra_env.core.batch.batch import Tracker
from porta_nigra_env.core.batch.bookkeeping import AFTER, BEFORE, BEGIN, END, SHOW
from porta_nigra_env.core.compile.bit_scan import changed_bytes, fetch, lowest_bit
from porta_nigra_env.core.compile.jit import compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game import contract
from porta_nigra_env.core.game.game import Game, States
from porta_nigra_env.core.game.kernel import Kernel
from porta_nigra_env.core.narration.events import Event, Facts
from porta_nigra_env.core.narration.facts import SEAT
from porta_nigra_env.core.narration.reading import COUNTS, SIZE, SOURCES, kind_at, listed, place_of

#: Numbers of a token.
TOKEN: Final = 4
#: Bytes of a word, in which states are compared.
_WORD: Final = 8
_LIMITS: Final = np.iinfo(np.int16)
_LOW, _HIGH = int(_LIMITS.min), int(_LIMITS.max)
_INT16: Final = np.uint64((1 << 16) - 1)
#: Columns of `Memory.parts`: the word of a number, bits above it, bits of the word besides it, and its sign; members of
#: a bit set, 0 for one number, and -1 for a list; whether values are seats; its fact.
AT_WORD, ABOVE, BESIDES, SIGNED, MEMBERS, SEATED, FACT = range(7)
#: Bits of a token, a uint64.
_BEFORE, _AFTER, _CAUSE = (np.uint64(bit) for bit in (16, 32, 48))
_NONE, _ONE = np.uint64(0), np.uint64(1)
#: Words of a cache line.
_LINE: Final = 8
#: Members of a word of a set.
_SET: Final = 64

template = Template()


#: Arrays of `Memory` that are views of others.
_VIEWS: Final = ("words", "record", "earlier_words", "earlier_record", "seen_words", "seen_record")


class Memory(NamedTuple):
    """The arrays of n histories of N events.

    slots: of scratch, one for each thread; words: uint64 of a state; parts: the numbers in each word.
    """

    events: Any  # uint64 (n, players, 2 N), by seat; four int16 of a token in each word
    heads: Any  # int64 (n, players), the place of the next event: the history is the N words before it
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
    changed: Any  # uint64 (slots, sets), scratch: the changed bytes
    marks: Any  # uint64 (slots, sets), scratch: the changed parts; the last set is for bytes that no part reads
    changes: Any  # int64 (slots, values), scratch: how often each kind of a list left or came; zeros between steps
    table: Any  # `reading.Layout.table`
    parts: Any  # int16 (parts, 7), by entry; narrow, so that the tables stay in the nearest cache
    readers: Any  # int16 (itemsize, readers), the parts that read each byte
    entries: Any  # uint16 (2, players, parts), 1 + entry from each seat, 0 if owners alone see it; without such zeros
    veils: Any  # uint64 (k, 2), words, and the bits whose change only redacted states tell


class Audience(NamedTuple):
    """The seats ``first..last-1`` that have seen a step of `actor`; the arrays are those of a row of `Memory`."""

    events: Any
    heads: Any
    entries: Any
    first: int
    last: int
    actor: int


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
def clockwise(seat: int, observer: int, players: int) -> int:
    """Return the number of a seat that counts from the observer."""
    return int(seat - observer if seat >= observer else seat - observer + players)


@template
def turned(value: int, observer: int, players: int) -> Any:
    """Return the 16 bits of a value that is a seat, or negative, as `clockwise`."""
    return clipped(clockwise(value, observer, players) if value >= 0 else value)


@template
def tell(audience: Audience, parts: Any, part: int, member: int, before: int, after: int) -> None:
    """Append a change to the histories of the seats that have seen it."""
    events, heads = audience.events, audience.heads
    players, size = events.shape
    values = clipped(before) << _BEFORE | clipped(after) << _AFTER
    for seat in range(audience.first, audience.last):
        if parts[part, SEATED]:
            values = turned(before, seat, players) << _BEFORE | turned(after, seat, players) << _AFTER
        head, entry = heads[seat], audience.entries[seat, part]
        if head == size:  # the latest half moves to the start
            head = size // 2
            for i in range(head):
                events[seat, i] = events[seat, head + i]
        # An event that is not for this seat is overwritten by the next one.
        cause = np.uint64(1 + clockwise(audience.actor, seat, players)) << _CAUSE
        events[seat, head] = np.uint64(entry + member) | values | cause
        heads[seat] = head + int(entry != 0)


# Branches that the processor cannot foresee are most of the cost of a comparison. So the changed bytes are found
# without any, their parts are marked in a set, and the set yields them in order.


@template
def mark(marks: Any, readers: Any, changed: Any) -> None:
    """Add the parts that read changed bytes to `marks`; changed: a set of bytes."""
    for i in range(changed.shape[0]):
        found = changed[i]
        while found != _NONE:
            byte = _SET * i + lowest_bit(found)
            found &= found - _ONE
            for k in range(readers.shape[1]):
                bits.add(marks, int(readers[byte, k]))


@template
def find_number(audience: Audience, parts: Any, part: int, old: int, new: int) -> None:
    """Tell the changed values of a part."""
    before, after, members = number(old, parts[part]), number(new, parts[part]), parts[part, MEMBERS]
    if members == 0:
        tell(audience, parts, part, 0, before, after)
        return
    changed = np.uint64(old ^ new) << np.uint64(parts[part, ABOVE]) >> np.uint64(parts[part, BESIDES])
    while changed != _NONE:
        member = lowest_bit(changed)
        changed &= changed - _ONE
        if member < members:
            tell(audience, parts, part, member, (before >> member) & 1, (after >> member) & 1)


@template
def find_counts(
    audience: Audience, parts: Any, part: int, table: Any, changes: Any, old_record: Any, new_record: Any
) -> None:
    """Tell the changed counts of a list."""
    fact = int(parts[part, FACT])
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
            held = 0
            for i in range(before):
                held += kind_at(table, fact, old_record, i) == kind
            tell(audience, parts, part, kind, held, held + changes[kind])
            changes[kind] = 0


@template
def find(memory: Memory, slot: int, old: Any, new: Any, old_record: Any, new_record: Any, audience: Audience) -> None:
    """Tell the values in the bytes `memory.changed` of two states, given as words and as bytes."""
    marks, parts, table, changes = memory.marks[slot], memory.parts, memory.table, memory.changes[slot]
    mark(marks, memory.readers, memory.changed[slot])
    for i in range(marks.shape[0] - 1):
        marked = marks[i]
        marks[i] = _NONE
        while marked != _NONE:
            part = _SET * i + lowest_bit(marked)
            marked &= marked - _ONE
            if parts[part, MEMBERS] < 0:
                find_counts(audience, parts, part, table, changes, old_record, new_record)
            else:
                word = parts[part, AT_WORD]
                find_number(audience, parts, part, old[word], new[word])


@template
def is_veiled(veils: Any, old: Any, new: Any) -> bool:
    """Return True if redacted states have to be compared to know who has seen which change."""
    for i in range(veils.shape[0]):
        word = int(veils[i, 0])
        if (old[word] ^ new[word]) & veils[i, 1] != _NONE:
            return True
    return False


@template
def compare(constants: Any, states: Any, row: int, memory: Memory, slot: int) -> None:
    """Append the events of a step to the histories of all seats."""
    players, events, heads = memory.heads.shape[1], memory.events[row], memory.heads[row]
    old, new, actor = memory.earlier_words[slot], memory.words[row], int(memory.earlier[slot, 0]["current_player"])
    if int(states[row]["current_player"]) >= 0 and not is_veiled(memory.veils, old, new):
        changed_bytes(memory.changed[slot], memory.earlier[slot], 0, states, row)
        audience = Audience(events, heads, memory.entries[0], 0, players, actor)
        find(memory, slot, old, new, memory.earlier_record[slot], memory.record[row], audience)
        return
    seen, words, record = memory.seen[slot], memory.seen_words[slot], memory.seen_record[slot]
    for seat in range(players):
        copy_row(seen[0], 0, memory.earlier[slot], 0)
        copy_row(seen[1], 0, states, row)
        contract.redact(constants, seen[0], 0, seat)
        contract.redact(constants, seen[1], 0, seat)
        changed_bytes(memory.changed[slot], seen[0], 0, seen[1], 0)
        audience = Audience(events, heads, memory.entries[1], seat, seat + 1, actor)
        find(memory, slot, words[0], words[1], record[0], record[1], audience)


@template
def show(memory: Memory, row: int, seat: int, out: Any) -> None:
    """Write the history of a seat to `out`, uint64 (N,): the latest event last, zeros before the first one."""
    # A view from its first element on is copied in blocks.
    told = memory.events[row, seat, memory.heads[row, seat] - out.shape[0] :]
    for i in range(out.shape[0]):
        out[i] = told[i]


@template
def track(constants: Any, states: Any, row: int, memory: Memory, slot: int, moment: int, seat: int) -> None:
    """Keep the histories of a row; `moment` is one of `core.batch.bookkeeping`."""
    # Events and outputs of many games are in slow memory: they are fetched during the work before their use.
    if moment == BEFORE:
        for player in range(memory.heads.shape[1]):
            fetch(memory.events[row, player], memory.heads[row, player])
        copy_row(memory.earlier[slot], 0, states, row)
    elif moment == AFTER:
        player = max(int(states[row]["current_player"]), 0)
        for i in range(0, memory.shown.shape[1], _LINE):
            fetch(memory.events[row, player], memory.heads[row, player] - memory.shown.shape[1] + i)
            fetch(memory.shown[row], i)
        compare(constants, states, row, memory, slot)
    elif moment == BEGIN:
        memory.heads[row] = memory.shown.shape[1]
        memory.events[row] = 0
    elif moment == SHOW:
        show(memory, row, max(seat, 0), memory.shown[row])
    elif moment == END and seat >= 0:
        show(memory, row, seat, memory.finals[row])


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
    readers: list[list[int]] = [[] for _ in range(dtype.itemsize)]
    parts: list[list[int]] = []
    values: list[int] = []

    def add(value: int, row: list[int], fact: int, read: Iterable[tuple[int, int, bool]]) -> None:
        for place, width, _ in read:
            for byte in range(place, place + width):
                readers[byte].append(len(parts))
        parts.append([*row, int(facts.narration.facts[fact].values == SEAT), fact])
        values.append(value)

    sources = [fact.source for fact in facts.narration.facts]
    for fact, (source, start) in enumerate(zip(sources, facts.layout.starts.tolist(), strict=False)):
        places = list(_numbers(dtype, source.name))
        if source.form == COUNTS:
            add(start, [0, 0, 0, 0, -1], fact, [*places, *_numbers(dtype, source.counter)])
            continue
        for i, (place, width, signed) in enumerate(places):
            row = [place // _WORD, *_bits(place, width), int(signed), source.size]
            add(start + i * max(source.size, 1), row, fact, [(place, width, signed)])
    sets, most = -(-len(parts) // _SET), max(map(len, readers))
    return {
        "table": facts.layout.table,
        "parts": np.array(parts, dtype=np.int16),
        "readers": np.array([each + [_SET * sets] * (most - len(each)) for each in readers], dtype=np.int16),
        "entries": _entries(game, np.array(values), [part[FACT] for part in parts]),
        "veils": _veils(facts, dtype),
    }


def _veils(facts: Facts, dtype: np.dtype[Any]) -> npt.NDArray[np.uint64]:
    """Return `Memory.veils`."""
    secrets = [fact.source for fact in facts.narration.facts if fact.seen_by == "some"]
    names = {name for source in secrets for name in (source.name, source.counter) if name}
    veiled = np.zeros(dtype.itemsize, dtype=np.uint8)
    for name in names.union(facts.narration.veils):
        for place, width, _ in _numbers(dtype, name):
            veiled[place : place + width] = 255
    masks = veiled.view(np.uint64)
    return np.stack((np.flatnonzero(masks).astype(np.uint64), masks[masks > 0]), axis=1)


def _entries(game: Game, values: npt.NDArray[np.int64], facts: Sequence[int]) -> npt.NDArray[np.uint16]:
    """Return `Memory.entries`; values, facts: the first value and the fact of each part."""
    table, players, seats = _retold(game), game.num_players, np.arange(game.num_players)
    first, stride = table.first[values, None], table.stride[values, None]
    owners = (values[:, None] - first) // np.maximum(stride, 1)
    entries = 1 + first + np.where(stride > 0, (owners - seats) % players * stride, 0)
    seen_by = np.array([fact.seen_by for fact in Facts(game).narration.facts])[list(facts), None]
    hidden = (seen_by == "owner") & (stride > 0) & (owners != seats)
    return np.ascontiguousarray(np.stack((np.where(hidden, 0, entries), entries)).transpose(0, 2, 1), dtype=np.uint16)


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
    length = tokens.shape[2]
    memory.events[chosen, :, :length] = np.ascontiguousarray(tokens).view(np.uint64)[..., 0]
    memory.heads[chosen] = length


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
        events=np.zeros((count, players, 2 * length), dtype=np.uint64),
        heads=np.full((count, players), length),
        shown=np.zeros((count, length), dtype=np.uint64),
        finals=np.zeros((count, length), dtype=np.uint64),
        earlier=np.zeros((slots, 1), game.dtype),
        seen=np.zeros((slots, 2, 1), game.dtype),
        changed=np.zeros((slots, -(-game.dtype.itemsize // _SET)), dtype=np.uint64),
        marks=np.zeros((slots, 1 + -(-len(tables["parts"]) // _SET)), dtype=np.uint64),
        changes=np.zeros((slots, values), dtype=np.int64),
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


class _Retold(NamedTuple):
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
def _retold(game: Game) -> _Retold:
    facts = Facts(game)
    rows = []
    for fact, shape in zip(facts.narration.facts, facts.layout.shapes, strict=True):
        size = int(np.prod(shape, dtype=np.int64))
        stride = size // shape[0] if SEAT in fact.axes else 0
        rows += [(i % stride if stride else i, stride, fact.values == SEAT, fact.seen_by == "all") for i in range(size)]
    starts = facts.layout.starts
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    columns[0] += np.repeat(starts[:-1], np.diff(starts))
    return _Retold(*columns)


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
        self._fill(state["events"].shape[-1] // 2)
        self._states[:] = state["states"]
        self._memory.events[0], self._memory.heads[0] = state["events"], state["heads"]

    def _track(self, moment: int, seat: int = -1) -> None:
        tracker_of(self.game).track(self.game.constants, self._states, 0, self._memory, 0, moment, seat)
