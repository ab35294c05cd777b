"""From bytes to text: the rule is stated, nothing is replaced, and no error carries text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caspipe.pipeline.errors import ReaderError
from caspipe.readers.files.decoding import check_encoding, decode


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"plain\r\nlines\r", "plain\r\nlines\r", "utf-8"),
        ("Müller \U0001f600".encode(), "Müller \U0001f600", "utf-8"),
        (b"\xef\xbb\xbfM\xc3\xbcller", "Müller", "utf-8"),
        ("Müller".encode("utf-16"), "Müller", "utf-16"),
        (b"\xfe\xff" + "Müller".encode("utf-16-be"), "Müller", "utf-16"),
        ("Müller".encode("utf-32"), "Müller", "utf-32"),
        (b"M\xfcller \x80 5", "Müller € 5", "cp1252"),
        (b"\x00\x01\x0b\x0c", "\x00\x01\x0b\x0c", "utf-8"),
    ],
)
def test_auto_takes_the_mark_then_utf8_then_cp1252(data: bytes, text: str, encoding: str) -> None:
    assert decode(data) == (text, encoding)


def test_bytes_that_fit_neither_are_an_error_with_the_places(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ReaderError) as caught:
        decode(b"Featherstone \xff and \x81")
    assert str(caught.value) == "neither UTF-8 (from byte 13 on) nor Windows-1252 (byte 19): say the encoding"
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None  # a UnicodeDecodeError would hold the whole document


def test_a_mark_that_lies_is_an_error() -> None:
    with pytest.raises(ReaderError, match="expected utf-16, as the byte-order mark says"):
        decode(b"\xff\xfea\x00b")


def test_a_given_encoding_is_taken_at_its_word() -> None:
    assert decode(b"M\xc3\xbcller", "latin-1") == ("MÃ¼ller", "latin-1")
    assert decode(b"\xef\xbb\xbfx", "utf-8") == ("x", "utf-8")
    with pytest.raises(ReaderError, match="expected utf-8, found a byte that is not at byte 1"):
        decode(b"M\xfcller", "UTF-8".lower())
    with pytest.raises(ReaderError, match="expected ascii"):
        decode("Müller".encode(), "ascii")


def test_a_lone_surrogate_in_utf8_is_no_utf8() -> None:
    with pytest.raises(ReaderError):
        decode(b"\xed\xa0\x80", "utf-8")


@pytest.mark.parametrize("name", ["utf8x", "rot13", "base64"])
def test_an_encoding_that_is_none_is_a_fault(name: str) -> None:
    with pytest.raises(ValueError, match=f"encoding: expected auto or the name of a text encoding, got '{name}'"):
        check_encoding(name)


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_utf8_text_comes_back(text: str) -> None:
    assert decode(text.encode())[0] == text.removeprefix("\ufeff")


@given(st.binary())
def test_any_bytes_are_text_or_an_error(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except ReaderError as error:
        assert error.__context__ is None
    else:
        if encoding == "cp1252":
            assert text.encode("cp1252") == data


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["Seen by Dr. Fern", "Señora Müller, 71", "😀 by Featherstone"])
def test_wide_characters_without_a_mark_are_no_text_with_nuls(codec: str, text: str) -> None:
    with pytest.raises(ReaderError) as caught:
        decode(text.encode(codec))
    assert str(caught.value) == f"it looks like {codec} without a byte-order mark: say the encoding"
    assert decode(text.encode(codec), codec)[0] == text
    with pytest.raises(ReaderError, match="say the encoding"):
        decode(text.encode(codec)[:-1])
    with pytest.raises(ReaderError, match="say the encoding"):
        decode((text * 3).encode(codec) + "\0".encode(codec) + text.encode(codec))


@pytest.mark.parametrize("data", [b"a\0b\0", b"\0" * 64, b"Seen by\0 Dr. Fern\0\0\0\0", b"\0\0a\0b" * 8])
def test_a_few_nuls_are_characters(data: bytes) -> None:
    assert decode(data) == (data.decode(), "utf-8")
