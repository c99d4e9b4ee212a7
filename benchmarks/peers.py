"""Steps per CPU second of this project and of other environments.

Every line plays uniformly random legal actions from a seeded generator, in rounds that alternate between the lines.
Resets, and chance events that the player's loop draws, count as time.  Ratios are by CPU seconds of the whole process,
because some peers compute in threads.  The peers come with the group "bench-peers"; a missing one is named and skipped.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

from benchmarks.adapters import (
    BATCH,
    catanatron_games,
    catanatron_gym,
    open_spiel,
    open_spiel_compiled,
    pettingzoo,
    pgx_backgammon,
    rlcard_gin_rummy,
)
from benchmarks.envs import replay, replay_rows
from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.pettingzoo import GameAEC

DESCRIPTION = "Measure random steps per CPU second in this environment and in other well-known ones."
#: Command that installs most peers.
EXTRA = "pip install --group bench-peers"

NOTES = """\
The lines count steps of agents, with uniformly random legal actions.  PettingZoo's games and raw_env replay
recorded random games, because searching a mask with numpy takes nearly as long as a step of raw_env.  Elsewhere the
choice is part of the time, a few percent: an index into a list of legal actions, with pgx one draw for each game.  A
Python player of open_spiel also draws the outcomes of chance: that counts as time, not as steps.

These games differ in work per step: a move of connect four is a stone in a column, one of gin rummy may search melds,
pgx's backgammon moves for each die and open_spiel's for both.  A ratio compares how fast a learner receives steps; it
does not compare the quality of the code."""


@dataclass
class Line:
    """One line of the table: `play` returns its steps; `includes` names the outputs of each step."""

    name: str
    includes: str
    packages: tuple[str, ...]
    play: Callable[[], int]
    cpu_rates: list[float] = field(default_factory=list)
    wall_rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Steps per CPU second, the median over the runs."""
        return statistics.median(self.cpu_rates)

    @property
    def wall_rate(self) -> float:
        """Steps per second, the median over the runs."""
        return statistics.median(self.wall_rates)

    @property
    def spread(self) -> float:
        """The difference between the fastest and the slowest run by CPU seconds, relative to the median."""
        return (max(self.cpu_rates) - min(self.cpu_rates)) / self.rate


@dataclass(frozen=True)
class Peer:
    """An environment: `lines` are a name, the outputs of a step, and the adapter that makes `play`."""

    name: str
    about: str
    packages: tuple[str, ...]
    lines: tuple[tuple[str, str, Callable[[], Callable[[], int]]], ...]
    install: str = EXTRA

    def prepare(self) -> list[Line]:
        """Return the lines; `ImportError` if a package is missing."""
        return [Line(name, includes, self.packages, adapter()) for name, includes, adapter in self.lines]


