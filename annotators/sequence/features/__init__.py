"""Token features: small modules by what they look at, registered by being here."""

from __future__ import annotations

import importlib
import pkgutil

__all__ = sorted(info.name for info in pkgutil.iter_modules(__path__))

for _module in __all__:
    importlib.import_module(f"{__name__}.{_module}")
