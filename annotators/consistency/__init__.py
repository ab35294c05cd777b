"""Mark further occurrences of PHI that was found elsewhere in a document."""
