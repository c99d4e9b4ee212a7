"""Decisions a CPU second beside other environments: ``python -m benchmarks.peers [--peers NAME ...] [--json FILE]``.

Every line plays uniformly random legal actions from a seeded generator, in rounds that alternate between the lines, so
that a slow minute of the machine hits all of them alike.  Resets, and chance where the player's loop has to draw it,
are inside the measured time.  Ratios are by CPU seconds of the whole process, because some peers compute in threads.
The peers come with the extra "bench-peers"; one that is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import importlib
import itertools
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from typing import Any

from benchmarks.envs import GAMES, replay, replay_rows
from benchmarks.report import checked, machine_lines, measuring_parser, write_json
from porta_nigra_env import porta_nigra_v0

#: Number of players of this project's environment.
PLAYERS = 2
#: Games that pgx plays at once.
BATCH = 1024
#: Steps of the whole batch in one call, so that waiting for the device at its end costs next to nothing.
BATCH_STEPS = 4
#: What installs most peers.
EXTRA = "pip install -e '.[bench-peers]'"

NOTES = """\
Counted are decisions of agents; every action is uniformly random among the legal ones.  PettingZoo's games and raw_env
replay recorded random games, because searching a mask with numpy takes nearly as long as a decision of raw_env.
Elsewhere choosing is part of the time, a few percent of it: an index into a list of legal actions that is there anyway,
with pgx one draw for each game.  Whoever plays open_spiel from Python draws the outcomes of chance too: that counts as
time, though not as decisions.

These games differ in work per step: a move of connect four is a stone in a column, one of gin rummy may search melds,
pgx's backgammon decides for each die and open_spiel's for both.  A ratio says how fast a learner is fed with decisions
of the one game and of the other; it does not say whose code is better."""


@dataclass
class Line:
    """One line of the table: `play` returns the decisions it made; `includes` says what each decision was given."""

    name: str
    includes: str
    packages: tuple[str, ...]
    play: Callable[[], int]
    cpu_rates: list[float] = field(default_factory=list)
    wall_rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Decisions a CPU second, the median over the runs."""
        return statistics.median(self.cpu_rates)

    @property
    def wall_rate(self) -> float:
        """Decisions a second, the median over the runs."""
        return statistics.median(self.wall_rates)

    @property
    def spread(self) -> float:
        """Between the slowest and the quickest run by CPU seconds, as a share of the median."""
        return (max(self.cpu_rates) - min(self.cpu_rates)) / self.rate


@dataclass(frozen=True)
class Peer:
    """An environment to measure: `lines` are the name, what a decision is given, and the adapter that makes `play`."""

    name: str
    about: str
    packages: tuple[str, ...]
    lines: tuple[tuple[str, str, Callable[[], Callable[[], int]]], ...]
    install: str = EXTRA

    def prepare(self) -> list[Line]:
        """The lines, ready to be measured; `ImportError` if something is not installed."""
        return [Line(name, includes, self.packages, adapter()) for name, includes, adapter in self.lines]


def our_ways() -> list[Line]:
    """The lines of this project; the ratios of every line are against each of them."""
    batch = porta_nigra_v0.batch_env(BATCH, PLAYERS)
    return [
        Line("raw_env", "mask, obs", (), replay(porta_nigra_v0.raw_env(PLAYERS))),
        Line(f"BatchEnv {BATCH}", "mask, obs", (), replay_rows(batch, BATCH, lambda: batch.action_masks)),
    ]


def pettingzoo(game: str, constructor: str) -> Callable[[], int]:
    """Counts every step of every agent; ``last`` with mask and observation comes before each, as for `raw_env`."""
    return replay(getattr(importlib.import_module(f"pettingzoo.classic.{game}"), constructor)())


def rlcard_gin_rummy() -> Callable[[], int]:
    """Counts every ``env.step``, scoring ones included; the state it returns has observation and legal actions."""
    import rlcard

    env = rlcard.make("gin-rummy", config={"seed": 1})
    draw = random.Random(1).random

    def play() -> int:
        state, _ = env.reset()
        decisions = 0
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(draw() * len(legal))])
            decisions += 1
        return decisions

    return play


