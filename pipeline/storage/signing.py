"""Signatures of packages and releases (ed25519, RFC 8032): they show who made a file and that it was not changed.

Keys are PEM files, compatible with OpenSSL. A private key must be readable only by its owner (mode 0600).
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import CaspipeError, ResourceError
from .files import create
from .secrets import read_secret

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

ALGORITHM = "ed25519"
_LENGTH = 64
_MOST = 4096
"""Limit for the size of a public key or a signature file in bytes."""


class SignatureError(CaspipeError):
    """A signature is missing, was made by another key, or is for other data."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature with the id of its key."""

    key: str
    """First 16 hexadecimal digits of the SHA-256 of the raw public key (32 bytes)."""
    value: bytes
    """64 bytes."""

    def to_bytes(self) -> bytes:
        """Return the content of a signature file: a JSON object with `algorithm`, `key` and `signature` (base 64)."""
        fields = {"algorithm": ALGORITHM, "key": self.key, "signature": base64.b64encode(self.value).decode("ascii")}
        return (json.dumps(fields, indent=1) + "\n").encode("ascii")

    @classmethod
    def from_bytes(cls, data: bytes, where: str = "signature") -> Self:
        """Parse a signature file. Raises SignatureError with `where` if it is invalid."""
        try:
            fields = json.loads(data[:_MOST])
            signature = cls(fields["key"], base64.b64decode(fields["signature"], validate=True))
            if (
                fields["algorithm"] != ALGORITHM
                or not isinstance(signature.key, str)
                or len(signature.value) != _LENGTH
            ):
                raise ValueError
        except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
            raise SignatureError(
                f"{where}: expected an {ALGORITHM} signature of caspipe, found something else"
            ) from None
        return signature


def new_key(private: Path, public: Path) -> str:
    """Create a pair of keys and return the id of the public key. Raises ResourceError if a file exists: a key that is overwritten
    is lost."""
    need_cryptography()
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    key = Ed25519PrivateKey.generate()
    for path in (private, public):
        if path.exists():
            raise ResourceError(f"{path}: already exists; a key is never overwritten")
    write_new(private, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()), 0o600)
    public_bytes = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    try:
        write_new(public, public_bytes, 0o644)
    except ResourceError:
        with contextlib.suppress(OSError):
            private.unlink()
        raise
    return _id(key.public_key())


def sign(data: bytes, private: Path) -> Signature:
    """Sign with a private key. Raises ResourceError if the file is missing, not such a key, or readable by others."""
    need_cryptography()
    key = _private(private)
    return Signature(_id(key.public_key()), key.sign(data))


def verify(data: bytes, signature: Signature, public: Path) -> None:
    """Verify a signature. Raises SignatureError if it was not made by this key or for this data, ResourceError if the key
    cannot be read."""
    need_cryptography()
    from cryptography.exceptions import InvalidSignature

    key = _public(public)
    if signature.key != _id(key):
        raise SignatureError(f"signed by the key {signature.key}, expected {_id(key)} ({public})")
    try:
        key.verify(signature.value, data)
    except InvalidSignature:
        raise SignatureError(
            f"the signature by the key {signature.key} does not fit: changed after it was signed"
        ) from None


def key_id(public: Path) -> str:
    """Return the id of a public key: 16 hexadecimal digits. Raises ResourceError if it is not a public key."""
    need_cryptography()
    return _id(_public(public))


def need_cryptography() -> None:
    """Raise ResourceError with the name of the extra if the package `cryptography` is not installed."""
    if importlib.util.find_spec("cryptography") is None:
        raise ResourceError("signatures need cryptography: pip install 'caspipe[sign]'")


def write_new(path: Path, data: bytes, mode: int) -> None:
    """Write a new file. Raises ResourceError if it exists."""
    try:
        fd = create(path, mode)
    except FileExistsError:
        raise ResourceError(f"{path}: already exists; a key is never overwritten") from None
    except OSError as error:
        raise ResourceError(f"{path}: cannot write: {error.strerror or type(error).__name__}") from None
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink()
        raise ResourceError(f"{path}: cannot write: {error.strerror or type(error).__name__}") from None


def _id(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def _private(path: Path) -> Ed25519PrivateKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    key = _loaded(lambda data: load_pem_private_key(data, None), read_secret(path))
    if not isinstance(key, Ed25519PrivateKey):
        raise ResourceError(f"key file {path}: expected an {ALGORITHM} private key (PEM, without a passphrase)")
    return key


def _public(path: Path) -> Ed25519PublicKey:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        with path.open("rb") as file:
            data = file.read(_MOST)
    except OSError as error:
        raise ResourceError(f"public key {path}: {error.strerror or type(error).__name__}") from None
    key = _loaded(load_pem_public_key, data)
    if not isinstance(key, Ed25519PublicKey):
        raise ResourceError(f"public key {path}: expected an {ALGORITHM} public key (PEM)")
    return key


def _loaded(load: Any, data: bytes) -> Any:
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load(data)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
