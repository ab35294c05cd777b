"""Pipeline packages: a pipeline with its models, lexicons, rules and plug-ins in one verifiable file that runs anywhere."""
