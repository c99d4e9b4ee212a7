"""Validate the configuration of Ray's launcher with Ray's schema."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

from tests.ray.machines import ROOT


def config() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docs" / "cluster.yaml").read_text(encoding="utf-8"))
    return loaded


def test_the_configuration_is_valid() -> None:
    prepared = prepare_config(copy.deepcopy(config()))
    validate_config(prepared)
    provider = prepared["provider"]
    assert len({provider["head_ip"], *provider["worker_ips"]}) == 16
    assert prepared["max_workers"] == 15


def test_the_schema_rejects_a_mistake() -> None:
    with pytest.raises(Exception, match="worker_setup"):
        validate_config(config() | {"worker_setup": []})


def test_its_commands_use_files_of_the_checkout() -> None:
    commands = [line for name, lines in config().items() if name.endswith("commands") for line in lines]
    assert any("make .venv-ray/made" in line for line in commands)
    assert ".venv-ray/made:" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all("~/porta-nigra-env" in line for line in commands)
    assert list(config()["file_mounts"]) == ["~/porta-nigra-env", "~/.ray/auth_token"]
    assert all("RAY_AUTH_MODE=token" in line for line in commands if "ray start" in line)
