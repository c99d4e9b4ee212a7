"""Where a training run on many machines has its limit: ``python -m benchmarks.cluster [--game NAME] [--jobs ray:2]``.

First it measures, in this process, what an iteration costs: decisions of `training.ppo`'s collectors and of
`training.expert`'s searches, what the leader does with them, in seconds of a core, and bytes up and down.  With --jobs
also what it takes to start collectors and to hand weights to them.  Then it simulates iterations with 4 to 256
collectors on machines of 16 cores each that share the leader's link: everything that waits, waits in the order of its
arrival.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena.executors import Jobs
from benchmarks.options import Seated, at_least, read
from benchmarks.report import machine_lines, write_json

#: Cores of a machine that play.
CORES = 16
#: Seconds for a message there and back, and for Ray to hand out a task and take up its answer.
LATENCY, TASK = 0.0005, 0.001


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated):
    """The program's options."""

    envs: int = 1024
    """Games at the same time."""
    steps: int = 128
    """Decisions of each in an iteration."""
    runs: int = 3
    """Iterations that are measured, after one that is not."""
    searched: int = 32
    """Games that are searched to measure it."""
    cores: int = 2
    """Of the leader: its learner is taken to be so many times as fast as on the one it is measured on."""
    link: float = 1.25e9
    """Bytes a second of the leader's link; 1.25e9 are 10 Gbit/s."""
    jitter: float = 0.1
    """How unequal collectors are: deviation of the logarithm of their pace."""
    jobs: str = "1"
    """Collectors that are started and handed weights, N or ray:N; 1: none are."""
    address: str = ""
    """Of a Ray cluster."""

    def check(self) -> None:
        super().check()
        for name in ("envs", "steps", "runs", "searched", "cores"):
            at_least(name, getattr(self, name), 1)
        if not (self.link > 0 and self.jitter >= 0):
            raise ValueError("--link must be positive and --jitter not negative")
        Jobs.of(self.jobs, self.address)


@dataclass(frozen=True)
class Costs:
    """Seconds of a core, and bytes, of a decision unless told otherwise.

    Attributes:
        playing: of a collector's core.
        taking, learning: of the leader, who plays it again (`ppo`) or enters it into the replay buffer (`expert`).
        down, up: bytes to a collector, the weights left out, and back.
        weights: bytes of the network, for each machine and iteration.
        decisions: of an iteration.
    """

    playing: float
    taking: float
    learning: float
    down: float
    up: float
    weights: int
    decisions: int


def training_of(options: Arguments) -> Any:
    """A run of `training.ppo`."""
    from training.ppo.arguments import games_of
    from training.ppo.learner import kept_of
    from training.ppo.program import Arguments as Run
    from training.ppo.program import Training

    # A small iteration is one batch.
    batch = min(Run.batch, kept_of(options.envs * options.steps, Run.kept))
    arguments = Run(
        game=options.game, players=() if options.players is None else (options.players,), minutes=60, evaluate=(),
        envs=options.envs, steps=options.steps, batch=batch, threads=1, collectors=options.jobs,
        address=options.address,
    )  # fmt: skip
    return Training(arguments, games_of(arguments))


def of_ppo(options: Arguments) -> tuple[Costs, float]:
    """Medians over the runs; and the bytes a decision would have up with observations, masks, rewards and all."""
    from training.ppo.remote_collectors import Fleet, Player, Replay, weights_of

    training = training_of(options)
    collector, learner = training.ppo.collector, training.ppo.learner
    player = Player(training.games, learner.network.shape, learner.settings, collector.settings)
    fleet = Fleet(collector, training.games, learner, Jobs(1))
    rows = collector.data.movers.size
    seconds: list[tuple[float, ...]] = []
    for _ in range(options.runs + 1):
        (task,) = fleet.tasks(training.rng)
        weights = weights_of(learner.model)
        begun = time.process_time()
        chosen = player.play(task, weights)
        played = time.process_time()
        collector.play(Replay(chosen[:3]), training.rng)
        taken = time.process_time()
        training.estimate()
        learner.learn(collector.inputs(), training.rollout(), 0.0, training.rng)
        seconds.append((played - begun, taken - played, time.process_time() - taken))
    playing, taking, learning = np.median(seconds[1:], axis=0) / rows
    arrays = (collector.observations, collector.masks, collector.actions, collector.log_probs, *collector.data[1:])
    down, up = len(pickle.dumps(task)) / rows, len(pickle.dumps(chosen)) / rows
    costs = Costs(float(playing), float(taking), float(learning), down, up, len(pickle.dumps(weights)), rows)
    return costs, sum(one.nbytes for one in arrays) / rows


