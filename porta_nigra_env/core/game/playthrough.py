"""Playthroughs: games as text, written for reviewers and replayed line by line.

A playthrough lists every action with a digest of the state after it, and the board at intervals. A change of behaviour
shows as a readable difference at the step where it begins.

```
game         dice_v0, 2 players
tables       3f6c...            digest of the numbers of the game
start        9a41...            digest of the state before the first action
1  player 0  bid 1  4 legal  9d5c1a20
...
scores       16 17
end          9d5c...            digest of the last state
```
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from porta_nigra_env.core.arrays.rng import SEED_LIMIT
from porta_nigra_env.core.game.game import Game, check_seed
from porta_nigra_env.core.game.state import State

#: Steps between two boards.
BOARD_EVERY: Final = 40
#: Steps between two lists of the legal actions.
LEGAL_EVERY: Final = 20

_MOVE: Final = re.compile(r"^(\d+)  player (\d+)  (.+?)  (\d+) legal  ([0-9a-f]{8})$")


_GAME: Final = re.compile(r"^game         ([a-z0-9_]+)_v(\d+), (\d+) players$", re.MULTILINE)
_START: Final = re.compile(r"^start        ([0-9a-f]{64})$", re.MULTILINE)
_SEED: Final = re.compile(r"\bseed (\d{1,19})\b")


class PlaythroughError(AssertionError):
    """A game that differs from its playthrough; the message names the line, its content and the actual result."""


def digest(data: bytes) -> str:
    """Return the SHA-256 digest in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def _header(state: State) -> list[str]:
    game = state.game
    return [
        f"game         {game.name}_v{game.version}, {game.num_players} players",
        f"tables       {digest(game.constants.tobytes())}",
        f"start        {digest(state.states.tobytes())}",
    ]


def _footer(state: State) -> list[str]:
    totals = " ".join(map(str, state.totals().tolist()))
    return [f"scores       {totals}", f"end          {digest(state.states.tobytes())}"]


def _move(ply: int, player: int | None, action: str, choices: int, state: State) -> str:
    return f"{ply}  player {player}  {action}  {choices} legal  {digest(state.states.tobytes())[:8]}"


def record(
    state: State, policy: Callable[[State], str], notes: str = "", tell: Callable[[State, State], str] | None = None
) -> str:
    """Play from `state` (which is changed) to the end and return the playthrough.

    Args:
        policy: returns the action string to play.
        notes: a line for readers, not checked on replay.
        tell: returns what a step has changed, given the states before and after it, as such a line.
    """
    lines = [*([f"# {notes}"] if notes else []), *_header(state)]
    ply = 0
    while not state.is_over:
        if ply % BOARD_EVERY == 0:
            lines += ["", *(f"# {line}".rstrip() for line in str(state).splitlines()), ""]
        legal = state.legal_actions()
        if ply % LEGAL_EVERY == 0:
            lines.append(f"legal        {', '.join(legal)}")
        player, action = state.current_player, policy(state)
        ply += 1
        before = None if tell is None else state.clone()
        state.apply(action)
        lines.append(_move(ply, player, action, len(legal), state))
        if tell is not None and before is not None:
            lines.append(f"#   {tell(before, state)}")
    lines += ["", *(f"# {line}".rstrip() for line in str(state).splitlines()), "", *_footer(state)]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Recorded:
    """The content of a playthrough, parsed without playing it.

    Attributes:
        game: the name of the game.
        players: the number of players.
        start: the digest of the state before the first action.
        seeds: seeds named in its comments, such as ``# seed 7``.
        actions: the action strings.
    """

    game: str
    players: int
    start: str
    seeds: tuple[int, ...]
    actions: tuple[str, ...]

    def seed_of(self, game: Game, more: Iterable[int] = ()) -> int:
        """Return the game's seed, searched in `more` and in its comments; ValueError if none matches."""
        for seed in (*map(check_seed, more), *self.seeds):
            if digest(game.new_states(seed).tobytes()) == self.start:
                return seed
        raise ValueError("seed: no known seed starts this playthrough; add a comment such as '# seed 7'")


def read(text: str) -> Recorded:
    """Parse a playthrough; ValueError if it does not name its game and its start."""
    game, start = _GAME.search(text), _START.search(text)
    if game is None or start is None:
        raise ValueError("not a playthrough: lines such as 'game         NAME_v0, 2 players' and 'start' are missing")
    lines = text.splitlines()
    comments = [line for line in lines if line.startswith("#")]
    seeds = tuple(seed for line in comments for seed in map(int, _SEED.findall(line)) if seed < SEED_LIMIT)
    moves = tuple(move[3] for line in lines if (move := _MOVE.match(line)))
    return Recorded(game[1], int(game[3]), start[1], seeds, moves)


def replay(text: str, state: State, whole: bool = True) -> int:
    """Replay the playthrough `text` from `state` (which is changed) and return the number of steps.

    Raises:
        PlaythroughError: the first line that does not match; if `whole` is true, also a playthrough that stops before
            the end of the game.
    """
    lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line and not line.startswith("#")]
    headers, ply = _header(state), 0
    for number, line in lines:
        label = line[:13].strip()
        if label in ("game", "tables", "start"):
            _compare(number, line, next(header for header in headers if header.startswith(label)))
        elif label == "legal":
            _compare(number, line, f"legal        {', '.join(state.legal_actions())}")
        elif label in ("scores", "end"):
            if not state.is_over:
                raise PlaythroughError(f"line {number}: {line!r}, but the game is not over")
            _compare(number, line, next(footer for footer in _footer(state) if footer.startswith(label)))
        else:
            match = _MOVE.match(line)
            if match is None:
                raise PlaythroughError(f"line {number}: cannot be read: {line!r}")
            player, choices = state.current_player, len(state.legal_actions())
            ply += 1
            try:
                state.apply(match[3])
            except ValueError as error:
                raise PlaythroughError(f"line {number}: {line!r}: {error}") from None
            _compare(number, line, _move(ply, player, match[3], choices, state))
    if whole and (not lines or not lines[-1][1].startswith("end")):
        raise PlaythroughError("the playthrough breaks off: its last line is not 'end'")
    return ply


def _compare(number: int, expected: str, actual: str) -> None:
    if expected != actual:
        raise PlaythroughError(f"line {number}:\n  says     {expected}\n  happened {actual}")
