"""Select, open and decode files, including those inside archives."""
