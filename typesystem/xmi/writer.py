"""Writes documents as XMI, UIMA's XML form: string templates compiled per type, checked so that every UIMA can read them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from itertools import repeat
from pathlib import Path
from typing import Any, Literal

from ..annotation import FeatureStructure
from ..arrays import ELEMENTS, FSArray, StringArray
from ..builtin_mapping import MetadataRecord
from ..cas import Cas
from ..errors import CasError
from ..markup.xml_text import Escaper, IllegalCharacterError
from ..text import shown
from ..typesystem import TypeSystem, own_types
from .collector import Batch, Collector, Graph, document_name
from .graph_writer import GraphWriter
from .loss import Losses
from .parse import package_uri
from .plan import Field, Plan, is_xml_name, plan_for, strings, values

XMI = "http://www.omg.org/XMI"


def write_xmi(
    cas: Cas,
    *,
    typesystem: TypeSystem | None = None,
    views: Iterable[str] | None = None,
    types: Iterable[type[FeatureStructure]] | None = None,
    on_illegal: Literal["replace", "error"] = "replace",
    offset_map: bool = False,
    pretty: bool = False,
) -> bytes:
    """The document as XMI, UTF-8; the same document gives the same bytes.

    `typesystem`: by default the document's own, else caspipe's. `views`, `types`: only these (and subtypes); what refers to
    others then refers to nothing. The document's id and metadata go with the initial view only: they may be PHI.
    `on_illegal`: characters that XML 1.0 cannot carry are replaced one for one, and recorded so that `read_xmi` brings them
    back, or are an error. `offset_map`: also the way from a masked view's text back to the original.

    Raises CasError that names document, type and feature, never a value.
    """
    ts = typesystem or cas.typesystem or own_types()
    only = None if types is None else tuple(types)
    graph = Collector(cas, ts, views, only, offset_map).collect()
    return _Writer(cas, ts, graph, on_illegal == "error", "\n  " if pretty else "").document()


def save_xmi(cas: Cas, path: str | Path, **options: Any) -> None:
    """Writes the document to a file, whole or not at all. Options as of `write_xmi`. Raises CasError, OSError."""
    write_atomically(Path(path), write_xmi(cas, **options))


def write_atomically(path: Path, data: bytes) -> None:
    """Puts `data` in place of a file in one step: a reader sees the old content or the new, never a part. Raises OSError."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


