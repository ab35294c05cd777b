"""Consumers that write corpus and annotation-tool formats."""