def our_ways(game: Game) -> list[Line]:
    """Return the lines of this project, to which all ratios refer."""
    batch = BatchEnv(game, BATCH)
    return [
        Line("raw_env", "mask, obs", (), replay(GameAEC(game))),
        Line(f"BatchEnv {BATCH}", "mask, obs", (), replay_rows(batch, BATCH, lambda: batch.action_masks)),
    ]


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "connect_four",
            "PettingZoo's connect_four_v3",
            ("pettingzoo", "pygame-ce"),
            (
                ("pettingzoo connect four, env", "mask, obs", partial(pettingzoo, "connect_four_v3", "env")),
                ("pettingzoo connect four, raw_env", "mask, obs", partial(pettingzoo, "connect_four_v3", "raw_env")),
            ),
        ),
        Peer(
            "texas_holdem",
            "PettingZoo's texas_holdem_v4",
            ("pettingzoo", "rlcard", "pygame-ce"),
            (("pettingzoo texas hold'em, env", "mask, obs", partial(pettingzoo, "texas_holdem_v4", "env")),),
        ),
        Peer(
            "chess",
            "PettingZoo's chess_v6",
            ("pettingzoo", "chess", "pygame-ce"),
            (("pettingzoo chess, env", "mask, obs", partial(pettingzoo, "chess_v6", "env")),),
        ),
        Peer(
            "rlcard",
            "RLCard's gin rummy through its own interface",
            ("rlcard",),
            (("rlcard gin rummy", "legal, obs", rlcard_gin_rummy),),
        ),
        Peer(
            "open_spiel",
            "OpenSpiel's gin rummy, hanabi and backgammon from Python, and in C++ alone",
            ("open_spiel",),
            tuple(
                (f"open_spiel {name}{where}", includes, partial(adapter, name.replace(" ", "_")))
                for where, includes, adapter in (
                    (", Python", "legal, obs", open_spiel),
                    (", C++ alone", "legal", open_spiel_compiled),
                )
                for name in ("gin rummy", "hanabi", "backgammon")
            ),
        ),
        Peer(
            "catanatron",
            "Catanatron's random players, whole games",
            ("catanatron",),
            (("catanatron, whole games", "legal", catanatron_games),),
        ),
        Peer(
            "catanatron_gym",
            "Catanatron's Gymnasium environment; own steps against a random opponent",
            ("catanatron_gym", "catanatron"),
            (("catanatron_gym, own steps", "legal, obs", catanatron_gym),),
            # It declares gymnasium 0.29.1, although it runs with newer versions: no group can name it.
            f"{EXTRA} && pip install --no-deps catanatron_gym==4.0.0",
        ),
        Peer(
            "pgx",
            f"pgx's backgammon on jax, CPU, {BATCH} games at once",
            ("pgx", "jax", "jaxlib"),
            ((f"pgx backgammon x {BATCH}", "mask, obs", pgx_backgammon),),
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    peers: tuple[str, ...] | None = None
    """Only these, which must be installed; by default all."""

    def check(self) -> None:
        super().check()
        unknown = [name for name in self.peers or () if name not in PEERS]
        if unknown or self.peers == ():
            raise ValueError(f"--peers must be out of {', '.join(PEERS)}, not {', '.join(unknown) or 'none'}")


def described() -> str:
    """Return the list of peers for the help."""
    names = "; ".join(f"{peer.name}, {peer.about}" for peer in PEERS.values())
    return f"Peers: {names}.  They come with {EXTRA}"


def prepare(peers: Sequence[Peer]) -> tuple[list[Line], dict[str, str]]:
    """Return the lines of the installed peers, and the import error of each other peer by name."""
    lines: list[Line] = []
    missing: dict[str, str] = {}
    for peer in peers:
        try:
            lines += peer.prepare()
        except ImportError as error:
            missing[peer.name] = str(error)
    return lines, missing


def measure(lines: Sequence[Line], seconds: float, runs: int) -> None:
    """Fill in the rates like `benchmarks.envs.measure`, on two clocks; every line plays at least once a round."""
    for line in lines:
        line.play()  # compile, or load from the cache, before the clocks run
    for _ in range(runs):
        for line in lines:
            spent, done = 0.0, 0
            start, start_cpu = time.perf_counter(), time.process_time()
            while spent < seconds:
                done += line.play()
                spent = time.perf_counter() - start
            line.cpu_rates.append(done / (time.process_time() - start_cpu))
            line.wall_rates.append(done / spent)


def versions(line: Line) -> str:
    """Return the packages of a line with their versions."""
    return ", ".join(f"{name} {version(name)}" for name in line.packages)


def table(ours: Sequence[Line], peers: Sequence[Line], missing: Sequence[str]) -> str:
    """Return the table; a ratio is the rate of one of `ours` over that of the line, by CPU seconds."""
    ratios = [f"{way.name} / it" for way in ours]
    heads = "".join(f"{head:>{len(head) + 2}}" for head in ratios)
    rows = [f"{'':<36}{'a CPU second':>14}{'a second':>13}{'spread':>8}{heads}  {'given':<12}packages"]
    for line in (*ours, *peers):
        quotients = (way.rate / line.rate for way in ours)
        against = "".join(f"{quotient:>{len(head) + 2}.2f}" for quotient, head in zip(quotients, ratios, strict=True))
        row = f"{line.name:<36}{line.rate:>14,.0f}{line.wall_rate:>13,.0f}{line.spread:>8.0%}{against}"
        rows.append(f"{row}  {line.includes:<12}{versions(line)}".rstrip())
    rows += [f"{name:<36}{'not installed':>14}" for name in missing]
    return "\n".join(rows)


def figures(ours: Sequence[Line], peers: Sequence[Line]) -> list[dict[str, Any]]:
    """Return the lines for a file."""
    return [
        {
            "name": line.name,
            "includes": line.includes,
            "versions": {name: version(name) for name in line.packages},
            "per_cpu_second": line.rate,
            "per_second": line.wall_rate,
            "cpu_rates": line.cpu_rates,
            "wall_rates": line.wall_rates,
            "ours_over_it": {way.name: way.rate / line.rate for way in ours},
        }
        for line in (*ours, *peers)
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments, 1 if a peer of ``--peers`` is not installed."""
    options = read(Arguments, "peers", f"{DESCRIPTION}\n\n{described()}", argv)
    peers, missing = prepare([PEERS[name] for name in options.peers or PEERS])
    for name, reason in missing.items():
        print(f"not measured: {name} is not installed ({reason}); {PEERS[name].install}", file=sys.stderr)
    if missing and options.peers:
        return 1

    game = options.made()
    ours = our_ways(game)
    lines = [*ours, *peers]
    least = len(lines) * options.seconds * options.runs
    print(f"measuring {len(lines)} lines, at least {least:.0f} s in all", file=sys.stderr)
    measure(lines, options.seconds, options.runs)
    print(f"{game!r} next to other environments: random steps, counted")
    print("  a CPU second   by time.process_time, all threads of the process; spread and ratios are by this clock")
    print("  a second       by the clock on the wall")
    print("  given          the outputs of each step: a mask or a list of the legal actions, an observation")
    print(f"median of {options.runs} alternating runs of {options.seconds:g} s a line\n")
    print(table(ours, peers, list(missing)))
    print(f"\n{machine_lines()}\n\n{NOTES}")
    if options.json:
        write_json(
            options.json,
            {
                "benchmark": "peers",
                **options.settings(),
                "ratios_by": "CPU seconds",
                "lines": figures(ours, peers),
                "not_installed": missing,
            },
        )
    return 0
