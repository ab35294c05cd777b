"""Whether this is the pipeline that an earlier run was made with: its parts and files by content, its keys by a salted hash."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from ...assembly.dependencies import secrets

if TYPE_CHECKING:
    from ...pipeline import Pipeline


def keyed(pipeline: Pipeline, fingerprint: str, salt: bytes) -> str:
    """The fingerprint with a hash of all keys that takes a tenth of a second to compute (scrypt, RFC 7914): another key makes
    another one, and a key cannot be looked up from it."""
    held = secrets(pipeline)
    if not held:
        return fingerprint
    made = hashlib.sha256()
    for component, parameter, secret in held:
        for part in (component.encode(), parameter.encode(), secret):
            made.update(len(part).to_bytes(8, "big") + part)
    slow = hashlib.scrypt(made.digest(), salt=salt, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=16)
    return f"{fingerprint}:{slow.hex()}"
