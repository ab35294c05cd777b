"""Collect documents to score, and compare annotated collections."""
