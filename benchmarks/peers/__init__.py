"""Other programs that find and mask personal data, each behind one small module, so that all are measured in the same way."""
