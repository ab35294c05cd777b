"""`caspipe audit`: what people read of a release, what that says of the rest, and the manifest that goes with it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...errors import ConfigError, Fault, ReaderError
from .command import choices, complain, guarded

if TYPE_CHECKING:
    from ..audit.outcome import Outcome
    from ..audit.sampling import Sample

EXIT_DIFFERENT = 1
FOLDER = Path("restricted") / "audit"

app = typer.Typer(no_args_is_help=True, help="Draw documents to read, bound what leaked, sign what is released.")

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Output folder of a run.")]
LedgerOption = Annotated[
    Path | None, typer.Option("--ledger", metavar="FILE", help="The run's ledger, where it is another than RUN's own.")
]


def mount(to: typer.Typer) -> None:
    """Adds the commands to an application."""
    to.add_typer(app, name="audit")


@app.command(
    epilog="Examples: `caspipe audit sample out -n 200` | `caspipe audit sample out -n 400 --seed 7 --by kind`"
)
@guarded
def sample(
    run: Run,
    size: Annotated[int, typer.Option("--size", "-n", min=1, help="Documents to draw.")] = 200,
    seed: Annotated[int, typer.Option(help="Another number draws other documents; the same one the same.")] = 0,
    by: Annotated[
        str,
        typer.Option(
            help="`none`: a simple random sample. `kind`: more of the documents with kinds that are rarely masked.",
            autocompletion=choices("none", "kind"),
        ),
    ] = "none",
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Write here, not below restricted/audit/.")
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Draws released documents at random and writes a page to read them on, and a table for what is found.

    A larger sample with the same seed begins with the smaller one: documents that were read need not be read again.
    """
    from ...storage.files import make_folder, restricted_folder, write_atomic
    from ..audit.findings import empty
    from ..audit.reading_page import reading_page
    from ..audit.sampling import FILE
    from ..audit.taking import take

    if by not in ("none", "kind"):
        raise ConfigError([Fault("--by", f"expected none or kind, got {by!r}")])
    taken, texts = take(run, size, seed, "kind" if by == "kind" else "none", ledger)
    target = folder or run / FOLDER / f"n{len(taken.numbers)}-seed{seed}{'-by-kind' if by == 'kind' else ''}"
    if (target / "findings.csv").exists() and (target / "findings.csv").read_bytes() != empty(taken):
        raise ReaderError(f"{target / 'findings.csv'} holds findings: draw into another folder (-o), or remove it")
    if folder is None:
        restricted_folder(target, run)
    else:
        make_folder(target.parent)
        restricted_folder(target)
    files = {
        "read.html": reading_page(taken, texts),
        "findings.csv": empty(taken),
        FILE: (json.dumps(taken.as_json(), indent=1) + "\n").encode(),
    }
    for name, data in files.items():
        write_atomic(target / name, data, private=True)
    print(
        f"{len(taken.numbers):,} of {taken.population:,} released documents drawn ({100 * taken.fraction:.3g} %), seed {seed}"
    )
    if size > taken.population:
        print(f"There are not {size:,}: the sample is the whole release.")
    for name, drawn in _strata(taken):
        print(f"  {name}: {drawn:,} of {taken.strata[name]:,}")
    print(f"Read them on {target / 'read.html'}")
    print(f"then: caspipe audit bound {run} --findings findings.csv")


