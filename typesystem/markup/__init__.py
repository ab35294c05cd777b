"""Parse and escape XML, XHTML and JSON without loss."""
