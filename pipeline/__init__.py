"""Pipelines: the contract of components, the YAML that assembles them, and the loop that runs them."""
