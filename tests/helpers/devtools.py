"""A browser that is told what to do, over a pipe: pages of any width, clicks, keys, files, print.

Needs Chromium or Chrome, as :mod:`tests.helpers.browser`, and no library.
"""

import base64
import json
import os
import subprocess
import time
from contextlib import contextmanager

from tests.helpers.browser import BROWSER

__all__ = ["Tab", "browser_tab"]

_OPTIONS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe",
)  # fmt: skip


@contextmanager
def browser_tab(folder, page, *, width=1280, dark=False, is_framed=False):
    """Open a page; what it saves goes to the folder.

    Parameters
    ----------
    folder : Path
        For the page, the profile and what is saved.
    page : str
        The page.
    width : int, default=1280
        Of the window.
    dark : bool, default=False
        Whether the system is dark.
    is_framed : bool, default=False
        Whether the page is one with a frame, as notebooks show reports: the frame's then counts.
    """
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    to_read, to_browser = os.pipe()
    from_browser, to_write = os.pipe()
    command = ["bash", "-c", f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}', BROWSER, *_OPTIONS]
    command += [f"--user-data-dir={folder / 'profile'}"]
    log = open(folder / "browser.log", "wb")
    process = subprocess.Popen(
        command, pass_fds=(to_read, to_write), stdout=log, stderr=log, stdin=subprocess.DEVNULL
    )
    os.close(to_read)
    os.close(to_write)
    try:
        yield Tab(to_browser, from_browser, folder, path.as_uri(), width, dark, is_framed)
    finally:
        os.close(to_browser)
        process.terminate()
        process.wait(60)
        os.close(from_browser)
        log.close()


class Tab:
    """A page in a browser."""

    def __init__(self, write, read, folder, url, width, dark, is_framed):
        self._write, self._read, self._rest, self._last = write, read, b"", 0
        self.folder, self.errors, self._session = folder, [], None
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self._ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        self._ask("Page.enable")
        self._ask("Runtime.enable")
        size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
        self._ask("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._ask("Emulation.setEmulatedMedia", features=[scheme])
        # Asked of the browser, not of the page.
        behaviour = {"behavior": "allow", "downloadPath": str(folder), "eventsEnabled": False}
        self._ask("Browser.setDownloadBehavior", **behaviour)
        self._ask("Page.navigate", url=url)
        if is_framed:
            self.wait("document.querySelector('iframe') && document.readyState === 'complete'")
            self._enter_frame()
        self.wait("document.documentElement?.dataset.saving === 'ready'")

    def _enter_frame(self):
        """Go on in the frame, which has a process of its own since it is in a sandbox."""
        targets = self._ask("Target.getTargets")["targetInfos"]
        frame = next(one["targetId"] for one in targets if one["type"] == "iframe")
        attached = self._ask("Target.attachToTarget", targetId=frame, flatten=True)
        self._session = attached["sessionId"]
        self._ask("Runtime.enable")

    def _ask(self, method, **params):
        self._last += 1
        message = {"id": self._last, "method": method, "params": params}
        if self._session and not method.startswith(("Browser.", "Target.")):
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("method") == "Runtime.exceptionThrown":
                self.errors.append(answer["params"]["exceptionDetails"]["text"])
            if answer.get("method") == "Runtime.consoleAPICalled":
                if answer["params"]["type"] in ("error", "warning"):
                    self.errors.append(str(answer["params"]["args"]))
            if answer.get("id") == self._last:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]

    def _next(self):
        while b"\0" not in self._rest:
            piece = os.read(self._read, 1 << 20)
            assert piece, "the browser ended"
            self._rest += piece
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def run(self, script):
        """Return what an expression is, or becomes, in the page."""
        found = self._ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True,
            userGesture=True,
        )  # fmt: skip
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait(self, condition, seconds=120):
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({condition})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never: {condition}")
            time.sleep(0.05)

    def press(self, key):
        """Press a key and let it go."""
        text = {"text": "\r"} if key == "Enter" else {}
        code = {"Enter": 13, "Tab": 9}[key]
        for kind in ("keyDown", "keyUp"):
            self._ask(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key,
                windowsVirtualKeyCode=code, **(text if kind == "keyDown" else {}),
            )  # fmt: skip

    def saved(self, name, seconds=120):
        """Return the bytes of a file that the page saved."""
        path, end = self.folder / name, time.monotonic() + seconds
        while not (path.exists() and path.stat().st_size):
            there = sorted(one.name for one in self.folder.iterdir())
            if time.monotonic() > end:
                raise TimeoutError(f"{name} is not among {there}")
            time.sleep(0.05)
        size = -1
        while size != path.stat().st_size:
            size = path.stat().st_size
            time.sleep(0.1)
        return path.read_bytes()

    def printed(self):
        """Return the page as PDF."""
        found = self._ask("Page.printToPDF", printBackground=False, preferCSSPageSize=False)
        return base64.b64decode(found["data"])

    def picture(self):
        """Return what is seen as PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot")["data"])
