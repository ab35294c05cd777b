"""Annotated files with bytes changed or cut off: each document is read, or has failed with a reason without its text."""

from __future__ import annotations

import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caspipe.readers.corpora.brat import BratReader
from caspipe.readers.corpora.conll import ConllReader
from caspipe.readers.corpora.doccano import DoccanoReader
from caspipe.readers.corpora.i2b2 import I2b2Reader
from caspipe.readers.corpora.label_studio import LabelStudioReader
from caspipe.readers.corpora.marked import MarkedReader
from caspipe.readers.corpora.prodigy import ProdigyReader
from caspipe.readers.files.file_reader import FileReader
from caspipe.typesystem import CaspipeWarning

NAME = "Featherstone"
TEXT = f"by {NAME} on 3 May"
BRAT = (
    f"T1\tPERSON 3 6;7 15\tFea {NAME[4:]}\nT2\tDATE 19 24\t3 May\nA1\tNegation T1\n"
    f"#1\tAnnotatorNotes T2\t{NAME}?\nR1\tIs Arg1:T1 Arg2:T2\n"
)
REGION = {"start": 3, "end": 15, "text": NAME, "labels": ["PERSON"]}
FILES: dict[str, tuple[str, str, Callable[[Path], FileReader]]] = {
    "i2b2-2014": (
        "a.xml",
        f'<?xml version="1.0"?><deIdi2b2><TEXT><![CDATA[{TEXT}]]></TEXT><TAGS>'
        f'<NAME id="P0" start="3" end="15" text="{NAME}" TYPE="DOCTOR" comment="{NAME}"/></TAGS></deIdi2b2>',
        lambda folder: I2b2Reader(folder=folder),
    ),
    "i2b2-2006": (
        "a.xml",
        f'<ROOT><RECORD ID="1"><TEXT>by <PHI TYPE="DOCTOR">{NAME}</PHI></TEXT></RECORD>\n'
        f'<RECORD ID="2"><TEXT>{NAME}</TEXT></RECORD></ROOT>',
        lambda folder: I2b2Reader(folder=folder),
    ),
    "brat": ("a.ann", BRAT, lambda folder: BratReader(folder=folder, fragments="split")),
    "doccano": (
        "a.jsonl",
        json.dumps({"id": 1, "text": TEXT, "label": [[3, 15, "PERSON"]], "relations": []}) + "\n",
        lambda folder: DoccanoReader(folder=folder),
    ),
    "prodigy": (
        "a.jsonl",
        json.dumps(
            {"text": TEXT, "spans": [{"start": 3, "end": 15, "label": "PERSON"}], "tokens": [], "answer": "accept"}
        ),
        lambda folder: ProdigyReader(folder=folder, tokens=True),
    ),
    "label_studio": (
        "a.json",
        json.dumps(
            [{"id": n, "data": {"text": TEXT}, "annotations": [{"result": [{"id": "r", "value": REGION}]}]} for n in (1, 2)],
            indent=1,
        ),
        lambda folder: LabelStudioReader(folder=folder),
    ),
    "conll": (
        "a.conll",
        f"-DOCSTART- {NAME}\tO\n\nby\tO\n{NAME}\tB-PERSON\n\n-DOCSTART-\tO\n\n3\tB-DATE\n",
        lambda folder: ConllReader(folder=folder, tokens=True),
    ),
    "marked": (
        "a.txt",
        f"=====\n#id: 1  #ward: {NAME}\nby [[PERSON|{NAME}]] on [[?DATE|3 May]]\n=====\n#id: 2\n{NAME} [[U+005B]][[U+005B]]\n",
        lambda folder: MarkedReader(folder=folder),
    ),
}  # fmt: skip
BYTES = st.sampled_from(
    [
        b"",
        b"\0",
        b"\xff",
        b"<",
        b"&",
        b"]]>",
        b'"',
        b"{",
        b"[" * 3,
        b"]",
        b"9" * 20,
        b"-1",
        b"\t",
        b"\n",
        b" ",
        b"T1",
        b"[[",
        b"|",
        b"=====\n",
    ]
)


@pytest.mark.slow
@pytest.mark.parametrize("format", FILES)
@settings(max_examples=120)
@given(data=st.data())
def test_a_damaged_file_is_read_or_told_of(format: str, data: st.DataObject) -> None:
    name, content, reader = FILES[format]
    whole = content.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(whole)))
        until = data.draw(st.sampled_from([at, at + 1, at + 4, len(whole)]))
        whole = whole[:at] + data.draw(BYTES) + whole[until:]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        (Path(folder) / name).write_bytes(whole)
        if format == "brat":
            (Path(folder) / "a.txt").write_text(TEXT, encoding="utf-8")
        made = reader(Path(folder))
        for cas in made:
            assert isinstance(cas.text, str)
        said = [str(error) for _, error in made.failed] + [str(w.message) for w in told]
        assert all(issubclass(w.category, CaspipeWarning) for w in told)
    assert not [text for text in said if NAME in text.replace(folder, "")]
