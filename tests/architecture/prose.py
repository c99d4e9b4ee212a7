"""Measure the English of docstrings, comments, messages and documents.

Fused relatives are relative clauses without a noun before them ("what is left", "whoever asks"). `docs/glossary.md`
lists the terms to use instead of the banned words.
"""

from __future__ import annotations

import ast
import io
import re
import statistics
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import tyro

ROOT: Final = Path(__file__).parents[2]
#: Folders of Python sources whose prose is measured.
SOURCES: Final = ("porta_nigra_env", "agents", "training", "benchmarks", "tests", "notebooks")

#: Words that the glossary replaces; each pattern is matched as a whole word, ignoring case.
BANNED: Final = (
    "whoever", "whomever", "whosoever", "whatever is", "anew", "goes on", "go on", "went on", "going on", "as begun",
    "stand-ins?", "somebody", "nobody", "everybody", "as of `", "of its own", "of one's own",
    "of her own", "of his own", "so many", "tenants?", "rooms?", "verbs?", "faces?(?![- ](?:up|down))",
    "decisions a second", "judgements?", "she", "her", "hers", "herself",
)  # fmt: skip
_BANNED: Final = re.compile(r"\b(?:" + "|".join(BANNED) + r")(?!\w)", re.IGNORECASE)
_FUSED: Final = re.compile(
    r"\b(?:what|whatever|whoever|whomever|whichever|wherever)\b|(?:^|[,;:(] ?)who\b", re.IGNORECASE
)
_OPENER: Final = re.compile(r"(?:What|Who|Whose|How|Whether|Of|As|Where|Which|Whom)\b")
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'-]*")
_CODE: Final = re.compile(r"``[^`]*``|`[^`\n]*`|https?://\S+")


class Passage(NamedTuple):
    """One piece of prose; kind: "docstring", "comment", "message" or "document"; line: of its first line."""

    path: Path
    line: int
    kind: str
    text: str


def _docstrings(path: Path, tree: ast.AST) -> Iterator[Passage]:
    """Yield the docstrings of modules, classes and functions, and those that stand below a field."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        for child in body:
            if (
                isinstance(child, ast.Expr)
                and isinstance(child.value, ast.Constant)
                and isinstance(child.value.value, str)
            ):
                yield Passage(path, child.lineno, "docstring", child.value.value)


def _messages(path: Path, tree: ast.AST) -> Iterator[Passage]:
    """Yield the texts of raised exceptions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            parts = [
                one.value for one in ast.walk(node.exc) if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            if parts:
                yield Passage(path, node.lineno, "message", " ".join(parts))


def _comments(path: Path, source: str) -> Iterator[Passage]:
    """Yield comments; consecutive comment lines are one passage."""
    lines: list[str] = []
    first = last = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or re.match(r"#\s*(?:fmt:|type:|noqa|%%|---|!)", token.string):
            continue
        if token.start[0] != last + 1 and lines:
            yield Passage(path, first, "comment", "\n".join(lines))
            lines = []
        first = token.start[0] if not lines else first
        last = token.start[0]
        lines.append(token.string.lstrip("#: "))
    if lines:
        yield Passage(path, first, "comment", "\n".join(lines))


def python_prose(path: Path) -> list[Passage]:
    """Return the docstrings, comments and error messages of a Python source."""
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    return [*_docstrings(path, tree), *_messages(path, tree), *_comments(path, source)]


def document_prose(path: Path) -> list[Passage]:
    """Return the paragraphs and list items of a Markdown document, without code, tables and generated blocks."""
    text = path.read_text(encoding="utf-8")

    def blank(match: re.Match[str]) -> str:
        return "\n" * match[0].count("\n")

    text = re.sub(r"```.*?```|<!-- generated: .*?<!-- end -->|<!--.*?-->", blank, text, flags=re.DOTALL)
    found: list[Passage] = []
    lines: list[str] = []
    first = 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        skipped = not line.strip() or line.lstrip().startswith(("|", "#", "<", "!["))
        if (skipped or re.match(r"\s*(?:[-*]|\d+\.) ", line)) and lines:
            found.append(Passage(path, first, "document", "\n".join(lines)))
            lines = []
        if not skipped:
            first = number if not lines else first
            lines.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line))
    return found


_SCRIPT_PROSE: Final = re.compile(
    r"(?s)/\*(?P<block>.*?)\*/|(?m:^|(?<=\s))//(?P<line>[^\n]*)|(?P<quote>[\"'`])(?P<string>(?:\\.|(?!(?P=quote)).)*?)(?P=quote)"
)


