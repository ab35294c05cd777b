"""Part-of-speech tagging and chunking."""
