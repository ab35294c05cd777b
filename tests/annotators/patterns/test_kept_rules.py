"""Shipped rule files that an earlier command read: the same rules, the same passes, the same matches."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from caspipe.annotators.patterns import kept_rules, loader
from caspipe.annotators.patterns.lazy_pattern import LazyPattern
from caspipe.annotators.patterns.rule import Rule, unmark
from caspipe.annotators.patterns.rule_file import RuleFile
from caspipe.pipeline.errors import ResourceError
from caspipe.pipeline.storage.kept_files import keep_json, kept_json

NAME = "identifiers"


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.getbasetemp() / "kept-rules"
    monkeypatch.setenv("CASPIPE_CACHE", str(folder))
    RuleFile.load(NAME)
    return folder


def read_anew() -> RuleFile:
    file, faults = RuleFile.read(NAME)
    assert file is not None and not faults
    return file


def content(rule: Rule) -> list[Any]:
    plain = [getattr(rule, f.name) for f in fields(Rule) if f.name != "patterns"]
    return [*plain, [(p.pattern, p.groups, dict(p.groupindex)) for p in rule.patterns]]


def is_kept(file: RuleFile) -> bool:
    return all(isinstance(p, LazyPattern) for rule in file.rules for p in rule.patterns)


def name() -> str:
    return kept_rules._name(Path(read_anew().file))


def changed(**more: Any) -> None:
    """Change the kept content, with a checksum that is right."""
    path = Path(read_anew().file)
    valid_for = kept_rules._valid_for(path)
    keep_json(name(), valid_for, {**kept_json(name(), valid_for), **more})


def test_kept_rules_are_those_of_the_file() -> None:
    file, expected = RuleFile.load(NAME), read_anew()
    assert is_kept(file) and not is_kept(expected)
    assert [*map(content, file.rules)] == [*map(content, expected.rules)]
    assert (file.file, file.deny, file.allow.strings) == (expected.file, expected.deny, expected.allow.strings)
    assert [p.pattern for p in file.allow.patterns] == [p.pattern for p in expected.allow.patterns]
    assert [*file.matcher.passes] == [*expected.matcher.passes]


def test_kept_rules_find_the_same() -> None:
    file, expected = RuleFile.load(NAME), read_anew()
    assert is_kept(file)
    for rule in expected.rules:
        for line, _ in (*rule.examples, *rule.counter_examples):
            text = unmark(line)[0]
            assert file.matcher.find(text) == expected.matcher.find(text)
    assert file.faults() == []


def test_a_rule_file_of_a_site_is_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "site.yaml"
    path.write_text("rules: [{name: a, kind: ID, pattern: 'Q[0-9]{4}'}]", encoding="utf-8")
    assert not any(is_kept(RuleFile.load(str(path))) for _ in range(2))


@pytest.mark.parametrize("part", range(4))
def test_rules_of_another_place_or_version_are_not_used(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(RuleFile.load(NAME).file)
    valid = kept_rules._valid_for(path)
    valid[part] += "x"
    monkeypatch.setattr(kept_rules, "_valid_for", lambda _: valid)
    assert kept_rules.kept_rules(path) is None
    assert not is_kept(RuleFile.load(NAME))
    assert is_kept(RuleFile.load(NAME))


def test_rules_with_a_kind_that_does_not_exist_are_not_used() -> None:
    changed(deny=[["deny", "WARD_7", ["x"], 1.0]])
    assert not is_kept(RuleFile.load(NAME))


def test_without_the_cache_the_file_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("CASPIPE_CACHE", str(tmp_path / "file"))
    assert not any(is_kept(RuleFile.load(NAME)) for _ in range(2))


def test_the_files_of_shipped_rules_are_those_that_reading_them_finds() -> None:
    for path in loader.shipped().values():
        for _ in range(2):
            loader._files_of_shipped.cache_clear()
            files, names = loader.files_of(path)
            assert (files, names) == loader._gathered(path)
    assert len(loader.files_of(loader.shipped()[NAME])[0]) > 10


def test_the_files_of_a_site_are_always_read(tmp_path: Path) -> None:
    path = tmp_path / "site.yaml"
    path.write_text("include: other.yaml", encoding="utf-8")
    (tmp_path / "other.yaml").write_text("words: {}", encoding="utf-8")
    assert loader.files_of(path) == ([path, tmp_path / "other.yaml"], [])
    path.write_text("{", encoding="utf-8")
    with pytest.raises(ResourceError):
        loader.files_of(path)
