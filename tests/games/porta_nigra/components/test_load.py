"""Component files: accepted and refused files, and the compiled constants."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porta_nigra_env.components import main
from porta_nigra_env.core.positions.components import ComponentError
from porta_nigra_env.games import GAMES
from porta_nigra_env.games.porta_nigra.actions import NUM_WORDS
from porta_nigra_env.games.porta_nigra.components import names
from porta_nigra_env.games.porta_nigra.components.load import SETS, from_data, load
from porta_nigra_env.games.porta_nigra.components.schema import TABLES
from tests.games.component_files import changed, parsed
from tests.games.porta_nigra.components.files import FILES, OTHER, STANDARD, within_state_and_observation_bounds

# ------------------------------------------------------------------------------------------------ the standard file


def test_standard_agrees_with_the_rulebook_texts() -> None:
    """Facts told by the rulebooks' text and examples, one by one."""
    data = load("standard").data
    spots = data["spots"]
    for colour, bricks in (("blue", 2), ("yellow", 2), ("white", 4)):
        assert [colour, bricks] in [spot[:2] for spot in spots["basilica"]["A"]]
    assert ["red", 2] in [spot[:2] for spot in spots["basilica"]["B"]]
    assert ["yellow", 2, 9] in spots["basilica"]["A"] + spots["basilica"]["B"]
    for colour in ("yellow", "red"):
        assert [colour, 3] in [spot[:2] for spot in spots["amphitheatre"]["A"]]
    assert "yellow" in spots["porta_nigra"]["A"]

    supplies = [set(card["shops"]) for card in data["supply_cards"]]
    assert {"white", "yellow", "red", "blue"} in supplies
    assert {3, 4} <= {len(shops) for shops in supplies}

    cards = data["action_cards"]
    assert len({(card["torches"], *sorted(card["icons"])) for card in cards}) == 8
    assert [(card["torches"], len(card["icons"])) for card in cards].count((2, 3)) == 1
    assert ["build", "buy_any", "buy_any", "coins_5"] in [sorted(card["icons"]) for card in cards]
    assert {"coins_3", "coins_4", "coins_5"} <= {icon for card in cards for icon in card["icons"]}

    honours = data["honour_cards"]
    paid = {card["final_vp"]: card for card in honours if "final_vp" in card}
    assert sorted(paid) == [30, 42, 56]
    assert (paid[30]["cost"], paid[30]["discard_buildings"]) == (2, 4)
    assert (paid[42]["discard_final"], paid[56]["discard_final"]) == (30, 42)
    assert {card["cost"] for card in honours if "substitute" in card} == {2}
    assert {card["cost"] for card in honours} == {1, 2, 3}
    assert any(card.get("porta_nigra_brick") for card in honours)


def test_standard_has_the_rulebook_numbers() -> None:
    data = load("standard").data
    constants = data["constants"]
    assert list(constants["brick_price"].values()) == [1, 2, 3, 4, 5]
    expected = {
        "bricks_total": 90, "romans_per_player": 15, "start_romans": 5, "start_sesterces": 20, "start_torches": 1,
        "hand_size": 2, "border_cost": 1, "market_refill_below": 7, "market_refill_to": 14, "building_display": 6,
        "honour_display": 14, "influence_cost_roman": 2, "influence_cost_build": 2, "torch_to_sesterces": 1,
        "reward_every_bricks": 3, "porta_nigra_min_height": 3, "porta_nigra_max_height": 8, "early_end_bonus_vp": 5,
        "rounds": {"2": 3, "3": 2, "4": 2}, "interim_multiplier": {"2": 1, "3": 2, "4": 2},
        "set_vp": [0, 2, 6, 12, 20],
        "play_area_vp": {"roman": 1, "influence": 1, "torch": 1, "brick": 1, "sesterces_per_vp": 3},
    }  # fmt: skip
    assert {key: constants[key] for key in expected} == expected
    ring = data["board"]["shop_ring"]
    assert (ring.index("black") - ring.index("red")) % 4 == 2
    assert (ring.index("yellow") - ring.index("red")) % 4 == 1
    assert data["rewards"] == {
        "basilica": {"torches": 1, "romans": 1}, "amphitheatre": {"sesterces": 5, "romans": 1},
        "city_wall": {"white_bricks": 1}, "porta_nigra": {"influence": 1, "romans": 2},
    }  # fmt: skip
    assert data["majorities"] == {
        "basilica": {"A": [12, 6], "B": [12, 6]},
        "amphitheatre": {"A": [15, 7], "B": [10, 5], "C": [5, 2]},
        "city_wall": {"A": [20, 10]},
        "porta_nigra": {"3": [12, 6], "4": [15, 7], "5": [19, 9], "6": [24, 12], "7": [30, 15], "8": [37, 18]},
    }
    assert data["building_cards"]["no_card_rows"] == {"amphitheatre": ["C"]}


