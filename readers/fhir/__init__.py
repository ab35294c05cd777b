"""FHIR R4: what its elements hold, and the reader that brings its texts and what it says about people."""

from .reader import FhirReader

__all__ = ["FhirReader"]
