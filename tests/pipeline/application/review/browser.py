"""Headless Chromium as the tests and the screenshots use it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")


def open_browser(profile: Path, *, dark: bool = False, width: int = 1400, height: int = 900) -> Any:
    """A browser with a profile of its own, light or dark. Skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("needs chromium and chromedriver")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        f"--user-data-dir={profile}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    return driver


class Page:
    """The review page, as somebody at the keyboard sees it."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver = driver
        self.open(address)

    def open(self, address: str) -> None:
        self.driver.get(address)
        self.wait(lambda: self.saved == "Saved" and self.js("return document.querySelectorAll('.row').length > 0"))
        self.settle()

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition: Callable[[], Any], seconds: float = 10) -> Any:
        """Waits until something holds."""
        until = time.monotonic() + seconds
        while True:
            found = condition()
            if found:
                return found
            assert time.monotonic() < until, f"not so after {seconds} s"
            time.sleep(0.02)

    def keys(self, *keys: str, modifiers: tuple[str, ...] = ()) -> None:
        """Presses keys one after the other, and waits until all is saved."""
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            chain = ActionChains(self.driver, duration=0)
            for modifier in modifiers:
                chain.key_down(modifier)
            chain.send_keys(key)
            for modifier in reversed(modifiers):
                chain.key_up(modifier)
            chain.perform()
            self.settle()

    def settle(self) -> None:
        """Until the server has answered everything."""
        self.js("return new Promise(r => requestAnimationFrame(() => setTimeout(r, 15)))")
        self.wait(lambda: self.saved == "Saved" and not self.js("return document.body.ariaBusy"))

    def click(self, selector: str) -> None:
        self.driver.find_element("css selector", selector).click()
        self.settle()

    def text(self, selector: str) -> str:
        return str(self.js("const e = document.querySelector(arguments[0]); return e ? e.textContent : ''", selector))

    @property
    def saved(self) -> str:
        return self.text("#saved")

    @property
    def document(self) -> str:
        return self.text("#doc-name")

    @property
    def chosen(self) -> tuple[str, str, str]:
        """Words, kind and status of the chosen span."""
        return self.text(".panel .words"), self.text(".panel .chosen .chip"), self.text(".panel .status")

    @property
    def original(self) -> str:
        return str(self.js("return [...document.querySelectorAll('.cell.original')].map(c => c.textContent).join('')"))

    @property
    def masked(self) -> str:
        return str(self.js("return [...document.querySelectorAll('.cell.masked')].map(c => c.textContent).join('')"))

    @property
    def toast(self) -> str:
        return self.text("#toast")

    def marks(self, side: str = "original") -> list[tuple[str, str]]:
        """(words, status) of the marks in text order."""
        script = """
            const marks = [...document.querySelectorAll(`.cell.${arguments[0]} mark`)];
            return marks.map(m => [m.textContent, m.className.split(' ')[0]]);
        """
        return [(words, status) for words, status in self.js(script, side)]

    def documents(self) -> list[tuple[str, str]]:
        """Names and facts in the list."""
        script = """
            const text = (item, css) => item.querySelector(css).textContent;
            return [...document.querySelectorAll('.doc')].map(d => [text(d, '.name'), text(d, '.facts')]);
        """
        return [(name, facts) for name, facts in self.js(script)]
