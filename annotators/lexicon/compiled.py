"""A dictionary compiled for look-up: a trie of token sequences and flat arrays, memory-mapped from a cache on the disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import shutil
import tempfile
from array import array
from collections.abc import Callable, Iterable, Iterator
from itertools import tee
from pathlib import Path
from typing import Any, Protocol, TypeVar

import marisa_trie
import numpy as np

from ...pipeline.errors import ResourceError
from ...pipeline.storage.files import cache_folder
from .normalization import SEPARATOR, abbreviations, is_abbreviation, keys_of, tokens_of, tokens_of_many
from .term import Term, TermSource

VERSION = 3
"""Version of the folder's layout; part of every cache key."""
MAX_TOKENS = 16
"""Longer terms are left out: texts do not repeat phrases of that length word for word."""
FIELDS = 7  # form, group, concept, preferred, columns, list, case
ANY, EXACT, BY_TOKEN = 0, 1, 2
META, TRIE, WORDS = "lexicon.json", "terms.marisa", "words.marisa"
U32 = np.dtype("<u4")


class Compiled:
    """Maps keys `token SEP token SEP` to rows of strings.

    `trie` numbers the keys; rows `first[k]:first[k + 1]` of `rows` belong to key k; each row consists of numbers of strings
    (form, group, concept, preferred name, further columns, list) and a case class. `words` numbers the tokens of all keys;
    `depth[w]` is the number of tokens of the longest key that begins with token w, or 0.
    """

    __slots__ = (
        "_bounds",
        "cells",
        "depth",
        "first",
        "folder",
        "meta",
        "offsets",
        "rows",
        "starts",
        "strings",
        "trie",
        "words",
    )

    def __init__(self, parts: dict[str, Any], meta: dict[str, Any], folder: Path | None) -> None:
        self.trie: marisa_trie.Trie = parts["trie"]
        self.words: marisa_trie.Trie = parts["words"]
        self.first: Any = parts["first"]
        self.rows: Any = parts["rows"]
        self.depth: Any = parts["depth"]
        self.offsets: Any = parts["offsets"]
        self._bounds = memoryview(self.offsets.astype("=u4", copy=False))  # an item costs a third of numpy's
        self.starts = memoryview(self.first.astype("=u4", copy=False))
        self.cells = memoryview(self.rows.astype("=u4", copy=False))
        self.strings: Any = parts["strings"]
        self.meta = meta
        self.folder = folder

    def string(self, number: int) -> str:
        return bytes(self.strings[self._bounds[number] : self._bounds[number + 1]]).decode()

    def longest(self, token: str) -> int:
        """Return the number of tokens of the longest key that begins with a token in normal form, or 0."""
        number = self.words.get(token)
        return 0 if number is None else int(self.depth[number])

    def save(self, folder: Path) -> None:
        """Write the parts into an existing empty folder."""
        self.trie.save(str(folder / TRIE))
        self.words.save(str(folder / WORDS))
        for name in ("first", "rows", "depth", "offsets"):
            np.save(folder / f"{name}.npy", getattr(self, name), allow_pickle=False)
        (folder / "strings.bin").write_bytes(self.strings)
        text = json.dumps(self.meta, indent=1, sort_keys=True, ensure_ascii=False)
        (folder / META).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def open(cls, folder: Path) -> Compiled:
        """Map a saved dictionary into memory. Raises ResourceError for a foreign, older or damaged folder."""
        try:
            meta = json.loads((folder / META).read_text(encoding="utf-8"))
            if meta.get("version") != VERSION:
                raise ResourceError(f"{folder}: compiled by another version of caspipe: build it again")
            _check(meta)
            parts: dict[str, Any] = {
                "trie": marisa_trie.Trie().mmap(str(folder / TRIE)),
                "words": marisa_trie.Trie().mmap(str(folder / WORDS)),
            }
            for name in ("first", "rows", "depth", "offsets"):
                # a plain array over the mapped bytes: np.memmap itself takes ten times as long for one item
                parts[name] = np.asarray(np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False))
            parts["strings"] = _mapped(folder / "strings.bin")
        except ResourceError:
            raise
        except Exception as error:  # damaged arrays raise many types of errors: their headers are Python literals
            raise ResourceError(f"{folder}: not a compiled lexicon ({type(error).__name__}): build it again") from None
        if len(parts["first"]) != len(parts["trie"]) + 1 or len(parts["depth"]) != len(parts["words"]):
            raise ResourceError(f"{folder}: parts of different lexicons: build it again")
        return cls(parts, meta, folder)


def _check(meta: dict[str, Any]) -> None:
    """Raise ValueError if a description is not what `compile_terms` writes."""
    valid = type(meta["terms"]) is int and all(
        isinstance(h["name"], str) and isinstance(h["columns"], list) and all(isinstance(c, str) for c in h["columns"])
        for h in meta["lists"]
    )
    if not valid:
        raise ValueError


def _mapped(path: Path) -> Any:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""


