"""What the loops over many games keep beside the states: constants, records and the arrays of a batch."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

#: Most seats a game may have.
MAX_SEATS: Final = 8

#: Who plays a seat: a compiled policy by its number, or somebody outside the compiled loop.  The learner is OUTSIDE,
#: and further agents that are asked from Python count down from OUTSIDE - 1.
OUTSIDE: Final = -1

#: The learner's seat: a number, every seat, the next one in each game, or a random one for each game.
EVERY_SEAT: Final = -1
ROTATE_SEAT: Final = -2
RANDOM_SEAT: Final = -3

#: The reward of an illegal action that ends its game, unless another is given: no result of scheme OUTCOME is worse.
ILLEGAL_REWARD: Final = -1.0

#: What rewards are (`envs.rewards.REWARDS`).
OUTCOME, MARGIN, POINTS = range(3)

#: What follows a game that has ended (`gymnasium.vector.AutoresetMode`).
NEXT_STEP, SAME_STEP, DISABLED = range(3)

#: The bookkeeping of a row, beside its state.
BOOKKEEPING: Final = np.dtype(
    [
        ("seed", np.int64),  # of the row's first game; later ones follow from it (`rng.later_seed`)
        ("games", np.int64),  # games begun
        ("chance", np.int64, (3,)),  # of the compiled policies (`rng.policy_below`)
        ("length", np.int32),  # decisions made in the running game, or in the one that has ended
        ("last_length", np.int32),  # decisions of the game that ended last
        ("learner", np.int8),  # the learner's seat in the running game, or EVERY_SEAT
        ("last_learner", np.int8),  # the same in the game that ended last
        ("players", np.int8, (MAX_SEATS,)),  # who plays each seat of the running game
        ("fault", np.int8),  # 1 + the number of a policy that answered with an illegal action
        ("illegal", np.int8),  # 1 if the game that ended last did so by an illegal action
        ("opening", np.int8),  # 1 until the first action of a step: what is gained before counts for that step
    ],
    align=True,
)


class Rows(NamedTuple):
    """The arrays of a batch of n games; those with (0) may have length zero there, for what nobody wants.

    states: (n,) of the game's dtype.
    bookkeeping: (n,) of BOOKKEEPING.
    words: uint64 (n, num_words), the legal actions as bit sets.
    masks: int8 (n, num_actions or 0), the same as zeros and ones.
    observations: float32 (n, observation_size or 0), of the player to move.
    finals: float32 (n, observation_size or 0), the learner's last observation of the game that ended last.
    rewards: float32 (n, players), gained since somebody outside was asked last.
    current: int8 (n,), the player to move, -1 when the game is over.
    ended: bool (n,), whether a game has ended in this step.
    totals: int32 (n, players), of the game that ended last.
    places: int8 (n, players), of the game that ended last.
    before: int32 (n, players), points at the last settlement.
    lineups: int8 (n, players), who plays in games to come: seats, or places from the learner's left on.
    parameters: float64 (policies, k) of the compiled policies.
    reads: bool (policies,), whether they want a redacted state.
    scratch: (slots,) of the game's dtype; a thread writes to its own slot.
    points: int32 (slots, players), scratch in the same way.
    """

    states: Any
    bookkeeping: Any
    words: Any
    masks: Any
    observations: Any
    finals: Any
    rewards: Any
    current: Any
    ended: Any
    totals: Any
    places: Any
    before: Any
    lineups: Any
    parameters: Any
    reads: Any
    scratch: Any
    points: Any


class Rules(NamedTuple):
    """How a batch is played; `reward`, `autoreset` and `seat` are constants of this module, or a seat.

    by_seat: 1 if `lineups` names seats, 0 if it names places from the learner's left on.
    strict: 1 if actions are checked before the step, 0 if an illegal one ends its game.
    illegal: the reward of one that does.
    """

    players: int
    reward: int
    autoreset: int
    seat: int
    by_seat: int
    strict: int
    illegal: float


class Games(NamedTuple):
    """Whole games of compiled policies, one after the other (`core.batch.batch`): what is to be played, and what comes of it.

    seeds: int64 (n,).
    starts: (n,) of the game's dtype, where the games begin, or (0,), then each begins from its seed.
    lineups: int8 (n, players), the number of the policy on each seat.
    parameters: float64 (policies, k).
    reads: bool (policies,), whether they want a redacted state.
    limit: int64 (1,), decisions after which a game is ranked as it stands.
    totals: int32 (n, players).
    places: int8 (n, players).
    lengths: int32 (n,), decisions.
    ends: (n,) of the game's dtype, the final states, or (0,).
    """

    seeds: Any
    starts: Any
    lineups: Any
    parameters: Any
    reads: Any
    limit: Any
    totals: Any
    places: Any
    lengths: Any
    ends: Any


class Scratch(NamedTuple):
    """What one thread writes to while it plays whole games.

    states: (2,) of the game's dtype, the game and its redacted copy.
    words: uint64 (num_words,).
    chance: int64 (3,).
    """

    states: Any
    words: Any
    policy_rng: Any
