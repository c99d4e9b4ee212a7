"""The trial of a release, and files that name its version."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import porta_nigra_env
from tests.package import __main__ as release

ROOT = Path(__file__).parents[2]


def wheel(folder: Path, source: str) -> Path:
    """Write the wheel of a package without requirements."""
    path = folder / "porta_nigra_env-9.9-py3-none-any.whl"
    info = "porta_nigra_env-9.9.dist-info"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("porta_nigra_env.py", source)
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: porta-nigra-env\nVersion: 9.9\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")
    return path


def test_a_wheel_is_tried_in_an_empty_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = wheel(tmp_path, "__version__ = '9.9'\n")
    monkeypatch.setattr(release, "FIRST_STEPS", "import porta_nigra_env as e, sys; print(e.__version__, sys.prefix)")
    materials = json.dumps({"bomFormat": "CycloneDX"})
    run = subprocess.run

    def without_materials(command: list[Any], **options: Any) -> Any:
        return run([sys.executable, "-c", f"print('{materials}')"] if "cyclonedx_py" in command else command, **options)

    monkeypatch.setattr(subprocess, "run", without_materials)
    assert release.main([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert f"{made.name}: {made.stat().st_size:,} bytes, 4 files" in shown
    assert f"{sys.executable}: 9.9 " in shown
    assert sys.prefix not in shown.partition("9.9 ")[2]
    assert json.loads(made.with_suffix(".cdx.json").read_text())["bomFormat"] == "CycloneDX"
    assert "porta_nigra_env.py" in made.with_suffix(".contents.txt").read_text()


@pytest.mark.parametrize("fault", ["nothing", "large", "broken"])
def test_a_faulty_release_is_refused(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if fault != "nothing":
        wheel(tmp_path, "raise ImportError\n")
    if fault == "large":
        monkeypatch.setattr(release, "LARGEST", 100)
    assert release.main([str(tmp_path)]) == 1
    messages = {"nothing": "there is no wheel", "large": "at most 100 are allowed", "broken": "returned non-zero exit"}
    assert messages[fault] in capsys.readouterr().err


def test_the_citation_names_the_version() -> None:
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"] == porta_nigra_env.__version__


def test_workflows_run_targets_of_the_makefile() -> None:
    texts = [path.read_text() for path in (ROOT / ".github" / "workflows").iterdir()]
    assert any("run: make release" in text for text in texts)
    assert "\nrelease:" in (ROOT / "Makefile").read_text()
    for text in texts:
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
