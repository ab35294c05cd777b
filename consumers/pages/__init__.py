"""Consumers that write HTML pages, and the page layout they share."""
