"""Watching a run: progress, events, metrics, memory, pace. Numbers only: a document's id can identify a person."""

from ..memory import peak, resident
from .event_log import EventLog, read_events
from .memory import Memory
from .metrics import Metrics
from .progress import Pace

__all__ = ["EventLog", "Memory", "Metrics", "Pace", "peak", "read_events", "resident"]
