"""From reviewed documents to a release: decisions, the run that masks them again, and the exchange of `release/`."""
