"""Games on a simulated GPU equal those of the compiled kernel on the CPU, byte for byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from porta_nigra_env.core.compile.cache import COMPILED
from tests.gpu.played import OPTIONS, WHOLE, on_cpu
from tests.toys.dice.game import Dice
from training import ppo

ROOT = Path(__file__).parents[2]
SIMULATED = {"NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}


def run(*arguments: str, **changed: str) -> subprocess.CompletedProcess[str]:
    """Run a separate process, since numba selects the simulator at import; arithmetic warnings are errors."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", *arguments],
        capture_output=True, text=True, cwd=ROOT, env={**clean, **changed}, check=False,
    )  # fmt: skip


#: Every run has one number of players of each game; the others are long.
FIRST = {name.partition("/")[0]: name for name in reversed(WHOLE)}.values()
CASES = [pytest.param([name], id=name, marks=() if name in FIRST else pytest.mark.long) for name in WHOLE]


@pytest.mark.parametrize("cases", [*CASES, pytest.param(list(OPTIONS), id="options", marks=pytest.mark.long)])
def test_simulated_games_are_the_same(cases: list[str]) -> None:
    process = run("-m", "tests.gpu", *cases, **SIMULATED)
    assert process.returncode == 0, process.stderr
    digests = json.loads(process.stdout)
    for name in cases:
        assert digests[name] == on_cpu(name), name


def test_the_kernels_that_a_gpu_needs_are_found_without_torch() -> None:
    """`make test-gpu` compiles them in an environment without torch."""
    process = run("-c", """if True:
        import sys
        sys.modules["torch"] = None
        import pytest
        import training.gpu.kernels
        from tests.cuda.launches import launches
        from tests.toys.dice.game import Dice
        with pytest.MonkeyPatch.context() as patch:
            print(*launches(Dice(2), patch))
    """, **SIMULATED)  # fmt: skip
    assert process.returncode == 0, process.stderr
    assert len(process.stdout.split()) > 10


def test_compiled_games_are_compared() -> None:
    assert COMPILED, "this test compares with compiled games: not with NUMBA_DISABLE_JIT=1"


def message(program: str, **changed: str) -> str:
    process = run("-c", program, **changed)
    assert process.returncode == 1
    return process.stderr.strip().splitlines()[-1]


def test_missing_extra_error_names_the_install_command() -> None:
    hidden = "import importlib.util as u; u.find_spec = lambda name: None\n"
    assert message(f"{hidden}import porta_nigra_env.cuda.batch") == (
        "ImportError: games on a GPU need numba-cuda: pip install 'porta-nigra-env[gpu]'"
    )


def test_incomplete_simulator_settings_are_refused() -> None:
    assert "NUMBA_DISABLE_JIT=1 as well" in message("import porta_nigra_env.cuda.batch", NUMBA_ENABLE_CUDASIM="1")
    installed = "import importlib.util as u; u.find_spec = lambda name: name\n"
    error = message(f"{installed}import porta_nigra_env.cuda.batch", NUMBA_DISABLE_JIT="1")
    assert "NUMBA_ENABLE_CUDASIM=1 simulates one" in error


def test_importing_the_package_does_not_load_cuda() -> None:
    program = "import sys, porta_nigra_env, porta_nigra_env.envs.batch; print([n for n in sys.modules if 'cuda' in n])"
    process = run("-c", program)
    assert process.returncode == 0, process.stderr
    assert process.stdout.strip() == "[]"


REFUSED = """
import numpy as np
from porta_nigra_env.cuda.batch import GpuBatchEnv
from tests.toys.dice.game import Dice
def report(call):
    try:
        call()
    except Exception as error:
        print(f"{type(error).__name__}: {error}")
report(lambda: GpuBatchEnv(Dice(2), 2, seat=0, opponents=lambda view: 0))
report(lambda: GpuBatchEnv(Dice(2), 2, masks="bits"))
env = GpuBatchEnv(Dice(2), 3)
report(lambda: env.step([0, 0, 0]))
early = [lambda: env.board(0), lambda: env.view(0), lambda: env.views(), lambda: env.legal_actions(0)]
for look in [*early, env.random_actions, env.privileged, env.refresh, env.snapshot]:
    report(look)
env.reset(seed=1)
report(lambda: env.random_actions(1))
before, data = env.states.copy_to_host().tobytes(), env.snapshot()
report(lambda: env.step([0, 5, 0]))
report(lambda: env.step([0.0, 0.0, 0.0]))
report(lambda: env.step([0, 0]))
report(lambda: env.determinize(*env.redacted(), [1]))
report(lambda: env.determinize(env.redacted()[0], env.redacted([1])[1], [1, 2, 3]))
report(lambda: env.redacted(players=2))
report(lambda: env.privileged(np.zeros((3, 2), np.float32)))
report(lambda: env.board(3))
report(lambda: env.restore(b""))
report(lambda: GpuBatchEnv(Dice(2), 2).restore(data))
assert env.states.copy_to_host().tobytes() == before
"""


