"""How much of anything there may be: rates, sizes and numbers."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Addresses whose rates are remembered, at most; of those beyond the one that was quiet longest is forgotten.
_ADDRESSES: Final = 10_000


@dataclass(frozen=True)
class Rate:
    """So many a second on average, and at most `burst` at once."""

    second: float
    burst: int


@dataclass(frozen=True)
class Limits:
    """What a server allows.

    Attributes:
        tables: journals that are kept, at most.
        sockets: open at a time, at most.
        sockets_an_address, sockets_a_seat: of these, at most.
        messages: of one socket.
        visits: sockets and new tables of one address; openings: new tables alone.
        patience: seconds for the first message of a socket, and for the body of a request.
    """

    tables: int = 1000
    sockets: int = 2000
    sockets_an_address: int = 100
    sockets_a_seat: int = 4
    messages: Rate = Rate(50, 200)
    visits: Rate = Rate(2, 60)
    openings: Rate = Rate(1 / 30, 100)
    patience: float = 10.0


class Bucket:
    """A token bucket.

    Args:
        rate: what is allowed.
        clock: seconds.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left, self._last = float(rate.burst), clock()

    def take(self) -> bool:
        """Whether one more is allowed now."""
        now = self._clock()
        self._left = min(self._rate.burst, self._left + (now - self._last) * self._rate.second)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Buckets:
    """A bucket for each address."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._of: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, address: str) -> bool:
        """Whether one more of an address is allowed now."""
        bucket = self._of.setdefault(address, Bucket(self._rate, self._clock))
        self._of.move_to_end(address)
        if len(self._of) > _ADDRESSES:
            self._of.popitem(last=False)
        return bucket.take()
