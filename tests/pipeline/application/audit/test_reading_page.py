"""The page in a real browser: everything by keyboard and by mouse, and findings.csv as `caspipe audit bound` takes it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from audited_run import audit, make_run

from caspipe.pipeline.application.audit.findings import Finding, read_findings
from caspipe.pipeline.application.audit.sampling import read_sample

sys.path.insert(0, str(Path(__file__).parents[1] / "review"))
from browser import open_browser

pytestmark = pytest.mark.browser

keys = pytest.importorskip("selenium.webdriver.common.keys", reason="needs selenium").Keys
TEXT = "Seen on [DATE] by 👩‍⚕️ Mara Lindqvist.\r\nLives in [LOCATION_CITY]-Ost, 84 years.\n"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = make_run(tmp_path_factory.mktemp("run") / "out", 9, text=lambda n: TEXT)
    audit("sample", run, "-n", 5)
    return run / "restricted" / "audit" / "n5-seed0"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    made = open_browser(tmp_path_factory.mktemp("chromium"))
    yield made
    made.quit()


class Reading:
    """The page, as a reader at the keyboard sees it."""

    def __init__(self, driver: Any, sample: Path, downloads: Path, reader: str = "ab") -> None:
        self.driver, self.sample, self.downloads = driver, sample, downloads
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
        self.open(reader)

    def open(self, reader: str) -> None:
        self.driver.get((self.sample / "read.html").as_uri())
        field = self.driver.find_element("id", "initials")
        field.clear()
        field.send_keys(reader, keys.ENTER)
        self.wait(lambda: not self.js("return document.getElementById('hello').open"))

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: Callable[[], Any]) -> Any:
        until = time.monotonic() + 10
        while not (found := condition()):
            assert time.monotonic() < until, "not so after 10 s"
            time.sleep(0.02)
        return found

    def keys(self, *pressed: str, shift: bool = False) -> None:
        from selenium.webdriver.common.action_chains import ActionChains

        for key in pressed:
            chain = ActionChains(self.driver, duration=0)
            (chain.key_down(keys.SHIFT).send_keys(key).key_up(keys.SHIFT) if shift else chain.send_keys(key)).perform()
            self.js("return new Promise(r => requestAnimationFrame(() => setTimeout(r, 15)))")

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()

    def text(self, selector: str) -> str:
        return str(self.js("return document.querySelector(arguments[0]).textContent", selector))

    def marked(self, css: str) -> list[str]:
        return list(
            self.js("return [...document.querySelectorAll(arguments[0])].map(m => m.textContent)", f"#text {css}")
        )

    def saved(self) -> dict[int, Finding]:
        """findings.csv, downloaded and read."""
        self.keys("s")
        path = self.wait(lambda: next(iter(self.downloads.glob("findings-*.csv")), None))
        found = read_findings([path], read_sample(self.sample / "sample.json")).merged()
        path.unlink()
        return found


@pytest.fixture
def page(driver: Any, sample: Path, tmp_path: Path) -> Iterator[Reading]:
    driver.get((sample / "read.html").as_uri())
    driver.execute_script("localStorage.clear()")
    for kind in ("performance", "browser"):
        driver.get_log(kind)
    made = Reading(driver, sample, tmp_path)
    yield made
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert asked and not [url for url in asked if not url.startswith((sample.as_uri(), "blob:file", "blob:null"))]
    assert [entry["message"] for entry in driver.get_log("browser")] == []


def numbers(sample: Path) -> tuple[int, ...]:
    return read_sample(sample / "sample.json").numbers


def test_a_text_shows_what_was_masked_and_keeps_its_lines(page: Reading) -> None:
    assert page.text("#text").replace("\u200b", "\r") == TEXT
    assert page.marked("mark") == ["[DATE]", "[LOCATION_CITY]"]
    assert page.text("#title") == f"Document {numbers(page.sample)[0]}"
    assert page.text("#count") == "0 of 5 read"


def test_reading_and_marking_by_keyboard_alone(page: Reading) -> None:
    page.keys(keys.ENTER)  # the first holds no leak
    page.keys(keys.ARROW_RIGHT)
    for _ in range(4):  # Seen on DATE by Mara
        page.keys(keys.ARROW_RIGHT)
    page.keys(keys.ARROW_RIGHT, shift=True)
    assert page.text("#chosen") == "Mara Lindqvist"
    page.keys("l", "PERSON_D", keys.ENTER)
    assert page.marked("mark.leak") == ["Mara Lindqvist"]
    assert page.text("#state") == "1 leak so far, not done"
    page.keys(keys.ENTER, "n", "p", keys.ENTER)
    assert page.text("#count") == "3 of 5 read"
    first, second, third, *rest = numbers(page.sample)
    begin = TEXT.index("Mara")  # code points, though the page counts UTF-16 units
    found = page.saved()
    assert found == {
        first: Finding(first, "ab", 0, 0, 0),
        second: Finding(second, "ab", 1, 1, 0, {"PERSON_DOCTOR": 1}, ((begin, begin + 14, "PERSON_DOCTOR"),)),
        third: Finding(third, "ab", 0, 0, 0),
    }
    assert "2 documents are not read yet and count as unread" in page.text("#said") and not set(rest) & found.keys()


def test_marking_by_mouse_and_taking_back(page: Reading) -> None:
    page.js("""
        const node = [...document.getElementById('text').childNodes].find(n => n.textContent.includes('Ost'));
        const at = node.textContent.indexOf('Ost');
        getSelection().setBaseAndExtent(node, at, node, at + 4);  // a blank too many
    """)
    page.wait(lambda: page.text("#chosen") == "Ost,")
    page.js("document.getElementById('kind').value = 'LOCATION_CITY'")
    page.click("#mark")
    assert page.marked("mark.leak") == ["Ost,"]
    page.click("#done")
    assert page.saved()[numbers(page.sample)[0]].kinds == {"LOCATION_CITY": 1}
    page.keys("p")
    page.click("#leaks button")
    assert page.marked("mark.leak") == []
    page.click("#undo")
    assert page.saved() == {}


def test_findings_outlive_the_page_and_are_each_readers_own(page: Reading) -> None:
    page.keys(keys.ENTER, keys.ENTER)
    page.open("cd")
    assert page.text("#count") == "0 of 5 read"
    page.open("ab")
    assert page.text("#count") == "2 of 5 read"
    assert page.text("#place") == "3 of 5 drawn"  # on where the reader was
    page.keys("p", "u")
    assert page.text("#place") == "3 of 5 drawn"


def test_the_browser_keeps_places_and_kinds_but_no_words(page: Reading) -> None:
    page.keys(*[keys.ARROW_RIGHT] * 5, "l", "PERSON", keys.ENTER)
    kept = page.js("return JSON.stringify(Object.entries(localStorage))")
    assert "PERSON" in kept and "Mara" not in kept


def test_a_note_that_repeats_a_leak_stays_on_the_page(page: Reading) -> None:
    page.keys(*[keys.ARROW_RIGHT] * 5, "l", "PERSON", keys.ENTER)
    page.driver.find_element("id", "note").send_keys("=signature of mara")
    assert "will be left out" in page.text("#spoiled")
    page.click("#text")
    page.keys("s")
    path = page.wait(lambda: next(iter(page.downloads.glob("*.csv")), None))
    assert "mara" not in path.read_text(encoding="utf-8").casefold()
    path.unlink()
    note = page.driver.find_element("id", "note")
    note.clear()
    note.send_keys("=signature")
    page.click("#text")
    page.keys("s")
    path = page.wait(lambda: next(iter(page.downloads.glob("*.csv")), None))
    assert ",'=signature,ab," in path.read_text(encoding="utf-8")  # no formula to a spreadsheet


def test_two_leaks_cannot_overlap_and_an_empty_choice_marks_nothing(page: Reading) -> None:
    page.keys("l")
    assert page.text("#said") == "Select the words that leak first."
    page.keys(*[keys.ARROW_RIGHT] * 5, "l", keys.ENTER, *[keys.ARROW_RIGHT] * 5, "l", keys.ENTER)
    assert page.text("#said") == "A leak is marked there already."
    assert page.marked("mark.leak") == ["Mara"]


@pytest.mark.parametrize(("width", "dark"), [(375, False), (1280, True)])
def test_it_fits_narrow_and_wide_windows_light_and_dark(page: Reading, width: int, dark: bool) -> None:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    page.keys(*[keys.ARROW_RIGHT] * 5)
    assert page.js("return document.documentElement.scrollWidth <= innerWidth")
    assert page.js("const m = document.getElementById('marker'); return m.scrollWidth <= m.clientWidth")
    background = page.js("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(19, 23, 29)") is dark
