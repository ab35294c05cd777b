"""Review in the browser: annotators check the spans that a pipeline found, and their decisions become gold annotations."""
