"""Component files of any game: read, validated by the game package, and cached by digest.

A game package makes one `ComponentSets` from its standard file, the validation of a file (`core.positions.checks`) and
the function that fills the constants of the kernel.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from porta_nigra_env.core.positions.position import PositionError, refuse, shown

C = TypeVar("C", bound="Components")


class ComponentError(ValueError):
    """A component file that cannot be read or breaks a rule; the message names the location and the fix."""


#: Keys of a file without effect on the game; the digest leaves them out.
LABELS: Final = ("edition", "provenance")


def digest_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 (hex) of the canonical JSON of validated data without `LABELS`."""
    material = {key: value for key, value in data.items() if key not in LABELS}
    return hashlib.sha256(json.dumps(material, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


@dataclass(frozen=True, eq=False, repr=False)
class Components:
    """One component set of a game: validated and immutable; equal and hashed by digest.

    The subclass of a game package adds derived data and assigns `sets`.

    Attributes:
        name: its name in positions.
        edition: a label without effect on the game.
        digest: SHA-256 (hex) of the data that affects the game.
        document: all validated data as JSON text; `data` is the parsed form.
        constants: (1,) record array, read-only: the first argument of every kernel function.
    """

    #: All sets of the game, assigned by `ComponentSets`; unpickling uses it.
    sets: ClassVar[ComponentSets[Any]]

    name: str
    edition: str
    digest: str
    document: str
    constants: npt.NDArray[np.void]

    @property
    def data(self) -> dict[str, Any]:
        """The validated data, JSON-able; a fresh copy, so that callers cannot change the set."""
        data: dict[str, Any] = json.loads(self.document)
        return data

    @property
    def packaged(self) -> bool:
        """True if the set equals the packaged standard set, from any file."""
        return bool(self.digest == self.sets.packaged.digest)

    def summary(self) -> dict[str, str]:
        """Return a readable summary of the set: texts by title."""
        return {}

    def listings(self) -> dict[str, list[list[str]]]:
        """Return the tables for the page of the game, by name: rows of texts, the header first."""
        return {}

    def __reduce__(self) -> tuple[Any, ...]:
        # By content: the other process validates the copy with its own code, and its constants are read-only again.
        return _unpickled, (type(self), self.data)

    def __eq__(self, other: object) -> bool:
        return self.digest == other.digest if isinstance(other, Components) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r}, digest={self.digest[:12]!r})"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def _unpickled(kind: type[C], data: dict[str, Any]) -> C:
    components: C = kind.sets.from_data(data, f"pickled components {data['name']!r}")
    return components


#: Begins the name of a drawn set; its seed follows.
VARIED: Final = "varied:"


def _seed_of(name: str) -> int:
    number = name.removeprefix(VARIED)
    if not (number.isascii() and number.isdecimal()):
        raise ComponentError(f"{name}: {number!r} is no seed; give a number, as in {VARIED}7")
    return int(number)


#: A set as callers give it: "standard", "varied:SEED", the path of a component file, or the loaded set itself.
ComponentSource = str | os.PathLike[str] | Components


