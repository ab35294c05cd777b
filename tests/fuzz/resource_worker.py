"""A separate process that loads damaged resources, so that a crash of a native library does not affect the tests.

Reads lines of JSON, `{"seed": name, "folder": path}`, and answers
each with `{"raised": class, "said": text, "told": faults of watch}`.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from pathlib import Path

from resource_seeds import SEEDS
from watch import watched

from caspipe.pipeline.errors import CaspipeError


def answer(seed: str, folder: Path) -> dict[str, str]:
    """Return the class and message of the exception, if any; `used` if it was raised after loading."""
    what = SEEDS[seed]
    os.environ["CASPIPE_CACHE"] = str(folder / ".cache")
    said = {"raised": "", "said": "", "watched": "", "used": ""}
    try:
        with warnings.catch_warnings(), watched(folder):
            warnings.simplefilter("ignore")
            try:
                loaded = what.load(str(folder / what.name))
                said["used"] = "yes"
                what.use(loaded)
            except CaspipeError as error:
                said["raised"], said["said"] = type(error).__name__, str(error)
            except Exception as error:
                place = traceback.extract_tb(error.__traceback__)[-1]
                said["raised"] = type(error).__name__
                said["said"] = f"{error!s:.200} at {Path(place.filename).name}:{place.lineno}"
    except AssertionError as error:
        said["watched"] = str(error)
    return said


def main() -> None:
    out, sys.stdout = sys.stdout, sys.stderr  # libraries that print must not answer in our place
    for line in sys.stdin:
        asked = json.loads(line)
        out.write(json.dumps(answer(asked["seed"], Path(asked["folder"]))) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
