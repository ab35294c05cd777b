"""Take screenshots of the review page and of a document's page for the docs: the shipped samples in headless Chromium.

    python scripts/screenshots.py            writes docs/images/document.png, review.png, review-dark.png, review-adjudication.png

Requires chromium, chromedriver, selenium and the extra `server`. Check the pictures before committing them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
WIDTH, HEIGHT = 1400, 900
LARGEST = 200_000
COMMAND = "import sys; from caspipe.pipeline.application.cli.main import app; app(['review', *sys.argv[1:]])"


def main() -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = prepare(Path(scratch))
        with browser(scratch, False) as driver:
            driver.get((folder.parent / "html" / "discharge-002.html").as_uri())
            save(driver, "document.png")
        for name, dark in (("review.png", False), ("review-dark.png", True)):
            copy = shutil.copytree(folder, Path(scratch) / name / "narratives")
            with server(copy, "--annotator", "anna") as address, browser(scratch, dark) as driver:
                driver.get(address)
                wait_until_saved(driver)
                review(driver)
                save(driver, name)
        for name, keys in (("anna", "ajjrdd"), ("ben", "jaajjjdrd")):
            with server(folder, "--annotator", name) as address, browser(scratch, False) as driver:
                driver.get(address)
                wait_until_saved(driver)
                press(driver, *keys)
        with server(folder, "--adjudicate", "anna", "ben", "-a", "eva") as address, browser(scratch, False) as driver:
            driver.get(address)
            wait_until_saved(driver)
            save(driver, "review-adjudication.png")


def prepare(scratch: Path) -> Path:
    """Run the shipped pipeline over the shipped samples."""
    from caspipe.pipeline.assembly.shipped import locate
    from caspipe.pipeline.pipeline import Pipeline

    Pipeline.load(locate("deidentify"), [f"run.output={scratch / 'out'}", "consumers.html={}"]).run()
    return scratch / "out" / "restricted" / "xmi"


def review(driver: Any) -> None:
    """Finish two documents and part of a third: accept, reject, and select a span with conflicting candidates."""
    press(driver, "d", "d", "a", "a", "j", "r", "a", "a", "a")
    time.sleep(5)  # until the notification disappears


@contextmanager
def server(folder: Path, *arguments: str) -> Iterator[str]:
    command = [sys.executable, "-c", COMMAND, str(folder), "--no-browser", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.communicate(timeout=20)


@contextmanager
def browser(scratch: str, dark: bool) -> Iterator[Any]:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    profile = tempfile.mkdtemp(dir=scratch)
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.add_argument("--disable-background-networking")
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        yield driver
    finally:
        driver.quit()


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    for key in keys:
        ActionChains(driver, duration=0).send_keys(key).perform()
        wait_until_saved(driver)


def wait_until_saved(driver: Any) -> None:
    done = "return !document.body.ariaBusy && document.getElementById('saved').textContent === 'Saved'"
    time.sleep(0.1)
    for _ in range(200):
        if driver.execute_script(done):
            time.sleep(0.1)
            return
        time.sleep(0.05)
    raise SystemExit("the page was not saved in time")


def save(driver: Any, name: str) -> None:
    path = IMAGES / name
    driver.save_screenshot(str(path))
    compress(path)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size:,} bytes")
    if size > LARGEST:
        raise SystemExit(f"{name}: expected at most {LARGEST:,} bytes")


def compress(path: Path) -> None:
    """Reduce the number of colors, if Pillow is installed."""
    try:
        from PIL import Image
    except ImportError:
        return
    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(128)
    reduced.save(path, optimize=True)


if __name__ == "__main__":
    main()
