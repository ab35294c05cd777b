"""The ledger of a run on disk: for every document what was read, the outcome, and what was written."""

from .ledger import Ledger
from .reader import LedgerReader
from .schema import Row, RunRow

__all__ = ["Ledger", "LedgerReader", "Row", "RunRow"]
