#!/usr/bin/env python3
"""Runs what the documentation shows. In every Markdown file of the project, a ```c block with `int main` is compiled against the library
and run, and a ```python block that imports mediasdk is run; each has 20 seconds, and as root a network of its own. A ```c block that includes
mediasdk/plugin.h, or names msdk_self, is part of a plugin, and is compiled: behind the file's first block with that include. A block without
these is prose, and is left alone.

    check_snippets.py [FILE.md ...]

Without files: README.md, every README.md of Bindings/, and all of Examples/ and docs/. From the environment: MSDK_LIB_DIR, the directory of
libmediasdk.so; MSDK_PLUGIN_DIR (its plugins/); CC (gcc)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from check_commands import own_network

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent>[ \t]*)```(?P<language>c|python)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ \t]*$", re.S | re.M)
PLUGIN = re.compile(r"#include <mediasdk/plugin\.h>")
PART = re.compile(r"\bmsdk_(self|result|frame)\b|#include <")
MARKER = {"c": re.compile(r"\bint main\b"), "python": re.compile(r"^\s*(import mediasdk|from mediasdk\b.* import)", re.M)}
SECONDS = 20


class Snippet(NamedTuple):
    file: Path
    line: int
    language: str
    body: str

    @property
    def place(self) -> str:
        return f"{self.file.relative_to(ROOT) if self.file.is_relative_to(ROOT) else self.file}:{self.line}"


def snippets(file: Path) -> list[Snippet]:
    text = file.read_text()
    found = []
    beginning = ""  # of the file's examples of plugins
    for match in FENCE.finditer(text):
        body = re.sub(rf"^{match['indent']}", "", match["body"], flags=re.M)
        if match["language"] == "c" and not MARKER["c"].search(body):
            begins = PLUGIN.search(body) is not None
            if begins or (beginning and PART.search(body)):
                found.append(Snippet(file, text.count("\n", 0, match.start()) + 1, "plugin", body if begins else beginning + body))
            beginning = beginning or (body if begins else "")
        elif MARKER[match["language"]].search(body):
            found.append(Snippet(file, text.count("\n", 0, match.start()) + 1, match["language"], body))
    return found


def environment(library: Path, work: Path) -> dict[str, str]:
    """Where the snippet finds the library, the plugins and the binding, and writes what it writes."""
    added = dict(os.environ)
    former = added.get("LD_LIBRARY_PATH")
    added["LD_LIBRARY_PATH"] = f"{library}:{former}" if former else str(library)
    added["MSDK_PLUGIN_PATH"] = os.environ.get("MSDK_PLUGIN_DIR", str(library / "plugins"))
    added["MEDIASDK_LIBRARY"] = str(library / "libmediasdk.so")
    binding = str(ROOT / "Bindings" / "Python")
    added["PYTHONPATH"] = f"{binding}:{added['PYTHONPATH']}" if added.get("PYTHONPATH") else binding
    added["TMPDIR"] = str(work)
    return added


def command(snippet: Snippet, library: Path, work: Path) -> list[str]:
    if snippet.language == "plugin":
        (work / "snippet.c").write_text(snippet.body)
        return [os.environ.get("CC", "gcc"), "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-Wl,-z,defs",
                f"-I{ROOT / 'Include'}", "snippet.c", "-o", "snippet.so", "-pthread"]
    if snippet.language == "python":
        script = work / "snippet.py"
        script.write_text(snippet.body)
        return [sys.executable, str(script)]
    source, program = work / "snippet.c", work / "snippet"
    source.write_text(snippet.body)
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'Include'}", f"-L{library}"]
    subprocess.run(
        [os.environ.get("CC", "gcc"), *flags, str(source), "-o", str(program), "-lmediasdk", "-lm", "-pthread"],
        check=True, capture_output=True, text=True, timeout=60)
    return [str(program)]


def run(snippet: Snippet, library: Path) -> str | None:
    """None when all went well, else what went wrong."""
    with tempfile.TemporaryDirectory() as directory:
        work = Path(directory)
        try:
            subprocess.run(
                command(snippet, library, work), check=True, capture_output=True, text=True, timeout=SECONDS, cwd=work,
                env=environment(library, work), stdin=subprocess.DEVNULL, preexec_fn=own_network)
        except subprocess.TimeoutExpired:
            return f"took longer than {SECONDS} s"
        except subprocess.CalledProcessError as error:
            return f"exit code {error.returncode}\n{error.stdout}{error.stderr}"
    return None


def main() -> int:
    library = Path(os.environ.get("MSDK_LIB_DIR", ".")).resolve()
    if not (library / "libmediasdk.so").exists():
        print(f"check_snippets: there is no libmediasdk.so in {library}; MSDK_LIB_DIR names its directory", file=sys.stderr)
        return 2
    files = [Path(name).resolve() for name in sys.argv[1:]]
    if not files:
        files = [ROOT / "README.md", *sorted(ROOT.glob("Bindings/*/README.md")), *sorted(ROOT.glob("Examples/*/*.md")),
                 *sorted(ROOT.glob("docs/**/*.md"))]
    found = [snippet for file in files if file.exists() for snippet in snippets(file)]
    failed = 0
    with ThreadPoolExecutor(4) as pool:
        problems = list(pool.map(lambda snippet: run(snippet, library), found))
    for snippet, problem in zip(found, problems):
        if problem is not None:
            failed += 1
            print(f"{snippet.place}: the {snippet.language} snippet fails: {problem}")
    print(f"check_snippets: {len(found)} snippets, {failed} failed")
    return 1 if failed or not found else 0


if __name__ == "__main__":
    sys.exit(main())
