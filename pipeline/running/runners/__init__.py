"""Runners process the documents of a run: in this process, in worker processes, or on a cluster."""
