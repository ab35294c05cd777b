"""A plug-in with a component that does what a document asks for: `trouble=raises`."""

from __future__ import annotations

import os
import re
import sys
import time

from caspipe.pipeline.contract.component import AnalysisEngine, component
from caspipe.typesystem import Cas


@component("t_spark_trouble")
class Trouble(AnalysisEngine):
    """Fails in many ways."""

    opens: bool = True
    """Whether it can be opened in another process than the one that packed it."""
    packer: int = 0
    """Id of the process in which it always opens."""

    def open(self) -> None:
        super().open()
        if not self.opens and os.getpid() != self.packer:
            raise KeyError("a licence")

    def process(self, cas: Cas) -> None:
        found = re.search(r"trouble=(\w+)", cas.text)
        what = found[1] if found else ""
        if what == "raises":
            raise KeyError(f"cannot bear {cas.text}")
        if what == "recurses":
            self.process_again(cas)
        if what == "hogs":
            raise MemoryError
        if what == "exits":
            sys.exit(3)
        if what == "dies":
            os._exit(1)
        if what == "sleeps":
            time.sleep(5)

    def process_again(self, cas: Cas) -> None:
        """Never comes back."""
        self.process_again(cas)
