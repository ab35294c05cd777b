"""Readers of UIMA formats: XMI, JSON CAS, XCAS, INCEpTION exports."""