def test_other_differs_from_standard_in_every_constant_that_may_differ() -> None:
    """Otherwise tests that run with both files could not find a number in the code."""
    one, two = load("standard").data["constants"], load(OTHER).data["constants"]
    assert [name for name in one if one[name] == two[name]] == ["honour_purchases_per_turn"]
    constants = load("standard").constants[0], load(OTHER).constants[0]
    same = [name for name in TABLES.names or () if np.array_equal(constants[0][name], constants[1][name])]
    assert same == ["fixed_spots_of", "spot_building", "spot_row"]  # the shape of the board, the same in every set


# ------------------------------------------------------------------------------------------------ loading


def test_load_takes_names_paths_and_components(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standard = load()
    assert load("standard") is standard
    assert load(STANDARD) is standard
    assert load(str(STANDARD)) is standard
    assert load(standard) is standard
    assert standard.packaged
    assert standard.name == "standard"
    assert standard.edition == "de"
    other = load(OTHER)
    assert not other.packaged
    assert other != standard
    assert other != other.digest

    (tmp_path / "standard").write_bytes(OTHER.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert load("standard") is standard
    assert load("./standard") == other
    assert load(Path("standard").absolute()) == other


def test_a_file_that_was_edited_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = OTHER.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    before = load(path)
    path.write_text(text.replace("hand_size = 3", "hand_size = 4"), encoding="utf-8")
    assert (before.data["constants"]["hand_size"], load(path).data["constants"]["hand_size"]) == (3, 4)


def test_windows_text_is_accepted(tmp_path: Path) -> None:
    """A byte order mark and carriage returns, as some editors write them."""
    path = tmp_path / "mine.toml"
    path.write_bytes(b"\xef\xbb\xbf" + OTHER.read_bytes().replace(b"\n", b"\r\n"))
    assert load(path).document == load(OTHER).document


@FILES
def test_components_cannot_be_changed(path: Path) -> None:
    components = load(path)
    with pytest.raises(AttributeError):
        components.name = "mine"  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        components.constants["hand_size"] = 1
    components.data["constants"]["hand_size"] = -1
    assert components.data["constants"]["hand_size"] > 0


@FILES
def test_sizes_follow_the_file(path: Path) -> None:
    components, data = load(path), parsed(path)
    multiplier = max(data["constants"]["interim_multiplier"].values())
    assert components.num_honours == len(data["honour_cards"])
    assert components.num_tens == data["constants"]["bricks_total"] * multiplier // 10 + 1
    assert components.actions["honour"].size == components.num_honours
    assert components.actions["tens"].size == components.num_tens
    assert components.constants["tens_start"][0] == components.actions["tens"].start
    assert components.observations["honour_display"].size == components.num_honours
    assert components.privileged.size > components.observations.size
    assert components.actions.size <= 64 * NUM_WORDS
    assert components.card_names == tuple(card["name"] for card in data["action_cards"])
    assert components.honour_names == tuple(card["name"] for card in data["honour_cards"])


def test_turning_the_ring_changes_no_way() -> None:
    """The first shop of the list does not matter for the cost of movement."""
    data = parsed(STANDARD)
    ring = data["board"]["shop_ring"]
    turned = from_data(changed(data, {"board.shop_ring": ring[1:] + ring[:1]}), "turned").constants
    for field in ("way_to_shop", "way_to_building", "quarter_of_shop"):
        assert np.array_equal(turned[field], load().constants[field])


def test_the_rulebook_example_of_movement() -> None:
    """From the quarter of the red shop to the black shop: two borders, two sesterces."""
    record = load().constants[0]
    assert record["way_to_shop"][record["quarter_of_shop"][names.RED], names.BLACK] == 2


def test_the_most_that_a_player_could_collect() -> None:
    """The estimate, summed by hand: the 15 best elements, all rewards, honour cards, icons and interim scorings."""
    standard = parsed(STANDARD)
    every_brick = {"constants.reward_every_bricks": 1}
    spots = 40 + 2 * 32 + 2 * 24 + 21 + 3 * 16 + 15 + 2 * 13 + 12 + 2 * 11
    points = 120 * 99 + 2 * 120 + 5 + spots + 2 * 4 + 9 + 15
    changes = every_brick | {"constants.bricks_total": 120, "rewards.basilica.vp": 99}
    with pytest.raises(ComponentError, match=f"collect {points} vp in a game, {120 * 99} of them by this table"):
        from_data(changed(standard, changes), "mine")

    torches = 90 * 20 + 6 + 1 + 3 * 3
    sesterces = 9 * (torches + 3 * 21) + 20 + 2 * 90 + 90 * 5 + 24 + 3 * 15
    changes = every_brick | {"constants.torch_to_sesterces": 9, "rewards.basilica.torches": 20}
    with pytest.raises(ComponentError, match=f"collect {sesterces} sesterces"):
        from_data(changed(standard, changes), "mine")

    # 111 rewards of 90 influence tokens, and three icons in three rounds: the limit, 9,999.
    limit = every_brick | {"constants.bricks_total": 111, "rewards.porta_nigra.influence": 90}
    assert from_data(changed(standard, limit), "mine").constants["rewards"].max() == 90
    with pytest.raises(ComponentError, match="collect 10000 influence"):
        from_data(changed(standard, limit | {"honour_cards.19.gains.influence": 1}), "mine")


# ------------------------------------------------------------------------------------------------ unreadable files


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"name = \n", "(at line 1, column 8)"),
        (b'name = "a"\n\nname = "b"\n', "line 3"),
        (b'name = "a"\nedition = "\xff"\n', "line 2 is not UTF-8"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "not valid TOML"),
        (b"", "table [name]"),
    ],
    ids=["syntax", "twice", "latin-1", "nested", "digits", "empty"],
)
def test_unreadable_content(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(ComponentError) as caught:
        load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert expected in str(caught.value)


def test_no_such_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.toml"
    with pytest.raises(ComponentError, match=re.escape(f"{missing}: neither a packaged component set nor a file")):
        load(missing)
    with pytest.raises(ComponentError, match=f"{os.strerror(2)}.*did you mean 'standard'"):
        load("standrad")
    with pytest.raises(ComponentError, match="cannot be read"):
        load(tmp_path)
    with pytest.raises(ComponentError, match="cannot be read"):
        load("a\0b")


@pytest.mark.parametrize("source", [3, None, {"name": "standard"}], ids=["int", "none", "dict"])
def test_sources_of_another_type(source: Any) -> None:
    with pytest.raises(TypeError, match="'standard', a path or Components"):
        load(source)


def test_errors_are_value_errors_and_not_remembered(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("oops", encoding="utf-8")
    for _ in range(2):
        with pytest.raises(ValueError, match=re.escape(str(path))):
            load(path)
    path.write_bytes(STANDARD.read_bytes())
    assert load(path) == load()


# ------------------------------------------------------------------------------------------------ from the shell


def test_command_prints_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(OTHER)]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    for text in ("other", load(OTHER).digest, "villa", "theta", "12, 25, 40, 61", "board.quarter, honour_cards"):
        assert text in printed.out
    assert "packaged" not in printed.out
    assert main([]) == 0
    assert "packaged" in capsys.readouterr().out


def test_command_plays_with_a_set(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["varied:3", "--games", "20"]) == 0
    text = capsys.readouterr().out
    assert "varied_3" in text
    for players in (2, 3, 4):
        assert f"{players} players, 20 games: " in text
    assert text.count("wins by policy: greedy ") == 3


@pytest.mark.parametrize("option", ["--games", "--seed"])
def test_command_names_a_negative_option(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", "1", option, "-3"]) == 2
    assert capsys.readouterr() == ("", f"python -m porta_nigra_env.components: {option} must be at least 0, not -3\n")


@pytest.mark.parametrize("game", GAMES)
def test_command_names_the_game_of_a_file(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = STANDARD.parents[2] / game / "components" / STANDARD.name
    for other in GAMES.keys() - {game}:
        assert main([str(file), "--game", other]) == 1
        assert capsys.readouterr().err.endswith(f"; the tables are those of {game}: add --game {game}\n")


@pytest.mark.parametrize("text", ['name = "unclear"\n', "[board]\n[die]\n", "name = \n", "\xff"])
def test_command_names_no_game_without_cause(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "unclear.toml"
    file.write_text(text, encoding="latin-1")
    assert main([str(file)]) == 1
    assert main([str(tmp_path / "missing.toml")]) == 1
    assert "tables are those" not in capsys.readouterr().err


def test_command_in_a_shell(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(OTHER.read_text(encoding="utf-8").replace("hand_size = 3", "hand_size = 9"), encoding="utf-8")
    command = [sys.executable, "-m", "porta_nigra_env.components", str(path), "--game", "porta_nigra"]
    root = STANDARD.parents[4]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 1
    assert run.stdout == ""
    expected = f"error: {path}: table [constants], field hand_size: 9 is not allowed; give an integer from 1 to 7\n"
    assert run.stderr == expected


@settings(max_examples=150, deadline=None)
@given(st.integers(0, STANDARD.stat().st_size - 1), st.integers(0, 40), st.binary(max_size=6))
def test_damaged_text_loads_or_is_refused(start: int, length: int, patch: bytes) -> None:
    content = STANDARD.read_bytes()
    patched = content[:start] + patch + content[start + length :]
    try:
        within_state_and_observation_bounds(SETS._parse(patched, "damaged"))
    except ComponentError as error:
        assert str(error).startswith("damaged: ")
