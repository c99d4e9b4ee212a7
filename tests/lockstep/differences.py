"""What differs between two positions.  A referee uses it too, so nothing of the engine is imported here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

#: Keys of a position in which no referee has a say.
UNRULED: Final = frozenset({"rng", "components_digest"})


def differences(a: Any, b: Any) -> list[str]:
    """Readable paths of the fields in which two positions differ, other than those `UNRULED`."""
    return list(_differences(a, b, ""))


def _differences(a: Any, b: Any, path: str) -> Iterator[str]:
    if type(a) is not type(b) or (isinstance(a, list) and len(a) != len(b)):  # 1, 1.0 and true are different values
        yield f"{path}: {a!r} != {b!r}"
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
                yield from _differences(a[key], b[key], here)
    elif isinstance(a, list):
        for place, (one, other) in enumerate(zip(a, b, strict=True)):
            yield from _differences(one, other, f"{path}[{place}]")
    elif a != b:
        yield f"{path}: {a!r} != {b!r}"
