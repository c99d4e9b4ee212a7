"""Work of a separate process, since numba selects the simulator at import.

``NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 python -m tests.gpu CASE ...`` plays cases of `tests.gpu.played` on a
simulated GPU and prints their digests; ``learned`` and ``compiled`` compare learning, see `tests.gpu.learned`.
"""

from __future__ import annotations

import json
import sys


def main(cases: list[str]) -> None:
    """Run the command line."""
    if cases in (["learned"], ["compiled"]):
        from tests.gpu import learned

        learned.compare(compile_network=cases == ["compiled"])
        return
    from porta_nigra_env.cuda import batch, play
    from tests.gpu.played import case

    print(json.dumps({name: case(name, batch.GpuBatchEnv, play.play_games) for name in cases}))


if __name__ == "__main__":
    main(sys.argv[1:])
