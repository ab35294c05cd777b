"""Run the benchmarks and scores of `make bench`, and write benchmarks/RESULTS.md with commands, date and machine.

python -m benchmarks.run            everything, less than half an hour on two idle cores
python -m benchmarks.run bench_xmi  some

Each benchmark is reported when it starts and ends, with its own progress between. What is not run is listed at the end with the
reason. Sections that other scripts write (such as `bench_peers --write`, which needs separate environments) are kept.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .sections import kept

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SHARED = ROOT.parent / "shared" / "corpora"
LIMIT = 1200
"""Seconds that one benchmark may take."""


@dataclass(frozen=True)
class Run:
    """One benchmark or score. `corpus`: its arguments are files of the open corpora, which it needs."""

    module: str
    arguments: tuple[str, ...] = ()
    corpus: bool = False
    packages: tuple[str, ...] = ()
    """Packages that it needs and the tests do not."""

    @property
    def shown(self) -> str:
        """Return the command for the page."""
        arguments = [f"../shared/corpora/{a}" if self.corpus else a for a in self.arguments]
        return " ".join(["python -m", f"benchmarks.{self.module}", *arguments])

    def given(self) -> list[str]:
        """Return the arguments."""
        return [str(SHARED / a) if self.corpus else a for a in self.arguments]

    def lacking(self) -> str:
        """Return the reason why it cannot run; empty if it can."""
        if self.corpus and not (SHARED.is_dir() and all((SHARED / a).exists() for a in self.arguments)):
            return "the corpus is not next to this checkout"
        missing = [name for name in self.packages if find_spec(name) is None]
        return f"needs {', '.join(missing)}, not installed" if missing else ""


RUNS = (
    Run("bench_cold", ("--write",)),
    Run("bench_cas"),
    Run("bench_xmi"),
    Run("bench_segmenter"),
    Run("bench_pipeline"),
    Run("bench_framework"),
    Run("bench_models"),
    Run("bench_network", packages=("torch", "onnx", "onnxruntime")),
    Run("bench_jsoncas"),
    Run("bench_tables"),
    Run("bench_service"),
    Run("bench_review"),
    Run("score_vaers", ("vaers_dev/narratives.jsonl",), True),
    Run("score_presidio", ("presidio_synth/synth_dataset_v2.json.gz",), True),
    Run("score_aci_bench", (), True),
    Run("score_names", (), True),
)
_PAGE = "writes a page of docs/results"
APART = {
    "bench_peers": "needs environments of other programs: --setup FOLDER, then --cold --peers FOLDER --write",
    "bench_memory": "100,000 notes take too long; bench_cold measures memory over 10,000",
    "bench_workers": "bench_cold measures runs with workers",
    "bench_growing": _PAGE,
    "bench_date_values": _PAGE,
    "bench_files": "measures one disk: give a folder",
    "bench_tagger": "needs a CoNLL-U file",
    "bench_pretrained": "needs PyTorch and transformers",
    "score_cleaning": _PAGE,
    "score_disambiguation": _PAGE,
    "score_leak_gate": _PAGE,
    "score_meddocan": _PAGE,
    "score_models": _PAGE,
    "score_name_origins": _PAGE,
    "score_notes": _PAGE,
    "score_systems": _PAGE,
    "score_windows": _PAGE,
}
"""Benchmarks and scores that `make bench` leaves out, and why."""


def machine() -> str:
    """Describe the interpreter and its build, because a build without profile-guided optimization is a fifth slower."""
    flags = sysconfig.get_config_var("CONFIG_ARGS") or ""
    pgo = "with" if "--enable-optimizations" in flags else "without"
    build = f"{platform.python_implementation()} {platform.python_version()} ({pgo} PGO)"
    return f"{build}, {platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def processor() -> str:
    """Return the name of the processor, if the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    kernel = os.environ.get("OPENBLAS_CORETYPE")
    return (next(names, "") or platform.machine()) + (f" (OPENBLAS_CORETYPE={kernel})" if kernel else "")


def main(wanted: list[str]) -> int:
    """Run the wanted benchmarks, or all; return 1 if one failed."""
    chosen = [run for run in RUNS if not wanted or run.module in wanted]
    unknown = sorted(set(wanted) - {run.module for run in RUNS})
    if unknown:
        print(f"{unknown[0]}: expected some of {', '.join(run.module for run in RUNS)}", file=sys.stderr)
        return 2
    failed, left_out = [], []
    lines = [
        "# Measurements",
        "",
        f"{time.strftime('%Y-%m-%d')}; {machine()}. Written by `make bench`; compare ratios within one run, because machines",
        "differ and this one is shared. Scores need the open corpora next to the checkout. bench_cold measures notes that are",
        "new to the process ([speed](../docs/results/speed.md)); most other benchmarks repeat generated sentences, whose words",
        "the caches know.",
        "",
    ]
    for number, run in enumerate(chosen, 1):
        lines += [f"## {run.module}", "", f"`{run.shown}`", ""]
        reason = run.lacking()
        if reason:
            left_out.append(f"{run.module}: {reason}")
            lines += [f"Not run: {reason}.", ""]
            continue
        print(f"[{number}/{len(chosen)}] {run.module} ...", flush=True)
        began = time.monotonic()
        code, output = _output(run)
        print(f"{output}\n[{number}/{len(chosen)}] {run.module}: {time.monotonic() - began:.0f} s", flush=True)
        if code:
            failed.append(run.module)
        lines += ["```", output.strip().replace(str(ROOT.parent), ".."), "```", ""]
    if not wanted:
        results = HERE / "RESULTS.md"
        if results.exists():
            lines.append(kept(results.read_text(encoding="utf-8"), [run.module for run in RUNS]))
        results.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
        left_out += [f"{module}: {reason}" for module, reason in APART.items()]
    if left_out:
        print("Not run:", *left_out, sep="\n  ", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def _output(run: Run) -> tuple[int, str]:
    """Run a benchmark and pass its progress on; return its exit code and its output, with the errors if it failed."""
    command = [sys.executable, "-m", f"benchmarks.{run.module}", *run.given()]
    complaints: list[str] = []
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out:
        with subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.PIPE, text=True) as process:
            ending = threading.Timer(LIMIT, process.kill)  # a run in the process ignores gentler signals for a while
            ending.start()
            try:
                assert process.stderr is not None
                for line in process.stderr:
                    complaints.append(line)
                    print(f"    {line}", end="", file=sys.stderr, flush=True)
            finally:
                ending.cancel()
        out.seek(0)
        told = out.read()
    if not process.returncode:
        return 0, told
    return process.returncode, f"{told}\nfailed with exit code {process.returncode}\n{''.join(complaints)}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
