# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages in a headless Chromium, for tests marked `@pytest.mark.needs_program(CHROMIUM)`."""

import html
import json
import re
import subprocess
from pathlib import Path

from programs import CHROMIUM, program

PHONE, DESK = 360, 1280  # widths in CSS pixels
# Runs next to the page, not in it: the page's own policy stays in force.
MEASURE = """
<script>
addEventListener("load", () => setTimeout(() => {
  const page = document.getElementById("page").contentDocument, root = page.documentElement;
  const shown = [...page.images].filter((each) => each.complete && each.naturalWidth).length;
  const style = page.defaultView.getComputedStyle(page.body);
  const found = { page: root.scrollWidth, view: root.clientWidth, images: shown, ground: style.backgroundColor, ink: style.color };
  const dump = document.createElement("pre");
  dump.id = "measured";
  dump.textContent = JSON.stringify(found);
  document.body.append(dump);
}, 300));
</script>
"""


def browse(page: str, folder: Path, *words: str) -> str:
    """The page's DOM after its scripts have run; `words` are further options of Chromium."""
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    command = [program(CHROMIUM), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += [*words, "--virtual-time-budget=5000", "--dump-dom", path.as_uri()]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=120).stdout


def measured(page: str, folder: Path, width: int, *, dark: bool = False) -> dict[str, object]:
    """How the page is laid out in a frame of this width, in pixels.

    `page` and `view` are equal unless the page scrolls sideways; `images` counts those shown; `ground` and `ink` are the body's colours.
    """
    frame = f'<iframe id="page" style="width: {width}px; height: 800px; border: 0" srcdoc="{html.escape(page)}"></iframe>'
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    dom = browse(f"<!doctype html><meta charset=utf-8><body>{frame}{MEASURE}</body>", folder, scheme)
    (text,) = re.findall(r'<pre id="measured">(.*?)</pre>', dom)
    found: dict[str, object] = json.loads(html.unescape(text))
    return found
