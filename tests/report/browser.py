"""A browser without a window, for tests that look at pages."""

from __future__ import annotations

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

INSTALL = (
    "no chromium and chromedriver found; install them, for example with "
    "`apt-get install chromium chromium-driver`, and `pip install selenium`"
)
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)


@contextlib.contextmanager
def browser() -> Iterator[Browser]:
    """Skips the test where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if chromium is None or driver is None:
        pytest.skip(INSTALL)
    webdriver = pytest.importorskip("selenium.webdriver", reason=INSTALL)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = chromium
        for option in (*_OPTIONS, f"--user-data-dir={profile}"):
            options.add_argument(option)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService(executable_path=driver)
        chrome = webdriver.Chrome(options=options, service=service)
        try:
            yield Browser(chrome)
        finally:
            chrome.quit()


class Browser:
    """A page that is open, and what tests ask of it."""

    def __init__(self, chrome: Any) -> None:
        self.chrome = chrome

    def open(self, path: Path, width: int = 1400) -> None:
        """A report, until its figures are drawn."""
        self.visit(path, width)
        self.until("return document.querySelectorAll('.drawing svg').length > 0")

    def visit(self, path: Path, width: int = 1400) -> None:
        """Logs begin anew: the browser's own first page is not the test's."""
        self.resize(width)
        self.chrome.get("about:blank")
        self.complaints()
        self.requests()
        self.chrome.get(path.as_uri())

    def resize(self, width: int) -> None:
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        self.chrome.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def run(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def until(self, condition: str, seconds: float = 30.0) -> None:
        end = time.monotonic() + seconds
        while not self.run(condition):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.05)

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).innerText", selector))

    def click(self, selector: str) -> None:
        self.run("document.querySelector(arguments[0]).click()", selector)

    def choose(self, selector: str, place: int) -> None:
        """An entry of a list, as its user would."""
        self.run(
            "const list = document.querySelector(arguments[0]); list.value = arguments[1];"
            "list.dispatchEvent(new Event('change', { bubbles: true }));",
            selector,
            place,
        )

    def write(self, selector: str, value: float, event: str) -> None:
        self.run(
            "const box = document.querySelector(arguments[0]); box.value = arguments[1];"
            "box.dispatchEvent(new Event(arguments[2], { bubbles: true }));",
            selector,
            value,
            event,
        )

    def complaints(self) -> list[str]:
        return [entry["message"] for entry in self.chrome.get_log("browser")]

    def requests(self) -> list[str]:
        """Addresses that were asked for, the page's own left out."""
        messages = [json.loads(e["message"])["message"] for e in self.chrome.get_log("performance")]
        asked = [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]
        return [url for url in asked if not url.startswith(("file:", "data:", "about:"))]
