"""Types of the records that kernel functions take."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

#: One record of a game's constants, compiled from its component file.
Constants: TypeAlias = np.void
#: One record of a game's state.
State: TypeAlias = np.void
#: A set of legal actions: bit ``i & 63`` of word ``i >> 6`` stands for action i.
Words: TypeAlias = npt.NDArray[np.uint64]
