"""Names of components: one owner each, and a helpful word where there is none."""

from __future__ import annotations

from pathlib import Path

import parts
import pytest

from caspipe.pipeline.contract import registry
from caspipe.pipeline.contract.component import Annotator, component
from caspipe.pipeline.errors import ConfigError


def test_a_name_claimed_twice_names_both_classes() -> None:
    with pytest.raises(
        ConfigError, match=r"engine t_numbers is claimed twice: by parts:NumberAnnotator and by .*Thief"
    ):

        @component("t_numbers")
        class Thief(Annotator):
            pass

    assert registry.find("t_numbers") is parts.NumberAnnotator


def test_a_dotted_path_is_a_component_without_registration() -> None:
    assert registry.find("parts:NumberAnnotator") is parts.NumberAnnotator
    for path, message in {
        "parts:NumberAnotator": "parts has no NumberAnotator; did you mean NumberAnnotator?",
        "no_such_module:X": "cannot import no_such_module",
        "parts:Wordlist": "parts:Wordlist is not a component",
    }.items():
        with pytest.raises(LookupError, match=message):
            registry.find(path)


def test_a_plug_in_file_that_is_not_there_or_broken_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a Python file, found none"):
        registry.load_file(str(tmp_path / "absent.py"))
    (tmp_path / "broken.py").write_text("import no_such_module_at_all\n")
    with pytest.raises(ConfigError, match=r"broken.py: ModuleNotFoundError: No module named 'no_such_module_at_all'"):
        registry.load_file(str(tmp_path / "broken.py"))


def test_parts_are_found_in_their_family() -> None:
    assert registry.find_part(parts.Hue, "shade") is parts.Shade
    with pytest.raises(LookupError, match=r"no hue called 'shad'; did you mean shade\?"):
        registry.find_part(parts.Hue, "shad")
    with pytest.raises(LookupError, match=r"no hue called 'x'; expected one of plain, shade"):
        registry.find_part(parts.Hue, "x")