def test_bad_input_is_refused_and_changes_nothing() -> None:
    process = run("-c", REFUSED, **SIMULATED)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines() == [
        "ValueError: opponents: <lambda> is not a compiled policy, and only those play on a GPU or with several "
        "sets; with seat='every' the caller can ask any agent, with views()",
        "ValueError: masks must be one of int8, packed, none, not 'bits'",
        *["RuntimeError: no games are running; call reset() first"] * 9,
        "TypeError: rng must be numpy.random.default_rng(seed), the same one for all calls, or None; not 1, with which "
        "all calls would draw alike",
        "IllegalActionError: row 1: action 5 ('stop') is not legal now; player 0 may choose bid 0, bid 1, bid 2, bid 3",
        "IllegalActionError: actions must be integer ids, not float64",
        "IllegalActionError: actions must have shape (3,), not (2,)",
        "ValueError: seeds: 1 for 3 states",
        "ValueError: players: 1 for 3 states",
        "ValueError: player must be a seat in 0..1, not 2",
        f"ValueError: out: expected float32 (3, {Dice(2).privileged.size}) on the GPU",
        "IndexError: row must be in 0..2, not 3",
        "ValueError: not the bytes of a snapshot, or damaged ones: No data left in file",
        "ValueError: snapshot: num_envs is 3, here it is 2",
    ]


HALVES = """
import numpy as np
from porta_nigra_env.cuda import compile as cuda
from porta_nigra_env.cuda.loops import LANES, shared
from tests.gpu.played import halves
numbers, out = halves()
wide, there = cuda.uploaded(numbers), cuda.uploaded(out)
cuda.launch(shared("show_halves"), LANES, wide, cuda.uploaded(numbers.view(np.int32)), there)
with np.errstate(over="ignore"):
    assert (cuda.downloaded(there) == numbers.astype(np.float16).view(np.uint16)).all()
"""


def test_halves_are_rounded_as_numpy_rounds_them() -> None:
    process = run("-c", HALVES, **SIMULATED)
    assert process.returncode == 0, process.stderr


FAULTY = """
from porta_nigra_env.core.batch.policy import RANDOM
from porta_nigra_env.cuda.batch import GpuBatchEnv
from porta_nigra_env.cuda.play import play_games
from tests.envs.probes import BROKEN
from tests.toys.dice.game import Dice
for call in (lambda: GpuBatchEnv(Dice(2), 3, seat=1, opponents=BROKEN).reset(seed=1),
             lambda: play_games(Dice(2), [RANDOM, BROKEN], [7])):
    try:
        call()
    except RuntimeError as error:
        print(error)
"""


def test_illegal_answers_name_the_policy() -> None:
    process = run("-c", FAULTY, **SIMULATED)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines() == [
        "policy 'broken' answered with an action that is not legal, in row 0",
        "policy 'broken' answered with an action that is not legal in the game with the seed 7",
    ]


@pytest.mark.long
def test_the_benchmark_runs(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    tiny = "--sizes 1 2 --formats uint8 none --seconds 0.01 --runs 1 --cpu-games 1 --learning 2 3 6"
    process = run("-m", "benchmarks", "gpu", *tiny.split(), "--json", str(file), **SIMULATED)
    assert process.returncode == 0, process.stderr
    figures = json.loads(file.read_text())
    assert [line["name"] for line in figures["lines"]] == [
        "CPU, observations uint8", "1 games, observations uint8", "2 games, observations uint8",
        "CPU, observations none", "1 games, observations none", "2 games, observations none",
        "CPU, whole games", "2 whole games",
    ]  # fmt: skip
    assert figures["learning"]["rate"] > 0


def test_the_benchmark_reports_missing_requirements() -> None:
    process = run("-m", "benchmarks", "gpu")
    assert process.returncode == 2
    assert "python -m benchmarks gpu: " in process.stderr
    assert "pip install" in process.stderr or "no GPU can be used" in process.stderr


def test_learning_on_a_gpu_equals_learning_on_the_cpu() -> None:
    process = run("-m", "tests.gpu", "learned", **SIMULATED)
    assert process.returncode == 0, process.stderr
    results = dict(line.rsplit(" ", 1) for line in process.stdout.splitlines())
    assert len(results) == 23
    assert set(results.values()) == {"True"}, results


@pytest.mark.long
def test_compiled_torch_learns_the_same() -> None:
    """It needs a C++ compiler, which torch's compiler requires on a CPU."""
    process = run("-m", "tests.gpu", "compiled", **SIMULATED)
    assert process.returncode == 0, process.stderr
    assert process.stdout == "compiled True\n"


def test_learning_on_a_gpu_needs_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--env-device", "gpu", "--out", str(tmp_path / "run")]

    def refused(*arguments: str) -> str:
        assert ppo.main([*given, *arguments]) == 2
        assert not (tmp_path / "run").exists()
        return capsys.readouterr().err.strip().splitlines()[-1]

    def refused_with_a_gpu(*arguments: str) -> str:
        process = run("-m", "training.ppo", *given, *arguments, **SIMULATED)
        assert process.returncode == 2
        assert not (tmp_path / "run").exists()
        return process.stderr.strip().splitlines()[-1]

    error = refused()
    assert "--env-device gpu: " in error
    assert "pip install" in error or "no GPU can be used" in error
    assert "leave out --pool-fraction and --critic" in refused_with_a_gpu("--pool-fraction", "0.5")
    assert "leave out --collectors" in refused_with_a_gpu("--collectors", "2")
    assert "--compile, --no-cuda-graphs: only with --env-device gpu" in refused(
        "--env-device", "cpu", "--no-cuda-graphs"
    )
