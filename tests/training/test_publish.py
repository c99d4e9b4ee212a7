"""Cards and pages of published networks, and the programs that publish and reproduce them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
import tyro

from agents.arena.ratings import Estimate
from agents.networks.network import Network, load_network, read_tensors, save_network
from porta_nigra_env.games.porta_nigra.game import PortaNigra
from porta_nigra_env.players.network import Shape
from tests.parameters import first_by_default
from tests.training.small import make_training, words
from training import demo, ppo, publish
from training.ppo.teacher import fingerprint_of, load_teacher
from training.publish import network, pages, reproduce
from training.publish.cards import Card, Gate, Measured, cards, read_card
from training.publish.reproduce import verdict
from training.run.evaluation import Strength
from training.run.folder import read_config

SMALL: dict[str, Any] = {
    "total_timesteps": 256, "num_envs": 8, "num_steps": 16, "minibatch_size": 64, "width": 8, "evaluations": 1,
    "evaluate": ["random"], "deals": 1, "precision": "float32", "players": [2],
}  # fmt: skip
CARD: dict[str, Any] = {"runs": [{}], "deals": 1, "opponent": "builder", "against": {}}

#: The names of all published networks.
PUBLISHED = [
    "all_players", "any_components", "three_to_five_any_components", "three_to_five_players", "two_players",
    "two_to_six_any_components", "two_to_six_players",
]  # fmt: skip


def main(options: Sequence[str]) -> int:
    return publish.main(["reproduce", *options])


def card(folder: Path, lands_in: tuple[float, float], **more: Any) -> Path:
    file = folder / "model.json"
    content = {"runs": [SMALL], "deals": 4, "opponent": "builder", "against": {"2": {"lands_in": lands_in}}}
    file.write_text(json.dumps(content | more))
    return file


def test_a_network_inside_its_interval(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = card(tmp_path, (0.0, 0.5))
    assert main(["--card", str(file), "--out", str(tmp_path / "run"), "--threads", "1"]) == 0
    assert "inside 0% to 50%" in capsys.readouterr().out
    # Repeated, the command only measures.
    before = (tmp_path / "run" / "metrics.jsonl").read_bytes()
    assert main(["--card", str(file), "--out", str(tmp_path / "run"), "--threads", "1"]) == 0
    assert (tmp_path / "run" / "metrics.jsonl").read_bytes() == before


def test_automatic_options_of_a_card_are_resolved(tmp_path: Path) -> None:
    file = card(tmp_path, (0.0, 1.0), runs=[SMALL | {"precision": "auto"}])
    folder = tmp_path / "run"
    for _ in range(2):
        assert main(["--card", str(file), "--out", str(folder), "--threads", "1"]) == 0
    config = json.loads((folder / "config.json").read_text())["arguments"]
    assert config["precision"] in ("float32", "bfloat16")


def test_a_run_of_another_card_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = card(tmp_path, (0.0, 1.0))
    assert main(["--card", str(file), "--out", str(tmp_path / "run"), "--threads", "1"]) == 0
    assert main(["--card", str(file), "--out", str(tmp_path / "run"), "--seed", "5"]) == 2
    assert "seed is 1 there, not 5" in capsys.readouterr().err


def test_a_network_of_several_runs(tmp_path: Path) -> None:
    """Each run starts from the network before, and any of them can be interrupted."""
    file = card(tmp_path, (0.0, 1.0), runs=[SMALL, SMALL | {"seed": 2, "learning_rate": 1e-4}])
    folder = tmp_path / "run"
    options = ["--card", str(file), "--out", str(folder), "--threads", "1"]
    assert main(options) == 0
    config = json.loads((folder / "run-2" / "config.json").read_text())["arguments"]
    assert (config["start"], config["seed"], config["learning_rate"]) == (str(folder / "network.safetensors"), 2, 1e-4)
    whole = (folder / "run-2" / "network.safetensors").read_bytes()
    shutil.rmtree(folder / "run-2")
    assert main(options) == 0
    assert (folder / "run-2" / "network.safetensors").read_bytes() == whole


def test_a_network_that_is_too_weak(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = PortaNigra(2)
    torch.manual_seed(1)
    save_network(tmp_path / "model.safetensors", Network(Shape.of(game, width=8)), [game])
    assert main(["--card", str(card(tmp_path, (0.9, 1.0))), "--measure-only"]) == 1
    assert "BELOW 90% to 100%" in capsys.readouterr().out


def test_a_network_of_several_sets_is_measured_on_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    training = make_training(component_sets=2, total_timesteps=512)
    save_network(tmp_path / "network", training.network, training.games)
    played: list[tuple[str, int]] = []

    def strength(decide: Any, opponent: Any, game: Any, seeds: Sequence[int]) -> Strength:
        played.append((game.components.name, len(seeds)))
        share = 0.25 * len(played)
        return Strength(Estimate(share, share, share), 8.0 * share)

    monkeypatch.setattr(reproduce, "SETS", 2)
    monkeypatch.setattr(reproduce, "strength", strength)
    measured = reproduce.measure(tmp_path / "network", training.options, "builder", 9)["2"]
    assert played == [("varied_1000001", 4), ("varied_1000002", 4)]
    assert (measured.share.value, measured.margin) == (0.375, 3.0)
    page = pages.page(Card(runs=({"component_sets": 2},), deals=9, opponent="builder", against={}), "model")
    assert "with 20 drawn component sets that training had not" in page


def test_a_stronger_network_passes() -> None:
    content = Card(runs=({},), deals=1, opponent="builder", against={"2": Measured(lands_in=(0.4, 0.5))})
    lines, right = verdict(content, {"2": Strength(Estimate(0.6, 0.55, 0.65), 3.0)})
    assert right
    assert "above" in lines[0]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not a model card"),
        ("{}", "not a model card"),
        (json.dumps(CARD | {"runs": [{"speed": 1}]}), "runs 1: this version has no option 'speed'"),
        (json.dumps(CARD | {"runs": [{"num_envs": "many"}]}), "runs 1: Expected `int`, got `str` - at `$.num_envs`"),
        (json.dumps(CARD | {"runs": []}), "not a model card"),
        (json.dumps(CARD | {"runs": [1]}), "not a model card"),
        (json.dumps(CARD | {"against": {"2": {}}}), "required field `lands_in`"),
        (json.dumps(CARD | {"against": {"7": {"lands_in": [0, 1]}}}), "--players must be out of 2, 3, 4, not 7"),
    ],
)
def test_damaged_cards(content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.json").write_text(content)
    assert main(["--card", str(tmp_path / "model.json")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_network_is_measured_by_its_name(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    measured: list[Path] = []

    def measure(network: Path, options: ppo.Options, opponent: str, deals: int) -> dict[str, Strength]:
        measured.append(network)
        return {str(one): Strength(Estimate(1.0, 1.0, 1.0), 0.0) for one in options.players}

    monkeypatch.setattr(reproduce, "measure", measure)
    assert main([name, "--measure-only"]) == 0
    assert [one.stem for one in measured] == [name]
    assert "players: wins 100.0%" in capsys.readouterr().out


def test_options_without_effect_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([PUBLISHED[0], "--card", "model.json"]) == 2
    assert f"leave out {PUBLISHED[0]} or --card" in capsys.readouterr().err
    assert main([PUBLISHED[0], "--measure-only", "--seed", "2"]) == 2
    assert "leave out --seed and --out" in capsys.readouterr().err


def test_an_unknown_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["five_players"]) == 2
    there = f"there are {', '.join(PUBLISHED)}"
    assert f"MODEL: no published network is called 'five_players'; {there}" in capsys.readouterr().err
    assert main([]) == 2
    assert f"MODEL: name a published network: {', '.join(PUBLISHED)}" in capsys.readouterr().err


@pytest.mark.parametrize("name", first_by_default(PUBLISHED))
def test_a_published_card_is_that_of_its_network(name: str) -> None:
    file = cards()[name]
    content = read_card(file)
    for chosen in content.options():
        ppo.check(chosen)
        assert chosen.total_timesteps > 0, "a run by the clock is not the same on another machine"
        assert set(content.players) <= set(chosen.players)
    assert chosen.players == content.players
    # A sample of the measurement has to agree with the card.
    for number, strength in reproduce.measure(file.with_suffix(".safetensors"), chosen, content.opponent, 60).items():
        share, low, high = content.against[number].share
        least, most = content.against[number].lands_in
        assert least <= share <= most, number
        assert strength.share.low <= high, number
        assert strength.share.high >= low, number


@pytest.mark.parametrize(
    ("precision", "steps", "won", "last"),
    [
        (
            "bfloat16",
            7,
            "won 40 % with 14 million and 90 % with 31 million steps in all",
            "To train on: python -m training.demo --minutes 14",
        ),
        (
            "bfloat16",
            31,
            "won 40 % with 14 million and 90 % with 31 million steps in all",
            "which take 2 and 3 minutes on this machine.",
        ),
        (
            "float32",
            14,
            "won 40 % with 13 million and 90 % with 27 million steps in all",
            "To train on: python -m training.demo --minutes 6",
        ),
    ],
)
def test_a_demo_says_what_to_expect_of_the_machine(precision: str, steps: int, won: str, last: str) -> None:
    text = demo.outlook(steps * 1_000_000, 180.0, precision)
    assert text.startswith(f"{steps}.0 million steps in 3.0 minutes.")
    assert won in text
    assert text.endswith(last)


@pytest.mark.long
def test_a_short_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "demo"
    options = ["--minutes", "0.01", "--games", "4", "--out", str(folder)]
    assert demo.main(options) == 0
    out = capsys.readouterr().out
    for name in ("random", "greedy", "builder", "network"):
        assert name in out
    assert "on this machine." in out
    assert (folder / "curve.png").read_bytes().startswith(b"\x89PNG")
    (ladder,) = folder.glob("ladder-*")
    assert (ladder / "report.html").exists()
    # Repeated, nothing is trained or played.
    assert demo.main(options) == 0
    assert "resuming the run" in capsys.readouterr().out
    assert list(folder.glob("ladder-*")) == [ladder]
    assert demo.main([*options, "--seed", "7"]) == 2
    assert "seed is 1 there, not 7; name another folder with --out" in capsys.readouterr().err
    # A network that has learned more plays another ladder.
    # Evaluations count as time of the run, and could take longer than the rest.
    monkeypatch.setattr(ppo.Training, "evaluate", lambda self: {})
    taken = json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])["seconds"]
    assert demo.main([*options[:1], str((taken + 3) / 60), *options[2:]]) == 0
    assert len(list(folder.glob("ladder-*"))) == 2
    (folder / "checkpoint.safetensors").write_bytes(b"nonsense")
    assert demo.main(options) == 2
    assert "not a checkpoint" in capsys.readouterr().err


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_page_is_that_of_its_card_and_of_the_ladder(name: str) -> None:
    """`python -m training.publish pages` writes the pages."""
    file = cards()[name]
    page = file.with_suffix(".md").read_text()
    assert page == pages.page(read_card(file), name)
    assert ("1 of 8" in page) == (name == "all_players")


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_exploiter_is_stronger_than_the_strongest_agent_found(name: str) -> None:
    card = read_card(cards()[name])
    page = pages.page(card, name)
    for players, exploiter in card.exploiters.items():
        strongest = card.strongest[players]
        assert strongest.share[0] >= max(share for _, share, *_ in exploiter.curve)
        assert f"| {players} | `{strongest.agent}` | {strongest.share[0]:.1%} |" in page
        assert strongest.command in page


def test_pages_are_written_when_all_cards_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "damaged.json").write_text("{")
    good = tmp_path / "good.json"
    good.write_bytes(cards()["two_players"].read_bytes())
    monkeypatch.setattr(pages, "cards", lambda: {"good": good, "damaged": tmp_path / "damaged.json"})
    assert publish.main(["pages"]) == 2
    assert "damaged.json" in capsys.readouterr().err
    assert not good.with_suffix(".md").exists()


def test_a_command_can_be_parsed() -> None:
    """Parsing it gives the same run: switches, several values, paths."""
    wanted = ppo.Options(
        players=(2, 3), cuda_graphs=False, compile=True, keep_fraction=1.0, pool_networks=(Path("a"), Path("b"))
    )
    words = pages.command_of(wanted).split()
    assert words[:3] == ["python", "-m", "training.ppo"]
    assert "--no-cuda-graphs" in words
    assert tyro.cli(ppo.Options, args=words[3:]).with_game_defaults() == wanted.with_game_defaults()


def test_publishing_a_network_of_several_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    models, second = tmp_path / "models", tmp_path / "second"
    models.mkdir()
    first = card(models, (0.0, 1.0), spent=[{"minutes": 2.0, "machine": "an abacus"}], remark="About the first.")
    game = PortaNigra(2)
    save_network(models / "model.safetensors", Network(Shape.of(game, width=8)), [game])
    arguments = SMALL | {"out": second, "evaluate": ("random",), "players": (2,), "threads": 1, "seed": 3}
    training, run = ppo.prepare(ppo.Options(**arguments, start=models / "model.safetensors"))
    training.run(run)
    (models / "model.png").write_bytes(b"the first curve")
    options = ["network", str(second), *words("further --deals 3 --slack 0.5 --out"), str(tmp_path / "out")]
    monkeypatch.setattr(network, "cards", lambda: {"model": tmp_path / "elsewhere.json"})
    assert publish.main(options) == 2
    assert "which has neither a card nor a run" in capsys.readouterr().err
    monkeypatch.setattr(network, "cards", lambda: {"model": first})
    assert publish.main(options) == 0
    content = read_card(tmp_path / "out" / "further.json")
    assert [one.get("seed") for one in content.runs] == [None, 3]
    # Minutes are counted per machine.
    assert [one.machine == "an abacus" for one in content.spent] == [True, False]
    assert content.spent[0].minutes == 2.0
    assert (tmp_path / "out" / "further.png").read_bytes() == b"the first curve"
    assert (tmp_path / "out" / "further_2.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "out" / "further.md").read_text()
    assert "2 minutes on an abacus and 0 minutes on " in page
    assert "--out runs/part-1\npython -m training.ppo --start runs/part-1/network.safetensors" in page
    # A run from the network of that run has the runs of both.
    third = tmp_path / "third"
    training, run = ppo.prepare(ppo.Options(**arguments | {"out": third}, start=second / "network.safetensors"))
    training.run(run)
    # After so few steps, chance decides whether it is stronger; tests/training/test_gates.py plays the games of gates.
    gate = Gate("further", True, 8, 0.75, (0.0, 10.0))
    monkeypatch.setattr(network, "run_gates", lambda *_: ({"2": gate}, ["passed"]))
    assert publish.main(["network", str(third), *options[2:], "--remark", "About the third."]) == 0
    later = read_card(tmp_path / "out" / "further.json")
    assert later.runs[:2] == content.runs
    assert (content.gates, later.gates) == ({}, {"2": (gate,)})
    assert (content.remark, later.remark) == ("", "About the third.")
    assert (tmp_path / "out" / "further_3.png").read_bytes() == (third / "curve.png").read_bytes()


def test_a_card_names_a_published_teacher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.safetensors"
    save_network(own, load_network(PortaNigra.networks()[2]), [PortaNigra(2)])
    arguments = SMALL | {"evaluate": ("random",), "players": (2,), "threads": 1}
    for name, teacher in (("named", "all_players"), ("file", str(own))):
        training, run = ppo.prepare(ppo.Options(**arguments | {"out": tmp_path / name, "teacher": teacher}))
        training.run(run)
    options = words(f"--deals 3 --slack 0.5 --out {tmp_path / 'out'}")
    assert publish.main(["network", str(tmp_path / "file"), "model", *options]) == 2
    assert f"no published network is its teacher {own}, so a card cannot name it" in capsys.readouterr().err
    assert publish.main(["network", str(tmp_path / "named"), "all_players", *options]) == 2
    assert "MODEL: all_players was the teacher; give the new network another name" in capsys.readouterr().err
    assert publish.main(["network", str(tmp_path / "named"), "model", *options]) == 0
    assert read_card(tmp_path / "out" / "model.json").runs[0]["teacher"] == "all_players"
    assert "--teacher all_players" in (tmp_path / "out" / "model.md").read_text()
    assert "self-play, with `all_players` as teacher, for 2 players" in (tmp_path / "out" / "model.md").read_text()
    # A network that was replaced in the meantime is not the teacher any more.
    other = load_teacher("any_components", [PortaNigra(2)])
    monkeypatch.setattr(network, "load_teacher", lambda *_: other)
    assert publish.main(["network", str(tmp_path / "named"), "again", *options]) == 2
    assert "no published network is its teacher all_players" in capsys.readouterr().err


def test_a_card_with_a_start_that_teaches_can_be_reproduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = SMALL | {"evaluate": ("random",), "players": (2,), "component_sets": 2, "total_timesteps": 256}
    given: tuple[dict[str, Any], ...] = (
        {}, {"start": tmp_path / "0" / "network.safetensors", "start_teaches": True, "teacher": "all_players"},
    )  # fmt: skip
    for number, more in enumerate(given):
        training, run = ppo.prepare(ppo.Options(**arguments | more | {"out": tmp_path / str(number)}))
        training.run(run)
    assert publish.main(["network", str(tmp_path / "1"), *words(f"model --deals 20 --slack 1 --out {tmp_path}")]) == 0
    content = read_card(tmp_path / "model.json")
    assert [run.start_teaches for run in content.options()] == [False, True]
    page = (tmp_path / "model.md").read_text()
    assert "self-play, with `all_players` and the network before it as teachers, for 2 players" in page
    capsys.readouterr()
    again = f"reproduce --card {tmp_path / 'model.json'} --out {tmp_path / 'again'} --threads 1"
    assert publish.main(words(again)) == 0, capsys.readouterr()
    tensors, _ = read_tensors(tmp_path / "again" / "run-2" / "checkpoint.safetensors")
    first, _ = read_tensors(tmp_path / "again" / "network.safetensors")
    assert all(torch.equal(tensors[f"start.{name}"], one) for name, one in first.items())
    # The card tells the teacher, so a network that has its name later does not pass for it.
    assert content.teachers == {"all_players": load_network(PortaNigra.networks()[2]).fingerprint()}
    assert "teacher" not in capsys.readouterr().out
    other = {"all_players": fingerprint_of("porta_nigra", "two_players"), "not published": "x"}
    (tmp_path / "model.json").write_bytes(msgspec.json.encode(msgspec.structs.replace(content, teachers=other)))
    assert publish.main(words(again)) == 0
    printed = capsys.readouterr().out
    for name in other:
        assert f"--teacher {name}: the published network has changed since, so the training differs" in printed
    # Of two networks of one name, the card keeps the first.
    last = read_config(tmp_path / "1", "ppo", ppo.Options)
    found = network.Course(teachers=other)
    monkeypatch.setattr(network, "_course_before", lambda *_: found)
    assert network.course_of(tmp_path / "1").teachers == other
    # A start that was replaced cannot be named.
    assert last.start is not None
    save_network(last.start, load_network(last.start), [PortaNigra(2)])
    network.course_of(tmp_path / "1")
    save_network(last.start, load_network(PortaNigra.general_networks()[2]), [PortaNigra(2)])
    with pytest.raises(ValueError, match="was replaced since the run started, so a card cannot name it"):
        network.course_of(tmp_path / "1")


@pytest.mark.parametrize(
    ("more", "met"),
    [
        ([{}], "Trained by self-play for 2 players"),
        (
            [{}, {"pool_fraction": 0.5, "pool_agents": ["greedy"], "total_timesteps": 10_000_000}],
            "self-play and in games against `greedy`, past selves for 2",
        ),
        ([{"pool_fraction": 0.5, "pool_agents": ["greedy"]}], "self-play and in games against `greedy` for 2"),
        ([{"pool_fraction": 0.5, "pool_agents": []}], "self-play and in games against past selves for 2"),
    ],
)
def test_a_page_names_the_pool(more: list[dict[str, Any]], met: str, tmp_path: Path) -> None:
    assert met in pages.page(read_card(card(tmp_path, (0.0, 1.0), runs=[SMALL | one for one in more])), "model")


def test_publishing_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    arguments = SMALL | {"out": folder, "evaluate": ("random",), "players": (2, 3), "threads": 1}
    training, run = ppo.prepare(ppo.Options(**arguments))
    training.run(run)
    run.close()
    options = ["network", str(folder), *words("all_players --deals 3 --slack 0.5 --out"), str(tmp_path / "models")]
    assert publish.main(options) == 0
    page = (tmp_path / "models" / "all_players.md").read_text()
    assert "python -m training.ppo --players 2 3 --total-timesteps 256" in page
    assert page in capsys.readouterr().out
    file = tmp_path / "models" / "all_players.json"
    content = read_card(file)
    assert content.runs[0]["total_timesteps"] == 256
    # The published network is as strong as its card says.
    assert main(["--card", str(file), "--measure-only"]) == 0
    # An unfinished run, whose network is older than its checkpoint, is refused.
    before = (folder / "network.safetensors").read_bytes()
    assert ppo.main(["--resume", str(folder), "--total-timesteps", "512"]) == 0
    (folder / "network.safetensors").write_bytes(before)
    assert publish.main(options) == 2
    assert "is older than" in capsys.readouterr().err
    (folder / "network.safetensors").unlink()
    assert publish.main(options) == 2
    assert "there is no such file" in capsys.readouterr().err
