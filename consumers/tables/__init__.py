"""Consumers that write tables and records: CSV, JSON Lines, Parquet, SQL."""
