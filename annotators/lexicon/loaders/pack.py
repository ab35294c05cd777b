"""caspipe's own list format: `# key: value` lines, then tab-separated rows whose columns the header names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....pipeline.errors import ResourceError
from ..delimited_files import head, numbered, wrong_columns
from ..term import GROUPS, Format, Term, TermSource

KNOWN = ("form", "group", "concept", "preferred")


def detect(path: Path) -> bool:
    return head(path, 2048).startswith("# ") and "\n# columns: form" in head(path, 2048)


def read_header(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return (header, names of the columns). Raises ResourceError without a `# columns:` line that begins with `form`."""
    header: dict[str, str] = {}
    for _, line in numbered(path):
        if not line.startswith("# "):
            break
        key, _, value = line[2:].partition(": ")
        header[key.strip()] = value
    columns = header.pop("columns", "").split("\t")
    if columns[0] != "form":
        raise ResourceError(f"{path}: expected a header line '# columns: form<TAB>...' before the rows")
    return header, columns


def read(path: Path, options: Mapping[str, str]) -> TermSource:
    header, columns = read_header(path)
    name = header.get("name", path.name.split(".")[0])
    group = options.get("group", header.get("group", name))
    case = options.get("case", header.get("case", "auto"))
    further = [i for i, c in enumerate(columns) if c not in KNOWN]
    at = {c: i for i, c in enumerate(columns) if c in KNOWN}

    def terms() -> Iterator[Term]:
        for number, line in numbered(path):
            if line.startswith("# "):
                continue
            row = line.split("\t")
            if len(row) != len(columns):
                raise wrong_columns(path, number, len(row), columns)
            own = row[at["group"]] if "group" in at else group
            if "group" in at and own not in GROUPS:
                raise ResourceError(f"{path}:{number}: expected a group, one of {', '.join(sorted(GROUPS))}")
            yield Term(
                row[0],
                own,
                row[at["concept"]] if "concept" in at else "",
                row[at["preferred"]] if "preferred" in at else "",
                case,
                "\t".join([row[i] for i in further]),
            )

    return TermSource(name, terms(), header, tuple(columns[i] for i in further))


FORMAT = Format(
    "caspipe",
    "caspipe list: header lines '# key: value', then tab-separated columns",
    detect,
    read,
    options={"group": "group or list name of every row", "case": "auto, exact or any"},
)
