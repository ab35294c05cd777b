"""Restore what only files express as feature structures: POS tags, metadata, offset maps, lost characters, the id."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, cast

from ..builtin_mapping import MetadataRecord, OffsetMapRecord, Pos, coarse
from ..cas import Cas
from ..foreign import ClassSpec, make_class
from ..markup.xml_text import restore
from ..text import OffsetMap
from ..types import DocumentAnnotation, DocumentMetaData, Token
from ..view import View
from .loss import FEATURE_KEY, TEXT_KEY, lost_texts, parse_pairs
from .parse import Rows

_pos_of = attrgetter("pos")
_METADATA = "http:///caspipe.ecore Metadata"
RECORDS = frozenset((_METADATA, "http:///caspipe.ecore OffsetMap"))
"""The elements that describe the document instead of being feature structures of it."""


def lost_texts_of(rows: Rows) -> dict[str, str]:
    """Return the record of characters that the text of each view lost when it was written."""
    lost: dict[str, str] = {}
    for i, (name, _) in enumerate(rows.elements):
        if name == _METADATA:
            keys = [c.text for c in rows.children.get(i, ()) if c.feature == "keys"]
            values = [c.text for c in rows.children.get(i, ()) if c.feature == "values"]
            lost.update(lost_texts(zip(keys, values, strict=False)))
    return lost


def read_records(
    cas: Cas, by_id: dict[int, Any], fault: Callable[[str], Exception], *, renumbered: bool = False
) -> None:
    """Apply the records of metadata, lost characters and offset maps to the document, and remove them.

    `renumbered`: the ids are not those that were written, so the record of lost characters cannot be applied.
    """
    records = {n: r for n, r in by_id.items() if isinstance(r, MetadataRecord | OffsetMapRecord)}
    for number, record in records.items():
        if isinstance(record, MetadataRecord):
            entries = _entries(record)
            if FEATURE_KEY in entries and not renumbered:
                _restore(by_id, entries[FEATURE_KEY])
                entries = _entries(record)
            cas.metadata.update((k, v) for k, v in entries.items() if k != FEATURE_KEY and not k.startswith(TEXT_KEY))
        elif cas.has_view(record.view):
            try:
                spans = list(zip(record.begins or (), record.ends or (), record.lengths or (), strict=True))
                cas.view(record.view).offset_map = OffsetMap(spans)
            except ValueError:
                raise fault("caspipe.OffsetMap: expected sorted, disjoint spans") from None
        for view in cas.views:
            view.indexes.remove(record)
        del by_id[number]


def _entries(record: MetadataRecord) -> dict[str, str]:
    """Return the entries of a record. Other tools write empty strings as null."""
    return {k or "": v or "" for k, v in zip(record.keys or (), record.values or (), strict=False)}


def document_id(cas: Cas) -> str:
    """Return the id in the document's DocumentMetaData, or an empty string."""
    ids = (d.documentId for view in cas.views for d in view.select(DocumentMetaData))
    return next((str(i) for i in ids if i), "")


def document_annotations(cas: Cas, view: View, name: str, alias: dict[int, Any], keep: list[Any]) -> list[Any] | None:
    """Return the document annotations to write instead of the indexed ones, or None if these can be written.

    `name`: the id of the document, which one of them has to contain, or empty. `alias` and `keep` are those of the collector.
    """
    documents: list[Any] = view.select(DocumentAnnotation)
    changed = False
    if len(documents) > 1 and any(type(d) is not DocumentAnnotation for d in documents):
        kept = next(d for d in documents if type(d) is not DocumentAnnotation)
        read = (
            {id(d) for d in cas.origin.items.values()} if cas.origin is not None else set()
        )  # never drop those of a file
        dropped = {id(d) for d in documents if type(d) is DocumentAnnotation and id(d) not in read}
        alias.update(dict.fromkeys(dropped, kept))
        documents = [d for d in documents if id(d) not in dropped]
        changed = bool(dropped)
    if not name or len(documents) > 1:
        return documents if changed else None
    old = documents[0] if documents else None
    if old is None:
        new: Any = DocumentMetaData(0, len(view.text), documentId=name)
    elif isinstance(old, DocumentMetaData) and old.documentId is None:
        new = copy.copy(old)
        new.documentId = name
    elif type(old) is DocumentAnnotation:
        new = DocumentMetaData(old.begin, old.end, language=old.language, documentId=name)
    else:
        return documents if changed else None
    new._sofa = view.sofa
    if old is not None:
        alias[id(old)] = new
    keep.append(new)
    return [new]


