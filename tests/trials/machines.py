# SPDX-License-Identifier: GPL-3.0-or-later
"""coachwhip on other compilers, processors, machines and Pythons, by hand: `machines.py [--only NAME]... [--folder DIR]`.

`--only` takes a name of MACHINES: without it all are tried, one after the other. Everything is built and kept in DIR (default:
coachwhip-machines in the folder for temporary files), where a second run finds the installed systems again. What they
answer is compared with the coachwhip of this Python, which must be built from this checkout. A machine whose programs are missing is
left out. Prints what it does on stderr and one JSON object: machine, step, result with the command and its seconds. Exit code 1 if
something differs or fails. DIR can be removed at any time: nothing stays mounted.

The installed systems are Debian's, made by mmdebstrap as root, which downloads some 60 MB for each. Programs for other processors run
under qemu-user, which the kernel starts for them in a name space that only they see.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
from coachwhip.core import levels
from places import ROOT, copy_checkout

DEPTH = "7"  # of the benches under an emulator, which is slow
SHALLOW = "4"  # the same for processors, of which there are many
LEAVES = {"4": 197281, "5": 4865609}  # of the start position
SESSION = "uci\nisready\nposition startpos moves e2e4\ngo nodes 3000\n"  # to its end: nothing stops the search
LIMIT = 900.0  # seconds for one step
OLDEST = (3, 10)
BINFMT = Path("/usr/lib/binfmt.d")  # of Debian's qemu-user-static
COMPILED = ROOT / "build" / "release"  # the generated C of the checkout
NETWORKED = ("PIP_CERT", "PIP_INDEX_URL", "http_proxy", "https_proxy")  # how pip reaches a package index from here
MODULE = [sys.executable, "-m", "coachwhip"]

# A model of qemu-x86_64 -> the level that it should get.
PROCESSORS = {
    "core2duo": "baseline",
    "Nehalem": "baseline",
    "SandyBridge": "baseline",
    "Haswell": "pext",
    "EPYC-Rome": "avx2",
    "EPYC-Milan": "pext",
}

# Suite and packages of the systems. The first ones run no program of their own while they are installed, so they need the basics by name.
FOREIGN = ("bookworm", "base-files,base-passwd,coreutils,dash,python3-venv,libpython3-dev,python3-numpy")
SUITES = {"python-3.9": ("bullseye", "python3"), "python-3.13": ("trixie", "python3"), "python-3.15": ("sid", "python3.15")}
PURE = ["chess", "iniconfig", "packaging", "pluggy", "pygments", "pytest"]  # wheels without compiled modules
TESTS = ["tests/core/test_recorded.py", "tests/core/test_network.py", "tests/uci/test_robustness.py"]
NOT_EMULATED = ["tests/core/test_network.py::test_threads_share_one_network"]  # the process it measures is qemu's
# The part of PC/pyconfig.h that Python's other headers read when a 64-bit Windows Python's modules are compiled.
WINDOWS_CONFIG = """
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define NT_THREADS 1
#define WITH_THREAD 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_FPOS_T 8
#define SIZEOF_DOUBLE 8
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 8
#define HAVE_STDDEF_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SSIZE_T 1
"""
# In name spaces of its own: "$1" the system's folder, "$2" what the emulator is called, "" for none; then the command.
ENTER = """
folder=$1 emulator=$2
shift 2
mkdir -p "$folder/proc" "$folder/dev" "$folder/tmp" "$folder/root"
mount -t proc proc "$folder/proc"
mount --rbind /dev "$folder/dev"
if [ -n "$emulator" ]; then
  mount -t binfmt_misc none "$folder/proc/sys/fs/binfmt_misc"
  grep ^: "$emulator" > "$folder/proc/sys/fs/binfmt_misc/register"
