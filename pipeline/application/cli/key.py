"""`caspipe key`: make the secret for shifts and pseudonyms, and keys to sign packages and releases."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...assembly.project import new_secret
from ...storage.signing import key_id, new_key, write_new
from .command import CommandApp

app = CommandApp(
    name="key", help="Keys: a secret for shifts and pseudonyms, a key pair for signatures.", no_args_is_help=True
)

Output = Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="File to write; it must not exist.")]


@app.command(
    epilog="Example: `caspipe key signing -o release-key`, then `caspipe pack deidentify -o b.zip --sign release-key`"
)
def signing(output: Output) -> None:
    """Make an ed25519 key pair: FILE, which signs and stays with you (mode 0600), and FILE.pub, which you may publish."""
    public = output.with_name(f"{output.name}.pub")
    identifier = new_key(output, public)
    typer.echo(f"{output}: private key, keep it\n{public}: public key {identifier}, hand it on")


@app.command(epilog='Example: `caspipe key secret -o caspipe.key`, then `key: "file:caspipe.key"` in YAML')
def secret(output: Output) -> None:
    """Make a random secret of 256 bits for shifts, pseudonyms and surrogates (mode 0600).

    Its holder can undo what was drawn from it; without it that is impossible, even for you.
    """
    write_new(output, new_secret(), 0o600)
    typer.echo(f"{output}: secret of 256 bits, store it away from the data that it masks")


@app.command("id", epilog="Example: `caspipe key id release-key.pub`")
def id_(public: Annotated[Path, typer.Argument(metavar="PUBLIC", help="A public key.")]) -> None:
    """Print the identifier of a public key, to compare with its owner over a second channel."""
    typer.echo(key_id(public))
