"""`caspipe key`: makes the secret that shifts and pseudonyms are drawn from, and keys to sign bundles and releases with."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from .command import guarded

app = typer.Typer(
    help="Keys: a secret for shifts and pseudonyms, a pair of keys for signatures.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

SECRET_BYTES = 32

Out = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write; must not be there yet.")]


@app.command(
    epilog="Example: `caspipe key signing -o release-key`, then `caspipe pack deidentify -o b.zip --sign release-key`"
)
@guarded
def signing(output: Out) -> None:
    """Makes a pair of ed25519 keys: FILE, which signs and stays with you (mode 0600), and FILE.pub, which everybody may have."""
    from ...storage.signing import new_key

    public = output.with_name(f"{output.name}.pub")
    made = new_key(output, public)
    typer.echo(f"{output}: private key, keep it\n{public}: public key {made}, hand it on")


@app.command(epilog='Example: `caspipe key secret -o caspipe.key`, then `key: "file:caspipe.key"` in YAML')
@guarded
def secret(output: Out) -> None:
    """Makes a random secret of 256 bits for shifts, pseudonyms and surrogates (mode 0600).

    Who has it can undo what was drawn from it; without it nobody can, you included.
    """
    from ...storage.signing import write_new

    write_new(output, f"{secrets.token_hex(SECRET_BYTES)}\n".encode("ascii"), 0o600)
    typer.echo(f"{output}: secret of {8 * SECRET_BYTES} bits, keep it apart from what is masked with it")


@app.command("id", epilog="Example: `caspipe key id release-key.pub`")
@guarded
def id_(public: Annotated[Path, typer.Argument(metavar="PUBLIC", help="A public key.")]) -> None:
    """Prints which public key it is, to compare with its owner by another way than the one it came."""
    from ...storage.signing import key_id

    typer.echo(key_id(public))


def mount(parent: typer.Typer) -> None:
    """Adds `caspipe key`."""
    parent.add_typer(app, name="key")
