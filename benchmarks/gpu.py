"""Games on a GPU: ``python -m benchmarks.gpu [--game NAME] [--players N] [--json FILE]``.

Prints the GPU and what drives it; whether games are those of the processor, byte for byte; decisions a second with
mask and observation, by number of games and number format, beside the same machine's processor; whole games of random
players a second; and, with ``--learning``, decisions learned from.  Steps are replayed as one CUDA graph where torch is
there, so that launches cost nothing.

It runs in numba's simulator too (``NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1``), where its times mean nothing.
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

#: What is compared with the processor's games.
COMPARED = ("states", "action_masks", "observations", "rewards", "terminated", "current_player", "final_places")
PACKAGES = ("numba-cuda", "cuda-bindings", "nvidia-nvvm", "torch")


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """The program's options."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    """Numbers of games at once."""
    formats: tuple[str, ...] = ("float32", "uint8", "none")
    """Number formats of observations."""
    compared: int = 1_000_000
    """Decisions that are compared with the processor's."""
    processor_games: int = 16_384
    """Games at once on the processor."""
    learning: tuple[int, ...] = ()
    """Games at once, decisions of each in an iteration and size of a minibatch: measure `training.ppo` with them."""

    def check(self) -> None:
        super().check()
        at_least("sizes", min(self.sizes, default=0), 1)
        at_least("compared", self.compared, 1)
        at_least("processor-games", self.processor_games, 1)
        if self.learning and (len(self.learning) != 3 or self.learning[2] > self.learning[0] * self.learning[1]):
            raise ValueError("--learning: expected games, steps and a minibatch of at most games * steps")


def gpu_lines() -> list[str]:
    """The GPU, its driver, and the versions of what compiles for it."""
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


def differing(game: Game, size: int, decisions: int) -> str:
    """The first array that differs from the processor's in games of random players; "" if none does."""
    from porta_nigra_env.cuda.batch import GpuBatchEnv
    from porta_nigra_env.cuda.compile import downloaded

    ours, theirs = GpuBatchEnv(game, size), BatchEnv(game, size)
    ours.reset(seed=1)
    theirs.reset(seed=1)
    for step in range(1 + decisions // size):
        for name in COMPARED:
            if downloaded(getattr(ours, name)).tobytes() != getattr(theirs, name).tobytes():
                return f"{name} after {step} steps"
        actions = theirs.random_actions()
        ours.step(actions)
        theirs.step(actions)
    return ""


def decisions(game: Game, size: int, kind: str) -> Callable[[], int]:
    """A call that plays a decision in each of so many games, with random actions, and returns their number."""
    from porta_nigra_env.cuda.batch import GpuBatchEnv

    env = GpuBatchEnv(game, size, observations=kind, masks="int8", illegal_action="terminate")
    env.reset(seed=1)

    def step() -> int:
        env.step(env.random_actions())
        return size

    return captured(step)


def captured(step: Callable[[], int]) -> Callable[[], int]:
    """The same call as a CUDA graph where torch and a GPU are there."""
    from porta_nigra_env.cuda.compile import SIMULATED

    try:
        import torch
    except ModuleNotFoundError:
        return step
    if SIMULATED or not torch.cuda.is_available():
        return step
    device: Any = torch.cuda  # it has hardly any type information
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
    """What a call counts, a second: the median of some runs; `wait` until all of it is done."""
    call()
    wait()
    rates = []
    for _ in range(runs):
        begun, done = time.perf_counter(), 0
        while time.perf_counter() - begun < seconds:
            # A few at once: waiting costs as much as a small step.
            done += sum(call() for _ in range(8))
            wait()
        rates.append(done / (time.perf_counter() - begun))
    return statistics.median(rates)


def processor_rate(game: Game, options: Arguments, kind: str) -> float:
    """Decisions a second of the processor, all its cores, with observations of a kind, as the GPU makes them."""
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
    """Decisions learned from in a second, learning included, and the share of the time that playing takes."""
    from porta_nigra_env.cuda.compile import SIMULATED
    from training.ppo.program import Arguments as Run
    from training.ppo.program import Training

    envs, steps, batch = options.learning
    run = Run(
        game=game.name, games_on="gpu", device="cpu" if SIMULATED else "cuda", envs=envs, steps=steps, batch=batch,
        decisions=1 << 62, pool_agents=(), evaluate=(),
    )  # fmt: skip
    training = Training(run, [game])
    training.iterate()
    found = [training.iterate() for _ in range(options.runs)]
    playing = statistics.median(one["seconds_playing"] for one in found)
    learning = statistics.median(one["seconds_learning"] for one in found)
    return {"rate": envs * steps / (playing + learning), "playing": playing / (playing + learning)}


def main(argv: Sequence[str] | None = None) -> int:
    """The command line; 2 for arguments it cannot use, and where there is no GPU."""
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
        print(f"{size:>9} games, {options.compared:,} decisions: {where or 'equal to the processor'}")

    wait = cuda.cuda.synchronize
    processor = {kind: processor_rate(game, options, kind) for kind in options.formats}
    figures["processor"] = processor
    told = ", ".join(f"{kind} {pace:,.0f}" for kind, pace in processor.items())
    print(f"\ndecisions a second, {game.num_players} players; the processor, all cores: {told}\n")
    print(f"{'games':>9}{'observations':>14}{'a second':>16}{'x processor':>13}")
    figures["rates"] = []
    for size in options.sizes:
        for kind in options.formats:
            pace = rate(decisions(game, size, kind), options.seconds, options.runs, wait)
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
        f"\nwhole random games a second, {most} at once: {figures['whole_games']:,.0f}; "
        f"the processor: {figures['whole_games_processor']:,.0f}"
    )
    if options.learning:
        found = figures["learning"] = learned(game, options)
        print(f"\nlearned decisions a second: {found['rate']:,.0f}, of whose time {found['playing']:.0%} is playing")
    if options.json:
        write_json(options.json, figures)
    return 1 if any(figures["differing"].values()) else 0
