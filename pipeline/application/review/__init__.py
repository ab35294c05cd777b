"""Review in the browser: people look at what a pipeline found, decide span by span, and their decisions become gold."""
