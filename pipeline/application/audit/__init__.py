"""The release audit: documents drawn to be read, bounds for the rest, and a signed list of what was released."""
