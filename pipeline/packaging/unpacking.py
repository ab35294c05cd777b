"""Unpack an untrusted package: everything is verified before it is written to disk.

Members are stored without compression, so none can be larger than the archive. They are written as plain files under verified
names, below a folder that only the user can access.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..errors import ResourceError
from ..storage.files import cache_folder, create
from ..storage.signing import Signature, SignatureError, verify
from .layout import check_layout
from .manifest import MANIFEST, SIGNATURE, WHEELS, Entry, Manifest, safe

MOST_FILES = 100_000
_MOST_MANIFEST = 64 << 20
_CHUNK = 1 << 20


def is_bundle(path: Path) -> bool:
    """Return whether a file is an archive that starts with the manifest of a package. It may still be invalid."""
    try:
        with zipfile.ZipFile(path) as archive:
            return MANIFEST in archive.NameToInfo and archive.infolist()[0].filename == MANIFEST
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError):
        return False


def unpacked(path: Path, public: Path | None = None) -> tuple[Manifest, Path]:
    """Return the manifest of a package and the folder with its files, except wheels.

    Every file in the archive and in the folder is hashed each time. If a public key is given, the manifest must be signed with
    it. Raises ResourceError (SignatureError for the signature) with the package, the file and what was expected.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = _members(archive, path)
            with path.open("rb") as file:
                check_layout(file, archive.infolist(), path)
            content = _read(archive, members[MANIFEST], path)
            if public is not None and SIGNATURE not in members:
                raise SignatureError(f"{path}: holds no {SIGNATURE}: expected one by the key in {public}")
            if SIGNATURE in members:
                _verify(content, _read(archive, members[SIGNATURE], path), path, public)
            manifest = Manifest.from_bytes(content, str(path))
            _complete(manifest, members, path)
            folder = _folder(hashlib.sha256(content).hexdigest())
            _fill(folder, archive, manifest, members, path)
            return manifest, folder
    except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, RuntimeError):
        raise ResourceError(f"{path}: expected a bundle: damaged, cut off or something else") from None
    except OSError as error:
        raise ResourceError(f"{path}: {error.strerror or type(error).__name__}") from None


def _verify(manifest: bytes, signature: bytes, path: Path, public: Path | None) -> None:
    try:
        found = Signature.from_bytes(signature, SIGNATURE)
        if found.to_bytes() != signature:
            raise SignatureError(f"{SIGNATURE}: expected it as `caspipe pack` writes it, changed")
        if public is not None:
            verify(manifest, found, public)
    except SignatureError as error:
        raise SignatureError(f"{path}: {error}") from None


def _members(archive: zipfile.ZipFile, path: Path) -> dict[str, zipfile.ZipInfo]:
    """Return the members by name. Raises ResourceError if one is unexpected."""
    infos = archive.infolist()
    if len(infos) > MOST_FILES:
        raise ResourceError(f"{path}: holds {len(infos)} files, expected at most {MOST_FILES}")
    members: dict[str, zipfile.ZipInfo] = {}
    folded: set[str] = set()
    for number, info in enumerate(infos, 1):
        kind = stat.S_IFMT(info.external_attr >> 16)
        try:
            name = safe(info.orig_filename)
        except ValueError as error:
            raise ResourceError(f"{path}: member {number} has {error}") from None
        wrong = (
            "occurs twice" if name.casefold() in folded
            else "is compressed" if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size
            else "is encrypted" if info.flag_bits & 0x1
            else "is a link or no plain file" if kind not in (0, stat.S_IFREG)
            else ""
        )  # fmt: skip
        if wrong:
            raise ResourceError(f"{path}: {name} {wrong}: expected plain files, each once and as it is")
        folded.add(name.casefold())
        members[name] = info
    if MANIFEST not in members:
        raise ResourceError(f"{path}: holds no {MANIFEST}: not a bundle, or incomplete")
    if sum(info.file_size for info in infos) > path.stat().st_size:
        raise ResourceError(f"{path}: its files are larger than it is itself: they overlap")
    return members


