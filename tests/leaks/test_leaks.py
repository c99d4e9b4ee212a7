"""The checks of hidden information and seeds: this package passes them, and each kind of leak is found."""

from __future__ import annotations

import copy
import random
import re
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from porta_nigra_env.core.game.view import View
from porta_nigra_env.envs.pettingzoo import GameAEC, wrap
from porta_nigra_env.games import GAMES, game_entry, make_game
from porta_nigra_env.leaks import assert_no_leak, assert_seed_matters, duplicate
from porta_nigra_env.leaks.shown import difference

ROOT = Path(__file__).parents[2]
TABLES = [(name, players) for name in GAMES for players in game_entry(name).seats[:: len(game_entry(name).seats) - 1]]


def resample(env: Any, agent: str, seed: int) -> Any:
    twin = duplicate(env)
    twin.unwrapped.determinize(agent, seed)
    return twin


def view(env: Any, agent: str) -> View:
    found: View = env.unwrapped.view(agent)
    return found


# ------------------------------------------------------------------------------------------------ this package


@pytest.mark.parametrize(
    "options", [{}, {"mask_in": "info", "history": 8, "events": True, "reward": "points"}], ids=len
)
@pytest.mark.parametrize(("name", "players"), TABLES)
def test_the_environments_show_nothing_hidden(name: str, players: int, options: dict[str, Any]) -> None:
    """Boards, positions and legal action strings are checked as well."""
    report = assert_no_leak(
        wrap(GameAEC(make_game(name, players), **options)), resample, games=1, limit=150, rate=0.06, worlds=1,
        also={
            "board": lambda env, agent: view(env, agent).board(),
            "position": lambda env, agent: view(env, agent).position(),
        },
        known=lambda env, agent: view(env, agent).state,
        hidden=lambda env, agent: env.state(),
    )  # fmt: skip
    assert set(report.worlds) == {f"player_{seat}" for seat in range(players)}
    assert report.followed > 10


@pytest.mark.parametrize("name", GAMES)
def test_the_environments_use_seeds(name: str) -> None:
    assert_seed_matters(lambda: wrap(GameAEC(make_game(name), events=True)), games=2, limit=60)


# ------------------------------------------------------------------------------------------------ leaky environments


class Leaky(GameAEC):
    """A game with one mistake."""

    def __init__(self, mistake: str) -> None:
        super().__init__(make_game(next(iter(GAMES)), 2))
        self.mistake = mistake

    def secret(self) -> int:
        """Return a number that depends on everything hidden."""
        return zlib.crc32(self.state().tobytes()) % 1000

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        other = {
            "seed unused": lambda: 5,
            "random read": lambda: random.getrandbits(20),
            "numpy read": lambda: int(np.random.randint(2**20)),  # noqa: NPY002  # the mistake
            "games counted": lambda: (seed or 0) + self._games,
        }.get(self.mistake, lambda: seed)()
        if self.mistake == "random changed":
            random.random()
        super().reset(seed=other, options=options)
        self._games += self.mistake == "games counted"

    def step(self, action: int | str | None) -> None:
        super().step(action)
        if self.mistake == "stored info":
            self.infos = {agent: {"log": [{"drawn": self.secret()}]} for agent in self.agents}
        if self.mistake == "stored reward":
            self.rewards = {agent: self.secret() / 1e6 for agent in self.agents}
        if self.mistake == "numpy changed":
            np.random.rand()  # noqa: NPY002  # the mistake

    def observe(self, agent: str) -> Any:
        observation = super().observe(agent)
        if self.mistake == "observation":
            observation["observation"][7] = self.secret()
        if self.mistake == "mask" and agent != self.agent_selection:
            observation["action_mask"][0] = self.secret() % 2
        if self.mistake == "another type" and self.secret() % 2:
            observation["observation"] = observation["observation"].astype(np.float64)
        return observation

    def last(self, observe: bool = True) -> Any:
        *values, info = super().last(observe)
        return (*values, {"secret": self.secret()} if self.mistake == "last" else info)


def shared(env: Any, agent: str, seed: int) -> Any:
    """Return a copy of the environment only, which plays on the same state."""
    twin = copy.copy(env)
    twin.unwrapped.determinize(agent, seed)
    return twin


