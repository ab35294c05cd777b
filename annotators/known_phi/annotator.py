"""Marks what the record already says about a person, wherever and however the text repeats it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

from ...pipeline.component import Annotator, component
from ...typesystem import KnownPhi, PhiCandidate, PhiKind, View
from ..lexicon import Lexicon
from .page import Hit, Page
from .people import parse_name
from .person import PersonMatcher
from .words import Words
