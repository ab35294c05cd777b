"""XCAS as Apache UIMA for Java writes it: the same documents in both of UIMA's XML forms."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from uima import compiled

_SOURCE = Path(__file__).with_name("XcasWrite.java")


def written(documents: Sequence[tuple[bytes, bytes]], folder: Path) -> list[tuple[bytes, bytes]]:
    """Each (XMI, type system) as (XCAS, XMI) of UIMA's. Raises RuntimeError where UIMA refuses one, CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    path = compiled(folder / "classes", _SOURCE)
    types: dict[bytes, str] = {}
    lines = ""
    for i, (data, typesystem) in enumerate(documents):
        names = [f"{i}.xmi", types.setdefault(typesystem, f"types{i}.xml"), f"{i}.xcas", f"{i}.again.xmi"]
        (folder / names[0]).write_bytes(data)
        (folder / names[1]).write_bytes(typesystem)
        lines += "\t".join(str(folder / name) for name in names) + "\n"
    ran = subprocess.run(["java", "-cp", path, "XcasWrite"], input=lines.encode(), capture_output=True, check=True)
    faults = ran.stdout.decode().splitlines()
    if any(faults) or len(faults) != len(documents):
        raise RuntimeError(f"UIMA refused a document: {sorted(set(faults))}")
    return [
        ((folder / f"{i}.xcas").read_bytes(), (folder / f"{i}.again.xmi").read_bytes()) for i in range(len(documents))
    ]
