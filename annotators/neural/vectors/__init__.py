"""Word vectors: readers of the common formats, training, and lookup by form. No neural library is needed."""
