"""Evaluations to report, and a headless Chromium, driven over chromedriver's HTTP interface."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stdeval.html import Evaluated, References, Sources
from stdeval.standardization.schemes import standardize
from stdeval.stats.pairwise import Design
from stdeval.table import ScoreTable

ARGUMENTS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--window-size=1100,900"),
)


class Browser:
    """A session of a browser."""

    def __init__(self, address: str, dark: bool, profile: Path) -> None:
        self.address = address
        scheme = [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        options = {"args": [*ARGUMENTS, *scheme, f"--user-data-dir={profile}"], "binary": shutil.which("chromium")}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        made = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"{self.address}{path}", data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, path: Path) -> None:
        self._call("POST", f"{self.session}/url", {"url": path.as_uri()})
        # On a busy machine, the driver may answer before scripts find the page.
        end = time.monotonic() + 30
        while not self._shows(path) and time.monotonic() < end:
            time.sleep(0.05)

    def _shows(self, path: Path) -> bool:
        try:
            return bool(self.run("return [location.href, document.readyState]") == [path.as_uri(), "complete"])
        except urllib.error.HTTPError:
            return False

    def run(self, script: str, *arguments: Any) -> Any:
        return self._call("POST", f"{self.session}/execute/sync", {"script": script, "args": arguments})

    def emulate(self, media: str) -> None:
        body = {"cmd": "Emulation.setEmulatedMedia", "params": {"media": media}}
        self._call("POST", f"{self.session}/goog/cdp/execute", body)

    def console(self) -> list[str]:
        return [entry["message"] for entry in self._call("POST", f"{self.session}/se/log", {"type": "browser"})]

    def requests(self) -> list[str]:
        """Addresses that pages asked for since the last call."""
        entries = self._call("POST", f"{self.session}/se/log", {"type": "performance"})
        events = [json.loads(entry["message"])["message"] for entry in entries]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]

    def close(self) -> None:
        self._call("DELETE", self.session)


@pytest.fixture(scope="session")
def open_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Browser]]:
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("needs the Debian packages chromium and chromium-driver")
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
    browsers: list[Browser] = []
    try:
        assert driver.stdout is not None
        port = next(found[1] for line in driver.stdout if (found := re.search(r"successfully on port (\d+)", line)))

        def opened(dark: bool = False) -> Browser:
            profile = tmp_path_factory.mktemp("profile")
            browsers.append(Browser(f"http://127.0.0.1:{port}", dark, profile))
            return browsers[-1]

        yield opened
    finally:
        for browser in browsers:
            browser.close()
        driver.terminate()
        driver.communicate()


@pytest.fixture(scope="session")
def browser(open_browser: Callable[..., Browser]) -> Browser:
    return open_browser()


@pytest.fixture(scope="session")
def evaluation() -> Callable[..., Evaluated]:
    """Return the data of a report on some runs, which are their own reference runs."""

    def make(names: tuple[str, ...], n_topics: int = 12, baseline: int | None = 0, **sources: Any) -> Evaluated:
        rng = np.random.default_rng(len(names))
        ease, quality = rng.normal(size=(n_topics, 1)), rng.normal(size=(len(names), 1, 1))
        values = 1 / (1 + np.exp(-(ease + quality + rng.normal(size=(len(names), n_topics, 2)))))
        topics = tuple(sorted(str(i) for i in range(1, n_topics + 1)))
        table = ScoreTable(names, topics, ("map", "P_10"), values)
        files = tuple(f"{i}.run" for i in range(len(names)))
        given = Sources(**{"command": "stdeval report q r", "qrels": "q", "runs": files, "factors": ()} | sources)
        main = values[:, :, 0]
        n = (len(names), len(names))
        references = References(main.mean(axis=0), main.std(axis=0, ddof=1), n_topics, n)
        return Evaluated(
            table,
            standardize(table),
            "N",
            references,
            given,
            baseline,
            design=Design(correction="default", n_resamples=500),
        )

    return make


@pytest.fixture(scope="session")
def with_gaps() -> Callable[..., Evaluated]:
    """Return the data of a report in which runs lack topics."""

    def make(evaluated: Evaluated, gaps: dict[int, slice], **changes: Any) -> Evaluated:
        values = evaluated.raw.values.copy()
        for run, topics in gaps.items():
            values[run, topics] = np.nan
        raw = replace(evaluated.raw, values=values)
        return replace(evaluated, raw=raw, standardized=standardize(raw), **changes)

    return make
