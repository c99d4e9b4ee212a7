"""Notebooks are those of their scripts, and run."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from notebooks import execute

SCRIPTS = execute.scripts()


@pytest.mark.parametrize("script", SCRIPTS, ids=[one.stem for one in SCRIPTS])
def test_a_notebook_is_that_of_its_script(script: Path) -> None:
    assert not execute.stale(script), f"python -m notebooks.execute {script.name[:2]}"
    notebook = nbformat.read(script.with_suffix(".ipynb"), as_version=4)  # type: ignore[no-untyped-call]
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
    assert script.with_suffix(".ipynb").stat().st_size < 300_000


@pytest.mark.parametrize("script", SCRIPTS, ids=[one.stem for one in SCRIPTS])
def test_a_notebook_opens_with_a_picture_and_needs_no_kernel_to_be_read(script: Path) -> None:
    notebook = nbformat.read(script.with_suffix(".ipynb"), as_version=4)  # type: ignore[no-untyped-call]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert any("image/svg+xml" in one.get("data", {}) for one in code[0].outputs)
    kinds = {kind for cell in code for one in cell.outputs for kind in one.get("data", {})}
    assert execute.WIDGET not in kinds
    assert "widgets" not in notebook.metadata


def test_of_a_widget_its_picture_is_kept(tmp_path: Path) -> None:
    script = tmp_path / "01_widget.py"
    script.write_text(
        "# %%\nfrom agents.web.notebook import Table\nfrom porta_nigra_env import State\n\nTable(State.new(seed=1))\n"
    )
    notebook = execute.execute(script)
    assert sorted(notebook.cells[0].outputs[0]["data"]) == ["image/svg+xml", "text/plain"]
    assert "widgets" not in notebook.metadata


def test_a_changed_script_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "01_small.py"
    script.write_text("# %% [markdown]\n# # Small\n\n# %%\nprint(1 + 1)\n")
    monkeypatch.setattr(execute, "FOLDER", tmp_path)
    assert execute.main(["--check"]) == 1
    assert "01_small.ipynb is not that of its script" in capsys.readouterr().err
    assert execute.main([]) == 0
    assert execute.main(["--check"]) == 0
    script.write_text(script.read_text().replace("1 + 1", "1 + 2"))
    assert execute.main(["--check"]) == 1
    before = script.with_suffix(".ipynb").read_bytes()
    script.write_text("# %%\nraise ValueError('broken')\n")
    assert execute.main([]) == 1
    assert "broken" in capsys.readouterr().err
    assert script.with_suffix(".ipynb").read_bytes() == before


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_all_of_them_run() -> None:
    assert execute.main(["--dry"]) == 0
