"""The twins in C are twins: they give the same results, in every phase and for every number of players."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.porta_nigra.twin import compiled, layout
from porta_nigra_env.envs.batch import BatchEnv
from porta_nigra_env.envs.batch_arrays import unpacked
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.games.porta_nigra.state import STATE

OTHER = Path(__file__).parents[2] / "games" / "porta_nigra" / "components" / "other.toml"


@pytest.mark.parametrize(("players", "components"), [(2, "standard"), (3, OTHER), (4, "standard")])
def test_the_twins_equal_the_kernel(players: int, components: str | Path, tmp_path: Path) -> None:
    game = PortaNigra(players, components)
    twins = compiled(game, tmp_path)
    env = BatchEnv(game, 64)
    env.reset(seed=3)
    rng = np.random.default_rng(3)
    seen, words = np.empty_like(env.observations), np.empty((64, game.num_words), dtype=np.uint64)
    phases = set()
    for _ in range(300):
        twins.observe(env.states, seen, 1)
        twins.legal(env.states, words, 1)
        assert np.array_equal(seen, env.observations)
        assert np.array_equal(unpacked(words, game.actions.size), env.action_masks)
        phases |= set(env.states["phase"].tolist())
        env.step(env.random_actions(rng))
    # All but "over", which has no player to move.
    assert phases >= set(range(len(game.phases) - 1)) - {game.phases.index("crown")}


def test_wrong_arrays_do_not_reach_c(tmp_path: Path) -> None:
    game = PortaNigra(2)
    twin = compiled(game, tmp_path).observe
    states, seen = np.zeros(2, dtype=STATE), np.zeros((2, game.observations.size), dtype=np.float32)
    with pytest.raises(TypeError, match="float32"):
        twin(states, seen.astype(np.float64), 1)
    with pytest.raises(ValueError, match="shape"):
        twin(states, seen[:1], 1)
    with pytest.raises(ValueError, match="C order"):
        twin(states, np.asfortranarray(seen), 1)


def test_the_layout_names_every_field() -> None:
    text = layout(PortaNigra(2))
    assert STATE.fields is not None
    for name in STATE.fields:
        assert f"#define S_{name} " in text


def test_without_a_compiler_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no C compiler"):
        compiled(PortaNigra(2), tmp_path)
