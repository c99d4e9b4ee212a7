"""Gates: sequential tests between published networks, their results on cards, and networks that replace no other."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch

from agents.arena.sequential import Decision, Sprt
from agents.networks.network import Network, save_network
from porta_nigra_env.games import GAMES, game_class
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.training.small import SMALL, make_training
from training import ppo, publish
from training.ppo.teacher import fingerprint_of
from training.publish import cards, gates
from training.publish.cards import Card, Exploiter, Gate, encode_card, read_card
from training.run.evaluation import DealsPlayed, deal_shares

SHIPPED = cards.cards()


@pytest.fixture
def published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """Publish `two_players`, and an untrained network as `weak`, in a folder of their own."""
    game, folder = PortaNigra(2), tmp_path / "models"
    folder.mkdir()
    torch.manual_seed(1)
    save_network(folder / "weak.safetensors", Network(Shape.of(game, width=8)), [game])
    shutil.copy(SHIPPED["two_players"].with_suffix(".safetensors"), folder / "two_players.safetensors")
    card = Card(runs=({"players": [2]},), deals=1, opponent="builder", against={"2": cards.Measured((0.0, 1.0))})
    found = {name: folder / f"{name}.json" for name in ("weak", "two_players")}
    for file in found.values():
        file.write_text(encode_card(card))
    monkeypatch.setattr(cards, "cards", lambda: found)
    return found


def gate(*options: str) -> int:
    return publish.main(["gate", *options])


def test_the_stronger_network_passes(published: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("two_players", "weak") == 0
    assert "2 players: passed: H1 accepted after " in capsys.readouterr().out
    (found,) = read_card(published["two_players"]).gates["2"]
    assert found.passed
    assert (found.against, found.elo) == ("weak", (0.0, 10.0))
    assert found.share > 0.9
    assert f"| 2 | weak | 0, 10 | passed | {found.games} | " in published["two_players"].with_suffix(".md").read_text()
    # A later result against the same network replaces the earlier one.
    assert gate("two_players", "weak", "--elo1", "20") == 0
    (later,) = read_card(published["two_players"]).gates["2"]
    assert later.elo == (0.0, 20.0)


def test_what_others_write_during_the_games_stays(
    published: dict[str, Path], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = published["weak"], Exploiter(("network",), ((1, 0.5, 0.4, 0.6),))
    gate_ = Gate("two_players", True, 8, 0.75, (0.0, 10.0))

    def exploited(*_: Any) -> Any:
        file.write_text(encode_card(msgspec.structs.replace(read_card(file), exploiters={"2": kept})))
        return {"2": gate_}, ["2 players: passed"]

    monkeypatch.setattr(gates, "run_gates", exploited)
    assert gate("weak", "two_players") == 0
    assert (read_card(file).exploiters, read_card(file).gates) == ({"2": kept}, {"2": (gate_,)})

    def replaced(*_: Any) -> Any:
        shutil.copy(*(published[name].with_suffix(".safetensors") for name in ("two_players", "weak")))
        return {"2": Gate("two_players", False, 8, 0.25, (0.0, 10.0))}, ["2 players: NOT PASSED"]

    monkeypatch.setattr(gates, "run_gates", replaced)
    assert gate("weak", "two_players") == 2
    printed = capsys.readouterr()
    assert "2 players: NOT PASSED" in printed.out
    assert "MODEL: weak was replaced during its games; repeat the command" in printed.err
    assert read_card(file).gates == {"2": (gate_,)}


def test_the_weaker_network_does_not(published: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("weak", "two_players") == 1
    assert "2 players: NOT PASSED: H0 accepted after " in capsys.readouterr().out
    assert not read_card(published["weak"]).gates["2"][0].passed


def test_a_test_without_a_decision_is_not_passed(published: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gates, "DEALS", 2)
    shutil.copy(*(published[name].with_suffix(".safetensors") for name in ("two_players", "weak")))
    assert gate("two_players", "weak", "--limit", "8") == 1
    (found,) = read_card(published["two_players"]).gates["2"]
    # Two equal players win each deal once.
    assert (found.passed, found.games, found.share) == (False, 8, 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["two_players", "strong"], "no published network is called 'strong'; there are two_players, weak"),
        (["two_players", "two_players"], "OTHER: two_players is MODEL itself"),
        (["two_players", "weak", "--elo1", "0"], "--elo1: elo0 must be less than elo1"),
        (["two_players", "weak", "--limit", "0"], "--limit must be at least 1"),
    ],
)
def test_wrong_options(
    options: list[str], message: str, published: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = published["two_players"].read_bytes()
    assert gate(*options) == 2
    assert message in capsys.readouterr().err
    assert published["two_players"].read_bytes() == before


def test_networks_of_two_games_cannot_meet(capsys: pytest.CaptureFixture[str]) -> None:
    assert gate("all_players", "three_to_five_players") == 2
    assert "three_to_five_players and all_players share no game" in capsys.readouterr().err
    assert gate("any_components", "all_players") == 2
    assert "all_players plays one component set, and any_components is tested with others" in capsys.readouterr().err


def test_deals_are_spread_over_component_sets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The sequence of results takes a deal from each set in turn."""
    training = make_training(component_sets=2)
    file = tmp_path / "network.safetensors"
    save_network(file, training.network, training.games)
    games = [PortaNigra(2, f"varied:{seed}") for seed in (5, 6)]
    seen: list[tuple[str, int]] = []
    deals: list[int] = []
    results: list[Any] = []

    def play_deals(decide: Any, opponents: Sequence[Any], game: Any, seeds: Sequence[int]) -> DealsPlayed:
        seen.append((game.components.name, len(seeds)))
        deals.extend(seeds)
        # With the first set the tested network wins from both seats, with the second from none.
        places = np.array([[1, 2], [2, 1]] if game is games[0] else [[2, 1], [1, 2]]).repeat(len(seeds), axis=0)
        numbers = np.tile(np.arange(len(seeds)), 2)
        return DealsPlayed(np.zeros_like(places), places, np.repeat([0, 1], len(seeds)), numbers)

    def decide(test: Sprt, found: Any, players: int) -> Decision:
        results.append(found)
        return Decision("", 0.0, len(found), len(found) * players, 0.5, 0.25)

    monkeypatch.setattr(gates, "DEALS", 4)
    monkeypatch.setattr(gates, "play_deals", play_deals)
    monkeypatch.setattr(gates, "decide", decide)
    gates.sequential_test(file, file, games, Sprt(), 16)
    assert seen == [("varied_5", 2), ("varied_6", 2)] * 2
    assert results[-1].tolist() == [1.0, 0.0] * 4
    # No deal is played twice, so that results are independent.
    assert len(set(deals)) == 8


