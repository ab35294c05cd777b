"""Tests that start Spark."""
