"""Apache UIMA for Java as a judge of our XMI: one virtual machine loads many documents and tells what it found.

Works on Debian's `libuima-core-java` with a JDK. `UIMA_JARS` (a class path) names other jars.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_SOURCE = Path(__file__).with_name("UimaCheck.java")
_DEBIAN = Path("/usr/share/java")


def why_not() -> str:
    """Why the checks cannot run here; empty where they can."""
    for program in ("java", "javac"):
        if shutil.which(program) is None:
            return f"needs {program} (Debian: apt install default-jdk-headless libuima-core-java)"
    if not _jars():
        return "needs Apache UIMA's jars (Debian: apt install libuima-core-java, or set UIMA_JARS)"
    return ""


def _jars() -> str:
    if "UIMA_JARS" in os.environ:
        return os.environ["UIMA_JARS"]
    jar = _DEBIAN / "uimaj-core.jar"
    return str(jar) if jar.is_file() else ""


def compiled(folder: Path, source: Path = _SOURCE) -> str:
    """Compiles a program into `folder` and returns the class path to run it. Raises CalledProcessError."""
    path = f"{_jars()}{os.pathsep}{folder}"
    if not (folder / source.with_suffix(".class").name).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["javac", "-encoding", "UTF-8", "-cp", _jars(), "-d", str(folder), str(source)],
            check=True,
            capture_output=True,
        )
    return path


class Uima:
    """Runs the checks; `folder` is for the compiled program and for what is written between the two sides."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.class_path = compiled(folder / "classes")
        self._count = 0

    def check(
        self, pairs: Sequence[tuple[Path | bytes, Path | bytes]], *, again: bool = False, lenient: bool = False
    ) -> list[dict[str, Any]]:
        """What UIMA says of each (XMI, type system), in order.

        `{"error": message}`, or `views` (name, sofa, text, mime, uri, array, members) and `fs` (id, type, features or
        elements, covered text); members and references are indexes into `fs`. Offsets are UTF-16 code units. With `again`,
        `again` is the document as UIMA wrote it. `lenient`: as UIMA loads where asked to be so, not strictly.
        """
        types: dict[bytes, Path] = {}
        tasks: list[tuple[Path, Path, Path | None]] = []
        for xmi, typesystem in pairs:
            self._count += 1
            if isinstance(typesystem, bytes):
                if typesystem not in types:
                    types[typesystem] = self._put(f"types{self._count}.xml", typesystem)
                typesystem = types[typesystem]
            if isinstance(xmi, bytes):
                xmi = self._put(f"document{self._count}.xmi", xmi)
            tasks.append((xmi, typesystem, self.folder / f"again{self._count}.xmi" if again else None))
        mode = "lenient" if lenient else ""
        lines = "".join(f"{x}\t{t}\t{a or ''}\t{mode}\n" for x, t, a in tasks)
        ran = subprocess.run(
            ["java", "-Xss64m", "-cp", self.class_path, "UimaCheck"],
            input=lines.encode(),
            capture_output=True,
            check=True,
        )
        found: list[dict[str, Any]] = [json.loads(line) for line in ran.stdout.decode().splitlines()]
        if len(found) != len(tasks):
            raise RuntimeError(f"UIMA answered {len(found)} of {len(tasks)} tasks")
        for answer, (_, _, out) in zip(found, tasks, strict=True):
            if out is not None and "error" not in answer:
                answer["again"] = out.read_bytes()
        return found

    def _put(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path


def check(
    pairs: Sequence[tuple[Path | bytes, Path | bytes]], folder: Path | None = None, *, again: bool = False
) -> list[dict[str, Any]]:
    """Short for `Uima(folder).check(pairs)`, in a folder of its own where none is given.

    Raises RuntimeError where Java or the jars are absent.
    """
    if why_not():
        raise RuntimeError(why_not())
    if folder is not None:
        return Uima(folder).check(pairs, again=again)
    with tempfile.TemporaryDirectory() as temporary:
        return Uima(Path(temporary)).check(pairs, again=again)
