"""Files and members of zip and tar archives, opened by path."""
