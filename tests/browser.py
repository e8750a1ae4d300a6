# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium for tests of the HTML report: opened, asked, clicked and photographed over its pipe (Chrome DevTools
Protocol), with nothing but Python's own library.

    with Browser.start() as browser:
        page = browser.open("/tmp/report.html", width=1280)
        page.evaluate("document.title")
        page.photograph("/tmp/report.png")
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ANSWER_SECONDS = 120
REPORT_READY = ("document.querySelector('#app > *') && "
                "(!document.querySelector('.flame') || document.querySelector('.flame').dataset.drawn === 'yes')")


def chromium():
    """Path of a Chromium, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, process, to, answers, profile):
        self.process, self.to, self.answers, self.profile = process, to, answers, profile
        self.rest, self.number, self.events = b"", 0, []

    @classmethod
    def start(cls):
        read_theirs, to = os.pipe()
        answers, write_theirs = os.pipe()
        profile = tempfile.mkdtemp(prefix="plumb-browser-")

        def pipes():
            # Apart first: 3 and 4 may be one of the ends.
            low, high = os.dup(read_theirs), os.dup(write_theirs)
            os.dup2(low, 3)
            os.dup2(high, 4)
        process = subprocess.Popen(
            [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--hide-scrollbars", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=pipes, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": profile})
        os.close(read_theirs)
        os.close(write_theirs)
        return cls(process, to, answers, profile)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("Browser.close")
        except (OSError, RuntimeError, TimeoutError):
            pass
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self, until):
        while b"\0" not in self.rest:
            if not select.select([self.answers], [], [], max(0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser doesn't answer")
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise RuntimeError("the browser ended")
            self.rest += piece
        whole, _, self.rest = self.rest.partition(b"\0")
        return json.loads(whole)

    def ask(self, method, session=None, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
        os.write(self.to, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            said = self.message(until)
            if said.get("id") == request["id"]:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                return said["result"]
            if "method" in said:
                self.events.append(said)

    def open(self, path, width=1280, height=900, dark=False, phone=False, before=None, ready=REPORT_READY):
        """A page that has drawn its flame graph to the end, or has none. before: a script that runs before its own; ready: what is true once it is drawn."""
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        page = Page(self, self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"], target)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.ask(f"{domain}.enable")
        page.size(width, height, phone)
        page.scheme(dark)
        page.ask("Emulation.setFocusEmulationEnabled", enabled=True)  # what is typed arrives, whichever page is in front
        if before:
            page.ask("Page.addScriptToEvaluateOnNewDocument", source=before)
        page.ask("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        page.wait(f"document.readyState === 'complete' && {ready}")
        page.settle()
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def ask(self, method, **parameters):
        return self.browser.ask(method, session=self.session, **parameters)

    def size(self, width, height=900, phone=False):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def scheme(self, dark):
        """Light or dark; and nothing scrolls smoothly, or it would pass by below what clicks."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                                                         {"name": "prefers-reduced-motion", "value": "reduce"}])

    def evaluate(self, script):
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition, seconds=60):
        until = time.monotonic() + seconds
        while not self.evaluate(f"!!({condition})"):
            if time.monotonic() > until:
                raise TimeoutError(condition)
            time.sleep(0.03)

    def settle(self):
        """Wait until what moves has arrived: d3 leaves a mark on each element while it has something to do there."""
        self.wait("document.getAnimations().every((one) => one.playState !== 'running') && "
                  "[...document.querySelectorAll('svg, svg *')].every((one) => !one.__transition)")

    def key(self, name):
        text = "\r" if name == "Enter" else name if len(name) == 1 else None
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, **({"text": text} if text and kind == "keyDown" else {}))

    def write(self, text):
        self.ask("Input.insertText", text=text)

    def click(self, element):
        """Click in the middle of an element, given as a script, where it is when all stands still; then move the pointer
        away, or what lies below it later would be pointed at."""
        self.settle()
        x, y = self.evaluate(f"""(() => {{
            const one = {element};
            one.scrollIntoView({{block: 'center', behavior: 'instant'}});
            const box = one.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
            if (!one.contains(document.elementFromPoint(x, y))) throw new Error(`covered by ${{document.elementFromPoint(x, y)?.outerHTML}}`);
            return [x, y];
        }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=0, y=0)

    def complaints(self):
        """What its console says: errors, exceptions, and anything asked of a network."""
        self.evaluate("0")  # what was said before has come by now
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            method, params = event["method"], event["params"]
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(params["exceptionDetails"])[:600])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(json.dumps(params["args"])[:600])
            elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:", "about:")):
                found.append("asked for " + params["request"]["url"])
        return found

    def photograph(self, path, whole=False, selector=None, scale=1):
        clip = None
        self.ask("Page.bringToFront")  # a page behind another isn't drawn, and what moves on it stands still
        self.settle()
        if selector:
            clip = self.evaluate(f"(() => {{ const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                                 " return {x: box.x + scrollX, y: box.y + scrollY, width: box.width, height: box.height}; })()")
        elif whole:
            clip = self.evaluate("({x: 0, y: 0, width: document.documentElement.clientWidth, height: document.documentElement.scrollHeight})")
        options = {"clip": {**clip, "scale": scale}, "captureBeyondViewport": True} if clip else {}
        pathlib.Path(path).write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png", **options)["data"]))
