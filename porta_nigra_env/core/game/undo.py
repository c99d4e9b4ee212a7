"""Whether a decision showed something: what may be taken back, and what may not."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.game.state import State

#: Worlds that are looked at.  What has one of two faces, equally likely, comes out alike in all of them once in 2**32.
WORLDS: Final = 32


def shows_news(before: State, action: int, seat: int, worlds: int = WORLDS) -> bool:
    """Whether a decision led a seat to a sight that could have been another one, or on to somebody else's decision.

    In worlds that the seat could not tell from the true one the decision is taken as well: where it leads to the same
    sight in all of them, nothing new was seen, but for what is all but certain anyway.

    Args:
        before: the position, which stays as it is.
        action: the id of a legal action of `seat`, who is to move there.
        worlds: how many.
    """
    after = before.clone().apply_id(action)
    if after.player != seat:
        return True
    sight = after.view(seat).state.tobytes()
    drawn = (before.determinize(seat, seed).apply_id(action) for seed in range(1, worlds + 1))
    return any(world.view(seat).state.tobytes() != sight for world in drawn)