class ComponentSets(Generic[C]):
    """The component sets of a game that are loaded in this process.

    Args:
        kind: the class of the sets.
        standard: the packaged file, called "standard".
        validated: ``validated(data, source)`` returns the data of a file as plain JSON values in a fixed order without
            defaults; its ComponentError names the file `source`.
        dtype: dtype of the constants, with a field "digest" of 32 bytes.
        fill: ``fill(record, data)`` fills a record of constants, zero before, from validated data.
        derived: ``derived(data)`` returns the fields of `kind` that `Components` lacks.
        material: ``material(data)`` returns the data that the digest covers.
        vary: ``vary(data, rng)`` changes validated data of the standard file to those of another plausible file.
    """

    def __init__(
        self, kind: type[C], standard: Path, validated: Callable[[object, str], dict[str, Any]],
        dtype: np.dtype[np.void], fill: Callable[[np.void, dict[str, Any]], None],
        derived: Callable[[dict[str, Any]], dict[str, Any]],
        material: Callable[[dict[str, Any]], Mapping[str, Any]] = lambda data: data,
        vary: Callable[[dict[str, Any], np.random.Generator], dict[str, Any]] | None = None,
    ) -> None:  # fmt: skip
        self._kind, self._standard, self._validated = kind, standard, validated
        self._dtype, self._fill, self._derived, self._material = dtype, fill, derived, material
        self._vary = vary
        self._drawn: dict[int, C] = {}
        self._by_digest: dict[str, C] = {}
        # Each content is parsed once, and each document compiled once.
        self._parsed, self._compiled = lru_cache(maxsize=64)(self._parse), lru_cache(maxsize=64)(self._compile)
        self._packaged: C | None = None
        kind.sets = self

    @property
    def packaged(self) -> C:
        """The set of the packaged file, read once."""
        if self._packaged is None:
            self._packaged = self._parsed(self._standard.read_bytes(), str(self._standard))
        return self._packaged

    def load(self, source: ComponentSource = "standard") -> C:
        """Return a component set by its name, or that of the file at a path; a loaded set is returned as it is.

        The names are "standard" and "varied:SEED" (see `varied`); ``./standard`` is a file.  Files are cached by
        content, so an edited one is read again.

        Raises:
            ComponentError: the file is missing or breaks a rule.
        """
        if isinstance(source, Components):
            if source.sets is not self:
                raise ValueError(f"components: {source.name!r} is a set of another game")
            return source  # type: ignore[return-value]
        if not isinstance(source, str | os.PathLike):
            raise TypeError(f"components must be 'standard', a path or Components, not {type(source).__name__}")
        name = os.fsdecode(source)
        if name == "standard":
            return self.packaged
        if name.startswith(VARIED):
            return self.varied(_seed_of(name))
        try:
            content = Path(name).read_bytes()
        except FileNotFoundError as error:
            close = difflib.get_close_matches(name, ["standard"])
            hint = f"did you mean {close[0]!r}?" if close else "give 'standard', 'varied:SEED' or the path of a file"
            wrong = f"neither a packaged component set nor a file ({error.strerror})"
            raise ComponentError(f"{name}: {wrong}; {hint}") from error
        except (OSError, ValueError) as error:  # ValueError: a path that no file can have
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise ComponentError(f"{name!r}: cannot be read ({reason}); give a readable component file") from error
        return self._parsed(content, name)

    def varied(self, seed: int) -> C:
        """Return a plausible component set drawn from a seed; all of them have equal layouts and action ids.

        The tables that the rulebook shows as pictures are drawn, within the facts of its text.

        Raises:
            ComponentError: the game has no such generator.
        """
        if self._vary is None:
            raise ComponentError(f"{VARIED}{seed}: this game draws no component sets; give 'standard' or a path")
        if seed not in self._drawn:
            data = self._vary(self.packaged.data, np.random.default_rng(seed))
            self._drawn[seed] = self.from_data(data | {"name": f"varied_{seed}"}, f"{VARIED}{seed}")
        return self._drawn[seed]

    def from_data(self, data: Mapping[str, Any], source: str) -> C:
        """Return the component set of parsed data; errors call it `source`."""
        components = self._compiled(json.dumps(self._validated(data, source)))
        # Sets that differ in labels only share a digest; lookups by digest return the first of them.
        self._by_digest.setdefault(components.digest, components)
        return components

    def find(self, name: str | None = None, digest: str | None = None) -> C:
        """Return the loaded component set with this name and digest, as far as given.

        "standard" without a digest is always the packaged set.

        Raises:
            ValueError: no such set is loaded, or the name fits several and no digest decides.
        """
        packaged, loaded = self.packaged, self._by_digest
        if digest is not None:
            components = loaded.get(digest)
            if components is None:
                raise ValueError(f"components_digest: no component set {digest!r} is loaded; load() that set first")
            if name is not None and components.name != name:
                raise ValueError(
                    f"components: the set with this components_digest is called {components.name!r}, not {name!r}"
                )
            return components
        if name == packaged.name:  # positions of other sets of this name have a digest
            return packaged
        fitting = [components for components in loaded.values() if components.name == name]
        if not fitting:
            names = ", ".join(sorted({components.name for components in loaded.values()}))
            raise ValueError(
                f"components: no component set called {name!r} is loaded (there are {names}); load() its file first, "
                'or a drawn set by its seed, as in load("varied:7")'
            )
        if len(fitting) > 1:
            raise ValueError(f"components: {len(fitting)} loaded sets are called {name!r}; give components_digest")
        return fitting[0]

    def of_position(self, position: object) -> C:
        """Return the component set of a position, by `components_digest` where it is given, else by name."""
        if not isinstance(position, Mapping):
            refuse("position", f"expected an object, not {shown(position)}")
        name, digest = position.get("components"), position.get("components_digest")
        if not isinstance(name, str):
            refuse("components", f"expected the name of a component file, not {shown(name)}")
        if digest is not None and not isinstance(digest, str):
            refuse("components_digest", f"expected a digest as text, not {shown(digest)}")
        try:
            return self.find(name, digest)
        except ValueError as error:
            raise PositionError(str(error)) from None

    def _compile(self, document: str) -> C:
        data = json.loads(document)
        digest = digest_of(self._material(data))
        constants = np.zeros(1, dtype=self._dtype)
        self._fill(constants[0], data)
        constants["digest"] = np.frombuffer(bytes.fromhex(digest), dtype=np.uint8)
        constants.flags.writeable = False
        return self._kind(data["name"], data["edition"], digest, document, constants, **self._derived(data))

    def _parse(self, content: bytes, source: str) -> C:
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ComponentError(
                f"{source}: line {line} is not UTF-8 text; save the file with that encoding"
            ) from error
        try:
            data = tomllib.loads(text)
        except RecursionError as error:
            raise ComponentError(f"{source}: nested too deeply; no table needs more than three levels") from error
        except ValueError as error:  # TOMLDecodeError, or int() of thousands of digits
            raise ComponentError(f"{source}: not valid TOML: {error}") from error
        return self.from_data(data, source)
