"""Word clusters: words in similar contexts share a cluster, so that a model generalizes to words that it was not trained on."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Self

from ....pipeline.contract.component import part
from ....pipeline.contract.resources import Resource
from ....pipeline.errors import ResourceError
from ....pipeline.storage.lazy_regex import lazy_regex
from ..feature import FormFeature, make_label, normalize, resource_stem

_PATH = lazy_regex("[01]+")


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(Resource):
    """The cluster of each word, read from `path<TAB>word<TAB>count` (Brown) or `word<TAB>cluster`, UTF-8, one word per line."""

    kind: ClassVar[str] = "word clusters"

    of: dict[str, str]
    hierarchical: bool
    """Clusters are paths of a binary tree, whose prefixes are larger clusters."""
    place: str

    @classmethod
    def load(cls, name: str) -> Self:
        """Read the file. Raises ResourceError with the file and the line if it is missing or has another format."""
        clusters: dict[str, str] = {}
        columns = 0
        try:
            with Path(name).open(encoding="utf-8-sig", newline="\n") as file:
                for number, line in enumerate(file, 1):
                    cells = line.rstrip("\r\n").split("\t")
                    if cells == [""]:
                        continue
                    columns = columns or len(cells)
                    if len(cells) != columns or columns not in (2, 3):
                        raise ResourceError(
                            f"cluster file {name}:{number}: expected path<TAB>word<TAB>count or word<TAB>cluster on every "
                            f"line, got {len(cells)} columns"
                        )
                    cluster, word = (cells[0], cells[1]) if columns == 3 else (cells[1], cells[0])
                    if columns == 3 and not _PATH.fullmatch(cluster):
                        raise ResourceError(
                            f"cluster file {name}:{number}: expected a path of 0 and 1 in the first column"
                        )
                    clusters.setdefault(normalize(word), normalize(cluster))
        except OSError as error:
            raise ResourceError(f"cluster file {name}: {error.strerror or type(error).__name__}") from None
        except UnicodeDecodeError:
            raise ResourceError(f"cluster file {name}: expected UTF-8") from None
        if not clusters:
            raise ResourceError(f"cluster file {name}: expected a word on every line, found none")
        return cls(clusters, all(map(_PATH.fullmatch, clusters.values())), name)

    def __repr__(self) -> str:
        return f"<Clusters {self.place}: {len(self.of)} words>"


@part("cluster")
class Cluster(FormFeature):
    """The cluster of the form in a file; for Brown clusters, prefixes of its path. If the file does not contain the form, the
    form in lower case is looked up. The format is `path<TAB>word<TAB>count` (Brown) or `word<TAB>cluster` (such as k-means).

    Example: `Smith` in the cluster 01101 of names.txt gives `cluster:names=0110` and `cluster:names=01101`.

    Source: Brown et al. 1992 (Computational Linguistics 18:467); Miller et al. 2004 (NAACL); prefixes of 4, 6, 10 and 20 from
    Ratinov and Roth 2009 (CoNLL).
    """

    argument: ClassVar[str] = "file"

    file: Clusters
    """The cluster file."""
    prefixes: list[int] = field(default_factory=lambda: [4, 6, 10, 20])
    """Lengths of the prefixes of a Brown path, ascending. A shorter path is used once, as it is."""

    def __post_init__(self) -> None:
        if (
            not self.prefixes
            or any(p < 1 for p in self.prefixes)
            or self.prefixes != sorted(dict.fromkeys(self.prefixes))
        ):
            raise ValueError("prefixes: expected ascending whole numbers of at least 1")

    @property
    def label(self) -> str:
        return make_label(self.name, resource_stem(self.file))

    def of(self, form: str) -> tuple[str, ...]:
        clusters = self.file
        form = normalize(form)
        cluster = clusters.of.get(form) or clusters.of.get(form.lower())
        if cluster is None:
            return ()
        if not clusters.hierarchical:
            return (cluster,)
        return tuple(dict.fromkeys(cluster[:n] for n in self.prefixes))
