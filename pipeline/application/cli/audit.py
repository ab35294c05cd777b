"""`caspipe audit`: sample a release to read, estimate bounds for the rest, and write and verify its manifest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ...errors import ConfigError, Fault, ReaderError
from ...running.release_manifest import NAME, SIGNATURE
from ...running.run_documents import is_run
from ...storage import signing
from ...storage.files import make_folder, restricted_folder, write_atomic
from ..audit import manifest as manifests
from ..audit import outcome_text
from ..audit.findings import empty_findings, read_findings
from ..audit.outcome import Outcome, compute_outcome
from ..audit.outcome_page import outcome_page
from ..audit.reading_page import reading_page
from ..audit.released import FOLDER, draw_sample, find_sample, ledger_of, read_audits
from ..audit.sampling import FILE
from ..review.stale import refuse_stale
from . import console
from .command import EXIT_DIFFERENT, CommandApp, complain
from .options import choices

app = CommandApp(name="audit", no_args_is_help=True, help="Draw documents to read, bound the leaks, sign the release.")

Run = Annotated[Path, typer.Argument(metavar="RUN", help="Output folder of a run.")]
LedgerOption = Annotated[
    Path | None, typer.Option("--ledger", metavar="FILE", help="The run's ledger, if it is not in RUN.")
]


@app.command(
    epilog="Examples: `caspipe audit sample out -n 200` | `caspipe audit sample out -n 400 --seed 7 --by kind`"
)
def sample(
    run: Run,
    size: Annotated[int, typer.Option("--size", "-n", min=1, help="Documents to draw.")] = 200,
    seed: Annotated[int, typer.Option(help="Another seed draws other documents.")] = 0,
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
    """Draw released documents at random; write a page to read them on and a table for the findings.

    A larger sample with the same seed begins with the smaller one: documents that were read need not be read again.
    """
    if by not in ("none", "kind"):
        raise ConfigError([Fault("--by", f"expected none or kind, got {by!r}")])
    drawn, texts = draw_sample(run, size, seed, "kind" if by == "kind" else "none", ledger)
    target = folder or run / FOLDER / f"n{len(drawn.numbers)}-seed{seed}{'-by-kind' if by == 'kind' else ''}"
    if (target / "findings.csv").exists() and (target / "findings.csv").read_bytes() != empty_findings(drawn):
        raise ReaderError(f"{target / 'findings.csv'} holds findings: draw into another folder (-o), or remove it")
    if folder is None:
        restricted_folder(target, run)
    else:
        make_folder(target.parent)
        restricted_folder(target)
    files = {
        "read.html": reading_page(drawn, texts),
        "findings.csv": empty_findings(drawn),
        FILE: (json.dumps(drawn.as_json(), indent=1) + "\n").encode(),
    }
    for name, data in files.items():
        write_atomic(target / name, data, private=True)
    share = f"{100 * drawn.fraction:.3g} %"
    typer.echo(f"{len(drawn.numbers):,} of {drawn.population:,} released documents drawn ({share}), seed {seed}")
    if size > drawn.population:
        typer.echo(f"There are fewer than {size:,}: the sample is the whole release.")
    for name, n in sorted(Counter(drawn.stratum.values()).items()):
        typer.echo(f"  {name}: {n:,} of {drawn.strata[name]:,}")
    typer.echo(f"Read them on {target / 'read.html'}")
    typer.echo(f"then: caspipe audit bound {run} --findings findings.csv")


@app.command(epilog="Example: `caspipe audit bound out --findings findings-ab.csv --findings findings-cd.csv`")
def bound(
    run: Run,
    findings: Annotated[
        list[Path], typer.Option("--findings", "-f", metavar="FILE.csv", help="Findings of one reader; repeatable.")
    ],
    confidence: Annotated[float, typer.Option(help="From 0.8 to 0.9999.")] = 0.95,
    most_leaks: Annotated[
        int,
        typer.Option(
            min=1, max=1000, help="Largest number of leaks in a document, unless more were found: for their mean."
        ),
    ] = 5,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Write here, not beside the sample.")
    ] = None,
    sample_folder: Annotated[
        Path | None, typer.Option("--sample", metavar="FOLDER", help="The sample's folder, if it cannot be found.")
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Turn findings into upper bounds for documents with a leak, kinds and leaks, and print how many more to read.

    Rows without a number of leaks count as unread. Writes audit.json and audit.html.
    """
    home, drawn = find_sample(run, findings, sample_folder, ledger)
    result = compute_outcome(read_findings(findings, drawn), confidence, most_leaks)
    target = folder or home
    restricted_folder(target)
    write_atomic(target / "audit.json", (json.dumps(result.as_json(), indent=1) + "\n").encode(), private=True)
    write_atomic(target / "audit.html", outcome_page(result), private=True)
    _print(result)
    typer.echo(f"\n{target / 'audit.html'}\n{target / 'audit.json'}")


