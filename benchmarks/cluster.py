"""Limits of a training run on many machines: measured costs and a simulation.

The measurement runs in this process: the steps of `training.ppo`'s collectors and of `training.expert`'s searches, the
leader's work on them, in seconds of a core, and bytes down and up.  The simulation has 4 to 256 collectors on machines
of 16 cores that share the leader's link; requests are served in order of arrival.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from agents.arena.executors import Jobs
from benchmarks.options import Seated, at_least, read

#: Cores of a collecting machine.
CORES = 16
#: Seconds for a message there and back, and for Ray to assign a task and receive its result.
LATENCY, TASK = 0.0005, 0.001


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated):
    """Options of the program."""

    envs: int = 1024
    """Games in parallel."""
    steps: int = 128
    """Steps of each in an iteration."""
    runs: int = 3
    """Measured iterations, after one warm-up."""
    searched: int = 32
    """Games of the search measurement."""
    cores: int = 2
    """Cores of the leader; its learner is that many times as fast as measured."""
    link: float = 1.25e9
    """Bytes per second of the leader's link; 1.25e9 are 10 Gbit/s."""
    jitter: float = 0.1
    """Standard deviation of the logarithm of the collectors' speed."""

    def check(self) -> None:
        super().check()
        for name in ("envs", "steps", "runs", "searched", "cores"):
            at_least(name, getattr(self, name), 1)
        if not (self.link > 0 and self.jitter >= 0):
            raise ValueError("--link must be positive and --jitter not negative")


@dataclass(frozen=True)
class Costs:
    """Seconds of a core and bytes, for each step unless stated otherwise.

    Attributes:
        playing: seconds of a collector.
        taking, learning: seconds of the leader, which replays the step (`ppo`) or stores it (`expert`), and learns.
        down, up: bytes to a collector, without the weights, and back.
        weights: bytes of the network, for each machine and iteration.
        steps: steps of an iteration.
    """

    playing: float
    taking: float
    learning: float
    down: float
    up: float
    weights: int
    steps: int


def training_of(options: Arguments) -> Any:
    """Return a run of `training.ppo`."""
    from training import ppo
    from training.run.options import make_games

    run = ppo.Options(
        game=options.game, players=() if options.players is None else (options.players,), minutes=60, evaluate=(),
        num_envs=options.envs, num_steps=options.steps, threads=1,
    )  # fmt: skip
    # A small iteration is one minibatch.
    run = replace(run, minibatch_size=min(run.minibatch_size, run.num_kept))
    return ppo.Training(run, make_games(run))


def of_ppo(options: Arguments) -> tuple[Costs, float]:
    """Return median costs, and the bytes of a step if observations, masks and rewards were sent as well."""
    from training.ppo.remote_collectors import Fleet, Player, Replay, weights_of

    training = training_of(options)
    collector, learner = training.collector, training.learner
    player = Player(training.games, learner.network.shape, learner.options)
    fleet = Fleet(collector, training.games, learner, Jobs(1))
    rows = collector.data.movers.size
    seconds: list[tuple[float, ...]] = []
    for _ in range(options.runs + 1):
        (task,) = fleet.tasks(training.rng)
        weights = weights_of(learner.model)
        start = time.process_time()
        chosen = player.play(task, weights)
        played = time.process_time()
        collector.play(Replay(chosen[:3]), training.rng)
        taken = time.process_time()
        training.estimate()
        learner.learn(collector.inputs(), training.rollout(), 0.0, training.rng)
        seconds.append((played - start, taken - played, time.process_time() - taken))
    playing, taking, learning = np.median(seconds[1:], axis=0) / rows
    arrays = (collector.observations, collector.masks, collector.actions, collector.log_probs, *collector.data[1:])
    down, up = len(pickle.dumps(task)) / rows, len(pickle.dumps(chosen)) / rows
    costs = Costs(float(playing), float(taking), float(learning), down, up, len(pickle.dumps(weights)), rows)
    return costs, sum(array.nbytes for array in arrays) / rows


def of_expert(options: Arguments) -> Costs:
    """Return the costs of `training.expert` with its defaults."""
    from training.expert.program import Expert
    from training.expert.program import Options as Run
    from training.expert.selfplay import Deals
    from training.ppo.remote_collectors import weights_of
    from training.run.options import make_games

    arguments = Run(
        game=options.game, players=() if options.players is None else (options.players,), minutes=60, evaluate=(),
        threads=1,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        training = Expert(arguments, make_games(arguments), Path(folder))
        weights = weights_of(training.network)
        deals = Deals(training.games[0].num_players, 1, options.searched, np.random.default_rng(1))
        training.player.play(deals._replace(games=1), weights)
        start = time.process_time()
        games = training.player.play(deals, weights)
        played = time.process_time()
        training.buffer.add(games.rows)
        taken = time.process_time()
        training.learn(len(games.rows["masks"]))
        learned = time.process_time()
    playing, taking, learning = np.diff([start, played, taken, learned]) / games.steps
    down, up = len(pickle.dumps(deals)) / games.steps, len(pickle.dumps(games)) / games.steps
    rows = round(games.steps * arguments.num_envs / options.searched)
    return Costs(float(playing), float(taking), float(learning), down, up, len(pickle.dumps(weights)), rows)


@dataclass(frozen=True)
class Simulated:
    """Iterations with a number of collectors.

    Attributes:
        collectors: number of collectors.
        rate: steps per second.
        busy: busy share of the time by resource: collectors, link, taking, learner.
    """

    collectors: int
    rate: float
    busy: dict[str, float]


def simulated(costs: Costs, options: Arguments, collectors: int, iterations: int = 50) -> Simulated:
    """Simulate iterations; each begins after the learner has finished the previous one.

    The link serves one transfer after the other: weights once for each machine, then each collector's task, then the
    answers as they are ready.
    """
    rng = np.random.default_rng(1)
    rows, machines = costs.steps, -(-collectors // CORES)
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
    return Simulated(collectors, iterations * rows / clock, {name: seconds / clock for name, seconds in used.items()})


def table(costs: Costs, options: Arguments) -> list[Simulated]:
    """Print the costs of an algorithm and its simulation."""
    print(f"  microseconds of a core for a step: a collector {1e6 * costs.playing:.1f}, the leader", end=" ")
    print(f"{1e6 * costs.taking:.2f} to receive it and {1e6 * costs.learning:.1f} to learn from it")
    print(f"  bytes a step: down {costs.down:.1f}, up {costs.up:.1f}; weights {costs.weights / 1e6:.2f} MB")
    results = [simulated(costs, options, collectors) for collectors in (1, 4, 16, 64, 256)]
    print(f"\n{'collectors':>12}{'steps/s':>13}{'x one':>8}   busy share of the time")
    for result in results:
        busy = ", ".join(f"{name} {share:.1%}" for name, share in result.busy.items())
        print(f"{result.collectors:>12}{result.rate:>13,.0f}{result.rate / results[0].rate:>8.2f}   {busy}")
    print()
    return results


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line."""
    options = read(Arguments, argv)
    costs, unpacked = of_ppo(options)
    figures: dict[str, Any] = {"unpacked": unpacked}
    for name, one in (("ppo", costs), ("expert", of_expert(options))):
        print(f"training.{name}, {one.steps:,} steps in an iteration\n")
        figures[name] = {"costs": asdict(one), "simulated": [asdict(line) for line in table(one, options)]}
    print(f"With observations and masks, a step of training.ppo would have {unpacked:.0f} bytes.")
    options.finish(**figures)
    return 0
