"""The Spark session: the active one, or a new one with quiet settings."""

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
"""Environment variable with the cluster, if nothing else is configured: `spark://host:7077`, `yarn`, `local[4]`."""


class SparkError(CaspipeError):
    """Spark cannot do what is required, or does not work any more."""


def pyspark() -> Any:
    """Import pyspark. Raises ResourceError if it, or what it needs to transfer tables, is not installed."""
    try:
        import pyarrow  # noqa: F401  what mapInArrow hands over
        import pyspark.sql
    except ImportError:
        raise ResourceError("Spark needs pyspark and pyarrow: pip install 'caspipe[spark]'") from None
    return pyspark


def context_of(spark: SparkSession) -> Any:
    """Return the SparkContext of a session. Raises SparkError for Spark Connect, which does not have one to add files to."""
    try:
        return spark.sparkContext
    except Exception:  # PySparkNotImplementedError, PySparkAttributeError: as the version has it
        raise SparkError("expected a Spark session with a SparkContext, found one of Spark Connect") from None


def session() -> tuple[SparkSession, bool]:
    """Return the active session and False, or a new one and True.

    A new session uses the configuration of `spark-submit`, else SPARK_MASTER, else all cores of this machine without web page and
    terminal output. Raises SparkError if Spark does not start.
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
            spark = builder.getOrCreate()
        except Exception as error:  # no Java, no such master: Spark has told the terminal
            fault = type(error).__name__
        else:
            if quiet:
                spark.sparkContext.setLogLevel("OFF")  # failures of documents are reported by the run
            return spark, True
    raise SparkError(f"Spark does not start: {fault}; it needs Java 17 and a master that can be reached")


@contextlib.contextmanager
def _same_interrupt() -> Iterator[None]:
    """Restore the handler of Ctrl-C, because that of Spark would end all jobs at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
