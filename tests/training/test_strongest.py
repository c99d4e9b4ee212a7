"""The card of a network names the agent with the largest win rate that any tournament found."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from agents import tournament
from agents.networks.network import Network, save_network
from porta_nigra_env.players.network import Shape
from tests.toys.kuhn.game import Kuhn
from training import publish
from training.publish.cards import CardError, Strongest, cards_of_agent, read_card
from training.publish.strongest import replaces

Play = Callable[..., Path]


@pytest.fixture
def network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A network of Kuhn poker with a card, as if it were published."""
    file, game = tmp_path / "model.safetensors", Kuhn()
    torch.manual_seed(3)
    save_network(file, Network(Shape.of(game, width=8)), [game])
    run = {"game": "kuhn", "players": [2], "total_timesteps": 256}
    measured = {"share": [0.5, 0.4, 0.6], "margin": 0.0, "lands_in": [0.0, 1.0]}
    card = {"runs": [run], "deals": 4, "opponent": "random", "against": {"2": measured}}
    file.with_suffix(".json").write_text(json.dumps(card))
    monkeypatch.setattr(Kuhn, "networks", classmethod(lambda cls: {2: file}))
    return file


@pytest.fixture
def play(network: Path, tmp_path: Path) -> Play:
    """Play a tournament of an agent against the network and return its folder."""

    def played(agent: str, *options: str, games: int = 40, victim: str = "") -> Path:
        folder = tmp_path / agent.replace(":", "_")
        agents = [agent, victim or f"network:checkpoint={network}"]
        alone = [] if "--sprt" in options else ["--alone", agent]
        words = [*alone, "--game", "kuhn", "--games", str(games), "--jobs", "1", "--out", str(folder)]
        assert tournament.main([*agents, *words, *options]) == 0
        return folder

    return played


def test_the_largest_win_rate_enters_the_card(network: Path, play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [play(f"flat:simulations={count}") for count in (1, 200)]
    rates = []
    for folder in folders:
        assert publish.main(["strongest", str(folder)]) == 0
        strongest = read_card(network.with_suffix(".json")).strongest["2"]
        rates.append(strongest.share[0])
    assert rates[1] > rates[0] > 0
    assert strongest.agent == "flat:simulations=200"
    page = network.with_suffix(".md").read_text()
    assert f"| 2 | `flat:simulations=200` | {rates[1]:.1%} |" in page
    assert strongest.command in page
    # The command plays the same games, and a smaller rate of another agent is not kept.
    words = strongest.command.split()
    again = folders[1].with_name("again")
    assert tournament.main([*words[3:-1], str(again)]) == 0
    assert sorted((again / "results.jsonl").read_text().splitlines()) == sorted(
        (folders[1] / "results.jsonl").read_text().splitlines()
    )
    capsys.readouterr()
    assert publish.main(["strongest", str(folders[0])]) == 0
    assert f"the card keeps flat:simulations=200 with {rates[1]:.1%}" in capsys.readouterr().out
    assert read_card(network.with_suffix(".json")).strongest["2"] == strongest


def test_lucky_games_do_not_replace_many() -> None:
    many = Strongest("a", "", (0.8, 0.75, 0.84), 600)
    assert not replaces(Strongest("a", "", (1.0, 0.2, 1.0), 2), many)
    assert not replaces(Strongest("b", "", (1.0, 0.2, 1.0), 2), many)
    assert replaces(Strongest("a", "", (0.7, 0.6, 0.78), 1200), many)
    assert replaces(Strongest("b", "", (0.79, 0.76, 0.82), 300), many)


def test_tournaments_of_other_kinds_are_refused(
    network: Path, play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = network.with_suffix(".json").read_bytes()

    def refused(folder: Path, message: str) -> None:
        capsys.readouterr()
        assert publish.main(["strongest", str(folder)]) == 2
        assert message in capsys.readouterr().err
        assert network.with_suffix(".json").read_bytes() == before

    refused(tmp_path / "nothing", "has no results of agents.tournament")
    refused(play("random", "--sprt", "elo1=400"), "has a sequential test, whose early end exaggerates win rates")
    refused(play("flat:simulations=2", victim="random"), "'random' is not a published network, 2 players")
    good = play("flat:simulations=1")
    text = (good / "results.jsonl").read_text()
    (good / "results.jsonl").write_text("\n".join(text.splitlines()[:2]) + "\n")
    refused(good, "has no complete deal of 2 players")
    (good / "results.jsonl").write_text(text.replace('"alone":"flat:simulations=1"', '"alone":""'))
    refused(good, "no agent is --alone against a single other one")
    # Another network in the place of the one that played.
    (good / "results.jsonl").write_text(text)
    save_network(network, Network(Shape.of(Kuhn(), width=16)), [Kuhn()])
    refused(good, f"holds games of another network:checkpoint={network}")


def test_an_agent_that_samples_has_no_card(network: Path) -> None:
    assert cards_of_agent(f"network:checkpoint={network}", [Kuhn()]) == {"2": network.with_suffix(".json")}
    with pytest.raises(CardError, match="is not a published network, 2 players"):
        cards_of_agent(f"network:checkpoint={network},temperature=1", [Kuhn()])
