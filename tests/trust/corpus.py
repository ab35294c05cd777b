"""A corpus of a thousand documents of which seventeen are bad, each in its own way. All texts are made up."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

DOCUMENTS = 1_000
SECRET = "Featherstone"

BAD = {
    "raises": ("error", "poison"),
    "recurses": ("error", "poison"),
    "lies": ("undeclared", "poison"),
    "loops": ("time", "poison"),
    "loops_in_c": ("time", "poison"),
    "sleeps": ("time", "poison"),
    "segfaults": ("crash", "poison"),
    "aborts": ("crash", "poison"),
    "exits": ("crash", "poison"),
    "leaves": ("crash", "poison"),
    "hogs": ("memory", "poison"),
    "hogs_unseen": ("memory", "poison"),
    "misses": ("leak", "leak_gate"),
    "encoding": ("unreadable", "reader/"),
    "packed": ("unreadable", "reader/"),
    "twice": ("duplicate", "reader/"),
    "broken_line": ("unreadable", "reader/"),
}
"""What is wrong -> reason and component that the run must give."""

GOOD = {
    "empty": "",
    "blanks": " \n\t\n ",
    "controls": f"Seen by Dr. {SECRET}\x00\x01\x08\x0b\x1b on 3/4/2020.\x7f",
    "byte_order_mark": f"\ufeffSeen by Dr. {SECRET} on 3/4/2020.",
    "emoji": f"Seen by Dr. {SECRET} \U0001f600 on 3/4/2020 \U0001f468\u200d\U0001f469\u200d\U0001f467.",
    "line_ends": f"Seen by\r\nDr. {SECRET}\ron 3/4/2020.\u2028",
}
LONG = 5_000_000
"""Characters of one line."""


def write(folder: Path, long: int = LONG) -> None:
    """The corpus: `notes/` with text files, `records/` with JSON lines."""
    drawn = random.Random("poisoned corpus")
    notes, records = folder / "notes", folder / "records"
    notes.mkdir(parents=True)
    records.mkdir()
    texts: dict[str, bytes] = {}
    for name, text in GOOD.items():
        texts[f"good_{name}"] = text.encode()
    line = (
        f"Seen by Dr. {SECRET} on 3/4/2020, phone 617-555-0199"
        + ", doing well and taking her tablets as before" * 60
        + "; "
    )
    texts["good_long"] = (line * (long // len(line) + 1))[:long].encode()
    files = [name for name in BAD if name not in ("encoding", "packed", "twice", "broken_line", "misses")]
    for name in files:
        texts[f"bad_{name}"] = f"Seen by Dr. {SECRET} on 3/4/2020: poison={name}.".encode()
    texts["bad_misses"] = b"We saw qwolken on 3/4/2020, and qwolken again. poison=misses"
    texts["bad_encoding"] = f"Seen by Dr. {SECRET} on 3/4/2020: \xe9\xff".encode("latin-1")
    texts["bad_packed"] = gzip.compress(b"Seen by Dr. Featherstone on 3/4/2020." * 9)[:-12]
    texts["good_twin"] = f"Seen by Dr. {SECRET} on 3/4/2020.".encode()
    texts["twin_again"] = f"Seen by Dr. {SECRET} on 5/6/2021.".encode()
    lines = [json.dumps({"id": f"r{n:03d}", "text": note(drawn)}) for n in range(100)]
    lines[40] = json.dumps(
        {"id": "surrogates", "text": f"Seen by Dr. {SECRET} \ud800\udc00 \ud83d on 3/4/2020 \udfff."}
    )
    lines[60] = '{"id": "r060", "text": "Seen by Dr. Featherstone'
    (records / "records.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = sorted(texts)
    fillers = DOCUMENTS - len(names) - len(lines)
    for n in range(fillers):
        texts[f"note{n:04d}"] = note(drawn).encode()
    order = sorted(texts)
    drawn.shuffle(order)
    for n, name in enumerate(order):
        stem = f"d{n:04d}-{name}"
        if name == "twin_again":
            continue
        suffix = ".txt.gz" if name == "bad_packed" else ".txt"
        (notes / f"{stem}{suffix}").write_bytes(texts[name])
    twin = next(path for path in sorted(notes.iterdir()) if "good_twin" in path.name)
    (notes / f"{twin.name}.gz").write_bytes(gzip.compress(texts["twin_again"], mtime=0))  # the same id


def note(drawn: random.Random) -> str:
    """A few sentences with PHI."""
    names = ("Featherstone", "Okafor", "Lindqvist", "Marchetti")
    said = ("is doing well", "was told to rest", "takes her tablets", "had no pain", "came back with a rash")
    sentences = [
        f"Dr. {drawn.choice(names)} saw her on {drawn.randint(1, 12)}/{drawn.randint(1, 28)}/20{drawn.randint(10, 22)}; "
        f"she {drawn.choice(said)}. Call 617-555-0{drawn.randint(100, 199)}."
        for _ in range(drawn.randint(1, 5))
    ]
    return " ".join(sentences)
