"""Reader of what people reviewed in INCEpTION: exported projects, curated documents, single documents, folders of files."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...pipeline.contract.component import component
from ...pipeline.errors import CaspipeError, DuplicateError, ReaderError
from ...typesystem import Annotation, Cas, CaspipeWarning, DocumentAnnotation, PhiKind, Sentence, Token, View
from ...typesystem.description import STRING, nearest
from ...typesystem.review_layers import NAMED_ENTITY, PHI_LAYER, REJECTED
from ...typesystem.typesystem import TypeSystem
from ..files.file_reader import FileReader
from ..files.selection import Source
from ..gold import Overlaps, Reference, kind_of, make_gold
from .inception_files import CURATION, Content, FolderTree, Listing, Tree, Version, ZipTree, listing, stem

_CUSTOM = "webanno.custom."
_LABELS = ("label", "value", "kind", "type", "category", "entity")
_LONGEST_INDEX = 1 << 30


@dataclasses.dataclass(frozen=True, slots=True)
class _Known:
    """What the bundle says of a document."""

    id: str
    text: str
    """SHA-256 of the text that was reviewed; empty where the bundle does not say."""
    lost: tuple[tuple[int, int], ...]


@component("inception", outputs=[Annotation])
class InceptionReader(FileReader):
    """Reads what was reviewed in INCEpTION: the zip of a whole project or of curated documents (formats UIMA CAS XMI and UIMA
    CAS JSON), single exported documents, or a folder of such files. The annotations of one layer become reference annotations
    in the view `gold`; sentences and tokens are kept.

    Annotations with the status `rejected` are left out. Documents that nobody annotated are left out, with a warning.
    """

    pattern: str = "*"
    """In a folder: files to read, by name."""
    bundle: Path | None = None
    """The bundle that was reviewed (consumer `inception`): document ids and exact texts are taken from it, and a document with
    another text is refused."""
    user: str = ""
    """Whose annotations are read. Empty: the curated version where there is one, else the only one, else each person's version
    as a document `<id>/<user>` of its own. `CURATION_USER`: curated versions only."""
    layer: str = ""
    """UIMA name of the layer, or its last part. Empty: the layer of the bundle; without one `caspipe.review.PHI`, else the only
    layer of the project's own (`webanno.custom...`), else the named entities."""
    feature: str = ""
    """Feature that holds the label. Empty: `label`, `value` or the only feature of strings."""
    scheme: str = ""
    """Whose labels the annotations have: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `vigibase`; empty: names of PHI kinds, or
    the scheme of the bundle."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels that are called otherwise: `PER: PERSON`; null drops a label; `"": OTHER` is for annotations without
    one."""
    overlaps: Overlaps = "error"
    """What becomes of annotations that share characters: the document has failed (`error`), the `longest` or the `first` stays,
    or all of them (`keep`)."""
    lenient: bool = False
    """Types and features that the type system lacks are passed over; else such a document has failed."""

    suffixes = (".xmi", ".json", ".zip")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scheme:
            try:
                PhiKind.labels(self.scheme)
            except ValueError as error:
                raise ValueError(f"scheme: {error}") from None
        self._types: dict[bytes, TypeSystem] = {}
        self._known: dict[str, _Known] = {}
        self._folders: dict[Path, FolderTree] = {}
        self._scheme = self.scheme
        self._reviewed = ""

    def open(self) -> None:
        """Lists the files and reads the bundle. Raises ReaderError where one of them is absent or damaged."""
        super().open()
        self._read_bundle()

    def close(self) -> None:
        self._types, self._known, self._folders = {}, {}, {}
        super().close()

    def _select(self) -> list[Source]:
        """Files, and folders, which are read as a whole."""
        given = self.files if isinstance(self.files, list) else [self.files] if self.files else []
        if not given and self.folder is None:
            raise ReaderError(f"reader {self.id}: expected folder or files, got neither")
        if given and self.folder is not None:
            given = [self.folder / path for path in given]
        found: list[Path] = []
        for path in given or [Path(str(self.folder))]:
            wild = any(c in str(path) for c in "*?[") and not path.exists()
            several = sorted(path.parent.glob(path.name)) if wild else [path]
            if not several or not all(p.exists() for p in several):
                raise ReaderError(f"reader {self.id}: expected a folder or a file, found none at {path}")
            found += several
        return [Source(str(path), path.name) for path in found]

    def __iter__(self) -> Iterator[Cas]:
        if self.bundle is not None and not self._known:
            self._read_bundle()
        found = Listing([], [])
        for source in self.sources():
            try:
                more = self._listing(Path(source.path))
            except ReaderError as error:
                self.fail(source.id, str(error))
                continue
            for document, reason in more.faults:
                self.fail(document, reason)
            if more.faults and not more.versions:
                continue
            if not more.versions and more.serialised:
                self.fail(source.id, f"{source.path}: {_SERIALISED}")
            elif not more.versions and not more.untouched:
                self.fail(source.id, f"{source.path}: expected documents of INCEpTION (XMI or JSON CAS), found none")
            found.versions += more.versions
            found.untouched += more.untouched
        yield from self._documents(found)

    def __len__(self) -> int:
        raise TypeError(f"{type(self).__name__} does not know its length: exports hold several versions of a document")

    # -- which versions --------------------------------------------------------------------------------------------

    def _listing(self, path: Path) -> Listing:
        if path.is_dir():
            tree: Tree = FolderTree(path)
            if self.pattern != "*":
                from fnmatch import fnmatchcase

                def wanted(name: str) -> bool:
                    file = name.rpartition("/")[2]
                    return fnmatchcase(file, self.pattern) or not file or file.lower().endswith("typesystem.xml")

                tree.names = [n for n in tree.names if wanted(n)]
                tree.refused = {n: why for n, why in tree.refused.items() if wanted(n)}
            return listing(tree, self.max_bytes)
        if path.name.lower().endswith(".zip"):
            return listing(ZipTree(path, f"{path}!/"), self.max_bytes)
        tree = self._folders.get(path.parent) or self._folders.setdefault(path.parent, FolderTree(path.parent))
        return Listing([Version(path.name, "", tree, path.name)], [])

    def _documents(self, found: Listing) -> Iterator[Cas]:
        by_document: dict[str, list[Version]] = {}
        for version in found.versions:
            by_document.setdefault(version.document, []).append(version)
        untouched = [d for d in found.untouched if d not in by_document]
        if untouched:
            what = "a document" if len(untouched) == 1 else f"{len(untouched):,} documents"
            warnings.warn(
                f"{self.id}: {what} of the project that nobody annotated: left out", CaspipeWarning, stacklevel=2
            )
        seen: set[str] = set()
        for document, versions in by_document.items():
            for id_, version in self._chosen(document, versions):
                if id_ in seen:
                    where = version.tree.where(version.path)
                    self.fail(id_, f"{where}: another file has the same document id", DuplicateError)
                    continue
                seen.add(id_)
                try:
                    yield self._cas(id_, document, version)
                except ReaderError as error:
                    self.fail(id_, str(error))

    def _chosen(self, document: str, versions: list[Version]) -> Iterator[tuple[str, Version]]:
        """Document ids with the versions that are read."""
        known = self._said(document)
        id_ = known.id if known is not None else stem(document)
        if self.user:
            chosen = [v for v in versions if v.user == self.user]
            if not chosen:
                there = ", ".join(sorted({v.user for v in versions if v.user})) or "nobody's name"
                self.fail(id_, f"document {id_}: no annotations by the user asked for; there are those of {there}")
        else:
            chosen = [v for v in versions if v.user == CURATION] or versions
        users = {v.user for v in chosen}
        for version in chosen:
            yield (f"{id_}/{version.user}" if len(users) > 1 and version.user else id_), version

    # -- one document ----------------------------------------------------------------------------------------------

    def _cas(self, id_: str, document: str, version: Version) -> Cas:
        """The document with its gold view. Raises ReaderError."""
        content = version.content(self.max_bytes)
        known = self._said(document)
        try:
            read = self._parsed(content)
            layer, feature = self._layer(read, partial=content.where.lower().endswith(".json"))
        except CaspipeError as error:
            raise ReaderError(_placed(content, str(error))) from None
        except Exception as error:  # another library's message may quote the document
            raise ReaderError(f"{content.where}: {type(error).__name__}") from None
        if not read.has_view("_InitialView"):
            raise ReaderError(f"{content.where}: it has no initial view")
        cas = Cas(self._text(read.text, known, content.where), id=id_)
        if version.user:
            cas.metadata["annotator"] = version.user
        _keep(read.view(), cas.view())
        try:
            make_gold(cas, self._references(read.view(), layer, feature), self.overlaps)
        except ReaderError as error:
            raise ReaderError(f"{content.where}: {error}") from None
        return cas

    def _said(self, document: str) -> _Known | None:
        """What the bundle says of a document: INCEpTION calls it as its file was called."""
        name = document.rpartition("/")[2]
        return self._known.get(name) or self._known.get(stem(name))

    def _parsed(self, content: Content) -> Cas:
        if content.where.lower().endswith(".json"):
            from ...typesystem.json_cas.reader import read_jsoncas

            return read_jsoncas(content.data, lenient=self.lenient)
        from ...typesystem.xmi.reader import read_xmi

        types = None
        if content.types is not None:
            digest = hashlib.sha256(content.types).digest()
            if digest not in self._types:
                self._types[digest] = TypeSystem.from_xml(content.types, where=content.types_where)
            types = self._types[digest]
        return read_xmi(content.data, types, lenient=self.lenient)

    def _text(self, text: str, known: _Known | None, where: str) -> str:
        """The text as it was before it went to INCEpTION. Raises ReaderError where it is not the text that went there."""
        if known is None or not known.text:
            return text
        if hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() != known.text:
            raise ReaderError(f"{where}: its text is not the one in the bundle {self.bundle}")
        characters = list(text)
        for offset, code in known.lost:
            characters[offset] = chr(code)
        return "".join(characters)

    def _references(self, view: View, layer: str, feature: str) -> Iterator[Reference]:
        short = layer.rpartition(".")[2]
        for item in view.select(layer) if layer else ():
            name = f"{short} {item.begin}:{item.end}"
            if "status" in type(item).features and item["status"] == REJECTED:
                continue
            label = item[feature]
            if label is None or label == "":
                if "" not in self.kinds:
                    raise ReaderError(f'{name}: it has no {feature}; `kinds: {{"": OTHER}}` can give it one')
                label = ""
            try:
                kind = kind_of(str(label), self.kinds, self._scheme)
            except ReaderError as error:
                raise ReaderError(f"{name}: {error}") from None
            if kind is not None:
                yield Reference(item.begin, item.end, kind, name)

    # -- the layer -------------------------------------------------------------------------------------------------

    def _layer(self, cas: Cas, *, partial: bool) -> tuple[str, str]:
        """UIMA name of the layer and name of its feature. Raises ReaderError where it is not clear which.

        `partial`: the document knows only the types that it uses; both are empty where it does not use any layer for PHI.
        """
        types = cas.typesystem
        if types is None and partial:
            return "", ""
        if types is None:
            raise ReaderError("expected a TypeSystem.xml beside it, as INCEpTION exports it, found none")
        own = [name for name in types if types.defines(name) and "uima.tcas.Annotation" in types.supertypes(name)]
        if wanted := self.layer or self._reviewed:
            found = [name for name in own if wanted in (name, name.rpartition(".")[2])]
            if len(found) > 1:
                raise ReaderError(
                    f"{len(found)} layers called {wanted} in its type system; `layer` takes the whole name"
                )
            if not found and not partial:
                raise ReaderError(f"no layer called {wanted} in its type system{nearest(wanted, own)}")
        else:
            found = self._likely(types, own)
            if not found and not partial:
                raise ReaderError("no layer for PHI in its type system; `layer` can name one")
        return (found[0], self._feature(types, found[0])) if found else ("", "")

    def _likely(self, types: TypeSystem, own: list[str]) -> list[str]:
        """The layer that holds the PHI, as far as names can tell. Raises ReaderError where there are several."""
        if PHI_LAYER in own:
            return [PHI_LAYER]
        custom = [name for name in own if name.startswith(_CUSTOM) and self._strings(types, name)]
        if len(custom) > 1:
            raise ReaderError(f"several layers could hold the PHI: {', '.join(custom)}; `layer` can say which")
        return custom or [name for name in own if name == NAMED_ENTITY]

    def _feature(self, types: TypeSystem, layer: str) -> str:
        there = self._strings(types, layer)
        if self.feature:
            if self.feature not in there:
                raise ReaderError(
                    f"layer {layer} has no feature {self.feature} of strings{nearest(self.feature, there)}"
                )
            return self.feature
        likely = [name for name in _LABELS if name in there]
        if likely:
            return likely[0]
        if len(there) == 1:
            return there[0]
        raise ReaderError(
            f"layer {layer} has {len(there)} features of strings; `feature` can say which holds the label"
        )

    @staticmethod
    def _strings(types: TypeSystem, layer: str) -> list[str]:
        return [f.name for f in types.features(layer).values() if types.range_kind(f.range) == STRING]

    # -- the bundle ------------------------------------------------------------------------------------------------

    def _read_bundle(self) -> None:
        """Reads what the bundle says of its documents. Raises ReaderError."""
        self._known, self._scheme, self._reviewed = {}, self.scheme, ""
        if self.bundle is None:
            return
        where = f"{self.bundle}!/documents.json"
        tree = ZipTree(self.bundle, f"{self.bundle}!/")
        if "documents.json" not in tree.names:
            raise ReaderError(
                f"reader {self.id}: {self.bundle}: expected a bundle of caspipe, with documents.json in it"
            )
        try:
            index: Any = json.loads(tree.read("documents.json", _LONGEST_INDEX))
            self._scheme = self.scheme or str(index["scheme"])
            self._reviewed = NAMED_ENTITY if index["mode"] == "named-entity" else PHI_LAYER
            for entry in index["documents"]:
                lost = tuple((int(offset), int(code)) for offset, code in entry.get("lost", []))
                name = str(entry["file"])
                made = _Known(str(entry.get("id", stem(name))), str(entry.get("text_sha256", "")), lost)
                self._known[name] = self._known[stem(name)] = made
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise ReaderError(f"reader {self.id}: {where}: it is damaged") from None


_SERIALISED = (
    "it holds serialised Java objects only: export again with a secondary format (UIMA CAS XMI or UIMA CAS JSON 0.4.0)"
)


def _placed(content: Content, message: str) -> str:
    """The message with the file before it; what was read from memory calls itself (bytes)."""
    if content.types_where and message.startswith(content.types_where):
        return message
    named = message.startswith("(bytes)")
    return message.replace("(bytes)", content.where, 1) if named else f"{content.where}: {message}"


def _keep(old: View, new: View) -> None:
    """Takes sentences, tokens and the language over; INCEpTION's own bookkeeping stays behind."""
    for document in old.select(DocumentAnnotation)[:1]:
        if document.language and document.language != "x-unspecified":
            new.add(DocumentAnnotation(0, len(new.text), language=document.language))
    new.add_all([Sentence(s.begin, s.end) for s in old.select(Sentence)])
    new.add_all([Token(t.begin, t.end, pos=t.pos) for t in old.select(Token)])
