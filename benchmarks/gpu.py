"""Games on a GPU next to the CPU of the same machine.

Prints the GPU and its software; a byte-for-byte comparison with games on the CPU; steps per second with mask and
observation, by number of games and number format; whole games of random players per second; and, with ``--learning``,
learned steps per second.  With torch, steps are replayed as one CUDA graph, so that launches cost nothing.

It also runs in numba's simulator (``NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1``), where its times mean nothing.
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from benchmarks.options import Repeated, Seated, Timed, at_least, read, refuse
from benchmarks.report import machine_lines, write_json
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games

#: Arrays that are compared with the CPU.
COMPARED = ("states", "action_masks", "observations", "rewards", "terminated", "current_player", "final_places")
PACKAGES = ("numba-cuda", "cuda-bindings", "nvidia-nvvm", "torch")


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    """Numbers of games at once."""
    formats: tuple[str, ...] = ("float32", "uint8", "none")
    """Number formats of observations."""
    compared: int = 1_000_000
    """Steps that are compared with the CPU."""
    processor_games: int = 16_384
    """Games at once on the CPU."""
    learning: tuple[int, ...] = ()
    """Games at once, steps of each in an iteration and minibatch size, to measure `training.ppo`."""

    def check(self) -> None:
        super().check()
        at_least("sizes", min(self.sizes, default=0), 1)
        at_least("compared", self.compared, 1)
        at_least("processor-games", self.processor_games, 1)
        if self.learning and (len(self.learning) != 3 or self.learning[2] > self.learning[0] * self.learning[1]):
            raise ValueError("--learning: expected games, steps and a minibatch of at most games * steps")


def gpu_lines() -> list[str]:
    """Return the GPU, its driver, and the versions of its packages."""
    from porta_nigra_env.cuda.compile import SIMULATED, cuda

    versions = []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    if SIMULATED:
        return ["simulated GPU: times mean nothing", ", ".join(versions)]
    device, driver = cuda.get_current_device(), ".".join(map(str, cuda.cudadrv.driver.driver.get_version()))
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    return [
        f"{name}, {device.MULTIPROCESSOR_COUNT} multiprocessors, capability {device.compute_capability}, CUDA {driver}",
        ", ".join(versions),
    ]


def differing(game: Game, size: int, steps: int) -> str:
    """Return the first array that differs from the CPU in games of random players; "" if all are equal."""
    from porta_nigra_env.cuda.batch import GpuBatchEnv
    from porta_nigra_env.cuda.compile import downloaded

    ours, theirs = GpuBatchEnv(game, size), BatchEnv(game, size)
    ours.reset(seed=1)
    theirs.reset(seed=1)
    for step in range(1 + steps // size):
        for name in COMPARED:
            if downloaded(getattr(ours, name)).tobytes() != getattr(theirs, name).tobytes():
                return f"{name} after {step} steps"
        actions = theirs.random_actions()
        ours.step(actions)
        theirs.step(actions)
    return ""


def stepper(game: Game, size: int, kind: str) -> Callable[[], int]:
    """Return a function that plays a random step in each of `size` games and returns `size`."""
    from porta_nigra_env.cuda.batch import GpuBatchEnv

    env = GpuBatchEnv(game, size, observations=kind, masks="int8", illegal_action="terminate")
    env.reset(seed=1)

    def step() -> int:
        env.step(env.random_actions())
        return size

    return captured(step)


def captured(step: Callable[[], int]) -> Callable[[], int]:
    """Return the same function as a CUDA graph, if torch and a GPU are available."""
    from porta_nigra_env.cuda.compile import SIMULATED

    try:
        import torch
    except ModuleNotFoundError:
        return step
    if SIMULATED or not torch.cuda.is_available():
        return step
    device: Any = torch.cuda  # poorly typed
    side, graph = device.Stream(), device.CUDAGraph()
    with device.stream(side):
        size = step()
    side.synchronize()
    with device.graph(graph, stream=side):
        step()

    def replay() -> int:
        graph.replay()
        return size

    return replay


def rate(call: Callable[[], int], seconds: float, runs: int, wait: Callable[[], Any]) -> float:
    """Return the count of a function per second, the median of the runs; `wait` returns when all work is done."""
    call()
    wait()
    rates = []
    for _ in range(runs):
        start, done = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            # Waiting costs as much as a small step.
            done += sum(call() for _ in range(8))
            wait()
        rates.append(done / (time.perf_counter() - start))
    return statistics.median(rates)


def processor_rate(game: Game, options: Arguments, kind: str) -> float:
    """Return steps per second of all cores of the CPU, with observations of a format."""
    env = BatchEnv(
        game,
        options.processor_games,
        observations=kind,
        illegal_action="terminate",
        threads=min(os.cpu_count() or 1, options.processor_games),
    )
    env.reset(seed=1)

    def step() -> int:
        env.step(env.random_actions())
        return options.processor_games

    return rate(step, options.seconds, options.runs, lambda: None)


def learned(game: Game, options: Arguments) -> dict[str, float]:
    """Return learned steps per second, learning included, and the time share of playing."""
    from porta_nigra_env.cuda.compile import SIMULATED
    from training.gpu.rollouts import GpuTraining
    from training.ppo import Options as Run

    envs, steps, batch = options.learning
    run = Run(
        game=game.name, env_device="gpu", device="cpu" if SIMULATED else "cuda", num_envs=envs, num_steps=steps,
        minibatch_size=batch, total_timesteps=1 << 62, pool_agents=(), evaluate=(),
    )  # fmt: skip
    training = GpuTraining(run, [game])
    training.iterate()
    iterations = [training.iterate() for _ in range(options.runs)]
    playing = statistics.median(each["seconds_playing"] for each in iterations)
    learning = statistics.median(each["seconds_learning"] for each in iterations)
    return {"rate": envs * steps / (playing + learning), "playing": playing / (playing + learning)}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return 2 for invalid arguments and without a GPU."""
    options = read(Arguments, "gpu", "Measure games on a GPU.", argv)
    try:
        from porta_nigra_env.cuda import compile as cuda
        from porta_nigra_env.cuda import play as gpu_play

        cuda.check_gpu()
    except (ImportError, RuntimeError) as error:
        refuse("gpu", str(error))
    game, figures = options.made(), {"benchmark": "gpu", **options.settings()}
    figures["gpu"] = gpu_lines()
    print(machine_lines(), *figures["gpu"], "", sep="\n")

    figures["differing"] = {size: differing(game, size, options.compared) for size in options.sizes}
    for size, where in figures["differing"].items():
        print(f"{size:>9} games, {options.compared:,} steps: {where or 'equal to the CPU'}")

    wait = cuda.cuda.synchronize
    processor = {kind: processor_rate(game, options, kind) for kind in options.formats}
    figures["processor"] = processor
    cpu_rates = ", ".join(f"{kind} {pace:,.0f}" for kind, pace in processor.items())
    print(f"\nsteps per second, {game.num_players} players; the CPU, all cores: {cpu_rates}\n")
    print(f"{'games':>9}{'observations':>14}{'a second':>16}{'x CPU':>13}")
    figures["rates"] = []
    for size in options.sizes:
        for kind in options.formats:
            pace = rate(stepper(game, size, kind), options.seconds, options.runs, wait)
            figures["rates"].append({"games": size, "observations": kind, "rate": pace})
            print(f"{size:>9}{kind:>14}{pace:>16,.0f}{pace / processor[kind]:>13.1f}")

    most = max(options.sizes)
    seeds, line = np.arange(most), [RANDOM] * game.num_players

    def whole() -> int:
        gpu_play.play_games(game, line, seeds)
        return most

    def whole_on_processor() -> int:
        play_games(game, line, seeds[: options.processor_games], threads=os.cpu_count() or 1)
        return min(most, options.processor_games)

    figures["whole_games"] = rate(whole, options.seconds, options.runs, wait)
    figures["whole_games_processor"] = rate(whole_on_processor, options.seconds, options.runs, lambda: None)
    print(
        f"\nwhole random games per second, {most} at once: {figures['whole_games']:,.0f}; "
        f"the CPU: {figures['whole_games_processor']:,.0f}"
    )
    if options.learning:
        learning = figures["learning"] = learned(game, options)
        print(
            f"\nlearned steps per second: {learning['rate']:,.0f}; playing takes {learning['playing']:.0%} of the time"
        )
    if options.json:
        write_json(options.json, figures)
    return 1 if any(figures["differing"].values()) else 0