@app.command(
    epilog="Examples: `caspipe audit manifest out` | `caspipe audit manifest out --sign release.key`. "
    "`caspipe key signing -o our.key` makes the keys."
)
def manifest(
    run: Run,
    sign_with: Annotated[
        Path | None, typer.Option("--sign", metavar="KEY", help="Private key: also writes manifest.json.sig.")
    ] = None,
    ledger: LedgerOption = None,
) -> None:
    """Write release/manifest.json: every file with its digest, the run's counts, and the bound of its audit.

    A release that is older than a decision of its review is refused: `caspipe release` makes it again.
    """
    if is_run(run):
        refuse_stale(run)
    with ledger_of(run, ledger) as opened:
        content = manifests.make_manifest(run, opened, read_audits(run / FOLDER))
    data = content.to_bytes()
    signature = signing.sign(data, sign_with) if sign_with is not None else None
    target = run / "release" / NAME
    write_atomic(target, data)
    signature_file = target.with_name(SIGNATURE)
    if signature is not None:
        write_atomic(signature_file, signature.to_bytes())
    else:
        signature_file.unlink(missing_ok=True)  # the signature of an earlier manifest is no longer valid
    for warning in content.warnings:
        complain(f"warning: {warning}")
    documents = content.data["documents"]
    counts = f"{documents['released']:,} of {documents['read']:,} documents released"
    typer.echo(f"{target}: {len(content.data['files']):,} files, {counts}")
    typer.echo(f"signed by the key {signature.key}" if signature is not None else "not signed: use --sign KEY")


@app.command(
    epilog="Examples: `caspipe audit verify out --key our.pub` | `caspipe audit verify delivered/release --key our.pub`"
)
def verify(
    run: Annotated[
        Path, typer.Argument(metavar="RUN|RELEASE", help="Output folder of a run, or a release/ as delivered.")
    ],
    key: Annotated[Path | None, typer.Option(metavar="PUBLIC", help="Public key of the signer.")] = None,
) -> None:
    """Check the signature of a release and all of its files. Exit codes: 0 everything as signed, 1 not."""
    release = run if (run / NAME).is_file() else run / "release"
    data, content = manifests.read_manifest(release)
    valid = True
    if key is None:
        complain("signature not checked: give the signer's public key (--key)")
    else:
        try:
            typer.echo(f"signed by the key {_verified_key(data, release / SIGNATURE, key)}")
        except signing.SignatureError as error:
            complain(str(error))
            valid = False
    checked = manifests.check_release(release, content)
    for problem, paths in (("missing", checked.missing), ("extra", checked.extra), ("changed", checked.changed)):
        for path in paths:
            complain(f"{problem}: {path}")
    typer.echo(f"{checked.files:,} files, {'all' if checked.passed else 'not'} as in the manifest")
    if not (valid and checked.passed):
        raise typer.Exit(EXIT_DIFFERENT)


def _verified_key(data: bytes, file: Path, key: Path) -> str:
    """Verify a signature and return the identifier of its key. Raises SignatureError."""
    if not file.is_file():
        raise signing.SignatureError(f"{file}: no such file: the manifest is not signed")
    signature = signing.Signature.from_bytes(file.read_bytes(), str(file))
    signing.verify(data, signature, key)
    return signature.key


def _print(result: Outcome) -> None:
    out = console.out()
    out.print(outcome_text.summary(result), markup=False)
    for item in (
        _table(outcome_text.COLUMNS, outcome_text.bound_rows(result)),
        outcome_text.leaks(result),
        _table(outcome_text.GOAL_COLUMNS, outcome_text.goal_rows(result), "if no further leak is found"),
        *(_table(outcome_text.PAIR_COLUMNS, rows, about) for about, rows in outcome_text.pair_rows(result)),
        *(f"note: {caution}" for caution in outcome_text.cautions(result)),
    ):
        out.print()
        out.print(item, markup=False)


def _table(columns: Sequence[str], rows: Iterable[list[str]], title: str | None = None) -> Table:
    return console.table(columns, rows, title=title, right=range(1, len(columns)), bold=True)
