"""Readers of tables and records: CSV, JSON Lines, Parquet, SQL, Spark, VAERS."""
