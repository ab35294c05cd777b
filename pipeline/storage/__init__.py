"""Files, file names, hashes, databases, signatures, secrets and YAML with source positions."""