@app.command(epilog="Example: `caspipe audit bound out --findings findings-ab.csv --findings findings-cd.csv`")
@guarded
def bound(
    run: Run,
    findings: Annotated[
        list[Path],
        typer.Option("--findings", "-f", metavar="FILE.csv", help="What a reader found; may be given again."),
    ],
    confidence: Annotated[float, typer.Option(help="From 0.8 to 0.9999.")] = 0.95,
    most_leaks: Annotated[
        int,
        typer.Option(
            min=1, max=1000, help="Leaks that a document may hold where none with more was read: for their mean."
        ),
    ] = 5,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Write here, not beside the sample.")
    ] = None,
    drawn: Annotated[
        Path | None, typer.Option("--sample", metavar="FOLDER", help="The sample's folder, where it is not found.")
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Turns findings into upper bounds: documents with a leak, kinds, leaks; and says how many more to read.

    Rows without a number of leaks count as unread. Writes audit.json and audit.html.
    """
    from ...storage.files import restricted_folder, write_atomic
    from ..audit.findings import read_findings
    from ..audit.outcome import outcome
    from ..audit.outcome_page import outcome_page
    from ..audit.taking import find_sample

    home, taken = find_sample(run, findings, drawn, ledger)
    made = outcome(read_findings(findings, taken), confidence, most_leaks)
    target = folder or home
    restricted_folder(target)
    write_atomic(target / "audit.json", (json.dumps(made.as_json(), indent=1) + "\n").encode(), private=True)
    write_atomic(target / "audit.html", outcome_page(made), private=True)
    _print(made)
    print(f"\n{target / 'audit.html'}\n{target / 'audit.json'}")


@app.command(
    epilog="Examples: `caspipe audit manifest out` | `caspipe audit manifest out --sign release.key`. "
    "`caspipe key signing -o our.key` makes the keys."
)
@guarded
def manifest(
    run: Run,
    sign_with: Annotated[
        Path | None, typer.Option("--sign", metavar="KEY", help="Private key: writes manifest.json.sig, too.")
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Writes release/manifest.json: every file with its digest, the run's counts, and the bound of its audit."""
    from ...storage.files import write_atomic
    from ...storage.signing import sign
    from ..audit.manifest import NAME, SIGNATURE
    from ..audit.manifest import manifest as made_of
    from ..audit.released import ledger_of
    from ..audit.taking import audits

    with ledger_of(run, ledger) as opened:
        made = made_of(run, opened, audits(run / FOLDER))
    data = made.to_bytes()
    signature = sign(data, sign_with) if sign_with is not None else None
    target = run / "release" / NAME
    write_atomic(target, data)
    beside = target.with_name(SIGNATURE)
    if signature is not None:
        write_atomic(beside, signature.to_bytes())
    else:
        beside.unlink(missing_ok=True)  # one of an earlier manifest fits no more
    for warning in made.warnings:
        complain(f"warning: {warning}")
    told = made.data["documents"]
    print(f"{target}: {len(made.data['files']):,} files, {told['released']:,} of {told['read']:,} documents released")
    print(f"signed by the key {signature.key}" if signature is not None else "not signed: --sign KEY does")


@app.command(
    epilog="Examples: `caspipe audit verify out --key our.pub` | `caspipe audit verify delivered/release --key our.pub`"
)
@guarded
def verify(
    run: Annotated[
        Path, typer.Argument(metavar="RUN|RELEASE", help="Output folder of a run, or a release/ as delivered.")
    ],
    key: Annotated[Path | None, typer.Option(metavar="PUBLIC", help="Public key of who signed it.")] = None,
) -> None:
    """Checks the signature of a release and every file of it. Exit codes: 0 all as signed, 1 not."""
    from ...storage.signing import Signature, SignatureError
    from ...storage.signing import verify as verify_signature
    from ..audit.manifest import NAME, SIGNATURE, check, read_manifest

    release = run if (run / NAME).is_file() else run / "release"
    data, told = read_manifest(release)
    beside = release / SIGNATURE
    good = True
    if key is not None:
        try:
            if not beside.is_file():
                raise SignatureError(f"{beside}: no such file: the manifest is not signed")
            signature = Signature.from_bytes(beside.read_bytes(), str(beside))
            verify_signature(data, signature, key)
            print(f"signed by the key {signature.key}")
        except SignatureError as error:
            complain(str(error))
            good = False
    else:
        complain("signature not checked: give the public key of who signed it (--key)")
    checked = check(release, told)
    for what, paths in (("missing", checked.missing), ("extra", checked.extra), ("changed", checked.changed)):
        for path in paths:
            complain(f"{what}: {path}")
    state = "all as in the manifest" if checked.good else "not as in the manifest"
    print(f"{checked.files:,} files, {state}")
    if not (good and checked.good):
        raise typer.Exit(EXIT_DIFFERENT)


def _strata(taken: Sample) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for name in taken.stratum.values():
        counts[name] = counts.get(name, 0) + 1
    return sorted(counts.items())


def _print(made: Outcome) -> None:
    from ..audit import outcome_text as told
    from . import console

    out = console.out()
    out.print(told.verdict(made), markup=False)
    out.print()
    out.print(_table(told.COLUMNS, list(told.bound_rows(made))))
    out.print()
    out.print(told.leaks(made), markup=False)
    out.print()
    out.print(_table(told.WANTED_COLUMNS, list(told.wanted_rows(made)), "if no further leak is found"))
    for about, rows in told.pair_rows(made):
        out.print()
        out.print(_table(told.PAIR_COLUMNS, rows, about))
    for caution in told.cautions(made):
        out.print()
        out.print(f"note: {caution}", markup=False)


def _table(columns: Sequence[str], rows: list[list[str]], title: str | None = None) -> Any:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title=title and escape(title), title_justify="left", title_style="bold", box=None, pad_edge=False)
    for n, column in enumerate(columns):
        table.add_column(column, justify="left" if n == 0 else "right")
    for row in rows:
        table.add_row(*map(escape, row))
    return table
