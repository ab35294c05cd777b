"""The release audit: a random sample to read, upper bounds on leaks in the release, and a signed manifest of its files."""
