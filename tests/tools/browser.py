# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages in a headless Chromium, for tests marked `@pytest.mark.needs_program(CHROMIUM)`."""

import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any

from programs import CHROMIUM, program

PHONE, DESK = 360, 1280  # widths in CSS pixels
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu")
PATIENCE = 60.0  # seconds
# ground and text
LIGHT, DARK = ["rgb(246, 245, 242)", "rgb(34, 33, 31)"], ["rgb(25, 24, 23)", "rgb(232, 229, 223)"]


class Tab:
    """A tab of a browser, for what a person does: real clicks, drags and keys."""

    def __init__(self, browser: "Browser", url: str, width: int, height: int, *, dark: bool) -> None:
        target = browser.send("", "Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self._browser = browser
        self._session = browser.send("", "Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        self.go(url)

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """Run a command of the DevTools protocol."""
        return self._browser.send(self._session, method, **params)

    def go(self, url: str) -> None:
        """Load a page."""
        self.send("Page.navigate", url=url)
        self.wait("document.readyState === 'complete' && location.href !== 'about:blank'")

    def value(self, script: str) -> Any:
        """The value of a JavaScript expression, or of its promise."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, script: str) -> Any:
        """The value of an expression as soon as it is true."""
        end = time.monotonic() + PATIENCE
        while not (value := self.value(script)):
            assert time.monotonic() < end, f"{script} stays {value}"
            time.sleep(0.02)
        return value

    def colours_if_it_fits(self) -> Any:
        """The colours of ground and text; nothing if the page scrolls sideways."""
        return self.value("""(() => {
            const root = document.documentElement, style = getComputedStyle(document.body);
            return root.scrollWidth === root.clientWidth && [style.backgroundColor, style.color];
        })()""")

    def click(self, *queries: str) -> None:
        """Click elements, one after the other."""
        for query in queries:
            self._mouse("mousePressed", *self._middle(query))
            self._mouse("mouseReleased", *self._middle(query))

    def drag(self, start: str, end: str) -> None:
        """Press the mouse on an element and release it on another one."""
        self._mouse("mousePressed", *self._middle(start))
        self._mouse("mouseMoved", *self._middle(end))
        self._mouse("mouseReleased", *self._middle(end))

    def _mouse(self, kind: str, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def _middle(self, query: str) -> tuple[float, float]:
        left, top, width, height = self.value(f"""(() => {{
            const element = document.querySelector({json.dumps(query)});
            element.scrollIntoView({{ block: "nearest" }});
            const box = element.getBoundingClientRect();
            if (!box.width) throw "it is hidden";
            return [box.x, box.y, box.width, box.height];
        }})()""")
        return left + width / 2, top + height / 2

    def type(self, text: str) -> None:
        """Write into the element that has the focus; `\\r` is Enter."""
        for sign in text:
            self.press({"\r": "Enter"}.get(sign, sign), text=sign)

    def press(self, key: str, **text: str) -> None:
        """Press a key, which may write a text."""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)


class Browser:
    """A headless Chromium that takes commands of the DevTools protocol on two pipes.

    They are JSON, each message ended by a zero byte.
    """

    def __init__(self, folder: Path) -> None:
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        os.set_inheritable(to_read, True)  # it may be 3 already

        def move_pipes() -> None:
            os.dup2(to_read, 3)
            os.dup2(to_write, 4)

        command = [
            program(CHROMIUM),
            *OPTIONS,
            "--remote-debugging-pipe",
            f"--user-data-dir={folder / 'profile'}",
        ]
        self._process = subprocess.Popen(
            command,
            preexec_fn=move_pipes,  # noqa: PLW1509 - only dup2
            close_fds=False,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._count, self._received = 0, b""

    def send(self, session: str, method: str, **params: Any) -> dict[str, Any]:
        """Run a command and return its result; events are ignored."""
        self._count += 1
        message = {
            "id": self._count,
            "method": method,
            "params": params,
            **({"sessionId": session} if session else {}),
        }
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            line, end, rest = self._received.partition(b"\0")
            if not end:
                assert select.select([self._read], [], [], PATIENCE)[0], "Chromium does not answer"
                self._received += os.read(self._read, 1 << 20)
                continue
            self._received, answer = rest, json.loads(line)
            if answer.get("id") == self._count:
                if "navigated" in str(answer.get("error")):
                    return {"result": {}}  # no value yet: the page is replaced by another one
                assert "error" not in answer, (method, answer)
                result: dict[str, Any] = answer["result"]
                return result

    def open(self, url: str, width: int = DESK, height: int = 800, *, dark: bool = False) -> Tab:
        """Open a page in a tab of its own."""
        return Tab(self, url, width, height, dark=dark)

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        self.send("", "Browser.close")
        self._process.wait(PATIENCE)
        os.close(self._write)
        os.close(self._read)
