"""XMI as it is met in the wild, recreated small: what other tools write, and what people do to it by hand.

Each case says whether strict reading takes it, and how UIMA for Java (2.10.2) differs from us there, if it does.
"""

from __future__ import annotations

from dataclasses import dataclass

from caspipe.typesystem import Annotation, Feature, TypeSystem

_KINDS = ("String", "Boolean", "Integer", "Long", "Float", "Double")
_MANY = ("FSArray", "StringArray", "IntegerArray", "ByteArray", "FSList", "StringList")
HEAD = (
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:tcas="http:///uima/tcas.ecore" '
    'xmlns:my="http:///my.ecore" xmi:version="2.0">'
)
SOFA = '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Zebulon\u00e9 \U0001f600 Quux"/>'
SOFA2 = '<cas:Sofa xmi:id="7" sofaNum="2" sofaID="b" mimeType="text" sofaString="xyz"/>'
NULL = '<cas:NULL xmi:id="0"/>'
T = '<my:T xmi:id="2" sofa="1" begin="0" end="3"{}/>'


def types() -> TypeSystem:
    made = TypeSystem()
    features = [Feature(f"a{k}", f"uima.cas.{k}") for k in _KINDS]
    for shared in (False, True):
        features += [Feature(f"{'m' if shared else 'i'}{k}", f"uima.cas.{k}", None, shared) for k in _MANY]
    made.create_type("my.Lab", "uima.cas.String", allowed_values=["high"])
    features += [
        Feature("top", "uima.cas.TOP"),
        Feature("span", "my.T"),
        Feature("lab", "my.Lab"),
        Feature("list", "uima.cas.ListBase"),
    ]
    made.create_type("my.T", Annotation, features)
    made.create_type("my.R", "uima.cas.TOP", {"top": "uima.cas.TOP", "at": "uima.cas.Sofa", "begin": "uima.cas.String"})
    made.create_type("my.B", "uima.cas.AnnotationBase", {"id": "uima.cas.String"})
    made.create_type(
        "a.b.my.T", Annotation, dict.fromkeys(("self", "type", "class", "source", "id"), "uima.cas.String")
    )
    made.create_type("Plain", Annotation)
    made.create_type("my.Below", "my.R")
    made.create_type("my.Chain", "uima.cas.NonEmptyFSList", {"weight": "uima.cas.Double"})
    made.create_type("uima.tcas.DocumentAnnotation", "uima.tcas.Annotation", {"site": "uima.cas.String"})
    return made


TYPES = types()


@dataclass(frozen=True)
class Case:
    data: bytes
    strict: bool = True
    """Whether we read it strictly."""
    java: bool | None = None
    """Whether UIMA for Java does, where it differs."""
    lost: tuple[str, ...] = ()
    """What is otherwise afterwards, by how `raw.losses` begins: told in a note, corrected as UIMA does, or recorded since XML
    cannot carry it."""

    @staticmethod
    def types() -> TypeSystem:
        return TYPES


def xmi(rows: str = "", members: str = "", *, head: str = HEAD, sofa: str = SOFA, view: str | None = None, null: str = NULL,
        declared: str = '<?xml version="1.0" encoding="UTF-8"?>') -> str:  # fmt: skip
    view = f'<cas:View sofa="1" members="{members}"/>' if view is None else view
    return f"{declared}{head}{null}{sofa}{rows}{view}</xmi:XMI>"


def t(attributes: str = "", **more: str) -> bytes:
    return xmi(T.format(f" {attributes}" if attributes else ""), "2", **more).encode()


def with_rows(rows: str, members: str = "2", **more: str) -> bytes:
    return xmi(rows, members, **more).encode()


def kids(inside: str) -> bytes:
    return with_rows(f'<my:T xmi:id="2" sofa="1" begin="0" end="3">{inside}</my:T>')


