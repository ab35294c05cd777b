"""Re-identification risk for `caspipe evaluate`: options, profiles of scored documents, and densities of other corpora."""

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
from .documents import Collection, DocumentCallback, processed_documents, read_documents

GROUPS = ("group", "patient")
"""Metadata keys with the patient of a document."""


@dataclass(slots=True)
class RiskRequest:
    """The validated options of risk, and the profiles of the documents scored so far."""

    settings: RiskSettings
    densities: Sequence[str] = ()
    by_group: bool = False
    profiles: list[Profile] = field(default_factory=list)

    def profile(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Yield the documents unchanged, and profile each after it is scored."""
        for pair in pairs:
            yield pair
            self.profiles.append(profile_of(pair))

    def result(self, reader: str, overrides: Sequence[str], callback: DocumentCallback | None) -> Risk:
        """Return the risk. Raises ReaderError and ConfigError if a corpus of `densities` cannot be read."""
        corpora = {name: list(profiles_of(name, reader, overrides, callback)) for name in dict.fromkeys(self.densities)}
        for name, profiles in corpora.items():
            if not profiles:
                raise ReaderError(f"--risk-densities {name}: no documents")
        if not self.by_group:
            return risk_of(self.profiles, corpora, self.settings)
        patients = {name: by_patient(profiles) for name, profiles in corpora.items()}
        return risk_of(by_patient(self.profiles), patients, self.settings, "patient")


@dataclass(frozen=True, slots=True)
class RiskOptions:
    """The risk options of `caspipe evaluate`. `at_least`: number of different indirect identifiers that together are a risk."""

    enabled: bool
    densities: Sequence[str] = ()
    at_least: int = 2
    hidden: Sequence[str] = ()
    html: Path | None = None
    plot: Path | None = None
    seed: int = 0
    by_group: bool = False

    def request(self, faults: list[Fault]) -> RiskRequest | None:
        """Return the validated request; None, and new `faults`, if it is invalid. None without --risk."""
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


def profiles_of(
    corpus: str, reader: str, overrides: Sequence[str] = (), callback: DocumentCallback | None = None
) -> Iterator[Profile]:
    """Yield the profiles of the system annotations of a corpus without reference.

    `corpus` is a pipeline (a YAML file, or the name of a shipped one), which is run; or a file or folder of annotated documents,
    read as XMI if it contains XMI files, else by `reader`.
    """
    path = Path(corpus)
    if path.is_dir() or (path.is_file() and path.suffix not in (".yaml", ".yml")):
        yield from _of_collection(path, reader, overrides, callback)
    else:
        yield from _of_pipeline(corpus, overrides, callback)


def _of_pipeline(config: str, overrides: Sequence[str], callback: DocumentCallback | None) -> Iterator[Profile]:
    for cas in processed_documents(Pipeline.load(locate(config), list(overrides)), callback):
        yield _profile(cas.view(INITIAL_VIEW), cas.metadata)


def _of_collection(
    path: Path, reader: str, overrides: Sequence[str], callback: DocumentCallback | None
) -> Iterator[Profile]:

    if path.is_dir() and next(path.rglob("*.xmi"), None) is not None:
        reader = "xmi"
    collection = Collection(path, reader, {}, overrides, keep_overlaps=True)
    for cas in read_documents(collection, callback):
        yield _profile(cas.view(collection.annotated(cas, reference=False)), cas.metadata)


def _profile(view: View, metadata: Mapping[str, str]) -> Profile:
    marks = [Mark(p.begin, p.end, p.kind.name) for p in view.select(Phi)]
    return found_profile(view.text, marks, next((metadata[name] for name in GROUPS if metadata.get(name)), ""))


def write(risk: Risk, html: Path | None, plot: Path | None) -> None:
    """Write the page and the plot. Raises ConsumerError if one cannot be written."""
    if html is not None:
        make_folder(html.parent)
        write_atomic(html, risk_page(risk))
    if plot is not None:
        plots.save(risk_plot(risk), plot)
