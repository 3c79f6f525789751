"""A real browser, Debian's chromium-headless-shell, by its DevTools protocol."""
import base64
import json
import os
import re
import signal
import subprocess
import urllib.request

import websocket

from lib import LIMIT

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
        "/": 191}


class Browser:
    def __init__(self, folder, width, height):
        self.child = subprocess.Popen(
            ["chromium-headless-shell", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
             "--remote-allow-origins=*", "--user-data-dir=" + folder, "--window-size=%d,%d" % (width, height),
             "about:blank"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        port = None
        while port is None:
            found = re.search(r"127\.0\.0\.1:(\d+)/", self.child.stderr.readline())
            port = found and found.group(1)
        with urllib.request.urlopen("http://127.0.0.1:%s/json" % port) as answer:
            page = [p for p in json.load(answer) if p["type"] == "page"][0]
        self.socket = websocket.create_connection(page["webSocketDebuggerUrl"], timeout=LIMIT)
        self.asked, self.problems = 0, []
        for domain in ("Runtime", "Log", "Page", "Network", "Accessibility"):
            self.ask(domain + ".enable")

    def ask(self, method, **params):
        self.asked += 1
        self.socket.send(json.dumps({"id": self.asked, "method": method, "params": params}))
        while True:
            said = json.loads(self.socket.recv())
            self.look_at(said)
            if said.get("id") == self.asked:
                assert "error" not in said, said
                return said["result"]

    def look_at(self, said):
        if said.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded",
                                  "Network.loadingFailed"):
            self.problems.append(said)

    def value(self, expression):
        return self.ask("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        """Debian's command is a script that starts several processes; they are a group of their own."""
        os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait(LIMIT)


def press(browser, key, code=None):
    for kind in ("keyDown", "keyUp"):
        browser.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=KEYS[key],
                    **({"text": key} if key == " " and kind == "keyDown" else {}))


def click(browser, x, y):
    for kind in ("mousePressed", "mouseReleased"):
        browser.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
