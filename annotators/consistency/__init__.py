"""Label consistency: what was found once in a document is marked wherever it occurs."""
