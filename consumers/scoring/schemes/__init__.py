"""Schemes of shared tasks: each gives the figures of the task's official script, peculiarities included."""