def open_spiel(name: str) -> Callable[[], int]:
    """Counts the players' actions, chance nodes not; legal actions as a list, observation tensor in a numpy array."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    # Writes into one numpy array; `State.observation_tensor` builds a list of floats, which takes far longer.
    observation = make_observation(game)
    chance = int(pyspiel.PlayerId.CHANCE)
    draw = random.Random(1).random

    def play() -> int:
        state = game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            player = state.current_player()
            if player == chance:
                action, _ = pyspiel.sample_action(state.chance_outcomes(), draw())
            else:
                legal = state.legal_actions()
                observation.set_from(state, player)
                action = legal[int(draw() * len(legal))]
                decisions += 1
            state.apply_action(action)
        return decisions

    return play


def open_spiel_compiled(name: str) -> Callable[[], int]:
    """Counts the players' actions in games that C++ plays alone, each with legal actions and without observation."""
    import pyspiel

    game = pyspiel.load_game(name)

    def played(seed: int) -> Any:
        state = game.new_initial_state()
        bots = [pyspiel.make_uniform_random_bot(player, 2 * seed + player) for player in range(2)]
        pyspiel.evaluate_bots(state, bots, seed)
        return state

    # The games follow from the seeds, so that they need to be counted only once.
    lengths: list[int] = [sum(move.player >= 0 for move in played(seed).full_history()) for seed in range(GAMES)]
    seeds = itertools.cycle(range(GAMES))

    def play() -> int:
        seed = next(seeds)
        played(seed)
        return lengths[seed]

    return play


def catanatron_games() -> Callable[[], int]:
    """Counts every action of four random players, rolling and ending a turn too; legal actions without observation."""
    from catanatron.game import Game
    from catanatron.models.player import Color, RandomPlayer

    seeds = itertools.count(1)

    def play() -> int:
        game = Game([RandomPlayer(color) for color in Color], seed=next(seeds))
        game.play()
        actions: list[Any] = game.state.actions
        return len(actions)

    return play


def catanatron_gym() -> Callable[[], int]:
    """Counts the steps of the learner, not its random opponent's moves; with observation and legal actions."""
    import catanatron_gym  # noqa: F401  # registers the environment
    import gymnasium

    env: Any = gymnasium.make("catanatron-v1", disable_env_checker=True)
    seeds = itertools.count(1)
    draw = random.Random(1).random

    def play() -> int:
        _, info = env.reset(seed=next(seeds))
        decisions, over = 0, False
        while not over:
            legal = info["valid_actions"]
            _, _, terminated, truncated, info = env.step(legal[int(draw() * len(legal))])
            over = terminated or truncated
            decisions += 1
        return decisions

    return play


def pgx_backgammon() -> Callable[[], int]:
    """Counts games in the batch times steps, on the CPU; mask and observation are computed for each of them."""
    import jax

    jax.config.update("jax_platforms", "cpu")
    import jax.numpy as jnp
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make("backgammon")
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(state: Any, key: Any) -> Any:
        following, choice, chance = jax.random.split(key, 3)
        # One random number for each game; jax.random.categorical would draw one for each action.
        ranks = jnp.cumsum(state.legal_action_mask, axis=1)
        rank = jnp.floor(jax.random.uniform(choice, (BATCH, 1)) * ranks[:, -1:])
        action = jnp.argmax(ranks > rank, axis=1)
        return step(state, action, jax.random.split(chance, BATCH)), following

    compiled: Any = jax.jit(advance)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(1), BATCH))
    key = jax.random.key(2)

    def play() -> int:
        nonlocal state, key
        for _ in range(BATCH_STEPS):
            state, key = compiled(state, key)
        jax.block_until_ready(state)
        return BATCH * BATCH_STEPS

    return play


