"""Render pages from Jinja2 templates as single files that load nothing and run only their own script.

A package keeps its templates in `templates/` and its style sheets and scripts in `static/`; those of this package
(`page.html.j2`, `macros.html.j2`, `page.css`, `report.css`) are available to every other package:

    render_page("audit.html.j2", package=__package__, title="Audit", styles=["report.css", "audit.css"], cards=cards)

A template of a page extends `page.html.j2` and fills the blocks `header`, `main` and `footer`.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from markupsafe import escape as escape_markup

from ...typesystem import PhiKind, first_level

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import EvalContext

PAGES = __package__
_CONTROLS = {c: 0x2400 + c for c in range(32) if chr(c) not in "\t\n\r"} | {
    127: 0x2421,
    **dict.fromkeys(range(0xD800, 0xE000), 0xFFFD),
}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def render_page(
    template: str,
    *,
    title: str,
    package: str = PAGES,
    styles: Sequence[str] = (),
    scripts: Sequence[str] = (),
    inline_images: bool = False,
    **values: Any,
) -> bytes:
    """Return a page with its style sheets (after `page.css`) and scripts inlined; all scripts share one function scope.

    The content security policy allows these styles and scripts only, and `data:` images if `inline_images`.
    """
    css = "\n".join(read_static(name, package) for name in ("page.css", *styles))
    script = "\n".join(read_static(name, package) for name in scripts)
    script = f"(() => {{\n{script}}})();" if script else ""
    policy = ["default-src 'none'", f"style-src '{_digest(css)}'", "base-uri 'none'", "form-action 'none'"]
    policy += [f"script-src '{_digest(script)}'"] if script else []
    policy += ["img-src data:"] if inline_images else []
    page = _environment(package).get_template(template)
    frame = {"title": title, "css": Markup(css), "script": Markup(script), "policy": Markup(";".join(policy))}
    return page.render(frame | values).encode()


def render_fragment(template: str, package: str = PAGES, **values: Any) -> Markup:
    """Return a part of a page."""
    return Markup(_environment(package).get_template(template).render(values))


def render_text(template: str, package: str, **values: Any) -> str:
    """Return a text file made from a template without `.html` in its name; nothing is escaped."""
    return _environment(package).get_template(template).render(values)


@cache
def read_static(name: str, package: str = PAGES) -> str:
    """Return a style sheet or script of `package`, or of this package if `package` does not have it."""
    return _read("static", name, package)


def escape(value: object) -> Markup:
    """Escape text for HTML. Control characters become their pictures, lone surrogates U+FFFD."""
    if hasattr(value, "__html__"):
        return escape_markup(value)
    text = str(value)
    return escape_markup(text.translate(_CONTROLS) if _CONTROL.search(text) else text)


def kind_class(kind: str) -> str:
    """Return the CSS class of a PHI kind, by its first level. Kinds of one's own share a color; unknown kinds look like OTHER."""
    top = first_level(kind)
    if top in hues():
        return f"k-{top}"
    return "k-OWN" if any(known.name == top and known.own for known in PhiKind) else "k-OTHER"


@cache
def hues() -> frozenset[str]:
    """Return the first-level kinds for which `page.css` has a color."""
    return frozenset(re.findall(r"\.k-([A-Z]+)", read_static("page.css")))


@cache
def _environment(package: str) -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined, pass_eval_context

    environment = Environment(
        loader=FunctionLoader(lambda name: _read("templates", name, package)),
        autoescape=lambda name: name is not None and ".html" in name,
        undefined=StrictUndefined,
        finalize=pass_eval_context(_finalize),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"kind_class": kind_class, "number": _number, "plural": _plural}
    environment.globals["describe_kind"] = _description
    return environment


def _read(folder: str, name: str, package: str) -> str:
    for place in dict.fromkeys((package, PAGES)):
        file = files(place) / folder / name
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{package} has no {folder}/{name}")


def _finalize(context: EvalContext, value: object) -> object:
    return escape(value) if context.autoescape else value


def _description(kind: str) -> str:
    return next((known.description for known in PhiKind if known.name == kind), "")


def _number(value: object) -> str:
    """Format an integer with thousands separators and a float with three significant digits; return text unchanged."""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3g}" if isinstance(value, float) else str(value)


def _plural(count: int, noun: str) -> str:
    """Return `1 document`, `2 documents`."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _digest(source: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
