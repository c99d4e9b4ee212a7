"""Keys of information states, and the hash table of a tree.

A node is an information state: the hash of a redacted state.  A visible chance event leads to a different node, a
hidden one does not, and different paths to one information state share their node.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.compile.jit import CORE_SOURCES, compiler
from porta_nigra_env.core.compile.records import copy_row
from porta_nigra_env.core.compile.template import Template
from porta_nigra_env.core.game.contract import ConstantsArray, States, redact
from porta_nigra_env.core.game.game import Game

jit = compiler(*CORE_SOURCES, Path(__file__))
template = Template()

#: Observers whose information states are the nodes: the searching player, the player to move, or an open game.
SEARCHER, MOVER, OPEN = 1, 0, -1
#: The first two by their option names.
OBSERVERS: Final = {"single": SEARCHER, "multiple": MOVER}

#: Key of a root that needs no hash.
ROOT: Final = 1
#: Products are taken modulo 2**62, so that interpreted and compiled ones agree.
_MASK62: Final = (1 << 62) - 1
_FACTOR: Final = 0x2545F4914F6CDD1D


class InfoState(NamedTuple):
    """Scratch for one redacted state.

    states: (1,) of the game's dtype; words: int32 (n,), the same memory, padded with zeros; factors: int64 (n,), odd.
    """

    states: States
    words: npt.NDArray[np.int32]
    factors: npt.NDArray[np.int64]


def new_info_state(game: Game) -> InfoState:
    """Allocate scratch; a game always has the same hash factors."""
    size = game.dtype.itemsize
    words = np.zeros((size + 3) // 4, dtype=np.int32)
    factors = np.random.default_rng(1).integers(_MASK62, size=len(words), dtype=np.int64) | 1
    return InfoState(words.view(np.uint8)[:size].view(game.dtype), words, factors)


@jit
def child_key(key: int, number: int) -> int:
    """Return a key of 62 bits, never 0, from a key and a number in ``[0, 2**31)``."""
    key = ((key ^ number) * _FACTOR) & _MASK62
    return (key ^ (key >> 31)) | 1


@jit
def info_state_key(info_state: InfoState) -> int:
    """Return the key of an information state: a multilinear hash, so that one changed word changes the sum."""
    total = 0
    for i in range(info_state.words.shape[0]):
        total += int(info_state.words[i]) * int(info_state.factors[i])
    return child_key(total & _MASK62, 0)


@template
def redact_into(constants: ConstantsArray, states: States, row: int, info_state: InfoState, player: int) -> None:
    """Copy a state into `info_state`, redacted for a player; `OPEN` redacts nothing."""
    copy_row(info_state.states, 0, states, row)
    if player != OPEN:
        redact(constants, info_state.states, 0, player)


@jit
def find_slot(keys: npt.NDArray[np.int64], key: int) -> int:
    """Return the slot of a key in a hash table, or the empty slot where it belongs."""
    last: int = keys.shape[0] - 1
    slot = (key >> 7) & last
    while keys[slot] != 0 and keys[slot] != key:
        slot = (slot + 1) & last
    return slot
