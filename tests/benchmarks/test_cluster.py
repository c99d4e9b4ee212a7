"""The simulation of many collectors: the scarcest resource limits the rate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.cluster import Arguments, Costs, main, simulated

#: A step costs a collector 10 us and the leader almost nothing.
LIGHT = Costs(
    playing=1e-5, taking=1e-9, learning=1e-9, down=4.0, up=20.0, weights=10**6, steps=10**6
)  # fmt: skip
OPTIONS = Arguments(jitter=0.0)


def test_collectors_add_up_while_nothing_else_is_short() -> None:
    one, four = (simulated(LIGHT, OPTIONS, count) for count in (1, 4))
    assert one.rate == pytest.approx(1 / LIGHT.playing, rel=0.02)
    assert four.rate == pytest.approx(4 * one.rate, rel=0.05)
    assert four.busy["collectors"] > 0.95


@pytest.mark.parametrize(
    ("short", "change", "most"),
    [
        ("learner", {"learning": 2e-5}, 1 / 1e-5),
        ("taking", {"taking": 1e-5}, 1 / 1e-5),
        ("link", {"up": 12_500.0}, 1e5),
    ],
)
def test_the_scarce_resource_limits_the_rate(short: str, change: dict[str, float], most: float) -> None:
    """A learner of two cores, one process that takes up, a link of 1.25 GB/s."""
    costs = replace(LIGHT, **change)  # type: ignore[arg-type]
    found = simulated(costs, OPTIONS, 64)
    assert found.busy[short] > 0.8
    assert all(share <= 1.0 for share in found.busy.values())
    assert 0.8 * most < found.rate <= most


def test_unequal_collectors_are_waited_for() -> None:
    equal, unequal = (simulated(LIGHT, replace(OPTIONS, jitter=jitter), 16) for jitter in (0.0, 0.5))
    assert unequal.rate < 0.7 * equal.rate


def test_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = ["--envs", "32", "--steps", "64", "--runs", "1", "--searched", "2", "--json", str(tmp_path / "figures")]
    assert main(tiny) == 0
    said = capsys.readouterr().out
    figures = json.loads((tmp_path / "figures").read_text())
    assert [one["collectors"] for one in figures["expert"]["simulated"]] == [1, 4, 16, 64, 256]
    # An int16, a float32, and a float32 for each of four seats' values.
    assert 22 <= figures["ppo"]["costs"]["up"] < 24
    assert f"have {figures['unpacked']:.0f} bytes" in said
    # A search costs far more than one evaluation of the network.
    assert figures["expert"]["costs"]["playing"] > 5 * figures["ppo"]["costs"]["playing"]


@pytest.mark.parametrize(
    ("option", "message"),
    [(["--link", "0"], "--link must be positive"), (["--envs", "0"], "--envs must be at least 1")],
)
def test_invalid_arguments_are_refused(option: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(option)
    assert message in capsys.readouterr().err
