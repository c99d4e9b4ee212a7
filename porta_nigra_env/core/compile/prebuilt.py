"""Machine code built in advance, which is loaded before the cache is looked at.

numba compiles for the CPU at hand. A package can bring along code for an instruction-set level of x86-64 instead. The
highest level that the CPU has is used, and never one above.

Each level has an index, a JSON file of cache folders (`core.compile.cache`) and the archives that hold their functions.
Other sources, flags or versions of numba have folders of other names and find nothing; functions of other versions of
Python have other names. So all that does not fit is compiled, with the same results.

``PORTA_NIGRA_PREBUILT=0`` compiles for the CPU at hand; a level's name there is the highest one to use.
`python -m porta_nigra_env.cache build` writes the archives.
"""

from __future__ import annotations

import functools
import json
import lzma
import os
import pickle
import stat
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import llvmlite.binding
import numba.core.config
from numba.core.caching import IndexDataCacheFile

from porta_nigra_env.core.compile.cache_folders import IN_USE, print_once

#: The archives. Only the package's folder is read: an archive is code, like the modules beside it.
ARCHIVES: Final = Path(__file__).parents[2] / "prebuilt"
#: The archive of functions that several games use.
SHARED: Final = "shared"

#: CPU features by level, the highest level first, as LLVM names them (System V ABI for x86-64, 3.1.1).
_V2: Final = frozenset({"cx16", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3"})
_V3: Final = _V2 | {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}
_V4: Final = _V3 | {"avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl"}
LEVELS: Final = {"x86-64-v4": _V4, "x86-64-v3": _V3, "x86-64-v2": _V2}

_config: Any = numba.core.config
_CacheFile: Any = IndexDataCacheFile
_binding: Any = llvmlite.binding


def supported_levels() -> list[str]:
    """Return the levels that the CPU has, the highest first."""
    features = {name for name, has in _binding.get_host_cpu_features().items() if has}
    return [level for level, needed in LEVELS.items() if needed <= features]


@functools.cache
def usable_levels() -> list[str]:
    """Return the levels that archives may be used of, the highest first.

    Raises:
        ValueError: ``PORTA_NIGRA_PREBUILT`` is neither "0", "1" nor a level.
    """
    wanted = os.environ.get("PORTA_NIGRA_PREBUILT") or "1"
    if wanted not in ("0", "1", *LEVELS):
        raise ValueError(f"PORTA_NIGRA_PREBUILT: {wanted!r} is not one of 0, 1, {', '.join(LEVELS)}")
    # A CPU that is named to numba asks for its own code.
    if wanted == "0" or _config.CPU_NAME or _config.CPU_FEATURES is not None:
        return []
    names = list(LEVELS)
    return [level for level in supported_levels() if wanted == "1" or names.index(level) >= names.index(wanted)]


class StoredFunction:
    """The machine code of one function in an archive, in place of numba's cache file.

    overloads: signatures with pickled cache entries.
    """

    def __init__(self, overloads: list[tuple[Any, bytes]]) -> None:
        self._overloads = overloads

    def load(self, key: tuple[Any, object]) -> Any:
        """Return the cache entry of (signature, CPU), or None; the archive's level stands for the CPU."""
        found = next((pickle.loads(entry) for signature, entry in self._overloads if signature == key[0]), None)
        if found is not None:
            IN_USE.add(ARCHIVES)
        return found


def stored_function(folder: str, name: str) -> StoredFunction | None:
    """Return the machine code of a function, or None if no archive has it for this CPU.

    Args:
        folder: name of the cache folder.
        name: the function's name in it, without suffix.
    """
    overloads = _functions(folder).get(name)
    return None if overloads is None else StoredFunction(pickle.loads(overloads))


@functools.cache
def _functions(folder: str) -> dict[str, bytes]:
    """Return the pickled overloads of a cache folder by function; empty if there are none for this CPU."""
    for level in usable_levels() if ARCHIVES.is_dir() else ():
        try:
            if (archive := _index(level).get(folder)) is not None:
                return _read(archive, level)[folder]
        except (OSError, EOFError, ValueError, KeyError, lzma.LZMAError, pickle.UnpicklingError) as error:
            print_once(f"{ARCHIVES}: code for {level} is damaged and not used; reinstall the package ({error})")
    return {}


@functools.cache
def _index(level: str) -> dict[str, str]:
    """Return the names of archives by cache folder."""
    path = _index_path(ARCHIVES, level)
    if not path.exists():
        return {}
    index = json.loads(path.read_bytes())
    return dict(index["folders"]) if index["triple"] == _binding.get_process_triple() else {}


@functools.cache
def _read(archive: str, level: str) -> dict[str, dict[str, bytes]]:
    """Return the functions of an archive by cache folder. Raises ValueError if another user could have written it."""
    path = _archive_path(ARCHIVES, archive, level)
    for inspected in (path, path.parent):
        if os.name == "posix" and inspected.stat().st_mode & stat.S_IWOTH:
            raise ValueError(f"all users may write {inspected}")
    return dict(pickle.loads(lzma.decompress(path.read_bytes())))


def _index_path(out: Path, level: str) -> Path:
    return out / f"{level}.json"


def _archive_path(out: Path, archive: str, level: str) -> Path:
    return out / f"{archive}.{level}.xz"


def write_archives(caches: Mapping[str, Path], level: str, out: Path) -> list[Path]:
    """Write the functions of caches that were compiled for a level; return the archives.

    Args:
        caches: caches by the name of their archive. Folders that several have go into the archive `SHARED`.
        level: a level; numba compiled with ``NUMBA_CPU_NAME`` set to it and without further features.
        out: folder of the index and the archives; those of the level in it are replaced.

    Raises:
        ValueError: some code was compiled for another CPU.
    """
    from porta_nigra_env.core.files import write_whole  # a start needs no locks

    owners: defaultdict[str, set[str]] = defaultdict(set)
    functions: defaultdict[tuple[str, str], dict[Any, bytes]] = defaultdict(dict)
    for archive, cache in caches.items():
        for index in sorted(cache.glob("*/*.nbi")):
            if ".callee." not in index.name:  # callees serve only compilation
                owners[index.parent.name].add(archive)
                functions[index.parent.name, index.stem].update(_overloads(index, level))
    folders = {folder: archives.pop() if len(archives) == 1 else SHARED for folder, archives in owners.items()}
    contents: defaultdict[str, defaultdict[str, dict[str, bytes]]] = defaultdict(lambda: defaultdict(dict))
    for (folder, name), overloads in functions.items():
        contents[folders[folder]][folder][name] = pickle.dumps(list(overloads.items()))
    out.mkdir(mode=0o755, exist_ok=True)
    for old in out.glob(f"*{level}.*"):
        old.unlink()
    for archive, content in contents.items():
        # The check sum finds every damage when the archive is read.
        compressed = lzma.compress(pickle.dumps(dict(content)), check=lzma.CHECK_SHA256, preset=9 | lzma.PRESET_EXTREME)
        write_whole(_archive_path(out, archive, level), compressed)
    write_whole(_index_path(out, level), json.dumps({"triple": _binding.get_process_triple(), "folders": folders}))
    return [_archive_path(out, archive, level) for archive in contents]


def _overloads(index: Path, level: str) -> Iterator[tuple[Any, bytes]]:
    """Yield signatures and pickled entries of a function in a cache."""
    file = _CacheFile(str(index.parent), index.stem, index.parent.name)
    for (signature, compiled_for), data in file._load_index().items():
        if compiled_for[1:] != (level, ""):
            raise ValueError(f"{index}: compiled for {' '.join(compiled_for[1:])}, not for {level}")
        yield signature, index.with_name(data).read_bytes()
