"""Reader of INCEpTION's exports: projects, curated documents, single documents, and folders of such files."""

from __future__ import annotations

import dataclasses
import hashlib
import warnings
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from ...pipeline.contract.component import component
from ...pipeline.errors import CaspipeError, DuplicateError, ReaderError
from ...typesystem import Annotation, Cas, CaspipeWarning, DocumentAnnotation, PhiKind, Sentence, Token, View
from ...typesystem.description import STRING, nearest
from ...typesystem.json_cas.reader import read_jsoncas
from ...typesystem.review_layers import NAMED_ENTITY, PHI_LAYER, REJECTED
from ...typesystem.typesystem import TypeSystem
from ...typesystem.xmi.reader import read_xmi
from ..files.file_reader import FileReader
from ..files.selection import Source
from ..gold import Overlaps, Reference, check_scheme, kind_of, make_gold
from .inception_export import (
    CURATION,
    Content,
    FolderTree,
    Listing,
    ReviewProject,
    Version,
    ZipTree,
    list_export,
    read_review_project,
    stem,
)

_SERIALIZED = (
    "it contains only serialized Java objects: export again with the format UIMA CAS XMI or UIMA CAS JSON 0.4.0"
)


@component("inception", outputs=[Annotation])
class InceptionReader(FileReader):
    """Reads exports of INCEpTION: the zip of a project or of curated documents (formats UIMA CAS XMI and UIMA CAS JSON), single
    exported documents, or a folder of such files. The annotations of one layer become reference annotations in the view `gold`;
    sentences and tokens are kept.

    Annotations with the status `rejected` are left out. Documents without annotations by anyone are left out, with a warning.
    """

    pattern: str = "*"
    """Names of the files to read in a folder."""
    bundle: Path | None = None
    """The review project that was reviewed (consumer `inception`). Document ids and exact texts are taken from it, and documents
    with another text are refused."""
    user: str = ""
    """Annotator whose annotations are read. Empty: the curated version if there is one, else the only one, else each annotator's
    version as a separate document `<id>/<user>`. `CURATION_USER`: curated versions only."""
    layer: str = ""
    """UIMA name of the layer, or its last part. Empty: the layer of the review project; else `caspipe.review.PHI`, else the only
    custom layer of the project (`webanno.custom...`), else the named entities."""
    feature: str = ""
    """Feature with the label. Empty: `label`, `value` or the only string feature."""
    scheme: str = ""
    """Scheme of the labels: `meddocan`, `i2b2-2014-sub`, `i2b2-2014`, `vigibase`; empty: names of PHI kinds, or the scheme of the
    review project."""
    kinds: dict[str, PhiKind | None] = dataclasses.field(default_factory=dict)
    """PHI kinds of labels with other names: `PER: PERSON`; null drops a label; `"": OTHER` applies to annotations without a
    label."""
    overlaps: Overlaps = "error"
    """Annotations that share characters: `error` fails the document, `longest` or `first` keeps that one, `keep` all."""
    lenient: bool = False
    """Ignore types and features that the type system lacks; else such a document has failed."""

    suffixes = (".xmi", ".json", ".zip")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_scheme(self.scheme)
        self._types: dict[bytes, TypeSystem] = {}
        self._folders: dict[Path, FolderTree] = {}
        self._project: ReviewProject | None = None

    def open(self) -> None:
        """List the files and read the review project. Raises ReaderError if one of them is missing or damaged."""
        super().open()
        self._project = self._read_project()

    def close(self) -> None:
        self._types, self._folders, self._project = {}, {}, None
        super().close()

    def _read_project(self) -> ReviewProject:
        if self.bundle is None:
            return ReviewProject()
        try:
            return read_review_project(self.bundle)
        except ReaderError as error:
            raise ReaderError(f"reader {self.id}: {error}") from None

    def _select(self) -> list[Source]:
        """Return files, and folders, which are read as a whole."""
        given = self.files if isinstance(self.files, list) else [self.files] if self.files else []
        if not given and self.folder is None:
            raise ReaderError(f"reader {self.id}: expected folder or files, got neither")
        if given and self.folder is not None:
            given = [self.folder / path for path in given]
        selected: list[Path] = []
        for path in given or [Path(str(self.folder))]:
            is_pattern = any(c in str(path) for c in "*?[") and not path.exists()
            matches = sorted(path.parent.glob(path.name)) if is_pattern else [path]
            if not matches or not all(p.exists() for p in matches):
                raise ReaderError(f"reader {self.id}: expected a folder or a file, found none at {path}")
            selected += matches
        return [Source(str(path), path.name) for path in selected]

    def __iter__(self) -> Iterator[Cas]:
        project = self._project or self._read_project()
        listing = Listing()
        for source in self.sources():
            try:
                part = self._list(Path(source.path))
            except ReaderError as error:
                self.fail(source.id, str(error))
                continue
            for document, reason in part.faults:
                self.fail(document, reason)
            if not part.versions and not part.faults:
                if part.serialized:
                    self.fail(source.id, f"{source.path}: {_SERIALIZED}")
                elif not part.unannotated:
                    self.fail(
                        source.id, f"{source.path}: expected documents of INCEpTION (XMI or JSON CAS), found none"
                    )
            if part.versions or not part.faults:
                listing.extend(part)
        yield from self._documents(listing, project)

    def __len__(self) -> int:
        raise TypeError(
            f"{type(self).__name__} does not know its length: exports contain several versions of a document"
        )

    def _list(self, path: Path) -> Listing:
        if path.is_dir():
            tree = FolderTree(path)
            tree.names = [n for n in tree.names if self._matches(n)]
            tree.refused = {n: reason for n, reason in tree.refused.items() if self._matches(n)}
            return list_export(tree, self.max_bytes)
        if path.name.lower().endswith(".zip"):
            return list_export(ZipTree(path, f"{path}!/"), self.max_bytes)
        tree = self._folders.get(path.parent) or self._folders.setdefault(path.parent, FolderTree(path.parent))
        return Listing([Version(path.name, "", tree, path.name)])

    def _matches(self, name: str) -> bool:
        file = name.rpartition("/")[2]
        return not file or fnmatchcase(file, self.pattern) or file.lower().endswith("typesystem.xml")

    def _documents(self, listing: Listing, project: ReviewProject) -> Iterator[Cas]:
        by_document: dict[str, list[Version]] = {}
        for version in listing.versions:
            by_document.setdefault(version.document, []).append(version)
        unannotated = [d for d in listing.unannotated if d not in by_document]
        if unannotated:
            count = "a document" if len(unannotated) == 1 else f"{len(unannotated):,} documents"
            warnings.warn(
                f"{self.id}: {count} of the project without annotations: left out", CaspipeWarning, stacklevel=2
            )
        seen: set[str] = set()
        for document, versions in by_document.items():
            for id_, version in self._versions_to_read(document, versions, project):
                if id_ in seen:
                    where = version.tree.where(version.path)
                    self.fail(id_, f"{where}: another file has the same document id", DuplicateError)
                    continue
                seen.add(id_)
                try:
                    yield self.with_patient(self._cas(id_, document, version, project))
                except ReaderError as error:
                    self.fail(id_, str(error))

    def _versions_to_read(
        self, document: str, versions: list[Version], project: ReviewProject
    ) -> Iterator[tuple[str, Version]]:
        """Yield document ids and the versions to read."""
        reviewed = project.find(document)
        id_ = reviewed.id if reviewed is not None else stem(document)
        if self.user:
            selected = [v for v in versions if v.user == self.user]
            if not selected:
                users = ", ".join(sorted({v.user for v in versions if v.user})) or "an unknown user"
                self.fail(id_, f"document {id_}: no annotations by the requested user; there are those of {users}")
        else:
            selected = [v for v in versions if v.user == CURATION] or versions
        several = len({v.user for v in selected}) > 1
        for version in selected:
            yield (f"{id_}/{version.user}" if several and version.user else id_), version

    def _cas(self, id_: str, document: str, version: Version, project: ReviewProject) -> Cas:
        """Return the document with its gold view. Raises ReaderError."""
        content = version.content(self.max_bytes)
        try:
            source = self._parse(content)
            partial = content.where.lower().endswith(".json")
            layer, feature = find_layer(source.typesystem, self.layer or project.layer, self.feature, partial=partial)
        except CaspipeError as error:
            raise ReaderError(_with_file_name(content, str(error))) from None
        except Exception as error:  # another library's message may quote the document
            raise ReaderError(f"{content.where}: {type(error).__name__}") from None
        if not source.has_view("_InitialView"):
            raise ReaderError(f"{content.where}: it has no initial view")
        reviewed = project.find(document)
        text = source.text if reviewed is None else reviewed.restore(source.text)
        if text is None:
            raise ReaderError(f"{content.where}: its text is not the one in the review project {self.bundle}")
        cas = Cas(text, id=id_)
        if version.user:
            cas.metadata["annotator"] = version.user
        _copy_tokens(source.view(), cas.view())
        references = self._references(source.view(), layer, feature, self.scheme or project.scheme)
        try:
            make_gold(cas, references, self.overlaps)
        except ReaderError as error:
            raise ReaderError(f"{content.where}: {error}") from None
        return cas

    def _parse(self, content: Content) -> Cas:
        if content.where.lower().endswith(".json"):
            return read_jsoncas(content.data, lenient=self.lenient)
        types = None
        if content.types is not None:
            digest = hashlib.sha256(content.types).digest()
            if digest not in self._types:
                self._types[digest] = TypeSystem.from_xml(content.types, where=content.types_where)
            types = self._types[digest]
        return read_xmi(content.data, types, lenient=self.lenient)

    def _references(self, view: View, layer: str, feature: str, scheme: str) -> Iterator[Reference]:
        short = layer.rpartition(".")[2]
        for item in view.select(layer) if layer else ():
            name = f"{short} {item.begin}:{item.end}"
            if "status" in type(item).features and item["status"] == REJECTED:
                continue
            label = item[feature] or ""
            if label == "" and "" not in self.kinds:
                raise ReaderError(f'{name}: it has no {feature}; `kinds: {{"": OTHER}}` can give it one')
            try:
                kind = kind_of(str(label), self.kinds, scheme)
            except ReaderError as error:
                raise ReaderError(f"{name}: {error}") from None
            if kind is not None:
                yield Reference(item.begin, item.end, kind, name)


