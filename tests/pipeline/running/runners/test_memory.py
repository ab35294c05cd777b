"""A process may not grow beyond its limit of memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from caspipe.pipeline.running.memory import limit_memory
limit_memory({limit})
try:
    held = bytearray({mebibytes} << 20)
    print("held")
except MemoryError:
    print("refused")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory so")
@pytest.mark.parametrize(
    ("limit", "mebibytes", "said"), [(50, 200, "refused"), (300, 200, "held"), (None, 200, "held")]
)
def test_a_process_may_grow_by_its_limit_and_no_more(limit: int | None, mebibytes: int, said: str) -> None:
    program = PROGRAM.format(limit=limit, mebibytes=mebibytes)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"{said}\n"


SMALL = {
    "text": {"a.txt": "x"},
    "brat": {"a.txt": "x", "a.ann": ""},
    "label_studio": {"a.json": '[{"id": 1, "data": {"text": "x"}, "annotations": []}]'},
    "fhir": {"a.json": '{"resourceType": "Observation", "id": "a", "note": [{"text": "Seen."}]}'},
}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory so")
@pytest.mark.parametrize("reader", SMALL)
def test_a_small_document_is_read_in_little_memory(tmp_path: Path, reader: str) -> None:
    for name, text in SMALL[reader].items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    program = f"""
from caspipe.pipeline.running.memory import limit_memory
from caspipe.pipeline import Pipeline
made = Pipeline.parse("reader: {{{reader}: {{folder: {tmp_path}}}}}").reader
made.open()
next(iter(made))  # what it imports is there
made.failed = []
limit_memory(100)
print(len(list(made)), made.failed)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("1 []\n", "")
