"""The trial of a release, and files that name its version."""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

import porta_nigra_env
from tests.package import __main__ as release

ROOT = Path(__file__).parents[2]


#: A package whose `cache build` writes one archive, and whose games the environment and the archive determine.
BUILDS = {
    "porta_nigra_env/__init__.py": "",
    "porta_nigra_env/cache.py": (
        "from porta_nigra_env.core.compile.prebuilt import ARCHIVES\nARCHIVES.mkdir()\n"
        "(ARCHIVES / 'game.xz').write_text('code')\n"
    ),
    "porta_nigra_env/core/compile/prebuilt.py": (
        "from pathlib import Path\nARCHIVES = Path(__file__).parents[2] / 'prebuilt'\n"
    ),
}


def wheel(folder: Path, source: str, **more: str) -> Path:
    """Write the wheel of a package without requirements."""
    path = folder / "porta_nigra_env-9.9-py3-none-any.whl"
    info = "porta_nigra_env-9.9.dist-info"
    files = {
        **(more or {"porta_nigra_env.py": source}),
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: porta-nigra-env\nVersion: 9.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = ""
    with zipfile.ZipFile(path, "w") as file:
        for name, text in files.items():
            file.writestr(name, text)
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            record += f"{name},sha256={digest},{len(text)}\n"
        file.writestr(f"{info}/RECORD", record)
    return path


def test_a_wheel_is_tried_in_an_empty_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = wheel(tmp_path, "__version__ = '9.9'\n")
    monkeypatch.setattr(release, "FIRST_STEPS", "import porta_nigra_env as e, sys; print(e.__version__, sys.prefix)")
    monkeypatch.setattr(release, "materials", lambda _: json.dumps({"bomFormat": "CycloneDX"}))
    assert release.main([str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert f"{made.name}: {made.stat().st_size:,} bytes, 4 files" in shown
    assert f"{sys.executable}: 9.9 " in shown
    assert sys.prefix not in shown.partition("9.9 ")[2]
    assert json.loads(made.with_suffix(".cdx.json").read_text())["bomFormat"] == "CycloneDX"
    assert "porta_nigra_env.py" in made.with_suffix(".contents.txt").read_text()


@pytest.mark.parametrize(
    ("games", "why"),
    [
        ("print(7)", ""),
        (
            "import os; print(os.environ['PORTA_NIGRA_PREBUILT'])",
            "games differ: {'0': '0', 'x86-64-v2': 'x86-64-v2', 'x86-64-v3': 'x86-64-v3'}",
        ),
    ],
)
def test_a_wheel_with_machine_code_is_added(
    games: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = wheel(tmp_path, "", **BUILDS)
    monkeypatch.setattr(release, "FIRST_STEPS", "import porta_nigra_env")
    monkeypatch.setattr(release, "COMPILES_NOTHING", "print('counted')\n")
    monkeypatch.setattr(release, "DIGEST", games)
    monkeypatch.setattr(release, "materials", lambda _: "{}")
    assert release.main([str(tmp_path), "--code"]) == (1 if why else 0)
    shown = capsys.readouterr()
    assert why in shown.err
    name = f"porta_nigra_env-9.9-cp3{sys.version_info[1]}-none-manylinux_2_17_x86_64.whl"
    with zipfile.ZipFile(tmp_path / name) as file:
        assert file.read("porta_nigra_env/prebuilt/game.xz") == b"code"
        assert f"Tag: cp3{sys.version_info[1]}-none" in file.read("porta_nigra_env-9.9.dist-info/WHEEL").decode()
    with zipfile.ZipFile(plain) as file:
        assert "porta_nigra_env/prebuilt/game.xz" not in file.namelist()
    assert why or shown.out.count("counted") == 1, "only the wheel with code must not compile"


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
