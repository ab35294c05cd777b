"""Readers of annotated corpora and annotation tools."""
