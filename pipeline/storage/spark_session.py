"""The Spark session: the one that is there, or one of our own that keeps to itself."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..errors import CaspipeError, ResourceError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "SPARK_MASTER"
"""Environment variable that names the cluster where nothing else does: `spark://host:7077`, `yarn`, `local[4]`."""


class SparkError(CaspipeError):
    """Spark cannot do what is asked of it, or does not work any more."""


def pyspark() -> Any:
    """The package. Raises ResourceError where it, or what it needs to move tables, is not installed."""
    try:
        import pyarrow  # noqa: F401  what mapInArrow hands over
        import pyspark.sql
    except ImportError:
        raise ResourceError("Spark needs pyspark and pyarrow: pip install 'caspipe[spark]'") from None
    return pyspark


def context_of(spark: SparkSession) -> Any:
    """The session's SparkContext. Raises SparkError for Spark Connect, which has none: files cannot be added to it."""
    try:
        return spark.sparkContext
    except Exception:  # PySparkNotImplementedError, PySparkAttributeError: as the version has it
        raise SparkError("expected a Spark session with a SparkContext, found one of Spark Connect") from None


def session() -> tuple[SparkSession, bool]:
    """The session that is active, or a new one and True.

    A new one is what `spark-submit` and its configuration say, else what SPARK_MASTER names, else all cores of this machine, and
    then without a web page and without a word in the terminal. Raises SparkError where Spark does not start.
    """
    sql = pyspark().sql
    active = sql.SparkSession.getActiveSession()
    if active is not None:
        return active, False
    builder = sql.SparkSession.builder.appName("caspipe")
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ or "PYSPARK_SUBMIT_ARGS" in os.environ
    master = os.environ.get(MASTER)
    quiet = not submitted and (master is None or master.startswith("local"))
    if master is not None and not submitted:
        builder = builder.master(master)
    if quiet:
        for name, value in (("spark.ui.enabled", "false"), ("spark.ui.showConsoleProgress", "false")):
            builder = builder.config(name, value)
    with _same_interrupt():
        try:
            made = builder.getOrCreate()
        except Exception as error:  # no Java, no such master: Spark has told the terminal
            fault = type(error).__name__
        else:
            if quiet:
                made.sparkContext.setLogLevel("OFF")  # what befalls a document is told by the run
            return made, True
    raise SparkError(f"Spark does not start: {fault}; it needs Java 17 and a master that can be reached")


@contextlib.contextmanager
def _same_interrupt() -> Iterator[None]:
    """Ctrl-C means what it meant before: Spark would end all jobs at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