# -- parts of speech ---------------------------------------------------------------------------------------------


def resolve_pos_links(by_id: dict[int, Any], links: list[tuple[Any, int]], others: list[str]) -> set[int]:
    """Set `Token.pos` from the linked annotations. Return `id()` of those that contain nothing but the tag and are dropped.

    `links`: tokens with the id of their POS annotation; `others`: the ids that all other features refer to. A token whose
    annotation is kept becomes an instance of a class that keeps the link.
    """
    absorbed: set[int] = set()
    referred = {t for text in others for t in text.split()}
    number_of: dict[int, int] = {}
    for token, number in links:
        link = by_id[number]
        token.pos = (link.PosValue or "") if isinstance(link, Pos) else ""
        if hasattr(type(token), "_pos_link"):
            token._pos_link = link
        elif _is_just_a_tag(token, link) and str(number) not in referred and id(link) not in absorbed:
            absorbed.add(id(link))
        else:
            number_of = number_of or {id(x): n for n, x in by_id.items()}
            if id(token) in number_of:  # otherwise a later element has the same id
                by_id[number_of[id(token)]] = _with_link(token, link)
                absorbed.discard(id(link))
    return absorbed


def _is_just_a_tag(token: Any, link: Any) -> bool:
    return (
        type(link) is Pos
        and link.PosValue is not None
        and link.PosValue != ""
        and link.coarseValue == coarse(link.PosValue)
        and (link._begin, link._end, link._sofa) == (token._begin, token._end, token._sofa)
    )


def pos_links(tokens: Sequence[Any]) -> dict[int, Any]:
    """Return new POS annotations for tokens with a tag, by `id()` of the token.

    A token that was read with a POS annotation keeps it; the annotation is updated if `Token.pos` changed.
    """
    links: dict[int, Any] = {}
    if not tokens or not (any(map(_pos_of, tokens)) or hasattr(type(tokens[0]), "_pos_link")):
        return links
    for token in tokens:
        tag, link = token.pos, getattr(token, "_pos_link", None)
        if isinstance(link, Pos) and (link.PosValue or "") != tag:
            link.PosValue = tag or None
            link.coarseValue = coarse(tag) if tag else None
        elif link is None and tag:
            link = links[id(token)] = Pos(token._begin, token._end, PosValue=tag, coarseValue=coarse(tag))
            link._sofa = token._sofa
    return links


def linked_token() -> Any:
    """Return the class of tokens that keep a link to the POS annotation they were read with."""
    return make_class(ClassSpec(Token.uima_name, (Token,), (), False))


def _with_link(token: Token, link: Any) -> Token:
    new: Any = linked_token()(token._begin, token._end, pos=token.pos)
    new._sofa, new._source, new._pos_link = token._sofa, token._source, link
    return cast(Token, new)


# -- lost characters ---------------------------------------------------------------------------------------------


def _restore(by_id: dict[int, Any], record: str) -> None:
    """Restore the characters that strings lost. Entries that do not fit are skipped: another tool changed the document."""
    grouped: dict[str, list[tuple[int, int]]] = {}
    for entry in record.split():
        feature, _, rest = entry.partition(":")
        if rest == "null":
            _set(by_id, feature, lambda _: None)
            continue
        if lost := parse_pairs(rest):
            grouped.setdefault(feature, []).extend(lost)
    for feature, several in grouped.items():
        _set(by_id, feature, lambda text, lost=several: restore(text, lost) if isinstance(text, str) else text)


def _set(by_id: dict[int, Any], feature: str, change: Any) -> None:
    """Change the value of a feature, given as `id.name` or `id.name[index]`."""
    number, _, name = feature.partition(".")
    name, _, index = name.rstrip("]").partition("[")
    item = by_id.get(int(number)) if number.isdecimal() else None
    if item is None:
        return
    values = item if name == "elements" and isinstance(item, list) else None
    if values is None and name not in type(item).features and name != "source":
        return
    if index:
        values = values if values is not None else item[name]
        if isinstance(values, list) and index.isdecimal() and int(index) < len(values):
            values[int(index)] = change(values[int(index)])
        return
    attribute = "_source" if name == "source" and "source" not in type(item).features else ""
    old = getattr(item, attribute) if attribute else item[name]
    if isinstance(old, str):
        if attribute:
            setattr(item, attribute, change(old))
        else:
            item[name] = change(old)
