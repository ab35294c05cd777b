"""A real PostgreSQL server for tests: a private one made from the system's binaries, or the one CASPIPE_TEST_POSTGRES names.

The private one listens on a Unix socket in a folder of its own only, asks for a password, and is removed at the end.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VARIABLE = "CASPIPE_TEST_POSTGRES"
PASSWORD = "Zyqqword"
_SERVERS = ("postgres", "nobody")


def binaries() -> Path | None:
    """The folder of the newest PostgreSQL server installed."""
    found = [Path(p).parent for p in (shutil.which("initdb"),) if p]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: float(p.parent.name), reverse=True)
    return next((p for p in found if (p / "initdb").exists() and (p / "postgres").exists()), None)


def why_not() -> str:
    """Why there is no server to test with; empty where there is one."""
    try:
        import psycopg  # noqa: F401
        import sqlalchemy  # noqa: F401
    except ImportError as error:
        return f"needs {error.name}: pip install sqlalchemy psycopg[binary]"
    if os.environ.get(VARIABLE):
        return ""
    if binaries() is None:
        return f"needs a PostgreSQL server: Debian's postgresql (/usr/lib/postgresql/*/bin/initdb), or {VARIABLE}=url"
    if os.geteuid() == 0 and _user() is None:
        return "PostgreSQL does not run as root, and there is no user postgres or nobody"
    return ""


def _user() -> pwd.struct_passwd | None:
    for name in _SERVERS:
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    return None


class Postgres:
    """A server. `private` ones can be killed and started again."""

    def __init__(self) -> None:
        self._given = os.environ.get(VARIABLE, "")
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path()
        if not self._given:
            self._make()
            self.start()

    @property
    def private(self) -> bool:
        return not self._given

    @property
    def url(self) -> str:
        """Where it is, as SQLAlchemy writes it."""
        return self._given or f"postgresql://caspipe:{PASSWORD}@/postgres?host={self._folder}"

    def start(self) -> None:
        bin_ = binaries()
        assert bin_ is not None
        command = [str(bin_ / "postgres"), "-D", str(self._folder / "data"), "-k", str(self._folder), "-F"]
        command += ["-c", "listen_addresses="]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=log, **self._as_user())
        import psycopg

        for _ in range(300):
            try:
                with psycopg.connect(self.url):
                    return
            except psycopg.OperationalError:
                if self._process.poll() is not None:
                    break
                time.sleep(0.1)
        raise RuntimeError(f"the server did not start: {(self._folder / 'log').read_text()[-2000:]}")

    def kill(self) -> None:
        """Ends it as a power cut would, from the clients' point of view."""
        assert self._process is not None
        self._process.send_signal(3)  # SIGQUIT: immediate shutdown, no checkpoint
        self._process.wait(30)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
        if self.private:
            shutil.rmtree(self._folder, ignore_errors=True)

    @contextlib.contextmanager
    def schema(self) -> Iterator[str]:
        """The URL of a schema of its own, dropped at the end."""
        import psycopg

        name = f"caspipe_{secrets.token_hex(6)}"
        plain = self.url.replace("+psycopg", "", 1)
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        try:
            yield f"{self.url}{'&' if '?' in self.url else '?'}options=-csearch_path%3D{name}"
        finally:
            with psycopg.connect(plain, autocommit=True) as connection:
                connection.execute("SET lock_timeout = '10s'")  # who still holds a lock has not been closed
                connection.execute(f"DROP SCHEMA {name} CASCADE")

    def cut(self) -> int:
        """Ends every connection of others to this database; returns how many there were."""
        import psycopg

        with psycopg.connect(self.url.replace("+psycopg", "", 1), autocommit=True) as connection:
            found = connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() "
                "AND datname = current_database() AND backend_type = 'client backend'"
            ).fetchall()
        return len(found)

    def _make(self) -> None:
        bin_ = binaries()
        assert bin_ is not None
        self._folder = Path(tempfile.mkdtemp(prefix="caspipe-pg-", dir="/tmp"))  # short: names of sockets are bounded
        (self._folder / "password").write_text(PASSWORD)
        (self._folder / "log").touch()
        user = self._as_user()
        if user:
            for path in (self._folder, self._folder / "password", self._folder / "log"):
                os.chown(path, user["user"], user["group"])
        command = [str(bin_ / "initdb"), "-D", str(self._folder / "data"), "-U", "caspipe", "-E", "UTF8", "--locale=C"]
        command += ["--auth=scram-sha-256", f"--pwfile={self._folder / 'password'}", "--no-sync"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, **user)
        if done.returncode:
            raise RuntimeError(f"initdb failed: {done.stderr[-2000:]}")

    def _as_user(self) -> dict[str, Any]:
        """Options that start a program as somebody who is not root."""
        user = _user() if os.geteuid() == 0 else None
        return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": [], "cwd": "/"} if user else {}
