"""The identity of a pipeline for resuming: its components and files by content, its keys by a salted hash."""

from __future__ import annotations

import hashlib

from ...assembly.assembly import Assembly
from ...assembly.dependencies import secrets


def keyed(assembly: Assembly, fingerprint: str, salt: bytes) -> str:
    """Return the fingerprint with a hash of all keys (scrypt, RFC 7914). It takes a tenth of a second to compute, so that keys
    cannot be found by trying them."""
    held = secrets(assembly)
    if not held:
        return fingerprint
    digest = hashlib.sha256()
    for component, parameter, secret in held:
        for part in (component.encode(), parameter.encode(), secret):
            digest.update(len(part).to_bytes(8, "big") + part)
    key = hashlib.scrypt(digest.digest(), salt=salt, n=1 << 15, r=8, p=1, maxmem=1 << 26, dklen=16)
    return f"{fingerprint}:{key.hex()}"
