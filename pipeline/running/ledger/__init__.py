"""The account of a run, document by document, on the disk: what was read, what became of it, what was written."""

from .ledger import Ledger
from .rows import Row, RunRow

__all__ = ["Ledger", "Row", "RunRow"]
