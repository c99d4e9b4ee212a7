"""The ledger of language models: their answers, counts and budget in one SQLite file, which processes share.

Answers are found again by the bytes of their request.  An interrupted tournament therefore resumes without asking
again.  The file holds no API key.
"""

from __future__ import annotations

import hashlib
import math
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

#: Environment variables of the budget: tokens, and money in the unit of the prices.
TOKENS, COST = "PORTA_NIGRA_LLM_TOKENS", "PORTA_NIGRA_LLM_COST"
#: The counts of an agent, in the order of tables.
COUNTS: Final = (
    "decisions", "hits", "requests", "retries", "tokens_in", "tokens_out", "cost", "refused", "slow", "fallbacks",
)  # fmt: skip
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, agent TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS counts (agent TEXT, name TEXT, value REAL NOT NULL, PRIMARY KEY (agent, name));
"""
#: Seconds to wait for another process that writes.
_WAIT: Final = 60.0


class BudgetError(OSError):
    """A budget that the next request would exceed; programs end with its message, and resume with a larger one."""


def key_of(url: str, body: bytes) -> str:
    """Return the key of a request, whose body holds model, parameters and prompt."""
    return hashlib.sha256(url.encode() + b"\n" + body).hexdigest()


class Ledger:
    """A ledger.

    Args:
        path: of the file, which the first entry creates.
        environment: with the budget; that of the process by default.
    """

    def __init__(self, path: Path, environment: Mapping[str, str] | None = None) -> None:
        self.path: Final = path
        self._environment = os.environ if environment is None else environment

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction; OSError if it cannot be used."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_WAIT)) as connection, connection:
                connection.executescript(_TABLES)
                yield connection
        except sqlite3.Error as error:
            raise OSError(f"{self.path}: {error}; name another file with cache=FILE") from error

    def answer(self, key: str) -> str | None:
        """Return the text of an answer, or None."""
        with self._open() as connection:
            row = connection.execute("SELECT text FROM answers WHERE key = ?", (key,)).fetchone()
        return None if row is None else str(row[0])

    def count(self, agent: str, **numbers: float) -> None:
        """Add to the counts of an agent."""
        with self._open() as connection:
            self._add(connection, agent, numbers)

    def keep(self, key: str, agent: str, text: str, **numbers: float) -> None:
        """Keep an answer, and add to the counts of its agent."""
        with self._open() as connection:
            connection.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, agent, text))
            self._add(connection, agent, numbers)

    @staticmethod
    def _add(connection: sqlite3.Connection, agent: str, numbers: Mapping[str, float]) -> None:
        connection.executemany(
            "INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value",
            [(agent, name, value) for name, value in numbers.items()],
        )

    def counts(self) -> dict[str, dict[str, float]]:
        """Return the counts of all agents, `COUNTS` by agent; {} without a file."""
        if not self.path.exists():
            return {}
        with self._open() as connection:
            rows = connection.execute("SELECT agent, name, value FROM counts ORDER BY agent").fetchall()
        found: dict[str, dict[str, float]] = {}
        for agent, name, value in rows:
            found.setdefault(agent, dict.fromkeys(COUNTS, 0.0))[name] = value
        return found

    def check(self, tokens: int, cost: float) -> None:
        """Raise BudgetError if a request of this size would exceed the budget; ValueError for an invalid budget."""
        for name, size, fields in ((TOKENS, tokens, ("tokens_in", "tokens_out")), (COST, cost, ("cost",))):
            limit = self._limit(name)
            if limit is None:
                continue
            spent = sum(counts[field] for counts in self.counts().values() for field in fields)
            if spent + size > limit:
                raise BudgetError(
                    f"the budget {name}={limit:.12g} allows no further request: {spent:.12g} are spent, and the next "
                    f"request may need {size:.12g}. Raise it and repeat the command: it resumes, and answers in "
                    f"{self.path} are not asked for again."
                )

    def limits(self) -> list[str]:
        """Return the names of the budgets that are set; ValueError for an invalid one."""
        return [name for name in (TOKENS, COST) if self._limit(name) is not None]

    def _limit(self, name: str) -> float | None:
        text = self._environment.get(name, "")
        if not text:
            return None
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be a number of 0 or more, not {text!r}")
        return value


def table(counts: Mapping[str, Mapping[str, float]]) -> str:
    """Return counts as a table, a line for each agent."""
    lines = [["agent", *(name.replace("_", " ") for name in COUNTS)]]
    for agent, numbers in counts.items():
        shown = [f"{numbers[name]:,.4f}" if name == "cost" else f"{numbers[name]:,.0f}" for name in COUNTS]
        lines.append([agent, *shown])
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    padded = [[cell.rjust(width) for cell, width in zip(line, widths, strict=True)] for line in lines]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *cells[1:]]) for line, cells in zip(lines, padded, strict=True)
    )
