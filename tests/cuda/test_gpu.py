"""Games on a GPU equal those on the CPU, byte for byte; without a GPU these tests report that they did not run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda.batch import GpuBatchEnv
from porta_nigra_env.cuda.play import play_games
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.games import GAMES, make_game
from porta_nigra_env.players.names import named
from tests.gpu.played import OPTIONS, WHOLE, case, digest_of, on_cpu

ROOT = Path(__file__).parents[2]
GPU = cuda.cuda.is_available()
needs_gpu = pytest.mark.skipif(not GPU, reason="DID NOT RUN: there is no GPU here")


@pytest.mark.skipif(GPU, reason="there is a GPU")
def test_a_missing_gpu_raises_an_error() -> None:
    with pytest.raises(RuntimeError, match=r"no GPU can be used: .* BatchEnv plays the same games"):
        GpuBatchEnv(make_game(next(iter(GAMES))), 2)


@needs_gpu
@pytest.mark.parametrize("name", [*OPTIONS, *WHOLE])
def test_cases(name: str) -> None:
    assert case(name, GpuBatchEnv, play_games) == on_cpu(name)


@needs_gpu
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("num_envs", [1, 1_000, 100_000])
def test_many_games(game: str, num_envs: int) -> None:
    steps = 1 + 1_000_000 // num_envs
    made = make_game(game)
    digest = digest_of(GpuBatchEnv, made, num_envs, steps, 3)
    assert digest == digest_of(BatchEnv, made, num_envs, steps, 3)


@needs_gpu
@pytest.mark.parametrize("game", GAMES)
def test_policies_choose_the_same(game: str) -> None:
    """Both evaluate floats and must round alike."""
    made = make_game(game)
    for name in made.policies():
        options: dict[str, Any] = {"seat": 0, "opponents": named(made, name), "reward": "points"}
        digest = digest_of(GpuBatchEnv, made, 500, 40, 7, **options)
        assert digest == digest_of(BatchEnv, made, 500, 40, 7, **options), name


TORCH = """
import torch
from porta_nigra_env.cuda.compile import downloaded
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.cuda.batch import GpuBatchEnv
from porta_nigra_env.games import GAMES, make_game
game = make_game(next(iter(GAMES)))
env, other = GpuBatchEnv(game, 4096, illegal_action="terminate"), BatchEnv(game, 4096, illegal_action="terminate")
step, _ = env.reset(seed=1), other.reset(seed=1)
masks = torch.as_tensor(step.action_masks, device="cuda")
assert masks.data_ptr() == step.action_masks.__cuda_array_interface__["data"][0]
actions = torch.zeros(4096, dtype=torch.int64, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
def decide():
    actions.copy_(masks.argmax(dim=1))
    env.step(actions)
with torch.cuda.stream(side):
    for _ in range(3):
        decide()
        other.step(other.action_masks.argmax(axis=1))
side.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=side):
    decide()
for _ in range(40):
    graph.replay()
    other.step(other.action_masks.argmax(axis=1))
torch.cuda.synchronize()
assert (downloaded(env.states).tobytes()) == other.states.tobytes()
assert (torch.as_tensor(env.observations, device="cuda").cpu().numpy() == other.observations).all()
print("the same")
"""


LEARNING = """
from porta_nigra_env.games import GAMES, make_game
from training.gpu.rollouts import GpuTraining
from training.ppo import Options
name = next(iter(GAMES))
found = []
for graphs in (True, False):
    run = GpuTraining(Options(
        game=name, env_device="gpu", device="cuda", cuda_graphs=graphs, num_envs=512, num_steps=32,
        minibatch_size=2048, total_timesteps=400_000, pool_agents=(), evaluate=(),
    ), [make_game(name)])
    found.append([run.iterate() for _ in range(6)])
for recorded, plain in zip(*found):
    assert abs(recorded["entropy"] - plain["entropy"]) < 0.05 * plain["entropy"], (recorded, plain)
    assert abs(recorded["value_loss"] - plain["value_loss"]) < 0.2 * plain["value_loss"], (recorded, plain)
    assert recorded["games"] > 0 or plain["games"] == 0
print("alike")
"""


@needs_gpu
@pytest.mark.parametrize(("program", "output"), [(TORCH, "the same\n"), (LEARNING, "alike\n")])
def test_torch_shares_memory_streams_and_graphs(program: str, output: str) -> None:
    """Run games within a CUDA graph, and compare learning with and without recorded graphs."""
    pytest.importorskip("torch", reason="DID NOT RUN: torch is not installed here")
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=False)
    assert process.stdout == output, process.stderr
