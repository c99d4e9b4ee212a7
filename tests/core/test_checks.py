"""Checks of component files: accepted values and error messages."""

from __future__ import annotations

from typing import Any

import pytest

from porta_nigra_env.core.positions import checks
from porta_nigra_env.core.positions.checks import Check, Place
from porta_nigra_env.core.positions.components import ComponentError

TOP = Place("my.toml")

LIST = checks.list_of(checks.integer(0, 9), 1, 3)
DISTINCT = checks.list_of(checks.one_of(("red", "blue")), 0, 4, distinct=True)
PAIR = checks.entries(first=checks.integer(0, 9), second=checks.boolean)
TABLE = checks.table({"name": checks.name, "cost": checks.integer(1, 3)}, {"shown": checks.boolean})
ROWS = checks.list_of(TABLE, 1, 2, level="row")


@pytest.mark.parametrize(
    ("check", "value", "wanted"),
    [
        (checks.integer(2, 5), 2, 2),
        (checks.integer(2, 5), 5, 5),
        (checks.boolean, False, False),
        (checks.text, " de ", " de "),
        (checks.name, "a_1", "a_1"),
        (checks.one_of(("red", "blue")), "blue", "blue"),
        (LIST, (1, 2), [1, 2]),
        (DISTINCT, ["red", "blue"], ["red", "blue"]),
        (DISTINCT, [], []),
        (PAIR, [3, True], [3, True]),
        (TABLE, {"cost": 2, "name": "x"}, {"name": "x", "cost": 2}),
        (TABLE, {"shown": True, "cost": 2, "name": "x"}, {"name": "x", "cost": 2, "shown": True}),
    ],
)
def test_valid_values_are_returned_as_plain_data(check: Check, value: object, wanted: object) -> None:
    result = check(value, TOP)
    assert result == wanted
    assert type(result) is type(wanted)
    if isinstance(result, dict):
        assert list(result) == list(wanted)  # type: ignore[call-overload]  # in the order of the checks


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (checks.integer(2, 5), 6, "top level: 6 is not allowed; give an integer from 2 to 5"),
        (checks.integer(2, 5), True, "top level: True is not allowed; give an integer from 2 to 5"),
        (checks.integer(1, 1), 2, "top level: 2 is not allowed; give the integer 1"),
        (checks.boolean, 1, "top level: 1 is not allowed; give true or false"),
        (checks.text, " ", "top level: ' ' is not allowed; give a text that is not empty"),
        (checks.text, 5, "top level: 5 is not allowed; give a text that is not empty"),
        (checks.name, "A b", "top level: 'A b' is not a name; give one of a-z, 0-9 and _ only, like two_torches"),
        (checks.one_of(("red", "blue")), "blau", "top level: 'blau' is not known here; did you mean blue?"),
        (checks.one_of(("red", "blue")), "x", "top level: 'x' is not known here; give one of red, blue"),
        (checks.one_of(("red", "blue")), 1, "top level: 1 is not known here; give one of red, blue"),
        (LIST, 1, "top level: 1 is not a list; give a list of 1 to 3"),
        (LIST, [], "top level: 0 entries are not allowed; give a list of 1 to 3"),
        (LIST, [1, 10], "field 2: 10 is not allowed; give an integer from 0 to 9"),
        (DISTINCT, ["red", "red"], "field 2: 'red' is repeated; give each entry only once"),
        (PAIR, [1], "top level: [1] is not allowed; give a list [first, second]"),
        (PAIR, [1, 2], "field second: 2 is not allowed; give true or false"),
        (TABLE, [], "top level: [] is not a table; give a table with name, cost, shown"),
        (TABLE, {"name": "x"}, "field cost: is missing; add it"),
        (TABLE, {"name": "x", "cost": 1, "show": 1}, "field show: is unknown; did you mean shown?"),
        (TABLE, {"name": "x", "cost": 1, 7: 1}, "field 7: is unknown; give one of name, cost, shown"),
        (ROWS, [{"name": "x", "cost": 1}, {"name": "y", "cost": 9}],
         "row 2 (y), field cost: 9 is not allowed; give an integer from 1 to 3"),
        (ROWS, [{"name": 3, "cost": 1}],
         "row 1, field name: 3 is not a name; give one of a-z, 0-9 and _ only, like two_torches"),
    ],
)  # fmt: skip
def test_errors_name_the_location(check: Check, value: object, message: str) -> None:
    with pytest.raises(ComponentError) as refused:
        check(value, TOP)
    assert str(refused.value) == f"my.toml: {message}"


def test_a_location_lists_table_row_and_field() -> None:
    place = TOP.at("field", "vp").at("table", "cards").at("row", 3).at("field", 2)
    assert str(place.error("is wrong", "give 1")) == "my.toml: table [cards], row 3, field vp.2: is wrong; give 1"
    assert TOP.table == ""


@pytest.mark.parametrize("value", [10**5000, "x" * 200, [[1] * 100]], ids=["integer", "text", "list"])
def test_long_values_are_truncated(value: Any) -> None:
    with pytest.raises(ComponentError) as refused:
        checks.boolean(value, TOP)
    assert len(str(refused.value)) < 120


def test_rows_with_the_same_name_are_refused() -> None:
    place = TOP.at("table", "guards")
    guards = checks.list_of(checks.table({"name": checks.name}), 1, 3, level="row")
    assert guards([{"name": "a"}, {"name": "b"}], place) == [{"name": "a"}, {"name": "b"}]
    with pytest.raises(ComponentError) as refused:
        guards([{"name": "a"}, {"name": "b"}, {"name": "a"}], place)
    wanted = "table [guards], row 3 (a), field name: row 1 has the same name; give every row its own name"
    assert str(refused.value) == f"my.toml: {wanted}"
