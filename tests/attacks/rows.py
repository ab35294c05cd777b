"""The findings that the attack suite covers. A test anywhere below `tests/` belongs to it by `@pytest.mark.attack(NAME)`."""

from __future__ import annotations

ROWS = {
    # what leaves identifies
    "names-of-files": "names of released files, document ids and row ids are pseudonyms unless asked otherwise",
    "report": "reports and file names stay restricted; a release has a manifest with counts only",
    "metadata": "metadata, ids, column values and file names are checked against what was masked in the same record",
    "originals-under-release": "a consumer that writes original texts is refused under release/",
    "record-ids": "ids, references and UIDs of FHIR and DICOM are replaced consistently",
    "coded-fields": "coded clinical fields of E2B are not names",
    "release-scanner": "every byte of a release is searched for every value that was masked in it",
    # the leak gate
    "gate-mends": "a standing value is masked, the check runs again, and the report counts both",
    "gate-variants": "case, spelled numbers, split, spaced, tagged and misread values are found",
    "gate-refusals": "a refusal names document and offsets, is highlighted, and opens in the review",
    # dates and ages together
    "age-from-dates": "no age over 89 can be computed from the dates and ages of a released text",
    "age-from-records": "no age over 89 can be computed from released FHIR and E2B records",
    "age-phrases": "ages written as birthdays, months, days or abbreviations are masked",
    "half-shifted": "no date-like token stays as it was beside shifted dates",
    "whole-weeks": "offsets in whole weeks; `caspipe why` reports which offsets remain possible",
    "precision": "a masked date is never more precise than the original, and keeps its form",
    # reviewed to released
    "review-decisions": "decisions of the review reach the release",
    "review-xmi": "decisions in edited XMI or INCEpTION projects reach the release",
    "review-quarantine": "the quarantine opens in the review and is emptied of what is settled",
    "review-stale": "masked views that are older than a decision are refused",
    "partial-runs": "evaluate and release work on the documents that are done, and say how many are not",
    # sites
    "site-lists": "one list of what is always and never PHI, over all finders",
    "patients": "the documents of a patient share shifts and pseudonyms",
    "own-kinds": "own kinds in YAML, for masking, training and export",
    "projects": "init, show, include and load work from anywhere",
    "surrogates": "surrogates are possible, and keep people apart",
    # bundles, service, cost
    "bundles": "an unsigned bundle is confined",
    "service": "the service refuses slow and cross-origin requests, and shows a page",
    "cost": "time grows with the length of a document, and memory is bounded",
    "withheld-output": "text through print, exceptions, finalizers and threads is withheld in workers",
    "signals": "SIGTERM and SIGHUP end a run as Ctrl-C does",
    "permissions": "an open restricted/ is tightened or refused",
    "corrupt-ledger": "a corrupt ledger is reported, with what to do",
    # proof
    "selftest": "the attacks run on the user's own installation and configuration",
}
"""What each row of the attack suite shows, by name."""
