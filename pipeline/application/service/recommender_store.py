"""Trained recommenders on disk: one for each project, layer, feature and user, replaced atomically."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ConsumerError
from ...storage.files import write_atomic

_CURRENT = "current.json"
_ABANDONED = 86_400.0
"""Seconds after which a draft is considered abandoned."""


class Key(NamedTuple):
    """Identifies a recommender. INCEpTION trains one for each user on that user's annotations."""

    recommender: str
    project: int
    layer: str
    feature: str
    user: str

    @property
    def folder(self) -> str:
        """The folder name, a hash that does not reveal the user."""
        return hashlib.sha256(json.dumps(self).encode()).hexdigest()[:32]


class RecommenderStore:
    """The folder of trained recommenders, written by one process only. Only its owner can read it."""

    def __init__(self, folder: Path | None, limit: int) -> None:
        """`folder`: None for a temporary one. Raises ConsumerError."""
        self._limit = limit
        self._own = folder is None
        try:
            self._folder = (
                Path(tempfile.mkdtemp(prefix="caspipe-recommenders-")) if folder is None else folder.resolve()
            )
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise ConsumerError(f"state: {folder}: {error.strerror or type(error).__name__}") from None
        for left in self._folder.glob("*/draft-*"):  # of a service that was killed during a training
            with contextlib.suppress(OSError):
                if left.stat().st_mtime < time.time() - _ABANDONED:
                    self.discard(left)

    def model(self, key: Key) -> str:
        """Return the path of the current bundle; empty if none was trained."""
        bundle = self._current(self._folder / key.folder)
        path = self._folder / key.folder / str(bundle.get("model", "")) if bundle else None
        if path is None or not path.is_dir():
            return ""
        with contextlib.suppress(OSError):
            os.utime(self._folder / key.folder)
        return str(path)

    def draft(self, key: Key) -> Path:
        """Return a new folder for the output of a training."""
        place = self._folder / key.folder
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        place.mkdir(mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix="draft-", dir=place))

    def discard(self, draft: Path) -> None:
        """Remove a draft, and its parent folder if it is empty."""
        shutil.rmtree(draft, ignore_errors=True)
        with contextlib.suppress(OSError):
            draft.parent.rmdir()

    def put(self, key: Key, draft: Path, facts: dict[str, Any]) -> None:
        """Replace the current model by `draft`/model atomically. The previous one is kept for requests in progress."""
        place = self._folder / key.folder
        before = self._current(place)
        number = 1 + max((int(p.name[6:]) for p in place.glob("model-*") if p.name[6:].isdecimal()), default=0)
        (draft / "model").rename(place / f"model-{number}")
        now = {"recommender": key.recommender, "model": f"model-{number}", **facts}
        write_atomic(place / _CURRENT, (json.dumps(now, indent=1) + "\n").encode(), private=True)
        kept = {f"model-{number}", str(before.get("model", ""))}
        for old in place.glob("model-*"):
            if old.name not in kept:
                shutil.rmtree(old, ignore_errors=True)
        self._tidy()

    def trained(self, recommender: str) -> list[dict[str, Any]]:
        """Return the facts about the models of a recommender: counts, no names of users."""
        found = (self._current(place) for place in sorted(self._folder.iterdir()))
        mine = [f for f in found if f.get("recommender") == recommender]
        return [{k: v for k, v in f.items() if k not in ("recommender", "model")} for f in mine]

    def close(self) -> None:
        """Remove the folder if it is a temporary one."""
        if self._own:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _tidy(self) -> None:
        """Remove the least recently used models beyond the limit."""
        places = sorted(
            (p for p in self._folder.iterdir() if (p / _CURRENT).is_file()), key=lambda p: p.stat().st_mtime
        )
        for place in places[: max(0, len(places) - self._limit)]:
            shutil.rmtree(place, ignore_errors=True)

    @staticmethod
    def _current(place: Path) -> dict[str, Any]:
        try:
            found = json.loads((place / _CURRENT).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
