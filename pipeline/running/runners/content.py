"""Hash of the content of a document, independent of machine and process."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ....typesystem import INITIAL_VIEW, Cas, KnownPhi
from ....typesystem.json_cas.writer import write_jsoncas

_SIZE = 16


def content_hash(cas: Cas, salt: bytes) -> bytes:
    """Return 128 bits over id, text, metadata and annotations of the reader. `salt`: up to 64 bytes, which prevents looking
    up hashes that were computed elsewhere."""
    digest = hashlib.blake2b(key=salt, digest_size=_SIZE)
    views = cas.views
    plain = len(views) == 1 and views[0].name == INITIAL_VIEW and all(t is KnownPhi for t in views[0].types())
    known = [[k.kind.name, k.value, k.role, k.provenance] for k in cas.known_phi] if plain else []
    head: list[Any] = [cas.id, sorted(cas.metadata.items()), known]
    digest.update(json.dumps(head).encode())
    if plain:
        digest.update(cas.text.encode("utf-8", "surrogatepass"))
    elif views:
        digest.update(write_jsoncas(cas, typesystem=cas.typesystem))
    return digest.digest()


def is_same(cas: Cas, content: bytes, expected: bytes) -> bool:
    """Return whether a document with the hash `content` is the expected one. If the expected hash comes from another ledger, such
    as that of a shard, it is preceded by its salt."""
    salt, known = expected[:-_SIZE], expected[-_SIZE:]
    return known == (content_hash(cas, salt) if salt else content)
