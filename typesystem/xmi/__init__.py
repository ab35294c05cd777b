"""UIMA XMI: read, repair, infer types, and write."""
