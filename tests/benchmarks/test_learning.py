"""The benchmark of learners: it runs, and its parts are those of an iteration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from benchmarks import learning
from training.ppo import Options as Run


def test_a_short_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(learning, "DUMMY", 4)
    monkeypatch.setattr(learning, "DUMMY_STEPS", 16)
    monkeypatch.setattr(learning, "ENVS", 16)
    monkeypatch.setattr(learning, "STEPS", 16)
    monkeypatch.setattr(learning, "BATCH", 64)
    monkeypatch.setattr(learning, "EPOCHS", 1)
    file = tmp_path / "figures.json"
    assert learning.main(["--seconds", "0.01", "--runs", "1", "--threads", "1", "--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    names = [line["name"] for line in figures["lines"]]
    assert names == ["MaskablePPO, DummyVecEnv 4", "training.ppo", "training.ppo, float32", "training.ppo, defaults"]
    assert all(line["per_second"] > 0 for line in figures["lines"])
    assert len(figures["parts"]) == 6
    assert "training.ppo" in capsys.readouterr().out


def test_one_line_is_the_default() -> None:
    made = [learning.own(learning.Options(threads=1), alike=alike)[0].options for alike in (True, False)]
    alike, default = (learning.EPOCHS, 1.0, False), (Run.update_epochs, Run.keep_fraction, Run.layer_norm)
    assert [(one.update_epochs, one.keep_fraction, one.layer_norm) for one in made] == [alike, default]


def test_both_learners_have_the_same_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """But for the values: one beside one for each seat."""
    monkeypatch.setattr(learning, "DUMMY", 2)
    model, _ = learning.maskable_ppo(learning.Options(threads=1))
    training, _ = learning.own(learning.Options(threads=1), "float32")
    weights, policy = training.network.state_dict(), model.policy
    with torch.no_grad():
        for theirs, ours in (
            (policy.features_extractor.enter, "enter"),
            (policy.features_extractor.block, "blocks.0"),
            (policy.action_net, "policy"),
        ):
            theirs.weight.copy_(weights[f"{ours}.weight"])
            theirs.bias.copy_(weights[f"{ours}.bias"])
        policy.value_net.weight.copy_(weights["value.weight"][:1])
        policy.value_net.bias.copy_(weights["value.bias"][:1])
        seen = torch.rand(5, training.network.shape.observation_size)
        logits, values = training.network(seen)
        torch.testing.assert_close(policy.get_distribution(seen).distribution.logits, torch.log_softmax(logits, dim=1))
        torch.testing.assert_close(policy.predict_values(seen), values[:, :1])
    ours = sum(one.numel() for one in training.network.parameters())
    theirs = sum(one.numel() for one in policy.parameters())
    assert ours - theirs == (len(weights["value.weight"]) - 1) * (learning.WIDTH + 1)


def test_wrong_arguments() -> None:
    with pytest.raises(SystemExit) as ended:
        learning.main(["--threads", "0"])
    assert ended.value.code == 2
