"""Applications built on pipelines: command line, review, service, experiments, audit."""
