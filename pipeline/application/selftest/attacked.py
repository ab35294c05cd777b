"""A pipeline whose reader and output are replaced: it reads planted files, and writes below a folder of the attack only."""

from __future__ import annotations

import errno
import json
import os
import sys
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

from ...contract import registry
from ...contract.component import CasConsumer
from ...errors import CaspipeError
from ...pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Target:
    """The configuration that is attacked."""

    config: str
    overrides: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    notes: str = ""
    """Folder of the planted files."""
    output: str = ""
    resume: bool = False
    fails_after: int | None = None
    """Creating a file below the output fails after this many."""
    more: tuple[str, ...] = field(default=())
    """Overrides after those of the user."""

    def at(self, notes: Path, output: Path, **changes: Any) -> Target:
        """Return the same configuration, with other folders."""
        return replace(self, notes=str(notes), output=str(output), **changes)

    def command(self) -> list[str]:
        """Return the command that runs it in a process of its own, which may be killed."""
        return [sys.executable, "-m", __name__, json.dumps(asdict(self))]


def attacked(target: Target) -> tuple[Pipeline, list[str]]:
    """Return the pipeline of a target, and the ids of the consumers that were left out, as they write elsewhere.

    Raises ConfigError if the configuration has faults.
    """
    for plugin in target.plugins:
        registry.load_file(plugin)
    pipeline = Pipeline.load(
        target.config, [*target.overrides, f"run.output={json.dumps(target.output)}", *target.more]
    )
    text_reader: Any = registry.find("text")
    pipeline.reader = text_reader(folder=Path(target.notes))
    pipeline.options.resume = target.resume
    here = [consumer for consumer in pipeline.consumers if _writes_here(consumer)]
    left_out = [consumer.id for consumer in pipeline.consumers if consumer not in here]
    pipeline.consumers[:] = here
    return pipeline, left_out


def _writes_here(consumer: CasConsumer) -> bool:
    """Return whether a consumer writes to a relative path, and so below the output of the run."""
    parameters = vars(consumer)
    paths = [value for name in ("folder", "file") if (value := parameters.get(name))]
    return bool(paths) and not any(Path(path).is_absolute() for path in paths)


def _fail_after(folder: str, files: int) -> None:
    """Make each further creation of a file below a folder fail, as on a full disk."""
    created = count(1)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or not isinstance(arguments[0], str) or not arguments[0].startswith(folder):
            return
        if arguments[2] & os.O_CREAT and "ledger" not in arguments[0] and next(created) > files:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    sys.addaudithook(hook)


def main(text: str) -> int:
    """Run a target given as JSON, and return the exit code."""
    given = json.loads(text)
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}
    target = Target(**fields)
    try:
        pipeline, _ = attacked(target)
        if target.fails_after is not None:
            _fail_after(target.output, target.fails_after)
        return pipeline.run().exit_code
    except CaspipeError as error:
        print(error, file=sys.stderr)
        return 4


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