PEERS = {
    peer.name: peer
    for peer in (
        Peer(
            "connect_four",
            "PettingZoo's connect_four_v3",
            ("pettingzoo", "pygame"),
            (
                ("pettingzoo connect four, env", "mask, obs", partial(pettingzoo, "connect_four_v3", "env")),
                ("pettingzoo connect four, raw_env", "mask, obs", partial(pettingzoo, "connect_four_v3", "raw_env")),
            ),
        ),
        Peer(
            "texas_holdem",
            "PettingZoo's texas_holdem_v4",
            ("pettingzoo", "rlcard", "pygame"),
            (("pettingzoo texas hold'em, env", "mask, obs", partial(pettingzoo, "texas_holdem_v4", "env")),),
        ),
        Peer(
            "chess",
            "PettingZoo's chess_v6",
            ("pettingzoo", "chess", "pygame"),
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
            # It declares gymnasium 0.29.1, though it runs with newer ones: no extra of this project can name it.
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


def prepare(peers: Sequence[Peer]) -> tuple[list[Line], dict[str, str]]:
    """The lines of the peers that can be imported, and for each of the others the name and what is missing."""
    lines: list[Line] = []
    missing: dict[str, str] = {}
    for peer in peers:
        try:
            lines += peer.prepare()
        except ImportError as error:
            missing[peer.name] = str(error)
    return lines, missing


def measure(lines: Sequence[Line], seconds: float, runs: int) -> None:
    """Fill in the rates as `benchmarks.envs.measure` does, on two clocks; every line plays at least once a round."""
    for line in lines:
        line.play()  # compiled, or read from the cache, before the clocks run
    for _ in range(runs):
        for line in lines:
            spent, done = 0.0, 0
            begun, begun_cpu = time.perf_counter(), time.process_time()
            while spent < seconds:
                done += line.play()
                spent = time.perf_counter() - begun
            line.cpu_rates.append(done / (time.process_time() - begun_cpu))
            line.wall_rates.append(done / spent)


def versions(line: Line) -> str:
    """The packages of a line with their versions."""
    return ", ".join(f"{name} {version(name)}" for name in line.packages)


def table(ours: Sequence[Line], peers: Sequence[Line], missing: Sequence[str]) -> str:
    """The lines for people; a ratio is the rate of one of `ours` over that of the line, by CPU seconds."""
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
    """The lines for a file."""
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
    """The command line; 2 for arguments it cannot use, 1 if a peer named with ``--peers`` is not installed."""
    parser = measuring_parser(
        "peers",
        description="Measure random decisions a CPU second in this environment and in other well-known ones.",
        epilog="peers:\n"
        + "\n".join(f"  {peer.name:<16}{peer.about}" for peer in PEERS.values())
        + f"\n\nThey come with {EXTRA}\nexample: python -m benchmarks.peers --peers connect_four pgx --seconds 1",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        seconds=0.5,
    )
    parser.add_argument(
        "--peers", nargs="+", choices=PEERS, metavar="NAME", help="only these, which have to be installed (default all)"
    )
    arguments = checked(parser, argv)

    peers, missing = prepare([PEERS[name] for name in arguments.peers or PEERS])
    for name, reason in missing.items():
        print(f"not measured: {name} is not installed ({reason}); {PEERS[name].install}", file=sys.stderr)
    if missing and arguments.peers:
        return 1

    ours = our_ways()
    lines = [*ours, *peers]
    least = len(lines) * arguments.seconds * arguments.runs
    print(f"measuring {len(lines)} lines, at least {least:.0f} s in all", file=sys.stderr)
    measure(lines, arguments.seconds, arguments.runs)
    print(f"Porta Nigra, {PLAYERS} players, beside other environments: random decisions, counted")
    print("  a CPU second   by time.process_time, all threads of the process; spread and ratios are by this clock")
    print("  a second       by the clock on the wall")
    print("  given          what is computed for each decision: a mask or a list of the legal actions, an observation")
    print(f"median of {arguments.runs} alternating runs of {arguments.seconds:g} s a line\n")
    print(table(ours, peers, list(missing)))
    print(f"\n{machine_lines()}\n\n{NOTES}")
    if arguments.json:
        settings = {name: getattr(arguments, name) for name in ("seconds", "runs")}
        write_json(
            arguments.json,
            {
                "benchmark": "peers",
                "players": PLAYERS,
                **settings,
                "ratios_by": "CPU seconds",
                "lines": figures(ours, peers),
                "not_installed": missing,
            },
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
