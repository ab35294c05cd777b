"""The keys of the scanner's hashes: derived from the ledger of a run, or in a file that all shards of a run share."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from ...errors import ConsumerError
from ...storage.files import cannot, create, restricted_folder, write_all, write_atomic

NAME = "scan.key"
_SIZE = 32


def derived_key(salt: bytes) -> bytes:
    """Return the key of a run that is not a shard, from the salt of its ledger."""
    return hashlib.blake2b(b"release scan", key=salt, digest_size=_SIZE).digest()


def key_of(output: Path) -> bytes:
    """Return the key of all shards below an output folder. It is created at first (mode 0600), and kept as long as the ledger,
    which a resumed run reads with it. Raises ConsumerError."""
    keys = keys_of([output])
    if keys:
        return keys[0]
    path = _place(output)
    restricted_folder(path.parent, output)
    temporary = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        fd = create(temporary, 0o600)
        try:
            write_all(fd, f"{secrets.token_hex(_SIZE)}\n".encode())
        finally:
            os.close(fd)
        try:
            path.hardlink_to(temporary)  # fails if another part of the run was faster
        except FileExistsError:
            pass
        except OSError:
            temporary.replace(path)
        temporary.unlink(missing_ok=True)
    except OSError as error:
        raise cannot(path, error) from None
    return keys_of([output])[0]


def keys_of(outputs: Iterable[Path]) -> list[bytes]:
    """Return the keys of some output folders, without repetition. Raises ConsumerError for a damaged file."""
    found: dict[bytes, None] = {}
    for output in outputs:
        path = _place(output)
        try:
            lines = path.read_text("ascii").split()
            found |= dict.fromkeys(map(bytes.fromhex, lines))
        except FileNotFoundError:
            continue
        except OSError as error:
            raise cannot(path, error) from None
        except ValueError:
            lines = []
        if not lines or any(len(key) != _SIZE for key in found):
            raise ConsumerError(
                f"{path}: expected a key of {_SIZE} bytes in hexadecimal: remove it, and run without --resume"
            )
    return list(found)


def add_keys(output: Path, outputs: Iterable[Path]) -> list[bytes]:
    """Add the keys of other folders to that of an output folder, and return all."""
    keys = keys_of([output, *outputs])
    if keys:
        path = _place(output)
        restricted_folder(path.parent, output)
        write_atomic(path, "".join(f"{key.hex()}\n" for key in keys).encode(), private=True)
    return keys


def _place(output: Path) -> Path:
    return output / "restricted" / NAME
