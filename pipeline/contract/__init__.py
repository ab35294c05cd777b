"""The contract between the framework and components."""
