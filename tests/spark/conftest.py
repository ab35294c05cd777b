"""One Spark session on two cores for all tests of this folder; they skip with a reason where pyspark or Java is absent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from caspipe.pipeline.contract import registry

KEY = "0123456789abcdef0123456789abcdef"
EXECUTOR_KEY = "fedcba9876543210fedcba9876543210"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What pyspark says about the version of pandas is no fault of ours."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"))


def java_version() -> int:
    """The major version of Java; 0 where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = f"{home}/bin/java" if home else shutil.which("java")
    if not java or not Path(java).exists():
        return 0
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', told)
    return int(found[1]) if found else 0


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session on two cores."""
    sql = pytest.importorskip("pyspark.sql", reason="needs pyspark: pip install 'caspipe[spark]'")
    if java_version() < 17:
        pytest.skip("needs Java 17 or later for Spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    made = (
        sql.SparkSession.builder.master("local[2]")
        .appName("caspipe tests")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.executorEnv.CASPIPE_EXECUTOR_KEY", EXECUTOR_KEY)
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("OFF")
    yield made
    made.stop()


@pytest.fixture(scope="session")
def trouble(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plug-in file, loaded."""
    path = tmp_path_factory.mktemp("plugin") / "spark_trouble.py"
    shutil.copyfile(Path(__file__).with_name("trouble.py"), path)
    registry.load_file(str(path))
    return path


@pytest.fixture(autouse=True)
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outputs go to a folder of the test's own, and no key is set."""
    monkeypatch.chdir(tmp_path)
    for name in ("CASPIPE_KEY", "CASPIPE_EXECUTOR_KEY", "CASPIPE_VERIFY"):
        monkeypatch.delenv(name, raising=False)
