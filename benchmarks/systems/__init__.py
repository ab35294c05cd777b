"""Comparison of all systems on the same open corpora: the systems, the corpora, the measurement, and the page of results."""
