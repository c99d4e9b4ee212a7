"""Invitations in a local network: the address of this machine there, and QR codes of links."""

from __future__ import annotations

import ipaddress
import socket
from contextlib import suppress
from importlib.util import find_spec

from porta_nigra_env.extras import imported


class CodeError(Exception):
    """A QR code that cannot be made; the message has the fix."""


def hears_all(host: str) -> bool:
    """Return whether a server that listens at a host is reached at every address of its machine."""
    try:
        return host == "" or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def lan_address() -> str | None:
    """Return the IPv4 address of this machine in its network; None without a network."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        # Chooses the route to a documentation address (RFC 5737); nothing is sent.
        probe.connect(("192.0.2.1", 9))
        found = ipaddress.ip_address(probe.getsockname()[0])
        if not found.is_loopback and not found.is_unspecified:
            return str(found)
    return None


def makes_codes() -> bool:
    """Return whether segno is installed."""
    return find_spec("segno") is not None


def code_of(text: str) -> list[str]:
    """Return the QR code of a text: rows of "0" and "1", without the quiet zone around it.

    Raises:
        CodeError: segno is not installed, or the text is too long.
    """
    try:
        made = imported("segno", "agents").make(text, error="m", micro=False)
    except ImportError as error:
        raise CodeError(f"QR codes are not installed: {error}") from None
    except ValueError as error:
        raise CodeError(f"link: {error}") from None
    return ["".join(str(module) for module in row) for row in made.matrix]
