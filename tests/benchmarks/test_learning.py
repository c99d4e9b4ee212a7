"""Both learners of the benchmark do the same work."""

from __future__ import annotations

import pytest
import torch

from benchmarks import learning
from training.ppo import Options as Run


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