def _with_file_name(content: Content, message: str) -> str:
    """Return a message with the file's name; messages about data in memory begin with (bytes)."""
    if content.types_where and message.startswith(content.types_where):
        return message
    unnamed = message.startswith("(bytes)")
    return message.replace("(bytes)", content.where, 1) if unnamed else f"{content.where}: {message}"


def _copy_tokens(source: View, target: View) -> None:
    """Copy sentences, tokens and the language; other annotations of INCEpTION are left out."""
    for document in source.select(DocumentAnnotation)[:1]:
        if document.language and document.language != "x-unspecified":
            target.add(DocumentAnnotation(0, len(target.text), language=document.language))
    target.add_all([Sentence(s.begin, s.end) for s in source.select(Sentence)])
    target.add_all([Token(t.begin, t.end, pos=t.pos) for t in source.select(Token)])


_CUSTOM = "webanno.custom."
_LABELS = ("label", "value", "kind", "type", "category", "entity")


def find_layer(types: TypeSystem | None, wanted: str, feature: str, *, partial: bool) -> tuple[str, str]:
    """Return the UIMA name of the layer and the name of its feature. Raises ReaderError if they are ambiguous or missing.

    `wanted`, `feature`: the names to use, or empty strings. `partial`: the document contains only the types that it uses; both
    results are empty if it has no PHI.
    """
    if types is None:
        if partial:
            return "", ""
        raise ReaderError("expected a TypeSystem.xml beside it, as INCEpTION exports it, found none")
    layers = [name for name in types if types.defines(name) and "uima.tcas.Annotation" in types.supertypes(name)]
    if wanted:
        candidates = [name for name in layers if wanted in (name, name.rpartition(".")[2])]
        if len(candidates) > 1:
            raise ReaderError(
                f"{len(candidates)} layers called {wanted} in its type system; `layer` takes the whole name"
            )
        if not candidates and not partial:
            raise ReaderError(f"no layer called {wanted} in its type system{nearest(wanted, layers)}")
    else:
        candidates = _likely(types, layers)
        if not candidates and not partial:
            raise ReaderError("no layer for PHI in its type system; `layer` can name one")
    return (candidates[0], _feature(types, candidates[0], feature)) if candidates else ("", "")


def _likely(types: TypeSystem, layers: list[str]) -> list[str]:
    """Return the layer that contains the PHI, by its name. Raises ReaderError if there are several."""
    if PHI_LAYER in layers:
        return [PHI_LAYER]
    custom = [name for name in layers if name.startswith(_CUSTOM) and _string_features(types, name)]
    if len(custom) > 1:
        raise ReaderError(f"several layers could contain the PHI: {', '.join(custom)}; `layer` can select one")
    return custom or [name for name in layers if name == NAMED_ENTITY]


def _feature(types: TypeSystem, layer: str, wanted: str) -> str:
    features = _string_features(types, layer)
    if wanted:
        if wanted not in features:
            raise ReaderError(f"layer {layer} has no feature {wanted} of strings{nearest(wanted, features)}")
        return wanted
    likely = [name for name in _LABELS if name in features]
    if likely or len(features) == 1:
        return (likely or features)[0]
    raise ReaderError(
        f"layer {layer} has {len(features)} features of strings; `feature` can select the one with the label"
    )


def _string_features(types: TypeSystem, layer: str) -> list[str]:
    return [f.name for f in types.features(layer).values() if types.range_kind(f.range) == STRING]
