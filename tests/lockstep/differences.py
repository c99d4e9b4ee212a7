"""Differences between two positions.  Referees use this module too, so it imports nothing of the engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any, Final

#: Keys of a position in which no referee has a say.
UNRULED: Final = frozenset({"rng", "components_digest"})


def differences(a: Any, b: Any, unordered: Collection[str] = ()) -> list[str]:
    """Readable paths of the fields in which two positions differ, other than those `UNRULED`.

    unordered: keys of lists whose order has no meaning.
    """
    return list(_differences(a, b, "", unordered))


def _differences(a: Any, b: Any, path: str, unordered: Collection[str]) -> Iterator[str]:
    differs = f"{path}: {a!r} != {b!r}"
    if isinstance(a, list) and isinstance(b, list) and path.rpartition(".")[2] in unordered:
        if Counter(map(repr, a)) != Counter(map(repr, b)):
            yield differs
    elif type(a) is not type(b) or (isinstance(a, list) and len(a) != len(b)):  # 1, 1.0 and true are different values
        yield differs
    elif isinstance(a, dict):
        for key in [*a, *(key for key in b if key not in a)]:
            here = f"{path}.{key}" if path else str(key)
            if key in UNRULED and not path:
                continue
            if key not in a:
                yield f"{here}: missing in the first"
            elif key not in b:
                yield f"{here}: missing in the second"
            else:
                yield from _differences(a[key], b[key], here, unordered)
    elif isinstance(a, list):
        for index, (left, right) in enumerate(zip(a, b, strict=True)):
            yield from _differences(left, right, f"{path}[{index}]", unordered)
    elif a != b:
        yield differs
