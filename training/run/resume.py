"""Runs of `training.ppo` within other programs: the same call begins one, or goes on with what its folder has of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from training.ppo import program as ppo
from training.ppo.arguments import WHERE, as_begun
from training.run.folder import CHECKPOINT, NETWORK, RunError, read_config

#: Arguments that say where and how fast, and may be others when the same call is repeated.
APART: Final = ("out", "resume", "threads", "device", "precision", *WHERE)


def check_same(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """RunError for the first setting of what a folder holds that is not the one asked for, but for those of `APART`.

    Names may have a part in front of them, as in ``ppo.seed``.
    """
    for name, value in wanted.items():
        # What is left to the machine, the run has settled.
        if name.rpartition(".")[2] not in APART and value != "auto" and found.get(name) != value:
            told = f"{name} is {found.get(name)!r} there, not {value!r}"
            raise RunError(f"{folder} holds something else: {told}; name another folder with --out")


def continued(folder: Path, asked: ppo.Arguments) -> ppo.Arguments:
    """What goes on with the run in a folder, where and how fast `asked` says."""
    own = {name: getattr(asked, name) for name in APART if name not in ("out", "resume") and hasattr(asked, name)}
    return ppo.Arguments(resume=folder, **own)


def trained(wanted: ppo.Arguments) -> Path:
    """The network of a run in its folder `out`: brought to its end, if it is not there already.

    Raises:
        ValueError: the folder has another run, or one that cannot be gone on with.
    """
    folder = wanted.out
    assert folder is not None, "without a folder there is nothing to go on with"
    if (folder / CHECKPOINT).exists():
        started = read_config(folder, "ppo", ppo.Arguments)
        check_same(folder, asdict(started), asdict(as_begun(wanted.completed())))
        wanted = continued(folder, wanted)
    if not (folder / NETWORK).exists():
        training, record = ppo.prepared(wanted)
        training.run(record)
    return folder / NETWORK