TWO = '<cas:View sofa="1" members="{}"/><cas:View sofa="7" members="{}"/>'
LINK = T.format(' span="3"')
CASES: dict[str, Case] = {
    # documents, headers, encodings
    "nothing at all": Case(b'<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmi:version="2.0"/>'),
    "an empty CAS": Case(f"{HEAD}{NULL}</xmi:XMI>".encode()),
    "no cas:NULL": Case(t(null="")),
    "a view without a Sofa": Case(with_rows('<my:R xmi:id="2"/>', sofa="", view='<cas:View members="2"/>')),
    "a byte order mark": Case(b"\xef\xbb\xbf" + t()),
    "UTF-16": Case(xmi(T.format(""), "2", declared='<?xml version="1.0" encoding="UTF-16"?>').encode("utf-16")),
    "UTF-16 of XML 1.1": Case(
        xmi(T.format(' aString="&#1;"'), "2", declared='<?xml version="1.1" encoding="UTF-16"?>').encode("utf-16"),
        lost=("2 (my.T): aString",),
    ),
    "an encoding of several bytes": Case(
        xmi(
            T.format(' aString="\u4e2d"'),
            "2",
            sofa=SOFA2.replace('xmi:id="7"', 'xmi:id="1"'),
            declared='<?xml version="1.0" encoding="GB18030"?>',
        ).encode("gb18030")
    ),
    "XML 1.1 with control characters": Case(
        t('aString="&#1;&#x1F;"', declared='<?xml version="1.1" encoding="UTF-8"?>'), lost=("2 (my.T): aString",)
    ),
    "the encoding that lxml calls ASCII": Case(
        t(
            'aString="&#233;&#128512;"',
            sofa=SOFA2.replace('xmi:id="7"', 'xmi:id="1"'),
            declared="<?xml version='1.0' encoding='ASCII'?>",
        )
    ),
    "Latin-1": Case(
        xmi(
            T.format(' aString="\u00e9"'),
            "2",
            sofa=SOFA2.replace('xmi:id="7"', 'xmi:id="1"'),
            declared='<?xml version="1.0" encoding="windows-1252"?>',
        ).encode("cp1252")
    ),
    "a blank line before the header": Case(b"\n" + t(), strict=False),
    "a comment and an instruction": Case(t(declared='<?xml version="1.0"?><!-- c --><?pi x?>')),
    "a document type": Case(t(declared="<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e 'v'>]>"), strict=False, java=True),
    "another xmi:version, and more at the root": Case(
        t(head=HEAD.replace("2.0", "2.1").replace("xmlns:tcas", 'foo="x" xmlns:tcas'))
    ),
    "another namespace for XMI": Case(
        t(head=HEAD.replace("http://www.omg.org/XMI", "http://www.omg.org/spec/XMI/20131001"))
    ),
    "what an exporter says of itself": Case(
        with_rows(
            f'<xmi:Documentation><exporter a="1">x</exporter></xmi:Documentation>{T.format("")}<xmi:Extension extender="x"/>'
        )
    ),
    "a namespace with a host": Case(with_rows('<n:R xmlns:n="http://x.org/my.ecore" xmi:id="2"/>')),
    "a namespace that is only a name": Case(with_rows('<R xmlns="my" xmi:id="2"/>')),
    "a type without namespace": Case(with_rows('<Plain xmi:id="2" sofa="1" begin="0" end="1"/>')),
    "a type in noNamespace": Case(with_rows('<n:Plain xmlns:n="http:///uima/noNamespace.ecore" xmi:id="2" sofa="1"/>')),
    "two packages of one last name": Case(
        with_rows(
            '<my2:T xmlns:my2="http:///a/b/my.ecore" xmi:id="2" sofa="1" self="s" type="t" class="c" source="u" id="i"/>'
        )
    ),
    "characters XML forbids": Case(t('aString="a&#1;b"'), strict=False, lost=("2 (my.T): aString",)),
    "raw control characters": Case(t('aString="a\x01b"'), strict=False, lost=("2 (my.T): aString",)),
    "pairs as two references": Case(t('aString="&#55357;&#xDE00;"'), strict=False),
    "half of a pair": Case(t('aString="&#xD83D;"'), strict=False, lost=("2 (my.T): aString",)),
    "raw line ends in the text": Case(t(sofa=SOFA.replace("Zebulon", "Ze\r\nbu\nlon\t"))),
    "referred line ends in the text": Case(t(sofa=SOFA.replace("Zebulon", "Ze&#13;&#10;bu&#10;lon&#9;"))),
    # Sofas and views
    "Sofas last": Case(xmi(T.format("") + SOFA, "2", sofa="").encode()),
    "a Sofa with a URI": Case(t(sofa='<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaURI="file:x"/>')),
    "a Sofa with an array": Case(
        with_rows(
            '<cas:ByteArray xmi:id="3" elements="00FF"/>',
            "",
            sofa='<cas:Sofa xmi:id="1" sofaNum="1" sofaID="x" sofaArray="3"/>',
        )
    ),
    "a Sofa with an array of references": Case(
        with_rows(
            '<cas:FSArray xmi:id="3" elements="0"/>',
            "",
            sofa='<cas:Sofa xmi:id="1" sofaNum="1" sofaID="x" sofaArray="3"/>',
        )
    ),
    "a Sofa without anything": Case(t(sofa='<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView"/>')),
    "a Sofa with an empty text and annotations": Case(
        t(sofa='<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" sofaString=""/>'),
        strict=False,
        java=True,
        lost=("2 (my.T): end",),
    ),
    "UIMA's first version: the name of its view, and Sofas indexed": Case(
        with_rows(
            T.format(""),
            sofa=SOFA.replace("_InitialView", "_DefaultTextSofaName") + SOFA2,
            view=f'<cas:View members="1 7"/>{TWO.format("2", "")}',
        ),
        lost=("1 (uima.cas.Sofa): sofaID", "member 1 is gone", "member 7 is gone"),
    ),
    "a Sofa that is no text": Case(
        with_rows(
            "", "", sofa=SOFA.replace('"text"', '"video/mp4"').replace("Zebulon\u00e9 \U0001f600 Quux", "AAAAIGZ0eXA=")
        )
    ),
    "a Sofa whose text is an element": Case(
        t(sofa='<cas:Sofa xmi:id="1" sofaNum="1" sofaID="x"><sofaString>Zebulon\n  &#13;&#10;</sofaString></cas:Sofa>')
    ),
    "several Sofas and an FS in both views": Case(
        with_rows('<my:R xmi:id="2"/>', sofa=SOFA + SOFA2, view=TWO.format("2", "2"))
    ),
    "an annotation without a Sofa, only referred to": Case(
        with_rows(LINK + '<my:T xmi:id="3" begin="0" end="9"/>', sofa=SOFA + SOFA2, view=TWO.format("2", ""))
    ),
    "the null Sofa of UIMA for C++": Case(
        with_rows(LINK + '<my:T xmi:id="3" sofa="0" begin="0" end="9"/>', sofa=SOFA + SOFA2, view=TWO.format("2", ""))
    ),
    "a member that names no Sofa": Case(
        with_rows('<my:T xmi:id="3" begin="0" end="9"/>', sofa=SOFA + SOFA2, view=TWO.format("3", "")), strict=False
    ),
    "a member of two views": Case(
        with_rows(T.format(""), sofa=SOFA + SOFA2, view=TWO.format("2", "2")),
        strict=False,
        lost=("member 2 is gone from 7",),
    ),
    "a Sofa as a member": Case(t(view='<cas:View sofa="1" members="2 1"/>'), lost=("member 1 is gone",)),
    "a member twice": Case(t(view='<cas:View sofa="1" members="2 2"/>')),
    "a view in two pieces": Case(
        with_rows(
            T.format("") + '<my:R xmi:id="3"/>', view='<cas:View sofa="1" members="2"/><cas:View sofa="1" members="3"/>'
        )
    ),
    "two Sofas of one name": Case(
        with_rows("", sofa=SOFA + SOFA2.replace('"b"', '"_InitialView"'), view=TWO.format("", "")),
        strict=False,
        java=True,
        lost=("7 (uima.cas.Sofa): sofaID",),
    ),
    "a Sofa with more": Case(
        t(sofa=SOFA.replace("mimeType", 'foo="x" mimeType')), strict=False, lost=("1 (uima.cas.Sofa): foo",)
    ),
    "the view of a Sofa that is not there": Case(
        with_rows('<my:R xmi:id="2"/>', view='<cas:View sofa="9" members="2"/>'),
        strict=False,
        lost=("member 2 is gone from 9",),
    ),
    "changes to a document": Case(
        t(view='<cas:View sofa="1" members="2" deleted_members="2"/>'), strict=False, java=True
    ),
    # numbers
    "an xmi:id twice": Case(
        with_rows(T.format("") + '<my:R xmi:id="2"/>'), strict=False, java=True, lost=("member 2 is gone",)
    ),
    "the xmi:id of a Sofa": Case(
        with_rows('<my:T xmi:id="1" sofa="1" begin="0" end="3"/><my:R xmi:id="2" top="1"/>', "1 2"),
        java=False,
        lost=("1 (my.T): sofa", "member 1 is gone from 1", "member 2 is gone from 1"),  # the Sofa gets another number
    ),
    "the xmi:id of a Sofa that a feature refers to": Case(
        with_rows('<my:T xmi:id="1" sofa="1" begin="0" end="3"/><my:R xmi:id="2" at="1"/>', "1 2"),
        java=False,
        lost=("1 (my.T): sofa", "2 (my.R): at", "member 1 is gone from 1", "member 2 is gone from 1"),
    ),
    "xmi:id 0": Case(with_rows('<my:R xmi:id="0"/>', ""), strict=False, java=True, lost=("0 (my.R) is gone",)),
    "no xmi:id": Case(with_rows('<my:R begin="x"/>', ""), strict=False, java=True, lost=(" (my.R) is gone",)),
    "an xmi:id that is no number": Case(
        with_rows('<my:R xmi:id="_a1"/>', ""), strict=False, lost=("_a1 (my.R) is gone",)
    ),
    "no xmi:id beside the highest": Case(
        with_rows('<my:R xmi:id="2147483647"/><my:R/>', "2147483647"),
        strict=False,
        java=True,
        lost=(" (my.R) is gone",),
    ),
    "the highest xmi:id": Case(with_rows('<my:R xmi:id="2147483647"/>', "2147483647")),
    "what nothing refers to": Case(with_rows('<my:R xmi:id="2"/><my:R xmi:id="30" begin="x"/>')),
    # offsets
    "offsets beyond the text": Case(
        with_rows('<my:T xmi:id="2" sofa="1" begin="0" end="99"/>'), strict=False, java=True, lost=("2 (my.T): end",)
    ),
    "offsets reversed": Case(
        with_rows('<my:T xmi:id="2" sofa="1" begin="3" end="1"/>'),
        strict=False,
        java=True,
        lost=("2 (my.T): begin", "2 (my.T): end"),
    ),
    "offsets below nothing": Case(
        with_rows('<my:T xmi:id="2" sofa="1" begin="-5" end="1"/>'), strict=False, java=True, lost=("2 (my.T): begin",)
    ),
    "an offset inside a pair": Case(
        with_rows('<my:T xmi:id="2" sofa="1" begin="10" end="12"/>'), strict=False, java=True, lost=("2 (my.T): begin",)
    ),
    "no offsets": Case(with_rows('<my:T xmi:id="2" sofa="1"/>')),
    "a document annotation that is too long": Case(
        with_rows('<tcas:DocumentAnnotation xmi:id="2" sofa="1" begin="0" end="99" language="en" site="n"/>'),
        lost=("2 (uima.tcas.DocumentAnnotation): end",),
    ),
    "two document annotations": Case(
        with_rows(
            '<tcas:DocumentAnnotation xmi:id="2" sofa="1" begin="0" end="15" language="en"/>'
            '<m:DocumentMetaData xmlns:m="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore" xmi:id="3" sofa="1" '
            'begin="0" '
            'end="15" documentId="d"/>',
            "2 3",
        ),
    ),
    # values
    "numbers as Java reads them": Case(
        t('aInteger="+5" aLong="-0" aFloat="1.5f" aDouble=" -Infinity " aBoolean="TRUE"'),
        lost=("2 (my.T): aFloat", "2 (my.T): aBoolean"),
    ),
    "numbers that are empty": Case(t('aInteger="" aFloat="" aDouble="" aBoolean=""'), lost=("2 (my.T): a",)),
    "a number that is none": Case(t('aInteger="5.0"'), strict=False),
    "a value outside its list": Case(t('lab="weird"')),
    "features as elements": Case(
        kids(
            '<aString>a &lt;b</aString><aInteger>5</aInteger><span href="#2"/><iFSArray href="#2"/><iFSArray href="#2"/>'
            "<iIntegerArray>1</iIntegerArray><iIntegerArray>2</iIntegerArray><iStringArray>x y</iStringArray><iStringArray/>"
        )
    ),
    "an array as an empty attribute and as elements": Case(
        with_rows('<my:T xmi:id="2" sofa="1" begin="0" end="3" iStringArray=""><iStringArray>a</iStringArray></my:T>')
    ),
    "Sofa and offsets as elements": Case(
        with_rows('<my:T xmi:id="2"><sofa href="#1"/><begin>1</begin><end>3</end><aDouble>0.0</aDouble></my:T>')
    ),
    "offsets as elements that are none": Case(
        with_rows('<my:T xmi:id="2"><sofa href="#9"/><begin>x</begin><end>3</end></my:T>'),
        strict=False,
        lost=("2 (my.T): begin", "2 (my.T): sofa"),
    ),
    "white space and comments between elements": Case(
        kids("\n <!-- c -->\n <iStringArray>a<![CDATA[<b]]></iStringArray>\n ")
    ),
    "a feature as several elements": Case(kids("<aString>x</aString><aString>y</aString>"), strict=False),
    "an element in a feature": Case(kids("<aString>x<b>y</b></aString>"), strict=False),
    "a type in a type": Case(kids('<my:R xmi:id="3"/>'), strict=False),
    "another namespace on a feature": Case(t('xml:lang="en" my:aString="x"'), strict=False, lost=("2 (my.T): ",)),
    "a reference into another file": Case(
        kids('<span href="other.xmi#2"/>'), strict=False, java=True, lost=("2 (my.T): span",)
    ),
    # what the type system does not know
    "an unknown type and feature": Case(
        with_rows(T.format(' odd="1" span="3"') + '<my:U xmi:id="3" v="x"><w>1</w><w>2</w></my:U>'), strict=False
    ),
    "names that UIMA does not take": Case(
        t('_odd="1" x-y="2"'), strict=False, lost=("2 (my.T): _odd", "2 (my.T): x-y")
    ),
    "an unknown feature of UIMA's own type": Case(
        with_rows('<tcas:Annotation xmi:id="2" sofa="1" odd="1"/>'),
        strict=False,
        lost=("2 (uima.tcas.Annotation): odd",),
    ),
    "one unknown feature in a type and below it": Case(
        with_rows(
            '<my:R xmi:id="2" odd="5"/><my:Below xmi:id="3" odd="five"/><tcas:DocumentAnnotation xmi:id="4" sofa="1" end="15" '
            'odd="1"/><m:DocumentMetaData xmlns:m="http:///de/tudarmstadt/ukp/dkpro/core/api/metadata/type.ecore" xmi:id="5" '
            'sofa="1" end="15" odd="a b"/>',
            "2 3 4 5",
        ),
        strict=False,
    ),
    "a dangling reference": Case(t('span="9"'), strict=False, lost=("2 (my.T): span",)),
    "a member that is not there": Case(
        t(view='<cas:View sofa="1" members="2 9"/>'), strict=False, lost=("member 9 is gone",)
    ),
    "a reference of another type": Case(with_rows(LINK + '<my:R xmi:id="3"/>'), strict=False, java=True),
    "a value type as an element": Case(
        with_rows('<my:Lab xmi:id="2"/>', ""),
        strict=False,
        java=True,
        lost=("2 (my.Lab) is gone", "2 is caspipe.Metadata"),
    ),
    # arrays and lists
    "an array that should be shared, inline": Case(
        t('mFSArray="2 2" mIntegerArray="5 6 7"'), strict=False, lost=("2 (my.T): mFSArray", "2 (my.T): mIntegerArray")
    ),
    "an array that should be inline, shared": Case(
        with_rows(T.format(' iFSArray="4"') + '<cas:FSArray xmi:id="4" elements="2 0 4"/>')
    ),
    "a shared array of several": Case(
        with_rows(
            T.format(' mStringArray="4" top="4"')
            + '<cas:StringArray xmi:id="4"><elements>a</elements><elements/></cas:StringArray>'
        )
    ),
    "an array of arrays and of a Sofa": Case(
        with_rows(
            '<my:R xmi:id="2" top="4" at="1"/><cas:FSArray xmi:id="4" elements="4 5 1"/><cas:LongArray xmi:id="5" elements="-1"/>'
        )
    ),
    "arrays and lists as members": Case(
        with_rows('<cas:FSArray xmi:id="4" elements="2"/><my:R xmi:id="2"/><cas:EmptyFSList xmi:id="5"/>', "4 2 5")
    ),
    "an array that is too odd": Case(
        t('iByteArray="ABC" iIntegerArray="x"'), strict=False, lost=("2 (my.T): iByteArray", "2 (my.T): iIntegerArray")
    ),
    "a list that runs in a circle": Case(
        with_rows(T.format(' mFSList="4"') + '<cas:NonEmptyFSList xmi:id="4" head="2" tail="4"/>')
    ),
    "a list without an end": Case(
        with_rows(T.format(' mFSList="4"') + '<cas:NonEmptyFSList xmi:id="4" head="0"/>'),
        lost=("4 (uima.cas.NonEmptyFSList): head",),
    ),
    "a list below UIMA's own": Case(
        with_rows(
            T.format(' mFSList="4" list="4"')
            + '<my:Chain xmi:id="4" head="2" tail="5" weight="0.5"/><cas:EmptyFSList xmi:id="5"/>'
        )
    ),
    "an element of no array at all": Case(
        with_rows('<cas:ArrayBase xmi:id="4"/>', ""), strict=False, java=True, lost=("4 (uima.cas.ArrayBase) is gone",)
    ),
}