class _Strings(dict[str, int]):
    """Assigns numbers to strings in order of first use."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


def compile_terms(sources: Iterable[TermSource], name: str) -> Compiled:
    """Compile the terms of all sources, in their order, into one dictionary in memory."""
    strings = _Strings()
    _ = strings[""]
    keys: list[str] = []
    cells = array("I")
    headers, groups = [], dict[str, int]()
    read = skipped = 0
    for source in sources:
        list_name, before = strings[source.name], read
        for term, tokens in _tokenized(source.terms):
            read += 1
            if not 0 < len(tokens) <= MAX_TOKENS:
                skipped += 1
                continue
            groups[term.group] = groups.get(term.group, 0) + 1
            row = (strings[term.form], strings[term.group], strings[term.concept], strings[term.preferred])
            case = _case_class(term.case, term.form, tokens)
            if "\0" in term.form:
                raise ResourceError(f"{source.name}: term {read}: expected text, found a NUL character")
            for key in keys_of(tokens):
                cells.extend((*row, strings[term.columns], list_name, case))
                keys.append(key)
        headers.append({**source.header, "name": source.name, "columns": list(source.columns), "terms": read - before})
    meta = {"version": VERSION, "name": name, "lists": headers, "groups": groups, "terms": read, "skipped": skipped}
    return _assemble(keys, cells, strings, meta)


def _tokenized(terms: Iterable[Term]) -> Iterator[tuple[Term, list[str]]]:
    first, second = tee(terms)
    return zip(first, tokens_of_many(term.form for term in second), strict=True)


def _case_class(case: str, form: str, tokens: list[str]) -> int:
    if case == "any":
        return ANY
    if case == "exact" or (" " not in form and is_abbreviation(form)):
        return EXACT
    all_capitals = form.isupper() and " " in form  # the case of a dictionary in capitals means nothing
    return BY_TOKEN if not all_capitals and abbreviations(tokens) else ANY


def _assemble(keys: list[str], cells: array[int], strings: _Strings, meta: dict[str, Any]) -> Compiled:
    trie = marisa_trie.Trie(keys)
    numbers = np.fromiter((trie[k] for k in keys), dtype=np.int64, count=len(keys))
    order = np.argsort(numbers, kind="stable")
    rows = np.frombuffer(cells, dtype=np.uintc).astype(U32).reshape(-1, FIELDS)[order]
    numbers = numbers[order]
    if len(rows) > 1:
        same = np.ones(len(rows), dtype=bool)
        same[1:] = (numbers[1:] != numbers[:-1]) | (rows[1:] != rows[:-1]).any(axis=1)
        rows, numbers = rows[same], numbers[same]
    first = np.searchsorted(numbers, np.arange(len(trie) + 1)).astype(U32)
    longest: dict[str, int] = {}
    for key in trie.iterkeys():
        tokens = key.split(SEPARATOR)[:-1]
        longest[tokens[0]] = max(longest.get(tokens[0], 0), len(tokens))
        for token in tokens[1:]:
            longest.setdefault(token, 0)
    words = marisa_trie.Trie(longest)
    depth = np.zeros(len(words), dtype=np.uint8)
    for token, length in longest.items():
        depth[words[token]] = length
    encoded = [s.encode() for s in strings]
    offsets = np.zeros(len(encoded) + 1, dtype=np.dtype("<u8"))
    np.cumsum([len(e) for e in encoded], out=offsets[1:])
    parts = {"trie": trie, "words": words, "first": first, "rows": rows, "depth": depth, "offsets": offsets}
    meta |= {"keys": len(trie), "rows": len(rows), "words": len(words)}
    return Compiled({**parts, "strings": b"".join(encoded)}, meta, None)


SMALL = 16 << 20
"""Files up to this many bytes are identified by their content, larger ones by path, size and modification time."""
_PROBE = "Dr. O'Neil-Smith's X-ray, COVID-19 (2.5 mg/dL) on 3/4/2020; e.g. U.S.A. naïve λ-test"
"""Its tokens are a part of every key, so that a change of the tokenizer invalidates every compiled dictionary."""


def key_of_files(files: Iterable[Path], *settings: str) -> str:
    """Return the cache key of a dictionary compiled from these files with these settings."""
    digest = hashlib.sha256()
    for part in (str(VERSION), *tokens_of(_PROBE), *settings):
        digest.update(part.encode() + b"\0")
    for file in files:
        stat = file.stat()
        digest.update(file.name.encode() + b"\0")
        if stat.st_size <= SMALL:
            digest.update(file.read_bytes())
        else:
            digest.update(f"{file.resolve()}\0{stat.st_size}\0{stat.st_mtime_ns}".encode())
    return digest.hexdigest()[:32]


class Saved(Protocol):
    """A compiled object that can be written into a folder."""

    def save(self, folder: Path) -> None: ...


S = TypeVar("S", bound=Saved)


def cached(key: str, build: Callable[[], S], read: Callable[[Path], S]) -> S:
    """Return the object `key` from the cache, or build and store it; it is in memory only if the cache is not writable.

    `read` opens its folder, or raises ResourceError.
    """
    target = cache_folder() / "lexicon" / key
    if target.is_dir():
        with contextlib.suppress(ResourceError):
            return read(target)
    built = build()
    try:
        save(built, target)
        return read(target)
    except (OSError, ResourceError):
        return built


def save(compiled: Saved, target: Path) -> None:
    """Write a compiled object as folder `target` atomically: a reader sees all of it or nothing. Raises OSError."""
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=target.parent))
    try:
        compiled.save(draft)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=".old-", dir=target.parent))
            with contextlib.suppress(OSError):
                target.rename(old / "x")
            shutil.rmtree(old, ignore_errors=True)
        draft.rename(target)
    except OSError:
        if not target.is_dir():
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