fi
exec chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
"""


class LeftOut(Exception):
    """Why a machine cannot be tried here."""


class Failed(Exception):
    """What a step did other than it should."""


class Machine:
    """The steps of one machine, each a command; what they did is in `steps`."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.steps: dict[str, dict[str, object]] = {}

    def step(
        self,
        name: str,
        command: Sequence[str],
        judge: Callable[[str], str],
        *,
        code: int = 0,
        text: str = "",
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> str:
        """Run a command; `judge` says the result in a few words, or raises Failed. `code`: the exit code expected. Returns the output."""
        print(f"{self.name}: {name}", file=sys.stderr, flush=True)
        begin = time.monotonic()
        try:
            done = subprocess.run(
                command,
                input=text,
                cwd=cwd,
                env={**environment(), **(env or {})},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
                timeout=LIMIT,
            )
            if done.returncode != code:
                raise Failed(f"exit code {done.returncode} instead of {code}: {done.stdout[-2000:]}")
            result, failed = judge(done.stdout), ""
        except subprocess.TimeoutExpired:
            result = failed = f"took longer than {LIMIT:.0f} seconds"
        except Failed as problem:
            result = failed = str(problem)
        variables = [f"{variable}={value}" for variable, value in (env or {}).items()]
        self.steps[name] = {
            "result": result,
            "seconds": round(time.monotonic() - begin, 1),
            "command": shlex.join([*variables, *command]),
        }
        print(f"{self.name}: {name}: {result}", file=sys.stderr, flush=True)
        if failed:
            raise Failed(f"{name}: {failed}")
        return done.stdout


def environment() -> dict[str, str]:
    """This process's environment, without what other Pythons must not see."""
    return {
        name: value for name, value in os.environ.items() if name not in ("PYTHONUNBUFFERED", "PYTHONPATH", "COACHWHIP_LEVEL")
    }


def require(*programs: str) -> None:
    """Leave the machine out if a program is missing."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing:
        raise LeftOut(f"not installed: {', '.join(missing)}")


@cache
def here(*words: str) -> str:
    """What this Python's coachwhip prints."""
    return subprocess.run([*MODULE, *words], env=environment(), cwd=ROOT, capture_output=True, text=True, check=True).stdout


def last_line(output: str) -> str:
    """For steps that only must succeed."""
    return (output.strip().splitlines() or [""])[-1]


def whole(output: str) -> str:
    """For short answers."""
    return output.strip()


def nodes(output: str) -> str:
    """The nodes that bench counts."""
    found = re.search(r"^(\d+) nodes (\d+) nps$", output, re.MULTILINE)
    if not found:
        raise Failed(f"bench prints no nodes: {output[-2000:]}")
    return found[1]


def same_nodes(output: str, *depth: str) -> str:
    """Judge of `bench`: as many nodes as here."""
    found, expected = nodes(output), nodes(here("bench", *depth))
    if found != expected:
        raise Failed(f"{found} nodes, and here {expected}")
    return f"{found} nodes, as here"


def same_leaves(output: str, depth: str) -> str:
    """Judge of `perft`."""
    if f"Nodes searched: {LEAVES[depth]}" not in output.splitlines():
        raise Failed(f"perft {depth} does not count {LEAVES[depth]}: {output}")
    return f"{LEAVES[depth]} leaves"


def same_text(output: str, *words: str) -> str:
    """Judge of a command whose answer is the same everywhere."""
    if output != here(*words):
        raise Failed(f"{output}\nand here\n{here(*words)}")
    return f"{len(output.splitlines())} lines, the same as here"


def expect(*texts: str) -> Callable[[str], str]:
    """A judge of messages that looks for these texts."""
    return lambda output: contains(output, *texts)


def contains(output: str, *expected: str) -> str:
    """The first line with each of these texts."""
    lines = [next((line.strip() for line in output.splitlines() if text in line), "") for text in expected]
    if not all(lines):
        raise Failed(f"expected {' and '.join(map(repr, expected))}: {output[-2000:]}")
    return "; ".join(lines)


def session(output: str) -> str:
    """Judge of SESSION."""
    return contains(output, "uciok", "readyok", "bestmove ")


def plays(
    machine: Machine, engine: Sequence[str], *, depth: Sequence[str] = (), leaves: str = "5", cwd: Path | None = None
) -> None:
    """What every machine must do: name its compiler, search and count as here."""
    machine.step("compiler", [*engine, "compiler"], whole, cwd=cwd)
    machine.step("bench", [*engine, "bench", *depth], lambda output: same_nodes(output, *depth), cwd=cwd)
    machine.step("perft", [*engine, "perft", leaves, "--no-divide"], lambda output: same_leaves(output, leaves), cwd=cwd)


# --- Compilers ---


def build_in_place(machine: Machine, **variables: str) -> Path:
    """Build a copy of the checkout in place; returns its folder."""
    tree = copy_checkout(machine.folder / "coachwhip")
    command = [sys.executable, "setup.py", "build_ext", "--inplace"]
    machine.step("build", command, lambda output: f"{output.count('Compiling')} files translated", cwd=tree, env=variables)
    return tree


def clang(machine: Machine) -> None:
    """A build for this processor with clang."""
    require("clang")
    tree = build_in_place(machine, CC="clang")
    plays(machine, MODULE, cwd=tree)
    contains(str(machine.steps["compiler"]["result"]), "clang ")


def windows(machine: Machine) -> None:
    """All generated C files through the compiler for Windows, at the levels baseline and avx2."""
    require("x86_64-w64-mingw32-gcc")
    headers = windows_headers(machine.folder / "include")
    sources = sorted(map(str, COMPILED.rglob("*.c")))
    if len(sources) < len(list((ROOT / "core").rglob("*.pyx"))):
        raise Failed("the generated C is not complete: first python3 setup.py build_ext --inplace")
    count = f"{len(sources)} files without a warning"
    for level, flags in (("baseline", []), ("avx2", [f"-m{feature}" for feature in levels.LEVELS["avx2"]])):
        compiler = ["x86_64-w64-mingw32-gcc", "-fsyntax-only", "-Wall", "-Wno-unused-function", "-Werror", f"-I{headers}", *flags]
        loop = f'for source; do {shlex.join(compiler)} "$source" || exit; done'
        machine.step(level, ["sh", "-c", loop, "sh", *sources], lambda _: count)


def windows_headers(folder: Path) -> Path:
    """This Python's header files, with the configuration of one on Windows."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(sysconfig.get_path("include"), folder)
    (folder / "pyconfig.h").write_text(WINDOWS_CONFIG, encoding="ascii")
    return folder


# --- Processors of this architecture ---


def processors(machine: Machine) -> None:
    """A build with all levels on processors of qemu: each takes its level; the checkout's own build is refused on the oldest."""
    require("qemu-x86_64-static")
    tree = build_in_place(machine, COACHWHIP_ARCH="levels")
    for model, level in PROCESSORS.items():
        emulated = ["qemu-x86_64-static", "-cpu", model, *MODULE]
        machine.step(f"{model}: level", [*emulated, "compiler"], expect(f", level {level}, "), cwd=tree)
        machine.step(f"{model}: bench", [*emulated, "bench", SHALLOW], lambda output: same_nodes(output, SHALLOW), cwd=tree)
    if ", level native, " not in here("compiler"):
        raise LeftOut(
            "the coachwhip here is not built for this processor alone, so that one step is missing: a native build is refused"
        )
    oldest = ["qemu-x86_64-static", "-cpu", next(iter(PROCESSORS)), *MODULE, "bench", SHALLOW]
    machine.step("a native build is refused", oldest, refused, code=1, cwd=ROOT)


def refused(output: str) -> str:
    """Judge of a build that was made for a better processor. qemu also warns of what it does not emulate."""
    lines = [line for line in output.splitlines() if not line.startswith("qemu-x86_64-static: warning:")]
    if len(lines) != 1 or "was built for another processor, and this one lacks" not in lines[0]:
        raise Failed(f"expected one sentence: {lines}")
    return lines[0]


# --- Installed systems ---


def install_system(machine: Machine, suite: str, packages: str, *, architecture: str = "amd64", variant: str = "minbase") -> Path:
    """Install a Debian in the folder of the machine, unless it is there; returns its root."""
    require("mmdebstrap", "unshare", "chroot")
    if os.geteuid() != 0:
        raise LeftOut("only root installs a system")
    root, complete = machine.folder / "root", machine.folder / "complete"
    if not complete.exists():
        shutil.rmtree(root, ignore_errors=True)
        options = ["--quiet", f"--variant={variant}", f"--arch={architecture}", f"--include={packages}"]
        options.append(
            '--aptopt=Acquire::Check-Valid-Until "false"'
        )  # a mirror that lags has Pythons too; signatures are checked
        if variant == "extract":
            options.append("--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr")
        machine.step("system", ["mmdebstrap", *options, suite, str(root)], lambda _: f"Debian {suite} for {architecture}")
        complete.touch()
    return root


def inside(root: Path, *command: str, emulator: str = "", variables: Mapping[str, str] | None = None) -> list[str]:
    """The command line that runs a command in an installed system; what it mounts goes when it ends. `variables`: its environment."""
    register = str(BINFMT / f"qemu-{emulator}.conf") if emulator else ""
    spaces = "unshare --user --map-root-user --mount --pid --fork --kill-child sh -euc".split()
    given = [f"{name}={value}" for name, value in (variables or {}).items()]
    return [*spaces, ENTER, "sh", str(root), register, *given, *command]


def emulated(machine: Machine, *, debian: str, gnu: str) -> None:
    """Another architecture: a wheel from a cross compiler, installed and tried under qemu. The names are Debian's and GNU's."""
    compiler = f"{gnu}-linux-gnu-gcc"
    require(compiler, f"qemu-{gnu}-static")
    suite, packages = FOREIGN
    root = install_system(machine, suite, packages, architecture=debian, variant="extract")
    wheels = root / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    cross_build(machine, root, gnu, wheels)
    get = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(wheels), *PURE]
    machine.step("packages", get, last_line)
    run = partial(inside, root, emulator=gnu)
    venv = "test -e /venv || python3 -m venv --system-site-packages /venv; "
    install = "exec /venv/bin/pip install --quiet --no-index --no-deps --force-reinstall /wheels/*.whl"
    machine.step("install", run("sh", "-euc", venv + install), lambda _: "installed")
    engine = run("/venv/bin/coachwhip")
    plays(machine, engine, depth=[DEPTH], leaves="4")
    machine.step("UCI session", engine, session, text=SESSION)
    machine.step("eval", [*engine, "eval"], lambda output: same_text(output, "eval"))
    emulated_tests(machine, root, gnu)


