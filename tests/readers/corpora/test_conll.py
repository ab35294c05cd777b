"""Reader of CoNLL files: columns, documents, spacing, labels. All texts are our own."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.corpora.conll import ConllReader, smart
from caspipe.typesystem import GOLD_VIEW, Cas, Phi, PhiKind, Sentence, Token, phi

NAME = "Featherstone"
SMALL = f"Dr.\tO\n{NAME}\tB-PER\ncame\tO\nfrom\tO\nNew\tB-LOC\nLund\tI-LOC\n.\tO\n\nHe\tO\nleft\tO\n.\tO\n"
UD = """# newdoc id = case-7
# text = Ann can't come.
1\tAnn\tAnn\tPROPN\tNNP\t_\t_\t_\t_\tNER=x
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t_\t_\t_\t_
3\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_
4\tcome\tcome\tVERB\tVB\t_\t_\t_\t_\tA=b|SpaceAfter=No
4.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_

"""


def reader(tmp_path: Path, text: str | bytes = SMALL, name: str = "notes.conll", **options: Any) -> ConllReader:
    (tmp_path / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return ConllReader(files=tmp_path / name, **options)


def gold(cas: Cas) -> list[tuple[str, str]]:
    return [(p.covered_text, p.kind.name) for p in cas.view(GOLD_VIEW).select(Phi)]


def covered(cas: Cas, type_: type[Token] | type[Sentence]) -> list[str]:
    return [a.covered_text for a in cas.view(GOLD_VIEW).select(type_)]


def only(reader: ConllReader) -> str:
    """The one reason, with nothing read and no text in it."""
    assert list(reader) == []
    ((document, error),) = reader.failed
    assert document == "notes"
    assert NAME not in repr(reader.failed)
    return str(error).removeprefix(str(reader.files))


def test_texts_and_labels_are_put_together(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path)
    assert (cas.id, cas.text) == ("notes", f"Dr. {NAME} came from New Lund.\nHe left.\n")
    assert cas.metadata == {"encoding": "utf-8"}
    assert gold(cas) == [(NAME, "PERSON"), ("New Lund", "LOCATION")]
    assert cas.select(Token) == cas.view(GOLD_VIEW).select(Token) == []


def test_tokens_and_sentences_can_be_kept_for_the_gold_view(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, tokens=True)
    assert covered(cas, Token) == ["Dr.", NAME, "came", "from", "New", "Lund", ".", "He", "left", "."]
    assert covered(cas, Sentence) == [f"Dr. {NAME} came from New Lund.", "He left."]
    assert {t.source for t in cas.view(GOLD_VIEW).select(Token)} == {"conll"}
    assert cas.select(Token) == []


@pytest.mark.parametrize("spacing", ["plain", "smart"])
def test_spacing_can_be_plain(tmp_path: Path, spacing: str) -> None:
    (cas,) = reader(tmp_path, "Ann\tB-PER\n's\tO\n(\tO\nbig\tO\n)\tO\ndog\tO\n!\tO\n", spacing=spacing)
    assert cas.text == {"plain": "Ann 's ( big ) dog !\n", "smart": "Ann's (big) dog!\n"}[spacing]
    assert gold(cas) == [("Ann", "PERSON")]


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ('He said : " no , I \'m out " .', 'He said: "no, I\'m out".'),
        ("I do n't ( yet ) pay $ 5 or 5 % .", "I don't (yet) pay $5 or 5%."),
        ("the boys ' books and ' new ' ones", "the boys' books and 'new' ones"),
        ("It ' s 3 / 4 , they ' ve come", "It's 3/4, they've come"),
        ("# win @ ann now @ ? :) fine", "#win @ann now @? :) fine"),
        ("well - known", "well - known"),
        ("`` Ann '' [ sic ] ...", "``Ann'' [sic]..."),
        ("“ Ann ’s ”", "“Ann’s”"),
    ],
)
def test_smart_spacing_is_that_of_print(tokens: str, text: str) -> None:
    forms = tokens.split()
    made = "".join(f + " " * b for f, b in zip(forms, smart(forms), strict=True))
    assert made.rstrip() == text


def test_tags_tell_hyphens_and_possessives() -> None:
    assert smart(["well", "-", "known"], ["RB", "HYPH", "VBN"]) == [False, False, True]
    assert smart(["Ann", "'", "dog"], ["NNP", "POS", "NN"]) == [False, True, True]


def test_conllu_knows_words_tags_and_spaces(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, UD, "notes.conllu", format="conllu", tokens=True)
    assert (cas.id, cas.text) == ("notes/case-7", "Ann can't come.\n")
    tokens = cas.view(GOLD_VIEW).select(Token)
    assert [(t.covered_text, t.pos) for t in tokens] == [
        ("Ann", "NNP"), ("ca", "MD"), ("n't", "RB"), ("come", "VB"), (".", "."),
    ]  # fmt: skip


def test_words_that_are_not_the_letters_of_their_token_are_one_token(tmp_path: Path) -> None:
    rows = "1-2\tau\t_\t_\t_\t_\t_\t_\t_\t_\n1\tà\t_\t_\tIN\t_\t_\t_\t_\t_\n2\tle\t_\t_\tDT\t_\t_\t_\t_\t_\n"
    (cas,) = reader(tmp_path, rows, format="conllu", tokens=True)
    assert [(t.covered_text, t.pos) for t in cas.view(GOLD_VIEW).select(Token)] == [("au", "IN")]


def test_blanks_in_conllu_are_smart_only_where_the_file_says_nothing(tmp_path: Path) -> None:
    rows = UD.replace("|SpaceAfter=No", "")
    (cas,) = reader(tmp_path, rows, format="conllu")
    assert cas.text == "Ann can't come.\n"
    assert not cas.has_view(GOLD_VIEW)
    (cas,) = reader(tmp_path, UD.replace("1\tAnn", "1\t("), format="conllu")
    assert cas.text == "( can't come.\n"
    (cas,) = reader(tmp_path, UD.replace("1\tAnn", "1\t("), format="conllu", spacing="smart")
    assert cas.text == "(can't come.\n"


def test_conllu_plus_names_its_columns(tmp_path: Path) -> None:
    text = "# global.columns = ID FORM NER\n1\tAnn\tB-PER\n2\tleft\tO\n"
    (cas,) = reader(tmp_path, text, format="conllu", label="NER", pos=None)
    assert gold(cas) == [("Ann", "PERSON")]
    r = reader(tmp_path, text.replace("NER", "NERS"), format="conllu", label="NER", pos=None)
    assert only(r) == ": no column called NER; did you mean NERS?; columns: ID, FORM, NERS"


def test_columns_go_by_number_or_name(tmp_path: Path) -> None:
    text = "1 Ann NNP B-PER x\n2 left VBD O x\n"
    (cas,) = reader(tmp_path, text, token=2, label=-2, pos=3, tokens=True)
    assert (gold(cas), cas.view(GOLD_VIEW).tokens.forms) == ([("Ann", "PERSON")], ["Ann", "left"])
    names = "n word tag ner rest".split()
    (cas,) = reader(tmp_path, text, columns=names, token="word", label="ner", pos="tag", tokens=True)
    assert gold(cas) == [("Ann", "PERSON")]
    assert [t.pos for t in cas.view(GOLD_VIEW).select(Token)] == ["NNP", "VBD"]
    (cas,) = reader(tmp_path, text, token=2, label=None)
    assert not cas.has_view(GOLD_VIEW)


@pytest.mark.parametrize(("separator", "forms"), [("auto", ["New York", "x"]), ("tab", ["New York", "x"])])
def test_tokens_between_tabs_may_hold_blanks(tmp_path: Path, separator: str, forms: list[str]) -> None:
    (cas,) = reader(tmp_path, "New York \tB-LOC\nx\tO\n", separator=separator, tokens=True)
    assert (covered(cas, Token), gold(cas)) == (forms, [("New York", "LOCATION")])


def test_lines_of_blanks_end_sentences_and_empty_outside_tokens_are_left_out(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, "a\tO\r\n\t\r\nb\tO\r\n \tO\r\n\u2028\tO\r\nc\tO", tokens=True)
    assert (cas.text, covered(cas, Sentence)) == ("a\nb c\n", ["a", "b c"])
    assert only(reader(tmp_path, "a\tO\n \tB-PER\n")) == ", line 2: expected a token, found only spaces"


def test_documents_end_at_marks(tmp_path: Path) -> None:
    text = "a O\n\n-DOCSTART- -X- O\n\n-DOCSTART- O\nb O\n\nc O\n"
    assert [(c.id, c.text) for c in reader(tmp_path, text)] == [("notes/1", "a\n"), ("notes/2", "b\nc\n")]
    assert [(c.id, c.text) for c in reader(tmp_path, text, documents="file")] == [("notes", "a\nb\nc\n")]
    found = [(c.id, c.text) for c in reader(tmp_path, text, documents="sentences", sentences=1)]
    assert found == [("notes/1", "a\n"), ("notes/2", "b\n"), ("notes/3", "c\n")]
    found = [(c.id, c.text) for c in reader(tmp_path, text, documents="sentences", sentences=2)]
    assert found == [("notes/1", "a\n"), ("notes/2", "b\nc\n")]


def test_documents_of_conllu_have_their_own_ids(tmp_path: Path) -> None:
    text = UD + UD + UD.replace(" id = case-7", "")
    assert [c.id for c in reader(tmp_path, text, format="conllu")] == ["notes/case-7", "notes/2", "notes/3"]


def test_usual_labels_are_known_and_others_can_be_translated(tmp_path: Path) -> None:
    text = "a B-person\nb B-corporation\nc B-GPE\nd B-MISC\ne B-facility\nf B-ID_CASE\n"
    kinds = {"MISC": None, "facility": PhiKind.LOCATION_FACILITY, "GPE": PhiKind.LOCATION_CITY}
    (cas,) = reader(tmp_path, text, kinds=kinds)
    assert gold(cas) == [
        ("a", "PERSON"), ("b", "ORGANIZATION"), ("c", "LOCATION_CITY"), ("e", "LOCATION_FACILITY"), ("f", "ID_CASE"),
    ]  # fmt: skip


ONTONOTES = """#begin document (bc/cctv/00/cctv_0001); part 000
bc/cctv/00/cctv_0001   0   0    Mary     NNP  (TOP(S(NP*    -   -   -   Speaker#1   (PERSON*   (ARG0*   -
bc/cctv/00/cctv_0001   0   1     Poe     NNP          *)    -   -   -   Speaker#1          *)       *)   -
bc/cctv/00/cctv_0001   0   2    left     VBD       (VP*  leave 01   1   Speaker#1           *      (V*)  -
bc/cctv/00/cctv_0001   0   3    Peru     NNP     (NP*)))    -   -   -   Speaker#1       (GPE)   (ARG1*)  (1)

bc/cctv/00/cctv_0001   0   0      ok      UH        (TOP*)   -   -   -   Speaker#1           *    -

#end document
#begin document (bc/cctv/00/cctv_0001); part 001
bc/cctv/00/cctv_0001   1   0   Nine      CD         (TOP*    -   -   -   Speaker#1      (MONEY*   -
bc/cctv/00/cctv_0001   1   1   pesos     NNS           *)    -   -   -   Speaker#1           *)   -
#end document
"""


def test_the_files_of_ontonotes_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phi, "_REGISTRY", dict(phi._REGISTRY))
    one, two = reader(tmp_path, ONTONOTES, tags="brackets", own_labels=True, tokens=True)
    assert (one.text, two.text) == ("Mary Poe left Peru\nok\n", "Nine pesos\n")
    assert [c.id for c in (one, two)] == ["notes/bc/cctv/00/cctv_0001-000", "notes/bc/cctv/00/cctv_0001-001"]
    assert gold(one) == [("Mary Poe", "PERSON"), ("Peru", "GPE")]
    assert gold(two) == [("Nine pesos", "MONEY")]
    assert [t.pos for t in one.view(GOLD_VIEW).select(Token)] == ["NNP", "NNP", "VBD", "NNP", "UH"]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["(GPE*", "(ORG)", "*)"], ", line 2: a label begins inside of another"),
        (["*", "*)"], ", line 2: a bracket closes that none opened"),
        (["*", "(GPE*"], ", line 2: a label is open at the end of a sentence"),
        (["*", NAME], ", line 2: expected a label in brackets, as in CoNLL-2012: *, (GPE*, *) or (GPE)"),
        (["*", "(GPE"], ", line 2: expected a label in brackets, as in CoNLL-2012: *, (GPE*, *) or (GPE)"),
    ],
    ids="nested closed open text half".split(),
)
def test_faulty_brackets_are_reported(tmp_path: Path, cells: list[str], reason: str) -> None:
    text = "".join(f"a {cell}\n" for cell in cells)
    assert only(reader(tmp_path, text, tags="brackets", token=1, label=2, pos=None)) == reason


def test_labels_of_the_corpus_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(phi, "_REGISTRY", dict(phi._REGISTRY))
    text = "a B-ORG\nb B-GPE\nc B-WORK_OF_ART\nd I-WORK_OF_ART\ne B-creative-work\nf B-DATE\ng B-LAW\n"
    (cas,) = reader(tmp_path, text, own_labels=True, kinds={"GPE": PhiKind.LOCATION, "LAW": None})
    assert gold(cas) == [
        ("a", "ORG"), ("b", "LOCATION"), ("c d", "WORK_OF_ART"), ("e", "creative-work"), ("f", "DATE"),
    ]  # fmt: skip
    assert PhiKind.of("ORG").own and not PhiKind.of("DATE").own


@pytest.mark.parametrize(
    ("text", "options", "reason"),
    [
        ("a B-Ä!\n", {"own_labels": True}, ", line 1: expected a label of letters, digits and _ . / - that begins with a letter "
         "and is not O; `kinds` can translate or drop it"),
        (f"a O\nb {NAME}\n", {"tags": "IO", "own_labels": True},
         ", line 2: a label that is not a PHI kind; `kinds` can translate or drop it"),
        ("a B-QQQ\n", {}, ", line 1: no PHI kind called 'QQQ'; expected one of DATE, AGE, PERSON, LOCATION, ORGANIZATION, "
         "PROFESSION, ID, PHONE, FAX, EMAIL, URL, IP, PHOTO, OTHER; `kinds` can translate or drop it"),
        ("a B-PERSN\n", {}, ", line 1: no PHI kind called 'PERSN'; did you mean PERSON?; `kinds` can translate or drop it"),
        (f"a O\nb {NAME}\n", {}, ", line 2: expected O or a label with a prefix like B- or I-; `tags: IO` takes labels without"),
        (f"a O\nb {NAME}\n", {"tags": "IO"}, ", line 2: a label that is not a PHI kind; `kinds` can translate or drop it"),
        ("a O\nb I-PER\n", {"tags": "IOB2"}, ", line 2: I-PER after O is not IOB2: expected B-PER"),
        (f"{NAME}\n", {}, ", line 1: expected at least 2 columns, found 1"),
        ("a O\n", {"pos": 3}, ", line 1: expected at least 3 columns, found 2"),
        ("a O\n", {"columns": ["x", "y", "z"]}, ", line 1: expected 3 columns, found 2"),
        ("1\ta\n", {"format": "conllu"}, ", line 1: expected 10 columns, found 2"),
        (UD.replace("4.1", "IV").replace(" id = case-7", ""), {"format": "conllu", "documents": "file"},
         ", line 8: expected a number as ID"),
        (UD.replace("4.1", "9" * 5000).replace(" id = case-7", ""), {"format": "conllu", "documents": "file"},
         ", line 8: expected a number as ID"),
        ("\n\n", {}, ": expected tokens, found none"),
        (b"\x81\xff\tO\n", {}, ": neither UTF-8 (from byte 0 on) nor Windows-1252 (byte 0): say the encoding"),
    ],
    ids="text-label text-io unknown nearest no-prefix io iob2 one few names ten-columns id long-id empty bytes".split(),
)  # fmt: skip
def test_faulty_files_are_reported(tmp_path: Path, text: Any, options: dict[str, Any], reason: str) -> None:
    assert only(reader(tmp_path, text, **options)) == reason


def test_a_faulty_document_fails_alone(tmp_path: Path) -> None:
    r = reader(tmp_path, f"a O\n-DOCSTART- O\n{NAME}\nb O\n-DOCSTART- O\nc O\n")
    assert [(c.id, c.text) for c in r] == [("notes/1", "a\n"), ("notes/3", "c\n")]
    assert [(d, str(e)) for d, e in r.failed] == [
        ("notes/2", f"{tmp_path}/notes.conll, line 3: expected at least 2 columns, found 1")
    ]


def test_parameters_are_checked(tmp_path: Path) -> None:
    for options, told in (
        ({"sentences": 0}, "sentences: expected 1 or more, got 0"),
        ({"columns": ["a", "a"]}, "columns: expected every name once"),
        ({"label": 0}, "label: expected 1 or more, or -1 or less from the end, got 0"),
        ({"token": "word"}, "token: no column called word; `columns` names none"),
        ({"format": "conllu", "columns": ["a"]}, "columns: CoNLL-U has its own"),
        ({"encoding": "klingon"}, "encoding: expected auto or the name of a text encoding"),
    ):
        with pytest.raises(ValueError, match=told):
            ConllReader(folder=tmp_path, **options)  # type: ignore[arg-type]


def test_a_missing_folder_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(ReaderError, match=r"reader conll: no file matches \*\.conll\*"):
        ConllReader(folder=tmp_path).open()


def test_gzip_is_read_and_windows_text_too(tmp_path: Path) -> None:
    (cas,) = reader(tmp_path, gzip.compress("café O\n".encode("cp1252")), "a.conll.gz")
    assert (cas.id, cas.text, cas.metadata["encoding"]) == ("a", "café\n", "cp1252")


FORMS = st.text(st.characters(blacklist_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=4)


@pytest.mark.slow
@given(st.lists(st.lists(st.one_of(FORMS, st.sampled_from([*list("\"'/().,#@"), "'s", "-"])), min_size=1), min_size=1))
def test_every_token_comes_back(tmp_path_factory: pytest.TempPathFactory, sentences: list[list[str]]) -> None:
    path = tmp_path_factory.mktemp("conll") / "a.conll"
    path.write_bytes("\n".join("".join(f"{f}\tI-PER\n" for f in s) for s in sentences).encode())
    (cas,) = ConllReader(files=path, tokens=True)
    assert covered(cas, Token) == [f for s in sentences for f in s]
    assert [p.covered_text for p in cas.view(GOLD_VIEW).select(Phi)] == cas.text.splitlines()


CORPORA: list[tuple[str, dict[str, Any], int, int]] = [
    ("wikigold/wikigold.conll.txt", {"kinds": {"MISC": None}}, 145, 39007),
    ("btc/btc.conll.gz", {"documents": "sentences"}, 467, 150381),
    ("wnut17/emerging.dev.conll", {"kinds": {"product": None, "creative-work": None}}, 1, 15733),
    ("wnut17/wnut17train.conll", {"kinds": {"product": None, "creative-work": None}}, 1, 62730),
    ("ud_ewt/en_ewt-ud-train.conllu.gz", {"format": "conllu"}, 1, 204577),
    ("ud_ewt/en_ewt-ud-dev.conllu.gz", {"format": "conllu"}, 1, 25147),
    ("craft_pos/craft-200k.conllu.gz", {"format": "conllu"}, 1, 212069),
]


@pytest.mark.slow
@pytest.mark.parametrize(("file", "options", "documents", "size"), CORPORA, ids=[c[0] for c in CORPORA])
def test_open_corpora_are_read_token_by_token(
    shared: Path, file: str, options: dict[str, Any], documents: int, size: int
) -> None:
    path = shared / "corpora" / file
    raw = gzip.decompress(path.read_bytes()) if file.endswith(".gz") else path.read_bytes()
    between = " " if "wikigold" in file else "\t"
    rows = [line.split(between) for line in raw.decode().split("\n") if line.strip()]
    forms = [row[options.get("format") == "conllu"].strip() for row in rows]
    r = ConllReader(files=path, tokens=True, **options)
    found = list(r)
    assert [form for cas in found for form in cas.view(GOLD_VIEW).tokens.forms] == [
        form for form in forms if form and form != "-DOCSTART-"
    ]
    assert (len(found), sum(len(cas.view(GOLD_VIEW).tokens) for cas in found), r.failed) == (documents, size, [])
