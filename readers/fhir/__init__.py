"""Reader of FHIR R4. It extracts free texts, known PHI and identifying values from resources."""

from .reader import FhirReader

__all__ = ["FhirReader"]
