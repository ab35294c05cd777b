"""A release that `caspipe release` made from reviewed documents: no run replaces it unless asked to."""

from __future__ import annotations

import json
from pathlib import Path

from ..assembly.assembly import Assembly
from ..errors import ConfigError, Fault
from ..storage.release_place import RELEASE

REVIEWED = Path("restricted") / "reviewed"
"""Output folder of the run that masks reviewed documents again, below that of the run."""
RECORD = REVIEWED / "published.json"


def is_reviewed(output: Path) -> bool:
    """Return whether the release in an output folder was made from reviewed documents."""
    return (output / RECORD).is_file() and (output / RELEASE).is_dir()


def refuse_reviewed(assembly: Assembly) -> None:
    """Raise ConfigError if a run would replace a release that was made from reviewed documents, and was not asked to."""
    output = assembly.output
    if assembly.options.replace_release or not is_reviewed(output):
        return
    journals = _journals(output)
    by = ", ".join(f"{name}: {n:,} entries" for name, n in journals.items())
    again = f"caspipe release {output} {' '.join(f'--review {name}' for name in journals) or '--xmi FOLDER'}"
    what = (
        f"release/ in {output} was made from reviewed documents{f' ({by})' if by else ''}, and this run would replace it by one "
        f"without their decisions: choose another folder with --output; or add --replace-release (in a configuration, "
        f"run.replace_release), and then `{again}`"
    )
    raise ConfigError([Fault("run.output", what)])


def _journals(output: Path) -> dict[str, int]:
    """Return the number of entries of each journal that the release contains, as far as its record can be read."""
    try:
        journals = json.loads((output / RECORD).read_bytes())["journals"]
        return {str(name): int(n) for name, n in journals.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
