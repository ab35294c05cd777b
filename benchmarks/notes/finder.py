"""Find the spans of texts with one installation of caspipe: a script that another checkout's interpreter can run too.

    PYTHON benchmarks/notes/finder.py CONFIGURATION WARM TEXTS FOUND

WARM and TEXTS have a JSON string per line; those of WARM are processed first and not reported. FOUND gets a JSON object per text:
`spans` (begin, end, kind, source), `repaired` (number of spans that the leak gate added), `refused` (True if the gate found
leaks), `failed` (class of the error if an engine failed), `seconds` of processor time. Only parts of caspipe are imported that
all compared versions have.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

from caspipe.pipeline.assembly.shipped import locate
from caspipe.pipeline.contract.leaks import leaks_of
from caspipe.pipeline.errors import ComponentError
from caspipe.pipeline.pipeline import Pipeline
from caspipe.typesystem import Phi


def found(pipeline: Pipeline, text: str) -> dict[str, Any]:
    """Return the spans and the fate of one text."""
    started = time.process_time()
    try:
        cas = pipeline.process(text)
    except ComponentError as error:
        cause = type(error.__cause__ or error).__name__
        return {
            "spans": [],
            "repaired": 0,
            "refused": False,
            "failed": cause,
            "seconds": time.process_time() - started,
        }
    seconds = time.process_time() - started
    phis = list(cas.view().select(Phi))
    return {
        "spans": [[p.begin, p.end, p.kind.name, p.source] for p in phis],
        "repaired": sum(p.reason.startswith("repaired") for p in phis),
        "refused": bool(leaks_of(cas)),
        "failed": "",
        "seconds": seconds,
    }


def main(config: str, warm: str, texts: str, results: str) -> None:
    warnings.simplefilter("ignore")  # no key: dates become placeholders
    logging.disable(logging.WARNING)
    os.environ.pop("CASPIPE_KEY", None)
    given = Path(config)
    with (
        Pipeline.load(given if given.is_file() else locate(config)) as pipeline,
        Path(texts).open(encoding="utf-8") as lines,
        Path(results).open("w", encoding="utf-8") as output,
    ):
        for line in Path(warm).read_text(encoding="utf-8").splitlines():
            found(pipeline, json.loads(line))
        for line in lines:
            output.write(json.dumps(found(pipeline, json.loads(line))) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
