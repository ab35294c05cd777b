"""Run every benchmark and score (`make bench`), and write benchmarks/RESULTS.md with commands, date and machine.

python -m benchmarks.run            everything
python -m benchmarks.run bench_xmi  some

Sections that other scripts write (such as `bench_peers --write`, which needs separate environments) are kept.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

from .sections import kept

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SHARED = ROOT.parent / "shared" / "corpora"
RUNS: list[tuple[str, list[str], bool]] = [
    ("bench_cas", [], False),
    ("bench_xmi", [], False),
    ("bench_segmenter", [], False),
    ("bench_pipeline", [], False),
    ("bench_framework", [], False),
    ("bench_models", [], False),
    ("bench_network", [], False),
    ("bench_jsoncas", [], False),
    ("bench_tables", [], False),
    ("bench_service", [], False),
    ("bench_review", [], False),
    ("score_vaers", ["vaers_dev/narratives.jsonl"], True),
    ("score_presidio", ["presidio_synth/synth_dataset_v2.json.gz"], True),
    ("score_aci_bench", [], True),
    ("score_names", [], True),
]
"""(module, arguments, True if the arguments are files of the open corpora next to the checkout)."""


def machine() -> str:
    """Describe the interpreter and its build, because a build without profile-guided optimization is a fifth slower."""
    flags = sysconfig.get_config_var("CONFIG_ARGS") or ""
    pgo = "with" if "--enable-optimizations" in flags else "without"
    build = f"{platform.python_implementation()} {platform.python_version()} ({pgo} PGO)"
    return f"{build}, {platform.machine()}, {os.cpu_count()} cores, {platform.system()}"


def main(wanted: list[str]) -> int:
    """Run the wanted benchmarks, or all; return 1 if one failed."""
    failed = []
    lines = [
        "# Measurements",
        "",
        f"{time.strftime('%Y-%m-%d')}; {machine()}. Written by `make bench`; compare ratios within one run, because machines",
        "differ and this one is shared. Scores need the open corpora next to the checkout.",
        "",
    ]
    for module, arguments, corpus in RUNS:
        if wanted and module not in wanted:
            continue
        given = [str(SHARED / a) for a in arguments] if corpus else arguments
        shown = " ".join(
            ["python -m", f"benchmarks.{module}", *(f"../shared/corpora/{a}" if corpus else a for a in arguments)]
        )
        lines += [f"## {module}", "", f"`{shown}`", ""]
        if corpus and not (SHARED.is_dir() and all(Path(g).exists() for g in given)):
            lines += ["Not run: the corpus is not next to this checkout.", ""]
            continue
        print(f"{module} ...", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{module}", *given]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        output = (
            done.stdout
            if done.returncode == 0
            else f"{done.stdout}\nfailed with exit code {done.returncode}\n{done.stderr}"
        )
        print(output, flush=True)
        if done.returncode:
            failed.append(module)
        lines += ["```", output.strip().replace(str(ROOT.parent), ".."), "```", ""]
    if not wanted:
        results = HERE / "RESULTS.md"
        if results.exists():
            lines.append(kept(results.read_text(encoding="utf-8"), [module for module, *_ in RUNS]))
        results.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
