"""The English of the repository: `docs/glossary.md` lists the terms, CONTRIBUTING.md the rules for sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.architecture.prose import (
    Passage,
    banned_words,
    document_prose,
    documents,
    fused_relatives,
    has_clause_opener,
    python_prose,
    script_prose,
    scripts,
    sentence_lengths,
    sources,
    summary,
)

#: These files list the banned words.
LISTS = ("glossary.md", "prose.py", "test_prose.py")

PYTHON = [one for path in sources() if path.name not in LISTS for one in python_prose(path)]
DOCUMENTS = [one for path in documents() if path.name not in LISTS for one in document_prose(path)]
SCRIPTS = [one for path in scripts() for one in script_prose(path)]


def location(passage: Passage) -> str:
    return f"{passage.path.name}:{passage.line}"


def test_no_text_has_a_banned_word() -> None:
    faults = [f"{location(one)}: {word}" for one in PYTHON + DOCUMENTS + SCRIPTS for word in banned_words(one.text)]
    assert not faults, "see docs/glossary.md for the words to use"


def test_docstrings_open_with_a_verb_or_a_noun() -> None:
    assert not [location(one) for one in PYTHON if one.kind == "docstring" and has_clause_opener(one.text)]


def test_fused_relatives_are_rare() -> None:
    assert summary(PYTHON + DOCUMENTS)["fused_per_10k"] <= 20


def test_sentences_of_documents_are_short() -> None:
    assert summary(DOCUMENTS)["sentence_p90"] <= 25


@pytest.mark.parametrize(
    ("text", "fused", "banned"),
    [
        ("What is left is drawn by whoever asks.", ["What", "whoever"], ["whoever"]),
        ("What is left?  The remaining cards.", [], []),
        ("Nobody compiles `anew`; nothing goes on.", [], ["Nobody", "goes on"]),
        ("Return the card that lies face up.", [], []),
    ],
)
def test_faults_are_found(text: str, fused: list[str], banned: list[str]) -> None:
    assert fused_relatives(text) == fused
    assert banned_words(text) == banned


def test_prose_is_read_without_code(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# What\n\nOne `what` sentence here.\n\n```\nwhat\n```\n\n| what |\n", encoding="utf-8")
    assert [one.text for one in document_prose(page)] == ["One `what` sentence here."]
    assert sentence_lengths("One short sentence here.  And a second one follows.") == [4, 5]
    program = tmp_path / "program.py"
    program.write_text('"""Play."""\n\n# Why.\nraise ValueError(f"no {1}")\n', encoding="utf-8")
    assert sorted((one.kind, one.text) for one in python_prose(program)) == [
        ("comment", "Why."),
        ("docstring", "Play."),
        ("message", "no "),
    ]
    script = tmp_path / "script.js"
    script.write_text('// Why this.\nconst a = "two words"; /* Block one. */ const b = "x";\n', encoding="utf-8")
    assert [one.text.strip() for one in script_prose(script)] == ["Why this.", "two words", "Block one."]