def test_the_share_of_a_deal_is_the_mean_over_seats() -> None:
    places = np.array([[1, 2, 3], [3, 1, 2], [1, 1, 3], [2, 1, 1], [2, 3, 1], [1, 2, 2]])
    played = DealsPlayed(places, places, np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 0, 1]))
    assert deal_shares(played) == pytest.approx([(1 + 0.5 + 1) / 3, (0 + 0.5 + 0) / 3])


def test_a_weaker_network_replaces_nothing(published: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    folder = published["two_players"].parent
    run = folder.parent / "run"
    training, made = ppo.prepare(ppo.Options(**SMALL | {"out": run, "players": (2,), "total_timesteps": 512}))
    training.run(made)
    before = {file: file.read_bytes() for file in folder.iterdir()}
    arguments = ["network", str(run), "two_players", "--deals", "2", "--out", str(folder)]
    assert publish.main(arguments) == 2
    error = capsys.readouterr().err
    assert "MODEL: not stronger than the published two_players; 2 players: NOT PASSED: H0 accepted" in error
    assert {file: file.read_bytes() for file in folder.iterdir()} == before
    # A network for any component set is not replaced by one for a single set.
    card = read_card(published["weak"])
    general = msgspec.structs.replace(card, runs=({**card.runs[-1], "component_sets": 2},))
    published["weak"].write_text(encode_card(general))
    assert publish.main(["network", str(run), "weak", "--deals", "2", "--out", str(folder)]) == 2
    assert "MODEL: weak plays with any component set; train with --component-sets" in capsys.readouterr().err
    published["weak"].write_text(encode_card(card))
    # One of other numbers of players has nothing to compare.
    card = read_card(published["weak"])
    published["weak"].write_text(encode_card(msgspec.structs.replace(card, against={"3": card.against["2"]})))
    assert publish.main(["network", str(run), "weak", "--deals", "2", "--out", str(folder)]) == 2
    assert "weak plays with [3] players, too; train for them or name another MODEL" in capsys.readouterr().err
    # A wrong request is refused before the first game.
    for more, message in ((["my net/x"], "MODEL: a name of letters"), (["weak", "--opponent", "b"], "no agent 'b'")):
        assert publish.main(["network", str(run), *more, "--out", str(folder)]) == 2
        assert message in capsys.readouterr().err


def test_the_networks_in_play_were_tested_against_the_others() -> None:
    """For every number of players, against each other published network that plays it; cards tell the results."""
    for name in GAMES:
        game = game_class(name)
        others = {file.stem: read_card(file.with_suffix(".json")) for file in game.networks().values()}
        for players, file in game.networks().items():
            tested = {one.against: one.fingerprint for one in others[file.stem].gates.get(str(players), ())}
            for rival, card in others.items():
                if rival != file.stem and str(players) in card.against:
                    assert tested[rival] == fingerprint_of(name, rival), (name, players)


def test_gates_on_a_card_are_sorted_by_the_number_of_players() -> None:
    card = Card(runs=({},), deals=1, opponent="builder", against={})
    first, second = (Gate(name, True, 8, 0.75, (0.0, 10.0)) for name in ("a", "b"))
    found = gates.with_gates(gates.with_gates(card, {"3": first}), {"2": second, "3": second}).gates
    assert found == {"2": (second,), "3": (first, second)}
    assert list(found) == ["2", "3"]
