"""Token features, one module for each kind of input. Every module of this package is imported, which registers its features."""

from __future__ import annotations

import importlib
import pkgutil

__all__ = sorted(info.name for info in pkgutil.iter_modules(__path__))

for _module in __all__:
    importlib.import_module(f"{__name__}.{_module}")
