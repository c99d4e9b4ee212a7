"""Detection of revealed information: it separates the actions that may be undone from those that may not."""

from __future__ import annotations

from typing import Final

from porta_nigra_env.core.game.state import State

#: Number of determinizations to compare. A fair coin comes out alike in all of them with probability 2**-32.
WORLDS: Final = 32


def shows_news(before: State, action: int, seat: int, worlds: int = WORLDS) -> bool:
    """Return True if an action revealed new information to a seat or passed the move to another player.

    The action is also applied to determinizations that the seat cannot distinguish from the true state. If its
    information state afterwards is the same in all of them, the action revealed nothing new (up to a negligible
    probability).

    Args:
        before: the position; it is not changed.
        action: the id of a legal action of `seat`, the player to move.
        worlds: the number of determinizations.
    """
    after = before.clone().apply_id(action)
    if after.player != seat:
        return True
    infoset = after.view(seat).state.tobytes()
    samples = (before.determinize(seat, seed).apply_id(action) for seed in range(1, worlds + 1))
    return any(sample.view(seat).state.tobytes() != infoset for sample in samples)
