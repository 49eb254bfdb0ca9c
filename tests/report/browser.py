# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium driven through its DevTools protocol on a pipe: open a page, run script, set the window, take a
picture.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time

from tests.common.there import there

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
WORDS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe", "--no-first-run",
)  # fmt: skip

# What the timeline of the viewer writes: text, where it begins and ends.
WRITTEN = """(() => {
  const pen = document.getElementById("lanes").getContext("2d"), found = [], write = pen.fillText;
  pen.fillText = (text, x, y) => {
    found.push([text, x, x + pen.measureText(text).width]);
    write.call(pen, text, x, y);
  };
  traceView.paint();
  delete pen.fillText;
  return found;
})()"""


class Browser:
    """One page of one browser, closed with the `with` block. timeout: seconds for each answer."""

    def __init__(self, folder, timeout=120):
        self._timeout, self._number, self._rest = timeout, 0, b""
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        self._in, self._out = ours_in, ours_out

        def pipes():  # the protocol's: 3 to read, 4 to write
            low, high = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(low, 3)
            os.dup2(high, 4)

        self._process = subprocess.Popen(
            [there(BROWSER), *WORDS, f"--user-data-dir={folder / 'profile'}", "about:blank"],
            close_fds=False,
            preexec_fn=pipes,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.errors = []
        self._session = None
        try:
            self._attach()
        except BaseException:
            self.__exit__()
            raise

    def _attach(self):
        target = self.send("Target.getTargets")["targetInfos"]
        page = next(one["targetId"] for one in target if one["type"] == "page")
        self._session = self.send("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def send(self, method, **params):
        """A command of the protocol; its result."""
        self._number += 1
        number = self._number
        text = {"id": number, "method": method, "params": params}
        if self._session:
            text["sessionId"] = self._session
        os.write(self._out, json.dumps(text).encode() + b"\0")
        end = time.monotonic() + self._timeout
        while True:
            said = self._next(end)
            if said.get("id") == number:
                assert "error" not in said, said
                return said["result"]
            if said.get("method") == "Runtime.exceptionThrown":
                self.errors.append(said["params"]["exceptionDetails"].get("exception", {}).get("description", "?"))
            if said.get("method") == "Log.entryAdded" and said["params"]["entry"]["level"] == "error":
                self.errors.append(said["params"]["entry"]["text"])

    def _next(self, end):
        while b"\0" not in self._rest:
            ready = select.select([self._in], [], [], max(end - time.monotonic(), 0))[0]
            piece = os.read(self._in, 1 << 20) if ready else b""
            assert piece, "the browser does not answer"
            self._rest += piece
        said, _, self._rest = self._rest.partition(b"\0")
        return json.loads(said)

    def window(self, width, height, dark=False):
        """Size of the window in CSS pixels; a narrow one is a phone."""
        self.send(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        value = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def script(self, enabled):
        """Whether pages opened from now on run scripts of their own."""
        self.send("Emulation.setScriptExecutionDisabled", value=not enabled)

    def open(self, path, place=""):
        """Load a page and wait until it is ready (or has failed)."""
        self.send("Page.navigate", url="about:blank")
        self.send("Page.navigate", url=path.as_uri() + place)

    def ready(self):
        """Wait for the viewer's own word that it is ready; the milliseconds that it took."""
        end = time.monotonic() + self._timeout
        while time.monotonic() < end:
            state = self.run("document.documentElement?.dataset.state || ''")
            if state:
                assert state == "ready", self.run("document.getElementById('trouble').textContent")
                return int(self.run("document.documentElement.dataset.ms"))
            time.sleep(0.02)
        raise AssertionError("the page is not ready")

    def run(self, text):
        """The value of an expression, a promise's when it has one."""
        result = self.send("Runtime.evaluate", expression=text, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def key(self, key, text=""):
        """Press and release a key."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path):
        """A PNG of the window."""
        path.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def memory(self):
        """Bytes of the script's heap, and of its arrays."""
        found = self.send("Runtime.getHeapUsage")
        return found["usedSize"] + found.get("backingStorageSize", 0)
