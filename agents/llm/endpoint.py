"""Requests to an OpenAI-compatible endpoint, with retries and time limits."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any, Final

from porta_nigra_env.extras import imported

#: Statuses after which the same request may succeed.
RETRIED: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
#: Attempts at a request.
ATTEMPTS: Final = 6
#: Seconds of the first pause and of the longest one; a `Retry-After` may be longer.
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
#: Bytes of the largest reply that is read.
LARGEST: Final = 10_000_000
#: Not the global generator, whose state belongs to others.
_JITTER: Final = random.SystemRandom().random
#: Characters of a server's message that errors quote.
_QUOTED: Final = 300


class EndpointError(OSError):
    """An endpoint that cannot be used now; programs end with its message, and resume later."""


class TooSlowError(TimeoutError):
    """A model that has not answered within its time."""


class _Transient(Exception):
    """A failed attempt; slow: the reason was time; after: seconds that the server asks to wait."""

    def __init__(self, reason: str, slow: bool = False, after: float = 0.0) -> None:
        super().__init__(reason)
        self.slow, self.after = slow, after


@dataclass(frozen=True)
class Completion:
    """An answer of a model.

    Attributes:
        text: of the message, or "".
        tokens_in, tokens_out: by the endpoint's `usage`; None if it does not say.
    """

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None


@cache
def _client() -> Any:
    """Return the client of this process."""
    return imported("httpx", "llm").Client(follow_redirects=False)


class Endpoint:
    """An endpoint.

    Args:
        url: up to and including the version, such as ``http://localhost:8000/v1``.
        key: the API key; "" for none.  It is sent in a header, and replaced in every text that comes back.
        timeout: seconds of an attempt.
        clock, sleep, jitter: return seconds, wait, and return a number in 0..1; tests give their own.
    """

    def __init__(
        self,
        url: str,
        key: str = "",
        timeout: float = 120.0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = _JITTER,
    ) -> None:
        self._url, self._key, self._timeout = f"{url.rstrip('/')}/chat/completions", key, timeout
        self._clock, self._sleep, self._jitter = clock, sleep, jitter
        self._httpx = imported("httpx", "llm")

    def complete(self, body: bytes, deadline: float, counted: Callable[[str], None] = lambda name: None) -> Completion:
        """Send a request until it succeeds.

        Args:
            body: JSON.
            deadline: by the clock.
            counted: called with "requests" before each attempt, and with "retries" before each but the first.

        Raises:
            TooSlowError: the deadline or the last attempt has passed without an answer.
            EndpointError: the endpoint refuses the request, or fails at every attempt.
        """
        for attempt in range(ATTEMPTS):
            counted("requests")
            try:
                return self._attempt(body, deadline)
            except _Transient as error:
                # Half of each pause is random, so that several processes do not return at the same moment.
                pause = min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempt) * (0.5 + self._jitter() / 2)
                pause = max(pause, error.after)
                if attempt + 1 < ATTEMPTS and self._clock() + pause < deadline:
                    self._sleep(pause)
                    counted("retries")
                    continue
                if error.slow:
                    raise TooSlowError(f"{self._url}: {error}") from None
                asked = f" It asks to wait {error.after:.0f} seconds." if error.after else ""
                raise EndpointError(
                    f"{self._url}: {error} at each of {attempt + 1} attempts.{asked} Repeat the command later: it "
                    "resumes, and answers that were received are not asked for again."
                ) from None
        raise AssertionError("unreachable")

    def _attempt(self, body: bytes, deadline: float) -> Completion:
        """Send a request once; _Transient if another attempt may succeed."""
        httpx, start = self._httpx, self._clock()
        seconds = min(self._timeout, deadline - start)
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        slow = _Transient(f"no answer within {seconds:.1f} seconds", slow=True)
        if seconds <= 0:
            raise slow
        data = b""
        try:
            with _client().stream("POST", self._url, content=body, headers=headers, timeout=seconds) as response:
                for chunk in response.iter_bytes():
                    data += chunk
                    if self._clock() - start > seconds:
                        raise slow
                    if len(data) > LARGEST:
                        raise EndpointError(f"{self._url}: a reply of more than {LARGEST:,} bytes")
        except httpx.ConnectTimeout:
            raise _Transient("no connection") from None
        except httpx.TimeoutException:
            raise slow from None
        except httpx.TransportError as error:
            raise _Transient(self._clean(f"{type(error).__name__} ({error})")) from None
        if response.status_code in RETRIED:
            raise _Transient(f"status {response.status_code}", after=retry_after(response.headers))
        text = self._clean(data.decode("utf-8", "replace"))
        if response.status_code != 200:
            raise EndpointError(f"{self._url}: status {response.status_code}: {' '.join(text.split())[:_QUOTED]}")
        return completion(text)

    def _clean(self, text: str) -> str:
        """Return a text without the key, which some servers repeat."""
        return text.replace(self._key, "[key]") if self._key else text


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that a server asks to wait, as a number or a date; 0 if it does not."""
    text = headers.get("retry-after", "").strip()
    try:
        return max(0.0, min(float(text), 86_400.0))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return 0.0


def completion(text: str) -> Completion:
    """Read the body of a reply; _Transient if it is no chat completion."""
    try:
        value: Any = json.loads(text)
        content: Any = value["choices"][0]["message"].get("content")
    except (ValueError, LookupError, TypeError, AttributeError):
        raise _Transient(f"a reply that is no chat completion, {' '.join(text.split())[:80]!r},") from None
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    usage = value.get("usage")
    numbers = [usage.get(name) if isinstance(usage, dict) else None for name in ("prompt_tokens", "completion_tokens")]
    read = [one if type(one) is int and one >= 0 else None for one in numbers]
    return Completion(content if isinstance(content, str) else "", *read)
