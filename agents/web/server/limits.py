"""Limits of the server: rates, sizes and counts."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

#: Largest number of remembered addresses; the address that was quiet longest is forgotten first.
_ADDRESSES: Final = 10_000


@dataclass(frozen=True)
class Rate:
    """An average number per second, and the largest burst."""

    second: float
    burst: int


@dataclass(frozen=True)
class Limits:
    """The limits of a server. An address is an IPv4 address or an IPv6 /64 network (`address_key`).

    Attributes:
        tables: kept tables.
        tables_per_address: kept unfinished tables that one address has opened since the server started.
        sockets, sockets_per_address, sockets_per_seat: open sockets.
        frames: frames of one socket, control frames included.
        frames_per_address: frames of all sockets of one address.
        visits: new sockets and requests for tables of one address.
        openings: new tables of one address.
        patience: seconds to wait for a first message, a request body, a slow reader, and the end of a closed socket.
        unwritten: bytes that wait for a slow reader.
        unused_hours: age at which a table without any action is removed.
    """

    tables: int = 1000
    tables_per_address: int = 100
    sockets: int = 2000
    sockets_per_address: int = 100
    sockets_per_seat: int = 4
    frames: Rate = Rate(50, 200)
    frames_per_address: Rate = Rate(400, 1600)
    visits: Rate = Rate(2, 60)
    openings: Rate = Rate(1 / 30, 100)
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
    """A token bucket.

    Args:
        rate: the allowed rate.
        clock: a function that returns seconds.
    """

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left, self._last = float(rate.burst), clock()

    def take(self) -> bool:
        """Take a token; return False if the bucket is empty."""
        now = self._clock()
        self._left = min(self._rate.burst, self._left + (now - self._last) * self._rate.second)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Buckets:
    """A token bucket for each address."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def of(self, address: str) -> Bucket:
        """Return the bucket of an address."""
        bucket = self._buckets.setdefault(address, Bucket(self._rate, self._clock))
        self._buckets.move_to_end(address)
        if len(self._buckets) > _ADDRESSES:
            self._buckets.popitem(last=False)
        return bucket

    def take(self, address: str) -> bool:
        """Take a token of an address; return False if its bucket is empty."""
        return self.of(address).take()
