"""A repeated document id fails the second document as a duplicate, in every reader that can encounter one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from caspipe.pipeline import Pipeline

_LINES = "".join(json.dumps({"id": "a", "text": text}) + "\n" for text in ("one", "two"))
_RECORD = '<RECORD ID="a">\n<TEXT>one</TEXT>\n</RECORD>\n'
CASES = {
    "jsonl": {"n.jsonl": _LINES},
    "csv": {"n.csv": "id,text\na,one\na,two\n"},
    "i2b2": {"n.xml": f"<ROOT>\n{_RECORD}{_RECORD}</ROOT>\n"},
    "marked": {"n.txt": "=====\n#id: a\none\n=====\n#id: a\ntwo\n"},
    "text": {"a.txt": "one", "a.txt.gz": ""},
    "conll": {"a.conll": "one O\n", "a.conll.gz": ""},
}


@pytest.mark.slow
@pytest.mark.parametrize("reader", CASES)
@pytest.mark.parametrize("workers", [0, 1])
def test_the_second_document_of_an_id_has_failed_as_a_duplicate(tmp_path: Path, reader: str, workers: int) -> None:
    (tmp_path / "in").mkdir()
    for name, text in CASES[reader].items():
        (tmp_path / "in" / name).write_text(text, encoding="utf-8")
    made = f"reader: {{{reader}: {{folder: {tmp_path / 'in'}, pattern: '*.*'}}}}\nconsumers: [jsonl: {{annotations: found}}]"
    report = Pipeline.parse(made, [f"run.output={tmp_path / 'out'}", f"run.workers={workers}"]).run()
    assert (report.documents.read, report.documents.released, report.documents.quarantined) == (2, 1, 1)
    assert [failure.reason for failure in report.failures] == ["duplicate"]
