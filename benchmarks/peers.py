"""Steps and games per CPU second of this project and of other environments.

Every line plays uniformly random legal actions from a seeded generator, in rounds that alternate between the lines.
Resets, and chance events that the player's loop draws, count as time.  Ratios are by CPU seconds of the whole process,
because some peers compute in threads.  The peers come with the group "bench-peers"; a missing one is named and skipped.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

from benchmarks.adapters import (
    BATCH,
    Source,
    catanatron_games,
    catanatron_gym,
    fastcatan,
    open_spiel,
    open_spiel_compiled,
    pettingzoo,
    pgx_backgammon,
    rlcard_gin_rummy,
)
from benchmarks.lines import Line, measure, spread
from benchmarks.options import Repeated, Seated, Timed, read
from benchmarks.probe import Games
from porta_nigra_env.core.game.game import Game

#: Command that installs most peers.
EXTRA = "pip install --group bench-peers"

NOTES = """\
The lines count steps of agents, with uniformly random legal actions.  PettingZoo's games and this project's lines
replay recorded random games, because searching a mask with numpy takes nearly as long as a step of raw_env.
Elsewhere the choice is part of the time, a few percent: an index into a list of legal actions, with pgx one draw for
each game.  A Python player of open_spiel also draws the outcomes of chance: that counts as time, not as steps.

These games differ in work per step: a move of connect four is a stone in a column, one of gin rummy may search melds,
pgx's backgammon moves for each die and open_spiel's for both.  A ratio compares how fast a learner receives steps; it
does not compare the quality of the code."""


@dataclass
class PeerLine(Line):
    """A line with the outputs of each step, the mean steps of a game if known, and the packages that it measures."""

    includes: str = "mask, obs"
    length: float | None = None
    packages: tuple[str, ...] = ()

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages."""
        return {name: version(name) for name in self.packages}


@dataclass(frozen=True)
class Peer:
    """An environment: `lines` are a name, the outputs of a step, and an adapter."""

    name: str
    about: str
    packages: tuple[str, ...]
    lines: tuple[tuple[str, str, Callable[[], Source]], ...]
    install: str = EXTRA

    def prepare(self) -> list[PeerLine]:
        """Return the lines; `ImportError` if a package is missing."""
        sources = [(name, includes, adapter()) for name, includes, adapter in self.lines]
        return [
            PeerLine(name, source.play, includes=includes, length=source.length, packages=self.packages)
            for name, includes, source in sources
        ]


def our_lines(game: Game) -> list[PeerLine]:
    """Return the lines of this project, to which all ratios refer."""
    games = Games(game.name, game.num_players, BATCH)
    length = statistics.mean(map(len, games.actions))
    masks = games.batch("batch_env", observations="none", masks="packed")
    return [
        PeerLine("raw_env", games.aec("raw_env"), length=length),
        PeerLine(f"BatchEnv {BATCH}", games.batch("batch_env"), length=length),
        PeerLine("packed masks", masks, includes="packed mask", length=length),
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
            "fastcatan",
            f"fastCatan's C++ games, {BATCH} at once; the package needs Python 3.12",
            ("fastcatan",),
            ((f"fastcatan x {BATCH}", "packed mask", fastcatan),),
        ),
        Peer(
            "fastcatan_observed",
            "the same with observations, which versions before 2 have",
            ("fastcatan",),
            ((f"fastcatan x {BATCH}, observed", "mask, obs", partial(fastcatan, observed=True)),),
            "pip install fastcatan==1.0.2",
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


def prepare(peers: Sequence[Peer]) -> tuple[list[PeerLine], dict[str, str]]:
    """Return the lines of the installed peers, and the import error of each other peer by name."""
    lines: list[PeerLine] = []
    missing: dict[str, str] = {}
    for peer in peers:
        try:
            lines += peer.prepare()
        except ImportError as error:
            missing[peer.name] = str(error)
    return lines, missing


def table(ours: Sequence[PeerLine], peers: Sequence[PeerLine]) -> str:
    """Return the table, by CPU seconds; a ratio is the rate of one of `ours` over that of the line."""
    heads = [f"{line.name} / it" for line in ours]
    columns = "".join(f"{head:>{len(head) + 2}}" for head in heads)
    rows = [
        f"{'':<36}{'per CPU second':>16}{'games':>9}{'per second':>13}{'spread':>8}{columns}  {'given':<12}packages"
    ]
    for line in (*ours, *peers):
        games = f"{line.cpu_rate / line.length:,.1f}" if line.length else "-"
        row = f"{line.name:<36}{line.cpu_rate:>16,.0f}{games:>9}{line.rate:>13,.0f}{spread(line.cpu_rates):>8.0%}"
        for one, head in zip(ours, heads, strict=True):
            row += f"{one.cpu_rate / line.cpu_rate:>{len(head) + 2}.2f}"
        packages = ", ".join(f"{name} {number}" for name, number in line.versions().items())
        rows.append(f"{row}  {line.includes:<12}{packages}".rstrip())
    return "\n".join(rows)


def figures(ours: Sequence[PeerLine], peers: Sequence[PeerLine]) -> list[dict[str, Any]]:
    """Return the lines for a file."""
    return [
        {
            "name": line.name, "includes": line.includes, "versions": line.versions(),
            "per_cpu_second": line.cpu_rate, "per_second": line.rate, "steps_a_game": line.length,
            "cpu_rates": line.cpu_rates, "wall_rates": line.rates,
            "ours_over_it": {one.name: one.cpu_rate / line.cpu_rate for one in ours},
        }
        for line in (*ours, *peers)
    ]  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; exit with 2 if a peer of ``--peers`` is not installed."""
    names = "; ".join(f"{peer.name}, {peer.about}" for peer in PEERS.values())
    options = read(Arguments, argv, f"Peers: {names}.  They come with {EXTRA}")
    peers, missing = prepare([PEERS[name] for name in options.peers or PEERS])
    absent = [f"{name} is not installed ({why}); {PEERS[name].install}" for name, why in missing.items()]
    if absent and options.peers:
        options.refuse("; ".join(absent))

    game = options.made()
    ours = our_lines(game)
    measure([*ours, *peers], options.seconds, options.runs)
    print(f"{game!r} next to other environments, medians of {options.runs} runs\n\n{table(ours, peers)}")
    print("\n".join(["", *absent, "", NOTES]))
    options.finish(lines=figures(ours, peers), not_installed=missing)
    return 0