class _Writer(GraphWriter):
    def __init__(self, cas: Cas, types: TypeSystem, graph: Graph, strict: bool, indent: str) -> None:
        super().__init__(cas, types, graph, Escaper(strict), Losses())
        self.indent = indent
        self.prefixes: dict[str, str] = {}

    def tag(self, number: int) -> str:
        return f' pos="{number}"'

    def document(self) -> bytes:
        graph, indent = self.graph, self.indent
        metadata_plan = plan_for(MetadataRecord, self.types)
        for batch in graph.batches:
            if batch.plan.unfit:
                raise CasError(batch.plan.unfit)
        self._name_packages([*(b.plan.package for b in graph.batches), metadata_plan.package])
        self.out.append("")
        self.out.append(f'{indent}<cas:NULL xmi:id="0"/>')
        sofas = self.sofas_needed()
        for i, has_sofa in enumerate(sofas):
            if has_sofa:
                self._sofa(i)
        for batch in graph.batches:
            self._batch(batch)
        for array in graph.arrays:
            self._array(array)
        self._metadata(metadata_plan)
        for i, members in enumerate(graph.members):
            sofa = f' sofa="{graph.sofa_numbers[i]}"' if sofas[i] else ""
            self.out.append(f'{indent}<cas:View{sofa} members="{" ".join(map(str, members))}"/>')
        self.out.append("\n</xmi:XMI>\n" if indent else "</xmi:XMI>")
        used = "".join(f' xmlns:{p}="{package_uri(package)}"' for package, p in self.prefixes.items())
        self.out[0] = f'<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="{XMI}"{used} xmi:version="2.0">'
        return "".join(self.out).encode()

    def _name_packages(self, packages: list[str]) -> None:
        self.prefixes = {"uima.cas": "cas"}
        taken = {"cas", "xmi"}
        for package in sorted(set(packages) - {"uima.cas"}, key=lambda p: (p != "uima.tcas", p)):
            last = package.rpartition(".")[2] or "noNamespace"
            if last.lower().startswith(("xmi", "xml")) or not is_xml_name(last):
                last = "p"  # UIMA passes over elements whose prefix begins with xmi; names that begin with xml are XML's own
            prefix, n = last, 1
            while prefix in taken:
                n += 1
                prefix = f"{last}{n}"
            taken.add(prefix)
            self.prefixes[package] = prefix

    # -- Sofas ---------------------------------------------------------------------------------------------------

    def _sofa(self, i: int) -> None:
        view, esc = self.graph.views[i], self.esc
        sofa = view.sofa
        try:
            parts = [f'sofaNum="{i + 1}" sofaID="{esc[sofa.name]}"']
            parts += [f'mimeType="{esc[sofa.mime]}"'] if sofa.mime else []
            if sofa.text is not None:
                parts.append(f'sofaString="{esc[sofa.text]}"')
            if sofa.uri is not None:
                parts.append(f'sofaURI="{esc[sofa.uri]}"')
        except IllegalCharacterError as e:
            raise CasError(f"{document_name(self.cas)}: view {shown(view.name)}: {e}") from None
        if sofa.array is not None:
            parts.append(f'sofaArray="{self.graph.number[id(sofa.array)]}"')
        self.out.append(f'{self.indent}<cas:Sofa xmi:id="{self.graph.sofa_numbers[i]}" {" ".join(parts)}/>')
        if sofa.text in esc.lossy:
            self.losses.text(view.name, sofa.text or "")
            esc.lossy.discard(sofa.text or "")
            del esc[sofa.text or ""]  # a feature with the same string is a loss of its own

    # -- feature structures --------------------------------------------------------------------------------------

    def _batch(self, batch: Batch) -> None:
        plan = batch.plan
        tag = f"{self.prefixes[plan.package]}:{plan.local}"
        head, close = f'{self.indent}<{tag} xmi:id="', f"</{tag}>"
        sofa = f' sofa="{self.graph.sofa_numbers[batch.view]}"' if batch.view >= 0 else ""
        if batch.begins is not None:
            self._columns(batch, head, close, sofa)
            return
        begins: Iterable[int] = repeat(0)
        ends: Iterable[int] = repeat(0)
        if plan.span:
            begins, ends = self.spans(batch, [a._begin for a in batch.items], [a._end for a in batch.items])
        rows = zip(batch.numbers, batch.items, begins, ends)  # noqa: B905  repeat() has no end
        self._write(plan, batch.items, batch.numbers, head, close, sofa, rows, self.out)

    def _columns(self, batch: Batch, head: str, close: str, sofa: str) -> None:
        begins, ends = self.spans(batch, batch.begins or (), batch.ends)
        one: list[str] = []
        self._write(batch.plan, batch.items, (0,), "", close, sofa, [(0, batch.items[0], 0, 0)], one)
        before = f'0"{sofa} begin="0" end="0"'
        rest = one[0][len(before) :]
        self.out += [
            f'{head}{n}"{sofa} begin="{b}" end="{e}"{rest}' for n, b, e in zip(batch.numbers, begins, ends, strict=True)
        ]

    def _write(
        self,
        plan: Plan,
        items: list[Any],
        numbers: Sequence[int],
        head: str,
        close: str,
        sofa: str,
        rows: Any,
        out: list[str],
    ) -> None:
        tags = self.tags(items) if plan.is_token else iter(())
        try:
            plan.write(out.append, head, close, sofa, rows, tags, self.esc, self.ref, self._refs)
        except (TypeError, ValueError, OverflowError, AttributeError, KeyError):
            self.explain(plan, items)
            raise
        if self.esc.lossy or plan.string_arrays:
            self.losses.features(plan, items, numbers, self.esc.lossy)

    def _refs(self, values_: Any) -> str:
        ref = self.ref
        return " ".join(["0" if v is None else str(ref(v)) for v in values_])

    # -- arrays and metadata -------------------------------------------------------------------------------------

    def _array(self, array: Any) -> None:
        value, range_ = array if isinstance(array, tuple) else (array, array.uima_name)
        number = self.graph.number[id(value)]
        local = range_.rpartition(".")[2]
        inner: list[str] = []
        try:
            if range_ == FSArray.uima_name:
                attribute = f' elements="{self._refs(value)}"'
            elif range_ == StringArray.uima_name:
                attribute = strings(inner, "elements", value, self.esc)
            else:
                attribute = f' elements="{values(value, ELEMENTS[range_])}"'
        except (TypeError, ValueError, OverflowError) as e:
            self.refuse(range_, Field("elements", "", "array", ELEMENTS[range_]), e)
            raise
        tail = f">{''.join(inner)}</cas:{local}>" if inner else "/>"
        self.out.append(f'{self.indent}<cas:{local} xmi:id="{number}"{attribute}{tail}')
        if range_ == StringArray.uima_name:
            self.losses.array(number, value, self.esc.lossy)

    def _metadata(self, plan: Plan) -> None:
        """The record of metadata and losses, indexed in the first view."""
        graph = self.graph
        entries = {**graph.metadata, **self.losses.entries(graph.metadata, graph.metadata_number, self.esc)}
        if not entries:
            self.prefixes = {p: x for p, x in self.prefixes.items() if p != plan.package or self._uses(p)}
            return
        record = MetadataRecord(keys=list(entries), values=list(entries.values()))
        if graph.members:
            graph.members[0].append(graph.metadata_number)
        tag = f"{self.prefixes[plan.package]}:{plan.local}"
        rows = [(graph.metadata_number, record, 0, 0)]
        head = f'{self.indent}<{tag} xmi:id="'
        try:
            plan.write(self.out.append, head, f"</{tag}>", "", rows, iter(()), self.esc, self.ref, self._refs)
        except (TypeError, IllegalCharacterError) as e:
            raise CasError(f"{document_name(self.cas)}: metadata: {e}") from None

    def _uses(self, package: str) -> bool:
        return any(b.plan.package == package for b in self.graph.batches)
