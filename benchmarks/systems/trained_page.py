"""Write the page of the trained configurations from their rows and `configurations.yaml`."""

from __future__ import annotations

import re
import shlex
import string
from collections.abc import Iterator, Sequence
from pathlib import Path

from caspipe.annotators.sequence.model_files import read_description
from caspipe.consumers.scoring.table import format_share
from caspipe.pipeline.assembly.shipped import folder as shipped_folder
from caspipe.pipeline.assembly.shipped import names
from caspipe.pipeline.storage.files import write_atomic

from .corpora import CORPORA
from .results import Result, overrides_of, path_of, read
from .trained import Declared, declared, file_of

HERE = Path(__file__).parent
COLUMNS = (
    "configuration",
    "test documents",
    "strict P / R / F1",
    "overlapping P / R / F1",
    "token P / R / F1",
    "MB",
    "training",
)
_TRAINER = re.compile(r"(?m)^ *- \w+_trainer:")
_UNTRAINED = re.compile(r"Untrained here, because (.*?\.)(?=\s|\Z)", re.DOTALL)


def trainable() -> list[str]:
    """Return the names of the shipped configurations that train a model."""
    return [name for name in names() if _TRAINER.search(_text(name))]


def reason(name: str) -> str:
    """Return why a configuration was not trained, from the comment at its beginning; empty without such a sentence."""
    comment = []
    for line in _text(name).splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.removeprefix("#").strip())
    found = _UNTRAINED.search("\n".join(comment))
    return " ".join(found[1].split()) if found else ""


def write_page(page: Path, rows: Path) -> str:
    """Write the page; return a message with the number of configurations. Raises ValueError for a damaged row."""
    text = rendered(declared(), trainable(), rows, page.parent / "systems")
    write_atomic(page, text.encode())
    return f"{page.name}: {len(trainable())} configurations"


def rendered(known: dict[str, Declared], wanted: Sequence[str], rows: Path, systems: Path) -> str:
    """Return the page as Markdown. `systems`: the rows of the comparison of systems."""
    files = {name: _row_of(known[name], rows, systems) for name in wanted if name in known}
    measured = {name: read(file) for name, file in files.items() if file is not None}
    results = list(measured.values())
    dates = sorted({r.date for r in results})
    template = string.Template((HERE / "trained_page.md").read_text(encoding="utf-8"))
    return template.substitute(
        when=" to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else "nothing measured yet",
        machine="; ".join(sorted({r.machine for r in results})),
        table="\n".join(_table(COLUMNS, (_cells(known[name], r, rows) for name, r in measured.items()))),
        changes="\n".join(_changes([known[name] for name in measured], rows)) or "None.",
        elsewhere="\n".join(
            _table(
                ("configuration", "page", "scores", "training"),
                (_elsewhere(d) for name in wanted if (d := known.get(name)) and (d.card or d.page)),
            )
        ),
        untrained="\n".join(_table(("configuration", "reason"), ((f"`{n}`", reason(n)) for n in wanted if reason(n)))),
    )


def _text(name: str) -> str:
    return (shipped_folder() / f"{name}.yaml").read_text(encoding="utf-8")


def _row_of(configuration: Declared, rows: Path, systems: Path) -> Path | None:
    """Return the file of the row of a configuration; None if there is none."""
    if configuration.row:
        file = path_of(systems, configuration.row, configuration.corpus)
    elif configuration.engines:
        file = file_of(rows, configuration.name)
    else:
        return None
    return file if file.is_file() else None


def _table(head: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _cells(configuration: Declared, result: Result, rows: Path) -> tuple[str, ...]:
    whatever = "-binary" if configuration.binary else ""
    return (
        f"`{configuration.name}`" + (" (changed)" if _overrides(configuration, rows) else ""),
        CORPORA[result.corpus].title,
        "n/a" if configuration.binary else _three(result, "strict"),
        _three(result, f"overlapping{whatever}"),
        _three(result, "token-binary"),
        f"{result.bytes / 1e6:.2f}",
        _time(result),
    )


def _three(result: Result, criterion: str) -> str:
    return " / ".join(format_share(result.value(criterion, name), 3) for name in ("precision", "recall", "f1"))


def _time(result: Result) -> str:
    if result.training_cpu_seconds is not None:
        return f"{result.training_cpu_seconds:,.0f} s"
    return "not recorded" if result.training_seconds is None else f"{result.training_seconds:,.0f} s by the clock"


def _overrides(configuration: Declared, rows: Path) -> Sequence[str]:
    """Return the overrides of the training of a row."""
    return configuration.of_row().overrides if configuration.row else overrides_of(file_of(rows, configuration.name))


def _changes(measured: Sequence[Declared], rows: Path) -> Iterator[str]:
    for configuration in measured:
        overrides = _overrides(configuration, rows)
        if overrides:
            sets = " ".join(f"--set {shlex.quote(o)}" for o in overrides)
            yield f"* `{configuration.name}`: `{sets}`. {configuration.note}".rstrip()


def _elsewhere(configuration: Declared) -> tuple[str, ...]:
    if configuration.page:
        page = f"[{Path(configuration.page).stem}]({configuration.page})"
        return f"`{configuration.name}`", page, configuration.told, configuration.trained
    place = shipped_folder() / "models" / configuration.card
    scores = [
        f"{row['criterion']} F1 {format_share(row['f1'], 3)} ({row['corpus']})"
        for row in read_description(str(place))["scores"]
        if row["kind"] == "micro" and row["criterion"] in ("strict", "ner")
    ]
    return f"`{configuration.name}`", f"card of `{configuration.card}`", "; ".join(scores), configuration.trained
