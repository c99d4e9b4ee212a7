"""Mistakes in the reading of facts, in events and in the compiled tracker of histories."""

from __future__ import annotations

from tests.mutants.runner import in_file

CATALOGUE = [
    *in_file(
        "core/narration/reading.py",
        ("    value = int(record[at + width - [-1-]{+2+}])\n", "a number begins one byte too early"),
        ("    if [-signed and-]{+not signed and+} value > 127:", "the sign is lost"),
        ("        value -= [-256-]{+255+}\n", "negative numbers are off by one"),
        ("        value = [-256-]{+128+} * value", "bytes have seven bits"),
        ("range(at + width - 2, [-at - 1-]{+at+}, -1)", "the lowest byte is left out"),
        (
            "    if table[fact, TOTAL] > 0:\n        count = [-int(table[fact, TOTAL]) - count-]{+count+}\n",
            "the pile is counted instead of the discard",
        ),
        (
            "    return [-min(count, int(table[fact, LENGTH]))-]{+int(table[fact, LENGTH])+}\n",
            "hidden cards of a list are counted",
        ),
        ("            if 0 [-<=-]{+<+} kind < size:", "the first kind is not counted"),
        ("                values[start + kind] [-+= 1-]{+= 1+}\n", "equal cards count once"),
        ("values[start + i * size + member] = (entry >> member) & [-1-]{+3+}", "members run together"),
        ("        if form == [-ENTRIES-]{+MEMBERS+}:", "bit sets are read as numbers"),
        ("{ENTRIES: shape, MEMBERS: ([-*shape, self.size-]{+self.size, *shape+})", "axes of a bit set are swapped"),
        ('    signed = int(base.kind == "[-i-]{+u+}")', "signs are read from the wrong fields"),
        ("place_of(dtype, [-source.counter or source.name-]{+source.name+})", "lists have no counter"),
    ),
    *in_file(
        "core/narration/events.py",
        ("int([-old-]{+new+}[i]), int([-new-]{+old+}[i])) for i", "before and after are swapped"),
        ("self.changes([-self.redacted(before, observer)-]{+before+}, ", "the position before is not redacted"),
        ("[-self.redacted(after, observer)-]{+after+})", "the position after is not redacted"),
        ('side="[-right-]{+left+}")) - 1', "first entries belong to the fact before"),
        ("np.unravel_index(value - [-int(self.layout.starts[number])-]{+0+}", "indices count from the first fact"),
        ("return int(index[[-fact.axes.index(SEAT)-]{+-1+}])", "the seat is read from the last axis"),
        ("return after if fact.values == SEAT and after != [-NONE-]{+0+} else None", "no one has a seat"),
        (
            "            if seat == actor:\n                [-events.clear()-]{+pass+}\n",
            "old events stay after the own action",
        ),
        ("            if seat [-==-]{+!=+} actor:\n", "events are cleared for the wrong seats"),
        (
            "            events += self.facts.events(self._before, states, [-seat-]{+actor+})",
            "all see what the actor sees",
        ),
        (
            "events += self.facts.events(self._before, states, seat)\n[-        self._before = copied(states)\n-]",
            "the log compares with the start",
        ),
        (
            "        self._before = copied(states)\n"
            "        [-self._events = {seat: [] for seat in self._events}-]{+pass+}\n",
            "a new game keeps the events of the last one",
        ),
        ("        twin._events = {seat: [-list(events)-]{+events+} for", "a copy shares its events"),
        ("        twin._before = [-self._before-]{+twin._before+}\n", "a copy compares with nothing"),
        ("return None if fact.values == SEAT and [-value == NONE-]{+value != NONE+} else value", "seats are left out"),
    ),
    *in_file(
        "core/narration/history.py",
        ("np.int64(besides) if [-part[SIGNED]-]{+part[SIGNED] < 0+} else", "signs are lost"),
        ("np.uint64(word) << np.uint64([-part[ABOVE]-]{+0+}), part", "numbers above are read too"),
        (
            "values = [-clipped(before) << _BEFORE | clipped(after) << _AFTER-]"
            "{+clipped(after) << _BEFORE | clipped(before) << _AFTER+}",
            "before and after are swapped",
        ),
        ("np.uint64(entry[- + member-])", "all changes are of the first member"),
        ("            byte = [-_SET * i + -]lowest_bit(found)", "bytes beyond the 64th are those at the start"),
        ("            found &= [-found - _ONE-]{+_NONE+}\n", "one byte of each 64 is compared"),
        ("            for k in range([-readers.shape[1]-]{+1+}):", "the second part that reads a byte is left out"),
        ("        changed_bytes(memory.changed[slot], seen[0], 0, seen[[-1-]{+0+}], 0)\n", "nothing hidden changes"),
        ("heads[seat] = head + [-int(entry != 0)-]{+0+}", "each change replaces the one before it"),
        ("        if member [-<-]{+<=+} members:", "a bit above a set is a member"),
        ("[-np.uint64(old ^ new)-]{+np.uint64(new)+} << np.uint64(parts", "members that stay are told"),
        ("        if changes[kind] [-!= 0-]{+> 0+}:", "cards that leave are left out"),
        ("    for kind in range(size{+ - 1+}):\n        if changes", "the last kind of a list is left out"),
        ("            changes[kind] = [-0-]{+changes[kind]+}\n", "changes of a list are counted again"),
        ("    for i in range([-same, before-]{+same + 1, before+}):", "the first card that leaves a list is left out"),
        (
            "            for i in range([-before-]{+after+}):\n                held +=",
            "lists are counted after the step",
        ),
        ("            part = [-_SET * i + -]lowest_bit(marked)", "parts beyond the 64th are those at the start"),
        ("        marks[i] = [-_NONE-]{+marked+}\n", "the changes of the last step stay"),
        ("            if parts[part, MEMBERS] < [-0-]{+-1+}:", "lists are numbers"),
        ("return int(seat - observer if seat [->=-]{+>+} observer", "the observer counts as last"),
        ("else seat - observer + [-players-]{+1+})", "seats before the observer are miscounted"),
        ("min(max(value, _LOW), [-_HIGH-]{+_LOW+}) & int(_INT16)", "numbers are clipped to one"),
        ("cause = np.uint64([-1 + -]clockwise(audience.actor", "the actor is off by one"),
        ("clockwise([-audience.actor-]{+0+}, seat, players)) << _CAUSE", "the first seat is the cause of everything"),
        ("values = turned([-before-]{+after+}, seat", "seats before a step are those after it"),
        ("clipped(clockwise(value, observer, players) if [-value >= 0-]{+value > 0+} else", "the first seat stays"),
        ("observer, players) if [-value >= 0-]{+True+} else value", "no one becomes a seat"),
        (
            "[-turned(before, seat, players) << _BEFORE | turned(after, seat, players) << _AFTER-]"
            "{+turned(after, seat, players) << _BEFORE | turned(before, seat, players) << _AFTER+}",
            "a seat before is the one after",
        ),
        ("        if parts[part, [-SEATED-]{+FACT+}]:\n", "other values are taken for seats"),
        ("head + [-int(entry != 0)-]{+1+}", "hidden changes are told as nothing"),
        ("        if head == size[-:-]{+ - 1:+}", "a full history forgets an event"),
        ("events[seat, i] = events[seat, [-head + -]i]", "a full history keeps its oldest events"),
        ("range([-veils.shape[0]-]{+0+}):", "cards that some know are told to all"),
        ('    if [-int(states[row]["current_player"]) >= 0 and -]not is_veiled', "cards shown at the end are not told"),
        ("memory.entries[[-0-]{+1+}], 0, players", "all see what owners see"),
        ("memory.entries[[-1-]{+0+}], seat, seat + 1", "redacted changes are hidden once more"),
        ("memory.entries[1], seat, [-seat + 1-]{+players+}", "seats are told what the seats before them see"),
        ("for name in names.union([-facts.narration.veils-]{+()+})", "no change shows or hides cards"),
        ("[-names.union(facts.narration.veils)-]{+facts.narration.veils+}:", "changes that some know are told to all"),
        ("fact, [*places[-, *_numbers(dtype, source.counter)-]])", "cards that leave a list are left out"),
        ("add(start + i * [-max(source.size, 1)-]{+1+}, row", "members of bit sets overlap"),
        ("(owners [-- seats-]) % players * stride", "seats count from the first one"),
        ("(stride > 0) & (owners [-!=-]{+==+} seats)", "owners do not see their own, others do"),
        ("entries = [-1 + -]first + np.where", "entries are off by one"),
        ('int([-memory.earlier[slot, 0]-]{+states[row]+}["current_player"])\n', "the next player is the actor"),
        (
            "        contract.redact(constants, seen[0], 0, [-seat-]{+0+})\n",
            "the position before is that of another seat",
        ),
        (
            "        contract.redact(constants, seen[1], 0, [-seat-]{+0+})\n",
            "the position after is that of another seat",
        ),
        ("        copy_row(seen[[-1-]{+0+}], 0, states, row)\n", "the position after is not copied"),
        ("told = memory.events[row, [-seat-]{+0+}", "all see the events of the first seat"),
        ("    if moment == [-BEFORE-]{+AFTER+}:\n", "positions before a step are not kept"),
        ("        [-memory.events[row] = 0-]{+pass+}\n", "a new game keeps the history of the last one"),
        ("show(memory, row, [-max(seat, 0)-]{+0+}, memory.shown[row])", "all see the history of the first seat"),
        ("show(memory, row, [-seat-]{+0+}, memory.finals[row])", "the history at the end is that of another seat"),
        ("        [-show(memory, row, seat, memory.finals[row])-]{+pass+}\n", "there is no history at the end"),
        ("8 * (_WORD - [-place % _WORD - width-]{+width+}), 8", "numbers are read from the end of their word"),
        ("        return (value [-+-]{+-+} observer) % players", "decoded seats count backwards"),
        ("memory.events[row], memory.heads[[-row-]{+0+}]\n", "all games share the heads of the first"),
    ),
    *in_file(
        "core/batch/batch.py",
        ("slot, bookkeeping.[-BEFORE-]{+AFTER+}, -1)", "the tracker sees each step once"),
        ("bookkeeping.SHOW, [-player-]{+0+})", "batches show the history of the first seat"),
        (
            "[-    contract.track(constants, rows.states, row, rows.history, slot, bookkeeping.BEGIN, -1)\n-]",
            "the next game in a row keeps the history",
        ),
        (
            "    rows.ended[row] = True\n"
            "    [-contract.track(constants, rows.states, row, rows.history, 0, bookkeeping.END, "
            'int(game["learner"]))\n    -]game',
            "a batch keeps no history of the end",
        ),
    ),
]
