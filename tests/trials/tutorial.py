# SPDX-License-Identifier: GPL-3.0-or-later
"""The five steps of docs/learning.md, word by word, by hand: `tutorial.py [--folder DIR]`.

The network that they make must beat the terms: the lower end of the match's 95 % interval is above 0. The commands run in DIR with the
`coachwhip` of this Python; the same command again goes on with the games that are there. Prints one JSON object: the CPU
seconds of each command, the Elo, and the lines of the page that were not printed (other processors train another network); exit code 1
if the network does not win.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from places import ROOT

ELO = re.compile(r"^Elo (\S+) \+/- \S+ \[(\S+), \S+\] \(95 %", re.MULTILINE)


def blocks(section: str, kind: str) -> list[str]:
    """Return the lines of the blocks of this kind."""
    return "".join(re.findall(rf"^```{kind}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)).splitlines()


def main() -> int:
    """Run the commands of the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=Path("tutorial"), metavar="DIR", help="where it runs (default tutorial)")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "net.cwnet").unlink(missing_ok=True)
    section = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8").partition("## Five steps")[2].partition("\n## ")[0]
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    printed, seconds = "", {}
    for command in blocks(section, "sh"):
        print(command, file=sys.stderr, flush=True)
        begin = os.times()
        done = subprocess.run(
            command,
            shell=True,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        end = os.times()
        if done.returncode:
            sys.exit(f"exit code {done.returncode}: {done.stdout[-3000:]}")
        print(done.stdout, file=sys.stderr, flush=True)
        printed += done.stdout
        seconds[command] = round(end.children_user + end.children_system - begin.children_user - begin.children_system, 1)
    elo, lowest = map(float, ELO.findall(printed)[0])
    missing = [line for line in blocks(section, "text") if line not in printed.splitlines()]
    result = {"trial": "tutorial", "cpu_seconds": seconds, "elo": elo, "lowest": lowest, "not_printed": missing}
    print(json.dumps(result, indent=1))
    return int(lowest <= 0)


if __name__ == "__main__":
    sys.exit(main())
