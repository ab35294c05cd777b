"""Consumers that write text files, and the building blocks of file consumers."""
