"""Games on a GPU next to the CPU of the same machine.

Prints the GPU and its software; steps per second with mask and observation, by number of games and number format; whole
games of random players per second; and, with ``--learning``, learned steps per second.  With torch, steps are replayed
as one CUDA graph, so that launches cost nothing.

It also runs in numba's simulator (``NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1``), where its times mean nothing.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from benchmarks.lines import Line, figures, measure, table
from benchmarks.options import Repeated, Seated, Timed, at_least, read
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.core.game.game import Game
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.play import play_games

PACKAGES = ("numba-cuda", "cuda-bindings", "nvidia-nvvm", "torch")


@dataclass(frozen=True, kw_only=True)
class Arguments(Seated, Timed, Repeated):
    """Options of the program."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000, 1_000_000)
    """Numbers of games at once."""
    formats: tuple[str, ...] = ("float32", "uint8", "none")
    """Number formats of observations."""
    cpu_games: int = 16_384
    """Games at once on the CPU."""
    learning: tuple[int, ...] = ()
    """Games at once, steps of each in an iteration and minibatch size, to measure `training.ppo`."""

    def check(self) -> None:
        super().check()
        at_least("sizes", min(self.sizes, default=0), 1)
        at_least("cpu-games", self.cpu_games, 1)
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


def stepping(env: Any, capture: Callable[[Callable[[], int]], Callable[[], int]]) -> Callable[[], int]:
    """Return a function that plays a random step in every game of `env`."""
    env.reset(seed=1)

    def step() -> int:
        env.step(env.random_actions())
        return int(env.num_envs)

    return capture(step)


def waiting(call: Callable[[], int], wait: Callable[[], object]) -> Callable[[], int]:
    """Return a function that calls `call` 8 times, as waiting costs as much as a small step, and waits for the GPU."""

    def play() -> int:
        done = sum(call() for _ in range(8))
        wait()
        return done

    return play


def game_lines(game: Game, options: Arguments) -> list[Line]:
    """Return the lines of batches and of whole games, each next to the CPU with all cores."""
    from porta_nigra_env.cuda import play as gpu_play
    from porta_nigra_env.cuda.batch import GpuBatchEnv
    from porta_nigra_env.cuda.compile import cuda

    cores, lines = min(os.cpu_count() or 1, options.cpu_games), []
    for kind in options.formats:
        peer = f"CPU, observations {kind}"
        env: Any = BatchEnv(game, options.cpu_games, observations=kind, illegal_action="terminate", threads=cores)
        lines.append(Line(peer, stepping(env, lambda step: step), peer))
        for size in options.sizes:
            env = GpuBatchEnv(game, size, observations=kind, masks="int8", illegal_action="terminate")
            play = waiting(stepping(env, captured), cuda.synchronize)
            lines.append(Line(f"{size} games, observations {kind}", play, peer))
    seeds, policies, peer = np.arange(max(options.sizes)), [RANDOM] * game.num_players, "CPU, whole games"
    first = seeds[: options.cpu_games]

    def whole() -> int:
        gpu_play.play_games(game, policies, seeds)
        return len(seeds)

    lines.append(Line(peer, lambda: len(play_games(game, policies, first, threads=cores).lengths), peer, "games"))
    lines.append(Line(f"{len(seeds)} whole games", waiting(whole, cuda.synchronize), peer, "games"))
    return lines


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
    """Run the command line."""
    options = read(Arguments, argv)
    try:
        from porta_nigra_env.cuda import compile as cuda

        cuda.check_gpu()
    except (ImportError, RuntimeError) as error:
        options.refuse(error)
    game, gpu = options.made(), gpu_lines()
    lines = game_lines(game, options)
    measure(lines, options.seconds, options.runs)
    print(*gpu, f"\n{game!r}", table(lines, "x CPU"), sep="\n")
    learning = learned(game, options) if options.learning else {}
    if learning:
        print(f"\nlearned steps per second: {learning['rate']:,.0f}, {learning['playing']:.0%} of the time playing")
    options.finish(gpu=gpu, lines=figures(lines), learning=learning)
    return 0
