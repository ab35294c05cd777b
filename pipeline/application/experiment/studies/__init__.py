"""The kinds of experiments that ship with caspipe, one in each file."""
