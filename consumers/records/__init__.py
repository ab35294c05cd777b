"""Consumers that write de-identified FHIR and E2B records."""
