"""Readers of terminologies in their own formats: each module declares one or more formats, which are found automatically."""
