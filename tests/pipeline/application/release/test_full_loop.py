"""From a refused document to its release, as a reviewer does it in a real browser."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from releasing import LETTERS, caspipe, holding, released

sys.path.insert(0, str(Path(__file__).parent.parent / "review"))

from browser import Page, open_browser
from review_corpus import Server

pytestmark = pytest.mark.browser

pytest.importorskip("fastapi", reason="needs the extra `server`")
keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys
WORDS = "Z o r b l a t t"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    made = open_browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.quit()


def choose(page: Page, words: str) -> None:
    """Step to a span."""
    for _ in range(12):
        if page.chosen[0] == words:
            return
        page.keys("j")
    raise AssertionError(f"no span {words!r}: {page.marks()}")


@pytest.mark.attack("review-quarantine")
@pytest.mark.attack("gate-refusals")
@pytest.mark.attack("review-decisions")
def test_a_refused_document_is_reviewed_in_the_browser_and_released(run: Path, driver: Any) -> None:
    before = released(run)
    server = Server(run, "--annotator", "anna")
    try:
        page = Page(driver, server.address)
        page.wait(lambda: len(page.documents()) == len(LETTERS))
        page.wait(lambda: page.text("[data-i='3'] .badge.quarantined") == "Q")
        page.click("[data-i='3']")
        page.wait(lambda: page.document == "d")
        assert (WORDS, "leak") in page.marks()
        facts = page.text("#doc-facts")
        assert (
            "in quarantine: leak: leak_gate: LeakError: 1 leak: values PERSON 1; in the original text at PERSON 43:58"
            in facts
        )
        assert page.js(
            "const e = document.getElementById('doc-facts'); return e.scrollWidth <= e.parentElement.clientWidth"
        )
        choose(page, WORDS)
        page.wait(lambda: "the leak gate refused the document" in page.text(".facts-list"))
        page.keys("a")  # the refused place becomes a span
        page.keys("/")
        page.driver.switch_to.active_element.send_keys("left", keys.ENTER)
        page.driver.switch_to.active_element.send_keys(keys.ESCAPE)
        page.keys("c")
        page.driver.switch_to.active_element.send_keys("profession", keys.ENTER)
        page.settle()
        assert page.chosen == ("left", "PROFESSION", "accepted")
        page.keys("k", "k", "k", "k")
        choose(page, "7 July 2020")
        page.keys("r")
        page.keys("d")  # accepts the rest
        page.wait(lambda: "3 of 4" not in page.text("#progress-told") and "1 of 4 done" in page.text("#progress-told"))
    finally:
        server.stop()
        server.close()
    result = caspipe("release", run, "--review", "anna")
    assert result.exit_code == 0, result.output
    assert released(run) == [*before, "Mr. [PERSON] came on 7 July 2020. Then [PERSON] [PROFESSION]."]
    assert holding(run, WORDS) == []
    assert caspipe("audit", "verify", run).exit_code == 0
    assert not (run / "restricted" / "quarantine").exists()
