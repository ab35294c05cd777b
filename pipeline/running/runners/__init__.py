"""How the documents of a run get their work done: in this process, in worker processes, on a cluster."""
