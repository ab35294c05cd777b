"""What INCEpTION makes of a type system: which types become layers, and why the others do not.

Source: INCEpTION (2026-08-19), `TypeSystemAnalysis.java`, `NumberFeatureSupport.java`, `LayerFactory.java`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...typesystem import Feature
from ...typesystem.description import (
    ANNOTATION,
    ARRAYS,
    DOCUMENT_ANNOTATION,
    LISTS,
    PRIMITIVES,
    STRING,
    TOP,
    TypeDescription,
)
from ...typesystem.typesystem import TypeSystem

_DKPRO = "de.tudarmstadt.ukp.dkpro.core.api"
TOKEN, SENTENCE = f"{_DKPRO}.segmentation.type.Token", f"{_DKPRO}.segmentation.type.Sentence"
DEPENDENCY = f"{_DKPRO}.syntax.type.dependency.Dependency"
KNOWN = (f"{_DKPRO}.", "org.dkpro.core.api.", "de.tudarmstadt.ukp.clarin.webanno.api.type.", "uima.")
"""Packages of types that every INCEpTION project knows."""

BUILT_IN_SPANS = (
    TOKEN,
    SENTENCE,
    f"{_DKPRO}.ner.type.NamedEntity",
    f"{_DKPRO}.lexmorph.type.pos.POS",
    f"{_DKPRO}.segmentation.type.Lemma",
    f"{_DKPRO}.lexmorph.type.morph.MorphologicalFeatures",
    f"{_DKPRO}.segmentation.type.SurfaceForm",
    f"{_DKPRO}.syntax.type.chunk.Chunk",
    f"{_DKPRO}.semantics.type.SemPred",
    f"{_DKPRO}.semantics.type.SemArg",
    f"{_DKPRO}.transform.type.SofaChangeAnnotation",
)
BUILT_IN_CHAIN = f"{_DKPRO}.coref.type.Coreference"
ATTACHED = {
    f"{_DKPRO}.lexmorph.type.pos.POS": "pos",
    f"{_DKPRO}.segmentation.type.Lemma": "lemma",
    f"{_DKPRO}.lexmorph.type.morph.MorphologicalFeatures": "morph",
}
"""Built-in layers whose annotations hang on a feature of the token."""

SUPPORTED = frozenset((STRING, "uima.cas.Boolean", "uima.cas.Integer", "uima.cas.Float", "uima.cas.StringArray"))
"""Ranges of features that a layer can have; features of other values are left out."""
_BUILT_IN_FEATURES = frozenset(("sofa", "begin", "end"))


@dataclass(slots=True)
class Schema:
    """The layers of a project: the built-in ones and those that a type system brings."""

    spans: list[str] = field(default_factory=lambda: list(BUILT_IN_SPANS))
    relations: list[str] = field(default_factory=lambda: [DEPENDENCY])
    chains: list[str] = field(default_factory=lambda: [BUILT_IN_CHAIN])
    """Without `Chain` and `Link` at the end."""
    refused: dict[str, str] = field(default_factory=dict)
    """Types that become no layer, with the reason."""
    ignored: list[tuple[str, str, str]] = field(default_factory=list)
    """(type, feature, reason) of features that a layer does not get."""

    @property
    def layers(self) -> list[str]:
        """The layers whose annotations are spans of the text, relations among them too."""
        return [*self.spans, *self.relations]


def schema_of(types: TypeSystem, described: Iterable[TypeDescription]) -> Schema:
    """What INCEpTION's import of a type system gives. `described`: the types that the file itself defines."""
    made = Schema()
    for this in {t.name: t for t in described}.values():
        if this.name.startswith(KNOWN) or types.subsumes(DOCUMENT_ANNOTATION, this.name):
            continue
        _layer(made, types, this.name)
    return made


def _layer(made: Schema, types: TypeSystem, name: str) -> None:
    features = [f for f in types.features(name).values() if f.name not in _BUILT_IN_FEATURES]
    own = {f.name for f in types.describe(name).features}
    if _is_chain(types, name):
        made.chains.append(name.removesuffix("Chain"))
        return
    if types.describe(name).allowed_values is not None or types.describe(name).supertype in PRIMITIVES:
        return
    if not types.subsumes(ANNOTATION, name):
        if not _belongs_to_a_layer(types, name):
            made.refused[name] = "is no annotation: INCEpTION makes layers of annotation types only"
        return
    if _is_elevated(types, name):
        above = types.describe(name).supertype
        made.refused[name] = f"adds no feature to {above} and is skipped without a word; give it a feature of its own"
        return
    if _is_chain(types, f"{name.removesuffix('Link')}Chain"):
        return
    bad = [f for f in features if not (_primitive(types, f) or f.range == "uima.cas.StringArray" or _slot(types, f))]
    if _is_relation(types, features):
        made.relations.append(name)
    elif not bad:
        made.spans.append(name)
    else:
        made.refused[name] = (
            f"has features that refer to others ({', '.join(f.name for f in bad)}): no layer can be made of it"
        )
        return
    for f in features:
        if f.name not in own:
            made.ignored.append((name, f.name, "it is inherited; a layer gets only the features of the type itself"))
        elif _primitive(types, f) and (types.range_kind(f.range) or f.range) not in SUPPORTED:
            made.ignored.append(
                (name, f.name, f"a layer has no feature of range {f.range}; Float and Integer are known")
            )


def _primitive(types: TypeSystem, f: Feature) -> bool:
    return f.range in PRIMITIVES or bool(types.range_kind(f.range))


def _is_elevated(types: TypeSystem, name: str) -> bool:
    this = types.describe(name)
    if this.features or this.supertype == ANNOTATION:
        return False
    below = [t for t in types.subtypes(name) if types.describe(t).supertype == name]
    return all(_is_elevated(types, t) for t in below)


def _is_relation(types: TypeSystem, features: list[Feature]) -> bool:
    links = [f for f in features if not (_primitive(types, f) or f.range == "uima.cas.StringArray")]
    return (
        len(links) == 2
        and {f.name for f in links} == {"Governor", "Dependent"}
        and links[0].range == links[1].range
        and types.subsumes(ANNOTATION, links[0].range)
    )


def _is_chain(types: TypeSystem, name: str) -> bool:
    if name not in types or not name.endswith("Chain"):
        return False
    if types.describe(name).supertype != "uima.cas.AnnotationBase":
        return False
    first = types.features(name).get("first")
    if first is None or _primitive(types, first):
        return False
    following = types.features(first.range).get("next")
    return following is not None and following.range == first.range


def _slot(types: TypeSystem, f: Feature) -> bool:
    """Whether a feature holds links with roles: an array of records of a string and a reference, directly below TOP."""
    if f.range != "uima.cas.FSArray" or not f.element or f.element not in types:
        return False
    link = types.describe(f.element)
    inside = list(types.features(f.element).values())
    return (
        link.supertype == TOP
        and len(inside) == 2
        and any(g.range == STRING for g in inside)
        and any(not _primitive(types, g) for g in inside)
    )


def _belongs_to_a_layer(types: TypeSystem, name: str) -> bool:
    """Whether a record is the link type of some slot feature, or an array or list type."""
    if name in ARRAYS or name in LISTS:
        return True
    return any(f.element == name and _slot(types, f) for t in types for f in types.describe(t).features)
