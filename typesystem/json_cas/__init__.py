"""UIMA JSON CAS 0.4: read and write."""
