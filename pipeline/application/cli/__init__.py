"""The `caspipe` command line: one module per command."""
