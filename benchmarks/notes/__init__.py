"""Scores of whole configurations and of other programs on clinical notes: documents, spans, figures, tables, pages."""