def _complete(manifest: Manifest, members: dict[str, zipfile.ZipInfo], path: Path) -> None:
    missing = [name for name in manifest.files if name not in members]
    if missing:
        raise ResourceError(f"{path}: lacks {_some(missing)}, which {MANIFEST} lists: incomplete")
    more = [name for name in members if name not in manifest.files and name not in (MANIFEST, SIGNATURE)]
    if more:
        raise ResourceError(f"{path}: holds {_some(more)}, which {MANIFEST} does not list: changed")
    for name, entry in manifest.files.items():
        if members[name].file_size != entry.size:
            raise ResourceError(f"{path}: {name} has {members[name].file_size} bytes, expected {entry.size}: changed")


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    if info.file_size > _MOST_MANIFEST:
        raise ResourceError(f"{path}: {info.filename}: expected at most {_MOST_MANIFEST} bytes")
    return archive.read(info)


def _folder(digest: str) -> Path:
    """Return the private folder of a package; a temporary one if the cache is not writable."""
    above = cache_folder().absolute() / "bundles"
    try:
        above.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder = above / digest[:32]
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
        private = os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)
        if not (stat.S_ISDIR(status.st_mode) and private):
            raise ResourceError(f"{folder}: expected a folder that only you can write to")
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return _temporary(digest)


_TEMPORARY: dict[str, Path] = {}


def _temporary(digest: str) -> Path:
    import atexit

    if digest not in _TEMPORARY:
        _TEMPORARY[digest] = Path(tempfile.mkdtemp(prefix="caspipe-bundle-"))
        atexit.register(shutil.rmtree, _TEMPORARY[digest], ignore_errors=True)
    return _TEMPORARY[digest]


def _fill(
    folder: Path, archive: zipfile.ZipFile, manifest: Manifest, members: dict[str, zipfile.ZipInfo], path: Path
) -> None:
    """Make the folder contain exactly the files of the manifest. Every member is hashed, also if the file exists."""
    wanted = {name: entry for name, entry in manifest.files.items() if not name.startswith(f"{WHEELS}/")}
    _clear(folder, set(wanted))
    for name, entry in manifest.files.items():
        there = name in wanted and _is(folder / name, entry)
        with archive.open(members[name]) as member:
            if name not in wanted or there:
                _check(name, entry, _chunks(member), path)
            else:
                _write(folder, name, entry, member, path)


def _write(folder: Path, name: str, entry: Entry, member: IO[bytes], path: Path) -> None:
    target = folder / name
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with os.fdopen(create(draft, 0o600), "wb") as file:
            _check(name, entry, _kept(member, file), path)
        draft.replace(target)
    finally:
        with contextlib.suppress(OSError):
            draft.unlink()


def _kept(member: IO[bytes], file: IO[bytes]) -> Iterator[bytes]:
    for chunk in _chunks(member):
        file.write(chunk)
        yield chunk


def _check(name: str, entry: Entry, chunks: Iterator[bytes], path: Path) -> None:
    digest = hashlib.sha256()
    try:
        for chunk in chunks:
            digest.update(chunk)
    except (zipfile.BadZipFile, EOFError):
        raise ResourceError(f"{path}: {name} is damaged: expected SHA-256 {entry.digest}") from None
    if digest.hexdigest() != entry.digest:
        raise ResourceError(f"{path}: {name} was changed: expected SHA-256 {entry.digest}, found {digest.hexdigest()}")


def _chunks(file: IO[bytes]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


def _is(path: Path, entry: Entry) -> bool:
    """Return whether a path is a plain file with this content."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode) or path.stat().st_size != entry.size:
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == entry.digest
    except OSError:
        return False


def _clear(folder: Path, wanted: set[str]) -> None:
    """Remove everything that does not belong there: unknown files, links, caches of Python."""
    above = {"/".join(name.split("/")[:n]) for name in wanted for n in range(1, name.count("/") + 1)}
    for place, folders, files in os.walk(folder):
        at = Path(place).relative_to(folder).as_posix()
        for name in [*folders]:
            inside = name if at == "." else f"{at}/{name}"
            found = Path(place, name)
            if found.is_symlink():
                found.unlink()
                folders.remove(name)
            elif inside not in above:
                shutil.rmtree(found, ignore_errors=True)
                folders.remove(name)
        for name in files:
            inside = name if at == "." else f"{at}/{name}"
            if inside not in wanted and not name.endswith(".tmp"):  # another process may be writing a draft
                Path(place, name).unlink(missing_ok=True)
