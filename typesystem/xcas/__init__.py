"""UIMA XCAS: read."""
