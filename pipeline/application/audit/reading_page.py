"""The page on which a person reads the documents of a sample: one file, masked texts only, nothing leaves it but findings.csv."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from importlib.resources import files

from ....consumers.pages.page import esc, page
from ....consumers.pages.style import STYLE
from ....typesystem import PhiKind
from .findings import COLUMNS
from .released import MaskedText
from .sampling import Sample

_HUES = sorted(set(re.findall(r"\.k-([A-Z]+)", STYLE)))
_CONTROLS = {c: chr(0x2400 + c) for c in range(32) if chr(c) not in "\t\n\r"} | {127: "\u2421"}
KEYS = (
    ("n p", "next, previous document"),
    ("Enter", "read: on to the next"),
    ("u", "next unread one"),
    ("← →", "word by word; with ⇧ several"),
    ("l", "mark the words as a leak, then its kind, then Enter"),
    ("Esc", "let go"),
    ("+ −", "size of the letters"),
    ("s", "save the findings"),
)


def reading_page(sample: Sample, texts: Sequence[MaskedText]) -> bytes:
    """The page. `texts`: of the documents of the sample, in its order."""
    documents = [_document(number, text) for number, text in zip(sample.numbers, texts, strict=True)]
    kinds = [[kind.name, kind.description, kind.direct] for kind in PhiKind]
    data = {"sample": sample.id, "columns": COLUMNS, "hues": _HUES, "kinds": kinds, "documents": documents}
    held = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    static = files(__package__) / "static"
    body = _body(sample) + f'<script type="application/json" id="data">{held}</script>'
    css = (static / "reading.css").read_text(encoding="utf-8")
    script = "".join((static / name).read_text(encoding="utf-8") for name in ("reading.js", "pointing.js"))
    return page(f"Audit: {len(documents):,} documents to read", body, style=css, script=f"(() => {{\n{script}}})();")


def _document(number: int, masked: MaskedText) -> dict[str, object]:
    """Text and spans as the page takes them: offsets in UTF-16 units, control characters as their pictures, one for one."""
    text = re.sub("\r(?!\n)", "\u240d", masked.text.translate(_CONTROLS)).replace("\r", "\u200b")
    spans = []
    for begin, end, kind in masked.spans:
        first = _units(text[:begin])
        spans.append([first, first + _units(text[begin:end]), kind])
    return {"n": number, "t": text, "s": spans}


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _body(sample: Sample) -> str:
    keys = "".join(
        f"<dt>{''.join(f'<kbd>{esc(k)}</kbd> ' for k in key.split())}</dt><dd>{esc(told)}</dd>" for key, told in KEYS
    )
    drawn = f"{len(sample.numbers):,} of {sample.population:,} released documents, drawn at random"
    drawn += f", seed {sample.seed}" + (", by the rarest kind masked" if sample.by == "kind" else "")
    return f"""<header class="top"><h1 id="title">Audit</h1>
<div class="done"><span id="count">0 read</span><progress id="bar" value="0" aria-label="Documents read"></progress></div>
<div class="steps"><button type="button" id="previous">Previous <kbd>p</kbd></button>
<button type="button" id="next">Next <kbd>n</kbd></button>
<button type="button" id="done" class="main">No leak, next <kbd>Enter</kbd></button></div></header>
<main><article id="text" tabindex="0" aria-label="Masked text"></article>
<aside class="side" aria-label="Findings">
<section><h2><span id="state" class="state">Not read yet</span></h2>
<p class="facts" id="place"></p><ul id="leaks"></ul>
<p class="muted" id="noleaks">Select words that still say who somebody is, and mark them as a leak.</p>
<p class="warn" id="said" role="status"></p>
<label>Note (no words of the document) <input id="note" maxlength="200" autocomplete="off"></label>
<p class="warn" id="spoiled"></p>
<p class="steps"><button type="button" id="undo">Back to unread</button></p></section>
<section><h2>All documents</h2><div id="all" role="group" aria-label="All documents"></div>
<p class="steps"><button type="button" id="unread">Next unread <kbd>u</kbd></button></p></section>
<section><h2>Findings of <span id="who"></span></h2><p class="steps">
<button type="button" id="save" class="main">Save findings.csv <kbd>s</kbd></button>
<button type="button" id="other">Other reader</button></p>
<p class="muted">They stay in this browser until you save them. The file holds numbers, kinds and your notes, no text.</p>
<p class="warn" id="unsaved"></p></section>
<section><h2>Letters</h2><p class="steps"><button type="button" id="smaller" aria-label="Smaller letters">A−</button>
<button type="button" id="larger" aria-label="Larger letters">A+</button></p></section>
<section class="keyboard"><h2>Keys</h2><dl class="keys">{keys}</dl></section></aside></main>
<div id="marker" role="group" aria-label="Mark a leak" hidden><q id="chosen"></q>
<label>is <select id="kind" aria-label="Kind"></select></label>
<button type="button" id="mark" class="main">Mark as leak <kbd>l</kbd></button>
<button type="button" id="cancel">Let go <kbd>Esc</kbd></button></div>
<dialog id="hello" aria-labelledby="greeting"><form method="dialog"><h2 id="greeting">Audit of a release</h2>
<p>{esc(drawn)}. Read each one to its end and mark every word by which somebody could be told: names, numbers, places, dates
that were left. Coloured words stand for something that was masked; invented names can be among them.</p>
<label>Your initials <input id="initials" required maxlength="12" pattern=".*\\S.*" autocomplete="off" autofocus></label>
<p><button class="main">Begin</button></p></form></dialog>
<footer>Masked texts only. This page loads nothing and sends nothing.</footer>"""