def cross_build(machine: Machine, root: Path, gnu: str, wheels: Path) -> None:
    """A wheel for the Python of the system, compiled here with its headers and its sysconfig data."""
    tree = copy_checkout(machine.folder / "coachwhip")
    (data,) = (root / "usr/lib").glob(f"python3.*/_sysconfigdata__{gnu}-linux-gnu.py")
    version = data.parent.name
    if version != f"python{sys.version_info.major}.{sys.version_info.minor}":
        raise LeftOut(f"a wheel for {version} needs this Python to be the same version")
    beside = machine.folder / "sysconfig"
    beside.mkdir(exist_ok=True)
    shutil.copy(data, beside)
    compiler = f"{gnu}-linux-gnu-gcc"
    variables = {
        "COACHWHIP_ARCH": "levels",
        "PYTHONPATH": str(beside),
        "_PYTHON_SYSCONFIGDATA_NAME": data.stem,
        "_PYTHON_HOST_PLATFORM": f"linux-{gnu}",
        "CC": compiler,
        "LDSHARED": f"{compiler} -shared",
        "CFLAGS": f"-I{root}/usr/include/{version} -idirafter {root}/usr/include",
    }
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels), "."]
    machine.step("wheel", command, lambda _: ", ".join(path.name for path in wheels.glob("*.whl")), cwd=tree, env=variables)


