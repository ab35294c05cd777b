"""Readers of terminologies in their own formats: each module declares one `FORMAT` and is found automatically."""
