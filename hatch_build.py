"""Build hook: add `agents` and `training` to the wheel as `porta_nigra_env.agents` and `porta_nigra_env.training`.

The published ladders and the pages of rules come along: agents read them as ``../docs``.

Top-level packages of these names would collide with others. So the files are copied into the package, and every name
of a module in them gets the prefix `porta_nigra_env.`: imports, command lines in messages, and docstrings.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGES = ("agents", "training")
#: Files with names of modules; all others are copied byte by byte.
TEXTS = (".py", ".j2")
#: Files of the checkout alone: caches, the sources of compiled catalogues, and the log of training runs.
LEFT_OUT = ("__pycache__", "*.po", "LOG.md", "log.toml")


def module_names(root: Path) -> re.Pattern[str]:
    """Return a pattern of the first name in ``agents.web``, ``from training import`` and f"agents.{game}"."""
    inside = {
        package: [path.stem for path in (root / package).iterdir() if path.suffix == ".py" or path.is_dir()]
        for package in PACKAGES
    }
    # `training.run(` is a method of a variable.
    dotted = [rf"{package}(?=\.(?:(?:{'|'.join(sorted(names))})\b(?!\()|\{{))" for package, names in inside.items()]
    return re.compile(rf"(?<![\w./-])(?:{'|'.join(dotted)}|(?<=from )(?:{'|'.join(PACKAGES)})(?= import))")


def copy_programs(root: Path, target: Path) -> None:
    """Copy the packages into `target` under the names that they have in the wheel."""
    pattern = module_names(root)
    for package in PACKAGES:
        shutil.copytree(root / package, target / package, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for path in target.rglob("*"):
        if path.suffix in TEXTS:
            text = path.read_text(encoding="utf-8")
            path.write_text(pattern.sub(r"porta_nigra_env.\g<0>", text), encoding="utf-8")


class Programs(BuildHookInterface[Any]):
    """Adds the programs to a wheel; an editable installation leaves them in the checkout."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Register the copies with the builder."""
        if version != "editable":
            self.copies = tempfile.TemporaryDirectory()
            copy_programs(Path(self.root), Path(self.copies.name))
            build_data["force_include"][self.copies.name] = "porta_nigra_env"
            for pattern in ("ladder*.json", "*rules.md"):
                for path in Path(self.root, "docs").glob(pattern):
                    build_data["force_include"][str(path)] = f"porta_nigra_env/docs/{path.name}"
