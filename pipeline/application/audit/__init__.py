"""The release audit: documents drawn to be read, bounds on what they say of the others, and what was released, signed."""
