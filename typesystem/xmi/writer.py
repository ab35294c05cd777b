"""Write documents as XMI, UIMA's XML format, with string templates compiled per type."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
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
from .collector import Collector, document_name
from .graph import Graph
from .graph_writer import ROWS, GraphWriter, Rows
from .loss import Losses
from .parse import package_uri
from .plan import Field, Plan, is_xml_name, plan_for, strings, values

_PIECE = 1_000_000
"""Characters of a text that are encoded together."""
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
    """Return the document as XMI in UTF-8, deterministically.

    `typesystem`: by default the document's own, else caspipe's. `views`, `types`: only these (and subtypes); references to
    others are null. The document's id and metadata are written with the initial view only: they may be PHI.
    `on_illegal`: characters that XML 1.0 cannot express are replaced one for one, and recorded so that `read_xmi` restores
    them, or are an error. `offset_map`: also write the maps from a masked view's text to the original.

    Raises CasError, which names document, type and feature, never a value.
    """
    written: list[bytes] = []
    options: dict[str, Any] = {"typesystem": typesystem, "views": views, "types": types, "on_illegal": on_illegal}
    head = stream_xmi(cas, written.append, **options, offset_map=offset_map, pretty=pretty)
    return b"".join([head, *written])


def stream_xmi(
    cas: Cas,
    write: Callable[[bytes], object],
    *,
    typesystem: TypeSystem | None = None,
    views: Iterable[str] | None = None,
    types: Iterable[type[FeatureStructure]] | None = None,
    on_illegal: Literal["replace", "error"] = "replace",
    offset_map: bool = False,
    pretty: bool = False,
) -> bytes:
    """Write the document as `write_xmi`, piece by piece, without its first bytes; return these, which are known last."""
    ts = typesystem or cas.typesystem or own_types()
    graph = Collector(cas, ts, views, types, offset_map, every_id=False).collect()
    return _Writer(cas, ts, graph, on_illegal == "error", "\n  " if pretty else "", write).document()


def save_xmi(cas: Cas, path: str | Path, **options: Any) -> None:
    """Write the document to a file, atomically. Options are those of `write_xmi`. Raises CasError, OSError."""
    write_atomically(Path(path), write_xmi(cas, **options))


def write_atomically(path: Path, data: bytes) -> None:
    """Replace the content of a file in one step, so that no process reads a part of it. Raises OSError."""
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


def _pieces(text: str) -> list[str]:
    """Return a text in pieces that are encoded one by one."""
    return [text[first : first + _PIECE] for first in range(0, len(text), _PIECE)] if len(text) > _PIECE else [text]


class _Writer(GraphWriter):
    def __init__(
        self, cas: Cas, types: TypeSystem, graph: Graph, strict: bool, indent: str, write: Callable[[bytes], object]
    ) -> None:
        super().__init__(cas, types, graph, Escaper(strict), Losses())
        self.indent = indent
        self.prefixes: dict[str, str] = {}
        self._write_bytes = write

    def flush(self) -> None:
        """Encode what was written so far: the strings of all instances together would take several times as much memory."""
        self._write_bytes("".join(self.out).encode())
        self.out.clear()

    def pos_reference(self, number: int) -> str:
        return f' pos="{number}"'

    def document(self) -> bytes:
        """Write everything but the head, and return that."""
        graph, indent = self.graph, self.indent
        metadata_package = plan_for(MetadataRecord, self.types).package
        packages = [b.plan.package for b in graph.batches]
        for batch in graph.batches:
            if batch.plan.unfit:
                raise CasError(batch.plan.unfit)
        self._name_packages([*packages, metadata_package])
        self.out.append(f'{indent}<cas:NULL xmi:id="0"/>')
        sofas = self.sofas_needed()
        for i, has_sofa in enumerate(sofas):
            if has_sofa:
                self._sofa(i)
        for batch in graph.batches:
            self.write_batch(batch)
        for value, range_ in graph.typed_arrays():
            self._array(value, range_)
        if not self.write_metadata() and metadata_package not in packages:
            del self.prefixes[metadata_package]
        for i, members in enumerate(graph.members):
            sofa = f' sofa="{graph.sofa_numbers[i]}"' if sofas[i] else ""
            self.out.append(f'{indent}<cas:View{sofa} members="')
            self._members(members)
            self.out.append('"/>')
        self.out.append("\n</xmi:XMI>\n" if indent else "</xmi:XMI>")
        used = "".join(f' xmlns:{p}="{package_uri(package)}"' for package, p in self.prefixes.items())
        self.flush()
        head = f'<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="{XMI}"{used} xmi:version="2.0">'
        return head.encode()

    def _members(self, members: list[Sequence[int]]) -> None:
        numbers, space = chain.from_iterable(members), ""
        while some := list(islice(numbers, ROWS)):
            self.out.append(space + " ".join(map(str, some)))
            self.flush()
            space = " "

    def _name_packages(self, packages: list[str]) -> None:
        self.prefixes = {"uima.cas": "cas"}
        taken = {"cas", "xmi"}
        for package in sorted(set(packages) - {"uima.cas"}, key=lambda p: (p != "uima.tcas", p)):
            last = package.rpartition(".")[2] or "noNamespace"
            if last.lower().startswith(("xmi", "xml")) or not is_xml_name(last):
                last = "p"  # UIMA skips elements whose prefix begins with xmi; XML reserves names that begin with xml
            prefix, n = last, 1
            while prefix in taken:
                n += 1
                prefix = f"{last}{n}"
            taken.add(prefix)
            self.prefixes[package] = prefix

    def _sofa(self, i: int) -> None:
        sofa, esc = self.graph.views[i].sofa, self.esc
        try:
            parts = [f'{self.indent}<cas:Sofa xmi:id="{self.graph.sofa_numbers[i]}"']
            parts += [f' sofaNum="{i + 1}" sofaID="{esc[sofa.name]}"']
            parts += [f' mimeType="{esc[sofa.mime]}"'] if sofa.mime else []
            parts += [' sofaString="', *_pieces(esc[sofa.text]), '"'] if sofa.text is not None else []
            parts += [f' sofaURI="{esc[sofa.uri]}"'] if sofa.uri is not None else []
        except IllegalCharacterError as e:
            raise CasError(f"{document_name(self.cas)}: view {shown(sofa.name)}: {e}") from None
        if sofa.array is not None:
            parts.append(f' sofaArray="{self.graph.number[id(sofa.array)]}"')
        self.record_text_loss(sofa)
        if sofa.text is not None:
            esc.pop(sofa.text, None)  # a long text need not stay in memory
        parts.append("/>")
        if sofa.text is None or len(sofa.text) < _PIECE:
            self.out.append("".join(parts))
            return
        for part in parts:
            self.out.append(part)
            self.flush()

    # -- feature structures --------------------------------------------------------------------------------------

    def write_rows(self, plan: Plan, view: int, rows: Rows, tags: Iterator[str], out: list[str]) -> None:
        head, sofa = self._head(plan), self._sofa_attribute(view)
        close = f"</{self.prefixes[plan.package]}:{plan.local}>"
        plan.write(out.append, head, close, sofa, rows, tags, self.esc, self.ref, self._refs)

    def span_frame(self, plan: Plan, view: int) -> tuple[str, str, str]:
        return self._head(plan), f'"{self._sofa_attribute(view)} begin="', '" end="'

    def _head(self, plan: Plan) -> str:
        return f'{self.indent}<{self.prefixes[plan.package]}:{plan.local} xmi:id="'

    def _sofa_attribute(self, view: int) -> str:
        return f' sofa="{self.graph.sofa_numbers[view]}"' if view >= 0 else ""

    def _refs(self, items: Any) -> str:
        ref = self.ref
        return " ".join(["0" if v is None else str(ref(v)) for v in items])

    def _array(self, value: Any, range_: str) -> None:
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
