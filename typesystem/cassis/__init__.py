"""Convert documents to and from dkpro-cassis."""
