"""Names of documents in the output: their ids, or keyed pseudonyms of them."""

from __future__ import annotations

import dataclasses
from typing import Literal

from ...pipeline.contract.component import CasConsumer
from ...pipeline.storage.file_names import pseudonym
from ...pipeline.storage.secrets import Secret
from ...typesystem import Cas
from .released import encodable


@dataclasses.dataclass(kw_only=True, eq=False, repr=False)
class NameOptions(CasConsumer):
    """Parameters of consumers that write names of documents. Call `check_key` in `__post_init__`."""

    names: Literal["id", "pseudonym"] = "id"
    """Names of documents: their ids (made safe for every system in file names), or keyed pseudonyms of them."""
    key: Secret | str = ""
    """Secret for `names: pseudonym`. With it the pseudonym of an id can be computed; without it the id cannot be derived."""

    def check_key(self) -> None:
        """Raise ValueError if pseudonyms have no secret."""
        self.key = Secret.of(self.key)
        if self.names == "pseudonym" and not self.key:
            raise ValueError("key: expected a secret for names: pseudonym, got none")

    @property
    def pseudonym_key(self) -> Secret | str:
        """The secret of pseudonyms; empty for ids."""
        return self.key if self.names == "pseudonym" else ""

    def document_name(self, cas: Cas) -> str:
        """Return the id or the pseudonym of a document."""
        return pseudonym(cas.id, self.key) if self.names == "pseudonym" else encodable(cas.id, cas)
