"""Builds the wheel and tries it in a new environment on every Python from 3.11 that is on this machine.

One wheel serves them all: it uses only Python's stable interface (abi3). A Python counts as there if it is on the PATH
or among pyenv's versions, and starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
OLDEST = (3, 11)
TRY = """
import assay
result = assay.evaluate({"q1": {"d1": 2, "d2": 1}}, {"q1": ["d3", "d1"]}, ["rr", "recall"])
assert result.mean == {"rr": 0.5, "recall": 0.5}, result.mean
"""


def main() -> None:
    """Builds, tries, and ends with exit code 1 if some Python cannot use the wheel."""
    wheel = build()
    size = wheel.stat().st_size / 1e6
    print(f"built {wheel.relative_to(ROOT)} ({size:.1f} MB)", flush=True)
    tried = {version: attempt(python, wheel) for version, python in pythons().items()}
    for version, problem in tried.items():
        print(f"Python {version}: {problem or 'ok'}")
    if not tried:
        sys.exit("no Python from 3.11 found to try the wheel on")
    if any(tried.values()):
        sys.exit(1)


def build() -> Path:
    """The wheel, built by pip as an installation builds it; the compiler's output is shown."""
    before = set(DIST.glob("*.whl"))
    for old in before:
        old.unlink()
    run(sys.executable, "-m", "pip", "wheel", "--verbose", "--no-deps", "--wheel-dir", DIST, ROOT)
    (wheel,) = DIST.glob("assay-*-abi3-*.whl")
    return wheel


def pythons() -> dict[str, Path]:
    """One interpreter for each version from 3.11, the oldest first."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders += sorted(pyenv.glob("versions/*/bin"))
    found: dict[str, Path] = {}
    for folder in [Path(sys.executable).parent, *folders]:
        for python in sorted(folder.glob("python3*")):
            if version := version_of(python):
                found.setdefault(version, python)
    return dict(sorted(found.items(), key=lambda item: numbers(item[0])))


def version_of(python: Path) -> str | None:
    """Its version, such as 3.12; None if it does not start or is too old."""
    if not python.name.removeprefix("python3").removeprefix(".").isdigit() and python.name != "python3":
        return None
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        said = subprocess.run(
            [python, "-c", ask], capture_output=True, text=True, timeout=60, check=True
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
    return said if numbers(said) >= OLDEST else None


def numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def attempt(python: Path, wheel: Path) -> str | None:
    """What goes wrong with the wheel in a new environment of this Python; None if nothing does."""
    with tempfile.TemporaryDirectory() as folder:
        scripts = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        try:
            run(python, "-m", "venv", folder)
            run(scripts / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel)
            run(scripts / "python", "-c", TRY, cwd=folder)
            run(scripts / "assay", "demo", cwd=folder, stdout=subprocess.DEVNULL)
        except subprocess.CalledProcessError as error:
            return f"failed: {' '.join(str(part) for part in error.cmd[:4])} ended with exit code {error.returncode}"
    return None


def run(*command: object, **options: object) -> None:
    """Runs a command and shows its output."""
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


if __name__ == "__main__":
    main()
