"""Attacks on the user's own installation and configuration."""
