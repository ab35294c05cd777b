"""Risk for `caspipe evaluate`: options read, documents profiled while they are scored, densities of other corpora counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....consumers.scoring import (
    Mark,
    Pair,
    Profile,
    Risk,
    RiskSettings,
    by_patient,
    found_profile,
    plots,
    profile_of,
    risk_of,
)
from ....consumers.scoring.risk_report import risk_page, risk_plot
from ....typesystem import INITIAL_VIEW, Phi, PhiKind, View
from ...assembly.shipped import locate
from ...errors import ConsumerError, Fault, ReaderError, nearest
from ...pipeline import Pipeline
from ...storage.files import make_folder, write_atomic
from .documents import Collection, Step, processed, read_documents

GROUPS = ("group", "patient")


@dataclass(slots=True)
class RiskRequest:
    """The checked options of risk, and the profiles of the documents scored so far."""

    settings: RiskSettings
    densities: Sequence[str] = ()
    by_group: bool = False
    profiles: list[Profile] = field(default_factory=list)

    def profile(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the same documents; each is profiled once it has been scored."""
        for pair in pairs:
            yield pair
            self.profiles.append(profile_of(pair))

    def result(self, reader: str, overrides: Sequence[str], step: Step | None) -> Risk:
        """Return the risk. Raises ReaderError and ConfigError if a corpus of `densities` cannot be read."""
        others = {name: list(profiles_of(name, reader, overrides, step)) for name in dict.fromkeys(self.densities)}
        for name, listed in others.items():
            if not listed:
                raise ReaderError(f"--risk-densities {name}: no documents")
        if not self.by_group:
            return risk_of(self.profiles, others, self.settings)
        patients = {name: by_patient(listed) for name, listed in others.items()}
        return risk_of(by_patient(self.profiles), patients, self.settings, "patient")


@dataclass(frozen=True, slots=True)
class RiskOptions:
    """The options of `caspipe evaluate` about risk. `at_least`: different indirect identifiers that together are a risk."""

    enabled: bool
    densities: Sequence[str] = ()
    at_least: int = 2
    hidden: Sequence[str] = ()
    html: Path | None = None
    plot: Path | None = None
    seed: int = 0
    by_group: bool = False

    def request(self, faults: list[Fault]) -> RiskRequest | None:
        """Return the checked request; None without --risk. Adds to `faults`."""
        if not self.enabled:
            names = ("densities", "hidden", "html", "plot")
            faults += [Fault(f"--risk-{name}", "goes with --risk") for name in names if getattr(self, name)]
            return None
        shares: dict[str, float] = {}
        for text in self.hidden:
            kind, _, share = text.rpartition("=")
            if kind and kind not in (known := [k.name for k in PhiKind]):
                faults.append(Fault(f"--risk-hidden {text}", f"no PHI kind called {kind!r}{nearest(kind, known)}"))
            try:
                shares[kind] = float(share)
            except ValueError:
                message = "expected SHARE or KIND=SHARE, a share from 0 to below 1"
                faults.append(Fault(f"--risk-hidden {text}", message))
        if faults:
            return None
        try:
            settings = RiskSettings(self.at_least, shares, seed=self.seed)
        except ConsumerError as error:
            faults.append(Fault("--risk", str(error)))
            return None
        return RiskRequest(settings, self.densities, self.by_group)


def profiles_of(corpus: str, reader: str, overrides: Sequence[str] = (), step: Step | None = None) -> Iterator[Profile]:
    """Yield what a system found in a corpus without reference, document by document.

    `corpus` is a pipeline (a YAML file, or the name of a shipped one), whose engines are run on its reader's documents; or a
    folder or file of documents that were annotated already, read as XMI if it contains any, else by `reader`.
    """
    path = Path(corpus)
    if path.is_dir() or (path.is_file() and path.suffix not in (".yaml", ".yml")):
        yield from _of_collection(path, reader, overrides, step)
    else:
        yield from _of_pipeline(corpus, overrides, step)


def _of_pipeline(config: str, overrides: Sequence[str], step: Step | None) -> Iterator[Profile]:

    for cas in processed(Pipeline.load(locate(config), list(overrides)), step):
        yield _profile(cas.view(INITIAL_VIEW), cas.metadata)


def _of_collection(path: Path, reader: str, overrides: Sequence[str], step: Step | None) -> Iterator[Profile]:

    if path.is_dir() and next(path.rglob("*.xmi"), None) is not None:
        reader = "xmi"
    collection = Collection(path, reader, {}, overrides, keep_overlaps=True)
    for cas in read_documents(collection, step):
        yield _profile(cas.view(collection.annotated(cas, reference=False)), cas.metadata)


def _profile(view: View, metadata: Mapping[str, str]) -> Profile:
    marks = [Mark(p.begin, p.end, p.kind.name) for p in view.select(Phi)]
    return found_profile(view.text, marks, next((metadata[name] for name in GROUPS if metadata.get(name)), ""))


def write(risk: Risk, html: Path | None, plot: Path | None) -> None:
    """The page and the picture. Raises ConsumerError if one cannot be written."""

    if html is not None:
        make_folder(html.parent)
        write_atomic(html, risk_page(risk))
    if plot is not None:
        plots.save(risk_plot(risk), plot)
