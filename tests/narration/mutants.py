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
        ("found[at - 1] [->-]{+<+} change:", "events stand in reverse order"),
        ("    return count + [-1-]{+0+}\n", "each change replaces the last one"),
        ("    if parts[i, MEMBERS] < 0:\n        [-counted[value] = True-]{+pass+}\n", "lists never change"),
        ("[-if ((before ^ after) >> member) & 1:-]{+if (after >> member) & 1:+}", "members that stay are told"),
        (
            "insert(found, count, value + member, [-(before >> member) & 1, (after >> member) & 1-]"
            "{+(after >> member) & 1, (before >> member) & 1+}, i)",
            "members before and after are swapped",
        ),
        ("insert(found, count, value, [-before, after-]{+after, before+}, i)", "values before and after are swapped"),
        (
            "range(of_bytes[byte, FIRST], of_bytes[byte, LAST][- -]{+ - 1 +})".replace("[- -]{+ - 1 +}", "{+ - 1+}"),
            "the last number of a byte is left out",
        ),
        ("            byte += [-empty-]{+0+}\n", "skipped bytes are miscounted"),
        ("                empty += lowest [->=-]{+>+} start\n", "the lowest bit of a byte belongs to the one before"),
        ("            byte += [-left-]{+1+}\n", "wide numbers are counted as bytes"),
        ("changed >> _EIGHT >> np.uint64(8 * [-(left - 1)-]{+left+})", "the byte after a number is skipped"),
        ("        [-if changes[kind] != 0:-]{+if True:+}\n", "lists tell what stays"),
        ("    for kind in range(size{+ - 1+}):\n        if changes", "the last kind of a list is left out"),
        ("            changes[kind] = [-0-]{+changes[kind]+}\n", "changes of a list are counted again"),
        ("    for i in range([-same, before-]{+same + 1, before+}):", "the first card that leaves a list is left out"),
        (
            "            for i in range([-before-]{+after+}):\n                old +=",
            "lists are counted after the step",
        ),
        ("    counted[:] = [-every-]{+False+}\n", "redacted lists are not compared"),
        ("return int(seat - observer if seat [->=-]{+>+} observer", "the observer counts as last"),
        ("else seat - observer + [-players-]{+1+})", "seats before the observer are miscounted"),
        ("min(max(value, _LOW), [-_HIGH-]{+_LOW+}) & int(_INT16)", "numbers are clipped to one"),
        ("cause = np.uint64([-1 + -]clockwise(actor", "the actor is off by one"),
        ("clockwise([-actor-]{+0+}, seat, players))\n            head", "the first seat is the cause of everything"),
        ("part[SEEN_BY] == OWNER_ONLY and owner [-!=-]{+==+} seat:", "owners do not see their own, others do"),
        ("if [-not every-]{+False+} and part[SEEN_BY]", "all see what owners see"),
        ("if [-not every and -]part[SEEN_BY]", "cards shown at the end stay hidden"),
        ("players) - owner) * [-part[STRIDE]-]{+1+}", "entries of seats lie side by side"),
        ("                before, after = turned([-old-]{+new+}, seat", "seats before a step are those after it"),
        (
            "return clipped(clockwise(number, seat, players) if [-number >= 0-]{+number > 0+} else",
            "the first seat stays",
        ),
        ("seat, players) if [-number >= 0-]{+True+} else number", "no one becomes a seat"),
        (
            "| [-before << _BEFORE | after << _AFTER-]{+after << _BEFORE | before << _AFTER+} |",
            "a token has before and after swapped",
        ),
        ("seen, before, after = [-1 + -]entry", "entries are off by one"),
        (
            "head + 1 if head + 1 < length[- -]{+ - 1+} else 0".replace("[- -]", ""),
            "the last place of a ring stays empty",
        ),
        (
            "        if memory.parts[change >> _PART & _INT16, SEEN_BY] == [-SOME-]{+EVERYONE + 9+}:",
            "cards that some know are told to all",
        ),
        ("[-    for word in memory.veils:-]{+    for word in memory.veils[:0]:+}\n", "no change shows or hides cards"),
        ("            return True\n    return [-over-]{+False+}\n", "cards shown at the end are not told"),
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
        ("(seat, seat + 1), actor, [-True-]{+False+})", "redacted changes are hidden once more"),
        ("    older = ring[[-head-]{+0+}:]\n", "the oldest events come twice"),
        ("    newer = out[[-older.shape[0]-]{+0+} :]\n", "the latest events come first"),
        ("    if moment == [-BEFORE-]{+AFTER+}:\n", "positions before a step are not kept"),
        ("        [-memory.events[row] = 0-]{+pass+}\n", "a new game keeps the history of the last one"),
        ("unroll(memory, row, [-max(seat, 0)-]{+0+}, memory.shown[row])", "all see the history of the first seat"),
        ("unroll(memory, row, [-seat-]{+0+}, memory.finals[row])", "the history at the end is that of another seat"),
        ("        [-unroll(memory, row, seat, memory.finals[row])-]{+pass+}\n", "there is no history at the end"),
        ("value = owner if owner < players else -1, start + i * [-max(size, 1)-]{+1+}", "members of bit sets overlap"),
        ("8 * (_WORD - [-place % _WORD - width-]{+width+}), 8", "numbers are read from the end of their word"),
        ("        return (value [-+-]{+-+} observer) % players", "decoded seats count backwards"),
        (
            "events, heads, parts = memory.events[row], memory.heads[[-row-]{+0+}], memory.parts",
            "all games share the heads of the first",
        ),
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
