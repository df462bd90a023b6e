"""Drives headless Chromium over its DevTools pipe, which needs no other package than Chromium.

    with Browser() as browser:
        browser.open("/tmp/page.html", width=1600, height=900)
        browser.evaluate("document.title")
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import base64

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "headless_shell")


def find():
    """Chromium's path, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    def __init__(self, arguments=()):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        from_us, self.out = os.pipe()
        self.incoming, to_us = os.pipe()
        # Chromium reads commands from descriptor 3 and writes to 4. In a container it cannot make a sandbox as root.
        command = [find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu",
                   "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
                   f"--user-data-dir={self.folder.name}", *arguments]
        shell = ["sh", "-c", f'exec "$@" 3<&{from_us} 4>&{to_us}', "sh", *command]
        self.process = subprocess.Popen(shell, pass_fds=(from_us, to_us), stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.rest, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.out)
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.incoming)
        self.folder.cleanup()

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.incoming, 1 << 16)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.out, text):]
        while True:
            reply = self.read()
            if reply.get("id") != self.number:
                self.events.append(reply)
            elif "error" in reply:
                raise RuntimeError(f"{method}: {reply['error']['message']}")
            else:
                return reply["result"]

    def wait_for(self, event):
        while not any(seen.get("method") == event for seen in self.events):
            self.events.append(self.read())

    def open(self, path, width=1600, height=900, dark=False, fragment=""):
        """Opens a file. `fragment` is the part of the address after the path, as #state."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.events.clear()
        self.call("Page.navigate", url="about:blank")  # so that another fragment loads anew
        self.wait_for("Page.loadEventFired")
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri() + fragment)
        self.wait_for("Page.loadEventFired")

    def requests(self):
        """The addresses that the page has requested since it was opened."""
        self.evaluate("0")  # receives events
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def errors(self):
        """The texts of exceptions that no script has caught."""
        self.evaluate("0")
        return [event["params"]["exceptionDetails"].get("exception", {}).get("description", "exception")
                for event in self.events if event.get("method") == "Runtime.exceptionThrown"]

    def evaluate(self, script):
        """The value of an expression, which may be a promise."""
        reply = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            raise RuntimeError(reply["exceptionDetails"].get("exception", {}).get("description", script))
        return reply["result"].get("value")

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x, y, button="none"):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button=button)

    def drag(self, x, y, to_x, to_y):
        self.move(x, y)
        self.call("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for step in range(1, 5):
            self.move(x + (to_x - x) * step / 4, y + (to_y - y) * step / 4, "left")
        self.call("Input.dispatchMouseEvent", type="mouseReleased", x=to_x, y=to_y, button="left", clickCount=1)

    def key(self, key):
        text = key if len(key) == 1 else ""
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def picture(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


if __name__ == "__main__":  # whether there is a browser
    sys.exit(print(find()) if find() else "browser.py: Chromium is not installed")
