"""Output folders as a run leaves them: masked texts of our own, and the ledger that the run would have written."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from typer.testing import CliRunner

from caspipe.pipeline.application.audit.findings import COLUMNS
from caspipe.pipeline.application.cli.main import app
from caspipe.pipeline.contract.output import Output
from caspipe.pipeline.running.ledger import Ledger, Row
from caspipe.typesystem import PhiKind

KINDS = ("DATE", "PERSON_DOCTOR", "LOCATION_CITY", "ID")


def audit(*arguments: object, code: int = 0) -> str:
    """What `caspipe audit` says."""
    result = CliRunner().invoke(app, ["audit", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result.output


def masked(n: int) -> str:
    """A masked text that differs from document to document; every seventh is masked in one place only."""
    kind = KINDS[n % 4] if n % 7 else "FAX"
    return (
        f"Seen on [DATE] by Dr. [PERSON].\r\nNote {n}: 👩‍⚕️ patient from [{kind}] doing well.\nNo rash, dose {n} mg.\n"
    )


def make_run(
    output: Path,
    documents: int = 40,
    *,
    quarantined: Sequence[int] = (),
    as_text: bool = True,
    as_jsonl: bool = False,
    text: Callable[[int], str] = masked,
    ids: Callable[[int], str] = "note-{}".format,
    names: Callable[[int], str] | None = None,
    state: str = "done",
) -> Path:
    """A run of so many documents; those quarantined have no outputs. `names`: of the files, as the ids where there are none."""
    (output / "release" / "text").mkdir(parents=True)
    lines = b""
    with Ledger.write(output / "restricted" / "ledger.sqlite", output) as ledger:
        ledger.begin("ward-7", "2026-11-20T08:00:00Z", "0.1.0", "f" * 64, "", documents)
        for n in range(1, documents + 1):
            content = hashlib.sha256(ids(n).encode()).hexdigest()
            if n in quarantined:
                ledger.add(Row(n, ids(n), content, "quarantined", "leak", "engines/leak_gate", "LeakError"))
                continue
            outputs = []
            if as_text:
                data = text(n).encode()
                path = f"release/text/{(names or ids)(n)}.txt"
                (output / path).write_bytes(data)
                outputs.append(_output("text", path, 0, data, whole=True))
            if as_jsonl:
                data = json.dumps(record(ids(n), text(n)), ensure_ascii=False).encode() + b"\n"
                outputs.append(_output("jsonl", "release/documents.jsonl", len(lines), data, whole=False))
                lines += data
            ledger.add(Row(n, ids(n), content, "released", outputs=tuple(outputs)))
        released = documents - len(quarantined)
        if state != "running":
            ledger.end(state, "2026-11-20T08:05:00Z", (documents, released, len(quarantined), 0), 300.0)
    if as_jsonl:
        (output / "release" / "documents.jsonl").write_bytes(lines)
    return output


def record(document: str, text: str) -> dict[str, object]:
    """A record as the consumer `jsonl` writes it: every placeholder is a span."""
    spans = []
    for kind in PhiKind:
        at = text.find(f"[{kind.name}]")
        if at >= 0:
            spans.append({"begin": at, "end": at + len(kind.name) + 2, "kind": kind.name, "operator": "placeholder"})
    return {"id": document, "text": text, "spans": spans}


def _output(consumer: str, path: str, begin: int, data: bytes, *, whole: bool) -> Output:
    return Output(consumer, path, begin, len(data), hashlib.sha256(data).hexdigest(), whole)


def fill(
    path: Path,
    sample: Mapping[str, object],
    leaks: Mapping[int, str] | None = None,
    *,
    read: int | None = None,
    reader: str = "ab",
) -> Path:
    """Findings of a reader who read the first `read` documents drawn. `leaks`: by place in that order, the kinds that leaked."""
    numbers = sample["numbers"]
    assert isinstance(numbers, list)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for place, number in enumerate(numbers):
        kinds = (leaks or {}).get(place, "")
        count = sum(int(part.partition(":")[2] or 1) for part in kinds.split(";") if part)
        done = place < (len(numbers) if read is None else read)
        writer.writerow([sample["id"], number, count if done else "", kinds if done else "", "", "", reader, ""])
    path.write_text(out.getvalue(), encoding="utf-8")
    return path
