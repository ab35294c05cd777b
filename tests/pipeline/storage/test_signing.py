"""Signatures and the command that makes keys."""

from __future__ import annotations

import base64
import json
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from caspipe.pipeline.application.cli.key import app
from caspipe.pipeline.application.cli.main import app as _whole
from caspipe.pipeline.errors import CaspipeError, ResourceError
from caspipe.pipeline.storage.secrets import read_secret
from caspipe.pipeline.storage.signing import Signature, SignatureError, key_id, new_key, sign, verify

assert _whole  # the command line as a whole is sound


@pytest.fixture
def keys(tmp_path: Path) -> tuple[Path, Path]:
    new_key(tmp_path / "k", tmp_path / "k.pub")
    return tmp_path / "k", tmp_path / "k.pub"


def test_what_was_signed_is_verified(keys: tuple[Path, Path]) -> None:
    private, public = keys
    made = sign(b"a release", private)
    verify(b"a release", made, public)
    assert made.key == key_id(public)
    assert len(made.value) == 64
    assert sign(b"a release", private) == made  # ed25519 draws nothing


def test_other_data_another_key_and_a_damaged_signature_are_refused(keys: tuple[Path, Path], tmp_path: Path) -> None:
    private, public = keys
    made = sign(b"a release", private)
    with pytest.raises(
        SignatureError, match=rf"^the signature by the key {made.key} does not fit: changed after it was signed$"
    ):
        verify(b"a releasf", made, public)
    with pytest.raises(SignatureError, match="does not fit"):
        verify(b"a release", Signature(made.key, made.value[:-1] + bytes([made.value[-1] ^ 1])), public)
    new_key(tmp_path / "o", tmp_path / "o.pub")
    with pytest.raises(
        SignatureError, match=rf"^signed by the key {made.key}, expected {key_id(tmp_path / 'o.pub')} \("
    ):
        verify(b"a release", made, tmp_path / "o.pub")
    forged = Signature(key_id(tmp_path / "o.pub"), made.value)
    with pytest.raises(SignatureError, match="does not fit"):
        verify(b"a release", forged, tmp_path / "o.pub")


def test_a_signature_error_is_an_error_of_ours() -> None:
    assert issubclass(SignatureError, CaspipeError)


def test_a_private_key_is_its_owners_only(keys: tuple[Path, Path]) -> None:
    private, public = keys
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    private.chmod(0o640)
    with pytest.raises(ResourceError, match=r"others than its owner may use it \(mode 0640\): expected 0600"):
        sign(b"x", private)
    assert b"PRIVATE" not in public.read_bytes()


def test_a_key_is_never_overwritten(keys: tuple[Path, Path], tmp_path: Path) -> None:
    before = keys[0].read_bytes()
    for private, public in (keys, (tmp_path / "fresh", keys[1]), (keys[0], tmp_path / "fresh.pub")):
        with pytest.raises(ResourceError, match="already exists; a key is never overwritten"):
            new_key(private, public)
    assert keys[0].read_bytes() == before
    assert not (tmp_path / "fresh").exists()
    assert not (tmp_path / "fresh.pub").exists()


def test_other_files_are_no_keys(keys: tuple[Path, Path], tmp_path: Path) -> None:
    private, public = keys
    made = sign(b"x", private)
    with pytest.raises(ResourceError, match="expected an ed25519 private key"):
        public.chmod(0o600)
        sign(b"x", public)
    with pytest.raises(ResourceError, match="expected an ed25519 public key"):
        verify(b"x", made, private)
    other = ec.generate_private_key(ec.SECP256R1())
    (tmp_path / "ec").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (tmp_path / "ec").chmod(0o600)
    (tmp_path / "ec.pub").write_bytes(other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(ResourceError, match="expected an ed25519 private key"):
        sign(b"x", tmp_path / "ec")
    with pytest.raises(ResourceError, match="expected an ed25519 public key"):
        verify(b"x", made, tmp_path / "ec.pub")
    with pytest.raises(ResourceError, match=r"public key .*absent: No such file"):
        key_id(tmp_path / "absent")


def test_a_signature_survives_its_file(keys: tuple[Path, Path]) -> None:
    made = sign(b"x", keys[0])
    data = made.to_bytes()
    assert Signature.from_bytes(data) == made
    assert set(json.loads(data)) == {"algorithm", "key", "signature"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text(max_size=80).map(str.encode))
def test_anything_else_is_no_signature(data: bytes) -> None:
    with pytest.raises(SignatureError, match=r"^here: expected an ed25519 signature of caspipe, found something else$"):
        Signature.from_bytes(data, "here")


@pytest.mark.parametrize("change", [{"algorithm": "none"}, {"signature": "AAAA"}, {"key": 7}, {"signature": "*"}])
def test_a_signature_of_another_form_is_none(keys: tuple[Path, Path], change: dict[str, object]) -> None:
    told = {**json.loads(sign(b"x", keys[0]).to_bytes()), **change}
    with pytest.raises(SignatureError, match="expected an ed25519 signature"):
        Signature.from_bytes(json.dumps(told).encode())


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs the openssl command")
def test_openssl_verifies_our_signatures(keys: tuple[Path, Path], tmp_path: Path) -> None:
    private, public = keys
    (tmp_path / "data").write_bytes(b"a release")
    (tmp_path / "raw").write_bytes(base64.b64decode(json.loads(sign(b"a release", private).to_bytes())["signature"]))
    command = [
        "openssl",
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        str(public),
        "-rawin",
        "-sigfile",
        str(tmp_path / "raw"),
    ]
    done = subprocess.run([*command, "-in", str(tmp_path / "data")], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Signature Verified Successfully" in done.stdout


def caspipe(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    return done.exit_code, done.output


def test_the_command_makes_a_pair_of_keys(tmp_path: Path) -> None:
    code, told = caspipe("signing", "-o", tmp_path / "release-key")
    assert code == 0
    verify(b"x", sign(b"x", tmp_path / "release-key"), tmp_path / "release-key.pub")
    assert key_id(tmp_path / "release-key.pub") in told
    assert caspipe("id", tmp_path / "release-key.pub") == (0, key_id(tmp_path / "release-key.pub") + "\n")
    code, told = caspipe("signing", "-o", tmp_path / "release-key")
    assert (code, "a key is never overwritten" in told) == (4, True)


def test_the_command_makes_a_secret_that_nobody_sees(tmp_path: Path) -> None:
    code, told = caspipe("secret", "-o", tmp_path / "caspipe.key")
    secret = read_secret(tmp_path / "caspipe.key").decode()
    assert code == 0
    assert re.fullmatch("[0-9a-f]{64}", secret)
    assert secret not in told
    assert stat.S_IMODE((tmp_path / "caspipe.key").stat().st_mode) == 0o600
    assert caspipe("secret", "-o", tmp_path / "caspipe.key")[0] == 4
    assert read_secret(tmp_path / "caspipe.key").decode() == secret
    caspipe("secret", "-o", tmp_path / "another.key")
    assert read_secret(tmp_path / "another.key").decode() != secret
