"""What INCEpTION makes of a type system: layers, and types that it passes over without a word."""

from __future__ import annotations

from review_exports import type_xml, types_xml

from caspipe.consumers.inception.schema import BUILT_IN_SPANS, Schema, schema_of
from caspipe.typesystem import TypeSystem

TEXT = ("text", "uima.cas.String")
LINK = type_xml("w.Link", ("role", "uima.cas.String"), ("target", "uima.tcas.Annotation"), above="uima.cas.TOP")
SLOTS = type_xml("w.Frame", ("links", "uima.cas.FSArray")).replace(
    "<rangeTypeName>uima.cas.FSArray</rangeTypeName>",
    "<rangeTypeName>uima.cas.FSArray</rangeTypeName><elementType>w.Link</elementType>",
)


def schema(*types: str) -> Schema:
    found = TypeSystem.from_xml(types_xml(*types))
    return schema_of(found, [t for t, _ in found.foreign()])


def spans(made: Schema) -> list[str]:
    return [n for n in made.spans if n not in BUILT_IN_SPANS and n != "caspipe.review.PHI"]


def test_annotations_with_plain_features_are_span_layers() -> None:
    made = schema(type_xml("w.A", TEXT, ("tags", "uima.cas.StringArray")), type_xml("w.B"))
    assert spans(made) == ["w.A", "w.B"]
    assert not made.refused
    assert not made.ignored


def test_types_that_add_nothing_to_another_are_skipped_unless_something_below_them_does() -> None:
    made = schema(
        type_xml("w.A", TEXT),
        type_xml("w.B", above="w.A"),
        type_xml("w.C", above="w.A"),
        type_xml("w.D", ("own", "uima.cas.Integer"), above="w.C"),
    )
    assert spans(made) == ["w.A", "w.C", "w.D"]
    assert made.refused["w.B"].startswith("adds no feature to w.A and is skipped without a word")


def test_references_make_no_span_layer_but_relations_chains_and_slots_are_known() -> None:
    made = schema(
        type_xml("w.A", TEXT),
        type_xml("w.Ref", ("to", "w.A")),
        type_xml("w.Rel", ("Governor", "w.A"), ("Dependent", "w.A")),
        type_xml("w.CorefLink", ("next", "w.CorefLink")),
        type_xml("w.CorefChain", ("first", "w.CorefLink"), above="uima.cas.AnnotationBase"),
        LINK,
        SLOTS,
    )
    assert made.refused == {"w.Ref": "has features that refer to others (to): no layer can be made of it"}
    assert "w.Rel" in made.relations
    assert "w.Coref" in made.chains
    assert "w.Frame" in made.spans


def test_records_become_no_layer() -> None:
    made = schema(type_xml("w.Record", TEXT, above="uima.cas.TOP"))
    assert made.refused == {"w.Record": "is no annotation: INCEpTION makes layers of annotation types only"}


def test_features_that_a_layer_does_not_get_are_told() -> None:
    made = schema(
        type_xml("w.A", TEXT, ("score", "uima.cas.Double"), ("ok", "uima.cas.Float")),
        type_xml("w.B", ("n", "uima.cas.Integer"), above="w.A"),
    )
    assert [(t, f) for t, f, _ in made.ignored] == [("w.A", "score"), ("w.B", "text"), ("w.B", "score"), ("w.B", "ok")]
    assert made.ignored[0][2] == "a layer has no feature of range uima.cas.Double; Float and Integer are known"
    assert "inherited" in made.ignored[1][2]


def test_built_in_types_are_left_alone() -> None:
    made = schema(type_xml("de.tudarmstadt.ukp.dkpro.core.api.ner.type.Person", above="uima.tcas.Annotation"))
    assert not spans(made)
    assert not made.refused