def of_expert(options: Arguments) -> Costs:
    """A task of `training.expert` with its defaults, in an iteration of as many games as it has by itself."""
    from training.expert.program import Arguments as Run
    from training.expert.program import Expert
    from training.expert.selfplay import Deals
    from training.ppo.arguments import games_of
    from training.ppo.remote_collectors import weights_of

    arguments = Run(
        game=options.game, players=() if options.players is None else (options.players,), minutes=60, evaluate=(),
        threads=1,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        training = Expert(arguments, games_of(arguments), Path(folder))
        weights = weights_of(training.network)
        deals = Deals(training.games[0].num_players, 1, options.searched, np.random.default_rng(1))
        training.player.play(deals._replace(games=1), weights)
        begun = time.process_time()
        found = training.player.play(deals, weights)
        played = time.process_time()
        training.buffer.add(found.kept)
        taken = time.process_time()
        training.learn(len(found.kept["masks"]))
        learned = time.process_time()
    playing, taking, learning = np.diff([begun, played, taken, learned]) / found.decisions
    down, up = len(pickle.dumps(deals)) / found.decisions, len(pickle.dumps(found)) / found.decisions
    rows = round(found.decisions * arguments.envs / options.searched)
    return Costs(float(playing), float(taking), float(learning), down, up, len(pickle.dumps(weights)), rows)


def started(options: Arguments) -> tuple[float, float, float]:
    """Seconds until collectors have answered the first time, of a later iteration's playing, and of sharing weights."""
    from training.ppo.remote_collectors import Fleet, weights_of

    training = training_of(options)
    begun = time.perf_counter()
    fleet = Fleet(training.ppo.collector, training.games, training.ppo.learner, training.jobs)
    try:
        fleet.play(training.rng)
        first = time.perf_counter() - begun
        later, shared = [], []
        for _ in range(options.runs):
            begun = time.perf_counter()
            fleet.play(training.rng)
            later.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            fleet.executor.share(weights_of(training.ppo.learner.model))
            shared.append(time.perf_counter() - begun)
    finally:
        fleet.executor.close()
    return first, float(np.median(later)), float(np.median(shared))


@dataclass(frozen=True)
class Simulated:
    """Iterations with a number of collectors.

    Attributes:
        collectors: how many there are.
        rate: decisions a second.
        busy: share of the time in which each does something, by name: collectors, link, taking, learner.
    """

    collectors: int
    rate: float
    busy: dict[str, float]


def simulated(costs: Costs, options: Arguments, collectors: int, iterations: int = 50) -> Simulated:
    """Iterations of which each begins when the one before has been learned from.

    The link takes one transfer after the other: weights once for each machine, then each collector's games, then the
    answers as they are ready.
    """
    rng = np.random.default_rng(1)
    rows, machines = costs.decisions, -(-collectors // CORES)
    own, learning = rows / collectors, costs.learning / options.cores
    used = dict.fromkeys(("collectors", "link", "taking", "learner"), 0.0)
    clock = 0.0
    for _ in range(iterations):
        free = clock
        arrived = np.zeros(machines)
        for machine in range(machines):
            arrived[machine] = free = free + costs.weights / options.link
        done = []
        for number in range(collectors):
            free += TASK + own * costs.down / options.link
            work = own * costs.playing * rng.lognormal(0.0, options.jitter)
            done.append(max(free, arrived[number // CORES]) + LATENCY + work)
            used["collectors"] += work / collectors
        for ready in sorted(done):
            free = max(free, ready) + TASK + own * costs.up / options.link
        used["link"] += (machines * costs.weights + rows * (costs.down + costs.up)) / options.link
        used["taking"] += rows * costs.taking
        used["learner"] += rows * learning
        clock = free + rows * (costs.taking + learning)
    return Simulated(collectors, iterations * rows / clock, {name: one / clock for name, one in used.items()})


def table(costs: Costs, options: Arguments) -> list[Simulated]:
    """Print what was measured of an algorithm, and simulate it."""
    print(f"  microseconds of a core for a decision: a collector {1e6 * costs.playing:.1f}, the leader", end=" ")
    print(f"{1e6 * costs.taking:.2f} to take it up and {1e6 * costs.learning:.1f} to learn from it")
    print(f"  bytes a decision: down {costs.down:.1f}, up {costs.up:.1f}; weights {costs.weights / 1e6:.2f} MB")
    found = [simulated(costs, options, collectors) for collectors in (1, 4, 16, 64, 256)]
    print(f"\n{'collectors':>12}{'decisions/s':>13}{'x one':>8}   share of the time in which each is busy")
    for one in found:
        busy = ", ".join(f"{name} {share:.1%}" for name, share in one.busy.items())
        print(f"{one.collectors:>12}{one.rate:>13,.0f}{one.rate / found[0].rate:>8.2f}   {busy}")
    print()
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use."""
    options = read(Arguments, "cluster", "Measure what an iteration costs, and simulate many collectors.", argv)
    costs, unpacked = of_ppo(options)
    searched = of_expert(options)
    figures: dict[str, Any] = {"benchmark": "cluster", **options.settings(), "unpacked": unpacked}
    for name, one in (("ppo", costs), ("expert", searched)):
        print(f"training.{name}, {one.decisions:,} decisions in an iteration\n")
        figures[name] = {"costs": asdict(one), "simulated": [asdict(line) for line in table(one, options)]}
    print(f"Up with all that is seen, a decision of training.ppo would have {unpacked:.0f} bytes.")
    if options.jobs != "1":
        first, later, shared = started(options)
        figures |= {"first": first, "later": later, "shared": shared}
        print(
            f"--jobs {options.jobs}: first answers after {first:.1f} s, an iteration played in {later:.2f} s,", end=" "
        )
        print(f"weights shared in {1000 * shared:.1f} ms")
    print(machine_lines())
    if options.json:
        write_json(options.json, figures)
    return 0
