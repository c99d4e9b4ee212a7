"""Limits of the server: rates, sizes, counts, and the measured work for each address."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")
#: Largest number of remembered addresses; the address that was quiet longest is forgotten first.
_ADDRESSES: Final = 10_000


@dataclass(frozen=True)
class Rate:
    """An average number per second, and the largest burst."""

    second: float
    burst: float


@dataclass(frozen=True)
class Limits:
    """The limits of a server. An address is an IPv4 address or an IPv6 /64 network (`address_key`).

    Attributes:
        tables: kept tables.
        tables_per_address: kept unfinished tables that one address has opened since the server started.
        sockets, sockets_per_address, sockets_per_seat: open sockets.
        onlookers: open sockets of the onlookers of one table.
        phrases: phrases of one seat.
        frames: frames of one socket, control frames included.
        frames_per_address: frames of all sockets of one address.
        visits: new sockets and requests for tables of one address.
        openings: new tables of one address.
        work: CPU seconds of the server's thread for one address; above them its messages wait.
        searches_per_address: decisions and hints of agents that are computed, or wait for a thread, at the same time.
        patience: seconds to wait for a first message, a request body, a slow reader, and the end of a closed socket.
        unwritten: bytes that wait for a slow reader.
        unused_hours: age at which a table without any action is removed.
    """

    tables: int = 1000
    tables_per_address: int = 100
    sockets: int = 2000
    sockets_per_address: int = 100
    sockets_per_seat: int = 4
    onlookers: int = 30
    phrases: Rate = Rate(1 / 5, 4)
    frames: Rate = Rate(50, 200)
    frames_per_address: Rate = Rate(400, 1600)
    visits: Rate = Rate(2, 60)
    openings: Rate = Rate(1 / 30, 100)
    work: Rate = Rate(0.25, 1)
    searches_per_address: int = 2
    patience: float = 10.0
    unwritten: int = 1 << 18
    unused_hours: float = 24.0


def address_key(host: str) -> str:
    """Return the unit that limits count: an IPv4 address, or the /64 network of an IPv6 address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.ip_network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)


class Bucket:
    """A token bucket; `clock` returns seconds."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._tokens, self._last = float(rate.burst), clock()

    def take(self) -> bool:
        """Take a token; return False if the bucket is empty."""
        if self._refill() < 1:
            return False
        self._tokens -= 1
        return True

    def charge(self, tokens: float) -> None:
        """Take tokens, more than there are if need be."""
        self._tokens = self._refill() - tokens

    def debt(self) -> float:
        """Return the seconds until the bucket no longer lacks tokens."""
        return max(0.0, -self._refill()) / self._rate.second

    def _refill(self) -> float:
        now = self._clock()
        self._tokens = min(self._rate.burst, self._tokens + (now - self._last) * self._rate.second)
        self._last = now
        return self._tokens


class Work:
    """The server's work for one address.

    Attributes:
        searches: a turn for each decision that a thread computes.
    """

    def __init__(self, limits: Limits) -> None:
        self.seconds, self.searches = Bucket(limits.work), asyncio.Semaphore(limits.searches_per_address)

    @contextmanager
    def measure(self) -> Iterator[None]:
        """Charge the CPU seconds of this thread; nothing may be awaited inside."""
        start = time.thread_time()
        try:
            yield
        finally:
            self.seconds.charge(time.thread_time() - start)

    async def wait(self) -> None:
        """Wait until the address has used no more than its share."""
        while (seconds := self.seconds.debt()) > 0:
            await asyncio.sleep(seconds)


class PerAddress(Generic[T]):
    """A value for each address, made at first use."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._values: OrderedDict[str, T] = OrderedDict()

    def __getitem__(self, address: str) -> T:
        if address not in self._values:
            self._values[address] = self._make()
        self._values.move_to_end(address)
        if len(self._values) > _ADDRESSES:
            self._values.popitem(last=False)
        return self._values[address]
