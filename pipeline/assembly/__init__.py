"""Turn YAML configuration into components."""