def script_prose(path: Path) -> list[Passage]:
    """Return the comments, and the strings of several words, of a JavaScript file or a template."""
    source = path.read_text(encoding="utf-8")
    return [
        Passage(path, source.count("\n", 0, match.start()) + 1, "comment", text)
        for match in _SCRIPT_PROSE.finditer(source)
        if (text := match["block"] or match["line"] or match["string"] or "") and (" " in text.strip())
    ]


def plain(text: str) -> str:
    """Return a text without code: code spans become the word "X", links their titles."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\s+", " ", _CODE.sub("X", text)).strip()


def count_words(text: str) -> int:
    """Return the number of words of a text without code."""
    return len(_WORD.findall(plain(text)))


def fused_relatives(text: str) -> list[str]:
    """Return the fused relatives of a text; questions do not count."""
    sentences = re.split(r"(?<=[.?!])\s", plain(text))
    return [match[0] for one in sentences if not one.endswith("?") for match in _FUSED.finditer(one)]


def banned_words(text: str) -> list[str]:
    """Return the banned words of a text without code."""
    return [match[0] for match in _BANNED.finditer(plain(text))]


def has_clause_opener(docstring: str) -> bool:
    """Return whether a docstring opens with a relative clause or a bare preposition."""
    return _OPENER.match(docstring.lstrip()) is not None


def sentence_lengths(text: str) -> list[int]:
    """Return the number of words of every sentence of a text, without headings of three words or fewer."""
    sentences = re.split(r"(?<=[.?!])\s", plain(text))
    return [length for one in sentences if (length := count_words(one)) > 3]


def sources(*folders: str) -> list[Path]:
    """Return all Python files below some folders of the checkout."""
    return sorted(file for folder in folders or SOURCES for file in (ROOT / folder).rglob("*.py"))


def scripts() -> list[Path]:
    """Return the JavaScript files and report templates of the checkout."""
    return sorted(one for pattern in ("*.js", "*.mjs", "*.j2") for one in (ROOT / "agents").rglob(pattern))


def documents() -> list[Path]:
    """Return all Markdown documents of the checkout, without installed packages and results."""
    hidden = re.compile(r"(?:^|/)(?:\.[^/]+|node_modules|results|runs)/")
    return sorted(one for one in ROOT.rglob("*.md") if not hidden.search(str(one.relative_to(ROOT))))


def summary(passages: Iterable[Passage]) -> dict[str, float]:
    """Return the figures of some passages: words, fused relatives, banned words, openers, lengths of sentences."""
    found = list(passages)
    words = sum(count_words(one.text) for one in found)
    docstrings = [one.text for one in found if one.kind == "docstring"]
    lengths = [length for one in found for length in sentence_lengths(one.text)]
    deciles = statistics.quantiles(lengths, n=10) if len(lengths) > 1 else [0.0] * 9
    return {
        "words": words,
        "fused_per_10k": 1e4 * sum(len(fused_relatives(one.text)) for one in found) / max(words, 1),
        "banned": sum(len(banned_words(one.text)) for one in found),
        "openers_percent": 100 * sum(map(has_clause_opener, docstrings)) / max(len(docstrings), 1),
        "sentence_median": deciles[4],
        "sentence_p90": deciles[8],
    }


def main(paths: tyro.conf.Positional[tuple[str, ...]] = ()) -> int:
    """Print the banned words, openers, fused relatives and long sentences of some files, then the figures.

    Args:
        paths: files or folders; all sources and documents by default.
    """
    roots = [ROOT / path for path in paths] or [*sources(), *documents()]
    files = [
        file for path in roots for file in ([path] if path.is_file() else [*path.rglob("*.py"), *path.rglob("*.md")])
    ]
    passages = [one for file in files for one in (document_prose(file) if file.suffix == ".md" else python_prose(file))]
    for one in passages:
        opener = ["opener"] if one.kind == "docstring" and has_clause_opener(one.text) else []
        long = [f"{length} words" for length in sentence_lengths(one.text) if length > 30]
        faults = [*opener, *banned_words(one.text), *fused_relatives(one.text), *long]
        if faults:
            print(f"{one.path.relative_to(ROOT)}:{one.line}: {one.kind}: {', '.join(faults)}")
    print({name: round(value, 1) for name, value in summary(passages).items()})
    return 0
