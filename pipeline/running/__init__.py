"""Run a pipeline over documents: runners, ledger, quarantine, progress and metrics."""
