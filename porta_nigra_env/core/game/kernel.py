"""The verbs of a game: the compiled functions by which everything else plays it.

A room binds its verbs to names once (`Kernel`); loops, batches and searches are templates over these names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from porta_nigra_env.core.game.results import no_points, no_rounds, rank_by_totals


class Kernel(NamedTuple):
    """The compiled verbs of a game; `row` picks the game in the batch `states`.

    reset(constants, states, row, seed, num_players): a new game, whole state overwritten; 0 <= seed < 2**63.
    step(constants, states, row, action): one decision; the action must be legal (the mask is the guard).
    legal(constants, states, row, words): the set of legal action ids as bits of uint64 words; empty when the game is over.
    observe(constants, states, row, player, out): what `player` may know, float32.
    determinize(constants, states, row, player, seed): redraw what `player` cannot know, and reseed.
    score(constants, states, row, totals): every seat's total as if the game ended now, int32 (players,).
    redact(constants, states, row, player): remove what `player` cannot know; `determinize`, `observe` and, for the
        player to move, `legal` give the same on a redacted state as on the true one.
    privileged(constants, states, row, out): the privileged vector with everything hidden, float32.
    rank(constants, states, row, totals, places): every seat's place as if the game ended now, int8 (players,), 1 for the
        first (`core.game.results`); totals are those of `score` at the same position.  By default by totals alone.
    points(constants, states, row, points): what every seat has gained so far and everybody may know, int32 (players,);
        by default nothing before the end.
    rounds(constants, states, row): how many rounds have begun; by default 0, a game without rounds.

    Every state dtype has the int fields `num_players`, `current_player` (-1 when the game is over) and `key`, the
    random key that `determinize` replaces and `redact` clears.
    """

    reset: Callable[..., Any]
    step: Callable[..., Any]
    legal: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    score: Callable[..., Any]
    redact: Callable[..., Any]
    privileged: Callable[..., Any]
    rank: Callable[..., Any] = rank_by_totals
    points: Callable[..., Any] = no_points
    rounds: Callable[..., Any] = no_rounds

    @property
    def has_rounds(self) -> bool:
        """Whether the game counts rounds."""
        return self.rounds is not no_rounds

    @property
    def has_points(self) -> bool:
        """Whether anything is gained before the end."""
        return self.points is not no_points
