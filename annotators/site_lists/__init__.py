"""The lists of a site: words that are never PHI there and words that always are, over all finders."""

from .engine import SiteLists
from .site_list import SiteList

__all__ = ["SiteList", "SiteLists"]
