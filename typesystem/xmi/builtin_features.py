"""What only exists in files becomes ours again: POS annotations, metadata, offset maps, lost characters, the id."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ..builtin_mapping import MetadataRecord, OffsetMapRecord, Pos, coarse
from ..cas import Cas
from ..foreign import ClassSpec, make_class
from ..markup.xml_text import restore
from ..text import OffsetMap
from ..types import DocumentMetaData, Token
from .loss import FEATURE_KEY, TEXT_KEY, parse_pairs
from .parse import Rows

_METADATA = "http:///caspipe.ecore Metadata"
RECORDS = frozenset((_METADATA, "http:///caspipe.ecore OffsetMap"))
"""The elements that are not feature structures of the document, but facts about it."""


def lost_texts(rows: Rows) -> dict[str, str]:
    """By view, the record of characters its text lost when it was written."""
    found: dict[str, str] = {}
    for i, (name, _) in enumerate(rows.elements):
        if name == _METADATA:
            keys = [c.text for c in rows.children.get(i, ()) if c.feature == "keys"]
            values = [c.text for c in rows.children.get(i, ()) if c.feature == "values"]
            for key, value in zip(keys, values, strict=False):
                if key.startswith(TEXT_KEY):
                    found[key.removeprefix(TEXT_KEY)] = value
    return found


def read_records(
    cas: Cas, by_id: dict[int, Any], fault: Callable[[str], Exception], *, renumbered: bool = False
) -> None:
    """Turns the records of metadata, losses and offset maps into what they stand for, and drops them.

    `renumbered`: the numbers are not those that were written, so that the record of lost characters leads nowhere.
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
    """Null strings are what other tools make of empty ones."""
    return {k or "": v or "" for k, v in zip(record.keys or (), record.values or (), strict=False)}


def document_id(cas: Cas) -> str:
    """What the document's DocumentMetaData calls it, empty where it has none."""
    for view in cas.views:
        for document in view.select(DocumentMetaData):
            if document.documentId:
                return str(document.documentId)
    return ""


# -- parts of speech ---------------------------------------------------------------------------------------------


def settle_tags(by_id: dict[int, Any], links: list[tuple[Any, int]], others: list[str]) -> set[int]:
    """Sets `Token.pos` from the linked annotations; returns `id()` of those that say no more than the tag and go.

    `links`: tokens with the xmi:id of their POS annotation; `others`: the ids that anything else refers to. A token whose
    annotation stays becomes one that remembers it.
    """
    gone: set[int] = set()
    referred = {t for text in others for t in text.split()}
    number_of: dict[int, int] = {}
    for token, number in links:
        link = by_id[number]
        token.pos = (link.PosValue or "") if isinstance(link, Pos) else ""
        if hasattr(type(token), "_pos_link"):
            token._pos_link = link
        elif _says_no_more(token, link) and str(number) not in referred and id(link) not in gone:
            gone.add(id(link))
        else:
            number_of = number_of or {id(x): n for n, x in by_id.items()}
            if id(token) in number_of:  # else a later element took its number
                by_id[number_of[id(token)]] = _with_link(token, link)
                gone.discard(id(link))
    return gone


def _says_no_more(token: Any, link: Any) -> bool:
    return (
        type(link) is Pos
        and link.PosValue is not None
        and link.PosValue != ""
        and link.coarseValue == coarse(link.PosValue)
        and (link._begin, link._end, link._sofa) == (token._begin, token._end, token._sofa)
    )


def linked_token() -> Any:
    """The class of tokens that remember the POS annotation they came with."""
    return make_class(ClassSpec(Token.uima_name, (Token,), (), False))


def _with_link(token: Token, link: Any) -> Token:
    new: Any = linked_token()(token._begin, token._end, pos=token.pos)
    new._sofa, new._source, new._pos_link = token._sofa, token._source, link
    return cast(Token, new)


# -- lost characters ---------------------------------------------------------------------------------------------


def _restore(by_id: dict[int, Any], record: str) -> None:
    """Brings back what strings lost. Entries that fit nothing are passed over: another tool changed the document."""
    grouped: dict[str, list[tuple[int, int]]] = {}
    for entry in record.split():
        where, _, rest = entry.partition(":")
        if rest == "null":
            _set(by_id, where, lambda _: None)
            continue
        if lost := parse_pairs(rest):
            grouped.setdefault(where, []).extend(lost)
    for where, several in grouped.items():
        _set(by_id, where, lambda text, lost=several: restore(text, lost) if isinstance(text, str) else text)


def _set(by_id: dict[int, Any], where: str, change: Any) -> None:
    number, _, name = where.partition(".")
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
