"""Keys of nodes, what they are made of, and the hash tables they stand in.

A node of a search is what somebody sees: the redacted state, hashed.  A throw of dice or a card that is turned over
leads to a node of its own, one that only somebody else sees does not, and different ways to one position meet.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import redact
from porta_nigra_env.core.game.game import Game

jit = compiler(*CORE_SOURCES, Path(__file__))

#: Whose sight makes the nodes: that of the searcher, of the player to move, or of nobody: everything is open.
SEARCHER, MOVER, NOBODY = 1, 0, -1
#: The first two by their names as parameters.
OBSERVERS: Final = {"single": SEARCHER, "multiple": MOVER}

#: Key of a first node that stands for itself.
ROOT: Final = 1
#: Products are taken modulo 2**62, so that interpreted and compiled ones agree.
_MASK62: Final = (1 << 62) - 1
_FACTOR: Final = 0x2545F4914F6CDD1D


class Sight(NamedTuple):
    """Scratch for what one player sees.

    states: (1,) of the game's dtype; words: int32 (n,), the same memory, zeros behind it; factors: int64 (n,), odd.
    """

    states: Any
    words: Any
    factors: Any


def new_sight(game: Game) -> Sight:
    """Scratch; that of a game is always hashed in the same way."""
    size = game.dtype.itemsize
    words = np.zeros((size + 3) // 4, dtype=np.int32)
    factors = np.random.default_rng(1).integers(_MASK62, size=len(words), dtype=np.int64) | 1
    return Sight(words.view(np.uint8)[:size].view(game.dtype), words, factors)


@jit
def mixed(key: int, number: int) -> int:
    """A key of 62 bits, never 0, from another one and a number in ``[0, 2**31)``."""
    key = ((key ^ number) * _FACTOR) & _MASK62
    return (key ^ (key >> 31)) | 1


@jit
def sight_key(sight: Sight) -> int:
    """The key of what is seen: multilinear, so that states that differ in one word have different sums."""
    total = 0
    for i in range(sight.words.shape[0]):
        total += int(sight.words[i]) * int(sight.factors[i])
    return mixed(total & _MASK62, 0)


template = Template()


@template
def look(constants: Any, states: Any, row: int, sight: Sight, player: int) -> None:
    """What a player sees of a state, or all of it with `NOBODY`, into `sight`."""
    copy_row(sight.states, 0, states, row)
    if player != NOBODY:
        redact(constants, sight.states, 0, player)


@jit
def find(keys: Any, key: int) -> int:
    """The place of a key in the table, or of the empty one where it belongs."""
    last: int = keys.shape[0] - 1
    place = (key >> 7) & last
    while keys[place] != 0 and keys[place] != key:
        place = (place + 1) & last
    return place
