"""The measured training runs of ``training/log.toml``: a validating loader, and their tables in Markdown."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

import msgspec

#: The most words of a run's note.
NOTE_WORDS: Final = 12
_NUMBER: Final = r"([-+]?\d+(?:\.\d+)?)"
_SPAN: Final = re.compile(rf"\({_NUMBER} to {_NUMBER}\)")
_INTERVAL: Final = re.compile(rf"{_NUMBER}(?: %)? \({_NUMBER} to {_NUMBER}\)")


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Fields of a run that its topic may give for all of its runs.

    Attributes:
        million_steps: one number, or one for each evaluation or seed.
        minutes: the same.
        machine: a key of `Log.machines`.
        date: the day of the entry.
    """

    players: tuple[int, ...] = ()
    seeds: tuple[int, ...] = ()
    million_steps: tuple[float, ...] = ()
    minutes: tuple[float, ...] = ()
    machine: str = ""
    date: date | None = None
    note: str = ""


class Run(_Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A measured run, or several runs that differ by their seed.

    Attributes:
        id: the topic's id and a number.
        setting: the difference from the topic's command.
        results: one string for each of the topic's `measures`, empty if not measured.
    """

    id: str
    setting: str
    results: tuple[str, ...]


class Topic(_Entry, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Runs that share a command and their measures."""

    id: str
    title: str
    game: str
    measures: tuple[str, ...]
    runs: tuple[Run, ...]
    command: str = ""


class Log(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All measured runs by topic; machines: descriptions by the names that runs use."""

    machines: Mapping[str, str]
    topics: tuple[Topic, ...]


def read_log(path: Path) -> Log:
    """Return the validated runs of a TOML file.

    Raises:
        ValueError: the file is not TOML, or a field is missing, unknown or wrong; the message names it.
    """
    try:
        log = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), Log)
    except (ValueError, msgspec.ValidationError) as error:
        raise ValueError(f"{path.name}: {error}") from error
    if faults := list(_faults(log)):
        raise ValueError(f"{path.name}: {faults[0]}")
    return log


def _faults(log: Log) -> Iterator[str]:
    """Yield a message for each value that contradicts another one."""
    ids = Counter(run.id for topic in log.topics for run in topic.runs)
    for topic in log.topics:
        if topic.machine and topic.machine not in log.machines:
            yield f"topic {topic.id}: `machine` must be a key of [machines], got {topic.machine!r}"
        for run in topic.runs:
            yield from (f"run {run.id}: {fault}" for fault in _faults_of(run, topic, log.machines))
            if ids[run.id] > 1:
                yield f"run {run.id}: `id` must be unique, got it {ids[run.id]} times"


def _faults_of(run: Run, topic: Topic, machines: Mapping[str, str]) -> Iterator[str]:
    """Yield a message for each wrong value of a run."""
    if not re.fullmatch(rf"{re.escape(topic.id)}-\d+", run.id):
        yield f"`id` must be {topic.id}-NUMBER, got {run.id!r}"
    if len(run.results) != len(topic.measures):
        yield f"`results` must have {len(topic.measures)} values, one for each of `measures`, got {len(run.results)}"
    if not any(run.results):
        yield "`results` must have a figure, got none"
    for value, low, high in _INTERVAL.findall(" ".join(run.results)):
        if not float(low) <= float(value) <= float(high):
            yield f"`results` must lie in their intervals, got {value} ({low} to {high})"
    if run.machine and run.machine not in machines:
        yield f"`machine` must be a key of [machines], got {run.machine!r}"
    if len(run.note.split()) > NOTE_WORDS:
        yield f"`note` must have at most {NOTE_WORDS} words, got {len(run.note.split())}"


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _topic(topic: Topic) -> str:
    """Return a topic's heading and table: of each run its setting, seeds, steps and first result.

    Commands, machines, dates, notes and further results are in the file.
    """
    rows = [
        [
            run.id,
            run.setting,
            _numbers(run.seeds or topic.seeds),
            _numbers(run.million_steps or topic.million_steps),
            next(
                _SPAN.sub(r"(\1-\2)", result if measure == topic.measures[0] else f"{measure}: {result}")
                for measure, result in zip(topic.measures, run.results, strict=True)
                if result
            ),
        ]
        for run in topic.runs
    ]
    lines = [["run", "setting", "seeds", "M steps", topic.measures[0]], ["---"] * 5, *rows]
    return f"### {topic.title}\n\n" + "\n".join(f"|{'|'.join(line)}|" for line in lines)


def runs_tables(log: Log) -> str:
    """Return the tables of all topics."""
    return "\n\n".join(["", *map(_topic, log.topics)]) + "\n\n"
