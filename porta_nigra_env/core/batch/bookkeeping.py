"""Bookkeeping of the batch loops: constants, records and arrays besides the states."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

#: Maximum number of seats of a game.
MAX_SEATS: Final = 8

#: The player of a seat is a compiled policy, by number, or an agent outside the compiled loop. The learner is OUTSIDE;
#: further agents, called from Python, count down from OUTSIDE - 1.
OUTSIDE: Final = -1

#: The learner's seat: a number, every seat, the next one in each game, or a random one for each game.
EVERY_SEAT: Final = -1
ROTATE_SEAT: Final = -2
RANDOM_SEAT: Final = -3

#: The default reward of an illegal action that ends its game: no result of scheme OUTCOME is worse.
ILLEGAL_REWARD: Final = -1.0

#: The kinds of rewards (`envs.rewards.REWARDS`).
OUTCOME, MARGIN, POINTS = range(3)

#: The behaviour after the end of a game (`gymnasium.vector.AutoresetMode`).
NEXT_STEP, SAME_STEP, DISABLED = range(3)

#: The mark of a row whose game an illegal action ended: its state is the one before, since games show cards at the end.
ABANDONED: Final = 2

#: The moments of `core.game.contract.track`: a game begins; before and after a step; a row's outputs are written; a
#: game has ended.
BEGIN, BEFORE, AFTER, SHOW, END = range(5)

#: The bookkeeping of a row, next to its state.
BOOKKEEPING: Final = np.dtype(
    [
        ("seed", np.int64),  # of the row's first game; later ones follow from it (`rng.later_seed`)
        ("games", np.int64),  # games begun
        ("chance", np.int64, (3,)),  # RNG of the compiled policies (`rng.policy_below`)
        ("length", np.int32),  # steps of the running game, or of the finished one
        ("last_length", np.int32),  # steps of the game that ended last
        ("learner", np.int8),  # the learner's seat in the running game, or EVERY_SEAT
        ("last_learner", np.int8),  # the same in the game that ended last
        ("players", np.int8, (MAX_SEATS,)),  # the player of each seat of the running game
        ("fault", np.int8),  # 1 + the number of a policy that returned an illegal action
        ("illegal", np.int8),  # 1 if an illegal action ended the last game, ABANDONED until the next one begins
        ("opening", np.int8),  # 1 until the first action of a step: earlier gains count for that step
    ],
    align=True,
)


class Rows(NamedTuple):
    """The arrays of a batch of n games; those with (0) may have length zero there to skip the output."""

    states: Any  # (n,) of the game's dtype
    bookkeeping: Any  # (n,) of BOOKKEEPING
    words: Any  # uint64 (n, num_words), the legal actions as bit sets
    masks: Any  # int8 (n, num_actions or 0), the same as zeros and ones
    observations: Any  # float32 (n, observation_size or 0), of the player to move
    finals: Any  # float32 (n, observation_size or 0), the learner's last observation of the game that ended last
    rewards: Any  # float32 (n, players), accumulated since the last step of an outside agent
    current: Any  # int8 (n,), the player to move, -1 when the game is over
    ended: Any  # bool (n,), true if a game has ended in this step
    totals: Any  # int32 (n, players), of the game that ended last
    places: Any  # int8 (n, players), the ranks of the game that ended last
    before: Any  # int32 (n, players), points at the last update of the rewards
    lineups: Any  # int8 (n, players), the players of future games, by seat or by seat offset from the learner
    functions: Any  # of the compiled policies, like `parameters` and `reads`; see `core.batch.policy.stacked`
    parameters: Any
    reads: Any
    scratch: (
        Any  # (slots + 1, 1) of the game's dtype, the states that policies read, by slot; the last one is all zeros
    )
    points: Any  # int32 (slots, players), scratch by slot
    history: Any  # `core.narration.history.Memory`, or int8 (0,) without one


class Rules(NamedTuple):
    """The rules of a batch; `reward`, `autoreset` and `seat` are constants of this module, or a seat."""

    players: int
    reward: int
    autoreset: int
    seat: int
    by_seat: int  # 1 if `lineups` is indexed by seat, 0 if by seat offset from the learner
    strict: int  # 1 if an illegal action is refused before the step, 0 if it ends its game
    illegal: float  # the reward of an illegal action that ends its game


class Games(NamedTuple):
    """Inputs and results of whole games of compiled policies (`core.batch.batch`)."""

    seeds: Any  # int64 (n,)
    starts: Any  # (n,) of the game's dtype, the initial states; or (0,) to start each game from its seed
    lineups: Any  # int8 (n, players), the number of the policy on each seat
    functions: Any  # of the compiled policies, like `parameters` and `reads`; see `core.batch.policy.stacked`
    parameters: Any
    reads: Any
    limit: Any  # int64 (1,), the number of steps after which a game is ranked as it stands
    totals: Any  # int32 (n, players)
    places: Any  # int8 (n, players), the ranks
    lengths: Any  # int32 (n,), steps
    ends: Any  # (n,) of the game's dtype, the final states, or (0,)


class Scratch(NamedTuple):
    """Scratch memory of one thread that plays whole games."""

    states: Any  # (1,) of the game's dtype, the game
    visible: Any  # (2, 1) of the game's dtype, the states that policies read: a redacted one, and zeros
    words: Any  # uint64 (num_words,)
    policy_rng: Any  # int64 (3,)
