"""`caspipe release`: mask the documents of a run again with the decisions of their review, and replace its `release/`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...errors import ConfigError, Fault
from ...running.run_documents import xmi_folder
from ..release.decisions import Counts
from ..release.release import NOT_COMPLETED, ReleaseOptions, ReleaseResult, check_run
from ..release.release import release as make_release
from ..release.reviews import READERS, Reviews, all_left_out, read_edited, read_reviews
from ..review.store import annotators
from . import console
from .command import EXIT_INCOMPLETE, CommandApp, complain
from .options import Completion, Plugin, Quiet, Set, choices, word_faults
from .run import LedgerFile, Workers

app = CommandApp()


def _reviewers(context: typer.Context, incomplete: str) -> list[str]:
    """Complete the name of a reviewer of the run on the command line."""
    run = context.params.get("run") or next(
        iter(context.args), None
    )  # an incomplete line is not assigned to parameters
    return choices(*annotators(xmi_folder(Path(run))))(incomplete) if run else []


_readers: Completion = choices(*READERS)


@app.command(
    epilog="Examples: `caspipe release out --review anna` | `caspipe release out --review anna --review ben` | "
    "`caspipe release out --review anna --only-reviewed` | `caspipe release out --xmi edited` | "
    "`caspipe release out --xmi export.zip`. The keys of the run are needed, as in CASPIPE_KEY."
)
def release(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Output folder of a run.")],
    review: Annotated[
        list[str] | None,
        typer.Option(
            "--review",
            metavar="NAME",
            help="Reviewer whose decisions count; repeatable. Where two differ, the decisions of their adjudicator count; what "
            "was not adjudicated is masked if either masks it.",
            autocompletion=_reviewers,
        ),
    ] = None,
    xmi: Annotated[
        Path | None,
        typer.Option(
            "--xmi", metavar="PATH", help="Edited documents: a folder of XMI or JSON CAS, or an export of INCEpTION."
        ),
    ] = None,
    from_: Annotated[
        str,
        typer.Option(
            "--from", metavar="READER", help="Reader of --xmi: xmi, jsoncas, inception.", autocompletion=_readers
        ),
    ] = "",
    bundle: Annotated[
        Path | None,
        typer.Option(
            metavar="ZIP", help="Review project that INCEpTION imported. Default: restricted/inception.zip of the run."
        ),
    ] = None,
    only_reviewed: Annotated[
        bool, typer.Option("--only-reviewed", help="Leave out documents whose review is not completed.")
    ] = False,
    set_: Set = None,
    plugin: Plugin = None,
    workers: Workers = "",
    ledger: LedgerFile = None,
    quiet: Quiet = False,
) -> None:
    """Release the documents of a run with the decisions of their review.

    Masks them again with the same keys, runs the leak gate, replaces `release/` in one step, and writes its manifest. Documents
    without a review are released as the run left them. Documents in quarantine are released after their review.
    """
    check_run(run)
    if faults := [
        *_faults(review or [], xmi, from_, bundle),
        *(word_faults("--from", from_, READERS) if from_ else []),
    ]:
        raise ConfigError(faults)
    readers = tuple(s for s in set_ or [] if s.partition(".")[0] in ("reader", *READERS) and xmi is not None)
    others = tuple(s for s in set_ or [] if s not in readers)
    reviews = _reviews(run, review or [], xmi, from_, bundle, readers)
    options = ReleaseOptions(only_reviewed, ledger, others, tuple(plugin or ()), workers)
    with console.progress(quiet) as progress:
        result = make_release(run, reviews, options, progress)
    if not quiet or result.report.exit_code:
        _print(run, result)
    _print_left_out(run, review or [], reviews)
    raise typer.Exit(_exit_code(result))


def _faults(review: list[str], xmi: Path | None, from_: str, bundle: Path | None) -> list[Fault]:
    wrong = (
        (not review and xmi is None, "--review", "expected a reviewer, or edited documents as --xmi"),
        (bool(review) and xmi is not None, "--xmi", "does not go with --review: release the decisions of one of them"),
        (bool(from_) and xmi is None, "--from", "goes with --xmi"),
        (bundle is not None and xmi is None, "--bundle", "goes with --xmi"),
    )
    return [Fault(option, message) for is_wrong, option, message in wrong if is_wrong]


def _reviews(
    run: Path, review: list[str], xmi: Path | None, from_: str, bundle: Path | None, overrides: tuple[str, ...]
) -> Reviews:
    if xmi is None:
        return read_reviews(xmi_folder(run), review)
    edited = read_edited(xmi, from_, overrides, bundle or run / "restricted" / "inception.zip")
    edited.left_out = all_left_out(xmi_folder(run))
    return edited


def _print_left_out(run: Path, review: list[str], reviews: Reviews) -> None:
    """Say which decisions are not in the release, and what includes them."""
    for name, n in reviews.left_out.items():
        what = f"{_many(n.decisions, 'decision')} about {_many(n.documents, 'document')} ({n.completed:,} completed)"
        complain(f"decisions of {name} are left out: {what}")
    if reviews.left_out:
        names = " ".join(f"--review {name}" for name in (*review, *reviews.left_out))
        instead = "" if review else ", without those of --xmi"
        complain(f"to include them{instead}: `caspipe release {run} {names}`")


def _many(n: int, what: str) -> str:
    return f"{n:,} {what}{'s' * (n != 1)}"


def _exit_code(result: ReleaseResult) -> int:
    """Return the exit code: documents that were left out on purpose are not a failure."""
    report = result.report
    if report.stopped:
        return report.exit_code
    missing = report.documents.quarantined + report.documents.skipped - result.left_out
    return EXIT_INCOMPLETE if missing > 0 or result.unfinished != 0 else 0


def _decided(result: ReleaseResult) -> list[str]:
    """Return lines about the reviewed or edited documents and their spans."""
    c, e = result.decisions, result.edits
    if e is None:
        spans = f"; {c.added:,} spans added, {c.rejected:,} rejected, {c.changed:,} changed" if c != Counts() else ""
        return [f"reviewed: {result.reviewed:,}{spans}"]
    spans = f"; {e.added:,} spans added, {e.removed:,} removed, {e.changed:,} changed" if e.edited else ""
    unedited = [f"not edited: {e.unedited:,}; their spans are those of the run"] if e.unedited else []
    return [f"edited: {e.edited:,}{spans}", *unedited]


def _print(run: Path, result: ReleaseResult) -> None:
    report, out = result.report, console.out()
    d = report.documents
    held = d.quarantined + d.skipped - result.left_out
    lines = [
        f"{run}: {d.released:,} documents released, {held:,} withheld"
        + (f", {result.left_out:,} not reviewed and left out" if result.left_out else ""),
        *_decided(result),
    ]
    if result.begun:
        lines.append(f"begun and not completed: {result.begun:,}; their decisions so far count")
    if result.unreviewed:
        lines.append(
            f"not reviewed: {result.unreviewed:,}; released as the run left them (--only-reviewed leaves them out)"
        )
    if result.waiting:
        lines.append(f"in quarantine and not reviewed: {result.waiting:,}; `caspipe review {run}` opens them")
    if result.unfinished != 0:
        many = "documents" if result.unfinished is None else f"{result.unfinished:,} documents"
        lines.append(f"the run did not finish: {many} not processed; `caspipe run --resume` processes them")
    for line in lines:
        out.print(line, markup=False)
    if report.repaired or report.reasons.get("leak"):
        out.print(f"Leak gate: {console.repairs(report)}", markup=False)
    for warning in [*result.notes, *report.warnings]:
        out.print(f"warning: {warning}", style="yellow", markup=False)
    withheld = [f for f in report.failures if not f.message.endswith(f": {NOT_COMPLETED}")]
    for f in withheld[:10]:
        out.print(f"document {f.number}: {f.message}", style="red", markup=False)
    if len(withheld) > 10:
        out.print(f"... and {len(withheld) - 10:,} more", style="red")
    if report.stopped:
        out.print(f"The release ended early and changed nothing: {report.stopped}", style="red", markup=False)
    else:
        out.print(f"Released: {run / 'release'}, with manifest.json", markup=False)