def emulated_tests(machine: Machine, root: Path, gnu: str) -> None:
    """Tests of the core and of hostile input. The checkout there has no package, so that the tests take the installed one."""
    place = root / "coachwhip"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(ROOT / "tests", place / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", place)
    libraries = f"/usr/lib/{gnu}-linux-gnu"
    (packages,) = (root / "venv/lib").glob("python3.*/site-packages")
    variables = {
        "LD_LIBRARY_PATH": f"{libraries}/blas:{libraries}/lapack",  # where Debian's numpy has them before a system is configured
        "PYTHONPATH": f"/{packages.relative_to(root)}",  # for tests that start Python without site-packages
    }
    for test in TESTS:
        unwanted = [f"--deselect={name}" for name in NOT_EMULATED if name.startswith(test)]
        pytest = f"cd /coachwhip && exec /venv/bin/python -m pytest -q -p no:cacheprovider {shlex.join([*unwanted, test])}"
        machine.step(Path(test).stem, inside(root, "sh", "-c", pytest, emulator=gnu, variables=variables), last_line)


# --- Pythons ---


def readme_command(python: str) -> str:
    """The first command of README.md, with this Python."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command = next(re.finditer(r"^python3 -m venv [.]venv && .*$", text, re.MULTILINE))[0]
    return command.replace("python3", shlex.quote(python), 1)


def python_of_suite(machine: Machine, *, suite: str, python: str) -> None:
    """README.md's first command in a Debian with another Python."""
    extra = "python3-dev,python3-venv" + (f",{python}-dev,{python}-venv" if python != "python3" else "")
    root = install_system(machine, suite, f"gcc,ca-certificates,{extra}")
    copy_checkout(root / "coachwhip")
    shutil.copy("/etc/resolv.conf", root / "etc")
    variables = {name: os.environ[name] for name in NETWORKED if name in os.environ}
    if "PIP_CERT" in variables:
        shutil.copy(variables["PIP_CERT"], root / "root")
        variables["PIP_CERT"] = f"/root/{Path(variables['PIP_CERT']).name}"

    def run(command: str) -> list[str]:
        return inside(root, "sh", "-c", f"cd /coachwhip && {command}", variables=variables)

    try_python(machine, python, run)


def pythons(machine: Machine) -> None:
    """The same here, with the first Python of each version that pyenv or the PATH has."""
    tree = machine.folder / "coachwhip"
    count = 0
    for name, python in pythons_here():
        single = Machine(name, machine.folder)
        copy_checkout(tree)
        try:
            try_python(single, python, lambda command: ["sh", "-c", f"cd {shlex.quote(str(tree))} && {command}"])
        finally:
            machine.steps |= {f"{name}: {step}": result for step, result in single.steps.items()}
        count += 1
    if not count:
        raise LeftOut("no other Python here")


def pythons_here() -> Iterator[tuple[str, str]]:
    """Name and file of each Python 3 from 3.9 on that has a version of its own."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    for minor in range(9, 30):
        inside_pyenv = sorted(map(str, versions.glob(f"3.{minor}.*/bin/python3")))
        for python in [*inside_pyenv, f"python3.{minor}"]:
            if (
                shutil.which(python)
                and not subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True, check=False).returncode
            ):
                yield f"python3.{minor}", python
                break


def try_python(machine: Machine, python: str, run: Callable[[str], list[str]]) -> None:
    """README.md's first command and bench; pip must refuse an older Python than the oldest."""
    version = machine.step("version", run(f"{python} -c 'import sys; print(sys.version)'"), whole)
    major, minor = map(int, re.findall(r"\d+", version)[:2])
    if (major, minor) < OLDEST:
        machine.step("pip refuses", run(readme_command(python)), expect(f"{OLDEST[0]}.{OLDEST[1]}"), code=1)
        return
    machine.step("README.md's command", run(readme_command(python)), expect("bestmove "))
    machine.step("compiler", run(".venv/bin/coachwhip compiler"), whole)
    machine.step("bench", run(".venv/bin/coachwhip bench"), same_nodes)


MACHINES: dict[str, Callable[[Machine], None]] = {
    "clang": clang,
    "windows": windows,
    "processors": processors,
    "aarch64": partial(emulated, debian="arm64", gnu="aarch64"),
    "s390x": partial(emulated, debian="s390x", gnu="s390x"),  # big-endian
    "pythons": pythons,
    **{name: partial(python_of_suite, suite=suite, python=python) for name, (suite, python) in SUITES.items()},
}


def attempt(name: str, folder: Path) -> tuple[str, dict[str, dict[str, object]]]:
    """Try one machine: a word on the result, and its steps."""
    machine = Machine(name, folder)
    try:
        MACHINES[name](machine)
    except LeftOut as reason:
        result = f"left out: {reason}"
    except Failed as problem:
        result = f"failed: {problem}"
    else:
        result = "passed"
    print(f"{name}: {result}", file=sys.stderr, flush=True)
    return result, machine.steps


def main() -> int:
    """Try the machines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--only", action="append", choices=MACHINES, metavar="NAME", help=f"one of {', '.join(MACHINES)}; may be repeated"
    )
    default = Path(tempfile.gettempdir(), "coachwhip-machines")
    parser.add_argument(
        "--folder", type=Path, default=default, metavar="DIR", help=f"where it builds, and keeps systems (default {default})"
    )
    args = parser.parse_args()
    folder = args.folder.resolve()
    if folder.is_relative_to(ROOT):
        parser.error(f"{folder} is in the checkout, which is copied there")
    found = {}
    for name in args.only or MACHINES:
        result, steps = attempt(name, folder)
        found[name] = {"result": result, "steps": steps}
    print(json.dumps(found, indent=1))
    return int(any(machine["result"].startswith("failed") for machine in found.values()))  # type: ignore[attr-defined]


if __name__ == "__main__":
    sys.exit(main())
