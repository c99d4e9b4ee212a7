"""Every mistake of the catalogue still fits the source it is made in."""

from __future__ import annotations

from tests.games.porta_nigra.mutants.__main__ import ROOT, source_of, unplaced
from tests.games.porta_nigra.mutants.catalogue import CATALOGUE


def test_every_old_text_stands_exactly_once_in_its_file() -> None:
    assert not [f"{mutant.file}: {mutant.mistake}" for mutant in unplaced()]


def test_no_mistake_is_entered_twice_or_changes_nothing() -> None:
    changes = {(mutant.file, mutant.old, mutant.new) for mutant in CATALOGUE}
    assert len(changes) == len(CATALOGUE)
    assert all(mutant.old != mutant.new for mutant in CATALOGUE)


def test_files_are_those_of_the_kernel_or_of_the_package() -> None:
    package = ROOT / "porta_nigra_env"
    places = {source_of(mutant, ROOT).parent.relative_to(package).as_posix() for mutant in CATALOGUE}
    assert places == {"core", "games/porta_nigra/kernel"}
