"""The index of a review project that caspipe wrote for INCEpTION: ids and exact texts of its documents."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...pipeline.errors import ReaderError
from ...typesystem.review_layers import NAMED_ENTITY, PHI_LAYER
from .inception_trees import ZipTree, stem

_INDEX = "documents.json"
_LONGEST_INDEX = 1 << 30


@dataclass(frozen=True, slots=True)
class ReviewedDocument:
    """The entry of a document in a review project."""

    id: str
    sha256: str
    """SHA-256 of the text that was reviewed; empty if the project does not have it."""
    replaced: tuple[tuple[int, int], ...]
    """(offset, code point) of the characters that XML cannot represent."""

    def restore(self, text: str) -> str | None:
        """Return the text before it was written for INCEpTION; None if `text` is not the one that was written."""
        if not self.sha256:
            return text
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != self.sha256:
            return None
        characters = list(text)
        for offset, code in self.replaced:
            characters[offset] = chr(code)
        return "".join(characters)


@dataclass(frozen=True, slots=True)
class ReviewProject:
    """The index of a review project, or an empty one."""

    scheme: str = ""
    layer: str = ""
    documents: dict[str, ReviewedDocument] = field(default_factory=dict)
    """By the name of the file, with and without suffix."""

    def find(self, document: str) -> ReviewedDocument | None:
        """Return a document by INCEpTION's name for it, which is that of its file."""
        name = document.rpartition("/")[2]
        return self.documents.get(name) or self.documents.get(stem(name))


def read_review_project(path: Path) -> ReviewProject:
    """Read the index of a review project. Raises ReaderError."""
    tree = ZipTree(path, f"{path}!/")
    if _INDEX not in tree.names:
        raise ReaderError(f"{path}: expected a review project of caspipe, with {_INDEX} in it")
    try:
        index: Any = json.loads(tree.read(_INDEX, _LONGEST_INDEX))
        documents = {}
        for entry in index["documents"]:
            replaced = tuple((int(offset), int(code)) for offset, code in entry.get("lost", []))
            name = str(entry["file"])
            document = ReviewedDocument(str(entry.get("id", stem(name))), str(entry.get("text_sha256", "")), replaced)
            documents[name] = documents[stem(name)] = document
        layer = NAMED_ENTITY if index["mode"] == "named-entity" else PHI_LAYER
        return ReviewProject(str(index["scheme"]), layer, documents)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise ReaderError(f"{tree.where(_INDEX)}: it is damaged") from None
