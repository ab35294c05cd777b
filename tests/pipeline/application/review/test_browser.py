"""The page in a real browser: everything by keyboard, everything by mouse, and what is left when it is closed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import Page, open_browser
from review_corpus import Corpus, Server, make_folder, masked_text

from caspipe.readers.uima.cas_files import XmiReader
from caspipe.typesystem import GOLD_VIEW, Phi

pytestmark = pytest.mark.browser

pytest.importorskip("fastapi", reason="needs the extra `server`")
keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    made = open_browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.quit()


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    made = Server(folder, "--annotator", "anna")
    yield made
    made.close()


@pytest.fixture
def page(driver: Any, server: Server) -> Iterator[Page]:
    driver.get_log("performance")
    driver.get_log("browser")
    made = Page(driver, server.address)
    yield made
    asked = [
        message["params"]["request"]["url"]
        for message in (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
        if message["method"] == "Network.requestWillBeSent"
    ]
    foreign = [url for url in asked if not url.startswith((server.origin, "data:", "chrome:", "about:"))]
    assert asked and foreign == []
    assert [entry["message"] for entry in driver.get_log("browser")] == made.expected_errors  # type: ignore[attr-defined]


Page.expected_errors = []  # type: ignore[attr-defined]


def of(server: Server, folder: Path, name: str = "anna") -> Corpus:
    """The folder after the server ended."""
    server.stop()
    return Corpus(folder, name)


def test_stepping_accepting_and_rejecting_by_keyboard(page: Page, server: Server, folder: Path) -> None:
    assert page.document == "a"
    assert page.chosen == ("3 May 2020", "DATE", "open")
    page.keys("a", "r")
    assert page.chosen == ("Lund", "LOCATION_CITY", "open")
    page.keys("k")
    assert page.chosen == ("Ana Ruiz", "PERSON_DOCTOR", "rejected")
    page.keys("n", "p", "a", "a")
    assert page.marks() == [
        ("3 May 2020", "accepted"),
        ("Ana Ruiz", "accepted"),
        ("Lund", "accepted"),
        ("Ana Ruiz", "leak"),
        ("Tom Berg", "open"),
        ("44", "open"),
    ]
    corpus = of(server, folder)
    assert [s for s in corpus.spans() if s[2] == "accepted"] == [
        ("3 May 2020", "DATE", "accepted"),
        ("Ana Ruiz", "PERSON_DOCTOR", "accepted"),
        ("Lund", "LOCATION_CITY", "accepted"),
    ]
    corpus.close()


def test_the_masked_column_is_what_would_be_released(page: Page, server: Server, folder: Path) -> None:
    page.keys("r", "a", "a", "a")
    shown = page.masked
    assert page.original == XmiReader(folder=folder).__iter__().__next__().text
    corpus = of(server, folder)
    opened = corpus.session.opened(0)
    assert shown == masked_text(opened)
    assert shown.startswith("Seen on 3 May 2020 by Dr. [PERSON] in [LOCATION].\n[PERSON] called [PERSON], aged [AGE].")
    corpus.close()


def test_changing_the_kind_by_typing_and_by_digit(page: Page) -> None:
    page.keys("c")
    page.driver.switch_to.active_element.send_keys("loc ci", keys.ENTER)
    page.settle()
    assert page.chosen == ("3 May 2020", "LOCATION_CITY", "accepted")
    page.keys("j", "c", "1")
    assert page.chosen == ("Ana Ruiz", "LOCATION_CITY", "accepted")
    page.keys("c", keys.ESCAPE)
    assert page.chosen == ("Ana Ruiz", "LOCATION_CITY", "accepted")


def test_adjusting_bounds_by_character_and_word(page: Page) -> None:
    page.keys("j")
    page.keys(keys.ARROW_LEFT, modifiers=(keys.SHIFT,))
    assert page.chosen == ("Ana Rui", "PERSON_DOCTOR", "accepted")
    page.keys(keys.ARROW_LEFT, modifiers=(keys.SHIFT, keys.CONTROL))
    assert page.chosen[0] == "Ana"
    page.keys(keys.ARROW_RIGHT, keys.ARROW_RIGHT, modifiers=(keys.SHIFT, keys.CONTROL))
    assert page.chosen[0] == "Ana Ruiz in"
    page.keys(keys.ARROW_LEFT, modifiers=(keys.ALT,))
    assert page.chosen[0] == ". Ana Ruiz in"
    page.keys(keys.ARROW_RIGHT, keys.ARROW_RIGHT, modifiers=(keys.ALT,))
    assert page.chosen[0] == "na Ruiz in"
    page.keys(*"uuuuuuu")
    assert page.chosen == ("Ana Ruiz", "PERSON_DOCTOR", "open")


def test_bounds_step_over_characters_of_two_code_units(driver: Any, page: Page) -> None:
    page.keys("]")
    assert page.document == "b"
    assert page.chosen[0] == "Tom Berg"
    page.keys(keys.ARROW_RIGHT, modifiers=(keys.SHIFT,))
    assert page.chosen[0] == "Tom Berg \U0001f600"
    page.keys(keys.ARROW_LEFT, keys.ARROW_LEFT, modifiers=(keys.ALT,))
    assert page.chosen[0] == "\U0001f600 Tom Berg \U0001f600"


def test_adding_with_the_caret(page: Page, server: Server, folder: Path) -> None:
    page.keys("j", "j", "j")
    assert page.chosen == ("Ana Ruiz", "PERSON_DOCTOR", "possible leak")
    page.keys("i")
    page.keys(keys.ARROW_DOWN, keys.ARROW_UP, keys.HOME)
    page.keys(keys.ARROW_RIGHT, keys.ARROW_RIGHT, keys.ARROW_RIGHT, modifiers=(keys.CONTROL,))
    page.keys(keys.ARROW_LEFT, modifiers=(keys.CONTROL, keys.SHIFT))
    assert page.js("return getSelection().toString()") == "called"
    page.keys("c")
    page.driver.switch_to.active_element.send_keys("profession", keys.ENTER)
    page.settle()
    assert page.chosen == ("called", "PROFESSION", "accepted")
    page.keys("i", keys.ESCAPE)
    assert page.js("return document.getElementById('caret').hidden")
    corpus = of(server, folder)
    assert ("called", "PROFESSION", "accepted") in corpus.spans()
    corpus.close()


def test_adding_with_the_mouse(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    place = page.js(
        """
        const range = document.createRange();
        const walker = document.createTreeWalker(document.querySelector('.row:last-child .cell.original'), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const at = walker.currentNode.data.indexOf('signs');
          if (at < 0) continue;
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + 5);
          const box = range.getBoundingClientRect();
          return [box.left, box.right, box.top + box.height / 2];
        }
        """
    )
    left, right, middle = (round(x) for x in place)
    chain = ActionChains(page.driver, duration=0)
    chain.w3c_actions.pointer_action.move_to_location(left, middle).pointer_down().move_to_location(
        right, middle
    ).pointer_up()
    chain.perform()
    page.wait(lambda: page.js("return !document.getElementById('adding').hidden"))
    page.click("#adding button[aria-label='Add as person']")
    assert page.chosen == ("signs", "PERSON", "accepted")


def test_searching_selects_and_the_selection_becomes_a_span(page: Page) -> None:
    page.keys("/")
    page.driver.switch_to.active_element.send_keys("AGED", keys.ENTER)
    assert page.text("#search-told") == "1/1"
    page.driver.switch_to.active_element.send_keys(keys.ESCAPE)
    page.keys("c")
    page.driver.switch_to.active_element.send_keys("age", keys.ENTER)
    page.settle()
    assert page.chosen == ("aged", "AGE", "accepted")


def test_what_was_taken_out_is_shown_and_revived(page: Page) -> None:
    assert ("Parkinson", "suggested") not in page.marks()
    page.keys("v")
    assert ("Parkinson", "suggested") in page.marks()
    for _ in range(6):
        page.keys("j")
    assert page.chosen == ("Parkinson", "PERSON", "removed")
    page.wait(lambda: "vetoed: eponym" in page.text(".facts-list"))
    page.keys("a", "k")
    page.wait(lambda: ("Parkinson", "accepted") in page.marks())
    assert page.masked.endswith("[PERSON] signs.")


def test_a_possible_leak_becomes_a_span(page: Page) -> None:
    page.keys("j", "j", "j", "a")
    page.wait(lambda: page.marks().count(("Ana Ruiz", "accepted")) == 1)
    assert ("Ana Ruiz", "leak") not in page.marks()
    page.keys("u")
    assert ("Ana Ruiz", "leak") in page.marks()


def test_the_same_words_everywhere_with_a_preview(page: Page, server: Server, folder: Path) -> None:
    page.keys("o", "o", "o", "s")
    assert page.chosen[0] == "Tom Berg"
    assert page.text("#same-here") == "In this document: 0 occurrences"
    assert page.text("#same-all") == "In all documents: 2 occurrences in 1 document"
    page.click("#same-all")
    assert page.toast.startswith("2 occurrences in 1 document changed")
    assert page.documents()[1] == ("b", "2 of 4 open")
    page.keys("u")
    assert page.documents()[1] == ("b", "3 of 3 open")
    page.keys("U")
    assert page.documents()[1] == ("b", "2 of 4 open")
    corpus = of(server, folder)
    assert [s[2] for s in corpus.spans(1) if s[0] == "Tom Berg"] == ["accepted", "accepted"]
    corpus.close()


def test_done_goes_on_and_undo_comes_back(page: Page) -> None:
    page.keys("d")
    assert page.document == "b"
    assert page.text("#progress-told") == "1 of 3 done"
    assert page.toast.startswith("5 open spans accepted")
    page.keys("u")
    page.wait(lambda: page.document == "a")
    assert page.text("#progress-told") == "0 of 3 done"
    page.keys("d", "d", "d")
    assert page.text("#progress-told") == "3 of 3 done"
    page.click("#done")
    assert page.text("#progress-told") == "2 of 3 done"


def test_filters_of_documents_and_spans(page: Page) -> None:
    page.js("document.getElementById('f-low').click()")
    assert [name for name, _ in page.documents()] == ["a", "b"]
    page.keys("]")
    assert page.document == "b"
    page.js(
        "document.getElementById('f-low').click(); document.getElementById('f-kind').value = 'AGE';"
        "document.getElementById('f-kind').dispatchEvent(new Event('change', {bubbles: true}))"
    )
    assert [name for name, _ in page.documents()] == ["a", "b"], "the document that is open stays in the list"
    page.keys("[")
    page.settle()
    page.wait(lambda: page.document == "a")
    page.keys("j")
    assert page.chosen == ("44", "AGE", "open")
    assert page.text("#docs-told") == "1 of 3 documents"
    page.js("document.getElementById('find-doc').value = 'zz'")
    page.js("document.getElementById('find-doc').dispatchEvent(new Event('input', {bubbles: true}))")
    assert [name for name, _ in page.documents()] == ["a"]


def test_a_reload_keeps_everything(page: Page, server: Server) -> None:
    page.keys("a", "r", "]", "r")
    before = page.marks()
    page.driver.refresh()
    page.wait(lambda: page.document == "b" and page.saved == "Saved")
    assert page.marks() == before
    assert server.token not in page.js("return location.href"), "the token does not stay in the address bar"
    page.keys("[")
    page.wait(lambda: page.document == "a")
    assert page.marks()[:2] == [("3 May 2020", "accepted"), ("Ana Ruiz", "rejected")]


def test_everything_by_mouse(page: Page) -> None:
    page.js("document.querySelectorAll('mark[data-id]')[2].click()")
    assert page.chosen == ("Lund", "LOCATION_CITY", "open")
    page.click("#act-accept")
    page.click("#previous")
    assert page.chosen == ("Lund", "LOCATION_CITY", "accepted")
    page.click("#act-reject")
    page.click("#undo")
    assert page.chosen == ("Lund", "LOCATION_CITY", "accepted")
    page.click("#redo")
    assert page.chosen == ("Lund", "LOCATION_CITY", "rejected")
    page.click("#act-accept")
    page.click("#previous")
    page.click("button[title='End one character earlier (Shift ←)']")
    assert page.chosen[0] == "Lun"
    page.click("#act-kind")
    page.js(
        "[...document.querySelectorAll('#kind-list li')].find(l => l.textContent.includes('LOCATION_STATE')).click()"
    )
    page.settle()
    assert page.chosen == ("Lun", "LOCATION_STATE", "accepted")
    page.click("#done")
    assert page.document == "b"


def test_a_server_that_is_gone_is_told_and_nothing_is_lost(page: Page, server: Server, folder: Path) -> None:
    page.keys("a")
    server.kill()
    page.js("document.getElementById('act-reject').click()")
    page.wait(lambda: page.saved.startswith("Not saved: 1 waiting"))
    again = Server(folder, "--annotator", "anna")
    assert again.address == server.address
    page.wait(lambda: page.saved == "Saved", 20)
    corpus = of(again, folder)
    assert corpus.spans()[:2] == [("3 May 2020", "DATE", "accepted"), ("Ana Ruiz", "PERSON_DOCTOR", "rejected")]
    corpus.close()
    page.driver.get_log("browser")  # the connections that were refused meanwhile


SLOW = """
const ask = window.fetch;
window.fetch = async (path, options) => {
  const answer = await ask(path, options);
  if (String(path).endsWith(arguments[0])) await new Promise(go => setTimeout(go, 600));
  return answer;
};
"""


def test_a_document_that_comes_late_does_not_take_the_place_of_a_later_one(page: Page) -> None:
    page.js(SLOW, "api/doc/1")
    page.js("document.querySelectorAll('.doc')[1].click(); document.querySelectorAll('.doc')[2].click()")
    page.wait(lambda: page.document == "c")
    page.settle()
    assert page.document == "c"
    assert page.js("return document.querySelector('.doc.on .name').textContent") == "c"
    page.keys("a")
    assert page.documents()[2] == ("c", "0 of 1 open")


def test_a_kind_that_was_asked_for_one_document_is_not_given_in_another(page: Page, server: Server) -> None:
    page.js(SLOW, "api/doc/1")
    before = server.call("/api/doc/1")[1]["spans"]
    page.js("document.querySelectorAll('.doc')[1].click()")
    page.js("document.getElementById('act-kind').click()")
    page.wait(lambda: page.document == "b")
    page.driver.switch_to.active_element.send_keys("profession", keys.ENTER)
    page.settle()
    assert server.call("/api/doc/1")[1]["spans"] == before
    assert page.toast == "Another document was opened meanwhile; nothing was changed."


def test_what_the_server_does_not_take_from_this_page_is_not_called_saved(page: Page, server: Server) -> None:
    page.keys("a")
    page.js(
        "const ask = window.fetch;"
        "window.fetch = (path, o) => ask(path, {...o, headers: {...o.headers, 'X-Caspipe-Token': 'old'}})"
    )
    page.js("document.getElementById('undo').click()")
    page.wait(lambda: "no longer the server" in page.toast)
    page.js("return new Promise(r => setTimeout(r, 50))")
    assert page.saved == "Server restarted: open its new address"
    page.driver.get_log("browser")


@pytest.mark.parametrize(("width", "height"), [(1000, 700), (390, 844)])
def test_nothing_is_out_of_reach_on_a_smaller_screen(page: Page, width: int, height: int) -> None:
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        outside = page.js(
            """
            const out = e => { const b = e.getBoundingClientRect(); return b.width && (b.right > innerWidth + 1 || b.left < 0); };
            const side = document.querySelector('.side').getBoundingClientRect().right;
            const wide = e => e.getBoundingClientRect().right > side + 1;
            return [...document.querySelectorAll('button, input, select')].filter(out)
              .concat([...document.querySelectorAll('.filters *')].filter(wide)).map(e => e.id || e.outerHTML);
            """
        )
        assert outside == []
        page.click("#act-accept")
        page.click("#export")
    finally:
        size = {"width": 1400, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def test_the_keys_are_listed(page: Page) -> None:
    page.keys("?")
    assert page.js("return document.getElementById('help-dialog').open")
    assert "accept what is open, done, next document" in page.text("#help-keys")
    page.keys(keys.ESCAPE)
    assert not page.js("return document.getElementById('help-dialog').open")


def test_every_control_has_a_name(page: Page) -> None:
    unnamed = page.js(
        """
        const told = e => e.ariaLabel || e.title || e.textContent.trim() || e.getAttribute('aria-labelledby');
        const named = e => told(e) || (e.labels || []).length;
        const controls = document.querySelectorAll('button, input, select, dialog, main, nav, aside');
        return [...controls].filter(e => !named(e)).map(e => e.outerHTML);
        """
    )
    assert unnamed == []
    assert page.js("return document.documentElement.lang") == "en"


CONTRAST = """
const canvas = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
const rgb = css => {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = css;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const ground = e => {
  for (; e; e = e.parentElement) {
    const colour = rgb(getComputedStyle(e).backgroundColor);
    if (colour[3] === 255) return colour;
  }
  return [255, 255, 255, 255];
};
const light = c => {
  const [r, g, b] = c.slice(0, 3).map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (one, other) => {
  const [a, b] = [light(one), light(other)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};
const faint = [];
for (const e of document.querySelectorAll('body *')) {
  if (!e.checkVisibility() || e.disabled || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const found = ratio(rgb(getComputedStyle(e).color), ground(e));
  if (found < 4.5) faint.push(`${e.tagName} ${e.className} ${found.toFixed(2)}`);
  const label = getComputedStyle(e, '::after');
  const behind = ratio(rgb(label.color), ground(e));
  if (e.dataset.k && behind < 4.5) faint.push(`label ${e.dataset.k} ${behind.toFixed(2)}`);
}
return [...new Set(faint)];
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_the_contrast_of_wcag_aa(page: Page, scheme: str) -> None:
    feature = {"name": "prefers-color-scheme", "value": scheme}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    page.keys("v", "a", "r", "]", "[")
    page.wait(lambda: page.document == "a")
    assert page.js(CONTRAST) == []
    page.keys("?")
    assert page.js(CONTRAST) == []
    page.keys(keys.ESCAPE)


def test_the_export_button_writes_gold(page: Page, folder: Path) -> None:
    page.keys("r", "d")
    page.click("#export")
    page.wait(lambda: page.toast.startswith("1 documents that are done are written to"))
    (cas,) = XmiReader(folder=folder.parent / "xmi-gold-anna")
    found: list[Phi] = cas.view(GOLD_VIEW).select(Phi)
    assert [(p.covered_text, p.kind.name) for p in found] == [
        ("Ana Ruiz", "PERSON_DOCTOR"),
        ("Lund", "LOCATION_CITY"),
        ("Tom Berg", "PERSON"),
        ("44", "AGE"),
    ]


def test_adjudicating_between_two(driver: Any, folder: Path) -> None:
    for name in ("anna", "ben"):
        corpus = Corpus(folder, name)
        if name == "anna":
            corpus.do("reject", span=corpus.sid("44"))
        else:
            corpus.do("kind", span=corpus.sid("Lund"), kind="LOCATION")
            corpus.do("add", kind="PERSON", **corpus.at("Ana Ruiz", nth=1))
        corpus.do("done")
        corpus.close()
    server = Server(folder, "--adjudicate", "anna", "ben", "--annotator", "eva")
    page = Page(driver, server.address)
    assert (page.text("#left-name"), page.text("#right-name")) == ("anna", "ben")
    assert page.documents()[1] == ("b", "waits for both")
    assert page.chosen == ("Lund", "LOCATION_CITY", "to be chosen")
    assert [m for m in page.marks() if m[1] == "left"] == [("Lund", "left")]
    assert [m for m in page.marks("masked") if m[1] == "right"] == [
        ("Lund", "right"),
        ("Ana Ruiz", "right"),
        ("44", "right"),
    ]
    page.keys("d")
    assert page.toast == "3 differences wait for a choice"
    page.keys("2")
    assert page.chosen == ("Ana Ruiz", "PERSON", "to be chosen")
    page.keys("1")
    page.click("#act-none")
    assert [m for m in page.marks() if m[1] == "left"] == []
    page.keys("d")
    assert page.text("#progress-told") == "1 of 3 done"
    server.stop()
    server.close()
    written = folder.parent / "gold"
    export(folder, written)
    (cas,) = XmiReader(folder=written)
    found: list[Phi] = cas.view(GOLD_VIEW).select(Phi)
    assert [(p.covered_text, p.kind.name) for p in found] == [
        ("3 May 2020", "DATE"),
        ("Ana Ruiz", "PERSON_DOCTOR"),
        ("Lund", "LOCATION"),
        ("Tom Berg", "PERSON"),
    ]
    driver.get_log("browser")


def export(folder: Path, written: Path) -> None:
    from typer.testing import CliRunner

    from caspipe.pipeline.application.cli.main import app

    arguments = ["review", str(folder), "--adjudicate", "anna", "ben", "-a", "eva", "--export", str(written)]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, result.output) == (0, f"1 documents written to {written}; 2 not reviewed and left out\n")


def test_a_long_text_is_drawn_in_part_and_stays_quick(driver: Any, tmp_path: Path) -> None:
    line = "Seen on <DATE>3 May 2020</DATE> by Dr. <PERSON>Ana Ruiz</PERSON>, stable, no new complaints, goes on as before.\n"
    folder = make_folder(tmp_path / "xmi", {"long": line * 6000})
    server = Server(folder)
    page = Page(driver, server.address)
    drawn = page.js("return document.querySelectorAll('.row mark').length")
    assert 0 < drawn < 2000
    page.keys("a", "r", "k", "k", "k")
    assert page.chosen[0] == "Ana Ruiz", "one step back from the first is the last"
    page.wait(lambda: page.js("return document.querySelector('mark.on') !== null"))
    assert page.masked.count("[PERSON]") > 0
    server.stop()