LEAKS = [
    ("observation", resample, r'observation\["observation"\]\[7\] is \d'),
    ("mask", resample, r'observation\["action_mask"\]\[0\] is [01] in the game'),
    ("another type", resample, r'dtype and shape of observation\["observation"\] is float'),
    ("last", resample, r'last\(\)\[4\]\["secret"\] is \d+ in the game'),
    ("stored info", resample, r'info\["log"\]\[0\]\["drawn"\] is \d+ .* [1-4] common steps later'),
    ("stored reward", resample, r"reward is 0\.\d+ .* [1-4] common steps later"),
    ("none", lambda env, agent, seed: copy.deepcopy(env), r"nothing hidden from player_0 changed in \d+"),
    ("none", lambda env, agent, seed: None, r"must return another environment"),
    ("none", shared, r"shares state with the one that it got"),
]  # fmt: skip


@pytest.mark.parametrize(("mistake", "sampler", "message"), LEAKS)
def test_leaks_are_found(mistake: str, sampler: Any, message: str) -> None:
    with pytest.raises((AssertionError, ValueError), match=message) as failure:
        assert_no_leak(Leaky(mistake), sampler, seed=3)
    # The seed in the message reproduces it.
    if again := re.search(r"Reproduce it with seed=(\d+), games=1", str(failure.value)):
        with pytest.raises(AssertionError, match=re.escape(str(failure.value))):
            assert_no_leak(Leaky(mistake), sampler, seed=int(again[1]), games=1)


@pytest.mark.parametrize(
    ("mistake", "message"),
    [
        ("seed unused", "the seeds 0 to 2 give the same game"),
        ("random read", "the global state of random"),
        ("numpy read", r"the global state of numpy\.random\. Seed 0, reset"),
        ("random changed", "the global state of random"),
        ("numpy changed", r"the global state of numpy\.random\. Seed 0, step 0"),
        ("games counted", "a game before changes the game: .* Seed 0, step"),
    ],
)
def test_random_numbers_from_elsewhere_are_found(mistake: str, message: str) -> None:
    states = random.getstate(), np.random.get_state()  # noqa: NPY002
    with pytest.raises(AssertionError, match=message):
        assert_seed_matters(lambda: Leaky(mistake), games=3, limit=30)
    np.testing.assert_equal((random.getstate(), np.random.get_state()), states)  # noqa: NPY002


def test_a_generator_seeded_from_the_global_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """It restores the global state, so that only the game tells."""

    def hide(env: Leaky, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        state = random.getstate()
        GameAEC.reset(env, seed=random.getrandbits(20), options=options)
        random.setstate(state)

    monkeypatch.setattr(Leaky, "reset", hide)
    with pytest.raises(AssertionError, match=r"the global random state changes the game: .*Seed 0, step 0, player_"):
        assert_seed_matters(lambda: Leaky("none"), games=2, limit=30)


# ------------------------------------------------------------------------------------------------ values, arguments


@pytest.mark.parametrize(
    ("left", "right", "path"),
    [
        ({"a": [1, {"b": np.eye(2)}]}, {"a": [1, {"b": np.ones((2, 2))}]}, 'a[1]["b"][0, 1]'),
        (0.0, -0.0, ""),
        (1, True, ""),
        ([1], [1, 2], "the length of "),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, "the keys of "),
        (np.float32(np.nan), np.float32(1), ""),
        ((np.array([{1}], dtype=object),), (np.array([{2}], dtype=object),), "0[0]"),
    ],
)  # fmt: skip
def test_differences_have_a_path(left: Any, right: Any, path: str) -> None:
    found = difference(left, right)
    assert found is not None
    assert found.path == path
    assert difference(left, copy.deepcopy(left)) is None


@pytest.mark.parametrize(
    "options", [{"games": 0}, {"rate": 0}, {"worlds": 0}, {"further": -1}, {"agents": ["player_7"]}, {"agents": []}]
)
def test_arguments_out_of_range_are_refused(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ValueError, match=name):
        assert_no_leak(Leaky("none"), resample, **options)


TESTS = """
from tests.leaks.test_leaks import Leaky, resample

def test_leaky(assert_no_leak):
    assert_no_leak(Leaky("observation"), resample, seed=3)

def test_sound(assert_no_leak, assert_seed_matters):
    assert assert_no_leak(Leaky("none"), resample, seed=3).games == 2
    assert_seed_matters(lambda: Leaky("none"), games=2, limit=20)
"""


def test_the_plugin_has_fixtures_and_options(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS, encoding="utf-8")
    plugin = ("-p", "porta_nigra_env.leaks.plugin", "--leak-seed", "5", "--leak-games", "2")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *plugin, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "Game of seed 5, step 0" in done.stdout


def test_it_needs_pettingzoo_and_numpy_only() -> None:
    program = "import sys, porta_nigra_env.leaks; print(sorted({'numba', 'pytest', 'torch'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.strip() == "[]"
