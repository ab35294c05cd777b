"""Consumers that write UIMA formats."""
