"""Replacements for the ids of records: keyed, of the same form, the same in all files of a run, so that references resolve."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import uuid
from pathlib import Path

from ...pipeline.storage.files import restricted_folder, write_atomic
from ...pipeline.storage.secrets import Secret, read_secret

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_OID = re.compile(r"[0-2](?:\.(?:0|[1-9][0-9]*)){3,}", re.ASCII)
_URN = re.compile(r"(urn:)(uuid|oid)(:)(.*)", re.IGNORECASE | re.DOTALL)
_STANDARD = re.compile(
    r"""
    1\.2\.840\.10008(?:\.|$)                        # DICOM: SOP classes, transfer syntaxes
    | 1\.0\.3166(?:\.|$)                            # ISO 3166
    | 2\.16\.840\.1\.113883\.(?:[156]|10|11|12|18)(?:\.|$)  # HL7: models, code systems, external code systems, templates, tables
    | 2\.16\.840\.1\.113883\.3\.(?:989|24|26)(?:\.|$)       # ICH, FDA, NCI
    """,
    re.VERBOSE,
)
_LENGTH = 26
"""Characters of a replaced id: 130 bits."""
_KEY_FILE = Path("restricted") / "record-ids.key"
_DOMAIN = b"caspipe record id\0"


def is_standard(oid: str) -> bool:
    """Return whether an OID belongs to a standard, not to an organization or a record."""
    return _STANDARD.match(oid) is not None


def is_uid(value: str) -> bool:
    """Return whether a value is a UUID, or an OID that belongs to no standard."""
    return _UUID.fullmatch(value) is not None or (_OID.fullmatch(value) is not None and not is_standard(value))


def run_secret(key: Secret, output: Path) -> bytes:
    """Return the secret of a run: its key, or without one a random secret in `restricted/record-ids.key` of the output folder,
    which is made once and used again by later runs. Raises ResourceError or ConsumerError if it cannot be read or made."""
    if key:
        return key.reveal()
    path = output / _KEY_FILE
    if not path.exists():
        restricted_folder(path.parent, output)
        write_atomic(path, secrets.token_hex(32).encode(), private=True)
    return read_secret(path)


def share_secret(source: Path, output: Path) -> None:
    """Give a run into another output folder the secret that a run made, if it made one. Raises ConsumerError if it cannot."""
    path = source / _KEY_FILE
    if path.exists():
        restricted_folder((output / _KEY_FILE).parent, output)
        write_atomic(output / _KEY_FILE, read_secret(path), private=True)


class RecordIds:
    """New ids for old ones, by HMAC-SHA256 (RFC 2104): the original cannot be found without the secret.

    UUIDs become UUIDs, OIDs become `2.25.` and a number (ITU-T X.667: a UUID as OID, at most 44 characters), other ids 26 letters
    and digits, as FHIR's `id` allows. Equal ids have equal replacements, also as ids of different things.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._cache: dict[str, str] = {}

    @property
    def fingerprint(self) -> str:
        """A value by which later runs recognize the same secret."""
        return self._digest("fingerprint", "")[:8].hex()

    def id(self, value: str) -> str:
        """Return the replacement of an id, UUID, OID, or a URN of one of them. An empty value stays."""
        found = self._cache.get(value)
        if found is None:
            found = self._cache[value] = self._id(value) if value.strip() else value
        return found

    def uri(self, value: str) -> str:
        """Return the replacement of a URI: a URN of the same kind, else a URN with a UUID."""
        return self.id(value) if _URN.fullmatch(value) else f"urn:uuid:{self._uuid('uri', value)}"

    def server(self, url: str) -> str:
        """Return the replacement of the base URL of a server, in a domain that cannot exist (RFC 2606)."""
        return f"https://{self._token('server', url.casefold().rstrip('/'))}.invalid/fhir"

    def _id(self, value: str) -> str:
        urn = _URN.fullmatch(value)
        if urn is not None and (_UUID.fullmatch(urn[4]) or _OID.fullmatch(urn[4])):
            return f"urn:{urn[2].lower()}:{self.id(urn[4])}"
        if urn is not None:
            return f"urn:uuid:{self._uuid('id', value)}"
        if _UUID.fullmatch(value):
            return str(self._uuid("id", value.lower()))
        return f"2.25.{self._uuid('id', value).int}" if _OID.fullmatch(value) else self._token("id", value)

    def _uuid(self, *parts: str) -> uuid.UUID:
        return uuid.UUID(bytes=self._digest(*parts)[:16], version=4)

    def _token(self, *parts: str) -> str:
        return base64.b32encode(self._digest(*parts)).decode("ascii").lower()[:_LENGTH]

    def _digest(self, kind: str, value: str) -> bytes:
        message = _DOMAIN + kind.encode() + b"\0" + value.encode("utf-8", "surrogatepass")
        return hmac.new(self._secret, message, hashlib.sha256).digest()
