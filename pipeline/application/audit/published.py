"""The record of the last release from reviewed documents: which run it belongs to, and which decisions it contains."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ...running.ledger import LedgerReader
from ...running.reviewed_release import RECORD, REVIEWED

SETTLED = REVIEWED / "settled"
"""Documents with their annotations that were in quarantine and are released now."""
FORMAT = "caspipe published 1"


def published(run: Path) -> dict[str, Any] | None:
    """Return the record of the last release from reviewed documents; None if there is none, or if the run was made again."""
    try:
        record = json.loads((run / RECORD).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        return None
    with LedgerReader.read(run) as ledger:
        return record if ledger.run().started == record["run"] else None
