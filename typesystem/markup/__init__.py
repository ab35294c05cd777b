"""XML, XHTML and JSON parsing and escaping that keeps every byte accounted for."""
