"""The kinds of experiments that come with caspipe, one file each."""
